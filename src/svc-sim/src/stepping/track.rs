// One contract call whose code can run again: its number of instructions, the positions of its host
// calls, and checkpoints from which any moment is a short run away.

use super::{
    checkpoint::{Checkpoint, BLOCK_BYTES},
    code::Code,
    host_effects::{value_of, Object, Objects},
    machine::Machine,
    record::FrameRecord,
    stop::{Stop, Trap},
};
use crate::hosts::recorded::{RecordedRun, RecordedValue};
use std::rc::Rc;

/// The largest number of instructions between a moment and a checkpoint, until there are too many
/// checkpoints.
const SPACING: u64 = 100_000;
const MAX_CHECKPOINTS: usize = 64;

pub struct Track {
    pub code: Rc<Code>,
    /// The number of executed instructions. If the call failed, the last one is where it failed.
    pub steps: u64,
    pub trap: Option<Trap>,
    /// For each host call, the number of instructions before it.
    pub calls_at: Vec<u64>,
    checkpoints: Vec<Checkpoint>,
    spacing: u64,
    objects: Vec<Object>,
    cursor: Option<Machine>,
}

impl Track {
    /// Runs the whole call.
    ///
    /// # Errors
    ///
    /// The first difference from the host's record.
    pub fn verify(code: Rc<Code>, frame: &FrameRecord, run: &RecordedRun) -> Result<Track, String> {
        let mut track = Track {
            steps: 0,
            trap: None,
            calls_at: vec![],
            checkpoints: vec![],
            spacing: SPACING,
            objects: vec![],
            cursor: None,
            code,
        };
        // The call failed before its first instruction, or the code does not have this constructor.
        let is_missing = !track.code.exports.contains_key(&frame.function);
        if frame.fuel == 0 && frame.host_calls.is_empty() && (!frame.ok || is_missing) {
            return Ok(track);
        }
        let entry =
            *track.code.exports.get(&frame.function).ok_or("the code has no such function")?;
        let parameters = track.code.signature_of(entry).map_or(0, |of| of.parameters.len());
        if parameters != frame.arguments.len() {
            return Err("the function takes another number of arguments".into());
        }
        let mut machine = Machine::start(track.code.clone(), entry, vec![0; parameters])
            .ok_or("the code cannot be started")?;
        let Track { objects, calls_at, checkpoints, spacing, .. } = &mut track;
        let mut objects = Objects { run, known: objects };
        machine.enter(&mut objects, &frame.arguments)?;
        let stop = loop {
            checkpoints.push(machine.checkpoint());
            if checkpoints.len() > MAX_CHECKPOINTS {
                *spacing *= 2;
                checkpoints.retain(|checkpoint| checkpoint.instructions % *spacing == 0);
            }
            let next = (machine.instructions / *spacing + 1) * *spacing;
            let imported = machine.code.imported();
            let code = machine.code.clone();
            let mut made = |machine: &Machine, op: u32| {
                if let super::code::Op::Call(function) = &code.ops[op as usize] {
                    if *function < imported {
                        calls_at.push(machine.instructions);
                    }
                }
                false
            };
            match machine.run(frame, &mut objects, next, &mut made) {
                Stop::Paused => {}
                stop => break stop,
            }
        };
        track.steps = machine.instructions;
        match stop {
            Stop::Trapped(_) if frame.ok => {
                return Err("the code fails, but did not fail in the host".into())
            }
            Stop::Trapped(trap) => track.trap = Some(trap),
            Stop::Returned(payload) => same_result(payload, frame)?,
            Stop::Differs(why) => return Err(why),
            Stop::Paused => {}
        }
        if machine.fuel != frame.fuel && track.trap != Some(Trap::LimitExceeded) {
            return Err(format!(
                "the code used {} of fuel instead of {}",
                machine.fuel, frame.fuel
            ));
        }
        if machine.host_calls != frame.host_calls.len() {
            return Err("the code does not make all host calls".into());
        }
        // A table can hold imported functions. Their calls are not counted above.
        if track.calls_at.len() > frame.host_calls.len() {
            track.calls_at.truncate(frame.host_calls.len());
        }
        if track.calls_at.len() < frame.host_calls.len() {
            return Err("the code calls the host through a table".into());
        }
        Ok(track)
    }

    /// The machine before instruction `step`.
    pub fn at(&mut self, step: u64, frame: &FrameRecord, run: &RecordedRun) -> Option<&Machine> {
        let from = self.checkpoint_before(step)?;
        let cursor = self.cursor.take();
        let near = cursor.filter(|machine| {
            machine.instructions <= step
                && machine.instructions >= self.checkpoints[from].instructions
        });
        let mut machine =
            near.unwrap_or_else(|| Machine::resume(self.code.clone(), &self.checkpoints[from]));
        let mut objects = Objects { run, known: &mut self.objects };
        machine.run(frame, &mut objects, step, |_, _| false);
        self.cursor = Some(machine);
        self.cursor.as_ref()
    }

    /// The machine at its last position.
    pub fn current_machine(&self) -> Option<&Machine> {
        self.cursor.as_ref()
    }

    fn checkpoint_before(&self, step: u64) -> Option<usize> {
        self.checkpoints.partition_point(|c| c.instructions <= step).checked_sub(1)
    }

    /// The first instruction of `from..to` for which `matches` is true.
    pub fn find(
        &mut self,
        (from, to): (u64, u64),
        frame: &FrameRecord,
        run: &RecordedRun,
        mut matches: impl FnMut(u32, usize) -> bool,
    ) -> Option<u64> {
        self.at(from, frame, run)?;
        let mut machine = self.cursor.take()?;
        let mut objects = Objects { run, known: &mut self.objects };
        let stop = machine.run(frame, &mut objects, to, |at, op| matches(op, at.calls.len()));
        let found =
            (stop == Stop::Paused && machine.instructions < to).then_some(machine.instructions);
        self.cursor = (stop == Stop::Paused).then_some(machine);
        found
    }

    /// The last instruction of `from..to` for which `matches` is true.
    pub fn find_back(
        &mut self,
        (from, to): (u64, u64),
        frame: &FrameRecord,
        run: &RecordedRun,
        mut matches: impl FnMut(u32, usize) -> bool,
    ) -> Option<u64> {
        let mut end = to;
        while end > from {
            let checkpoint = self.checkpoint_before(end - 1)?;
            let start = self.checkpoints[checkpoint].instructions.max(from);
            let mut machine = Machine::resume(self.code.clone(), &self.checkpoints[checkpoint]);
            let mut objects = Objects { run, known: &mut self.objects };
            let mut last = None;
            machine.run(frame, &mut objects, end, |at, op| {
                let step = at.instructions;
                if step >= start && step < end && matches(op, at.calls.len()) {
                    last = Some(step);
                }
                false
            });
            if last.is_some() {
                return last;
            }
            end = start;
        }
        None
    }

    /// Runs the end of the call, from a checkpoint at or before `from`, until `observe` returns
    /// true before an instruction.
    pub fn watch(
        &mut self,
        from: u64,
        frame: &FrameRecord,
        run: &RecordedRun,
        observe: impl FnMut(&Machine, u32) -> bool,
    ) -> Option<()> {
        let from = self.checkpoint_before(from)?;
        let mut machine = Machine::resume(self.code.clone(), &self.checkpoints[from]);
        let mut objects = Objects { run, known: &mut self.objects };
        machine.run(frame, &mut objects, u64::MAX, observe);
        Some(())
    }

    /// A machine at the last checkpoint before an instruction.
    pub fn machine_before(&self, step: u64) -> Option<Machine> {
        let checkpoint = &self.checkpoints[self.checkpoint_before(step)?];
        Some(Machine::resume(self.code.clone(), checkpoint))
    }

    /// The objects that the code has now or will receive.
    pub fn objects(&self) -> Vec<Object> {
        self.objects.clone()
    }

    /// ScVal XDR of a value that the code has.
    pub fn value(&self, payload: u64, run: &RecordedRun) -> Option<Vec<u8>> {
        value_of(&self.objects, payload, run)
    }

    pub fn forget_cursor(&mut self) {
        self.cursor = None;
    }

    /// The memory of the checkpoints in bytes. Blocks that they share count once.
    pub fn bytes(&self) -> usize {
        let blocks: std::collections::HashSet<usize> =
            self.checkpoints.iter().flat_map(Checkpoint::blocks).collect();
        blocks.len() * BLOCK_BYTES
            + self.checkpoints.iter().map(Checkpoint::own_bytes).sum::<usize>()
            + self.objects.len() * std::mem::size_of::<Object>()
    }
}

fn same_result(payload: u64, frame: &FrameRecord) -> Result<(), String> {
    let same = match &frame.result {
        RecordedValue::Small(expected) => payload == *expected,
        RecordedValue::Object { tag, .. } => payload as u8 == *tag,
        _ => true,
    };
    match same || !frame.ok {
        true => Ok(()),
        false => Err("the code returns another value".into()),
    }
}
