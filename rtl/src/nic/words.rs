//! Words that travel between the blocks of the NIC: fields from bit 0 up, in the order of their declaration.
//!
//! Each word has a type (`RxRow`) and a module of fields (`rx_row::PSN`), so that tests and test benches name what the
//! hardware slices. The words by name, which are printed into the book, are in [`crate::words`].

use crate::prim::wide::W;

/// Place of a field in its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Name.
    pub name: &'static str,
    /// Lowest bit.
    pub low: usize,
    /// Width in bits.
    pub width: usize,
}

impl Field {
    /// The field's low 64 bits.
    pub fn get(self, limbs: &[u64]) -> u64 {
        let (word, shift) = (self.low / 64, self.low % 64);
        let high = limbs.get(word + 1).copied().unwrap_or(0);
        let value = u128::from(limbs[word]) | u128::from(high) << 64;
        let mask = if self.width >= 64 { u64::MAX } else { (1 << self.width) - 1 };
        (value >> shift) as u64 & mask
    }
    /// Sets the field, or its low 64 bits; `value` is cut to the width.
    pub fn put(self, limbs: &mut [u64], value: u64) {
        for bit in 0..self.width.min(64) {
            let (word, shift) = ((self.low + bit) / 64, (self.low + bit) % 64);
            limbs[word] = limbs[word] & !(1 << shift) | (value >> bit & 1) << shift;
        }
    }
    /// The part of the field from bit `low` on, as a field.
    pub const fn part(self, low: usize, width: usize) -> Self {
        Self {
            name: self.name,
            low: self.low + low,
            width,
        }
    }
    /// The field's bytes, those in the highest bits first (network order).
    pub fn bytes(self, limbs: &[u64]) -> Vec<u8> {
        let count = self.width / 8;
        (0..count)
            .map(|i| self.part(8 * (count - 1 - i), 8).get(limbs) as u8)
            .collect()
    }
    /// Sets the field from bytes, the first into the highest bits; bytes that are missing are zero.
    pub fn put_bytes(self, limbs: &mut [u64], bytes: &[u8]) {
        let count = self.width / 8;
        for i in 0..count {
            let byte = bytes.get(i).copied().unwrap_or(0);
            self.part(8 * (count - 1 - i), 8).put(limbs, byte.into());
        }
    }
}

macro_rules! words {
    ($($(#[$doc:meta])* $fields:ident $name:ident $bits:literal $limbs:literal {
        $($(#[$field_doc:meta])* $field:ident $width:literal,)*
    })*) => {
        $(
            $(#[$doc])*
            pub type $name = W<$bits, $limbs>;

            #[doc = concat!("Fields of [`", stringify!($name), "`].")]
            pub mod $fields {
                use super::Field;
                #[allow(clippy::upper_case_acronyms)]
                #[allow(non_camel_case_types)]
                enum Index { $($field,)* }
                const WIDTHS: &[usize] = &[$($width,)*];
                const fn low(index: usize) -> usize {
                    let (mut at, mut i) = (0, 0);
                    while i < index {
                        at += WIDTHS[i];
                        i += 1;
                    }
                    at
                }
                const _: () = assert!(low(WIDTHS.len()) == $bits && $limbs * 64 >= $bits && ($limbs - 1) * 64 < $bits);
                $(
                    $(#[$field_doc])*
                    pub const $field: Field = Field {
                        name: stringify!($field),
                        low: low(Index::$field as usize),
                        width: WIDTHS[Index::$field as usize],
                    };
                )*
                /// All fields, lowest first.
                pub const ALL: &[Field] = &[$($field,)*];
            }
        )*
        /// Every word: name, width in bits, fields.
        pub const WORDS: &[(&str, usize, &[Field])] = &[$((stringify!($name), $bits, $fields::ALL),)*];
    };
}

words! {
    /// What creates a queue pair, kept by every block that needs a part of it; written on a bus that all of them hear.
    context Context 211 4 {
        /// The queue pair exists.
        ALIVE 1,
        /// Grows by one with each creation; what carries another one is late and void.
        GENERATION 8,
        /// Address of the peer.
        REMOTE_IP 32,
        /// Its Ethernet address, first byte in the highest bits.
        REMOTE_MAC 48,
        /// Its queue pair.
        REMOTE_QPN 24,
        /// UDP source port.
        SOURCE_PORT 16,
        /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
        MTU 3,
        /// Collects INT.
        INT 1,
        /// Priority of its data, for pause.
        PRIORITY 3,
        /// First PSN sent.
        SEND_PSN 24,
        /// First PSN expected.
        EXPECTED_PSN 24,
        /// Its own number, by which the peer names it; 0: the number of its place.
        LOCAL_QPN 24,
        /// Law of both of its flows: code of a `LawCode`; one that is not built in, or needs INT that is not collected, is refused.
        LAW 3,
    }
    /// A memory region.
    region Region 195 4 {
        /// The slot is in use.
        VALID 1,
        /// Key, local and remote.
        KEY 32,
        /// First address.
        BASE 64,
        /// Bytes; base + length is at most 2^64.
        LENGTH 64,
        /// The peer may write.
        REMOTE_WRITE 1,
        /// The peer may read.
        REMOTE_READ 1,
        /// Not used.
        RESERVED 32,
    }
    /// An accepted transport packet beside the context of its queue pair.
    rx_row RxRow 550 9 {
        /// BTH opcode.
        OPCODE 8,
        /// Acknowledge request.
        ACK_REQ 1,
        /// ECN field of IPv4.
        ECN 2,
        /// Queue pair.
        QP 8,
        /// PSN.
        PSN 24,
        /// 16 bytes after the BTH, first byte in the highest bits: RETH, or AETH and 12 more.
        EXTENSION 128,
        /// First byte of the payload in the frame.
        PAYLOAD_AT 7,
        /// Bytes of payload without pad.
        PAYLOAD_LENGTH 16,
        /// Bytes of INT header and stack, 0 on plain packets.
        INT_LENGTH 6,
        /// INT header and stack, first byte in the highest bits, zero behind its length.
        INT 336,
        /// Generation of the queue pair.
        GENERATION 8,
        /// MTU code.
        MTU 3,
        /// The queue pair collects INT.
        INT_ON 1,
        /// 0 plain, 1 INT collected, 2 INT echoed.
        ROLE 2,
    }
    /// What is to happen once the memory has taken a packet's payload.
    commit Commit 421 7 {
        /// 0 nothing, 1 acknowledgement (`Response`), 2 READ (`Response`), 3 answer to the requester.
        KIND 2,
        /// Queue pair.
        QP 8,
        /// Generation.
        GENERATION 8,
        /// PSN: of the acknowledgement, the READ's first, or the answer's.
        PSN 24,
        /// AETH syndrome; 0x1f acknowledges. For answers 0x1f also for READ data.
        SYNDROME 8,
        /// MSN; of acknowledgements that have come, the NIC's clock at their arrival, ns modulo 2^24.
        MSN 24,
        /// Bytes of INT.
        INT_LENGTH 6,
        /// INT of the packet; of a READ: address 63:0, length 95:64, number of PSNs 119:96, duplicate 120.
        INT 336,
        /// Answers: 0 acknowledgement, 1 READ data, 2 READ gap, 3 READ duplicate (echo only).
        ANSWER 2,
        /// The queue pair collects INT.
        INT_ON 1,
        /// Of the responder: `MSN` counts a message that ends with this packet. Of answers: a write error happened (set by the
        /// commit stage).
        ENDS_OR_FAILED 1,
        /// Of answers: the packet came with the mark "congestion experienced".
        ECN 1,
    }
    /// What an engine decides about a packet.
    action Action 487 8 {
        /// Take the payload; skip it otherwise.
        TAKE 1,
        /// Where it goes.
        ADDRESS 64,
        /// There is something to commit.
        COMMITS 1,
        /// It.
        COMMIT 421,
    }
    /// A frame without payload on its way out.
    ack_send AckSend 417 7 {
        /// `AckKind`. Of a congestion notification only queue pair and generation count.
        KIND 3,
        /// Queue pair.
        QP 8,
        /// Generation.
        GENERATION 8,
        /// PSN.
        PSN 24,
        /// AETH syndrome.
        SYNDROME 8,
        /// MSN.
        MSN 24,
        /// Bytes of INT; 0 on plain queue pairs.
        INT_LENGTH 6,
        /// INT, first byte in the highest bits.
        INT 336,
    }
    /// A data packet on its way out; its payload follows on the stream of the memory reader.
    tx_packet TxPacket 196 4 {
        /// Queue pair.
        QP 8,
        /// Generation.
        GENERATION 8,
        /// BTH opcode.
        OPCODE 8,
        /// PSN.
        PSN 24,
        /// Acknowledge request.
        ACK_REQ 1,
        /// 0 no extension, 1 RETH, 2 AETH (in the highest 32 bits of `EXTENSION`).
        EXTENSION_KIND 2,
        /// Extension, first byte in the highest bits.
        EXTENSION 128,
        /// Bytes of payload.
        LENGTH 13,
        /// Last response of a READ: tell the response queue when it has left.
        ENDS_READ 1,
        /// It is a READ response.
        RESPONSE 1,
        /// Tag of its READ.
        TAG 2,
    }
    /// A job of the memory reader or writer.
    dma_job DmaJob 77 2 {
        /// First byte.
        ADDRESS 64,
        /// Bytes, 1 to 4096.
        LENGTH 13,
    }
    /// A message of the requester, as it lies in its queue pair's ring.
    message Message 384 6 {
        /// First PSN.
        START 24,
        /// One past the last PSN.
        END 24,
        /// READ; low: WRITE.
        READ 1,
        /// The work request ends with this message.
        LAST 1,
        /// Generation.
        GENERATION 8,
        /// Local address.
        LOCAL_ADDRESS 64,
        /// Remote address.
        REMOTE_ADDRESS 64,
        /// Remote key.
        REMOTE_KEY 32,
        /// Bytes of this message.
        LENGTH 32,
        /// Number of the work request.
        ID 64,
        /// Bytes of the work request.
        TOTAL 32,
        /// Not used.
        RESERVED 38,
    }
    /// A READ that is being answered.
    read_state ReadState 178 3 {
        /// Generation.
        GENERATION 8,
        /// PSN of the first response.
        FIRST 24,
        /// Number of responses.
        COUNT 24,
        /// Address of the first byte.
        ADDRESS 64,
        /// Bytes.
        LENGTH 32,
        /// MSN of the responses.
        MSN 24,
        /// Grows by one with each READ of the queue pair that becomes active: says which READ a response belongs to.
        TAG 2,
    }
    /// A work request (`s_axis_work_tdata`).
    work Work 320 5 {
        /// Number that the completion carries.
        ID 64,
        /// Queue pair.
        QPN 24,
        /// 0 WRITE, 1 READ.
        OPERATION 8,
        /// Local address.
        LOCAL_ADDRESS 64,
        /// Local key.
        LOCAL_KEY 32,
        /// Remote address.
        REMOTE_ADDRESS 64,
        /// Remote key.
        REMOTE_KEY 32,
        /// Bytes, 0 to 2^31.
        LENGTH 32,
    }
    /// A completion (`m_axis_completion_tdata`).
    completion Completion 192 3 {
        /// Number of the work request.
        ID 64,
        /// Queue pair.
        QPN 24,
        /// 0 WRITE, 1 READ.
        OPERATION 8,
        /// Place in the order of `hpcc_models::nic::Status`.
        STATUS 8,
        /// Bytes of the work request that arrived: all of them or, with an error, 0.
        LENGTH 32,
        /// When, ns.
        TIME 48,
        /// Not used.
        RESERVED 8,
    }
    /// A command of the host or of a control packet to the manager of queue pairs and regions.
    host_command HostCommand 416 7 {
        /// 1 create a queue pair, 2 remove it, 3 write a region slot, 4 write a neighbour slot.
        OPERATION 3,
        /// Queue pair number, or slot.
        INDEX 24,
        /// Not used.
        RESERVED 5,
        /// `Context`, `Region`, or neighbour: IP 31:0, Ethernet address 79:32.
        BODY 384,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_hold_what_is_put_and_leave_their_neighbours() {
        for (name, bits, fields) in WORDS {
            let mut limbs = vec![u64::MAX; bits.div_ceil(64)];
            for field in *fields {
                let bytes: Vec<u8> = (0..field.width / 8).map(|i| i as u8 ^ 0x5a).collect();
                if field.width > 64 {
                    field.put_bytes(&mut limbs, &bytes);
                    assert_eq!(field.bytes(&limbs), bytes, "{name}.{}", field.name);
                    field.put_bytes(&mut limbs, &vec![0xff; bytes.len()]);
                } else {
                    field.put(&mut limbs, 0x1234_5678_9abc_def1);
                    let kept = field.get(&limbs);
                    assert_eq!(
                        kept,
                        0x1234_5678_9abc_def1 & (u64::MAX >> (64 - field.width)),
                        "{name}.{}",
                        field.name
                    );
                    field.put(&mut limbs, u64::MAX);
                }
                assert!(limbs.iter().all(|limb| *limb == u64::MAX), "{name}.{}", field.name);
            }
        }
    }
}
