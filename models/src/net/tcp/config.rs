//! What a TCP host can be told.

/// Picoseconds in a millisecond.
const PS_PER_MS: u64 = 1_000_000_000;

/// Which rules the stack follows where the RFCs and stock ns-3 differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// The RFCs.
    #[default]
    Rfc,
    /// ns-3 3.44.
    Ns3,
}

/// What moves the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TcpLaw {
    /// RFC 5681 and 6582.
    NewReno,
    /// Reno in whole segments, as Linux has it (and ns-3's `TcpLinuxReno`).
    LinuxReno,
    /// RFC 9438; in profile [`Profile::Ns3`] the integer form that Linux and ns-3 share.
    Cubic,
    /// RFC 8257 on Reno's increase.
    Dctcp,
    /// [`TcpLaw::NewReno`] whose window is scaled while a circuit is announced (reTCP; [`crate::net::SignalRule`]).
    ReTcp,
    /// None: window and pacing rate are set from outside ([`crate::net::Simulator::command_rate`]); a loss repeats data and changes
    /// nothing else (the host of HCC).
    Commanded,
    /// HPCC on probes (draft-miao-ccwg-hpcc, 7.2): window and pacing rate are HPCC's, from the records that probes of the connection's 5-tuple
    /// bring back. Loss detection and repetition stay TCP's; a loss or a timeout repeats data and leaves HPCC's window alone, since its next
    /// response says what the network holds.
    HpccProbes,
}

impl TcpLaw {
    /// Name as used by `--cc` and in result files.
    pub fn name(self) -> &'static str {
        match self {
            Self::NewReno => "newreno",
            Self::LinuxReno => "linuxreno",
            Self::Cubic => "cubic",
            Self::Dctcp => "dctcp-tcp",
            Self::ReTcp => "retcp",
            Self::Commanded => "commanded-tcp",
            Self::HpccProbes => "hpcc-probes",
        }
    }

    /// The law of that name.
    pub fn named(name: &str) -> Option<Self> {
        let all = [
            Self::NewReno,
            Self::LinuxReno,
            Self::Cubic,
            Self::Dctcp,
            Self::ReTcp,
            Self::Commanded,
            Self::HpccProbes,
        ];
        all.into_iter().find(|law| law.name() == name)
    }

    /// Window and pacing rate come from outside the stack, and no loss moves them.
    pub fn from_outside(self) -> bool {
        matches!(self, Self::Commanded | Self::HpccProbes)
    }
}

/// How the window comes down to `ssthresh` in fast recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossRecovery {
    /// At once; what is sent is limited by `cwnd - pipe` (RFC 6675), without selective acknowledgement by RFC 6582.
    #[default]
    Classic,
    /// Proportional rate reduction (RFC 6937). In profile [`Profile::Ns3`] with the two defects of ns-3 3.44: every duplicate counts one
    /// segment more than was delivered, and the product is cut to 32 bits.
    Prr,
}

/// Cubic's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CubicRules {
    /// `C` (RFC 9438, 4.1), segments per second cubed.
    pub c: f64,
    /// `beta_cubic` (RFC 9438, 4.6).
    pub beta: f64,
    /// Fast convergence (RFC 9438, 4.7).
    pub fast_convergence: bool,
    /// Reno-friendly region (RFC 9438, 4.3).
    pub friendly: bool,
    /// Slow start ends early by HyStart (ns-3's, profile [`Profile::Ns3`] only).
    pub hystart: bool,
}

/// DCTCP's constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DctcpRules {
    /// `g` (RFC 8257, 3.3).
    pub gain: f64,
    /// `alpha` at the start (RFC 8257, 3.3 recommends 1).
    pub alpha: f64,
}

/// A TCP host's rules.
#[derive(Clone, Debug, PartialEq)]
pub struct TcpConfig {
    /// Law.
    pub law: TcpLaw,
    /// RFCs or ns-3.
    pub profile: Profile,
    /// SMSS: payload of a full segment, bytes.
    pub mss: u32,
    /// Selective acknowledgement (RFC 2018, 6675).
    pub sack: bool,
    /// Timestamps (RFC 7323); 12 bytes of options on every packet.
    pub timestamps: bool,
    /// Fast recovery.
    pub recovery: LossRecovery,
    /// Initial window, segments (RFC 6928).
    pub initial_window: u32,
    /// `ssthresh` at the start, bytes.
    pub initial_ssthresh: u64,
    /// Smallest retransmission timeout, ps.
    pub min_rto_ps: u64,
    /// Largest one, ps (RFC 6298, 2.5).
    pub max_rto_ps: u64,
    /// Clock granularity `G` (RFC 6298, 2.3), ps.
    pub granularity_ps: u64,
    /// Timeouts without progress after which the connection is given up.
    pub retries: u32,
    /// A full segment is acknowledged at the latest with the n-th one.
    pub delayed_ack: u32,
    /// Or after this long, ps.
    pub delayed_ack_ps: u64,
    /// Cubic's constants.
    pub cubic: CubicRules,
    /// DCTCP's constants.
    pub dctcp: DctcpRules,
    /// Bytes of the link layer on every packet (38: Ethernet with FCS, preamble and gap).
    pub link_bytes: u32,
    /// Smallest packet on the wire, bytes.
    pub min_packet: u32,
}

impl TcpConfig {
    /// The RFCs' host: initial window 10, selective acknowledgement, timestamps, minimum timeout 10 ms.
    pub fn rfc(law: TcpLaw) -> Self {
        let min_rto_ps = 10 * PS_PER_MS;
        Self {
            law,
            profile: Profile::Rfc,
            mss: 1448,
            sack: true,
            timestamps: true,
            recovery: LossRecovery::Classic,
            initial_window: 10,
            initial_ssthresh: u64::from(u32::MAX),
            min_rto_ps,
            max_rto_ps: 60_000 * PS_PER_MS,
            granularity_ps: 1_000_000,
            retries: u32::MAX,
            delayed_ack: 2,
            delayed_ack_ps: Self::delayed_ack_for(min_rto_ps),
            cubic: CubicRules {
                c: 0.4,
                beta: 0.7,
                fast_convergence: true,
                friendly: true,
                hystart: false,
            },
            dctcp: DctcpRules {
                gain: 1.0 / 16.0,
                alpha: 1.0,
            },
            link_bytes: 38,
            min_packet: 84,
        }
    }

    /// ns-3 3.44's host as its recorded runs have it: fast recovery `TcpClassicRecovery`, HyStart off, PPP framing.
    pub fn ns3(law: TcpLaw) -> Self {
        Self {
            profile: Profile::Ns3,
            granularity_ps: PS_PER_MS,
            retries: 6,
            delayed_ack_ps: 200 * PS_PER_MS,
            link_bytes: 2,
            min_packet: 0,
            ..Self::rfc(law)
        }
    }

    /// The longest wait for a second segment that goes with a minimum timeout: 200 ms, but a quarter of the timeout at most, so that a
    /// lone segment is acknowledged before its sender gives it up.
    pub fn delayed_ack_for(min_rto_ps: u64) -> u64 {
        (200 * PS_PER_MS).min(min_rto_ps / 4)
    }

    /// IPv4 and TCP headers with options, and the link layer, of a packet that carries payload.
    pub fn data_header(&self) -> u32 {
        40 + if self.timestamps { 12 } else { 0 } + self.link_bytes
    }

    /// Bytes on the wire of a packet with `payload` bytes and `blocks` blocks of selective acknowledgement.
    pub fn wire_bytes(&self, payload: u32, blocks: usize) -> u32 {
        // ns-3 pads all options together; others pad each to 4 bytes.
        let stamp = match (self.timestamps, self.profile) {
            (false, _) => 0,
            (true, Profile::Ns3) => 10,
            (true, Profile::Rfc) => 12,
        };
        let sack = match (blocks, self.profile) {
            (0, _) => 0,
            (n, Profile::Ns3) => 2 + 8 * n as u32,
            (n, Profile::Rfc) => 4 + 8 * n as u32,
        };
        (40 + (stamp + sack).next_multiple_of(4) + self.link_bytes + payload).max(self.min_packet)
    }

    /// Most blocks of selective acknowledgement that fit beside the other options (RFC 2018, 3).
    pub fn most_blocks(&self) -> usize {
        if self.timestamps {
            3
        } else {
            4
        }
    }

    /// Bytes on the wire of a SYN: window scale, SACK permitted and timestamps in its options.
    pub fn syn_bytes(&self) -> u32 {
        let options = 3 + if self.sack { 2 } else { 0 } + if self.timestamps { 10 } else { 0 };
        (40 + u32::next_multiple_of(options, 4) + self.link_bytes).max(self.min_packet)
    }

    /// Packets may be marked instead of dropped.
    pub fn ecn(&self) -> bool {
        self.law == TcpLaw::Dctcp
    }
}

/// Which flows of a network are TCP connections, and under which rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TcpSetup {
    /// Rules.
    pub stacks: Vec<TcpConfig>,
    /// By flow: 0 is a flow of the congestion-control slot, n the n-th of `stacks`.
    pub of_flow: Vec<u8>,
    /// The same for flows that the list does not reach.
    pub others: u8,
}

impl TcpSetup {
    /// Every flow, one set of rules.
    pub fn all(stack: TcpConfig) -> Self {
        Self {
            stacks: vec![stack],
            of_flow: Vec::new(),
            others: 1,
        }
    }

    /// Rules of a flow; `None`: it belongs to the congestion-control slot.
    pub fn stack(&self, flow: usize) -> Option<&TcpConfig> {
        usize::from(self.number(flow))
            .checked_sub(1)
            .and_then(|n| self.stacks.get(n))
    }

    /// Number of a flow's rules, from 1; 0: it belongs to the congestion-control slot.
    pub fn number(&self, flow: usize) -> u8 {
        self.of_flow.get(flow).copied().unwrap_or(self.others)
    }
}
