// What the engine and its hosts write to each other: frames of numbers and bytes, each with its
// length before it.

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

    pub fn write(mut self, to: &mut impl Write) -> io::Result<()> {
        let length = self.0.len() as u32 - 4;
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        to.write_all(&self.0)
    }
}

/// Reads what the other side wrote, which is this very program.
pub struct Parts<'a>(pub &'a [u8]);

impl<'a> Parts<'a> {
    pub fn raw(&mut self, size: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(size);
        self.0 = rest;
        taken
    }

    fn word<const N: usize>(&mut self) -> [u8; N] {
        self.raw(N).try_into().expect("as many bytes as were asked for")
    }

    pub fn u8(&mut self) -> u8 {
        self.word::<1>()[0]
    }

    pub fn flag(&mut self) -> bool {
        self.u8() == 1
    }

    pub fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.word())
    }

    pub fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.word())
    }

    pub fn i64(&mut self) -> i64 {
        i64::from_le_bytes(self.word())
    }

    pub fn hash(&mut self) -> [u8; 32] {
        self.word()
    }

    pub fn bytes(&mut self) -> &'a [u8] {
        let size = self.u32() as usize;
        self.raw(size)
    }
}

/// The next frame: its kind, then its parts. None at the end of the input.
pub fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let mut frame = vec![0; u32::from_le_bytes(length) as usize];
    from.read_exact(&mut frame)?;
    Ok(Some(frame))
}
