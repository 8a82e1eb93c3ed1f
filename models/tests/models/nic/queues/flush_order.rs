//! The order of the flush where one completion queue shows it.

use super::bench::*;
use hpcc_models::nic::queues::*;
use hpcc_models::nic::Status;

/// What waits in the send queue is flushed before what waits in the receive queue, whichever was posted first.
#[test]
fn sends_are_flushed_before_receives() {
    let mut host = Host::new(0);
    let number = host.create_qp().number;
    host.done(Command::DestroyQp { number });
    let one_queue = CreateQp {
        receive_cq: CQS[0],
        ..host.create_qp()
    };
    host.done(Command::CreateQp(one_queue));
    // In RTR posts to the send queue are kept.
    let mut host = host.moved_to(State::ReadyToReceive, to_rtr(0), to_rts(0));
    host.receive_at(0, 31, 0, 16);
    host.post(
        0,
        &[work(1, SendOpcode::Write, 0, 16), work(2, SendOpcode::Write, 0, 16)],
    );
    host.receive_at(0, 32, 0, 16);
    host.move_to(0, State::Error);
    let flushed = [1, 2, 31, 32].map(|id| (id, Status::Flushed));
    assert_eq!(host.statuses(0, 0), flushed);
    assert!(host.statuses(0, 1).is_empty());
}
