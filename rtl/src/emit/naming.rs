//! How a block tells the emitter the name of its module.
//!
//! RustHDL hands the emitter a block without its type, so the name travels through `Logic::timing`, the one method of
//! a block that returns text and that the simulation never reads:
//!
//! ```text
//! impl Logic for HopLane { #[hdl_gen] fn update(&mut self) { .. }  fn timing(&self) -> Vec<TimingInfo> { named::<Self>() } }
//! ```
//!
//! A block that says nothing is named after the field that holds it.

use rust_hdl::prelude::TimingInfo;

/// Marks a `TimingInfo` that carries a module name.
const MARK: &str = "module name";

/// Names the module after the block's type: `hpcc::HopLane<24, 5>` becomes `hop_lane_24_5`.
pub fn named<Block: ?Sized>() -> Vec<TimingInfo> {
    named_as(type_to_name(std::any::type_name::<Block>()))
}

/// Names the module by a given lower-case identifier.
pub fn named_as(name: impl Into<String>) -> Vec<TimingInfo> {
    vec![TimingInfo {
        name: MARK.into(),
        clock: name.into(),
        inputs: vec![],
        outputs: vec![],
    }]
}

/// The module name in a block's timing information, if it has one.
pub fn name_of(timing: &[TimingInfo]) -> Option<&str> {
    timing
        .iter()
        .find(|info| info.name == MARK)
        .map(|info| info.clock.as_str())
}

/// `a::b::MulPipe<24, c::U<7>>` to `mul_pipe_24_u7`: paths dropped, words separated by underscores.
fn type_to_name(path: &str) -> String {
    let words = path
        .split(|c: char| "<>, [];()&".contains(c))
        .filter(|word| !word.is_empty());
    let mut name = String::new();
    let mut glue = false;
    for word in words {
        let word = snake_case(word.rsplit("::").next().unwrap_or(word));
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let glued = glue && is_number;
        if !name.is_empty() && !glued {
            name.push('_');
        }
        // the width of a number type belongs to the type's letter: `u7`, `w336`
        glue = word == "u" || word == "w";
        name.push_str(&word);
    }
    name
}

/// `MulPipe` to `mul_pipe`, `INTStamper` to `int_stamper`.
pub(super) fn snake_case(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    let mut out = String::new();
    for (i, c) in letters.iter().enumerate() {
        let after_lower = i > 0 && (letters[i - 1].is_lowercase() || letters[i - 1].is_ascii_digit());
        let before_lower = i > 0 && letters[i - 1] != '_' && letters.get(i + 1).is_some_and(|next| next.is_lowercase());
        if c.is_uppercase() && (after_lower || before_lower) && letters[i - 1] != '_' {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_become_identifiers() {
        assert_eq!(type_to_name("hpcc_rtl::cc::CcEngine<9, 300>"), "cc_engine_9_300");
        assert_eq!(type_to_name("x::Delay<hpcc_rtl::prim::uint::U<24>, 3>"), "delay_u24_3");
        assert_eq!(type_to_name("x::Fifo<y::W<336, 6>, bool>"), "fifo_w336_6_bool");
        assert_eq!(type_to_name("INTStamper"), "int_stamper");
        assert_eq!(type_to_name("Crc32Slice8"), "crc32_slice8");
    }

    #[test]
    fn a_name_survives_the_trip() {
        assert_eq!(name_of(&named_as("mul_pipe_34x51")), Some("mul_pipe_34x51"));
        assert_eq!(name_of(&[]), None);
    }
}
