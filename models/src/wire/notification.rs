//! What a receiver computed for a flow's sender (HPCC++, draft-miao-ccwg-hpcc 6.3.2, line 31, "send_ack(W)", and 5, N; the form is decided here): the
//! 16 bytes behind the BTH of a packet with opcode 0xd4.

use super::bytes::{check_len, get, get16, get32, put};
use super::WireError;
use crate::fixed::formats::Window;
use fixed::FixedU64;

mod field {
    use core::ops::Range;
    pub const FLAGS: usize = 0;
    pub const RESERVED: usize = 1;
    pub const FLOWS: Range<usize> = 2..4;
    pub const WINDOW: Range<usize> = 4..12;
    pub const SEQUENCE: Range<usize> = 12..16;
}

/// Bytes of a notification.
pub const NOTIFICATION_LEN: usize = field::SEQUENCE.end;

/// Flag: the window counts.
const HAS_WINDOW: u8 = 1;
/// Flag: the number of flows counts.
const HAS_FLOWS: u8 = 2;

/// What a receiver tells a flow's sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationRepr {
    /// Window of the law that runs at the receiver, payload bytes: UQ53.11, of which the law uses UQ23.11.
    pub window: Option<Window>,
    /// Flows with data at the receiver in one `T`; 0: not known.
    pub flows: Option<u16>,
    /// Number of the notification, 32 bits in serial arithmetic; one more than that of the flow's last.
    pub sequence: u32,
}

impl NotificationRepr {
    /// Reads a notification from the front of `data`; unknown flags and reserved bits do not matter.
    pub fn parse(data: &[u8]) -> Result<Self, WireError> {
        check_len("notification", data, NOTIFICATION_LEN)?;
        let has = |flag: u8| data[field::FLAGS] & flag != 0;
        Ok(Self {
            window: has(HAS_WINDOW).then(|| FixedU64::from_bits(get(data, field::WINDOW))),
            flows: has(HAS_FLOWS).then(|| get16(data, field::FLOWS)),
            sequence: get32(data, field::SEQUENCE),
        })
    }

    /// Its bytes.
    pub fn emit(&self) -> [u8; NOTIFICATION_LEN] {
        let mut out = [0; NOTIFICATION_LEN];
        let flag = |there: bool, flag: u8| if there { flag } else { 0 };
        out[field::FLAGS] = flag(self.window.is_some(), HAS_WINDOW) | flag(self.flows.is_some(), HAS_FLOWS);
        out[field::RESERVED] = 0;
        put(&mut out, field::FLOWS, self.flows.unwrap_or(0).into());
        put(&mut out, field::WINDOW, self.window.unwrap_or_default().to_bits());
        put(&mut out, field::SEQUENCE, self.sequence.into());
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the design: W = 81250, N = 12, number 7.
    #[test]
    fn the_worked_example() {
        let bytes = [0x03, 0, 0, 0x0c, 0, 0, 0, 0, 0x09, 0xeb, 0x10, 0, 0, 0, 0, 7];
        let notification = NotificationRepr {
            window: Some(Window::from_num(81_250)),
            flows: Some(12),
            sequence: 7,
        };
        assert_eq!(NotificationRepr::parse(&bytes), Ok(notification));
        assert_eq!(notification.emit(), bytes);
        assert!(NotificationRepr::parse(&bytes[..15]).is_err());
    }

    #[test]
    fn what_no_flag_announces_is_not_there() {
        let bytes = [
            0xfc, 0xff, 0, 0x0c, 0, 0, 0, 0, 0x09, 0xeb, 0x10, 0, 0xff, 0xff, 0xff, 0xff,
        ];
        let notification = NotificationRepr::parse(&bytes).unwrap();
        assert_eq!(
            (notification.window, notification.flows, notification.sequence),
            (None, None, u32::MAX)
        );
        let half = NotificationRepr {
            window: Some(Window::from_num(0.5)),
            ..notification
        };
        let emitted = half.emit();
        assert_eq!(emitted[..12], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0]);
        assert_eq!(NotificationRepr::parse(&emitted), Ok(half));
    }
}
