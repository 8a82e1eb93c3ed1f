//! Jobs of the memory readers and writers.

use crate::prim::uint::U;
use crate::prim::wide::W;
use rust_hdl::prelude::Bit;

crate::word! {
    /// A job of the memory reader or writer.
    pub struct DmaJob {
        /// First byte.
        address: U<64>,
        /// Bytes, 1 to 4096.
        length: U<13>,
    }

    /// Number of a line of 64 bytes in memory.
    pub struct LineNumber {
        /// Line in its page of 4 KiB.
        in_page: U<6>,
        /// Page.
        page: U<52>,
    }

    /// Address of a byte.
    pub struct ByteAddress {
        /// Byte in its line.
        in_line: U<6>,
        /// Line.
        line: LineNumber,
    }

    /// A number of bytes by the line.
    pub struct LineCount {
        /// Bytes beyond whole lines.
        bytes: U<6>,
        /// Whole lines.
        lines: U<7>,
    }

    /// A byte in its page of 4 KiB.
    pub struct BytePlace {
        /// Byte in its line.
        in_line: U<6>,
        /// Line in its page.
        line: U<6>,
    }

    /// A number of bytes, less than two pages, by the page.
    pub struct PageCount {
        /// Bytes beyond a whole page.
        bytes: U<12>,
        /// A whole page.
        pages: Bit,
    }

    /// A burst.
    pub struct Burst {
        /// Lines less one.
        lines_less_one: U<6>,
        /// First line of the burst.
        line: LineNumber,
    }

    /// Response of AXI4.
    pub struct AxiResponse {
        /// Exclusive access (EXOKAY), or the interconnect (DECERR) rather than the memory (SLVERR).
        kind: Bit,
        /// An error.
        error: Bit,
    }

    /// How far bytes are turned.
    pub struct ByteTurn {
        /// 0 to 3 bytes,
        bytes: U<2>,
        /// 0 to 3 times four,
        fours: U<2>,
        /// and 0 to 3 times sixteen.
        sixteens: U<2>,
    }

    /// How a job lies in lines.
    pub struct JobShape {
        /// First byte in its line.
        first_byte: ByteTurn,
        /// Lines.
        lines: U<7>,
        /// Beats of payload.
        beats: U<7>,
        /// Bytes of the last beat of payload.
        last_bytes: U<7>,
    }

    /// A line out of memory.
    pub struct ReadLine {
        /// Bytes, the first lowest.
        data: W<512, 8>,
        /// The memory failed.
        failed: Bit,
    }

    /// A line on its way into memory.
    pub struct WriteLine {
        /// Bytes, the first lowest.
        data: W<512, 8>,
        /// Which bytes of the line are written.
        strobe: U<64>,
        /// Last of its burst.
        last: Bit,
    }

    /// A line that has been turned, and the beat of payload that it begins or ends.
    pub struct LinePlan {
        /// First line of its job.
        first_line: Bit,
        /// A beat begins in it.
        begins: Bit,
        /// That beat is the last of its job.
        last_beat: Bit,
        /// The beat needs no line behind it.
        whole: Bit,
        /// The memory failed.
        failed: Bit,
        /// Bytes of the beat.
        count: U<7>,
    }

    /// What becomes of a word of a frame on its way into memory, turned and joined with the word before.
    pub struct WordPlan {
        /// There is a word.
        valid: Bit,
        /// A line comes of it and the word before.
        makes_line: Bit,
        /// That line is of the word before alone.
        alone: Bit,
        /// How far its bytes are turned.
        turn: ByteTurn,
        /// First byte of the line that is written.
        first_byte: U<6>,
        /// Last one.
        last_byte: U<6>,
        /// The line is the last of its burst.
        last: Bit,
    }
}
