//! Random expressions and statements through the emitter and Verilator, against plain integer arithmetic.
//!
//! Each round builds one block of 192 outputs and 8 locals from a seed, with nested conditions, loops and reassigned
//! locals, and compares every output for random and corner inputs. There must be no mismatch.

use crate::term::{Grower, Term, Type};
use hpcc_rtl::prim::uint::{mask, U};
use hpcc_rtl::prim::wide::W;
use hpcc_rtl::sim::Stimulus;
use hpcc_testbench::verilated::{sources, Model};
use rust_hdl::core::ast::*;
use rust_hdl::prelude::*;

/// The block under test; its description is made at run time.
#[derive(LogicBlock, Default)]
struct Fuzz {
    clock: Signal<In, Clock>,
    x1: Signal<In, Bit>,
    x2: Signal<In, Bit>,
    u1: Signal<In, U<1>>,
    u3: Signal<In, U<3>>,
    u8: Signal<In, U<8>>,
    u13: Signal<In, U<13>>,
    u16: Signal<In, U<16>>,
    u17: Signal<In, U<17>>,
    u32: Signal<In, U<32>>,
    u33: Signal<In, U<33>>,
    u63: Signal<In, U<63>>,
    u64: Signal<In, U<64>>,
    w70: Signal<In, W<70, 2>>,
    w100: Signal<In, W<100, 2>>,
    w127: Signal<In, W<127, 2>>,
    o1: [Signal<Out, Bit>; 32],
    o5: [Signal<Out, U<5>>; 32],
    o16: [Signal<Out, U<16>>; 32],
    o33: [Signal<Out, U<33>>; 32],
    o64: [Signal<Out, U<64>>; 32],
    o100: [Signal<Out, W<100, 2>>; 32],
    t: [Signal<Local, U<16>>; 8],
    _code: Vec<VerilogStatement>,
}

impl Logic for Fuzz {
    fn update(&mut self) {}
    fn connect(&mut self) {
        for i in 0..32 {
            self.o1[i].connect();
            self.o5[i].connect();
            self.o16[i].connect();
            self.o33[i].connect();
            self.o64[i].connect();
            self.o100[i].connect();
        }
        self.t.iter_mut().for_each(|t| t.connect());
    }
    fn hdl(&self) -> Verilog {
        Verilog::Combinatorial(self._code.clone())
    }
}

const INPUTS: &[(&str, Type)] = &[
    ("x1", Type::Bool),
    ("x2", Type::Bool),
    ("u1", Type::U(1)),
    ("u3", Type::U(3)),
    ("u8", Type::U(8)),
    ("u13", Type::U(13)),
    ("u16", Type::U(16)),
    ("u17", Type::U(17)),
    ("u32", Type::U(32)),
    ("u33", Type::U(33)),
    ("u63", Type::U(63)),
    ("u64", Type::U(64)),
    ("w70", Type::W(70)),
    ("w100", Type::W(100)),
    ("w127", Type::W(127)),
];
const OUTPUTS: &[(&str, Type)] = &[
    ("o1", Type::Bool),
    ("o5", Type::U(5)),
    ("o16", Type::U(16)),
    ("o33", Type::U(33)),
    ("o64", Type::U(64)),
    ("o100", Type::W(100)),
];
const LOCALS: usize = 8;
const DEPTH: u32 = 5;

/// Places of the values: inputs, then locals, then outputs.
fn local_place(i: usize) -> usize {
    INPUTS.len() + i
}
fn output_place(kind: usize, i: usize) -> usize {
    INPUTS.len() + LOCALS + 32 * kind + i
}

#[derive(Debug)]
enum Step {
    Set(String, usize, Term),
    If(Vec<(Option<Term>, Vec<Step>)>),
    Loop(u64, Vec<Step>),
}

fn execute(steps: &[Step], values: &mut [u128], turn: u64) {
    for step in steps {
        match step {
            Step::Set(_, place, term) => values[*place] = term.value(values, turn),
            Step::If(arms) => {
                let taken =
                    |arm: &&(Option<Term>, Vec<Step>)| arm.0.as_ref().is_none_or(|c| c.value(values, turn) == 1);
                if let Some((_, body)) = arms.iter().find(taken) {
                    execute(body, values, turn);
                }
            }
            Step::Loop(turns, body) => (0..*turns).for_each(|turn| execute(body, values, turn)),
        }
    }
}

fn block(steps: &[Step]) -> Vec<VerilogStatement> {
    steps.iter().map(statement).collect()
}

fn statement(step: &Step) -> VerilogStatement {
    match step {
        Step::Set(name, _, term) => {
            VerilogStatement::Assignment(VerilogExpression::Signal(format!("{name}$next")), term.tree())
        }
        Step::Loop(turns, body) => VerilogStatement::Loop(VerilogLoop {
            index: "i".into(),
            from: 0u64.into(),
            to: (*turns).into(),
            block: block(body),
        }),
        Step::If(arms) => conditional(arms),
    }
}

fn conditional(arms: &[(Option<Term>, Vec<Step>)]) -> VerilogStatement {
    let (condition, body) = &arms[0];
    let otherwise = match arms.get(1) {
        None => VerilogBlockOrConditional::None,
        Some((None, last)) => VerilogBlockOrConditional::Block(block(last)),
        Some(_) => VerilogBlockOrConditional::Conditional(Box::new(conditional(&arms[1..]))),
    };
    let test = condition.as_ref().expect("only the last arm has no condition").tree();
    VerilogStatement::If(VerilogConditional {
        test,
        then: block(body),
        otherwise,
    })
}

/// A random description: locals, then every output, each with a default and some conditions.
fn describe(stimulus: &mut Stimulus) -> Vec<Step> {
    let signals = INPUTS
        .iter()
        .enumerate()
        .map(|(i, (name, ty))| (name.to_string(), i, *ty))
        .collect();
    let mut grower = Grower {
        stimulus,
        signals,
        in_loop: false,
    };
    let mut steps = vec![];
    for i in 0..LOCALS {
        let name = format!("t[{i}]");
        settle(&mut grower, &name, local_place(i), Type::U(16), &mut steps);
        grower.signals.push((name, local_place(i), Type::U(16)));
    }
    for i in 0..32 {
        for (kind, (name, ty)) in OUTPUTS.iter().enumerate() {
            settle(
                &mut grower,
                &format!("{name}[{i}]"),
                output_place(kind, i),
                *ty,
                &mut steps,
            );
        }
        if i % 8 == 0 {
            // a local changes between two groups of outputs
            let term = grower.grow(Type::U(16), 3);
            steps.push(Step::Set("t[3]".into(), local_place(3), term));
        }
    }
    steps
}

fn settle(grower: &mut Grower, name: &str, place: usize, ty: Type, steps: &mut Vec<Step>) {
    let set = |grower: &mut Grower, depth: u32| Step::Set(name.into(), place, grower.grow(ty, depth));
    steps.push(set(grower, DEPTH));
    match grower.stimulus.below(4) {
        0 => {
            let mut arms = vec![];
            for _ in 0..=grower.stimulus.below(3) {
                arms.push((Some(grower.grow(Type::Bool, 3)), vec![set(grower, 3)]));
            }
            if grower.stimulus.chance(0.5) {
                arms.push((None, vec![set(grower, 3)]));
            }
            steps.push(Step::If(arms));
        }
        1 => {
            grower.in_loop = true;
            let condition = grower.grow(Type::Bool, 2);
            let body = vec![Step::If(vec![(Some(condition), vec![set(grower, 3)])])];
            grower.in_loop = false;
            steps.push(Step::Loop(1 + grower.stimulus.below(4), body));
        }
        _ => {}
    }
}

/// One block, many inputs.
fn round(seed: u64, vectors: u64) {
    let mut stimulus = Stimulus::new(seed);
    let steps = describe(&mut stimulus);
    let mut fuzz: Box<Fuzz> = Box::default();
    fuzz._code = block(&steps);
    let top = format!("fuzz_{seed}");
    let mut sources = sources(&top, fuzz.as_mut()).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    sources.optimise = 0;
    let mut model = Model::new(&sources).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    let ports = model.ports().to_vec();
    for vector in 0..vectors {
        let mut values = vec![0u128; output_place(OUTPUTS.len(), 0)];
        for (place, (name, ty)) in INPUTS.iter().enumerate() {
            let port = ports.iter().find(|port| port.name == *name).expect("input");
            for limb in 0..port.limbs() {
                let bits = (ty.width() - 64 * limb).min(64);
                let value = stimulus.corner(bits) & mask(bits);
                model.inputs[port.limb + limb] = value;
                values[place] |= (value as u128) << (64 * limb);
            }
        }
        execute(&steps, &mut values, 0);
        model.step();
        for (kind, (name, _)) in OUTPUTS.iter().enumerate() {
            for i in 0..32 {
                let port = ports
                    .iter()
                    .find(|port| port.name == format!("{name}_{i}"))
                    .expect("output");
                let limb = |n: usize| {
                    if n < port.limbs() {
                        model.outputs[port.limb + n] as u128
                    } else {
                        0
                    }
                };
                let (got, expected) = (limb(0) | limb(1) << 64, values[output_place(kind, i)]);
                if got != expected {
                    let target = format!("{name}[{i}]");
                    let about = steps
                        .iter()
                        .filter(|step| format!("{step:?}").contains(&format!("Set(\"{target}\"")));
                    let lines = sources.files[0]
                        .1
                        .lines()
                        .filter(|line| line.contains(&format!("{name}_{i} = ")));
                    panic!(
                        "seed {seed}, vector {vector}: {target} expected {expected:x}, Verilog {got:x}\ninputs {:x?}\n{}\n{}",
                        &values[..INPUTS.len() + LOCALS],
                        lines.collect::<Vec<_>>().join("\n"),
                        about.map(|step| format!("{step:?}\n")).collect::<String>(),
                    );
                }
            }
        }
    }
}

/// Six blocks; more with `HPCC_FUZZ_ROUNDS=200`.
#[test]
fn random_descriptions_mean_the_same_in_verilog() {
    let rounds = std::env::var("HPCC_FUZZ_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(6);
    for seed in 1..=rounds {
        round(seed, 400);
    }
}
