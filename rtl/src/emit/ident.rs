//! Identifiers: RustHDL's `a$b[1].c::d` to Verilog's `a_b_1_c_d`, reserved words, and array indices of loop variables.

use super::error::Fault;

/// Value of a loop variable in the turn being unrolled.
pub(super) type Loops = [(String, usize)];

/// Words of SystemVerilog that a field of a block might be called by.
const RESERVED: &[&str] = &[
    "alias",
    "always",
    "and",
    "assert",
    "assign",
    "assume",
    "automatic",
    "before",
    "begin",
    "bind",
    "bit",
    "break",
    "buf",
    "byte",
    "case",
    "cell",
    "chandle",
    "class",
    "clocking",
    "config",
    "const",
    "constraint",
    "context",
    "continue",
    "cover",
    "cross",
    "deassign",
    "default",
    "design",
    "disable",
    "dist",
    "do",
    "edge",
    "else",
    "end",
    "enum",
    "event",
    "expect",
    "export",
    "extends",
    "extern",
    "final",
    "first_match",
    "for",
    "force",
    "forever",
    "fork",
    "function",
    "generate",
    "genvar",
    "global",
    "if",
    "iff",
    "import",
    "initial",
    "inout",
    "input",
    "inside",
    "instance",
    "int",
    "integer",
    "interface",
    "intersect",
    "join",
    "large",
    "let",
    "library",
    "local",
    "localparam",
    "logic",
    "longint",
    "macromodule",
    "matches",
    "medium",
    "modport",
    "module",
    "nand",
    "negedge",
    "new",
    "nor",
    "not",
    "null",
    "or",
    "output",
    "package",
    "packed",
    "parameter",
    "posedge",
    "primitive",
    "priority",
    "program",
    "property",
    "protected",
    "pull0",
    "pull1",
    "pure",
    "rand",
    "randc",
    "real",
    "ref",
    "reg",
    "release",
    "repeat",
    "restrict",
    "return",
    "scalared",
    "sequence",
    "shortint",
    "signed",
    "small",
    "solve",
    "specify",
    "static",
    "string",
    "strong",
    "struct",
    "super",
    "supply0",
    "supply1",
    "table",
    "tagged",
    "task",
    "this",
    "throughout",
    "time",
    "timeprecision",
    "timeunit",
    "tran",
    "tri",
    "type",
    "typedef",
    "union",
    "unique",
    "unsigned",
    "until",
    "untyped",
    "use",
    "var",
    "vectored",
    "virtual",
    "void",
    "wait",
    "weak",
    "while",
    "wildcard",
    "wire",
    "with",
    "within",
    "wor",
    "xnor",
    "xor",
];

/// Words of C++ and names of its library that Verilator's models trip over.
const RESERVED_IN_CPP: &[&str] = &[
    "asm",
    "auto",
    "bool",
    "catch",
    "char",
    "concept",
    "decltype",
    "delete",
    "double",
    "explicit",
    "false",
    "float",
    "friend",
    "goto",
    "inline",
    "long",
    "map",
    "mutable",
    "namespace",
    "noexcept",
    "nullptr",
    "operator",
    "private",
    "public",
    "queue",
    "register",
    "requires",
    "set",
    "short",
    "sizeof",
    "stack",
    "switch",
    "template",
    "throw",
    "true",
    "try",
    "typeid",
    "typename",
    "using",
    "vector",
    "volatile",
];

/// Words of Verilog-AMS that Verible takes for its own.
const RESERVED_IN_VERIBLE: &[&str] = &[
    "abstol",
    "access",
    "ddt_nature",
    "discipline",
    "idt_nature",
    "nature",
    "units",
];

/// `a$b.c::d[1]` to `a_b_c_d_1`, with `clk` and `rst` for the ports `clock` and `reset`, as Verilog calls them, and with the signals of
/// AXI as the specification calls them: `m_axi$aw$addr` to `m_axi_awaddr`.
pub fn identifier(name: &str) -> String {
    let (mut out, mut port, mut channel) = (String::with_capacity(name.len()), false, false);
    for part in name.trim_start_matches('.').split(['$', '.']) {
        if !out.is_empty() && !channel {
            out.push('_');
        }
        channel = port && matches!(part, "aw" | "w" | "b" | "ar" | "r");
        port = matches!(part, "m_axi" | "s_axi" | "m_axil" | "s_axil");
        out += match part {
            "clock" => "clk",
            "reset" => "rst",
            other => other,
        };
    }
    out.replace("::", "_").replace('[', "_").replace([']', ' '], "")
}

/// Refuses what is reserved or no identifier.
pub(super) fn check(name: &str) -> Result<(), Fault> {
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if plain && starts && !RESERVED.contains(&name) && !RESERVED_IN_VERIBLE.contains(&name) {
        Ok(())
    } else {
        Err(Fault::BadName(name.into()))
    }
}

/// Refuses also what Verilator cannot keep as the name of a field.
pub(super) fn check_field(name: &str) -> Result<(), Fault> {
    match RESERVED_IN_CPP.contains(&name) {
        true => Err(Fault::BadName(name.into())),
        false => check(name),
    }
}

/// Verilog text with `$` inside identifiers replaced; `$signed` and its kind keep theirs.
pub(super) fn without_dollars(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = ' ';
    for c in text.chars() {
        let inside = previous.is_ascii_alphanumeric() || previous == '_' || previous == '$';
        out.push(if c == '$' && inside { '_' } else { c });
        previous = c;
    }
    out
}

/// Replaces every index of `lane[i + 1].x[j]` by its value in this turn of the loops: `lane_3.x_0`.
pub(super) fn with_indices(name: &str, loops: &Loops) -> Result<String, Fault> {
    let mut rest = name.replace(' ', "");
    while let Some(open) = rest.find('[') {
        let close = rest[open..]
            .find(']')
            .map(|i| open + i)
            .ok_or_else(|| Fault::BadIndex(rest.clone()))?;
        let value = evaluate(&rest[open + 1..close], loops)?;
        rest = format!("{}_{value}{}", &rest[..open], &rest[close + 1..]);
    }
    Ok(rest)
}

/// `+`, `-`, `*` and parentheses over integers and loop variables.
pub(super) fn evaluate(text: &str, loops: &Loops) -> Result<usize, Fault> {
    let bad = || Fault::BadIndex(text.to_string());
    for operators in [&['+', '-'][..], &['*'][..]] {
        let mut depth = 0;
        for (at, c) in text.char_indices().rev() {
            match c {
                ')' => depth += 1,
                '(' => depth -= 1,
                _ if depth == 0 && operators.contains(&c) => {
                    let (left, right) = (evaluate(&text[..at], loops)?, evaluate(&text[at + 1..], loops)?);
                    return match c {
                        '+' => left.checked_add(right),
                        '-' => left.checked_sub(right),
                        _ => left.checked_mul(right),
                    }
                    .ok_or_else(bad);
                }
                _ => {}
            }
        }
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        return evaluate(inner, loops);
    }
    if let Some((_, value)) = loops.iter().rev().find(|(name, _)| name == text) {
        return Ok(*value);
    }
    text.replace('_', "")
        .trim_end_matches("usize")
        .parse()
        .map_err(|_| bad())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_flattened() {
        assert_eq!(identifier("up$valid"), "up_valid");
        assert_eq!(identifier("State::Idle"), "State_Idle");
        assert_eq!(identifier("m[1][2]"), "m_1_2");
        assert_eq!(identifier(".a$0"), "a_0");
        assert_eq!(identifier("fifo[2]$clock"), "fifo_2_clk");
        assert_eq!(identifier("reset"), "rst");
        assert_eq!(identifier("last_reset"), "last_reset");
        assert_eq!(identifier("writer$m_axi$aw$addr"), "writer_m_axi_awaddr");
        assert_eq!(identifier("s_axil$b$ready"), "s_axil_bready");
        assert_eq!(identifier("s_axis$tdata"), "s_axis_tdata");
        assert_eq!(identifier("axi$w$data"), "axi_w_data", "only at an AXI port");
    }

    #[test]
    fn every_index_is_evaluated() {
        let loops = [("i".to_string(), 2), ("j".to_string(), 5)];
        assert_eq!(with_indices("m[i][j]", &loops), Ok("m_2_5".into()));
        assert_eq!(
            with_indices("lane[i+1]$x[2*(j-i)]$y", &loops),
            Ok("lane_3$x_6$y".into())
        );
        assert_eq!(
            with_indices("a[10-3-2]", &loops),
            Ok("a_5".into()),
            "subtraction associates to the left"
        );
        assert_eq!(with_indices("a[i-3]", &loops), Err(Fault::BadIndex("i-3".into())));
        assert_eq!(with_indices("a[N]", &loops), Err(Fault::BadIndex("N".into())));
    }

    #[test]
    fn dollars_leave_identifiers_only() {
        assert_eq!(
            without_dollars("a$b <= $signed(c$d$e) + $clog2(4);"),
            "a_b <= $signed(c_d_e) + $clog2(4);"
        );
    }

    #[test]
    fn reserved_words_are_refused() {
        assert!(check("bit").is_err() && check("2x").is_err() && check("a-b").is_err() && check("").is_err());
        assert!(check("bits_left").is_ok() && check("_x").is_ok());
        assert!(
            check("stack").is_ok()
                && check_field("stack").is_err()
                && check_field("units").is_err()
                && check_field("stacked").is_ok()
        );
    }
}
