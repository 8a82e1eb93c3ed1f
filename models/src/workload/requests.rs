//! Requests of a distributed file system (PowerTCP paper, section 4.1): a server asks servers of another rack for parts of a file, all of which
//! answer at once.

use rand::Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::arrivals::{times, ArrivalError, MOST_FLOWS};
use crate::net::FlowSpec;

/// Requests between racks.
pub struct Requests<'a> {
    /// Hosts (node numbers) of each rack.
    pub racks: &'a [Vec<u32>],
    /// Requests that one host makes in a second, on average (a Poisson process).
    pub per_second: f64,
    /// Servers asked by one request.
    pub servers: usize,
    /// The file, bytes: each server sends its share, rounded up.
    pub bytes: u64,
    /// First request not before, ps.
    pub start_ps: u64,
    /// Last request before, ps.
    pub end_ps: u64,
}

/// The answers, in order of start. A request's servers are drawn one by one from one rack other than its own, so that one of them may be drawn
/// twice, as the authors' driver draws them; its way to them takes no time.
pub fn requests(plan: &Requests, seed: u64) -> Result<Vec<FlowSpec>, ArrivalError> {
    let racks: Vec<&Vec<u32>> = plan.racks.iter().filter(|r| !r.is_empty()).collect();
    if racks.len() < 2 {
        return Err(ArrivalError::Racks(racks.len()));
    }
    if !(plan.per_second > 0.0 && plan.per_second.is_finite()) {
        return Err(ArrivalError::Requests(plan.per_second));
    }
    if plan.servers == 0 {
        return Err(ArrivalError::Hosts { needed: 1, got: 0 });
    }
    let clients: Vec<(usize, u32)> = (0..racks.len())
        .flat_map(|rack| racks[rack].iter().map(move |&host| (rack, host)))
        .collect();
    let per_ps = plan.per_second * clients.len() as f64 / 1e12;
    let flows = per_ps * plan.end_ps.saturating_sub(plan.start_ps) as f64 * plan.servers as f64;
    if flows > MOST_FLOWS {
        return Err(ArrivalError::Flows(flows));
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut out = Vec::new();
    for start_ps in times(&mut rng, per_ps, plan.start_ps, plan.end_ps) {
        let (own, dst) = clients[rng.random_range(0..clients.len())];
        let other = racks[(own + rng.random_range(1..racks.len())) % racks.len()];
        for _ in 0..plan.servers {
            out.push(FlowSpec {
                src: other[rng.random_range(0..other.len())],
                dst,
                bytes: plan.bytes.div_ceil(plan.servers as u64),
                start_ps,
                dst_port: FlowSpec::DST_PORT,
            });
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(racks: &[Vec<u32>]) -> Requests<'_> {
        Requests {
            racks,
            per_second: 100.0,
            servers: 10,
            bytes: 2_000_001,
            start_ps: 1_000_000,
            end_ps: 2_000_000_000_000,
        }
    }

    #[test]
    fn a_request_is_answered_by_one_other_rack_at_once() {
        let racks: Vec<Vec<u32>> = vec![(0..4).collect(), (4..8).collect(), (20..24).collect()];
        let flows = requests(&plan(&racks), 5).unwrap();
        assert_eq!(flows, requests(&plan(&racks), 5).unwrap());
        let rack = |host: u32| racks.iter().position(|r| r.contains(&host)).unwrap();
        let (mut asked, mut asking) = ([0; 3], [0; 24]);
        for answers in flows.chunks(10) {
            let one = &answers[0];
            assert!(one.start_ps >= 1_000_000 && one.start_ps < 2_000_000_000_000);
            assert_ne!(rack(one.src), rack(one.dst));
            asked[rack(one.src)] += 1;
            asking[one.dst as usize] += 1;
            for flow in answers {
                assert_eq!((flow.dst, flow.start_ps, flow.bytes), (one.dst, one.start_ps, 200_001));
                assert_eq!(rack(flow.src), rack(one.src));
            }
        }
        // 12 hosts, 100 requests a second each, 2 s: 2400 of them, a third to each rack, a twelfth from each host
        let total: i32 = asked.iter().sum();
        assert!((2250..2550).contains(&total), "{total}");
        assert!(asked.iter().all(|n| (700..900).contains(n)), "{asked:?}");
        assert!(asking.iter().all(|&n| n == 0 || (140..265).contains(&n)), "{asking:?}");
        assert_eq!(asking.iter().filter(|&&n| n > 0).count(), 12);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let racks = vec![vec![0, 1], vec![], vec![2, 3]];
        assert!(requests(&plan(&racks), 1).is_ok());
        assert_eq!(requests(&plan(&racks[..2]), 1), Err(ArrivalError::Racks(1)));
        let never = Requests {
            per_second: 0.0,
            ..plan(&racks)
        };
        assert_eq!(requests(&never, 1), Err(ArrivalError::Requests(0.0)));
        let nobody = Requests {
            servers: 0,
            ..plan(&racks)
        };
        assert_eq!(requests(&nobody, 1), Err(ArrivalError::Hosts { needed: 1, got: 0 }));
        let floods = Requests {
            per_second: 1e9,
            ..plan(&racks)
        };
        assert!(matches!(requests(&floods, 1), Err(ArrivalError::Flows(_))));
    }
}
