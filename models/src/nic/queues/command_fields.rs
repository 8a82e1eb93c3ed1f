//! Layouts of commands: operations, and fields of the words that they read and write. Decoder, C header and the book's page are made from these.

use super::codes::codes;

/// Words of 32 bits of a command's body.
pub const BODY_WORDS: usize = 12;

codes! {
    /// Operation of a command of a NIC with queues: bits 7 to 0 of `COMMAND`. Smaller numbers are commands of streams.
    Operation {
        /// Create a memory region; the body says all of it.
        CreateRegion = 16, "create_region";
        /// Replace the region of the same key; the body says all of it.
        ReplaceRegion = 17, "replace_region";
        /// Destroy a memory region; the body has its key.
        DestroyRegion = 18, "destroy_region";
        /// Create the event queue of this number; the body has its ring.
        CreateEq = 19, "create_eq";
        /// Destroy an event queue.
        DestroyEq = 20, "destroy_eq";
        /// Create the completion queue of this number; the body has its ring, page and event queue.
        CreateCq = 21, "create_cq";
        /// Destroy a completion queue.
        DestroyCq = 22, "destroy_cq";
        /// Give the rings and the page of the queue pair that is created next.
        GiveQueues = 23, "give_queues";
        /// Create the queue pair of this number with the rings given before, which are used up, carried out or refused.
        CreateQp = 24, "create_qp";
        /// Move a queue pair to a state and set attributes.
        ModifyQp = 25, "modify_qp";
        /// Ask for a queue pair's state, which then stands in the body.
        QueryQp = 26, "query_qp";
        /// Destroy a queue pair.
        DestroyQp = 27, "destroy_qp";
    }
}

/// Bits of a body. Bit 0 is the lowest one of the first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyField {
    /// Name, upper case.
    pub name: &'static str,
    /// Lowest bit.
    pub low: usize,
    /// Width in bits, 64 at most.
    pub width: usize,
    /// Meaning and unit.
    pub about: &'static str,
}

/// Fields of a body, and what they belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyLayout {
    /// Name, upper case.
    pub name: &'static str,
    /// Operations that use it.
    pub of: &'static [Operation],
    /// Fields, lowest first.
    pub fields: &'static [BodyField],
}

macro_rules! layouts {
    ($($(#[$doc:meta])* $module:ident $name:literal of [$($of:ident),*] {
        $(#[doc = $about:literal] $field:ident = $low:literal, $width:literal;)*
    })*) => {
        $($(#[$doc])* pub(super) mod $module {
            use super::BodyField;
            $(#[doc = $about] pub const $field: BodyField = BodyField {
                name: stringify!($field), low: $low, width: $width, about: $about.trim_ascii_start(),
            };)*
            pub const ALL: &[BodyField] = &[$($field,)*];
        })*

        /// All layouts.
        pub const BODY_LAYOUTS: &[BodyLayout] = &[$(BodyLayout {
            name: $name, of: &[$(Operation::$of),*], fields: $module::ALL,
        },)*];
    };
}

layouts! {
    /// A memory region.
    region "REGION" of [CreateRegion, ReplaceRegion, DestroyRegion] {
        /// Key; all that `destroy_region` reads.
        KEY = 0, 32;
        /// Protection domain.
        DOMAIN = 32, 16;
        /// Bit 0 local write, 1 remote WRITE, 2 remote READ, 3 remote atomic operations, 4 invalidation by the peer.
        RIGHTS = 48, 5;
        /// First address, as programs and the wire count it.
        ADDRESS = 64, 64;
        /// Bytes.
        LENGTH = 128, 64;
        /// Added to such an address to give the memory's, without carry.
        OFFSET = 192, 64;
    }
    /// A completion queue or an event queue.
    queue "QUEUE" of [CreateEq, CreateCq] {
        /// First address of the ring.
        RING = 0, 64;
        /// Entries.
        ENTRIES = 64, 16;
        /// Event queue of its events; of a completion queue only.
        EVENTS = 80, 8;
        /// Doorbell page that it belongs to; of a completion queue only.
        PAGE = 96, 32;
    }
    /// Rings of a queue pair.
    rings "QUEUES" of [GiveQueues] {
        /// First address of the send queue.
        SEND_RING = 0, 64;
        /// First address of the receive queue.
        RECEIVE_RING = 64, 64;
        /// Entries of the send queue.
        SEND_ENTRIES = 128, 16;
        /// Entries of the receive queue.
        RECEIVE_ENTRIES = 144, 16;
        /// Doorbell page that the queue pair belongs to.
        PAGE = 160, 32;
    }
    /// A queue pair.
    pair "QP" of [CreateQp] {
        /// Protection domain.
        DOMAIN = 0, 16;
        /// Completion queue of the send queue.
        SEND_CQ = 16, 16;
        /// Completion queue of the receive queue.
        RECEIVE_CQ = 32, 16;
        /// Event queue of its events.
        EVENTS = 48, 8;
    }
    /// A move of a queue pair.
    modify "MODIFY" of [ModifyQp] {
        /// State after; the state before for attributes alone.
        STATE = 0, 8;
        /// Bit n: the attribute of number n is given.
        GIVEN = 8, 16;
        /// Rights: bit 0 WRITE, 1 READ, 2 atomic operations of the peer.
        RIGHTS = 24, 3;
        /// Path: 802.1p priority of its data.
        PRIORITY = 27, 3;
        /// Path: packets collect INT.
        INT = 30, 1;
        /// Path: the law is named; otherwise it is the NIC's default.
        HAS_LAW = 31, 1;
        /// Path: IPv4 address of the peer.
        REMOTE_IP = 32, 32;
        /// Path: UDP source port; 0 takes one from the queue pair numbers.
        UDP_PORT = 64, 16;
        /// Path: code of the law.
        LAW = 80, 8;
        /// Path MTU: n for 256 x 2^n bytes, 0 to 4.
        MTU = 88, 8;
        /// Number of the queue pair at the peer.
        REMOTE_QPN = 96, 24;
        /// Code of the RNR timer.
        RNR_TIMER = 120, 8;
        /// First PSN expected.
        EXPECTED_PSN = 128, 24;
        /// READs and atomic operations of the peer held at once.
        RESPONDER_READS = 152, 8;
        /// First PSN sent.
        SEND_PSN = 160, 24;
        /// READs and atomic operations kept outstanding.
        MAX_RD_ATOMIC = 184, 8;
        /// Retransmission timeout t: 4.096 us x 2^t, 0 for never.
        TIMEOUT = 192, 8;
        /// Timeouts without progress.
        RETRY_LIMIT = 200, 8;
        /// Waits for a receiver that is not ready; 7 for ever.
        RNR_RETRY = 208, 8;
    }
    /// State of a queue pair, as the answer to a query.
    info "INFO" of [QueryQp] {
        /// State.
        STATE = 0, 8;
        /// Status of what failed first; 0 if the host or the peer's request ended it, or nothing has.
        ENDED = 8, 8;
        /// Index behind the last entry of the send queue that has ended.
        SEND_CONSUMER = 32, 16;
        /// Index behind the last entry of the send queue that was announced.
        SEND_PRODUCER = 48, 16;
        /// Index behind the last entry of the receive queue that a message has taken.
        RECEIVE_CONSUMER = 64, 16;
        /// Index behind the last entry of the receive queue that was announced.
        RECEIVE_PRODUCER = 80, 16;
        /// Next PSN to send.
        SEND_PSN = 96, 24;
        /// Next PSN expected.
        EXPECTED_PSN = 128, 24;
    }
}

/// A command's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Body(pub [u32; BODY_WORDS]);

impl Body {
    /// Value of a field.
    pub fn get(&self, field: BodyField) -> u64 {
        let bit = |i: usize| u64::from(self.0[(field.low + i) / 32] >> ((field.low + i) % 32) & 1);
        (0..field.width).fold(0, |value, i| value | bit(i) << i)
    }

    /// Sets a field; the value is cut to it.
    pub fn put(&mut self, field: BodyField, value: u64) {
        for i in 0..field.width {
            let (word, bit) = ((field.low + i) / 32, 1 << ((field.low + i) % 32));
            match value >> i & 1 {
                0 => self.0[word] &= !bit,
                _ => self.0[word] |= bit,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap_and_fit() {
        for layout in BODY_LAYOUTS {
            let mut end = 0;
            for field in layout.fields {
                assert!(field.low >= end && field.width <= 64, "{} {}", layout.name, field.name);
                end = field.low + field.width;
            }
            assert!(end <= 32 * BODY_WORDS, "{}", layout.name);
        }
    }

    #[test]
    fn a_field_stands_across_words() {
        let field = BodyField {
            name: "",
            low: 30,
            width: 36,
            about: "",
        };
        let mut body = Body([u32::MAX; BODY_WORDS]);
        body.put(field, 0x8_0000_0001);
        assert_eq!(body.0[..3], [0x7fff_ffff, 0, 0xffff_fffe]);
        assert_eq!(body.get(field), 0x8_0000_0001);
    }
}
