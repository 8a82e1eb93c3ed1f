//! Memory that stands still: the NIC in RTL loses frames when its packet buffer is full, and counts each of them.

use hpcc_testbench::drive::axi_memory::Speed;
use hpcc_testbench::nic::link::run;
use hpcc_testbench::nic::link_config::LinkSpec;
use hpcc_testbench::nic::{Device, RtlNic};
use hpcc_testbench::verilated::Model;
use indicatif::ProgressBar;

#[test]
fn a_frame_that_finds_no_room_is_counted() {
    let keys = ["op=write", "messages=6", "bytes=20000", "mtu=1024", "delay_ns=300"].map(String::from);
    let spec = LinkSpec::parse(&keys).unwrap();
    let outcome = run::<RtlNic<Model>>(&spec, &ProgressBar::hidden()).unwrap();
    let setup = spec.setup(1);
    let sender = spec.setup(0).nic.mac.0;
    let frames: Vec<Vec<u8>> = outcome.sent.into_iter().map(|frame| frame.bytes).collect();
    let writes: Vec<&Vec<u8>> = frames.iter().filter(|frame| frame[6..12] == sender).collect();

    let mut nic = RtlNic::<Model>::create(&setup).unwrap();
    nic.memory_mut().speed = Speed {
        ready: 0.0,
        ..Speed::constant(60)
    };
    for frame in &writes {
        nic.offer_at(0, frame.to_vec());
    }
    nic.clock_for(6000).unwrap();
    assert_eq!(nic.frames_waiting(), 0, "the MAC is never held up");
    nic.memory_mut().speed = Speed::constant(60);
    nic.clock_for(6000).unwrap();
    let counters = nic.counters().unwrap();
    let count = |name: &str| counters.iter().find(|(known, _)| *known == name).unwrap().1;
    assert_eq!(count("rx_frames"), writes.len() as u64);
    // What was lost came in no other way: the first packets are in memory, what followed the loss is out of sequence.
    let target = nic.memory(hpcc_testbench::nic::link_nics::TARGET).unwrap();
    let written = target
        .iter()
        .zip(0..)
        .take_while(|(byte, i)| **byte == spec.source_byte(0, *i));
    let bytes = written.count() as u64;
    // A message is 19 packets of 1024 bytes and one of 544.
    let executed = bytes / 20_000 * 20 + bytes % 20_000 / 1024;
    let lost = count("drop_rx_buffer_full");
    assert!(lost > 0, "{counters:?}");
    assert_eq!(
        executed + count("out_of_sequence") + lost,
        writes.len() as u64,
        "{counters:?}"
    );
}
