//! The C interface of a Verilated model, generated from the block's own ports so that names and widths cannot drift.
//!
//! All values travel as 64-bit limbs, least significant first, in the order of [`hpcc_rtl::sim::port_list`].

use super::sources::Sources;
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

/// C++ that exports `vl_new`, `vl_settle`, `vl_low`, `vl_edge` and `vl_free` for the model of `top`, and the functions of its waveform if
/// it has one. Outputs that come from registers alone are there since the edge: `registered` evaluates once a clock instead of twice.
pub(super) fn source(sources: &Sources) -> String {
    let Sources { top, ports, .. } = sources;
    let (waveform, trace_on) = match sources.trace {
        true => (trace_source(top), "m->contextp()->traceEverOn(true); "),
        false => (String::new(), ""),
    };
    // a promise that is broken is told and counted, and does not end the process
    let go_on = match sources.checked {
        true => "m->contextp()->errorLimit(1 << 30); ",
        false => "",
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
        // the words of a limb lie in memory as they lie in the limb
        let (limbs, bytes) = (port.limbs(), 4 * port.width.div_ceil(32));
        if port.input {
            writeln!(inputs, "  std::memcpy(m->{name}.data(), in + {limb}, {bytes});").expect("string");
        } else {
            writeln!(outputs, "  out[{}] = 0;", limb + limbs - 1).expect("string");
            writeln!(outputs, "  std::memcpy(out + {limb}, m->{name}.data(), {bytes});").expect("string");
        }
    }
    let (inside, first, settle, again) = match sources.registered {
        // the edge is seen where the model finds its own note of the clock low
        true => (
            format!("#include \"V{top}___024root.h\"\n"),
            "m->clk = 0; m->eval(); ",
            "",
            "  m->clk = 0;\n  m->rootp->__Vtrigprevexpr___TOP__clk__0 = 0;\n",
        ),
        false => (String::new(), "", "  m->clk = 0;\n  m->eval();\n", ""),
    };
    format!(
        "#include \"V{top}.h\"
{inside}#include \"verilated.h\"
#include <cstdint>
#include <cstring>
extern \"C\" {{
void* vl_new() {{ auto* m = new V{top}{{new VerilatedContext}}; {trace_on}{go_on}{first}return m; }}
// promises that were broken
uint64_t vl_broken(void* p) {{ return static_cast<V{top}*>(p)->contextp()->errorCount(); }}
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
{inputs}{settle}{outputs}}}
// outputs after an evaluation with the clock low
void vl_low(void* p, uint64_t* out) {{
  auto* m = static_cast<V{top}*>(p);
  m->clk = 0;
  m->eval();
{outputs}}}
void vl_edge(void* p) {{
  auto* m = static_cast<V{top}*>(p);
  m->clk = 1;
  m->eval();
{again}}}
}}
{waveform}"
    )
}
