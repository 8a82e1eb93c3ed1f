//! Packet captures: classic pcap, Ethernet, written with nanosecond times.

use pcap_file::pcap::{PcapHeader, PcapPacket, PcapReader, PcapWriter};
use pcap_file::{DataLink, TsResolution};
use std::io::{Read, Write};
use std::time::Duration;
use thiserror::Error;

/// Longest frame that a capture announces.
const SNAP_LEN: u32 = 262_144;

/// A frame without FCS and when it passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedFrame {
    /// Nanoseconds since the capture's epoch.
    pub t_ns: u64,
    /// Bytes from the destination address on.
    pub bytes: Vec<u8>,
}

/// Why a capture cannot be read or written.
#[derive(Debug, Error)]
pub enum PcapError {
    /// Not a capture, or damaged.
    #[error("packet capture: {0}")]
    Format(#[from] pcap_file::PcapError),
    /// Of another link layer than Ethernet.
    #[error("packet capture: link type {0:?} is not Ethernet")]
    LinkType(DataLink),
    /// Of a link layer under which IP is not looked for.
    #[error("packet capture: link type {0:?} is not Ethernet, Linux cooked or IP")]
    LinkLayer(DataLink),
    /// A packet of an interface that the capture does not describe.
    #[error("packet capture: interface {0} is not described")]
    Interface(u32),
    /// A frame that the capture holds only in part.
    #[error("packet capture: frame {index} is cut to {captured} of {original} bytes")]
    Cut {
        /// Frame, counted from 1 as dissectors do.
        index: usize,
        /// Bytes in the capture.
        captured: usize,
        /// Bytes on the wire.
        original: u32,
    },
}

/// Reads all frames of a capture.
pub fn read_pcap<R: Read>(source: R) -> Result<Vec<TimedFrame>, PcapError> {
    let mut reader = PcapReader::new(source)?;
    if reader.header().datalink != DataLink::ETHERNET {
        return Err(PcapError::LinkType(reader.header().datalink));
    }
    let mut frames = Vec::new();
    while let Some(packet) = reader.next_packet() {
        let packet = packet?;
        let (captured, original) = (packet.data.len(), packet.orig_len);
        if captured != original as usize {
            return Err(PcapError::Cut {
                index: frames.len() + 1,
                captured,
                original,
            });
        }
        let t_ns = u64::try_from(packet.timestamp.as_nanos()).unwrap_or(u64::MAX);
        frames.push(TimedFrame {
            t_ns,
            bytes: packet.data.into_owned(),
        });
    }
    Ok(frames)
}

/// Writes a capture frame by frame.
pub struct PcapSink<W: Write> {
    writer: PcapWriter<W>,
}

impl<W: Write> PcapSink<W> {
    /// Writes the file header.
    pub fn new(target: W) -> Result<Self, PcapError> {
        let header = PcapHeader {
            snaplen: SNAP_LEN,
            datalink: DataLink::ETHERNET,
            ts_resolution: TsResolution::NanoSecond,
            endianness: pcap_file::Endianness::Little,
            ..PcapHeader::default()
        };
        Ok(Self {
            writer: PcapWriter::with_header(target, header)?,
        })
    }

    /// Appends a frame that passed at `t_ns` nanoseconds.
    pub fn write(&mut self, t_ns: u64, frame: &[u8]) -> Result<(), PcapError> {
        self.writer
            .write_packet(&PcapPacket::new(Duration::from_nanos(t_ns), frame.len() as u32, frame))?;
        Ok(())
    }

    /// The target, for flushing or reading back.
    pub fn into_inner(self) -> W {
        self.writer.into_writer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_the_file_header_and_of_one_record() {
        let mut sink = PcapSink::new(Vec::new()).unwrap();
        sink.write(3_000_000_007, &[1, 2, 3]).unwrap();
        let bytes = sink.into_inner();
        #[rustfmt::skip]
        let expected = [
            0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0, 0,
            3, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 1, 2, 3,
        ];
        assert_eq!(bytes, expected);
        assert_eq!(
            read_pcap(&bytes[..]).unwrap(),
            [TimedFrame {
                t_ns: 3_000_000_007,
                bytes: vec![1, 2, 3]
            }]
        );
    }

    #[test]
    fn damaged_captures_are_errors() {
        let mut sink = PcapSink::new(Vec::new()).unwrap();
        sink.write(1, &[1, 2, 3, 4]).unwrap();
        let bytes = sink.into_inner();
        assert!(read_pcap(&[][..]).is_err());
        assert!(read_pcap(&bytes[..20]).is_err());
        assert!(read_pcap(&bytes[..bytes.len() - 1]).is_err());
        let mut other_link = bytes.clone();
        other_link[20] = 101;
        assert!(matches!(read_pcap(&other_link[..]), Err(PcapError::LinkType(_))));
        let mut cut = bytes;
        cut[36] = 9;
        assert!(matches!(
            read_pcap(&cut[..]),
            Err(PcapError::Cut {
                index: 1,
                captured: 4,
                original: 9
            })
        ));
    }
}
