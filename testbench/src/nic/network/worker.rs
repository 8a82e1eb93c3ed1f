//! A thread with its NICs: it makes them, runs them step by step, and looks at their memory at the end.

use super::hosts::HostPlan;
use crate::nic::{Device, DeviceError};
use hpcc_models::nic::{Completion, WorkRequest};
use hpcc_models::wire::TimedFrame;
use hpcc_sim::plan::provenance::Stopwatch;
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Mutex, PoisonError};

/// What a NIC hears.
pub(super) enum Input {
    /// A frame, whole.
    Frame(Vec<u8>),
    /// A work request.
    Work(WorkRequest),
    /// Paused priorities.
    Pause(u8),
    /// Level of the host's flows, bits per second of wire bytes.
    Level(u64),
}

/// What to do next.
pub(super) enum Command {
    /// Run up to and including `until_ns`, hearing the inputs (earliest first) of each NIC.
    Step {
        /// End of the step, ns since the start.
        until_ns: u64,
        /// Inputs by time, for each NIC of this worker.
        inputs: Vec<Vec<(u64, Input)>>,
    },
    /// Look at everything; `done` says which flows ended well.
    End {
        /// By flow number.
        done: Vec<bool>,
    },
}

/// What a NIC did in a step.
#[derive(Default)]
pub(super) struct Output {
    /// Frames; times are ns since the start.
    pub frames: Vec<TimedFrame>,
    /// Completions; times likewise.
    pub completions: Vec<Completion>,
}

/// What is left of a NIC.
pub(super) struct Remains {
    /// Counters by name.
    pub counters: Vec<(&'static str, u64)>,
    /// Where its memory is wrong.
    pub damage: Option<String>,
}

/// What a worker says, for each of its NICs.
pub(super) enum Answer {
    /// After a step; also once when all NICs are there.
    Step(Vec<Output>),
    /// At the end; with the processor time of this thread, seconds.
    End(Vec<Remains>, Option<f64>),
}

/// A NIC whose clock shows `offset` ns at the start of the run.
struct Host<D> {
    device: D,
    offset: u64,
}

impl<D: Device> Host<D> {
    fn step(&mut self, until_ns: u64, inputs: Vec<(u64, Input)>) -> Result<Output, DeviceError> {
        for (at, input) in inputs {
            let at = at + self.offset;
            match input {
                Input::Frame(frame) => self.device.offer(at, frame),
                Input::Work(work) => {
                    self.device.advance(at)?;
                    self.device.post(work);
                }
                Input::Pause(priorities) => {
                    self.device.advance(at)?;
                    self.device.set_pause(priorities);
                }
                Input::Level(rate_bps) => {
                    self.device.advance(at)?;
                    self.device.set_level(0, Some(rate_bps as f64))?;
                }
            }
        }
        self.device.advance(until_ns + self.offset)?;
        let mut frames = self.device.take_sent();
        let mut completions = self.device.take_completions();
        let times = frames.iter_mut().map(|frame| &mut frame.t_ns);
        for t_ns in times.chain(completions.iter_mut().map(|completion| &mut completion.t_ns)) {
            *t_ns = t_ns.saturating_sub(self.offset);
        }
        Ok(Output { frames, completions })
    }
}

/// Works until the commands end. `making` is held while NICs are made: the first of a kind may have to be built.
pub(super) fn work<D: Device>(
    plans: &[HostPlan],
    making: &Mutex<()>,
    commands: Receiver<Command>,
    answers: Sender<Result<Answer, DeviceError>>,
) {
    let watch = Stopwatch::start();
    let made = {
        let _turn = making.lock().unwrap_or_else(PoisonError::into_inner);
        make::<D>(plans)
    };
    let mut hosts = match made {
        Ok(hosts) => hosts,
        Err(error) => return drop(answers.send(Err(error))),
    };
    let ready = plans.iter().map(|_| Output::default()).collect();
    if answers.send(Ok(Answer::Step(ready))).is_err() {
        return;
    }
    for command in commands {
        let answer = match command {
            Command::Step { until_ns, inputs } => {
                let steps = hosts
                    .iter_mut()
                    .zip(inputs)
                    .map(|(host, inputs)| host.step(until_ns, inputs));
                steps.collect::<Result<_, _>>().map(Answer::Step)
            }
            Command::End { done } => {
                let remains = hosts.iter_mut().zip(plans).map(|(host, plan)| {
                    Ok(Remains {
                        counters: host.device.counters()?,
                        damage: plan.damage(host.device.memory(HostPlan::TARGET), &done),
                    })
                });
                remains
                    .collect::<Result<_, _>>()
                    .map(|all| Answer::End(all, watch.cpu_s()))
            }
        };
        if answers.send(answer).is_err() {
            return;
        }
    }
}

fn make<D: Device>(plans: &[HostPlan]) -> Result<Vec<Host<D>>, DeviceError> {
    let hosts = plans.iter().map(|plan| {
        let device = D::create(&plan.setup)?;
        let offset = device.now_ns();
        Ok(Host { device, offset })
    });
    hosts.collect()
}
