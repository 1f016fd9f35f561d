// The next moment, or the last one, where a step ends or a breakpoint is.

use super::{
    lines::{Lines, BREAK, STATEMENT},
    record::FrameKind,
    session::Session,
    timeline::{Moment, Part, Segment},
};
use crate::{
    wire::travel::{Mode, Place},
    xdr_codec::hex,
};

pub struct Seek {
    mode: Mode,
    instructions: bool,
    backwards: bool,
    origin: Moment,
    /// Open functions, the line, and the inlined functions that are open, at the origin.
    depth: usize,
    line: Option<(u32, u32)>,
    inlined: u8,
    /// The frame of the origin and those that called it.
    ancestors: Vec<usize>,
}
impl Session {
    pub fn set_breaks(&mut self, places: &[Place]) {
        for known in &mut self.codes {
            known.lines.flags.iter_mut().for_each(|flags| *flags &= !BREAK);
            let hash = hex(&known.code.hash);
            known.has_breaks = false;
            for place in places.iter().filter(|place| place.code == hash) {
                if let Some(op) = known.code.op_at(place.address) {
                    known.lines.flags[op as usize] |= BREAK;
                    known.has_breaks = true;
                }
            }
        }
    }

    pub fn prepare(&mut self, from: u64, mode: Mode, instructions: bool, backwards: bool) -> Seek {
        let origin = self.timeline.moment(from);
        // The operation itself has no steps to go over or out of.
        let outside = self.frames[origin.frame].kind == FrameKind::Host;
        let mode = if outside && mode != Mode::Continue { Mode::Into } else { mode };
        let mut ancestors = vec![origin.frame];
        while let Some((parent, _)) = ancestors.last().and_then(|last| self.frames[*last].parent) {
            ancestors.push(parent);
        }
        let (mut depth, mut line, mut inlined) = (0, None, 0);
        if let Some(machine) = self.machine(from, origin.frame) {
            let op = machine.next_op();
            depth = if origin.part == Part::Steps { machine.calls.len() } else { 0 };
            let lines = self.known_code(origin.frame).map(|known| &known.lines);
            line = lines.and_then(|lines| lines.line(op));
            inlined = lines.map_or(0, |lines| lines.inlined(op));
        }
        Seek { mode, instructions, backwards, origin, depth, line, inlined, ancestors }
    }

    pub fn seek(&mut self, from: u64, seek: &Seek, until: Option<u64>) -> (u64, &'static str) {
        let last = self.timeline.moments - 1;
        let until = until.filter(|until| *until > from && *until <= last);
        let end = until.unwrap_or(last);
        let mut at = from + 1;
        while at < end {
            let segment = self.timeline.segments[self.timeline.segment_of(at)];
            let stop = (segment.start + segment.length()).min(end);
            let range = (segment.from + at - segment.start, segment.from + stop - segment.start);
            if let Some((step, reason)) = self.find(segment, range, seek) {
                return (segment.start + step - segment.from, reason);
            }
            at = stop;
        }
        (end, if until.is_some() { "until" } else { "end" })
    }

    pub fn seek_back(&mut self, from: u64, seek: &Seek, until: Option<u64>) -> (u64, &'static str) {
        let until = until.filter(|until| *until < from);
        let first = until.map_or(0, |until| until + 1);
        let mut end = from;
        while end > first {
            let segment = self.timeline.segments[self.timeline.segment_of(end - 1)];
            let start = segment.start.max(first);
            let range = (segment.from + start - segment.start, segment.from + end - segment.start);
            if let Some((step, reason)) = self.find(segment, range, seek) {
                return (segment.start + step - segment.from, reason);
            }
            end = start;
        }
        (until.unwrap_or(0), if until.is_some() { "until" } else { "start" })
    }

    /// The own step within `range` where it stops: the first, or backwards the last.
    fn find(
        &mut self,
        segment: Segment,
        range: (u64, u64),
        seek: &Seek,
    ) -> Option<(u64, &'static str)> {
        let frame = segment.frame;
        let Session { run, frames, tracks, codes, .. } = self;
        let record = &frames[frame];
        let edge = |step: u64| Some((step, "step"));
        let Some(track) = tracks[frame].as_mut().filter(|_| segment.part == Part::Steps) else {
            let stops = match segment.part {
                Part::Enter => tracks[frame].is_none() && record.parent.is_some(),
                Part::Steps => true,
                Part::Exit => false,
            };
            let wanted = match seek.mode {
                Mode::Into => true,
                Mode::Continue => false,
                Mode::Over => segment.part == Part::Steps && seek.is_above(frame, false),
                Mode::Out => segment.part == Part::Steps && seek.is_above(frame, true),
            };
            let step = if seek.backwards { range.1 - 1 } else { range.0 };
            return edge(step).filter(|_| stops && wanted);
        };
        let known = codes.iter().find(|known| std::rc::Rc::ptr_eq(&known.code, &track.code))?;
        let reachable = match seek.mode {
            Mode::Continue => false,
            Mode::Into => true,
            Mode::Over | Mode::Out => seek.ancestors.contains(&frame),
        };
        if !reachable && !known.has_breaks {
            return None;
        }
        let lines = &known.lines;
        let matches = |op: u32, depth: usize| {
            let flags = lines.flags[op as usize];
            flags & BREAK != 0
                || reachable && seek.stops(frame, depth, flags & STATEMENT != 0, (lines, op))
        };
        let step = match seek.backwards {
            false => track.find(range, record, run, matches),
            true => track.find_back(range, record, run, matches),
        }?;
        let op = track.at(step, record, run)?.next_op();
        let breaks = lines.flags[op as usize] & BREAK != 0;
        Some((step, if breaks { "breakpoint" } else { "step" }))
    }
}

impl Seek {
    fn stops(&self, frame: usize, depth: usize, begins: bool, (lines, op): (&Lines, u32)) -> bool {
        let here = frame == self.origin.frame;
        let outside = !here || depth < self.depth;
        match self.mode {
            Mode::Continue => false,
            Mode::Out if here && depth == self.depth && !self.instructions => {
                begins && lines.inlined(op) < self.inlined
            }
            Mode::Out => outside,
            Mode::Into if self.instructions => true,
            Mode::Over if self.instructions => outside || depth == self.depth,
            Mode::Over if outside => begins || self.backwards,
            Mode::Over if depth > self.depth || lines.inlined(op) > self.inlined => false,
            Mode::Into | Mode::Over => {
                let line = lines.line(op);
                let same = here && depth == self.depth && line.is_some() && line == self.line;
                begins && !same
            }
        }
    }

    /// Whether a frame without code of its own is the origin, or called it.
    fn is_above(&self, frame: usize, strictly: bool) -> bool {
        self.ancestors.contains(&frame) && !(strictly && frame == self.origin.frame)
    }
}
