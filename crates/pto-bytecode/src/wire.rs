//! Bytes and numbers.

use pto_isa::text;

/// Bytes that grow.
#[derive(Default)]
pub(crate) struct ByteWriter {
    pub(crate) bytes: Vec<u8>,
}

impl ByteWriter {
    pub(crate) fn u8(&mut self, n: u8) {
        self.bytes.push(n);
    }

    pub(crate) fn u16(&mut self, n: u16) {
        self.bytes.extend(n.to_le_bytes());
    }

    pub(crate) fn u32(&mut self, n: u32) {
        self.bytes.extend(n.to_le_bytes());
    }

    /// Seven bits per byte, the lowest first.
    pub(crate) fn unsigned(&mut self, mut n: u64) {
        loop {
            let low = (n & 0x7f) as u8;
            n >>= 7;
            if n == 0 {
                return self.u8(low);
            }
            self.u8(low | 0x80);
        }
    }

    pub(crate) fn count(&mut self, n: usize) {
        self.unsigned(n as u64);
    }

    /// The same with a sign: the last byte is extended.
    pub(crate) fn signed(&mut self, mut n: i64) {
        loop {
            let low = (n & 0x7f) as u8;
            n >>= 7;
            let done = (n == 0 && low & 0x40 == 0) || (n == -1 && low & 0x40 != 0);
            if done {
                return self.u8(low);
            }
            self.u8(low | 0x80);
        }
    }

    /// A section with its number and length.
    pub(crate) fn section(&mut self, number: u8, content: &Self) {
        self.u8(number);
        self.u32(u32::try_from(content.bytes.len()).unwrap_or(u32::MAX));
        self.bytes.extend(&content.bytes);
    }
}

/// Why bytes cannot be read.
pub(crate) type Malformed = String;

/// Bytes that are read.
#[derive(Clone)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    /// Where the rest starts in the file.
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { rest: bytes, at }
    }

    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    /// What was not read yet.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        if count > self.rest.len() {
            return Err(text!("{count} bytes are announced, {rest} are left", count, rest = self.rest.len()));
        }
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        self.at += count;
        Ok(taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.bytes(1)?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, Malformed> {
        let b = self.bytes(2)?;
        Ok(u16::from_le_bytes([b[0], b[1]]))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        let b = self.bytes(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
    }

    pub(crate) fn unsigned(&mut self) -> Result<u64, Malformed> {
        let mut n = 0u64;
        for shift in (0..).step_by(7) {
            let byte = self.u8()?;
            let low = u64::from(byte & 0x7f);
            if shift > 63 || (shift == 63 && low > 1) {
                return Err(text!("a number of more than 64 bits").to_string());
            }
            n |= low << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(n)
    }

    pub(crate) fn signed(&mut self) -> Result<i64, Malformed> {
        let mut n = 0i64;
        for shift in (0..).step_by(7) {
            let byte = self.u8()?;
            if shift > 63 {
                return Err(text!("a number of more than 64 bits").to_string());
            }
            n |= i64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                if shift + 7 < 64 && byte & 0x40 != 0 {
                    n |= -1 << (shift + 7);
                }
                break;
            }
        }
        Ok(n)
    }

    /// How many things follow; each takes a byte at least.
    pub(crate) fn count(&mut self) -> Result<usize, Malformed> {
        let n = self.unsigned()?;
        match usize::try_from(n) {
            Ok(n) if n <= self.rest.len() => Ok(n),
            _ => Err(text!("{n} entries are announced, {rest} bytes are left", n, rest = self.rest.len())),
        }
    }

    /// A position in a list.
    pub(crate) fn index(&mut self, length: usize, what: &str) -> Result<usize, Malformed> {
        let n = self.unsigned()?;
        usize::try_from(n).ok().filter(|n| *n < length).ok_or_else(|| text!("{what} {n} of {length}", what, n, length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back() {
        for n in [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX] {
            let mut w = ByteWriter::default();
            w.unsigned(n);
            assert_eq!(Reader::new(&w.bytes, 0).unsigned(), Ok(n));
        }
        for n in [0, 1, -1, 63, 64, -64, -65, i64::MAX, i64::MIN] {
            let mut w = ByteWriter::default();
            w.signed(n);
            let mut r = Reader::new(&w.bytes, 0);
            assert_eq!(r.signed(), Ok(n));
            assert!(r.is_empty());
        }
    }

    #[test]
    fn what_is_too_long_is_an_error() {
        assert!(Reader::new(&[0xff; 11], 0).unsigned().is_err());
        assert!(Reader::new(&[0xff; 11], 0).signed().is_err());
        assert!(Reader::new(&[0x80], 0).unsigned().is_err());
        assert!(Reader::new(&[5, 0], 0).count().is_err());
    }
}
