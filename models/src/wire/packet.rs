//! A whole RoCEv2 frame, with or without INT: all headers at once.

use super::*;

/// Extended transport header after the BTH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// None, or one this NIC does not know: its bytes are part of the payload.
    None,
    /// RDMA: WRITE First and Only, READ request.
    Reth(RethRepr),
    /// ACK: acknowledgements, READ response First, Last and Only.
    Aeth(AethRepr),
}

impl Extension {
    fn header_len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Reth(_) => RETH_LEN,
            Self::Aeth(_) => AETH_LEN,
        }
    }
}

/// A RoCEv2 frame. Lengths, pad count and ICRC follow from the rest when it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RocePacket<'a> {
    /// Ethernet header.
    pub ethernet: EthernetRepr,
    /// IPv4 header; the payload length is set by [`Self::emit`].
    pub ipv4: Ipv4Repr,
    /// UDP header; the payload length is set by [`Self::emit`].
    pub udp: UdpRepr,
    /// INT header and stack as on the wire; empty on plain packets.
    pub int: &'a [u8],
    /// Base transport header; the pad count is set by [`Self::emit`].
    pub bth: BthRepr,
    /// Header after the BTH.
    pub extension: Extension,
    /// Payload without pad bytes.
    pub payload: &'a [u8],
}

impl<'a> RocePacket<'a> {
    /// Reads a frame and checks everything in it that needs no state: lengths, checksums, opcode, ICRC.
    pub fn parse(frame: &'a [u8], ports: &Ports) -> Result<Self, WireError> {
        Self::parse_frame(frame, ports, false)
    }

    /// The same of a frame whose ICRC covers INT header and stack, as [`Self::to_frame_with_int_covered`] makes it.
    pub fn parse_with_int_covered(frame: &'a [u8], ports: &Ports) -> Result<Self, WireError> {
        Self::parse_frame(frame, ports, true)
    }

    fn parse_frame(frame: &'a [u8], ports: &Ports, with_int: bool) -> Result<Self, WireError> {
        let ethernet_view = EthernetView::new_checked(frame)?;
        let ethernet = EthernetRepr::parse(&ethernet_view);
        if ethernet.ethertype != ETHERTYPE_IPV4 {
            return Err(WireError::EtherType(ethernet.ethertype));
        }
        let packet = &frame[ethernet.header_len()..];
        let ipv4 = Ipv4Repr::parse(&Ipv4View::new_checked(packet)?)?;
        if ipv4.protocol != PROTOCOL_UDP {
            return Err(WireError::IpProtocol(ipv4.protocol));
        }
        let packet = &packet[..IPV4_LEN + ipv4.payload_len];
        let udp_view = UdpView::new_checked(&packet[IPV4_LEN..])?;
        if !udp_view.checksum_ok(ipv4.src, ipv4.dst) {
            return Err(WireError::UdpChecksum);
        }
        let udp = UdpRepr::parse(&udp_view);
        Self::parse_covered((ethernet, ipv4, udp), packet, ports, with_int, |_| true)
    }

    /// Reads the rest of `packet` (from the first byte of IP to the last of the ICRC), whose outer headers are known; `with_int`: the ICRC covers INT
    /// header and stack. Opcodes that the reader does not know (`knows`) are refused like undefined ones.
    pub fn parse_covered(
        (ethernet, ipv4, udp): (EthernetRepr, Ipv4Repr, UdpRepr),
        packet: &'a [u8],
        ports: &Ports,
        with_int: bool,
        knows: impl Fn(Opcode) -> bool,
    ) -> Result<Self, WireError> {
        let data = &packet[IPV4_LEN + UDP_LEN..];
        let int_len = match ports.role(udp.dst_port) {
            Some(role) if role.has_int() => int_header_len(data)?,
            _ => 0,
        };
        let (int, transport) = data.split_at(int_len);
        let (header, body) = split(transport, BTH_LEN, "BTH")?;
        let (body, found) = match body.len().checked_sub(ICRC_LEN) {
            Some(at) => body.split_at(at),
            None => {
                return Err(WireError::Truncated {
                    header: "ICRC",
                    need: ICRC_LEN,
                    have: body.len(),
                })
            }
        };
        let found = u32::from_le_bytes([found[0], found[1], found[2], found[3]]);
        let front = &packet[..packet.len() - ICRC_LEN];
        let expected = if with_int {
            icrc_with_int(front, int_len)
        } else {
            icrc(front, int_len)
        };
        let expected = expected.unwrap_or(!found);
        if found != expected {
            return Err(WireError::Icrc { found, expected });
        }
        let bth = BthRepr::parse(&BthView::new_checked(header)?)?;
        if !knows(bth.opcode) {
            return Err(WireError::Opcode(bth.opcode.emit()));
        }
        let (extension, body) = if bth.opcode.has_reth() {
            let (header, body) = split(body, RETH_LEN, "RETH")?;
            (Extension::Reth(RethRepr::parse(&RethView::new_checked(header)?)), body)
        } else if bth.opcode.has_aeth() {
            let (header, body) = split(body, AETH_LEN, "AETH")?;
            (Extension::Aeth(AethRepr::parse(&AethView::new_checked(header)?)), body)
        } else {
            (Extension::None, body)
        };
        let pad = usize::from(bth.pad);
        let len = body
            .len()
            .checked_sub(pad)
            .ok_or(WireError::Pad { pad, have: body.len() })?;
        Ok(Self {
            ethernet,
            ipv4,
            udp,
            int,
            bth,
            extension,
            payload: &body[..len],
        })
    }

    /// Bytes of the frame without FCS.
    pub fn frame_len(&self) -> usize {
        self.ethernet.header_len() + IPV4_LEN + UDP_LEN + self.transport_len()
    }

    fn pad(&self) -> usize {
        self.payload.len().wrapping_neg() & 3
    }

    fn transport_len(&self) -> usize {
        self.int.len() + BTH_LEN + self.extension.header_len() + self.payload.len() + self.pad() + ICRC_LEN
    }

    /// Writes the frame to the front of `buffer`, which holds at least [`Self::frame_len`] bytes.
    pub fn emit(&self, buffer: &mut [u8]) {
        let transport_len = self.transport_len();
        self.ethernet.emit(buffer);
        let packet = &mut buffer[self.ethernet.header_len()..self.frame_len()];
        Ipv4Repr {
            payload_len: UDP_LEN + transport_len,
            ..self.ipv4
        }
        .emit(packet);
        UdpRepr {
            payload_len: transport_len,
            ..self.udp
        }
        .emit(&mut packet[IPV4_LEN..]);
        let mut at = IPV4_LEN + UDP_LEN;
        packet[at..at + self.int.len()].copy_from_slice(self.int);
        at += self.int.len();
        BthRepr {
            pad: self.pad() as u8,
            ..self.bth
        }
        .emit(&mut packet[at..]);
        at += BTH_LEN;
        match &self.extension {
            Extension::None => {}
            Extension::Reth(reth) => reth.emit(&mut packet[at..]),
            Extension::Aeth(aeth) => aeth.emit(&mut packet[at..]),
        }
        at += self.extension.header_len();
        packet[at..at + self.payload.len()].copy_from_slice(self.payload);
        at += self.payload.len();
        packet[at..at + self.pad()].fill(0);
        at += self.pad();
        let value = icrc(&packet[..at], self.int.len()).unwrap_or_default();
        packet[at..].copy_from_slice(&value.to_le_bytes());
    }

    /// The frame as bytes, with an ICRC that covers INT header and stack.
    pub fn to_frame_with_int_covered(&self) -> Vec<u8> {
        let mut frame = self.to_frame();
        let packet = &mut frame[self.ethernet.header_len()..];
        let at = packet.len() - ICRC_LEN;
        let value = icrc_with_int(&packet[..at], self.int.len()).unwrap_or_default();
        packet[at..].copy_from_slice(&value.to_le_bytes());
        frame
    }

    /// The frame as bytes.
    pub fn to_frame(&self) -> Vec<u8> {
        let mut frame = vec![0; self.frame_len()];
        self.emit(&mut frame);
        frame
    }
}

fn split<'a>(data: &'a [u8], at: usize, header: &'static str) -> Result<(&'a [u8], &'a [u8]), WireError> {
    data.split_at_checked(at).ok_or(WireError::Truncated {
        header,
        need: at,
        have: data.len(),
    })
}
