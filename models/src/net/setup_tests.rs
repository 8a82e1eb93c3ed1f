//! What a network needs before it starts.

use super::tests::Greedy;
use super::*;

fn set_up(topology: &Topology, config: Config) -> Result<Simulator, SetupError> {
    let mut slot = |p: &SlotParams| -> Result<Box<dyn CcSlot>, String> {
        Ok(Box::new(Direct::new(Box::new(Greedy {
            rate: p.line_rate_bps as f64,
            window: f64::INFINITY,
        }))))
    };
    Simulator::new(topology, vec![], config, SamplePlan::default(), &mut slot)
}

/// 67 ports of 400 Gb/s and 3.3 us: 3 x 165,000 bytes in flight and four packets of 1224 make 499,896 of headroom each; with 4096 of reserve
/// 33,767,464 bytes in all. A buffer of as much leaves nothing to share; one byte more is a network. Without pause nothing is kept free.
#[test]
fn headroom_above_the_buffer_is_an_error() {
    let topology = star(67, 400, 3300);
    let needed = 67 * (3 * 165_000 + 4 * 1224 + 4096);
    let with = |buffer_bytes, flow_control| {
        let config = Config {
            buffer_bytes,
            flow_control,
            ..Config::paper(13_000, true)
        };
        set_up(&topology, config)
    };
    let pause = FlowControl::Pfc {
        shift: 3,
        faster_ports_get_more: false,
    };
    for buffer in [1, 32 << 20, needed] {
        let error = with(buffer, pause).err().unwrap().to_string();
        assert_eq!(
            error,
            format!(
                "switch 67: buffer: expected more than the {needed} bytes that headroom and reserve of its ports with pause take, got {buffer}"
            )
        );
        assert!(with(buffer, FlowControl::EgressLimit).is_ok());
        assert!(with(buffer, FlowControl::DropTail { packets: 100 }).is_ok());
    }
    assert_eq!(with(needed + 1, pause).unwrap().switches[0].shared_bytes, 1);
}
