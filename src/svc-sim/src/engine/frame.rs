// The frames that the engine and its hosts exchange: numbers and bytes, each frame with its length
// before it.

use std::io::{self, Read, Write};

pub struct Frame(Vec<u8>);

impl Frame {
    pub fn new(kind: u8) -> Frame {
        Frame(vec![0, 0, 0, 0, kind])
    }

    pub fn u8(&mut self, value: impl Into<u8>) {
        self.0.push(value.into());
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn i64(&mut self, value: i64) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.raw(bytes);
    }

    pub fn write(self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.into_bytes())
    }

    pub fn into_bytes(mut self) -> Vec<u8> {
        let length = self.0.len() as u32 - 4;
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        self.0
    }
}

/// The largest frame that this program writes is far smaller: a footprint's entries and the
/// envelope take a few megabytes.
const MOST_BYTES: u32 = 256 << 20;

/// The parts of a frame, in the order in which they were written. A frame that ends within a part
/// is an error.
pub struct Parts<'a>(pub &'a [u8]);

impl<'a> Parts<'a> {
    pub fn raw(&mut self, size: usize) -> io::Result<&'a [u8]> {
        let parts = self.0.split_at_checked(size);
        let (taken, rest) = parts.ok_or_else(|| invalid("a frame ends within a part"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn word<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        Ok(self.raw(N)?.try_into().expect("as many bytes as were asked for"))
    }

    pub fn u8(&mut self) -> io::Result<u8> {
        Ok(self.word::<1>()?[0])
    }

    pub fn flag(&mut self) -> io::Result<bool> {
        Ok(self.u8()? == 1)
    }

    pub fn u32(&mut self) -> io::Result<u32> {
        self.word().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> io::Result<u64> {
        self.word().map(u64::from_le_bytes)
    }

    pub fn i64(&mut self) -> io::Result<i64> {
        self.word().map(i64::from_le_bytes)
    }

    pub fn hash(&mut self) -> io::Result<[u8; 32]> {
        self.word()
    }

    pub fn bytes(&mut self) -> io::Result<&'a [u8]> {
        let size = self.u32()? as usize;
        self.raw(size)
    }
}

fn invalid(problem: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

/// Reads the next frame: its kind, then its parts. `None` at the end of the input.
pub fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let length = u32::from_le_bytes(length);
    if !(1..=MOST_BYTES).contains(&length) {
        return Err(invalid("the length of a frame is out of bounds"));
    }
    // Memory is allocated as bytes arrive, because the length is only a claim of the sender.
    let mut frame = Vec::with_capacity(length.min(1 << 16) as usize);
    if from.take(length.into()).read_to_end(&mut frame)? < length as usize {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(frame))
}
