//! The C interface of a Verilated model, generated from the block's own ports so that names and widths cannot drift.
//!
//! All values travel as 64-bit limbs, least significant first, in the order of [`hpcc_rtl::sim::port_list`].

use hpcc_rtl::sim::Port;
use std::fmt::Write;

/// C++ that exports `vl_new`, `vl_settle`, `vl_edge` and `vl_free` for the model of `top`.
pub(super) fn source(top: &str, ports: &[Port]) -> String {
    let (mut inputs, mut outputs) = (String::new(), String::new());
    for port in ports {
        let (name, limb) = (&port.name, port.limb);
        // up to 64 bits a port is an integer, beyond that an array of 32-bit words
        if port.width <= 64 {
            if port.input {
                writeln!(inputs, "  m->{name} = in[{limb}];").expect("string");
            } else {
                writeln!(outputs, "  out[{limb}] = m->{name};").expect("string");
            }
            continue;
        }
        for word in 0..port.width.div_ceil(32) {
            let (at, shift) = (limb + word / 2, 32 * (word % 2));
            if port.input {
                writeln!(inputs, "  m->{name}[{word}] = (uint32_t)(in[{at}] >> {shift});").expect("string");
            } else {
                let op = if shift == 0 { "=" } else { "|=" };
                writeln!(outputs, "  out[{at}] {op} (uint64_t)m->{name}[{word}] << {shift};").expect("string");
            }
        }
    }
    format!(
        "#include \"V{top}.h\"
#include \"verilated.h\"
#include <cstdint>
extern \"C\" {{
void* vl_new() {{ return new V{top}{{new VerilatedContext}}; }}
void vl_free(void* p) {{
  auto* m = static_cast<V{top}*>(p);
  auto* context = m->contextp();
  m->final();
  delete m;
  delete context;
}}
// inputs change while the clock is low; outputs are what they are just before the rising edge
void vl_settle(void* p, const uint64_t* in, uint64_t* out) {{
  auto* m = static_cast<V{top}*>(p);
  (void)in;
{inputs}  m->clock = 0;
  m->eval();
{outputs}}}
void vl_edge(void* p) {{
  auto* m = static_cast<V{top}*>(p);
  m->clock = 1;
  m->eval();
}}
}}
"
    )
}
