//! Frames made by other software, taken apart and put together again byte for byte; ICRC against an independent CRC.

use crc::{Crc, CRC_32_ISO_HDLC};
use hpcc_models::wire::*;
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

const INDEPENDENT: Crc<u32> = Crc::<u32>::new(&CRC_32_ISO_HDLC);

fn data(name: &str) -> String {
    format!("{}/../testbench/data/roce/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len())
        .step_by(2)
        .map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap())
        .collect()
}

/// `[n]` to `key=value` of the commented hex file.
fn examples() -> BTreeMap<usize, BTreeMap<String, String>> {
    let mut out: BTreeMap<usize, BTreeMap<String, String>> = BTreeMap::new();
    let mut current = 0;
    let text = std::fs::read_to_string(data("roce_examples.txt")).unwrap();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(rest) = line.strip_prefix('[') {
            current = rest.split(']').next().unwrap().parse().unwrap();
        } else if let Some((key, value)) = line.split_once('=') {
            out.entry(current).or_default().insert(key.to_owned(), value.to_owned());
        }
    }
    out
}

fn frame(index: usize) -> Vec<u8> {
    hex(&examples()[&index]["frame_hex"])
}

fn captured(name: &str) -> Vec<TimedFrame> {
    read_pcap(std::fs::File::open(data(name)).unwrap()).unwrap()
}

/// Bytes 14 on, without the ICRC, with the masks written down as offsets from the start of Ethernet.
fn icrc_input_by_offsets(frame: &[u8]) -> Vec<u8> {
    let mut masked = frame.to_vec();
    for at in [15, 22, 24, 25, 40, 41, 46] {
        masked[at] = 0xff;
    }
    [&[0xff; 8], &masked[14..frame.len() - 4]].concat()
}

#[test]
fn icrc_of_every_example() {
    let examples = examples();
    assert_eq!(examples.len(), 11);
    for (index, example) in &examples {
        let frame = hex(&example["frame_hex"]);
        let expected = u32::from_str_radix(&example["crc32"], 16).unwrap();
        assert_eq!(
            INDEPENDENT.checksum(&hex(&example["icrc_input_hex"])),
            expected,
            "[{index}]"
        );
        assert_eq!(icrc(&frame[14..frame.len() - 4], 0), Some(expected), "[{index}]");
        assert_eq!(frame[frame.len() - 4..], expected.to_le_bytes(), "[{index}]");
        assert_eq!(hex(&example["icrc_wire"]), expected.to_le_bytes(), "[{index}]");
    }
}

#[test]
fn every_ipv4_example_there_and_back() {
    let pcap = captured("roce_examples.pcap");
    for (index, example) in examples() {
        let frame = hex(&example["frame_hex"]);
        assert_eq!(pcap[index - 1].bytes, frame, "[{index}] in the capture");
        match RocePacket::parse(&frame, &Ports::default()) {
            Ok(packet) => assert_eq!(packet.to_frame(), frame, "[{index}]"),
            Err(error) => assert_eq!((index, error), (11, WireError::EtherType(0x86dd))),
        }
    }
}

#[test]
fn worked_example_field_by_field() {
    let frame = frame(1);
    let packet = RocePacket::parse(&frame, &Ports::default()).unwrap();
    assert_eq!(packet.ethernet.dst, MacAddr([2, 0, 0, 0, 0, 11]));
    assert_eq!(packet.ethernet.src, MacAddr([2, 0, 0, 0, 0, 10]));
    assert_eq!(packet.ethernet.vlan, None);
    assert_eq!(packet.ipv4.src, Ipv4Addr::new(10, 0, 0, 10));
    assert_eq!(packet.ipv4.dst, Ipv4Addr::new(10, 0, 0, 11));
    assert_eq!((packet.ipv4.tos, packet.ipv4.ident, packet.ipv4.ttl), (0x6a, 1, 64));
    assert!(packet.ipv4.dont_fragment);
    assert_eq!(
        (packet.udp.src_port, packet.udp.dst_port, packet.udp.checksum),
        (0xc123, 4791, 0)
    );
    assert!(packet.int.is_empty());
    assert_eq!(packet.bth.opcode, Opcode::Write(Position::Only));
    assert_eq!(
        (packet.bth.dest_qp, packet.bth.psn, packet.bth.ack_req),
        (0x22, 0x100, true)
    );
    let reth = RethRepr {
        address: 0x7f00_1122_3344,
        key: 0xdead_beef,
        length: 64,
    };
    assert_eq!(packet.extension, Extension::Reth(reth));
    assert_eq!(packet.payload, (0..64u32).map(|i| (7 * i) as u8).collect::<Vec<_>>());
}

#[test]
fn each_kind_of_example() {
    let frames: Vec<Vec<u8>> = (1..=10).map(frame).collect();
    let packets: Vec<RocePacket> = frames
        .iter()
        .map(|f| RocePacket::parse(f, &Ports::default()).unwrap())
        .collect();
    let opcodes: Vec<Opcode> = packets.iter().map(|p| p.bth.opcode).collect();
    use Position::*;
    assert_eq!(
        opcodes,
        [
            Opcode::Write(Only),
            Opcode::Write(First),
            Opcode::Write(Middle),
            Opcode::Write(Last),
            Opcode::ReadRequest,
            Opcode::Acknowledge,
            Opcode::ReadResponse(Only),
            Opcode::OtherRequest(5),
            Opcode::Acknowledge,
            Opcode::Cnp,
        ]
    );
    assert_eq!((packets[3].payload.len(), packets[3].bth.pad), (87, 1));
    assert_eq!(
        packets[5].extension,
        Extension::Aeth(AethRepr {
            syndrome: Syndrome::Ack(31),
            msn: 2
        })
    );
    assert_eq!(packets[6].payload.len(), 128);
    let nak = AethRepr {
        syndrome: Syndrome::Nak(NakCode::PsnSequence),
        msn: 3,
    };
    assert_eq!(packets[8].extension, Extension::Aeth(nak));
    assert_eq!(packets[8].bth.psn, 0x105);
    assert!(packets[9].bth.becn);
    assert_eq!(packets[9].payload, [0; 16]);
}

#[test]
fn every_bit_is_covered_or_masked() {
    let frame = frame(4);
    let reference = icrc(&frame[14..frame.len() - 4], 0);
    for at in 14..frame.len() - 4 {
        for bit in 0..8 {
            let mut changed = frame.clone();
            changed[at] ^= 1 << bit;
            let value = icrc(&changed[14..frame.len() - 4], 0);
            let masked = [15, 22, 24, 25, 40, 41, 46].contains(&at);
            // A version that is not 4 has no ICRC here, or that of IPv6.
            assert_eq!(value == reference, masked, "byte {at} bit {bit}");
        }
    }
}

#[test]
fn software_roce_captures_there_and_back() {
    for (name, count) in [
        ("linux-rxe/rxe_write_drop_mid.pcap", 37),
        ("linux-rxe/rxe_read_psnwrap.pcap", 97),
    ] {
        let frames = captured(name);
        assert_eq!(frames.len(), count, "{name}");
        for (i, frame) in frames.iter().enumerate() {
            let packet =
                RocePacket::parse(&frame.bytes, &Ports::default()).unwrap_or_else(|e| panic!("{name} {i}: {e}"));
            assert_eq!(packet.to_frame(), frame.bytes, "{name} {i}");
        }
    }
}

#[test]
fn written_capture_is_read_back_byte_for_byte() {
    let file = std::fs::read(data("linux-rxe/rxe_write_drop_mid.pcap")).unwrap();
    let mut sink = PcapSink::new(Vec::new()).unwrap();
    for frame in read_pcap(&file[..]).unwrap() {
        sink.write(frame.t_ns, &frame.bytes).unwrap();
    }
    assert_eq!(sink.into_inner(), file);
}

#[test]
fn int_does_not_enter_the_icrc() {
    let plain_frame = frame(4);
    let ports = Ports::default();
    let plain = RocePacket::parse(&plain_frame, &ports).unwrap();
    for role in [PortRole::IntCollect, PortRole::IntEcho] {
        let udp = UdpRepr {
            dst_port: ports.number(role),
            ..plain.udp
        };
        // The same packet without INT and with the INT port: its ICRC by hand, with the independent CRC.
        let mut without = plain_frame.clone();
        without[36..38].copy_from_slice(&udp.dst_port.to_be_bytes());
        let expected = INDEPENDENT.checksum(&icrc_input_by_offsets(&without));
        for n_hop in 0..16u8 {
            let records = usize::from(n_hop.min(5));
            let mut int = vec![0xa5; 2 + 8 * records];
            int[0] = n_hop << 4 | 0x3;
            let with = RocePacket {
                udp,
                int: &int,
                ..plain
            }
            .to_frame();
            assert_eq!(with.len(), plain_frame.len() + int.len());
            assert_eq!(with[with.len() - 4..], expected.to_le_bytes(), "{n_hop} hops");
            let back = RocePacket::parse(&with, &ports).unwrap();
            assert_eq!(back.int, int);
            assert_eq!((back.payload, back.bth), (plain.payload, plain.bth));
        }
    }
}

#[test]
fn vlan_tag_and_trailing_bytes_change_nothing_behind_them() {
    let plain_frame = frame(2);
    let plain = RocePacket::parse(&plain_frame, &Ports::default()).unwrap();
    let tagged = EthernetRepr {
        vlan: Some(0x6005),
        ..plain.ethernet
    };
    let mut frame = RocePacket {
        ethernet: tagged,
        ..plain
    }
    .to_frame();
    assert_eq!(frame[18..], plain_frame[14..]);
    frame.extend([0xee; 9]);
    let back = RocePacket::parse(&frame, &Ports::default()).unwrap();
    assert_eq!(
        back,
        RocePacket {
            ethernet: tagged,
            ..plain
        }
    );
}

#[test]
fn every_cut_is_an_error() {
    for index in 1..=10 {
        let frame = frame(index);
        for len in 0..frame.len() {
            assert!(
                RocePacket::parse(&frame[..len], &Ports::default()).is_err(),
                "[{index}] cut to {len}"
            );
        }
    }
}
