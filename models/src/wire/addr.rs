//! Ethernet addresses.

use core::fmt;
use core::str::FromStr;
use thiserror::Error;

/// A 48-bit Ethernet address, first byte on the wire first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddr(pub [u8; 6]);

/// Text that is not six pairs of hexadecimal digits between colons.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is not an Ethernet address such as 02:00:00:00:00:0b")]
pub struct ParseMacError(String);

impl MacAddr {
    /// The address as a number of 48 bits: the first byte on the wire is the highest.
    pub fn number(self) -> u64 {
        self.0.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

impl fmt::Display for MacAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, g] = self.0;
        write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}")
    }
}

impl FromStr for MacAddr {
    type Err = ParseMacError;

    fn from_str(text: &str) -> Result<Self, ParseMacError> {
        let bad = || ParseMacError(text.to_owned());
        let mut bytes = [0; 6];
        let mut parts = text.split(':');
        for byte in &mut bytes {
            let part = parts.next().ok_or_else(bad)?;
            if part.len() != 2 || !part.bytes().all(|c| c.is_ascii_hexdigit()) {
                return Err(bad());
            }
            *byte = u8::from_str_radix(part, 16).map_err(|_| bad())?;
        }
        if parts.next().is_some() {
            return Err(bad());
        }
        Ok(Self(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_back() {
        let mac: MacAddr = "02:00:00:0a:FF:0b".parse().unwrap();
        assert_eq!(mac, MacAddr([2, 0, 0, 10, 255, 11]));
        assert_eq!(mac.to_string(), "02:00:00:0a:ff:0b");
        assert_eq!(mac.number(), 0x0200_000a_ff0b);
    }

    #[test]
    fn other_text_is_refused() {
        for text in [
            "",
            "02:00:00:00:00",
            "02:00:00:00:00:00:00",
            "2:0:0:0:0:0",
            "0g:00:00:00:00:00",
            "+2:00:00:00:00:00",
        ] {
            assert!(text.parse::<MacAddr>().is_err(), "{text}");
        }
    }
}
