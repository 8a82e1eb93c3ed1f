//! The row in which a flow waits, against [`row`], for every MTU and whatever a packet lacks of credit.

use super::reference::engine::row;
use super::reference::stages::Later;
use crate::prim::uint::U;
use crate::sched::choice::Choice;
use crate::sim::{init, step, Stimulus};
use hpcc_models::sched::formats::CREDIT_FRACTION;

#[test]
fn every_row_for_every_mtu_and_credit() {
    let mut block: Box<Choice> = Box::default();
    init(block.as_mut()).expect("complete block");
    let mut random = Stimulus::new(21);
    // a flow's rate comes a clock behind its MTU, its credit and the pause eleven, its row thirteen
    let (mut rates, mut credits) = (Later::new(1), Later::new(11));
    let (mut held_by, mut expected) = (Later::new(11), Later::new(13));
    let mut rows = [0u32; 16];
    for clock in 0..100_000 {
        let rate = match random.below(4) {
            0 => random.corner(34),
            _ => {
                let bits = 1 + random.below(34) as usize;
                random.uniform(bits)
            }
        };
        let (mtu, priority) = (random.below(5) as u8, random.below(8));
        // in debt, none, or up to more than a packet; the edges of what is missing weighted
        let credit = match random.below(4) {
            0 => -(random.below(1 << 19) as i64),
            1 => random.below(2) as i64,
            2 => ((256i64 << mtu) - (1i64 << random.below(13)) + random.below(3) as i64 - 1).max(0),
            _ => random.below(5000) as i64,
        };
        let pause = if random.chance(0.8) { 0 } else { random.uniform(8) };
        block.mtu.next = U(mtu.into());
        block.pause_bit.next = U(priority);
        block.rate.next = U(rates.pass(rate));
        block.credit.next = U(credits.pass(credit) as u64 & ((1 << 21) - 1));
        block.pause.next = U(held_by.pass(pause));
        let held = pause >> priority & 1 == 1;
        let want = expected.pass(Some(row(rate, mtu, credit << CREDIT_FRACTION, held)));
        let got = step(block.as_mut(), |block| block.row.val().0 as u32);
        if let Some(want) = want {
            assert_eq!(got, want, "clock {clock}");
            rows[want as usize] += 1;
        }
    }
    // nobody waits in row 14
    let mut each = rows.iter().enumerate();
    assert!(each.all(|(row, count)| row == 14 || *count > 100), "{rows:?}");
}
