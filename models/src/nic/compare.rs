//! Frames side by side: what two NICs sent on the same input, and where they first differ.

use crate::wire::{Extension, Ports, RocePacket, Syndrome};

/// The first frame in which two sequences differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Index of the frame.
    pub frame: usize,
    /// First byte that differs, if both frames exist.
    pub byte: Option<usize>,
    /// What was expected.
    pub expected: String,
    /// What was there.
    pub got: String,
}

impl core::fmt::Display for Difference {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "frame {}", self.frame)?;
        if let Some(byte) = self.byte {
            write!(f, ", byte {byte}")?;
        }
        write!(f, "\n  expected {}\n  got      {}", self.expected, self.got)
    }
}

/// One line on a frame: operation, queue pair, PSN and what else decides.
pub fn describe(frame: &[u8], ports: &Ports) -> String {
    let packet = match RocePacket::parse(frame, ports) {
        Ok(packet) => packet,
        Err(error) => return format!("{} bytes, {error}", frame.len()),
    };
    let bth = &packet.bth;
    let extension = match packet.extension {
        Extension::None => String::new(),
        Extension::Reth(reth) => format!(", 0x{:x} key 0x{:x} length {}", reth.address, reth.key, reth.length),
        Extension::Aeth(aeth) => match aeth.syndrome {
            Syndrome::Ack(credit) => format!(", ACK {credit} MSN {}", aeth.msn),
            other => format!(", {other:?} MSN {}", aeth.msn),
        },
    };
    format!(
        "{} > {}:{} {:?} QP 0x{:x} PSN 0x{:06x}{}{extension}, {} bytes INT, {} bytes payload",
        packet.ipv4.src,
        packet.ipv4.dst,
        packet.udp.dst_port,
        bth.opcode,
        bth.dest_qp,
        bth.psn,
        if bth.ack_req { " AckReq" } else { "" },
        packet.int.len(),
        packet.payload.len(),
    )
}

/// Compares two sequences of frames byte for byte.
pub fn first_difference<A: AsRef<[u8]>, B: AsRef<[u8]>>(
    expected: &[A],
    got: &[B],
    ports: &Ports,
) -> Option<Difference> {
    let text = |frame: Option<&[u8]>| frame.map_or("nothing".to_owned(), |frame| describe(frame, ports));
    for frame in 0..expected.len().max(got.len()) {
        let (a, b) = (
            expected.get(frame).map(AsRef::as_ref),
            got.get(frame).map(AsRef::as_ref),
        );
        if a == b {
            continue;
        }
        let byte = a
            .zip(b)
            .map(|(a, b)| a.iter().zip(b).take_while(|(x, y)| x == y).count());
        return Some(Difference {
            frame,
            byte,
            expected: text(a),
            got: text(b),
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_difference_is_named() {
        let ports = Ports::default();
        let (a, b) = (vec![1, 2, 3], vec![1, 9, 3]);
        assert_eq!(first_difference(&[&a, &b], &[&a, &b], &ports), None);
        let difference = first_difference(&[&a, &a], &[&a, &b], &ports).unwrap();
        assert_eq!((difference.frame, difference.byte), (1, Some(1)));
        let difference = first_difference(&[&a], &[&a, &b], &ports).unwrap();
        assert_eq!(
            (difference.frame, difference.byte, difference.expected.as_str()),
            (1, None, "nothing")
        );
        assert!(difference
            .to_string()
            .starts_with("frame 1\n  expected nothing\n  got      3 bytes"));
    }
}
