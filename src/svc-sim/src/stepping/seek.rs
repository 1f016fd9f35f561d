// Finds the next or the previous moment at which a step ends or a breakpoint is.

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
    /// The number of open functions at the origin, its operation, and the depth of inlined
    /// functions that the user has entered.
    depth: usize,
    op: Option<u32>,
    level: usize,
    /// True if steps also stop in libraries.
    all_code: bool,
    /// The frame of the origin and its callers.
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

    /// Prepares a search. `hidden` is the number of inlined functions at the origin that the user
    /// has not entered.
    pub fn prepare(&mut self, from: u64, step: Step) -> Seek {
        let Step { mode, instructions, backwards, hidden, all_code } = step;
        let origin = self.timeline.moment(from);
        // The operation itself has no steps that a step could go over or out of.
        let outside = self.frames[origin.frame].kind == FrameKind::Host;
        let mode = if outside && mode != Mode::Continue { Mode::Into } else { mode };
        let mut ancestors = vec![origin.frame];
        while let Some((parent, _)) = ancestors.last().and_then(|last| self.frames[*last].parent) {
            ancestors.push(parent);
        }
        let (mut depth, mut own_op, mut level) = (0, None, 0);
        if let Some(machine) = self.machine(from, origin.frame) {
            let op = machine.next_op();
            depth = if origin.part == Part::Steps { machine.calls.len() } else { 0 };
            own_op = Some(op);
            let inlined = self.known_code(origin.frame).map_or(0, |known| known.lines.depth(op));
            level = inlined.saturating_sub(hidden);
        }
        Seek {
            mode,
            instructions,
            backwards,
            origin,
            depth,
            op: own_op,
            level,
            all_code,
            ancestors,
        }
    }

    /// Steps within one moment: into an inlined function that begins there, or backwards out of
    /// one.
    pub fn step_in_place(&self, seek: &Seek) -> Option<usize> {
        let lines = &self.known_code(seek.origin.frame)?.lines;
        let op = seek.op.filter(|_| lines.has_rows() && !seek.instructions)?;
        let inlined = lines.depth(op);
        let level = match (seek.mode, seek.backwards) {
            (Mode::Into, false) => {
                let mut inner = seek.level + 1..=inlined;
                inner.find(|level| seek.own_depth(lines, op, *level) == Some(*level))?
            }
            (Mode::Over, true) => seek.own_depth(lines, op, seek.level.checked_sub(1)?)?,
            _ => return None,
        };
        let begins = lines.begins(op, level) && lines.begins(op, seek.level.max(level));
        begins.then_some(inlined - level)
    }

    pub fn seek(&mut self, from: u64, seek: &Seek, until: Option<u64>) -> Found {
        let last = self.timeline.moments - 1;
        let until = until.filter(|until| *until > from && *until <= last);
        let end = until.unwrap_or(last);
        let mut at = from + 1;
        while at < end {
            let segment = self.timeline.segments[self.timeline.segment_of(at)];
            let stop = (segment.start + segment.length()).min(end);
            let range = (segment.from + at - segment.start, segment.from + stop - segment.start);
            if let Some((step, reason, hidden)) = self.find(segment, range, seek) {
                return (segment.start + step - segment.from, reason, hidden);
            }
            at = stop;
        }
        (end, if until.is_some() { "until" } else { "end" }, 0)
    }

    pub fn seek_back(&mut self, from: u64, seek: &Seek, until: Option<u64>) -> Found {
        let until = until.filter(|until| *until < from);
        let first = until.map_or(0, |until| until + 1);
        let mut end = from;
        while end > first {
            let segment = self.timeline.segments[self.timeline.segment_of(end - 1)];
            let start = segment.start.max(first);
            let range = (segment.from + start - segment.start, segment.from + end - segment.start);
            if let Some((step, reason, hidden)) = self.find(segment, range, seek) {
                return (segment.start + step - segment.from, reason, hidden);
            }
            end = start;
        }
        (until.unwrap_or(0), if until.is_some() { "until" } else { "start" }, 0)
    }

    /// The step within `range` at which the search stops: the first, or backwards the last.
    fn find(&mut self, segment: Segment, range: (u64, u64), seek: &Seek) -> Option<Found> {
        let frame = segment.frame;
        let Session { run, frames, tracks, codes, .. } = self;
        let record = &frames[frame];
        let edge = |step: u64| Some((step, "step", 0));
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
        let stops =
            |op: u32, depth: usize| reachable.then(|| seek.stops(frame, depth, lines, op))?;
        let matches = |op: u32, depth: usize| {
            lines.flags[op as usize] & BREAK != 0 || stops(op, depth).is_some()
        };
        let step = match seek.backwards {
            false => track.find(range, record, run, matches),
            true => track.find_back(range, record, run, matches),
        }?;
        let machine = track.at(step, record, run)?;
        let (op, depth) = (machine.next_op(), machine.calls.len());
        match lines.flags[op as usize] & BREAK != 0 {
            true => Some((step, "breakpoint", 0)),
            false => Some((step, "step", lines.depth(op) - stops(op, depth)?)),
        }
    }
}

/// A moment, the reason to stop there, and the number of inlined functions that begin there and are
/// not entered.
pub type Found = (u64, &'static str, usize);

pub struct Step {
    pub mode: Mode,
    pub instructions: bool,
    pub backwards: bool,
    pub hidden: usize,
    pub all_code: bool,
}

impl Seek {
    /// The inlining depth at which the search stops. `None` if it goes on. A step over a line ends
    /// when the line changes in the function that the user is in, or in its caller: functions that
    /// are inlined in a line are part of it.
    fn stops(&self, frame: usize, depth: usize, lines: &Lines, op: u32) -> Option<usize> {
        let here = frame == self.origin.frame;
        let outside = !here || depth < self.depth;
        let inlined = lines.depth(op);
        if self.instructions || !lines.has_rows() {
            let begins = self.instructions || lines.flags[op as usize] & STATEMENT != 0;
            let stops = match self.mode {
                Mode::Continue => false,
                Mode::Out => outside,
                Mode::Into => begins,
                Mode::Over if outside => begins || self.backwards,
                Mode::Over => begins && depth == self.depth,
            };
            return stops.then_some(inlined);
        }
        if self.mode == Mode::Out && outside {
            return Some(self.own_depth(lines, op, inlined).unwrap_or(inlined));
        }
        let origin = self.op.filter(|_| here && depth == self.depth);
        let most = match (self.mode, origin) {
            (Mode::Continue, _) => return None,
            (Mode::Over | Mode::Out, None) if !outside => return None,
            (Mode::Into, _) | (_, None) => inlined,
            (Mode::Over, Some(origin)) => lines.common_depth(op, origin, self.level),
            (Mode::Out, Some(origin)) => {
                let common = lines.common_depth(op, origin, self.level);
                common.min(self.level.checked_sub(1)?)
            }
        };
        let level = self.own_depth(lines, op, most)?;
        let same = origin.is_some_and(|origin| {
            level <= self.level
                && lines.common_depth(op, origin, level) == level
                && lines.line_at(op, level) == lines.line_at(origin, level)
        });
        let left = self.mode != Mode::Out || most < self.level && !self.within(lines, op);
        (lines.begins(op, level) && left && (!same || self.mode == Mode::Out)).then_some(level)
    }

    /// Says whether the operation is in the inlined function that the user is in.
    fn within(&self, lines: &Lines, op: u32) -> bool {
        let common = self.op.map(|origin| lines.common_depth(op, origin, self.level));
        common == Some(self.level)
    }

    fn own_depth(&self, lines: &Lines, op: u32, depth: usize) -> Option<usize> {
        match self.all_code {
            true => Some(depth.min(lines.depth(op))),
            false => lines.own_depth(op, depth),
        }
    }

    /// Says whether a frame without code is the origin, or called it.
    fn is_above(&self, frame: usize, strictly: bool) -> bool {
        self.ancestors.contains(&frame) && !(strictly && frame == self.origin.frame)
    }
}
