//! Many mutants in one program: every changed piece becomes a choice, and the environment says which mutant is on.
//!
//! Compiling costs a minute, a room's tests a second; so all mutants of a run are compiled once. `a + b` becomes
//! `(if crate::mutant::on(7) { a - b } else { a + b })`.

use super::syntax::{Node, Syntax};
use std::collections::BTreeMap;
use std::ops::Range;

/// Variable of the environment that names the mutant; 0 or none is the unchanged program.
pub(super) const VARIABLE: &str = "HPCC_MUTANT";

/// The module that every mutated crate gets.
pub(super) const MODULE: &str = r#"//! Which mutant runs.

/// Whether this mutant is the one that runs.
pub fn on(number: u32) -> bool {
    static ON: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *ON.get_or_init(|| std::env::var("HPCC_MUTANT").ok().and_then(|text| text.parse().ok()).unwrap_or(0)) == number
}
"#;

/// One change of a file's text.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Number of the mutant, from 1.
    pub number: usize,
    /// Bytes that go.
    pub region: Range<usize>,
    /// What comes in their place.
    pub replacement: String,
}

/// A file with its choices.
#[derive(Debug, Default)]
pub(super) struct Woven {
    /// The text.
    pub text: String,
    /// Where each choice stands in it, and whose it is: a branch is one mutant's, the whole choice belongs to all of its mutants.
    pub marks: Vec<(Range<usize>, Vec<usize>)>,
    /// Mutants that stand where no choice can be made.
    pub refused: Vec<usize>,
}

impl Woven {
    /// The mutants that an error at these bytes speaks of.
    pub fn blamed(&self, at: &Range<usize>) -> &[usize] {
        let inside = |mark: &&(Range<usize>, Vec<usize>)| mark.0.start <= at.start && at.start < mark.0.end;
        let smallest = self.marks.iter().filter(inside).min_by_key(|(range, _)| range.len());
        smallest.map_or(&[], |(_, numbers)| numbers)
    }
}

/// Puts the changes of a file into it.
pub(super) fn weave(text: &str, changes: &[Change]) -> Result<Woven, String> {
    let syntax = Syntax::of(text)?;
    let mut woven = Woven::default();
    let mut chosen: BTreeMap<(usize, std::cmp::Reverse<usize>), Choice> = BTreeMap::new();
    for change in changes {
        match syntax.around(&change.region) {
            Some(node) => {
                let key = (node.range.start, std::cmp::Reverse(node.range.end));
                chosen.entry(key).or_insert_with(|| (node, vec![])).1.push(change);
            }
            None => woven.refused.push(change.number),
        }
    }
    let (mut plain, mut kernels): (Vec<Choice>, Vec<Vec<Choice>>) = (vec![], vec![vec![]; syntax.kernels.len()]);
    for choice in chosen.into_values() {
        let inside = |body: &Range<usize>| body.start <= choice.0.range.start && choice.0.range.end <= body.end;
        match syntax.kernels.iter().position(|kernel| inside(&kernel.body)) {
            Some(kernel) => kernels[kernel].push(choice),
            None => plain.push(choice),
        }
    }
    let mut order: Vec<usize> = (0..kernels.len())
        .filter(|&kernel| !kernels[kernel].is_empty())
        .collect();
    order.sort_by_key(|&kernel| syntax.kernels[kernel].end);
    let mut at = 0;
    for kernel in order {
        let place = &syntax.kernels[kernel];
        render(text, at..place.end, &within(&plain, &(at..place.end)), &mut woven);
        at = place.end;
        woven.text += &format!("\n{}{{ #[allow(warnings)] fn update(&mut self) ", place.head);
        render(text, place.body.clone(), &kernels[kernel], &mut woven);
        woven.text += " }";
    }
    render(text, at..text.len(), &within(&plain, &(at..text.len())), &mut woven);
    Ok(woven)
}

type Choice<'a> = (&'a Node, Vec<&'a Change>);

fn within<'a>(choices: &[Choice<'a>], range: &Range<usize>) -> Vec<Choice<'a>> {
    let inside = |choice: &&Choice| range.start <= choice.0.range.start && choice.0.range.end <= range.end;
    choices.iter().filter(inside).cloned().collect()
}

/// Appends a range of the text with its choices, which are in order, the outer before the inner.
fn render(text: &str, range: Range<usize>, choices: &[Choice], woven: &mut Woven) {
    let mut at = range.start;
    let mut rest = choices;
    while let Some((choice, others)) = rest.split_first() {
        let (node, changes) = choice;
        let inner = others
            .iter()
            .take_while(|other| other.0.range.end <= node.range.end)
            .count();
        woven.text += &text[at..node.range.start];
        let whole = woven.text.len();
        woven.text += if node.parentheses { "(" } else { "" };
        for change in changes {
            woven.text += &format!("if crate::mutant::on({}) {{ ", change.number);
            let branch = woven.text.len();
            woven.text += &text[node.range.start..change.region.start];
            woven.text += &change.replacement;
            woven.text += &text[change.region.end..node.range.end];
            woven.marks.push((branch..woven.text.len(), vec![change.number]));
            woven.text += " } else ";
        }
        woven.text += "{ ";
        render(text, node.range.clone(), &others[..inner], woven);
        woven.text += " }";
        woven.text += if node.parentheses { ")" } else { "" };
        let numbers = changes.iter().map(|change| change.number).collect();
        woven.marks.push((whole..woven.text.len(), numbers));
        at = node.range.end;
        rest = &others[inner..];
    }
    woven.text += &text[at..range.end];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(text: &str, number: usize, before: &str, after: &str) -> Change {
        let start = text.find(before).expect("a part of the text");
        Change {
            number,
            region: start..start + before.len(),
            replacement: after.into(),
        }
    }

    #[test]
    fn one_choice_in_another() {
        let text = "fn f() { g(a + b * c); }";
        let changes = [change(text, 1, " + ", " - "), change(text, 2, " * ", " / ")];
        let woven = weave(text, &changes).expect("Rust");
        assert_eq!(
            woven.text,
            "fn f() { g((if crate::mutant::on(1) { a - b * c } else \
             { a + (if crate::mutant::on(2) { b / c } else { b * c }) })); }"
        );
        let at = woven.text.find("b / c").expect("woven");
        assert_eq!(woven.blamed(&(at..at + 1)), [2]);
        assert_eq!(woven.blamed(&(0..1)), [0usize; 0]);
    }

    #[test]
    fn a_statement_is_left_out() {
        let text = "fn f() { x.y = 1; z() }";
        let woven = weave(text, &[change(text, 3, "x.y = 1;", "")]).expect("Rust");
        assert_eq!(
            woven.text,
            "fn f() { if crate::mutant::on(3) {  } else { x.y = 1; } z() }"
        );
    }

    #[test]
    fn a_kernel_stays_and_gets_a_twin() {
        let text = "impl Logic for X {\n    #[hdl_gen]\n    fn update(&mut self) { self.a.next = b + c; }\n}\nfn g() { d + e }\n";
        let changes = [change(text, 1, "b + c", "b - c"), change(text, 2, "d + e", "d - e")];
        let woven = weave(text, &changes).expect("Rust");
        let kernel = &text[..text.find("\nfn g").expect("g")];
        assert!(woven.text.starts_with(kernel), "{}", woven.text);
        let twin = "\nimpl X { #[allow(warnings)] fn update(&mut self) \
                    { self.a.next = (if crate::mutant::on(1) { b - c } else { b + c }); } }";
        assert!(woven.text.contains(twin), "{}", woven.text);
        assert!(woven
            .text
            .contains("fn g() { (if crate::mutant::on(2) { d - e } else { d + e }) }"));
    }
}
