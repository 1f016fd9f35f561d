// Reads the ledgers of files, in a thread ahead of the engine. Where a file cannot be read, it only
// says so and goes on with the next file: svc, which reads files too, then reads this one again and
// knows the words.
//
// Invariant: memory holds one ledger and one read of the file, whatever lengths the file claims.

#[cfg(feature = "files")]
mod unpack;

use super::ledger::{Facts, Ledger};
use std::{
    collections::{HashMap, VecDeque},
    io::Read,
    path::{Path, PathBuf},
};

/// A larger ledger is refused: this is more than the network's limits allow.
const MOST_LEDGER_BYTES: usize = 256 << 20;
const HEADER_BYTES: usize = 12;
const LAST_FRAGMENT: u32 = 0x8000_0000;
/// The bytes with which a search for a ledger's end begins.
const FIRST_READ_BYTES: usize = 1 << 16;

type Parsed<T> = Result<T, String>;

/// The bytes of one file, unpacked. It reads no more than is asked for.
struct Bytes {
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// The first byte of the buffer that was not taken.
    start: usize,
}

impl Bytes {
    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Reads until as many bytes are there. False if the file ends before that.
    fn fill(&mut self, size: usize) -> Parsed<bool> {
        let lacking = size.saturating_sub(self.rest().len());
        if lacking == 0 {
            return Ok(true);
        }
        self.buffer.drain(..self.start);
        self.start = 0;
        // Memory is allocated as bytes arrive, because a length is only a claim of the file.
        let mut some = (&mut self.source).take(lacking as u64);
        some.read_to_end(&mut self.buffer).map(|read| read == lacking).map_err(|e| e.to_string())
    }

    fn take(&mut self, size: usize) -> Vec<u8> {
        let taken = self.rest()[..size].to_vec();
        self.start += size;
        taken
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.rest()[at..at + 4].try_into().expect("4 bytes"))
    }
}

/// The layout of the ledgers in a file.
enum Layout {
    /// stellar-core's meta stream: XDR record marks (RFC 5531, 11).
    Framed,
    /// A SEP-54 LedgerCloseMetaBatch: the next sequence and the last one.
    Batch(u32, u32),
    /// One LedgerCloseMeta.
    Bare,
    Ended,
}

#[cfg(feature = "files")]
fn opened(path: &Path) -> Parsed<Box<dyn Read + Send>> {
    unpack::open(path).map_err(|error| error.to_string())
}

#[cfg(not(feature = "files"))]
fn opened(_: &Path) -> Parsed<Box<dyn Read + Send>> {
    Err("this build opens no files".into())
}

struct File {
    bytes: Bytes,
    layout: Layout,
}

impl File {
    fn open(path: &Path) -> Parsed<File> {
        let source = opened(path)?;
        let mut bytes = Bytes { source, buffer: vec![], start: 0 };
        if !bytes.fill(HEADER_BYTES)? {
            return Err("the file is too short".into());
        }
        let (first, second, count) = (bytes.word(0), bytes.word(4), bytes.word(8));
        // A LedgerCloseMeta begins with its version. From version 1 an extension (0 or 1) follows,
        // where a batch that begins with ledger 1 or 2 has its last sequence.
        let layout = match (first, second) {
            (LAST_FRAGMENT.., _) => Layout::Framed,
            (0, _) | (..=2, ..=1) => Layout::Bare,
            _ if second < first => return Err("the file has no ledgers".into()),
            _ if u64::from(count) != u64::from(second - first) + 1 => {
                return Err("the count of a batch is wrong".into())
            }
            _ => {
                bytes.start = HEADER_BYTES;
                Layout::Batch(first, second)
            }
        };
        Ok(File { bytes, layout })
    }

    /// The next LedgerCloseMeta. `None` at the end of the file.
    fn next(&mut self) -> Parsed<Option<Vec<u8>>> {
        match self.layout {
            Layout::Ended => {
                // Nothing follows the last ledger.
                return match self.bytes.fill(1)? {
                    true => Err("bytes follow the last ledger".into()),
                    false => Ok(None),
                };
            }
            Layout::Framed => return self.next_frame(),
            Layout::Bare => self.layout = Layout::Ended,
            Layout::Batch(next, last) => {
                let ledger = self.next_bare()?;
                if Ledger::facts_of(&ledger)?.sequence != next {
                    return Err("a ledger is in another's place".into());
                }
                self.layout = match next == last {
                    true => Layout::Ended,
                    false => Layout::Batch(next + 1, last),
                };
                return Ok(Some(ledger));
            }
        }
        self.next_bare().map(Some)
    }

    fn next_frame(&mut self) -> Parsed<Option<Vec<u8>>> {
        if !self.bytes.fill(1)? {
            return Ok(None);
        }
        if !self.bytes.fill(4)? {
            return Err("the file ends within a record mark".into());
        }
        // stellar-core writes each ledger as one record of one fragment.
        let Some(size) = self.bytes.word(0).checked_sub(LAST_FRAGMENT) else {
            return Err("a record mark is missing".into());
        };
        let size = size as usize;
        if size > MOST_LEDGER_BYTES {
            return Err("a ledger is too large".into());
        }
        if !self.bytes.fill(4 + size)? {
            return Err("the file ends within a ledger".into());
        }
        self.bytes.start += 4;
        Ok(Some(self.bytes.take(size)))
    }

    /// A ledger of unknown length: the bytes that are there are tried, then twice as many.
    fn next_bare(&mut self) -> Parsed<Vec<u8>> {
        let mut needed = FIRST_READ_BYTES;
        loop {
            let is_whole = !self.bytes.fill(needed)?;
            match Ledger::length(self.bytes.rest()) {
                Ok(size) if size <= MOST_LEDGER_BYTES => return Ok(self.bytes.take(size)),
                Err(problem) if is_whole => return Err(problem),
                _ if needed > MOST_LEDGER_BYTES => return Err("a ledger is too large".into()),
                _ => needed = 2 * needed.max(self.bytes.rest().len()),
            }
        }
    }
}

/// A file from whose next ledger on nothing could be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unread {
    /// The file's index.
    pub file: usize,
    /// The sequence after the last ledger that was read.
    pub next: u32,
    /// True if no other file is read either.
    pub is_last: bool,
    pub problem: String,
}

/// A ledger's bytes, and the index of its file.
pub struct LedgerOfFile {
    pub bytes: Vec<u8>,
    pub facts: Facts,
    pub file: usize,
}

/// The ledgers of files in turn.
pub struct Files {
    paths: Vec<PathBuf>,
    /// Ledgers before this one are left out.
    from: u32,
    /// The index of the file that is read.
    at: usize,
    file: Option<File>,
    next: u32,
}

impl Files {
    pub fn new(paths: &[String], from: u32) -> Files {
        let paths = paths.iter().map(PathBuf::from).collect();
        Files { paths, from, at: 0, file: None, next: 0 }
    }

    fn step(&mut self) -> Parsed<Option<LedgerOfFile>> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(File::open(&self.paths[self.at])?),
        };
        let Some(bytes) = file.next()? else { return Ok(None) };
        let facts = Ledger::facts_of(&bytes)?;
        if facts.protocol_version > newest_protocol() {
            return Err("the ledger is of a later protocol".into());
        }
        self.next = facts.sequence + 1;
        Ok(Some(LedgerOfFile { bytes, facts, file: self.at }))
    }
}

pub fn newest_protocol() -> u32 {
    crate::hosts::HOSTS.last().map_or(0, |(protocol, _)| *protocol)
}

impl Iterator for Files {
    type Item = Result<LedgerOfFile, Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.at < self.paths.len() {
            match self.step() {
                Ok(Some(ledger)) if ledger.facts.sequence < self.from => {}
                Ok(Some(ledger)) => return Some(Ok(ledger)),
                Ok(None) => {
                    self.file = None;
                    self.at += 1;
                }
                Err(problem) => {
                    let unread = Unread { file: self.at, next: self.next, is_last: false, problem };
                    self.file = None;
                    self.at += 1;
                    return Some(Err(unread));
                }
            }
        }
        None
    }
}

/// The number of ledgers that a writer may repeat: a hundred times a checkpoint, which is what
/// stellar-core repeats.
const REMEMBERED_LEDGERS: usize = 6_400;

/// The ledgers that were seen last. A file can repeat ledgers if its writer began anew.
#[derive(Default)]
pub struct Seen {
    hashes: HashMap<u32, [u8; 32]>,
    order: VecDeque<u32>,
}

impl Seen {
    /// True if the ledger was not seen yet.
    pub fn is_new(&mut self, sequence: u32, hash: [u8; 32]) -> bool {
        match self.hashes.insert(sequence, hash) {
            Some(known) => return known != hash,
            None => self.order.push_back(sequence),
        }
        if self.order.len() > REMEMBERED_LEDGERS {
            let oldest = self.order.pop_front();
            oldest.and_then(|oldest| self.hashes.remove(&oldest));
        }
        true
    }
}

#[cfg(test)]
mod tests;
