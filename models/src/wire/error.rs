//! Why bytes are not the header they should be.

use thiserror::Error;

/// Reason why a header or frame cannot be read. Each is a counter of its own in the NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WireError {
    /// Fewer bytes than the header or the length it states.
    #[error("{header}: {have} bytes where {need} are needed")]
    Truncated {
        /// Header that did not fit.
        header: &'static str,
        /// Bytes needed.
        need: usize,
        /// Bytes there.
        have: usize,
    },
    /// EtherType (after one VLAN tag at most) is not IPv4.
    #[error("Ethernet: type 0x{0:04x} is not IPv4")]
    EtherType(u16),
    /// IP version is not 4.
    #[error("IPv4: version {0}")]
    IpVersion(u8),
    /// Header longer or shorter than 20 bytes.
    #[error("IPv4: header length {0} words, options are not supported")]
    IpOptions(u8),
    /// Total length is shorter than the header or longer than the frame.
    #[error("IPv4: total length {total} in {have} bytes")]
    IpLength {
        /// Total length field.
        total: usize,
        /// Bytes from the start of the IP header.
        have: usize,
    },
    /// Header checksum is wrong.
    #[error("IPv4: header checksum is wrong")]
    IpChecksum,
    /// A fragment of a larger packet.
    #[error("IPv4: fragment")]
    IpFragment,
    /// Protocol is not UDP.
    #[error("IPv4: protocol {0} is not UDP")]
    IpProtocol(u8),
    /// UDP length differs from what IP carries.
    #[error("UDP: length {udp} in {ip} bytes of IP payload")]
    UdpLength {
        /// UDP length field.
        udp: usize,
        /// IP payload bytes.
        ip: usize,
    },
    /// UDP checksum is neither absent nor right.
    #[error("UDP: checksum is wrong")]
    UdpChecksum,
    /// Opcode is not one of the reliable connection service.
    #[error("BTH: opcode 0x{0:02x} is not of the reliable connection service")]
    Opcode(u8),
    /// Pad count exceeds the payload.
    #[error("BTH: {pad} pad bytes in {have} bytes of payload")]
    Pad {
        /// Pad count.
        pad: usize,
        /// Bytes between the headers and the ICRC.
        have: usize,
    },
    /// ICRC does not match.
    #[error("ICRC: 0x{found:08x} on the wire, 0x{expected:08x} computed")]
    Icrc {
        /// Value on the wire.
        found: u32,
        /// Value computed.
        expected: u32,
    },
    /// Control packet: a fixed field has another value.
    #[error("control packet: {0} is not valid")]
    Control(&'static str),
}
