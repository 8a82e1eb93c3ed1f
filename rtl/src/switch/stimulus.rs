//! Random frames for tests of the stamper: those it stamps, and those that almost look like them.

use crate::sim::Stimulus;
use hpcc_models::wire::internet_checksum;

/// An INT frame of `payload` bytes behind `n_hop` switches, header checksum right.
pub fn int_frame(s: &mut Stimulus, n_hop: u8, tagged: bool, payload: usize) -> Vec<u8> {
    let int_len = 2 + 8 * usize::from(n_hop.min(5));
    let ip_len = 20 + 8 + int_len + 16 + payload;
    let mut frame: Vec<u8> = (0..12).map(|_| s.uniform(8) as u8).collect();
    if tagged {
        frame.extend([0x81, 0x00, s.uniform(8) as u8, s.uniform(8) as u8]);
    }
    frame.extend([0x08, 0x00]);
    let mut ip = vec![0x45, 26 << 2 | s.uniform(2) as u8];
    ip.extend((ip_len as u16).to_be_bytes());
    ip.extend([s.uniform(8) as u8, s.uniform(8) as u8, 0x40, 0, 64, 17, 0, 0]);
    ip.extend((0..8).map(|_| s.uniform(8) as u8));
    let sum = internet_checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    frame.extend(ip);
    frame.extend([0xc0, s.uniform(8) as u8]);
    frame.extend(54791u16.to_be_bytes());
    frame.extend((ip_len as u16 - 20).to_be_bytes());
    frame.extend([0, 0]);
    frame.push(n_hop << 4 | s.uniform(4) as u8);
    let rest = int_len - 1 + 16 + payload;
    frame.extend((0..rest).map(|_| s.uniform(8) as u8));
    frame
}

/// Frames of every kind: whole, one byte changed, cut, and noise.
pub fn any_frame(s: &mut Stimulus) -> Vec<u8> {
    let n_hop = if s.chance(0.2) { s.uniform(4) as u8 } else { s.below(6) as u8 };
    let tagged = s.chance(0.5);
    let payload = match s.below(4) {
        0 => s.below(20),
        1 => s.below(200),
        2 => 40 + s.below(64),
        _ => 1024,
    };
    let mut frame = int_frame(s, n_hop, tagged, payload as usize);
    match s.below(10) {
        0 | 1 => {
            let at = s.below(52.min(frame.len() as u64)) as usize;
            frame[at] = s.corner(8) as u8;
        }
        2 => frame.truncate(1 + s.below(96) as usize),
        3 => frame.truncate(1 + s.below(frame.len() as u64) as usize),
        4 => {
            frame = (0..1 + s.below(200)).map(|_| s.uniform(8) as u8).collect();
        }
        _ => {}
    }
    frame
}
