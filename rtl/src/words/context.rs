//! Queue pairs, memory regions, and the commands that write them.

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::kind! {
    /// What the manager of queue pairs and regions is to do.
    pub enum HostOperation {
        /// Nothing: no command has this code.
        Nothing,
        /// Create a queue pair.
        CreateQp,
        /// Remove a queue pair.
        RemoveQp,
        /// Write or remove a region.
        WriteRegion,
        /// Write a neighbour slot.
        WriteNeighbour,
        /// Write a flow's cap and group.
        LimitFlow,
    }

    /// What a memory region is used for.
    pub enum RegionAccess {
        /// Payload of this NIC's own requests is read.
        Local,
        /// A WRITE of the peer.
        RemoteWrite,
        /// A READ of the peer.
        RemoteRead,
        /// Data of this NIC's own READs is written.
        LocalWrite,
    }

    /// How a command went.
    pub enum CommandResult {
        /// Carried out.
        Done,
        /// Refused: no such operation.
        BadOperation,
        /// Refused: number that no queue pair, slot or flow has, or own number that is not its place's.
        BadNumber,
        /// Refused: MTU.
        BadMtu,
        /// Refused: the queue pair exists, or another region has the key's entry.
        Exists,
        /// Refused: no such queue pair, or no region of this key.
        Absent,
        /// Refused: a law that is not built in, or that needs INT where the queue pair collects none.
        BadLaw,
        /// Refused: another command was being carried out.
        Busy,
    }

    /// What the gate of control packets does in a clock.
    pub enum GateStep {
        /// Takes a packet.
        Idle,
        /// Its fields are compared.
        Compare,
        /// Is it admitted?
        Judge,
        /// The request is offered.
        Offer,
    }

    /// What the manager of queue pairs and regions does in a clock.
    pub enum ManagerStep {
        /// Takes a command or a control packet.
        Idle,
        /// The queue pair's state is addressed.
        ReadState,
        /// It is on its way from memory.
        AwaitState,
        /// What is to be done is decided.
        Decide,
        /// A neighbour slot is addressed.
        AddressNeighbour,
        /// It is on its way from memory.
        AwaitNeighbour,
        /// Is it the peer's?
        CompareNeighbour,
        /// Its addresses are taken if it is the one, or the next one is read.
        TakeNeighbour,
        /// The context is voided.
        Void,
        /// The requester completes what it has.
        RemoveWork,
        /// The scheduler forgets the flows.
        RemoveFlow,
        /// The law forgets the flows.
        RemoveLaw,
        /// Memory jobs that may still be made for it are made.
        Settle,
        /// All of them end.
        AwaitQuiet,
        /// A flow gets its cap and group.
        Limit,
        /// The scheduler learns of the flows.
        CreateFlow,
        /// The law learns of the flows.
        CreateLaw,
        /// Flows without a law get their window and rate.
        FirstRate,
        /// The context goes out, alive.
        Publish,
        /// A control packet's work request goes to the requester.
        PostWork,
        /// It is told how it went.
        Report,
    }
}

crate::word! {
    /// What creates a queue pair, kept by every block that needs a part of it; written on a bus that all of them hear.
    pub struct QpContext {
        /// The queue pair exists.
        alive: Bit,
        /// Grows by one with each creation; what carries another one is late and void.
        generation: U<8>,
        /// Address of the peer.
        remote_ip: U<32>,
        /// Its Ethernet address, first byte in the highest bits.
        remote_mac: U<48>,
        /// Its queue pair.
        remote_qpn: U<24>,
        /// UDP source port.
        source_port: U<16>,
        /// Payload of a full packet is 256 << mtu bytes, 0 to 4.
        mtu: U<3>,
        /// Collects INT.
        int_on: Bit,
        /// Priority of its data, for pause.
        pause_class: U<3>,
        /// First PSN sent.
        send_psn: U<24>,
        /// First PSN expected.
        expected_psn: U<24>,
        /// Its own number, by which the peer names it; 0: that of its place. The lowest 8 bits are the place; any other number is refused.
        local_qpn: U<24>,
        /// Law of both of its flows: code of a `LawCode`; one that is not built in, or needs INT that is not collected, is refused.
        law: U<3>,
        /// Protection domain: the queue pair uses regions of the same domain alone.
        domain: U<16>,
        /// The peer's WRITEs are refused, whatever the region allows.
        refuse_write: Bit,
        /// The peer's READs are refused, whatever the region allows.
        refuse_read: Bit,
    }

    /// A memory region.
    pub struct Region {
        /// The region exists; low: the region of this key is removed.
        valid: Bit,
        /// Key, local and remote, a `RegionKey`. A second key of an entry in use is refused.
        key: U<32>,
        /// First address, as work requests and the wire count it.
        base: U<64>,
        /// Bytes; base + length is at most 2^64.
        length: U<64>,
        /// The peer may write.
        remote_write: Bit,
        /// The peer may read.
        remote_read: Bit,
        /// Own READs may not write.
        read_only: Bit,
        /// Protection domain: used by queue pairs of the same domain alone.
        domain: U<16>,
        /// Added to an address to give that of memory, modulo 2^64.
        offset: U<64>,
    }

    /// Key of a region.
    pub struct RegionKey {
        /// Any value that the host chose.
        low: U<8>,
        /// Entry of the region in the table.
        entry: U<5>,
        /// Any value that the host chose.
        high: U<19>,
    }

    /// A region as it was when an access to it was allowed. It stands no longer once its entry has been written again.
    pub struct RegionGuard {
        /// Entry of the region.
        entry: U<5>,
        /// How often the entry had been written, modulo 2^16.
        count: U<16>,
    }

    /// What is known of an entry of the table of regions.
    pub struct EntryInUse {
        /// There is a region.
        valid: Bit,
        /// How often the entry has been written, modulo 2^16.
        count: U<16>,
    }

    /// Who has an entry of the table of regions.
    pub struct KnownRegion {
        /// There is a region.
        valid: Bit,
        /// Key of the region.
        key: U<32>,
    }

    /// A command of the host or of a control packet to the manager of queue pairs and regions.
    pub struct HostCommand {
        /// What is to be done: code of a `HostOperation`; any other is refused.
        operation: U<3>,
        /// Place of a queue pair, slot of a neighbour, or flow; of regions it is not used.
        index: U<24>,
        /// Not used.
        reserved: U<5>,
        /// A `QpContext`, a `Region` or a `Neighbour`, in the lowest bits.
        body: W<384, 6>,
    }

    /// Where a control packet finds the Ethernet address of a peer.
    pub struct Neighbour {
        /// IPv4 address.
        ip: U<32>,
        /// Ethernet address, first byte in the highest bits.
        mac: U<48>,
    }

    /// What the manager knows of a queue pair.
    pub struct QpLife {
        /// The queue pair or flow exists.
        alive: Bit,
        /// Code of its law.
        law: U<3>,
        /// Generation of the queue pair.
        generation: U<8>,
        /// A control packet created it.
        by_packet: Bit,
    }

    /// Cap and group of a flow, in the body of a command.
    pub struct FlowLimit {
        /// Cap, UQ7.27 bytes per ns.
        rate: U<34>,
        /// Not used.
        reserved: U<2>,
        /// Group.
        group: U<4>,
        /// Not used.
        reserved_high: U<23>,
        /// There is a cap.
        limited: Bit,
    }

    /// Number of a work request that a control packet made.
    pub struct ControlWorkId {
        /// Counts them.
        count: U<63>,
        /// High.
        by_packet: Bit,
    }

    /// What a control packet asks for, first byte in the highest bits.
    pub struct ControlRequest {
        /// Bytes of the message.
        length: U<32>,
        /// Remote address.
        remote_address: U<64>,
        /// Remote key.
        remote_key: U<32>,
        /// Local key.
        local_key: U<32>,
        /// Local address.
        local_address: U<64>,
        /// First PSN.
        first_psn: U<24>,
        /// Zero.
        first_psn_high: U<8>,
        /// IPv4 address of the peer.
        remote_ip: U<32>,
        /// Queue pair of the peer.
        remote_qpn: U<24>,
        /// Zero.
        remote_qpn_high: U<8>,
        /// Own queue pair.
        qpn: U<24>,
        /// Zero.
        qpn_high: U<8>,
    }

    /// The 70 bytes of a control packet after UDP, first byte in the highest bits.
    pub struct ControlBody {
        /// Bytes that follow.
        rest: U<16>,
        /// The request.
        request: ControlRequest,
        /// Sequence number, which grows.
        sequence_number: U<64>,
        /// Key of the NIC.
        key: U<64>,
        /// Not used.
        reserved: U<16>,
        /// 1 create and WRITE, 2 create and READ, 3 remove.
        operation: U<8>,
        /// 1.
        version: U<8>,
        /// `HPCC`.
        magic: U<32>,
    }

    /// A control packet that was let in.
    pub struct AdmittedRequest {
        /// What it asks for.
        request: ControlRequest,
        /// 1 create and WRITE, 2 create and READ, 3 remove.
        operation: U<2>,
    }
}
