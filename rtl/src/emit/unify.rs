//! The turns of a loop as one text in which the loop's variable stands.
//!
//! Every turn is written out first, with numbers. Where the turns differ in nothing but numbers, and each of these is the same linear
//! function of the turn everywhere, the function takes the numbers' place. So the loop says what its turns say, whatever the source looked like.
//!
//! ```text
//! key_d[2] = data[31:24];   lane == 2'h2      becomes      key_d[i] = data[8*i + 8 +: 8];   lane == 2'(i)
//! ```

use std::fmt::Write;

/// Names of loop variables by depth.
pub(super) const VARIABLES: [&str; 4] = ["i", "j", "k", "l"];

/// `offset + factors[0]*i + factors[1]*j`, the variables by their depth.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Linear {
    offset: i64,
    factors: [i64; VARIABLES.len()],
}

impl Linear {
    fn number(offset: i64) -> Self {
        Self {
            offset,
            factors: [0; VARIABLES.len()],
        }
    }

    fn is_number(&self) -> bool {
        self.factors.iter().all(|factor| *factor == 0)
    }

    /// The function of the turn that gives each of these in its turn.
    fn through(all: &[&Linear], from: i64, depth: usize) -> Option<Self> {
        let first = all[0];
        let step = all.get(1)?.offset - first.offset;
        let fits = |(at, one): (usize, &&Linear)| {
            one.factors == first.factors && one.offset == first.offset + step * at as i64
        };
        if first.factors[depth] != 0 || !all.iter().enumerate().all(fits) {
            return None;
        }
        let mut found = first.clone();
        found.factors[depth] = step;
        found.offset = first.offset - step * from;
        Some(found)
    }

    fn text(&self) -> String {
        let mut out = String::new();
        for (factor, variable) in self.factors.iter().zip(VARIABLES) {
            let (sign, size) = (factor.signum(), factor.abs());
            let term = match size {
                0 => continue,
                1 => variable.to_string(),
                _ => format!("{size}*{variable}"),
            };
            match (out.is_empty(), sign) {
                (true, 1) => out = term,
                (true, _) => out = format!("{} - {term}", self.offset),
                (false, 1) => write!(out, " + {term}").expect("string"),
                (false, _) => write!(out, " - {term}").expect("string"),
            }
        }
        let said = self
            .factors
            .iter()
            .find(|factor| **factor != 0)
            .is_some_and(|factor| *factor < 0);
        match self.offset {
            _ if out.is_empty() => self.offset.to_string(),
            _ if said => out,
            0 => out,
            more if more > 0 => format!("{out} + {more}"),
            less => format!("{out} - {}", -less),
        }
    }
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Text(String),
    /// A number inside an index.
    Index(Linear),
    /// Bits of a vector from a place: their number, and whether that was written as `[7:0]`.
    Slice(Linear, i64),
    /// A literal of a width; its base and digits where it is no function of a loop.
    Literal(u32, Linear, String),
}

/// Text with numbers that later turns may replace. Tokens of an inner loop already have their functions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Pattern(Vec<Token>);

impl Pattern {
    /// Takes a text apart.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let (mut tokens, mut at, mut depth, mut plain) = (vec![], 0, 0usize, String::new());
        let run =
            |from: usize, is: &dyn Fn(u8) -> bool| bytes[from..].iter().take_while(|byte| is(**byte)).count() + from;
        let digit = |byte: u8| byte.is_ascii_digit();
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
        while at < bytes.len() {
            let c = bytes[at];
            let end = if c.is_ascii_digit() {
                run(at, &digit)
            } else if word(c) {
                run(at, &word)
            } else {
                at + text[at..].chars().next().map_or(1, char::len_utf8)
            };
            let piece = &text[at..end];
            let mut token = None;
            let mut next = end;
            if c == b'[' {
                depth += 1;
                // `[7:0]` whole
                let high = run(end, &digit);
                if high > end && bytes.get(high) == Some(&b':') {
                    let low = run(high + 1, &digit);
                    if low > high + 1 && bytes.get(low) == Some(&b']') {
                        let [high_at, low_at] =
                            [&text[end..high], &text[high + 1..low]].map(|n| n.parse().unwrap_or(0));
                        let width: i64 = high_at - low_at + 1;
                        token = Some(Token::Slice(Linear::number(low_at), width));
                        (next, depth) = (low + 1, depth - 1);
                    }
                }
            } else if c == b']' {
                depth = depth.saturating_sub(1);
            } else if digit(c) {
                let base = bytes.get(end + 1).copied().unwrap_or(b' ');
                let radix = match base {
                    b'd' => 10,
                    b'h' => 16,
                    _ => 0,
                };
                if bytes.get(end) == Some(&b'\'') && radix > 0 {
                    let digits = run(end + 2, &|byte| byte.is_ascii_hexdigit());
                    let value = i64::from_str_radix(&text[end + 2..digits], radix);
                    if let (Ok(value), Ok(width)) = (value, piece.parse::<u32>()) {
                        let spelled = text[end..digits].to_string();
                        token = Some(Token::Literal(width, Linear::number(value), spelled));
                        next = digits;
                    }
                } else if depth > 0 && bytes.get(end) != Some(&b'\'') {
                    token = piece.parse().ok().map(|value| Token::Index(Linear::number(value)));
                }
            }
            match token {
                Some(token) => {
                    if !plain.is_empty() {
                        tokens.push(Token::Text(std::mem::take(&mut plain)));
                    }
                    tokens.push(token);
                }
                None => plain += &text[at..next],
            }
            at = next;
        }
        if !plain.is_empty() {
            tokens.push(Token::Text(plain));
        }
        Self(tokens)
    }

    /// Text in which no number is looked at.
    pub fn text_only(text: String) -> Self {
        Self(vec![Token::Text(text)])
    }

    /// The lines one step to the left, where they stand in no loop.
    pub fn outdented(mut self, pad: &str) -> Self {
        let mut first = true;
        for token in &mut self.0 {
            if let Token::Text(text) = token {
                let inner = format!("\n{pad}  ");
                let mut moved = text.replace(&inner, &format!("\n{pad}"));
                if std::mem::take(&mut first) {
                    moved = moved.strip_prefix("  ").map(str::to_string).unwrap_or(moved);
                }
                *text = moved;
            }
            first = false;
        }
        self
    }

    /// This, then that.
    pub fn push(&mut self, other: Pattern) {
        for token in other.0 {
            match (self.0.last_mut(), token) {
                (Some(Token::Text(text)), Token::Text(more)) => *text += &more,
                (_, token) => self.0.push(token),
            }
        }
    }

    /// The one text of turns `from`, `from + 1`, .. of a loop at a depth, if they have one.
    pub fn of_turns(turns: &[Pattern], from: usize, depth: usize) -> Option<Self> {
        let first = turns.first()?;
        if depth >= VARIABLES.len() || turns.iter().any(|turn| turn.0.len() != first.0.len()) {
            return None;
        }
        let from = i64::try_from(from).ok()?;
        let mut found = vec![];
        for at in 0..first.0.len() {
            let all: Vec<&Token> = turns.iter().map(|turn| &turn.0[at]).collect();
            if all.iter().all(|token| **token == first.0[at]) {
                found.push(first.0[at].clone());
                continue;
            }
            let linear = |of: &dyn Fn(&Token) -> Option<Linear>| {
                let all: Option<Vec<Linear>> = all.iter().map(|token| of(token)).collect();
                let all = all?;
                Linear::through(&all.iter().collect::<Vec<_>>(), from, depth)
            };
            found.push(match &first.0[at] {
                Token::Text(_) => return None,
                Token::Index(_) => Token::Index(linear(&|token| match token {
                    Token::Index(value) => Some(value.clone()),
                    _ => None,
                })?),
                Token::Slice(_, width) => Token::Slice(
                    linear(&|token| match token {
                        Token::Slice(low, own) if own == width => Some(low.clone()),
                        _ => None,
                    })?,
                    *width,
                ),
                // the functions are computed at 32 bits
                Token::Literal(width @ 1..=31, ..) => Token::Literal(
                    *width,
                    linear(&|token| match token {
                        Token::Literal(own, value, _) if own == width => Some(value.clone()),
                        _ => None,
                    })?,
                    String::new(),
                ),
                Token::Literal(..) => return None,
            });
        }
        Some(Self(found))
    }

    /// The text.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for token in &self.0 {
            match token {
                Token::Text(text) => out += text,
                Token::Index(value) => out += &value.text(),
                Token::Slice(low, width) if low.is_number() => {
                    write!(out, "[{}:{}]", low.offset + width - 1, low.offset).expect("string")
                }
                Token::Slice(low, width) => write!(out, "[{} +: {width}]", low.text()).expect("string"),
                Token::Literal(width, value, spelled) if value.is_number() => {
                    write!(out, "{width}{spelled}").expect("string")
                }
                Token::Literal(width, value, _) => write!(out, "{width}'({})", value.text()).expect("string"),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(from: usize, depth: usize, text: impl Fn(usize) -> String, count: usize) -> Option<String> {
        let turns: Vec<Pattern> = (from..from + count).map(|turn| Pattern::of(&text(turn))).collect();
        Pattern::of_turns(&turns, from, depth).map(|pattern| pattern.text())
    }

    #[test]
    fn numbers_that_follow_the_turn_become_its_variable() {
        let text = |i: usize| {
            let (high, low) = (8 * i + 7, 8 * i);
            format!(
                "key[{i}] = data[{high}:{low}] + (lane == 3'h{i}) + old[{}][7:4] + {{2'd0, x[{}]}};",
                i + 1,
                9 - i
            )
        };
        assert_eq!(
            turns(0, 0, text, 4).as_deref(),
            Some("key[i] = data[8*i +: 8] + (lane == 3'(i)) + old[i + 1][7:4] + {2'd0, x[9 - i]};")
        );
        assert_eq!(
            turns(2, 1, |j| format!("a[{}]", 3 * j - 6), 3).as_deref(),
            Some("a[3*j - 6]"),
            "from the third turn"
        );
    }

    #[test]
    fn what_is_no_linear_function_stays_written_out() {
        assert_eq!(turns(0, 0, |i| format!("a[{}]", i * i), 3), None);
        assert_eq!(turns(0, 0, |i| format!("a_{i}"), 3), None, "part of a name");
        assert_eq!(turns(0, 0, |i| format!("{{{}'d0, a}}", i + 1), 3), None, "a width");
        assert_eq!(
            turns(0, 0, |i| format!("a[{}:0]", i), 3),
            None,
            "slices of several widths"
        );
        assert_eq!(turns(0, 0, |i| "a & ".repeat(i), 3), None, "another shape");
        assert_eq!(turns(0, 0, |_| "a = 2'd1;".into(), 3).as_deref(), Some("a = 2'd1;"));
    }

    #[test]
    fn loops_stand_in_loops() {
        let inner = |i: usize| {
            let turns: Vec<Pattern> = (0..3)
                .map(|j| Pattern::of(&format!("m[{i}][{j}] = v[{}];", 3 * i + j)))
                .collect();
            Pattern::of_turns(&turns, 0, 1).expect("alike")
        };
        let all: Vec<Pattern> = (0..2).map(inner).collect();
        let text = Pattern::of_turns(&all, 0, 0).expect("alike").text();
        assert_eq!(text, "m[i][j] = v[3*i + j];");
    }
}
