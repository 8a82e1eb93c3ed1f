//! A block between shift registers, so that three pins reach all its ports and nothing is optimised away.

use hpcc_rtl::sim::Port;

/// Outputs that share one load signal; keeps its fan-out from limiting the clock.
const CHUNK: usize = 32;

/// Name of the wrapped top.
pub(super) fn top(block: &str) -> String {
    format!("{block}_harness")
}

/// SystemVerilog of the harness: serial in, every input a stage of one shift register, every output registered and
/// shifted out. A block that is logic only has no clock.
pub(super) fn wrap(block: &str, ports: &[Port], clocked: bool) -> String {
    let (mut pins, mut bits) = (vec![], [0, 0]);
    if clocked {
        pins.push("    .clk(clk)".to_string());
    }
    for port in ports {
        let (bus, at) = if port.input {
            ("into", &mut bits[1])
        } else {
            ("from", &mut bits[0])
        };
        pins.push(format!("    .{}({bus}[{}:{at}])", port.name, *at + port.width - 1));
        *at += port.width;
    }
    // two stages at least, so that every shift has a source
    let (outputs, inputs) = (bits[0].max(2), bits[1].max(2));
    let chunks = outputs.div_ceil(CHUNK) + 1;
    let mut shifts = String::new();
    for chunk in 0..outputs.div_ceil(CHUNK) {
        let (low, high) = (chunk * CHUNK, ((chunk + 1) * CHUNK).min(outputs) - 1);
        let before = if low == 0 {
            format!("{{out[{}:0], 1'b0}}", high - 1)
        } else {
            format!("out[{}:{}]", high - 1, low - 1)
        };
        shifts += &format!("    out[{high}:{low}] <= load[{chunk}] ? captured[{high}:{low}] : {before};\n");
    }
    format!(
        "module {top} (input wire clk, input wire serial_in, output reg serial_out);
  reg [{i}:0] into;
  wire [{o}:0] from;
  reg [{o}:0] captured;
  reg [{o}:0] out;
  reg [{c}:0] load;
  always @(posedge clk) begin
    into <= {{into[{i1}:0], serial_in}};
    captured <= from;
    load <= {{load[{c1}:0], serial_in}};
{shifts}    serial_out <= out[{o}];
  end
  {block} u_block (
{pins}
  );
endmodule
",
        top = top(block),
        i = inputs - 1,
        i1 = inputs - 2,
        o = outputs - 1,
        c = chunks - 1,
        c1 = chunks - 2,
        pins = pins.join(",\n"),
    )
}

/// The block without its inside, its ports as plain vectors: the synthesised netlist that takes its place has no types either.
pub(super) fn black_box(block: &str, ports: &[Port], clocked: bool) -> String {
    let mut pins = vec![];
    if clocked {
        pins.push("  input wire clk".to_string());
    }
    for Port { name, width, input, .. } in ports {
        let direction = if *input { "input" } else { "output" };
        pins.push(format!("  {direction} wire [{}:0] {name}", width - 1));
    }
    format!(
        "(* blackbox *)\nmodule {block} (\n{}\n);\nendmodule\n",
        pins.join(",\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_block_with_a_clock_gets_one() {
        let port = |name: &str, input| Port {
            name: name.into(),
            width: 3,
            input,
            limb: 0,
        };
        let ports = [port("a", true), port("q", false)];
        let pins =
            |clocked| wrap("block", &ports, clocked).contains("block u_block (\n    .clk(clk),\n    .a(into[2:0])");
        assert!(pins(true) && !pins(false));
        assert!(wrap("block", &ports, false).contains("block u_block (\n    .a(into[2:0]),\n    .q(from[2:0])"));
    }

    #[test]
    fn the_box_has_the_ports_of_the_harness_as_vectors() {
        let port = |name: &str, width, input| Port {
            name: name.into(),
            width,
            input,
            limb: 0,
        };
        let ports = [port("command", 25, true), port("ready", 1, false)];
        assert_eq!(
            black_box("block", &ports, true),
            "(* blackbox *)\nmodule block (\n  input wire clk,\n  input wire [24:0] command,\n  output wire [0:0] ready\n);\nendmodule\n"
        );
        assert!(!black_box("block", &ports, false).contains("clk"));
    }
}
