//! Seeded traffic: a peer with requests, and one that answers.

use super::peer::*;
use hpcc_models::nic::Operation;
use hpcc_models::wire::*;
use hpcc_rtl::sim::Stimulus;

/// Queue pairs used: plain and INT, small and larger MTU.
const USED: usize = 4;

fn bytes(stimulus: &mut Stimulus, len: u64) -> Vec<u8> {
    (0..len).map(|_| stimulus.uniform(8) as u8).collect()
}

fn length(stimulus: &mut Stimulus, mtu: u64) -> u64 {
    match stimulus.below(6) {
        0 => 0,
        1 => mtu * (1 + stimulus.below(3)),
        2 => 1 + stimulus.below(8),
        _ => 1 + stimulus.below(3 * mtu),
    }
}

/// Requests of a peer: in order, ahead of what is missing, and, if `again`, requests that were executed before.
fn requests(seed: u64, count: usize, again: bool) -> Vec<Input> {
    let stimulus = &mut Stimulus::new(seed);
    let mut expected = [0u32; USED];
    let mut script = Vec::new();
    let mut last: Vec<Vec<Input>> = vec![Vec::new(); USED];
    for _ in 0..count {
        let qp = stimulus.below(USED as u64) as usize;
        let mtu = mtu(qp);
        let length = length(stimulus, mtu);
        let packets = length.div_ceil(mtu).max(1);
        let start = expected[qp];
        let is_read = stimulus.chance(0.4);
        let (base, key) = if is_read {
            (READ_AT, READ_KEY)
        } else {
            (WRITE_AT, WRITE_KEY)
        };
        let address = base + stimulus.below(LENGTH - length + 1);
        let mut message = Vec::new();
        if is_read {
            message.push(Input::Frame(read(qp, start, key, address, length)));
        } else {
            for i in 0..packets {
                let opcode = Opcode::Write(Position::of(i, packets));
                let header = match opcode.has_reth() {
                    true => reth(key, address, length),
                    false => Extension::None,
                };
                let data = bytes(stimulus, (length - i * mtu).min(mtu));
                let ack_req = i + 1 == packets || stimulus.chance(0.3);
                message.push(Input::Frame(packet(
                    qp,
                    opcode,
                    start + i as u32,
                    ack_req,
                    header,
                    &data,
                )));
            }
        }
        match stimulus.below(8) {
            // A packet is missing; the message follows again, from there on or whole.
            0 if message.len() > 1 => {
                let missing = stimulus.below(message.len() as u64 - 1) as usize;
                let rest = message.iter().enumerate().filter(|(i, _)| *i != missing);
                script.extend(rest.map(|(_, input)| input.clone()));
                if !again {
                    script.extend(message.drain(missing..));
                    message.clear();
                }
            }
            // The message before comes again.
            1 if again => script.extend(last[qp].clone()),
            _ => {}
        }
        script.extend(message.clone());
        last[qp] = message;
        expected[qp] = start + packets as u32;
    }
    script
}

/// Work with answers of a peer that loses packets, repeats itself and at last refuses.
fn answered_work(seed: u64, count: u64) -> Vec<Input> {
    let stimulus = &mut Stimulus::new(seed);
    let mut next = [0u32; USED];
    let mut script = Vec::new();
    for id in 0..count {
        let qp = stimulus.below(USED as u64) as usize;
        let length = length(stimulus, mtu(qp));
        let packets = length.div_ceil(mtu(qp)).max(1) as u32;
        let start = next[qp];
        let last = start + packets - 1;
        let offset = stimulus.below(LENGTH - length + 1);
        next[qp] = start + packets;
        if stimulus.chance(0.5) {
            script.push(work(id, qp, Operation::Write, offset, length));
            let middle = start + stimulus.below(packets.into()) as u32;
            match stimulus.below(6) {
                0 => script.push(ack(qp, middle, 0x60)),
                1 if middle < last => script.push(ack(qp, middle, 0x1f)),
                2 => script.push(ack(qp, start.wrapping_sub(16), 0x1f)),
                3 => script.push(ack(qp, last + 100, 0x1f)),
                4 => script.push(ack(qp, middle, 0x2c)),
                _ => {}
            }
            script.push(ack(qp, last, 0x1f));
            continue;
        }
        script.push(work(id, qp, Operation::Read, offset, length));
        let data = bytes(stimulus, length);
        let one = |i: u32, first: u32| {
            let position = Position::of((i - first).into(), (packets - first).into());
            let from = (u64::from(i) * mtu(qp)) as usize;
            let to = (from + mtu(qp) as usize).min(data.len());
            response(qp, position, start + i, &data[from..to])
        };
        if packets > 1 && stimulus.chance(0.4) {
            // One is lost: what the NIC then asks for begins with it.
            let missing = stimulus.below(u64::from(packets) - 1) as u32;
            script.extend((0..packets).filter(|i| *i != missing).map(|i| one(i, 0)));
            script.extend((missing..packets).map(|i| one(i, missing)));
        } else {
            script.extend((0..packets).map(|i| one(i, 0)));
        }
    }
    for (qp, psn) in next.into_iter().enumerate() {
        for id in 0..3 {
            script.push(work(1000 + id, qp, Operation::Write, id, 300));
        }
        script.push(ack(qp, psn, [0x61, 0x62, 0x63, 0x61][qp]));
        script.push(work(2000, qp, Operation::Write, 0, 1));
    }
    script
}

/// The same frames back to back, twelve at a time. (What is asked again then is a matter of time: see the book.)
fn in_bursts(script: Vec<Input>) -> Vec<Input> {
    let frames: Vec<Vec<u8>> = script
        .into_iter()
        .filter_map(|input| match input {
            Input::Frame(frame) => Some(frame),
            _ => None,
        })
        .collect();
    frames.chunks(12).map(|frames| Input::Burst(frames.to_vec())).collect()
}

#[test]
fn requests_are_answered_as_by_the_model() {
    for seed in 1..4 {
        let outcome = agreed(&format!("requests, seed {seed}"), &setup(), &requests(seed, 60, true));
        assert!((0..USED).all(|qp| outcome.brief(qp).len() > 5), "{outcome:?}");
    }
}

#[test]
fn requests_back_to_back_are_answered_as_by_the_model() {
    for seed in 11..14 {
        agreed(
            &format!("bursts, seed {seed}"),
            &setup(),
            &in_bursts(requests(seed, 60, false)),
        );
    }
}

#[test]
fn work_is_done_as_by_the_model() {
    for seed in 1..4 {
        let outcome = agreed(&format!("work, seed {seed}"), &setup(), &answered_work(seed, 40));
        assert!((0..USED).all(|qp| outcome.brief(qp).len() > 5), "{outcome:?}");
    }
}
