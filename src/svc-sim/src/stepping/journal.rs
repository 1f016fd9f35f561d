// The writes of a recorded run to contract storage, and which of them decided what a read found.
// This is the last write of the same contract, durability and key that began before the read, did
// not fail, and was not undone by a failed call that had ended by then.

use super::record::{FrameRecord, HostCallRecord};
use crate::hosts::recorded::{RecordedRun, RecordedValue};

pub struct Journal<'a> {
    frames: &'a [FrameRecord],
    run: &'a RecordedRun,
    /// The writes in the order in which they began.
    writes: Vec<Write<'a>>,
}

struct Write<'a> {
    frame: usize,
    call: usize,
    number: u32,
    place: Place<'a>,
}

/// A place in storage. A part that is not known may be anything.
struct Place<'a> {
    frame: usize,
    contract: Option<&'a str>,
    durability: Option<&'a RecordedValue>,
    key: Option<Vec<u8>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    /// The value that the read found existed before the transaction.
    Before,
    /// The frame and the index of its host call that wrote the value.
    By(usize, usize),
    Unknown,
}

impl<'a> Journal<'a> {
    pub fn of(frames: &'a [FrameRecord], run: &'a RecordedRun) -> Journal<'a> {
        let mut journal = Journal { frames, run, writes: vec![] };
        for (frame, record) in frames.iter().enumerate() {
            for (call, written) in record.host_calls.iter().enumerate() {
                if is_write(written.function) && written.ok {
                    let (number, place) = (written.number, journal.place(frame, written));
                    journal.writes.push(Write { frame, call, number, place });
                }
            }
        }
        journal.writes.sort_by_key(|write| write.number);
        journal
    }

    fn place(&self, frame: usize, call: &'a HostCallRecord) -> Place<'a> {
        Place {
            frame,
            contract: self.frames[frame].contract.as_deref(),
            durability: call.arguments.last().filter(|it| **it != RecordedValue::Unknown),
            key: call.arguments.first().and_then(|key| self.run.xdr(key)),
        }
    }

    /// The write whose value a host call found that reads storage.
    pub fn writer(&self, frame: usize, call: usize) -> Written {
        let read = &self.frames[frame].host_calls[call];
        let place = self.place(frame, read);
        let before = self.writes.partition_point(|write| write.number < read.number);
        for write in self.writes[..before].iter().rev() {
            if self.is_undone(write.frame, frame) {
                continue;
            }
            match write.place.is(&place) {
                Some(false) => {}
                Some(true) if self.agrees(write, read) => {
                    return Written::By(write.frame, write.call)
                }
                _ => return Written::Unknown,
            }
        }
        Written::Before
    }

    /// Says whether the read found the written value. If not, it is unknown what wrote it.
    fn agrees(&self, write: &Write, read: &HostCallRecord) -> bool {
        let written = &self.frames[write.frame].host_calls[write.call];
        let puts = written.function == "put_contract_data";
        match read.function {
            "has_contract_data" => read.result == RecordedValue::Small(u64::from(puts)),
            _ if !read.ok => !puts,
            _ => {
                let value = puts.then(|| self.run.xdr(&written.arguments[1]));
                value.is_some_and(|value| {
                    self.run.xdr(&read.result).zip(value).is_none_or(|(one, other)| one == other)
                })
            }
        }
    }

    /// Says whether a frame's writes were undone when another frame read: a call that contains the
    /// frame failed, and does not contain the reader.
    fn is_undone(&self, frame: usize, reader: usize) -> bool {
        let failed = undone_with(self.frames, frame);
        failed.is_some_and(|failed| !with_callers(self.frames, reader).any(|it| it == failed))
    }
}

impl Place<'_> {
    /// Says whether both are the same place. `None` if that is unknown.
    fn is(&self, other: &Place) -> Option<bool> {
        let contracts = self.contract.zip(other.contract).map(|(one, other)| one == other);
        let same = [
            if self.frame == other.frame { Some(true) } else { contracts },
            self.durability.zip(other.durability).map(|(one, other)| one == other),
            self.key.as_ref().zip(other.key.as_ref()).map(|(one, other)| one == other),
        ];
        if same.contains(&Some(false)) {
            return Some(false);
        }
        same.into_iter().all(|part| part == Some(true)).then_some(true)
    }
}

fn is_write(function: &str) -> bool {
    matches!(function, "put_contract_data" | "del_contract_data")
}

/// A frame, the one that called it, and so on.
fn with_callers(frames: &[FrameRecord], frame: usize) -> impl Iterator<Item = usize> + '_ {
    let caller = |frame: &usize| frames[*frame].parent.map(|(caller, _)| caller);
    std::iter::successors(Some(frame), caller)
}

/// The innermost failed call among a frame and its callers. The frame's writes are undone when that
/// call ends.
pub fn undone_with(frames: &[FrameRecord], frame: usize) -> Option<usize> {
    with_callers(frames, frame).find(|frame| !frames[*frame].ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: u64 = 1;
    const J: u64 = 2;

    /// A host call with a key, a storage type, and a value that it writes or finds.
    fn call(
        number: u32,
        function: &'static str,
        key: u64,
        durability: &str,
        value: u64,
    ) -> HostCallRecord {
        let key = RecordedValue::Small((key << 32) | 4);
        let durability = RecordedValue::Word(durability.into());
        let value = RecordedValue::Small((value << 32) | 4);
        let arguments = match function {
            "put_contract_data" => vec![key, value.clone(), durability],
            _ => vec![key, durability],
        };
        let result = match function {
            "get_contract_data" => value,
            _ => RecordedValue::Small(value_of(&value)),
        };
        HostCallRecord {
            function,
            number,
            arguments,
            result,
            ok: true,
            fuel_before: 0,
            // All calls are in one code block, so the meters do not show their order.
            cpu_before: 7,
            cpu_after: 7,
            memory_before: 0,
            memory_after: 0,
        }
    }

    fn value_of(value: &RecordedValue) -> u64 {
        match value {
            RecordedValue::Small(payload) => payload >> 32,
            _ => 0,
        }
    }

    fn put(number: u32, durability: &str, value: u64) -> HostCallRecord {
        call(number, "put_contract_data", K, durability, value)
    }

    fn get(number: u32, durability: &str, value: u64) -> HostCallRecord {
        call(number, "get_contract_data", K, durability, value)
    }

    fn has(number: u32, durability: &str, is_there: bool) -> HostCallRecord {
        call(number, "has_contract_data", K, durability, u64::from(is_there))
    }

    fn del(number: u32, durability: &str) -> HostCallRecord {
        call(number, "del_contract_data", K, durability, 0)
    }

    fn frame(
        parent: Option<(usize, usize)>,
        contract: &str,
        ok: bool,
        host_calls: Vec<HostCallRecord>,
    ) -> FrameRecord {
        FrameRecord {
            parent,
            contract: Some(contract.into()),
            ok,
            host_calls,
            ..Default::default()
        }
    }

    fn try_call(number: u32) -> HostCallRecord {
        HostCallRecord { function: "try_call", ..call(number, "has_contract_data", J, "", 0) }
    }

    /// The write whose value the last host call of the last frame read.
    fn writer(frames: &[FrameRecord]) -> Written {
        let run = RecordedRun::default();
        let last = frames.len() - 1;
        Journal::of(frames, &run).writer(last, frames[last].host_calls.len() - 1)
    }

    const T: &str = "Temporary";
    const P: &str = "Persistent";
    const I: &str = "Instance";

    #[test]
    fn only_the_same_durability_and_key_are_the_same_entry() {
        let one = |calls| writer(&[frame(None, "A", true, calls)]);
        for durability in [T, P, I] {
            for other in [T, P, I].into_iter().filter(|other| *other != durability) {
                assert_eq!(one(vec![put(1, other, 1), get(2, durability, 9)]), Written::Before);
            }
            // The calls are in one code block, in which the meters are equal.
            assert_eq!(one(vec![put(1, durability, 7), get(2, durability, 7)]), Written::By(0, 0));
            let twice = vec![put(1, durability, 7), put(2, durability, 8), get(3, durability, 8)];
            assert_eq!(one(twice), Written::By(0, 1));
        }
        let others = vec![call(1, "put_contract_data", J, P, 1), get(2, P, 9)];
        assert_eq!(one(others), Written::Before);
        // The order is that of the calls, not of the frames' lists.
        assert_eq!(one(vec![get(2, P, 9), put(5, P, 1), get(3, P, 9)]), Written::Before);
    }

    #[test]
    fn a_deleted_entry_was_deleted_by_the_last_write() {
        let one = |calls| writer(&[frame(None, "A", true, calls)]);
        assert_eq!(one(vec![put(1, P, 7), del(2, P), has(3, P, false)]), Written::By(0, 1));
        assert_eq!(one(vec![put(1, P, 7), del(2, T), has(3, P, true)]), Written::By(0, 0));
        assert_eq!(one(vec![del(1, P), put(2, P, 7), get(3, P, 7)]), Written::By(0, 1));
        let failed = HostCallRecord { ok: false, ..del(1, P) };
        assert_eq!(one(vec![failed, has(2, P, true)]), Written::Before);
    }

    #[test]
    fn what_a_call_that_failed_wrote_is_undone_with_it() {
        for (ok, expected) in [(true, Written::By(1, 0)), (false, Written::Before)] {
            let value = if ok { 1 } else { 9 };
            let frames = [
                frame(None, "outer", true, vec![try_call(1), try_call(3)]),
                frame(Some((0, 0)), "B", ok, vec![put(2, P, 1)]),
                frame(Some((0, 1)), "B", true, vec![get(4, P, value)]),
            ];
            assert_eq!(writer(&frames), expected);
        }
        // A caller of the call failed. The reader is, or is not, another call that this caller
        // made.
        for (reader, value, expected) in [(1, 1, Written::By(2, 0)), (0, 9, Written::Before)] {
            let frames = [
                frame(None, "outer", true, vec![try_call(1), try_call(6)]),
                frame(Some((0, 0)), "middle", false, vec![try_call(2), try_call(4)]),
                frame(Some((1, 0)), "B", true, vec![put(3, P, 1)]),
                frame(Some((reader, 1)), "B", true, vec![get(7, P, value)]),
            ];
            assert_eq!(writer(&frames), expected);
        }
        // Inside a call that fails later, its writes are visible.
        let own = [frame(None, "A", false, vec![put(1, P, 7), get(2, P, 7)])];
        assert_eq!(writer(&own), Written::By(0, 0));
    }

    #[test]
    fn other_contracts_have_other_storage() {
        let frames = |writer: &str| {
            [
                frame(None, "outer", true, vec![try_call(1), try_call(3)]),
                frame(Some((0, 0)), writer, true, vec![put(2, P, 1)]),
                frame(Some((0, 1)), "B", true, vec![get(4, P, 1)]),
            ]
        };
        assert_eq!(writer(&frames("B")), Written::By(1, 0));
        assert_eq!(writer(&frames("C")), Written::Before);
        let mut nameless = frames("B");
        nameless[1].contract = None;
        assert_eq!(writer(&nameless), Written::Unknown);
    }

    #[test]
    fn what_is_not_known_is_not_said() {
        let one = |calls| writer(&[frame(None, "A", true, calls)]);
        let without = |at: usize| {
            let mut write = put(1, P, 7);
            write.arguments[at] = RecordedValue::Unknown;
            write
        };
        assert_eq!(one(vec![without(0), get(2, P, 7)]), Written::Unknown);
        assert_eq!(one(vec![without(2), get(2, P, 7)]), Written::Unknown);
        // A later write is known.
        assert_eq!(one(vec![without(0), put(2, P, 7), get(3, P, 7)]), Written::By(0, 1));
        // The read found another value than the one written, so something else wrote it.
        assert_eq!(one(vec![put(1, P, 7), get(2, P, 9)]), Written::Unknown);
        assert_eq!(one(vec![del(1, P), get(2, P, 9)]), Written::Unknown);
    }
}
