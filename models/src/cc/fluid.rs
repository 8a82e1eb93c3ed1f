//! The single-bottleneck fluid model of the PowerTCP paper (section 2): what a window law does to a queue, without packets.
//!
//! Time in base round-trip times `tau`, windows and queues in bandwidth-delay products `b tau`: in these units `b` and `tau` are 1. The window
//! is the sum of all flows'. Equation (3) with `delta t = tau`: `dw/dt = gamma (w e/f - w + beta)`; equation (4) without feedback delay:
//! `dq/dt = w / theta - mu` while a queue stands or grows, with `theta = q + 1` and `mu` 1 while the link is busy.

/// What a law measures, and so `f / e` of equation (2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feedback {
    /// Queue length or delay (HPCC, Swift): the voltage `q + 1`, in these units both the same.
    Voltage,
    /// Gradient of the round-trip time (TIMELY): the current `1 + dq/dt`.
    Current,
    /// Both multiplied (PowerTCP; theta-PowerTCP measures the same by the round-trip time and its gradient).
    Power,
}

impl Feedback {
    /// `f / e`: what the window is divided by, for a queue, its growth and what the link sends.
    pub fn factor(self, queue: f64, growth: f64, sent: f64) -> f64 {
        let (voltage, current) = (queue + 1.0, growth + sent);
        match self {
            Self::Voltage => voltage,
            // The gradient of the round-trip time knows the queue's growth alone and takes the link as busy.
            Self::Current => growth + 1.0,
            Self::Power => voltage * current,
        }
    }
}

/// A law on the link.
#[derive(Clone, Copy, Debug)]
pub struct Fluid {
    /// What it measures.
    pub feedback: Feedback,
    /// Weight of an update, above 0 and at most 1.
    pub gamma: f64,
    /// Additive increase of all flows together, bandwidth-delay products.
    pub beta: f64,
}

/// Window and queue, bandwidth-delay products.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Sum of the windows.
    pub window: f64,
    /// Bytes queued.
    pub queue: f64,
}

impl Fluid {
    /// Equations (3) and (4) at a point: change of window and queue per `tau`.
    pub fn flow(&self, at: Point) -> Point {
        let arriving = at.window / (at.queue + 1.0);
        let busy = at.queue > 0.0 || arriving > 1.0;
        let growth = if busy { arriving - 1.0 } else { 0.0 };
        let sent = if busy { 1.0 } else { arriving };
        let factor = self.feedback.factor(at.queue, growth, sent);
        Point {
            window: self.gamma * (at.window / factor - at.window + self.beta),
            queue: growth,
        }
    }

    /// The way from a start, one point each `step` (a part of `tau`), `steps` of them after the start. Midpoint rule; a queue ends at 0.
    pub fn trajectory(&self, start: Point, step: f64, steps: usize) -> Vec<Point> {
        let moved = |p: Point, d: Point, by: f64| Point {
            window: p.window + d.window * by,
            queue: (p.queue + d.queue * by).max(0.0),
        };
        let mut points = vec![start];
        let mut at = start;
        for _ in 0..steps {
            let half = moved(at, self.flow(at), step / 2.0);
            at = moved(at, self.flow(half), step);
            points.push(at);
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::hpcc::{Hpcc, HpccParams};
    use crate::cc::powertcp::{PowerLaw, PowerParams, Signal};
    use crate::cc::{CcEvent, CongestionControl, HopRecord};
    use crate::wire::MASK_24;

    const BETA: f64 = 0.02;

    fn fluid(feedback: Feedback) -> Fluid {
        Fluid {
            feedback,
            gamma: 0.9,
            beta: BETA,
        }
    }

    /// Power is bandwidth times window (Property 1), so the window goes to `1 + beta` as `e^(-gamma t)` from everywhere, and the queue to beta.
    #[test]
    fn power_moves_the_window_exponentially() {
        for (window, queue) in [(0.5, 0.0), (1.0, 2.0), (4.0, 3.0), (3.0, 0.0)] {
            let way = fluid(Feedback::Power).trajectory(Point { window, queue }, 0.001, 5_000);
            let target = 1.0 + BETA;
            for (i, point) in way.iter().enumerate() {
                let t = i as f64 * 0.001;
                // Below the bandwidth-delay product with an empty queue the link is idle: current is the window, power its square's root.
                if way[..=i].iter().all(|p| p.queue > 0.0) {
                    let want = target + (window - target) * (-0.9 * t).exp();
                    assert!(
                        (point.window - want).abs() < 1e-4,
                        "from {window}, {queue} at {t}: {point:?}"
                    );
                }
            }
        }
    }

    /// Appendix C: a voltage has one equilibrium with a queue of about beta; every point `w = q + 1` is one for a current without beta.
    #[test]
    fn equilibria() {
        let ends = |feedback| {
            [0.2, 1.0, 3.0].map(|queue| {
                let start = Point {
                    window: 1.0 + queue,
                    queue,
                };
                fluid(feedback).trajectory(start, 0.01, 5_000)[5_000]
            })
        };
        for end in ends(Feedback::Voltage).into_iter().chain(ends(Feedback::Power)) {
            assert!(
                (end.window - 1.0 - BETA).abs() < 0.01 && (end.queue - BETA).abs() < 0.01,
                "{end:?}"
            );
        }
        let still = Fluid {
            beta: 0.0,
            ..fluid(Feedback::Current)
        };
        for queue in [0.2, 1.0, 3.0] {
            let at = still.flow(Point {
                window: 1.0 + queue,
                queue,
            });
            assert!(at.window.abs() < 1e-12 && at.queue.abs() < 1e-12);
        }
    }

    /// One step of the golden laws is the fluid's: PowerTCP's window at a power, and HPCC's multiplicative step (gamma 1) at a standing queue.
    #[test]
    fn the_laws_move_as_the_fluid_does() {
        let (line, tau) = (100_000_000_000u64, 20_000u32);
        let bdp = line as f64 * f64::from(tau) / 8e9;
        let mut params = PowerParams::paper(Signal::Int, line, tau);
        params.w_init = 10.0 * bdp;
        let law = PowerLaw::beyond_hardware(params.clone()).unwrap();
        // The law takes its beta from the largest window.
        let beta = params.w_init / 100.0;
        let (window, queue) = (2.0, 0.5);
        let own = Fluid {
            feedback: Feedback::Power,
            gamma: params.gamma,
            beta: beta / bdp,
        };
        let at = Point { window, queue };
        let change = own.flow(at);
        let power = Feedback::Power.factor(queue, change.queue, 1.0);
        let next = law.window(power, window * bdp, window * bdp) / bdp;
        assert!((next - window - change.window).abs() < 1e-9, "{next} {change:?}");

        let mut params = HpccParams::new(line, tau);
        (params.eta, params.w_ai, params.max_stage) = (1.0, 0.0, 0);
        let mut law = Hpcc::<f64>::new(params).unwrap();
        law.create(0, 1);
        // A queue of half a bandwidth-delay product on a busy link, for long enough that the average has forgotten the start.
        let q_len = (0.5 * bdp / 80.0) as u16;
        let event = |i: u32| {
            let mut event = CcEvent {
                generation: 1,
                psn_next: i,
                snd_nxt: i + 100,
                int_valid: true,
                n_hop: 1,
                now: u64::from(i) * u64::from(tau),
                ..CcEvent::default()
            };
            let tx = (f64::from(i) * bdp / 128.0) as u32 & 0xf_ffff;
            event.hops[0] = HopRecord {
                speed: 5,
                ts: (i * tau) & MASK_24,
                tx_bytes: tx,
                q_len,
            };
            event
        };
        let seen: Vec<f64> = (1..=3)
            .map(|i| {
                law.handle(&event(i));
                law.state(0).unwrap().u
            })
            .collect();
        let want = Feedback::Voltage.factor(0.5, 0.0, 1.0);
        assert!((seen[2] - want).abs() < 1e-3, "{seen:?} {want}");
    }
}
