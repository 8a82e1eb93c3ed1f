//! What becomes of a READ response, every output, whatever is known of it.

use super::*;
use crate::prim::word::Word as _;
use crate::sim::{init, step, Stimulus};
use crate::transport::requester::tests::psns::{distance, PSNS};

#[test]
fn a_read_response_becomes_what_the_rules_say() {
    let mut random = Stimulus::new(53);
    let mut block: Box<Verdict> = Box::default();
    init(block.as_mut()).expect("complete block");
    let b = block.as_mut();
    let mut seen = [0u64; 6];
    for case in 0..40_000 {
        let origin = random.corner(24) + PSNS;
        let near = |random: &mut Stimulus| (origin + random.below(5) - 2) % PSNS;
        let (psn, missing, first) = (near(&mut random), near(&mut random), near(&mut random));
        let end = if random.chance(0.5) { (psn + 1) % PSNS } else { near(&mut random) };
        let opcode = 0x0d + random.below(4);
        let (mtu, length) = (random.below(5), random.corner(13));
        let full = 256 << mtu;
        let offset = (psn + PSNS - first) % PSNS * full;
        let ends = (psn + 1) % PSNS == end;
        let expected = if ends { (length + (1 << 40) - offset) % (1 << 13) } else { full };
        let payload = if random.chance(0.7) { expected } else { random.corner(16) };
        let syndrome = [0x1f, 0x60, random.uniform(8)][random.below(3) as usize];
        let known = ResponseCase::ALL[random.below(7) as usize];
        let (compared, int_on, base) = (random.chance(0.6), random.chance(0.5), random.corner(64));
        let (act, decided) = [(true, false), (false, true), (false, false)][random.below(3) as usize];
        let made = (random.corner(64), random.corner(36), random.chance(0.5));

        let mut word = [0; 4];
        RxPacket::OPCODE.put(&mut word, opcode);
        RxPacket::PSN.put(&mut word, psn);
        RxPacket::EXTENSION.put_bytes(&mut word, &[syndrome as u8]);
        RxPacket::PAYLOAD_LENGTH.put(&mut word, payload);
        RxPacket::MTU.put(&mut word, mtu);
        b.row.next = RxPacket::from_slice(&word);
        (b.message.next.first_psn, b.message.next.end_psn) = (U(first), U(end));
        b.message.next.length = U(length);
        (b.base.next, b.missing.next) = (U(base), U(missing));
        let (stands, stood) = (random.chance(0.4), random.chance(0.7));
        (b.stands.next, b.decision_stands.next) = (stands, stood);
        (b.act.next, b.compared.next, b.response_case.next) = (act, compared, known);
        (b.int_on.next, b.decided.next) = (int_on, decided);
        let decision = &mut b.decision_made.next;
        (decision.base, decision.ahead, decision.last) = (U(made.0), U(made.1), made.2);
        (0..3).for_each(|_| step(b, |_| ()));
        let (flags, action, counts) = step(b, |b| {
            let flags = (b.negative.val(), b.take.val(), b.last.val());
            (flags, b.action.val(), b.counts.val())
        });

        // of the four kinds only the one in the middle has no AETH; the last two end their READ
        let negative = opcode != 0x0e && syndrome >> 5 != 0;
        let sound = (opcode >= 0x0f) == ends && payload == expected;
        let behind = distance(psn, missing) > 0;
        let good = compared && psn == missing && sound;
        let is = |case: ResponseCase| known == case;
        assert_eq!(flags, (negative, good, ends), "case {case}");
        let mut wanted = ReadCounts {
            duplicates: act && is(ResponseCase::Duplicate),
            drop_qp_ended: act && is(ResponseCase::Ended),
            ..ReadCounts::default()
        };
        let before = compared && psn != missing && !behind;
        wanted.drop_stray = (act && is(ResponseCase::Unasked)) || before;
        wanted.drop_bad_read_response = (act && is(ResponseCase::Negative)) || (compared && psn == missing && !sound);
        assert_eq!(counts, wanted, "case {case}: {known:?}");
        let gap = is(ResponseCase::Gap) || (compared && behind);
        let mut wanted = Action {
            take: good && payload > 0 && stands,
            commits: good || gap,
            kind: CommitKind::Answer,
            psn: U(psn),
            syndrome: AethSyndrome::Ack,
            msn: U(u64::from(good && ends)),
            answer: if good { AnswerKind::ReadData } else { AnswerKind::ReadGap },
            address: U(base.wrapping_add(offset % (1 << 36))),
            ..Action::default()
        };
        if good && payload > 0 && !stands {
            wanted.answer = AnswerKind::ReadRefused;
        }
        if is(ResponseCase::Duplicate) {
            (wanted.answer, wanted.commits) = (AnswerKind::ReadDuplicate, int_on);
        }
        if decided {
            let answer = if stood { AnswerKind::ReadData } else { AnswerKind::ReadRefused };
            (wanted.take, wanted.commits, wanted.answer) = (stood, true, answer);
            wanted.address = U(made.0.wrapping_add(made.1));
            wanted.msn = U(made.2.into());
        }
        assert_eq!(action, wanted, "case {case}: {known:?}");
        let refused = !stands && good && payload > 0 && !decided;
        let happened = [good, gap, before, decided, refused, decided && !stood];
        seen.iter_mut()
            .zip(happened)
            .for_each(|(seen, now)| *seen += u64::from(now));
    }
    assert!(seen.iter().all(|seen| *seen > 500), "{seen:?}");
}
