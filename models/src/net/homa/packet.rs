//! What HOMA hosts send each other (HOMA, 3.2).

/// A packet of HOMA. Offsets are payload bytes of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HomaPacket {
    /// DATA: payload.
    Data {
        /// First byte.
        offset: u64,
        /// Bytes.
        len: u32,
        /// Was sent before.
        again: bool,
    },
    /// GRANT: bytes below `upto` may be sent.
    Grant {
        /// First byte that may not.
        upto: u64,
        /// With this priority from now on.
        priority: u8,
    },
    /// RESEND: bytes `from` to `upto` are missing.
    Resend {
        /// First missing byte.
        from: u64,
        /// First byte that is not asked for.
        upto: u64,
        /// With this priority.
        priority: u8,
    },
    /// BUSY: what was asked for has not been sent yet, and will be.
    Busy,
    /// ACK (`HomaModule`): the whole message is there.
    Ack,
    /// NEED_ACK (`HomaModule`): the sender has sent all that it may and has heard nothing.
    NeedAck,
}

/// What both ends know of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageRules {
    /// Payload, bytes.
    pub size: u64,
    /// `RTTBytes` in whole packets.
    pub rtt_bytes: u64,
    /// Payload of a full packet, bytes.
    pub mtu: u32,
}

impl MessageRules {
    /// First byte that needs a grant.
    pub fn unscheduled(&self) -> u64 {
        self.size.min(self.rtt_bytes)
    }

    /// Payload of the packet that starts at a byte.
    pub fn packet(&self, offset: u64) -> u32 {
        u64::from(self.mtu).min(self.size - offset) as u32
    }
}
