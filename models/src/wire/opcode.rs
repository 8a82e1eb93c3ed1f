//! Opcodes of the reliable connection service, and those that are not of it.

use super::PortRole;

/// Where a packet stands in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Position {
    /// First of several.
    First,
    /// Neither first nor last.
    Middle,
    /// Last of several.
    Last,
    /// The only one.
    Only,
}

impl Position {
    /// Starts a message.
    pub fn is_start(self) -> bool {
        matches!(self, Self::First | Self::Only)
    }

    /// Ends a message.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Last | Self::Only)
    }

    /// Position of packet `index` of `count`.
    pub fn of(index: u64, count: u64) -> Self {
        match (index == 0, index + 1 == count) {
            (true, true) => Self::Only,
            (true, false) => Self::First,
            (false, true) => Self::Last,
            (false, false) => Self::Middle,
        }
    }
}

/// BTH opcode, as far as this NIC tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Opcode {
    /// RDMA WRITE without immediate data.
    Write(Position),
    /// RDMA READ request.
    ReadRequest,
    /// RDMA READ response.
    ReadResponse(Position),
    /// Acknowledge, positive or negative.
    Acknowledge,
    /// Echo of a READ response's INT (manufacturer range; this NIC's own).
    ReadEcho,
    /// Probe of the path of a queue pair's data (HPCC++, 6.2.1.2; this NIC's own).
    Probe,
    /// Answer to a probe, or notification of one data packet's INT (HPCC++, 6.2.2.2), with the INT that it collected (this NIC's own).
    ProbeResponse,
    /// What a receiver computed: a window, a number of flows (HPCC++, 6.3.2; this NIC's own, not of the hardware).
    Notification,
    /// A notification of INT that acknowledges as well (HPCC++, 3; this NIC's own, not of the hardware).
    NotificationAck,
    /// Congestion notification packet.
    Cnp,
    /// A request of the reliable connection service beyond those (SEND, immediate data, atomics), which [`super::Verb`] tells apart; only queue
    /// pairs with queues execute them.
    OtherRequest(u8),
    /// A response of the reliable connection service beyond those: the answer to an atomic operation.
    OtherResponse(u8),
}

/// Opcode of the echo of a READ response.
const READ_ECHO: u8 = 0xd1;
/// Opcode of a probe.
const PROBE: u8 = 0xd2;
/// Opcode of its answer.
const PROBE_RESPONSE: u8 = 0xd3;
/// Opcode of what a receiver computed.
const NOTIFICATION: u8 = 0xd4;
/// Opcode of a notification that acknowledges.
const NOTIFICATION_ACK: u8 = 0xd5;
/// Opcode of a congestion notification packet.
const CNP: u8 = 0x81;
/// Bytes behind the BTH of a congestion notification packet, all zero.
pub const CNP_LEN: usize = 16;

impl Opcode {
    /// Meaning of the opcode byte; `None` for undefined ones and those of other transport services.
    pub fn parse(byte: u8) -> Option<Self> {
        use Position::{First, Last, Middle, Only};
        Some(match byte {
            0x06 => Self::Write(First),
            0x07 => Self::Write(Middle),
            0x08 => Self::Write(Last),
            0x0a => Self::Write(Only),
            0x0c => Self::ReadRequest,
            0x0d => Self::ReadResponse(First),
            0x0e => Self::ReadResponse(Middle),
            0x0f => Self::ReadResponse(Last),
            0x10 => Self::ReadResponse(Only),
            0x11 => Self::Acknowledge,
            0x12 => Self::OtherResponse(byte),
            // SEND, WRITE with immediate, atomics, SEND with invalidate.
            0x00..=0x05 | 0x09 | 0x0b | 0x13 | 0x14 | 0x16 | 0x17 => Self::OtherRequest(byte),
            CNP => Self::Cnp,
            READ_ECHO => Self::ReadEcho,
            PROBE => Self::Probe,
            PROBE_RESPONSE => Self::ProbeResponse,
            NOTIFICATION => Self::Notification,
            NOTIFICATION_ACK => Self::NotificationAck,
            _ => return None,
        })
    }

    /// The opcode byte.
    pub fn emit(self) -> u8 {
        use Position::{First, Last, Middle, Only};
        match self {
            Self::Write(First) => 0x06,
            Self::Write(Middle) => 0x07,
            Self::Write(Last) => 0x08,
            Self::Write(Only) => 0x0a,
            Self::ReadRequest => 0x0c,
            Self::ReadResponse(First) => 0x0d,
            Self::ReadResponse(Middle) => 0x0e,
            Self::ReadResponse(Last) => 0x0f,
            Self::ReadResponse(Only) => 0x10,
            Self::Acknowledge => 0x11,
            Self::ReadEcho => READ_ECHO,
            Self::Probe => PROBE,
            Self::ProbeResponse => PROBE_RESPONSE,
            Self::Notification => NOTIFICATION,
            Self::NotificationAck => NOTIFICATION_ACK,
            Self::Cnp => CNP,
            Self::OtherRequest(byte) | Self::OtherResponse(byte) => byte,
        }
    }

    /// Carries an RDMA extended transport header.
    pub fn has_reth(self) -> bool {
        matches!(self, Self::ReadRequest) || matches!(self, Self::Write(position) if position.is_start())
    }

    /// Carries an ACK extended transport header.
    pub fn has_aeth(self) -> bool {
        match self {
            Self::Acknowledge | Self::NotificationAck => true,
            Self::ReadResponse(position) => position != Position::Middle,
            _ => false,
        }
    }

    /// Goes back beside the data of the other direction and tells its sender something: never stamped, never marked.
    pub fn is_feedback(self) -> bool {
        matches!(self, Self::Acknowledge | Self::ReadEcho | Self::ProbeResponse) || self.is_notification()
    }

    /// One of the notifications that the hardware does not know.
    pub fn is_notification(self) -> bool {
        matches!(self, Self::Notification | Self::NotificationAck)
    }

    /// What the UDP port of such a packet says about its INT, on a queue pair that collects INT (`int`) or does not. `None`: a plain queue pair has no
    /// such packet. Congestion notifications leave on the plain port and are taken on any.
    pub fn port_role(self, int: bool) -> Option<PortRole> {
        match (int, self) {
            (_, Self::Cnp) => Some(PortRole::Roce),
            (
                false,
                Self::ReadEcho | Self::Probe | Self::ProbeResponse | Self::Notification | Self::NotificationAck,
            ) => None,
            (false, _) => Some(PortRole::Roce),
            (true, opcode) if opcode.is_feedback() => Some(PortRole::IntEcho),
            (true, _) => Some(PortRole::IntCollect),
        }
    }

    /// Asks the responder for something.
    pub fn is_request(self) -> bool {
        matches!(self, Self::Write(_) | Self::ReadRequest | Self::OtherRequest(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_there_and_back() {
        let known = (0..=255)
            .filter(|byte| Opcode::parse(*byte).is_some_and(|opcode| opcode.emit() == *byte))
            .count();
        let parsed = (0..=255).filter(|byte| Opcode::parse(*byte).is_some()).count();
        // 00..17 without the reserved 15, CNP, the echo, probe and answer, the two notifications.
        assert_eq!((known, parsed), (29, 29));
        for byte in [0x15, 0x18, 0x1f, 0x20, 0x2a, 0x64, 0x80, 0x82, 0xd0, 0xd6, 0xff] {
            assert_eq!(Opcode::parse(byte), None, "{byte:02x}");
        }
    }

    #[test]
    fn extension_headers_follow_the_opcode() {
        let reth: Vec<u8> = (0..=255)
            .filter(|b| Opcode::parse(*b).is_some_and(Opcode::has_reth))
            .collect();
        let aeth: Vec<u8> = (0..=255)
            .filter(|b| Opcode::parse(*b).is_some_and(Opcode::has_aeth))
            .collect();
        assert_eq!(reth, [0x06, 0x0a, 0x0c]);
        assert_eq!(aeth, [0x0d, 0x0f, 0x10, 0x11, 0xd5]);
    }

    /// The port of every opcode byte, plain and with INT (nic.md, table of ports): 4791, 54791, 54792.
    #[test]
    fn ports_follow_the_opcode() {
        let on = |role, int| -> Vec<u8> {
            let of = |byte: &u8| Opcode::parse(*byte).and_then(|opcode| opcode.port_role(int)) == Some(role);
            (0..=255).filter(of).collect()
        };
        let all: Vec<u8> = (0..=0x17).filter(|byte| *byte != 0x15).collect();
        assert_eq!(on(PortRole::Roce, false), [&all[..], &[0x81]].concat());
        assert_eq!(on(PortRole::Roce, true), [0x81]);
        assert_eq!(on(PortRole::IntEcho, true), [0x11, 0xd1, 0xd3, 0xd4, 0xd5]);
        let collecting: Vec<u8> = all.iter().copied().filter(|byte| *byte != 0x11).chain([0xd2]).collect();
        assert_eq!(on(PortRole::IntCollect, true), collecting);
        assert!(on(PortRole::IntCollect, false).is_empty() && on(PortRole::IntEcho, false).is_empty());
    }

    #[test]
    fn positions() {
        assert_eq!(Position::of(0, 1), Position::Only);
        assert_eq!(Position::of(0, 2), Position::First);
        assert_eq!(Position::of(1, 3), Position::Middle);
        assert_eq!(Position::of(1, 2), Position::Last);
    }
}
