//! Numbers in fixed-size messages, little endian, one behind the other.

/// Writes numbers into a message.
pub(crate) struct Writer<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl<'a> Writer<'a> {
    /// Writes from the front.
    pub(crate) fn new(bytes: &'a mut [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Writes the bytes of one number or text. The message is longer than anything written to it.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.bytes[self.at..self.at + bytes.len()].copy_from_slice(bytes);
        self.at += bytes.len();
    }
}

/// Reads numbers from a message.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads from the front.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The next `N` bytes; zeros behind the end.
    pub(crate) fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut out = [0; N];
        let n = N.min(self.bytes.len());
        let (front, rest) = self.bytes.split_at(n);
        out[..n].copy_from_slice(front);
        self.bytes = rest;
        out
    }

    /// The next 64-bit number.
    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// The next 32-bit number.
    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    /// The next byte.
    pub(crate) fn u8(&mut self) -> u8 {
        self.take::<1>()[0]
    }
}
