//! UDP destination ports.

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
}
