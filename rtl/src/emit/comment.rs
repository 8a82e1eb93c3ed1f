//! Comments of the sources as comments of the Verilog, and long lines over several.

/// Longest line of an emitted file.
pub(super) const LONGEST: usize = 140;

/// A doc comment without what only rustdoc reads: leading blanks, links, tables of files.
pub(super) fn plain(doc: &str) -> String {
    let (mut lines, mut skipped) = (vec![], false);
    for line in doc.lines() {
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        skipped = line.starts_with('|') && (skipped || line.starts_with("| file |"));
        if !skipped {
            lines.push(without_paths(&without_links(line)));
        }
    }
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    lines.join("\n").trim().to_string()
}

/// ``[`Frame`](crate::Frame)`` and ``[`Frame`]`` as `` `Frame` ``, `[a page](url)` as `a page`; `[7:0]` and `[low, high]` stay.
fn without_links(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        out += before;
        let Some((text, behind)) = after.split_once(']') else {
            out.push('[');
            rest = after;
            continue;
        };
        let target = behind.strip_prefix('(').and_then(|target| target.split_once(')'));
        let link = text.len() > 2 && text.starts_with('`') && text.ends_with('`');
        match target {
            Some((_, behind)) => {
                out += text;
                rest = behind;
            }
            None if link => {
                out += text;
                rest = behind;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out + rest
}

/// `` `super::park` `` and `` `crate::prim::Skid` `` as `` `park` `` and `` `Skid` ``: a reader of the Verilog has no modules of Rust.
fn without_paths(line: &str) -> String {
    let short = |(at, piece): (usize, &str)| match piece.rsplit_once("::") {
        Some((_, last)) if at % 2 == 1 && !piece.contains(' ') => last.to_string(),
        _ => piece.to_string(),
    };
    line.split('`').enumerate().map(short).collect::<Vec<_>>().join("`")
}

/// Text as lines that begin with `//`.
pub(super) fn commented(text: &str) -> String {
    let line = |line: &str| match line {
        "" => "//\n".to_string(),
        line => format!("// {line}\n"),
    };
    text.lines().map(line).collect()
}

/// A file with no line longer than 140 characters where a blank allows it. What is left of a line of prose that was too long goes on in
/// the next line of its paragraph.
pub(super) fn wrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let (indent, code) = split_indent(line);
        let next = match code {
            _ if line.len() <= LONGEST || code.starts_with('`') => {
                out += line;
                out.push('\n');
                continue;
            }
            _ if code.starts_with("//") => format!("{indent}// "),
            _ => format!("{indent}    "),
        };
        let mut rest = line.to_string();
        loop {
            while let Some(at) = break_of(&rest) {
                out += rest[..at].trim_end();
                out.push('\n');
                rest = format!("{next}{}", rest[at..].trim_start());
            }
            let more = lines.next_if(|more| prose(line) && prose(more) && split_indent(more).0 == indent);
            match more.and_then(|more| split_indent(more).1.strip_prefix("// ")) {
                Some(more) => rest = format!("{rest} {more}"),
                None => break,
            }
        }
        out += &rest;
        out.push('\n');
    }
    out
}

/// A line of a paragraph, not of a table or a list.
fn prose(line: &str) -> bool {
    let text = line.trim_start().strip_prefix("// ");
    text.is_some_and(|text| text.starts_with(|first: char| first.is_alphanumeric() || "`(\"".contains(first)))
}

/// The blanks in front of a line, and the rest.
fn split_indent(line: &str) -> (&str, &str) {
    line.split_at(line.len() - line.trim_start().len())
}

/// Where to break a line that is too long: in a comment at the last blank, in code outside as many parentheses as possible, as
/// late as possible, behind a comma or before an operator.
fn break_of(line: &str) -> Option<usize> {
    if line.chars().count() <= LONGEST {
        return None;
    }
    let indent = line.len() - line.trim_start().len();
    let comment = line.trim_start().starts_with("//");
    let limit = line.char_indices().nth(LONGEST)?.0;
    // at least a third of the line is used
    let first = indent + (LONGEST - indent.min(LONGEST)) / 3;
    let (mut depth, mut best) = (0i32, None::<(i32, usize)>);
    for (at, c) in line.char_indices().take_while(|(at, _)| *at <= limit) {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            ' ' if at >= first => {
                let (before, after) = (line[..at].trim_end(), &line[at + 1..]);
                let operator = [
                    "| ", "& ", "^ ", "+ ", "- ", "&& ", "|| ", "? ", ": ", "== ", "!= ", "<< ", ">> ",
                ]
                .iter()
                .any(|operator| after.starts_with(operator));
                let allowed = comment || before.ends_with(',') || before.ends_with('=') || operator;
                let level = if comment { 0 } else { depth };
                if allowed && best.is_none_or(|(found, _)| level <= found) {
                    best = Some((level, at));
                }
            }
            _ => {}
        }
    }
    best.map(|(_, at)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_rustdoc_reads_is_left_out() {
        assert_eq!(
            plain(" A [`Frame`](crate::Frame) of [`Beat`]s, bits [7:0] in `[low, high]`; see [the book](x).\n\n\n | file | holds |\n |---|---|\n\n | clock | does |\n "),
            "A `Frame` of `Beat`s, bits [7:0] in `[low, high]`; see the book.\n\n| clock | does |"
        );
        assert_eq!(
            plain(" As [`super::park`], a `B` of [`a::b::C`](d)."),
            "As `park`, a `B` of `C`."
        );
        assert_eq!(commented("a\n\nb"), "// a\n//\n// b\n");
    }

    #[test]
    fn long_lines_are_broken_outside_parentheses() {
        let term = |name: &str| format!("({name} & {{{}1'd1}})", "1'd0, ".repeat(9));
        let line = format!("  assign x = {} | {} | {};", term("a"), term("b"), term("c"));
        let text = wrapped(&line);
        assert_eq!(
            text,
            format!(
                "  assign x = {}\n      | {}\n      | {};\n",
                term("a"),
                term("b"),
                term("c")
            )
        );
        let words = format!("  // {}", "word ".repeat(60));
        assert!(wrapped(&words)
            .lines()
            .all(|line| line.len() <= LONGEST && line.starts_with("  // word")));
        let paragraph = format!("// {0}\n// {0}\n//\n// | {0}\n// end\n", "word ".repeat(30).trim_end());
        let lines: Vec<String> = wrapped(&paragraph).lines().map(str::to_string).collect();
        let words = |count: usize| "word ".repeat(count).trim_end().to_string();
        assert_eq!(
            lines,
            [
                format!("// {}", words(27)),
                format!("// {}", words(27)),
                format!("// {}", words(6)),
                "//".into(),
                format!("// | {}", words(27)),
                format!("// {}", words(3)),
                "// end".into(),
            ],
            "a paragraph is filled, a table is not"
        );
        let free = "x".repeat(200);
        assert_eq!(wrapped(&free), format!("{free}\n"), "nowhere to break");
    }
}
