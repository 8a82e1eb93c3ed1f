//! Requests of a program's library to the daemon, and replies. Each is one message of fixed size on a socket that keeps messages apart;
//! descriptors travel beside it.

pub use crate::addresses::{gid, guid, ip, mac, name};
use crate::fields::{Reader, Writer};
pub use crate::qp_attributes::QpAttributes;

/// Bytes of a request and of a reply.
pub const MESSAGE: usize = 256;
/// NICs of a daemon at most: as many as a reply lists.
pub const NICS: u32 = 250;
/// Bytes of one transfer through the helper thread at most.
pub const HELPER_STEP: usize = 64 << 10;
/// Bytes in front of the data of such a transfer: write or read, address, bytes; its answer has the result there.
pub const HELPER_HEAD: usize = 24;

/// `EINVAL` and the like, as the program's library returns them.
pub mod errno {
    /// No such thing.
    pub const ENOENT: i32 = 2;
    /// The daemon is gone.
    pub const EIO: i32 = 5;
    /// No memory, or no place in a table.
    pub const ENOMEM: i32 = 12;
    /// Address of memory that the program does not have.
    pub const EFAULT: i32 = 14;
    /// Still in use.
    pub const EBUSY: i32 = 16;
    /// No such device.
    pub const ENODEV: i32 = 19;
    /// Wrong use.
    pub const EINVAL: i32 = 22;
    /// No such request.
    pub const ENOSYS: i32 = 38;
    /// The NIC does not offer it.
    pub const EOPNOTSUPP: i32 = 95;
}

/// Declares requests: numbers of 64 and 32 bits in the order of their fields.
macro_rules! requests {
    ($($(#[$doc:meta])* $name:ident = $op:literal { $($(#[$field_doc:meta])* $field:ident: $type:ident,)* })*) => {
        /// What a program asks of the daemon.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Request { $($(#[$doc])* $name { $($(#[$field_doc])* $field: $type,)* },)* }

        impl Request {
            /// The message.
            pub fn encode(&self) -> [u8; MESSAGE] {
                let mut bytes = [0; MESSAGE];
                let mut w = Writer::new(&mut bytes);
                match *self {
                    $(Self::$name { $($field,)* } => {
                        w.put(&u32::to_le_bytes($op));
                        $(Field::write(&$field, &mut w);)*
                    })*
                }
                bytes
            }

            /// The request of a message, if there is one of its number.
            pub fn decode(bytes: &[u8; MESSAGE]) -> Option<Self> {
                let mut r = Reader::new(bytes);
                match r.u32() {
                    $($op => Some(Self::$name { $($field: <$type as Field>::read(&mut r),)* }),)*
                    _ => None,
                }
            }
        }
    };
}

trait Field {
    fn write(&self, w: &mut Writer);
    fn read(r: &mut Reader) -> Self;
}

impl Field for u32 {
    fn write(&self, w: &mut Writer) {
        w.put(&self.to_le_bytes());
    }
    fn read(r: &mut Reader) -> Self {
        r.u32()
    }
}

impl Field for u64 {
    fn write(&self, w: &mut Writer) {
        w.put(&self.to_le_bytes());
    }
    fn read(r: &mut Reader) -> Self {
        r.u64()
    }
}

impl Field for QpAttributes {
    fn write(&self, w: &mut Writer) {
        QpAttributes::write(self, w);
    }
    fn read(r: &mut Reader) -> Self {
        QpAttributes::read(r)
    }
}

requests! {
    /// How many NICs there are.
    List = 1 {}
    /// Opens a NIC. Beside the reply travel the shared memory, the descriptor that wakes the daemon, the pipe of asynchronous events and the
    /// socket of the helper thread.
    Open = 2 {
        /// Number of the NIC.
        nic: u32,
        /// Not 0: the program's memory is to be reached through its helper thread.
        helper: u32,
        /// Not 0: the NICs' clock stands while the program runs.
        virtual_time: u32,
        /// Address of 8 bytes that the daemon reads to see whether it may.
        probe: u64,
    }
    /// A protection domain.
    AllocPd = 3 {}
    /// Ends a protection domain.
    DeallocPd = 4 {
        /// Number.
        pd: u32,
    }
    /// Registers memory, or changes what a key means.
    RegMr = 5 {
        /// Protection domain.
        pd: u32,
        /// `enum ibv_access_flags`.
        access: u32,
        /// Key of a registration to change, 0 for a new one.
        key: u32,
        /// First address.
        address: u64,
        /// Bytes.
        length: u64,
        /// First address as work requests and the peer count it.
        iova: u64,
    }
    /// Ends a registration.
    DeregMr = 6 {
        /// Key.
        key: u32,
    }
    /// A completion channel; its pipe travels beside the reply.
    CreateChannel = 7 {}
    /// Ends a completion channel.
    DestroyChannel = 8 {
        /// Number.
        channel: u32,
    }
    /// A completion queue.
    CreateCq = 9 {
        /// Channel, 0 for none.
        channel: u32,
        /// Entries.
        entries: u32,
        /// Place of the ring in the shared memory.
        ring: u64,
    }
    /// Ends a completion queue.
    DestroyCq = 10 {
        /// Number.
        cq: u32,
    }
    /// A queue pair.
    CreateQp = 11 {
        /// Protection domain.
        pd: u32,
        /// Completion queue of the send queue.
        send_cq: u32,
        /// Completion queue of the receive queue.
        receive_cq: u32,
        /// Slots of the send queue.
        sends: u32,
        /// Slots of the receive queue.
        receives: u32,
        /// Bytes for inline data of each slot of the send queue.
        inline_bytes: u32,
        /// Place of the send queue in the shared memory.
        send: u64,
        /// Place of the receive queue in the shared memory.
        receive: u64,
        /// Place of the inline data in the shared memory.
        inline: u64,
    }
    /// Moves a queue pair to a state and sets attributes.
    ModifyQp = 12 {
        /// Number.
        qp: u32,
        /// Attributes.
        attributes: QpAttributes,
    }
    /// State of a queue pair.
    QueryQp = 13 {
        /// Number.
        qp: u32,
    }
    /// Ends a queue pair.
    DestroyQp = 14 {
        /// Number.
        qp: u32,
    }
}

/// What the daemon answers. Which numbers mean what, each request says in [`Reply`]'s fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// 0, or an error number.
    pub error: i32,
    /// Number of what was made; of a list: NICs; of a query: `enum ibv_qp_state`.
    pub number: u32,
    /// Record of its doorbell words in the shared memory.
    pub slot: u32,
    /// Of a queue pair: low bits of its number, for doorbells. Of an opened NIC: not 0 if the program has to help.
    pub place: u32,
    /// Of a queue pair: key of its inline data.
    pub key: u32,
}

impl Reply {
    /// Nothing but an error.
    pub fn error(error: i32) -> Self {
        Self {
            error,
            ..Self::default()
        }
    }

    /// The message.
    pub fn encode(&self) -> [u8; MESSAGE] {
        let mut bytes = [0; MESSAGE];
        let mut w = Writer::new(&mut bytes);
        w.put(&self.error.to_le_bytes());
        let words = [self.number, self.slot, self.place, self.key];
        words.iter().for_each(|word| w.put(&word.to_le_bytes()));
        bytes
    }

    /// The reply of a message.
    pub fn decode(bytes: &[u8; MESSAGE]) -> Self {
        let mut r = Reader::new(bytes);
        Self {
            error: r.u32() as i32,
            number: r.u32(),
            slot: r.u32(),
            place: r.u32(),
            key: r.u32(),
        }
    }
}

/// Record of an asynchronous event in its pipe: number of the completion queue or queue pair, then `enum ibv_event_type`.
pub const EVENT: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_as_they_were() {
        let attributes = QpAttributes {
            mask: 0x1f_ffff,
            state: 3,
            dgid: gid(4),
            rnr_retry: 7,
            sq_psn: 0xff_ffff,
            ..QpAttributes::default()
        };
        let requests = [
            Request::List {},
            Request::Open {
                nic: 1,
                helper: 1,
                virtual_time: 0,
                probe: u64::MAX,
            },
            Request::RegMr {
                pd: 1,
                access: 15,
                key: 7,
                address: 1 << 40,
                length: 4096,
                iova: 3,
            },
            Request::ModifyQp { qp: 0x11, attributes },
            Request::CreateQp {
                pd: 1,
                send_cq: 2,
                receive_cq: 3,
                sends: 16,
                receives: 32,
                inline_bytes: 512,
                send: 1 << 20,
                receive: 2 << 20,
                inline: 3 << 20,
            },
        ];
        for request in requests {
            assert_eq!(Request::decode(&request.encode()), Some(request));
        }
        assert_eq!(Request::decode(&[0xff; MESSAGE]), None);
        let reply = Reply {
            error: errno::EFAULT,
            number: 3,
            slot: 4,
            place: 5,
            key: 6,
        };
        assert_eq!(Reply::decode(&reply.encode()), reply);
    }
}
