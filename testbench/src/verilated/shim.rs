//! The C interface of a Verilated model, generated from the block's own ports so that names and widths cannot drift.
//!
//! All values travel as 64-bit limbs, least significant first, in the order of [`hpcc_rtl::sim::port_list`].

use hpcc_rtl::sim::Port;
use std::fmt::Write;

/// C++ of the waveform: `vl_trace_open`, `vl_trace_dump` (time in ps) and `vl_trace_close`.
fn trace_source(top: &str) -> String {
    format!(
        "#include \"V{top}.h\"
#include \"verilated_vcd_c.h\"
#include <cstdint>
extern \"C\" {{
void* vl_trace_open(void* p, const char* path) {{
  auto* m = static_cast<V{top}*>(p);
  auto* t = new VerilatedVcdC;
  t->set_time_unit(\"1ps\");
  t->set_time_resolution(\"1ps\");
  m->trace(t, 99);
  t->open(path);
  return t;
}}
void vl_trace_dump(void* t, uint64_t time_ps) {{ static_cast<VerilatedVcdC*>(t)->dump(time_ps); }}
void vl_trace_close(void* t) {{
  auto* trace = static_cast<VerilatedVcdC*>(t);
  trace->close();
  delete trace;
}}
}}
"
    )
}

/// C++ that exports `vl_new`, `vl_settle`, `vl_edge` and `vl_free` for the model of `top`, and the functions of its waveform if
/// it has one.
pub(super) fn source(top: &str, ports: &[Port], trace: bool) -> String {
    let (waveform, trace_on) = match trace {
        true => (trace_source(top), "m->contextp()->traceEverOn(true); "),
        false => (String::new(), ""),
    };
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
void* vl_new() {{ auto* m = new V{top}{{new VerilatedContext}}; {trace_on}return m; }}
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
{inputs}  m->clk = 0;
  m->eval();
{outputs}}}
void vl_edge(void* p) {{
  auto* m = static_cast<V{top}*>(p);
  m->clk = 1;
  m->eval();
}}
}}
{waveform}"
    )
}
