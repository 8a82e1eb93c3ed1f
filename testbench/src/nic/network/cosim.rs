//! Network and NICs in steps of the shortest host link.

use super::formats::Wire;
use super::hosts::Plan;
use super::observe::Observer;
use super::telemetry;
use super::worker::{work, Answer, Command, Input, Output, Remains};
use crate::nic::{Device, DeviceError};
use hpcc_models::net::frames::Sent;
use hpcc_models::net::{Delivered, Delivery, Simulator};
use hpcc_models::nic::Status;
use hpcc_models::wire::{mark_congestion, Opcode};
use hpcc_sim::plan::provenance::Stopwatch;
use hpcc_sim::plan::Fidelity;
use hpcc_sim::plan::Finding;
use hpcc_sim::plan::{Job, Run};
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::sync::Mutex;

const PS_PER_NS: u64 = 1000;
/// Steps are shorter than the lookahead by this, ns, or by half of it: a clocked NIC ends a step up to a clock before the network does, and
/// hands a frame over with its last beat, which may come late where beats stall.
const SLACK_NS: u64 = 100;

/// The threads that run the NICs, as seen from the network. Hosts are dealt out in runs of `share`.
struct Workers {
    commands: Vec<Sender<Command>>,
    answers: Vec<Receiver<Result<Answer, DeviceError>>>,
    share: usize,
}

impl Workers {
    fn ask(&self, worker: usize, command: Command) -> Result<(), String> {
        self.commands[worker].send(command).map_err(|_| GONE.to_owned())
    }

    fn answer(&self, worker: usize) -> Result<Answer, String> {
        let answer = self.answers[worker].recv().map_err(|_| GONE.to_owned())?;
        answer.map_err(|error| error.to_string())
    }

    /// Outputs of all hosts in order.
    fn outputs(&self) -> Result<Vec<Output>, String> {
        let mut all = Vec::new();
        for worker in 0..self.answers.len() {
            match self.answer(worker)? {
                Answer::Step(outputs) => all.extend(outputs),
                Answer::End(..) => return Err(GONE.to_owned()),
            }
        }
        Ok(all)
    }

    fn step(&self, until_ns: u64, mut inputs: Vec<Vec<(u64, Input)>>) -> Result<Vec<Output>, String> {
        for worker in 0..self.commands.len() {
            let rest = inputs.split_off(self.share.min(inputs.len()));
            let inputs = std::mem::replace(&mut inputs, rest);
            self.ask(worker, Command::Step { until_ns, inputs })?;
        }
        self.outputs()
    }

    /// What is left of every NIC, and the processor time of all threads, seconds.
    fn end(&self, done: &[bool]) -> Result<(Vec<Remains>, Option<f64>), String> {
        let mut all = Vec::new();
        let mut cpu_s = Some(0.0);
        for worker in 0..self.commands.len() {
            self.ask(worker, Command::End { done: done.to_vec() })?;
            if let Answer::End(remains, own) = self.answer(worker)? {
                all.extend(remains);
                cpu_s = cpu_s.zip(own).map(|(sum, own)| sum + own);
            }
        }
        Ok((all, cpu_s))
    }
}

const GONE: &str = "a NIC's thread ended abnormally";

/// Runs a job on NICs of one kind.
pub(super) fn run<D: Device>(job: &Job, bar: &ProgressBar) -> Result<Run, String> {
    let started = Stopwatch::start();
    let mut slot = |p: &_| job.law.slot(p, Fidelity::Golden);
    let sim = Simulator::new(
        &job.topology,
        job.flows.clone(),
        job.config.clone(),
        job.plan.clone(),
        &mut slot,
    );
    let mut sim = sim.map_err(|error| error.to_string())?;
    sim.hosts_outside();
    if let Some(hcc) = &job.hcc {
        sim.add_hcc(hcc.config.clone(), &hcc.pairs)
            .map_err(|error| error.to_string())?;
    }
    job.link_changes.iter().for_each(|&change| sim.add_link_change(change));
    let plan = Plan::new(job, &sim)?;
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = plan.hosts.len().div_ceil(cores).max(1);
    let making = Mutex::new(());
    std::thread::scope(|scope| {
        let mut workers = Workers {
            commands: Vec::new(),
            answers: Vec::new(),
            share,
        };
        for hosts in plan.hosts.chunks(share) {
            let (command, commands) = channel();
            let (answer, answers) = channel();
            let making = &making;
            scope.spawn(move || work::<D>(hosts, making, commands, answer));
            workers.commands.push(command);
            workers.answers.push(answers);
        }
        workers.outputs()?;
        let mut cosim = Cosim::new(job, &plan, sim);
        cosim.go(&workers, bar)?;
        let (remains, workers_s) = workers.end(&cosim.done)?;
        let cpu_s = workers_s.zip(started.cpu_s()).map(|(a, b)| a + b);
        Ok(cosim.finish(&remains, started.wall_s(), cpu_s))
    })
}

struct Cosim<'a> {
    job: &'a Job,
    plan: &'a Plan,
    sim: Simulator,
    /// Start of the NICs' time, ps.
    origin_ps: u64,
    /// Length of a step, ns.
    step_ns: u64,
    /// NIC by node.
    index: BTreeMap<u32, usize>,
    /// Flows in order of start.
    order: Vec<usize>,
    posted: usize,
    in_flight: BTreeMap<u64, (Vec<u8>, Sent)>,
    next_tag: u64,
    observer: Observer,
    completed: usize,
    /// Flows that ended well.
    done: Vec<bool>,
    wire: Wire,
    /// Frames that NICs sent, by opcode.
    sent: BTreeMap<Opcode, u64>,
}

impl<'a> Cosim<'a> {
    fn new(job: &'a Job, plan: &'a Plan, sim: Simulator) -> Self {
        let first = job.flows.iter().map(|flow| flow.start_ps).min().unwrap_or(0);
        let origin_ps = first / PS_PER_NS * PS_PER_NS;
        let host_links = job.topology.links.iter().filter(|link| {
            let switch = |node: u32| job.topology.is_switch[node as usize];
            !switch(link.a) || !switch(link.b)
        });
        let lookahead_ns = host_links.map(|link| link.delay_ps).min().unwrap_or(PS_PER_NS) / PS_PER_NS;
        let mut order: Vec<usize> = (0..job.flows.len()).collect();
        order.sort_by_key(|&flow| job.flows[flow].start_ps);
        Self {
            job,
            plan,
            sim,
            origin_ps,
            step_ns: (lookahead_ns - SLACK_NS.min(lookahead_ns / 2)).max(1),
            index: plan.hosts.iter().map(|host| host.node).zip(0..).collect(),
            order,
            posted: 0,
            in_flight: BTreeMap::new(),
            next_tag: 0,
            observer: Observer::new(job, plan, origin_ps),
            completed: 0,
            done: vec![false; job.flows.len()],
            wire: Wire::new(telemetry::format_of(job).unwrap_or_default(), job.config.int_multi),
            sent: BTreeMap::new(),
        }
    }

    /// Steps until every work request has a completion, or to the end of the run.
    fn go(&mut self, workers: &Workers, bar: &ProgressBar) -> Result<(), String> {
        let stop_ns = self.job.stop_ps.saturating_sub(self.origin_ps) / PS_PER_NS;
        let mut now_ns = 0;
        while now_ns < stop_ns && self.completed < self.job.flows.len() {
            let point_ns = self.observer.due_ps().saturating_sub(self.origin_ps) / PS_PER_NS;
            now_ns = (now_ns + self.step_ns).min(stop_ns).min(point_ns.max(now_ns + 1));
            let now_ps = self.origin_ps + now_ns * PS_PER_NS;
            self.sim.run_until(now_ps);
            let inputs = self.inputs(now_ns)?;
            let outputs = workers.step(now_ns, inputs)?;
            self.take(outputs)?;
            let (flows, done) = (&self.job.flows, &self.done);
            let running = |flow: usize| flows[flow].start_ps < now_ps && !done[flow];
            self.observer.tick(now_ps, self.job.plan.flow_series, running);
            bar.set_position(now_ns / 1000);
            bar.set_message(format!("{} flows left", self.job.flows.len() - self.completed));
        }
        Ok(())
    }

    /// What each NIC hears up to `until_ns`.
    fn inputs(&mut self, until_ns: u64) -> Result<Vec<Vec<(u64, Input)>>, String> {
        let mut inputs: Vec<Vec<(u64, Input)>> = self.plan.hosts.iter().map(|_| Vec::new()).collect();
        for delivered in self.sim.take_delivered() {
            let at = delivered.time_ps.saturating_sub(self.origin_ps).div_ceil(PS_PER_NS);
            let input = self.delivery(&delivered)?;
            if let (Some(input), Some(&host)) = (input, self.index.get(&delivered.node)) {
                inputs[host].push((at, input));
            }
        }
        for level in self.sim.take_levels() {
            let at = level.time_ps.saturating_sub(self.origin_ps).div_ceil(PS_PER_NS);
            if let Some(&host) = self.index.get(&level.node) {
                inputs[host].push((at, Input::Level(level.rate_bps)));
            }
        }
        while let Some(&flow) = self.order.get(self.posted) {
            let spec = &self.job.flows[flow];
            let at = (spec.start_ps - self.origin_ps).div_ceil(PS_PER_NS);
            if at > until_ns {
                break;
            }
            self.posted += 1;
            if let Some(&host) = self.index.get(&spec.src) {
                inputs[host].push((at, Input::Work(self.plan.flows[flow].work)));
            }
        }
        inputs.iter_mut().for_each(|own| own.sort_by_key(|(at, _)| *at));
        Ok(inputs)
    }

    /// The frame of a packet, with what the packet collected; or what a pause means.
    fn delivery(&mut self, delivered: &Delivered) -> Result<Option<Input>, String> {
        Ok(match delivered.what {
            Delivery::Frame {
                tag,
                n_hop,
                path_id,
                hops,
                ecn,
            } => {
                let Some((mut frame, sent)) = self.in_flight.remove(&tag) else {
                    return Err(format!("packet {tag}: delivered twice or never sent"));
                };
                self.wire.write_int(&mut frame, n_hop, path_id, &hops);
                if ecn {
                    mark_congestion(&mut frame);
                }
                self.observer.arrived(&sent);
                Some(Input::Frame(frame))
            }
            Delivery::Lost { tag } => {
                self.in_flight.remove(&tag);
                None
            }
            Delivery::Pause => Some(Input::Pause(self.plan.paused)),
            Delivery::Resume => Some(Input::Pause(0)),
        })
    }

    /// Frames of all NICs into the network by time, completions into the records.
    fn take(&mut self, outputs: Vec<Output>) -> Result<(), String> {
        let mut frames = Vec::new();
        for (host, output) in outputs.into_iter().enumerate() {
            let node = self.plan.hosts[host].node;
            frames.extend(output.frames.into_iter().map(|frame| (frame.t_ns, node, frame.bytes)));
            for completion in output.completions {
                self.completed += 1;
                let flow = completion.work as usize;
                if completion.status == Status::Ok && flow < self.done.len() {
                    self.done[flow] = true;
                    self.sim.complete(flow, self.origin_ps + completion.t_ns * PS_PER_NS);
                }
            }
        }
        frames.sort_by_key(|(t_ns, node, _)| (*t_ns, *node));
        for (t_ns, node, frame) in frames {
            let tag = self.next_tag;
            self.next_tag += 1;
            let (sent, opcode) = self
                .wire
                .read(&frame, tag)
                .map_err(|error| format!("host {node}: frame sent at {t_ns} ns: {error}"))?;
            *self.sent.entry(opcode).or_default() += 1;
            self.observer.sent(&sent);
            self.in_flight.insert(tag, (frame, sent));
            let at_ps = self.origin_ps + t_ns * PS_PER_NS;
            let injected = self.sim.inject(node, at_ps, sent.external);
            injected.map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn finish(self, remains: &[Remains], wall_s: f64, cpu_s: Option<f64>) -> Run {
        let checks = self.checks(remains);
        let sent = self.sent;
        let (points, payload) = self.observer.finish();
        let mut outcome = self.sim.finish();
        outcome.samples.flows = points;
        for (record, (flow, sent)) in outcome.records.iter_mut().zip(self.job.flows.iter().zip(payload)) {
            record.retransmitted_bytes = sent.saturating_sub(flow.bytes);
        }
        outcome.counters.timeouts = counter(remains, "timeouts");
        outcome.counters.naks = counter(remains, "naks_sent");
        let frames = |opcodes: &[Opcode]| opcodes.iter().filter_map(|opcode| sent.get(opcode)).sum::<u64>();
        let counters = &mut outcome.counters;
        counters.acks_sent = frames(&[Opcode::Acknowledge]);
        counters.probes = frames(&[Opcode::Probe]);
        // to the network a probe is a data packet of its flow
        counters.data_packets -= counters.probes;
        let stacks = frames(&[Opcode::ProbeResponse]);
        let notified = frames(&[Opcode::Notification, Opcode::NotificationAck]);
        (counters.responses, counters.notifications) = match self.job.config.probes {
            Some(_) => (stacks, notified),
            None => (0, stacks + notified),
        };
        counters.probe_stray = counter(remains, "probe_stray");
        counters.notify_stale = counter(remains, "notify_stale");
        counters.notify_missing = counter(remains, "notify_missing");
        Run {
            job: self.job.clone(),
            outcome,
            wall_s,
            cpu_s,
            checks,
        }
    }

    fn checks(&self, remains: &[Remains]) -> Vec<Finding> {
        let damage = remains.iter().find_map(|host| host.damage.as_deref());
        let memory = damage.unwrap_or("identical, byte for byte").to_owned();
        let ok = self.done.iter().filter(|done| **done).count();
        let (flows, errors) = (self.job.flows.len(), self.completed - ok);
        let completions = format!(
            "{} of {flows} work requests completed, {errors} with an error",
            self.completed
        );
        let mut dropped = BTreeMap::<&str, u64>::new();
        for (name, value) in remains.iter().flat_map(|host| &host.counters) {
            if name.starts_with("drop_") && *value > 0 {
                *dropped.entry(name).or_default() += value;
            }
        }
        let names: Vec<String> = dropped.iter().map(|(name, count)| format!("{name} {count}")).collect();
        let text = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        vec![
            Finding::new("memory", "", memory, damage.is_none()),
            Finding::new("completions", "", completions, errors == 0),
            Finding::new("frames_dropped_by_nics", "", text, dropped.is_empty()),
        ]
    }
}

fn counter(remains: &[Remains], name: &str) -> u64 {
    let all = remains.iter().flat_map(|host| &host.counters);
    all.filter(|(own, _)| *own == name).map(|(_, value)| value).sum()
}
