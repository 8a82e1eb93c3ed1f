//! From a scenario's flows to NICs: addresses, registers, one queue pair per flow at either end, memory, work.

use super::super::link_nics::{GUARD, SOURCE, SOURCE_KEY, TARGET, TARGET_KEY};
use super::telemetry;
use crate::config::{ack_req_interval, law_code, pattern_byte, Limits, MemoryBlock, NicSetup, ECT};
use crate::nic::queue_pairs::FIRST_QPN;
use hpcc_models::net::frames::{host_ip as ip, host_of as node};
use hpcc_models::net::Simulator;
use hpcc_models::nic::{CnpConfig, NicConfig, Operation, PeerPort, QpConfig, Region, WorkRequest, CNP_UNIT_BITS};
use hpcc_models::wire::{MacAddr, MASK_24};
use hpcc_sim::plan::laws::LawKind;
use hpcc_sim::plan::Job;
use std::collections::btree_map::{BTreeMap, Entry};

/// 802.1p priority of data and of acknowledgements, for pause.
const PRIORITIES: (u8, u8) = (0, 7);
/// First PSN of flow 0: its packets cross the wrap.
const FIRST_PSN: u32 = 0xff_fff0;

/// A NIC and what its host does.
#[derive(Clone, Debug)]
pub(super) struct HostPlan {
    /// Node.
    pub node: u32,
    /// Registers, queue pairs, memory.
    pub setup: NicSetup,
    /// Messages that come here: place in the target region, flow, bytes.
    incoming: Vec<(u64, usize, u64)>,
    seed: u64,
}

/// A flow at its two ends.
#[derive(Clone, Debug)]
pub(super) struct FlowPlan {
    /// Receiver's queue pair.
    pub qpn: u32,
    /// First PSN.
    pub psn: u32,
    /// What the sender's host posts.
    pub work: WorkRequest,
}

/// Everything on the hosts. Hosts without a flow have no NIC.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// By node, ascending.
    pub hosts: Vec<HostPlan>,
    /// By flow number.
    pub flows: Vec<FlowPlan>,
    /// Priorities that a pause stops.
    pub paused: u8,
}

fn mac(node: u32) -> MacAddr {
    let [a, b, c, d] = (node + 1).to_be_bytes();
    MacAddr([2, 0, a, b, c, d])
}

/// Byte `i` of a flow's message.
fn message_byte(seed: u64, flow: usize, i: u64) -> u8 {
    pattern_byte(i.wrapping_add((seed << 20 ^ flow as u64).wrapping_mul(2_654_435_761)))
}

impl Plan {
    /// Makes the hosts of a job; the network knows window and `T` of each.
    pub fn new(job: &Job, sim: &Simulator) -> Result<Self, String> {
        let mut hosts = BTreeMap::new();
        for flow in &job.flows {
            for node in [flow.src, flow.dst] {
                if let Entry::Vacant(place) = hosts.entry(node) {
                    place.insert(HostPlan::new(job, sim, node)?);
                }
            }
        }
        let mut next = BTreeMap::<u32, u32>::new();
        let mut take_qpn = |node| {
            let qpn = next.entry(node).or_insert(FIRST_QPN);
            *qpn += 1;
            *qpn - 1
        };
        let mut flows = Vec::new();
        for (index, flow) in job.flows.iter().enumerate() {
            let (from, to) = (take_qpn(flow.src), take_qpn(flow.dst));
            // The other direction carries no payload and has other numbers.
            let psn = (FIRST_PSN + index as u32 * 0x1_0001) & MASK_24;
            let back = (psn + 0x1234) & MASK_24;
            let mut place = |node: u32, qp: QpConfig, outgoing: bool| {
                let host = hosts
                    .get_mut(&node)
                    .map(|host: &mut HostPlan| host.add(index, flow.bytes, qp, outgoing));
                host.ok_or_else(|| format!("flow {index}: expected a host, got node {node}"))
            };
            let sender = QpConfig {
                send_psn: psn,
                expected_psn: back,
                ..qp(job, from, to, flow.dst)?
            };
            let port = sim.slot_params(flow);
            let receiver = QpConfig {
                send_psn: back,
                expected_psn: psn,
                peer_port: Some(PeerPort {
                    line_rate_bps: port.line_rate_bps,
                    window_bytes: port.w_init_bytes,
                }),
                ..qp(job, to, from, flow.src)?
            };
            let work = WorkRequest {
                id: index as u64,
                qpn: from,
                operation: Operation::Write,
                local_address: place(flow.src, sender, true)?,
                local_key: SOURCE_KEY,
                remote_address: place(flow.dst, receiver, false)?,
                remote_key: TARGET_KEY,
                length: flow.bytes,
            };
            flows.push(FlowPlan { qpn: to, psn, work });
        }
        let acknowledgements = if job.config.host_acks_ignore_pause {
            0
        } else {
            1 << PRIORITIES.1
        };
        Ok(Self {
            hosts: hosts.into_values().map(HostPlan::with_memory).collect(),
            flows,
            paused: 1 << PRIORITIES.0 | acknowledgements,
        })
    }
}

/// Name of the law of all queue pairs.
fn law_of(job: &Job) -> &'static str {
    match job.law.kind {
        LawKind::PowerTcp => "powertcp",
        LawKind::Theta => "theta-powertcp",
        LawKind::Dcqcn => "dcqcn",
        _ => "hpcc",
    }
}

fn qp(job: &Job, own: u32, remote: u32, peer: u32) -> Result<QpConfig, String> {
    Ok(QpConfig {
        int: job.law.uses_int(),
        law: Some(law_code(law_of(job))?),
        mtu: job.config.mtu,
        priority: PRIORITIES.0,
        ..QpConfig::new(own, remote, ip(peer))
    })
}

impl HostPlan {
    fn new(job: &Job, sim: &Simulator, node: u32) -> Result<Self, String> {
        let mut own = job.flows.iter().filter(|f| f.src == node).map(|f| sim.slot_params(f));
        // A NIC that only receives has the window of the first flow that comes.
        let params = own.next().or_else(|| job.flows.first().map(|f| sim.slot_params(f)));
        let params = params.ok_or("traffic: expected at least one flow")?;
        if own.any(|other| other != params) {
            return Err(format!("host {node}: expected one window for all of its flows"));
        }
        let link = job.topology.links.iter().find(|l| l.a == node || l.b == node);
        let line_rate = link.map_or(params.line_rate_bps, |l| l.rate_bps);
        let (mut hpcc, mut dcqcn, mut power) = (None, None, None);
        let (window, base_rtt_ns, registers) = match job.law.kind {
            LawKind::PowerTcp | LawKind::Theta => {
                let law = power.insert(job.law.power_params(&params)?);
                (law.w_init, law.base_rtt_ns, NicConfig::default())
            }
            LawKind::Dcqcn => {
                let law = job.law.dcqcn_params(&params)?;
                dcqcn = Some((law, job.law.windowed));
                let base_rtt = u32::try_from(params.base_rtt_ns).map_err(|_| "cc.t_ns: expected at most 100 us")?;
                // a notification at most once in the interval in which the sender makes at most one cut
                let cnp = CnpConfig {
                    interval: law.decrease_interval.div_ceil(1 << CNP_UNIT_BITS) as u32,
                    ..CnpConfig::default()
                };
                let registers = NicConfig {
                    cnp,
                    ecn: ECT,
                    ..NicConfig::default()
                };
                (law.w_init, base_rtt, registers)
            }
            _ => {
                let law = hpcc.insert(job.law.hpcc_params(&params)?);
                (law.w_init, law.base_rtt_ns, NicConfig::default())
            }
        };
        let law = law_code(law_of(job))?;
        let mut registers = registers;
        for (place, &bps) in registers.speed_table.iter_mut().skip(9).zip(&job.law.other_speeds) {
            // The register says that the code is valid; what it means is in the law's parameters.
            *place = bps.div_ceil(1_000_000_000).min(u64::from(u16::MAX)) as u16;
        }
        let nic = NicConfig {
            mac: mac(node),
            ip: ip(node),
            mtu: job.config.mtu,
            line_rate_bps: line_rate as f64,
            retry_timeout_ns: job.config.retry_timeout_ps.map_or(u64::MAX >> 16, |ps| ps / 1000),
            window,
            ack_priority: PRIORITIES.1,
            ack_pause: !job.config.host_acks_ignore_pause,
            ack_req_interval: ack_req_interval([(job.law.uses_int(), law)]),
            default_law: law,
            ..telemetry::registers(job, base_rtt_ns, registers)
        };
        let setup = NicSetup {
            nic,
            base_rtt_ns,
            hpcc,
            dcqcn,
            power,
            qps: Vec::new(),
            memory: [(SOURCE_KEY, SOURCE, false), (TARGET_KEY, TARGET, true)]
                .map(|(key, address, remote_write)| MemoryBlock {
                    region: Region {
                        key,
                        address,
                        length: 0,
                        remote_write,
                        remote_read: false,
                    }
                    .into(),
                    bytes: Vec::new(),
                })
                .into(),
            work: Vec::new(),
            limits: Limits::default(),
            queues: crate::config::QueueSetup::default(),
        };
        Ok(Self {
            node,
            setup,
            incoming: Vec::new(),
            seed: job.seed,
        })
    }

    /// Adds one end of a flow and gives the message's address here.
    fn add(&mut self, flow: usize, bytes: u64, qp: QpConfig, outgoing: bool) -> u64 {
        let peer = qp.remote_ip;
        self.setup
            .nic
            .neighbours
            .insert(peer, node(peer).map_or(MacAddr::default(), mac));
        self.setup.qps.push(qp);
        let block = &mut self.setup.memory[usize::from(!outgoing)];
        let offset = block.region.length;
        block.region.length += bytes;
        if outgoing {
            let seed = self.seed;
            block.bytes.extend((0..bytes).map(|i| message_byte(seed, flow, i)));
        } else {
            self.incoming.push((offset, flow, bytes));
        }
        block.region.address + offset
    }

    /// Fills up memory: what is written to is zero and has a guard behind it; no region is empty.
    fn with_memory(mut self) -> Self {
        for block in &mut self.setup.memory {
            block.region.length = block.region.length.max(1);
            let guard = if block.region.rights.remote_write { GUARD } else { 0 };
            block.bytes.resize((block.region.length + guard) as usize, 0);
        }
        self
    }

    /// First place where the target region is not what completed flows must have left there; flows that have not ended may have
    /// arrived in part.
    pub fn damage(&self, memory: Option<&[u8]>, done: &[bool]) -> Option<String> {
        let node = self.node;
        let Some(memory) = memory else {
            return Some(format!("host {node}: the target region is not there"));
        };
        let mut end = 0;
        for &(offset, flow, bytes) in &self.incoming {
            let message = memory
                .get(offset as usize..(offset + bytes) as usize)
                .unwrap_or_default();
            let right = |(i, byte): (u64, &u8)| {
                *byte == message_byte(self.seed, flow, i) || (*byte == 0 && !done.get(flow).is_some_and(|done| *done))
            };
            let same = (0..).zip(message).take_while(|pair| right(*pair)).count();
            if same as u64 != bytes {
                return Some(format!("host {node}: byte {same} of flow {flow} is wrong"));
            }
            end = end.max(offset + bytes);
        }
        let behind = memory.get(end as usize..).unwrap_or_default();
        let touched = behind.iter().position(|byte| *byte != 0)?;
        Some(format!("host {node}: byte {touched} behind the messages was written"))
    }

    /// The target region in a NIC's memory.
    pub const TARGET: u64 = TARGET;
}
