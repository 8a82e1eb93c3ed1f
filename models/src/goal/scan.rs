//! The characters of a GOAL text: words, numbers and where a line ends.

use super::error::ParseError;

/// A place in the text.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Scanner<'a> {
    /// From the beginning of a text.
    pub(super) fn new(text: &'a str) -> Self {
        Scanner { text, at: 0, line: 1 }
    }

    /// Line of the place, from 1 on.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Is nothing left?
    pub(super) fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// The error "expected `what`, found …" at this place.
    pub(super) fn expected(&self, what: &str) -> ParseError {
        let rest = self.rest();
        let found = match rest.chars().next() {
            None => "the end of the file".to_string(),
            Some('\n' | '\r') => "the end of the line".to_string(),
            Some(_) => {
                let piece = rest.split_whitespace().next().unwrap_or(rest);
                format!("`{}`", piece.chars().take(30).collect::<String>())
            }
        };
        ParseError::new(self.line, format!("expected {what}, found {found}"))
    }

    /// Passes blanks and tabs.
    pub(super) fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
    }

    /// Passes one end of a line, if there is one here.
    pub(super) fn newline(&mut self) -> bool {
        let long = ["\r\n", "\n"].into_iter().find(|end| self.rest().starts_with(end));
        self.at += long.map_or(0, str::len);
        self.line += usize::from(long.is_some());
        long.is_some()
    }

    /// Passes `word`, if the text goes on with it.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let there = self.rest().starts_with(word);
        self.at += if there { word.len() } else { 0 };
        there
    }

    /// Passes blanks, lines without content and comments, to where an item may begin.
    pub(super) fn skip_to_item(&mut self) -> Result<(), ParseError> {
        loop {
            self.blanks();
            if self.newline() {
            } else if self.rest().starts_with("//") {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            } else if self.rest().starts_with("/*") {
                let Some(length) = self.rest().find("*/") else {
                    return Err(ParseError::new(self.line, "the comment has no end".into()));
                };
                self.line += self.rest()[..length].matches('\n').count();
                self.at += length + "*/".len();
            } else {
                return Ok(());
            }
        }
    }

    /// The longest name that begins here, empty where none does.
    pub(super) fn name(&mut self) -> &'a str {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return "";
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        self.at += name.len();
        name
    }

    /// A number of at most `most`, named `what` in an error.
    pub(super) fn number(&mut self, what: &str, most: u64) -> Result<u64, ParseError> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if end == 0 {
            return Err(self.expected(what));
        }
        match rest[..end].parse() {
            Ok(number) if number <= most => {
                self.at += end;
                Ok(number)
            }
            _ => Err(self.expected(&format!("{what} of at most {most}"))),
        }
    }
}
