//! UDP destination ports, and where the BTH begins behind an INT header.

use super::bytes::check_len;
use super::int::INT_RECORD_LEN;
use super::WireError;

/// What a UDP destination port carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PortRole {
    /// Plain RoCEv2, never stamped.
    Roce,
    /// INT being collected: data and READ requests.
    IntCollect,
    /// INT echoed: ACK, NAK, READ echo; never stamped.
    IntEcho,
    /// Control packets.
    Control,
}

/// The four UDP destination ports (registers).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    /// Plain RoCEv2.
    pub roce: u16,
    /// INT being collected.
    pub int_collect: u16,
    /// INT echoed.
    pub int_echo: u16,
    /// Control packets.
    pub control: u16,
}

impl Default for Ports {
    fn default() -> Self {
        Self {
            roce: 4791,
            int_collect: 54791,
            int_echo: 54792,
            control: 54793,
        }
    }
}

impl Ports {
    /// What `port` carries, if anything of ours.
    pub fn role(&self, port: u16) -> Option<PortRole> {
        [
            (self.roce, PortRole::Roce),
            (self.int_collect, PortRole::IntCollect),
            (self.int_echo, PortRole::IntEcho),
            (self.control, PortRole::Control),
        ]
        .into_iter()
        .find_map(|(number, role)| (number == port).then_some(role))
    }

    /// The port of a role.
    pub fn number(&self, role: PortRole) -> u16 {
        match role {
            PortRole::Roce => self.roce,
            PortRole::IntCollect => self.int_collect,
            PortRole::IntEcho => self.int_echo,
            PortRole::Control => self.control,
        }
    }
}

impl PortRole {
    /// An INT header stands between UDP and BTH.
    pub fn has_int(self) -> bool {
        matches!(self, Self::IntCollect | Self::IntEcho)
    }
}

/// Bytes of the INT header without records: `nHop` 4 bits, `pathID` 12 bits.
pub const INT_FIXED_LEN: usize = 2;
/// The INT header that a sender writes.
pub const INT_EMPTY: [u8; INT_FIXED_LEN] = [0; INT_FIXED_LEN];

const INT_RECORDS: usize = crate::cc::MAX_HOPS;

/// Bytes of the INT header and stack at the front of `data` (a UDP payload): `2 + 8 min(nHop, 5)`.
pub fn int_header_len(data: &[u8]) -> Result<usize, WireError> {
    check_len("INT", data, INT_FIXED_LEN)?;
    let len = INT_FIXED_LEN + INT_RECORD_LEN * usize::from(data[0] >> 4).min(INT_RECORDS);
    check_len("INT", data, len)?;
    Ok(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_there_and_back() {
        let ports = Ports::default();
        for role in [
            PortRole::Roce,
            PortRole::IntCollect,
            PortRole::IntEcho,
            PortRole::Control,
        ] {
            assert_eq!(ports.role(ports.number(role)), Some(role));
        }
        for other in [0, 4790, 4792, 54790, 54794] {
            assert_eq!(ports.role(other), None);
        }
    }

    #[test]
    fn int_length_stops_at_five_records() {
        let mut data = [0; 64];
        for n_hop in 0..16u8 {
            data[0] = n_hop << 4 | 0xf;
            let len = 2 + 8 * usize::from(n_hop.min(5));
            assert_eq!(int_header_len(&data), Ok(len));
            assert_eq!(int_header_len(&data[..len]), Ok(len));
            assert!(int_header_len(&data[..len - 1]).is_err());
        }
    }
}
