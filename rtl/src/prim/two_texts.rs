//! Verilog text in two forms that compute the same in every clock.

/// `words` for a simulator, which works with words of a processor, under the macro `FAST_SIMULATION`; `gates` for synthesis and everybody else.
pub(crate) fn two_texts(words: &str, gates: &str) -> String {
    format!("`ifdef FAST_SIMULATION\n{words}`else\n{gates}\n`endif")
}
