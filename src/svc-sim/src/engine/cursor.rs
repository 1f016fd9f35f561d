// A position in XDR bytes, for values whose byte ranges matter more than their decoded form.

use crate::xdr_codec::{
    xdr::{Limited, Limits, ReadXdr},
    DEPTH_LIMIT,
};
use std::ops::Range;

pub type Read<T> = Result<T, String>;

pub struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    pub fn take(&mut self, size: usize) -> Read<&'a [u8]> {
        let end = self.at.checked_add(size).filter(|end| *end <= self.bytes.len());
        let end = end.ok_or_else(|| format!("the bytes end at {}", self.at))?;
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    pub fn hash(&mut self) -> Read<[u8; 32]> {
        Ok(self.take(32)?.try_into().expect("32 bytes"))
    }

    pub fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_be_bytes(self.take(4)?.try_into().expect("4 bytes")))
    }

    pub fn i64(&mut self) -> Read<i64> {
        Ok(i64::from_be_bytes(self.take(8)?.try_into().expect("8 bytes")))
    }

    pub fn is_present(&mut self) -> Read<bool> {
        self.arm(1).map(|arm| arm == 1)
    }

    /// Reads a discriminant that is at most `last`.
    pub fn arm(&mut self, last: u32) -> Read<u32> {
        let at = self.at;
        let arm = self.u32()?;
        if arm > last {
            return Err(format!("no arm {arm} at {at}"));
        }
        Ok(arm)
    }

    /// Reads and decodes a value with the crate's default strictness.
    pub fn value<T: ReadXdr>(&mut self) -> Read<T> {
        let rest = &self.bytes[self.at..];
        let mut limited = Limited::new(rest, Limits { depth: DEPTH_LIMIT, len: rest.len() });
        let value =
            T::read_xdr(&mut limited).map_err(|error| format!("{error} after {}", self.at))?;
        self.at = self.bytes.len() - limited.inner.len();
        Ok(value)
    }

    pub fn range_of<T: ReadXdr>(&mut self) -> Read<Range<usize>> {
        let start = self.at;
        self.value::<T>()?;
        Ok(start..self.at)
    }

    /// Reads a list. Every element takes at least four bytes, so no count can make an endless loop.
    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let at = self.at;
        let count = self.u32()? as usize;
        if count > (self.bytes.len() - self.at) / 4 {
            return Err(format!("{count} elements at {at}"));
        }
        (0..count).map(|_| read(self)).collect()
    }

    pub fn end(&self) -> Read<()> {
        match self.at == self.bytes.len() {
            true => Ok(()),
            false => Err(format!("bytes follow at {}", self.at)),
        }
    }
}
