"""The Bitwuzla wheel as the solver program that yosys-smtbmc expects: SMT-LIB 2 on standard input, answers on standard output.

The wheel has the solver as a Python module only, and its parser cannot take back commands given in separate pieces. So the commands
in force are kept here, and every `(check-sat)` gives all of them to a new solver; `(get-value ...)` asks the last one.
"""

import sys

import bitwuzla


def commands(lines):
    """Complete commands, however many lines they take."""
    text, depth = [], 0
    for line in lines:
        # smtbmc quotes names with bars; a parenthesis within is part of the name, a semicolon outside starts a comment
        code = "".join(line.split("|")[::2]).split(";")[0]
        depth += code.count("(") - code.count(")")
        text.append(line)
        if depth == 0:
            command = "".join(text).strip()
            text = []
            if command and not command.startswith(";"):
                yield command


def terms(text):
    """Terms of a list, split where no parenthesis or bar is open."""
    term, depth, quoted = "", 0, False
    for c in text:
        quoted ^= c == "|"
        if not quoted:
            depth += (c == "(") - (c == ")")
            if c.isspace() and depth == 0:
                if term:
                    yield term
                term = ""
                continue
        term += c
    if term:
        yield term


def main():
    levels, parser = [[]], None
    for command in commands(sys.stdin):
        name = command[1:].split(maxsplit=1)[0].rstrip(")")
        if name == "exit":
            return
        if name == "push":
            levels.append([])
        elif name == "pop":
            levels.pop()
        elif name == "check-sat":
            script = "\n".join(entry for level in levels for entry in level)
            parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
            parser.parse(script + "\n(check-sat)\n", False, False)
        elif name == "get-value":
            inner = command[1:-1].split(maxsplit=1)[1].strip()[1:-1]
            values = [f"({term} {parser.bitwuzla().get_value(parser.parse_term(term))})" for term in terms(inner)]
            print(f"({' '.join(values)})")
        else:
            levels[-1].append(command)
            if name == "assert":
                parser = None
            elif parser:
                # names for terms that the next `get-value` asks for
                parser.parse(command + "\n", False, False)
        sys.stdout.flush()


main()
