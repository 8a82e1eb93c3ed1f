//! Verilog text: which of a beat's 64 bytes lie within a number of bytes from 0 to 64, in two levels of tables.
//!
//! A comparison of each byte's number with the count would be 64 carry chains. Here the count says once which eights of bytes are
//! there whole, which one in part, and how much of that.

/// Declares what [`is_within`] reads; `count` is the name of a signal of 7 bits.
pub(crate) fn declare(count: &str) -> String {
    format!(
        "wire [7:0] whole = ~(8'hff << {count}[6:3]);
wire [7:0] partly_at = 8'd1 << {count}[6:3];
wire [7:0] partly = ~(8'hff << {count}[2:0]);
"
    )
}

/// Statement for a simulator: `to` is `beat` as far as `count` says, zeros behind; whole beats are left alone.
pub(crate) fn keep_by_words(to: &str, beat: &str, count: &str) -> String {
    format!("if ({count}[6]) {to} <= {beat};\n  else {to} <= {beat} & ~({{512{{1'b1}}}} << {{{count}, 3'd0}});")
}

/// One bit: the byte whose number is the loop variable `byte` lies within the count.
pub(crate) fn is_within(byte: &str) -> String {
    format!("whole[{byte}/8] | (partly_at[{byte}/8] & partly[{byte}%8])")
}
