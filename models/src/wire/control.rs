//! Control packets (HPCC paper, section 4.1: packets that create and remove flows): what follows UDP.

use super::bytes::{check_len, get, get32, put};
use super::WireError;
use std::net::Ipv4Addr;

mod field {
    use core::ops::Range;
    pub const MAGIC: Range<usize> = 0..4;
    pub const VERSION: usize = 4;
    pub const OPERATION: usize = 5;
    pub const RESERVED: Range<usize> = 6..8;
    pub const KEY: Range<usize> = 8..16;
    pub const SEQUENCE: Range<usize> = 16..24;
    pub const QPN: Range<usize> = 24..28;
    pub const REMOTE_QPN: Range<usize> = 28..32;
    pub const REMOTE_IP: Range<usize> = 32..36;
    pub const FIRST_PSN: Range<usize> = 36..40;
    pub const LOCAL_ADDRESS: Range<usize> = 40..48;
    pub const LOCAL_KEY: Range<usize> = 48..52;
    pub const REMOTE_KEY: Range<usize> = 52..56;
    pub const REMOTE_ADDRESS: Range<usize> = 56..64;
    pub const LENGTH: Range<usize> = 64..68;
}

/// Bytes of a control packet after UDP.
pub const CONTROL_LEN: usize = field::LENGTH.end;

const MAGIC: &[u8; 4] = b"HPCC";
const VERSION: u8 = 1;

/// What a control packet asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlOp {
    /// Create a flow and write a message with it.
    CreateWrite,
    /// Create a flow and read a message with it.
    CreateRead,
    /// Remove a flow.
    Remove,
}

/// A UDP payload read as a control packet.
#[derive(Clone, Copy, Debug)]
pub struct ControlView<T: AsRef<[u8]>> {
    buffer: T,
}

impl<T: AsRef<[u8]>> ControlView<T> {
    /// Checks that it is exactly as long as a control packet, and its magic and version.
    pub fn new_checked(buffer: T) -> Result<Self, WireError> {
        let data = buffer.as_ref();
        check_len("control packet", data, CONTROL_LEN)?;
        if data.len() != CONTROL_LEN {
            return Err(WireError::Control("length"));
        }
        if &data[field::MAGIC] != MAGIC {
            return Err(WireError::Control("magic"));
        }
        if data[field::VERSION] != VERSION {
            return Err(WireError::Control("version"));
        }
        Ok(Self { buffer })
    }

    fn operation(&self) -> Result<ControlOp, WireError> {
        match self.buffer.as_ref()[field::OPERATION] {
            1 => Ok(ControlOp::CreateWrite),
            2 => Ok(ControlOp::CreateRead),
            3 => Ok(ControlOp::Remove),
            _ => Err(WireError::Control("operation")),
        }
    }
}

/// Meaning of a control packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlRepr {
    /// What is asked for.
    pub operation: ControlOp,
    /// Shared secret that admits the packet.
    pub key: u64,
    /// Must increase from packet to packet.
    pub sequence: u64,
    /// Queue pair of the NIC that the packet is sent to.
    pub qpn: u32,
    /// Queue pair at the far end of the flow.
    pub remote_qpn: u32,
    /// Address of the far end of the flow.
    pub remote_ip: Ipv4Addr,
    /// First PSN in both directions.
    pub first_psn: u32,
    /// Address in the memory of the NIC that the packet is sent to.
    pub local_address: u64,
    /// Key of the region of `local_address`.
    pub local_key: u32,
    /// Key of the region of `remote_address`.
    pub remote_key: u32,
    /// Address in the memory of the far end.
    pub remote_address: u64,
    /// Bytes of the message.
    pub length: u32,
}

impl ControlRepr {
    /// Reads a packet; an unknown operation is an error.
    pub fn parse<T: AsRef<[u8]>>(view: &ControlView<T>) -> Result<Self, WireError> {
        let data = view.buffer.as_ref();
        Ok(Self {
            operation: view.operation()?,
            key: get(data, field::KEY),
            sequence: get(data, field::SEQUENCE),
            qpn: get32(data, field::QPN),
            remote_qpn: get32(data, field::REMOTE_QPN),
            remote_ip: Ipv4Addr::from(get32(data, field::REMOTE_IP)),
            first_psn: get32(data, field::FIRST_PSN),
            local_address: get(data, field::LOCAL_ADDRESS),
            local_key: get32(data, field::LOCAL_KEY),
            remote_key: get32(data, field::REMOTE_KEY),
            remote_address: get(data, field::REMOTE_ADDRESS),
            length: get32(data, field::LENGTH),
        })
    }

    /// Writes the packet to the front of `buffer`, which holds at least [`CONTROL_LEN`] bytes.
    pub fn emit(&self, buffer: &mut [u8]) {
        buffer[field::MAGIC].copy_from_slice(MAGIC);
        buffer[field::VERSION] = VERSION;
        buffer[field::OPERATION] = match self.operation {
            ControlOp::CreateWrite => 1,
            ControlOp::CreateRead => 2,
            ControlOp::Remove => 3,
        };
        put(buffer, field::RESERVED, 0);
        put(buffer, field::KEY, self.key);
        put(buffer, field::SEQUENCE, self.sequence);
        put(buffer, field::QPN, self.qpn.into());
        put(buffer, field::REMOTE_QPN, self.remote_qpn.into());
        put(buffer, field::REMOTE_IP, u32::from(self.remote_ip).into());
        put(buffer, field::FIRST_PSN, self.first_psn.into());
        put(buffer, field::LOCAL_ADDRESS, self.local_address);
        put(buffer, field::LOCAL_KEY, self.local_key.into());
        put(buffer, field::REMOTE_KEY, self.remote_key.into());
        put(buffer, field::REMOTE_ADDRESS, self.remote_address);
        put(buffer, field::LENGTH, self.length.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rustfmt::skip]
    const BYTES: [u8; CONTROL_LEN] = [
        b'H', b'P', b'C', b'C', 1, 2, 0, 0,
        1, 2, 3, 4, 5, 6, 7, 8,
        0, 0, 0, 0, 0, 0, 0, 9,
        0, 0, 0, 0x22, 0, 0, 0, 0x11, 10, 0, 0, 10, 0, 0xff, 0xff, 0xf0,
        0, 0, 0x7f, 0, 0x11, 0x22, 0x33, 0x44, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0x12, 0x34,
        0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0x10, 0,
    ];

    #[test]
    fn apart_and_together() {
        let repr = ControlRepr {
            operation: ControlOp::CreateRead,
            key: 0x0102_0304_0506_0708,
            sequence: 9,
            qpn: 0x22,
            remote_qpn: 0x11,
            remote_ip: Ipv4Addr::new(10, 0, 0, 10),
            first_psn: 0xff_fff0,
            local_address: 0x7f00_1122_3344,
            local_key: 0xdead_beef,
            remote_key: 0x1234,
            remote_address: 0x1000_0000,
            length: 4096,
        };
        assert_eq!(ControlRepr::parse(&ControlView::new_checked(BYTES).unwrap()), Ok(repr));
        let mut out = [0xaa; CONTROL_LEN];
        repr.emit(&mut out);
        assert_eq!(out, BYTES);
    }

    #[test]
    fn faults_are_named() {
        for len in 0..CONTROL_LEN {
            assert!(matches!(
                ControlView::new_checked(&BYTES[..len]),
                Err(WireError::Truncated { .. })
            ));
        }
        let long = [&BYTES[..], &[0]].concat();
        assert_eq!(
            ControlView::new_checked(&long).err(),
            Some(WireError::Control("length"))
        );
        for (at, name) in [(0, "magic"), (4, "version"), (5, "operation")] {
            let mut bytes = BYTES;
            bytes[at] = 9;
            let result = ControlView::new_checked(bytes).and_then(|view| ControlRepr::parse(&view));
            assert_eq!(result, Err(WireError::Control(name)));
        }
    }
}
