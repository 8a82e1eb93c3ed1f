//! Loss of one link: only its packets, only that way, only then.

use crate::net::tests::greedy;
use crate::net::*;

const US: u64 = 1_000_000;

fn loss(link: usize, sender: Option<u32>, loss: f64, from_us: u64, until_us: u64) -> LinkLoss {
    LinkLoss {
        link,
        sender,
        loss,
        from_ps: from_us * US,
        until_ps: until_us * US,
    }
}

/// Hosts 0 and 1 send a message each to hosts 2 and 3 of a star; links of 100 Gb/s and 1 us.
fn run(losses: &[LinkLoss]) -> Result<Outcome, SetupError> {
    let flow = |src, dst, start_us| FlowSpec {
        src,
        dst,
        bytes: 1_000_000,
        start_ps: start_us * US,
        dst_port: FlowSpec::DST_PORT,
    };
    let mut config = Config::paper(13_000, false);
    config.link_losses = losses.to_vec();
    let flows = vec![flow(0, 2, 0), flow(1, 3, 0), flow(0, 2, 1000)];
    let mut sim = Simulator::new(&star(4, 100, 1000), flows, config, SamplePlan::default(), &mut greedy)?;
    sim.run_until(1_000_000 * US);
    assert_eq!(sim.unfinished(), 0);
    Ok(sim.finish())
}

/// Number of the link of a host, and the switch at its other end.
fn link_of(host: u32) -> (usize, u32) {
    let links = star(4, 100, 1000).links;
    let link = links.iter().position(|l| l.a == host || l.b == host).unwrap();
    (link, links[link].a + links[link].b - host)
}

/// Repeated bytes of each flow.
fn repeated(losses: &[LinkLoss]) -> Vec<u64> {
    let records = run(losses).unwrap().records;
    records.iter().map(|r| r.retransmitted_bytes).collect()
}

#[test]
fn only_the_packets_of_that_link_and_direction_and_time() {
    let (link, switch) = link_of(0);
    assert_eq!(repeated(&[]), [0, 0, 0]);
    assert_eq!(run(&[loss(link, None, 0.0, 0, 5000)]).unwrap().counters.losses, 0);
    let first = repeated(&[loss(link, Some(0), 0.05, 0, 500)]);
    assert!(first[0] > 0 && first[1] == 0 && first[2] == 0, "{first:?}");
    let third = repeated(&[loss(link, Some(0), 0.05, 900, 10_000_000)]);
    assert!(third[0] == 0 && third[1] == 0 && third[2] > 0, "{third:?}");
    // The other way there are acknowledgements only; later ones make up for those that are lost, so that no data is repeated.
    let back = run(&[loss(link, Some(switch), 0.05, 0, 50)]).unwrap();
    assert!(back.counters.losses > 10, "{:?}", back.counters);
    assert!(back.records.iter().all(|r| r.retransmitted_bytes == 0));
    // A host that neither sends nor receives.
    assert_eq!(run(&[loss(link, Some(0), 1.0, 600, 601)]).unwrap().counters.losses, 0);
}

/// Two losses of 0.1 and 0.2 take 1 - 0.9 x 0.8 = 0.28 of the packets: of all that left host 0, within 5 standard deviations.
#[test]
fn losses_add_up_as_independent_ones() {
    let (link, _) = link_of(0);
    let both = [
        loss(link, Some(0), 0.1, 0, u64::MAX / US),
        loss(link, Some(0), 0.2, 0, u64::MAX / US),
    ];
    let outcome = run(&both).unwrap();
    // Host 1 sends its thousand packets once, and has nothing to do with the loss.
    let sent = (outcome.counters.data_packets - 1_000_000_u64.div_ceil(1024)) as f64;
    let (mean, deviation) = (0.28 * sent, (0.28 * 0.72 * sent).sqrt());
    let losses = outcome.counters.losses as f64;
    assert!((losses - mean).abs() < 5.0 * deviation, "{losses} of {sent}");
}

#[test]
fn what_cannot_be_is_an_error() {
    let (link, switch) = link_of(0);
    let error = |loss| run(&[loss]).unwrap_err().to_string();
    assert_eq!(error(loss(4, None, 0.1, 0, 1)), "loss 0: link: expected below 4, got 4");
    assert_eq!(
        error(loss(link, Some(1), 0.1, 0, 1)),
        format!("loss 0: sender: expected 0 or {switch}, the ends of link {link}, got 1")
    );
    assert_eq!(
        error(loss(link, None, 1.5, 0, 1)),
        "loss 0: loss: expected 0 to 1, got 1.5"
    );
    assert_eq!(
        error(loss(link, None, 0.1, 2, 2)),
        "loss 0: until_us: expected later than from_us"
    );
}
