// All moments of a transaction in one order: for each frame its beginning, each of its steps
// followed by the frames that the step called, and its end. Steps are wasm instructions, or host
// calls if the code did not run again.

use super::{
    record::{FrameKind, FrameRecord},
    track::Track,
};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    Enter,
    /// The frame's own steps.
    Steps,
    Exit,
}

/// Consecutive moments in one frame.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub frame: usize,
    pub part: Part,
    pub from: u64,
    pub to: u64,
    /// The number of moments before the segment.
    pub start: u64,
}

impl Segment {
    pub fn length(&self) -> u64 {
        self.to - self.from
    }
}

pub struct Timeline {
    pub segments: Vec<Segment>,
    pub moments: u64,
}

/// A moment: before a step, at the beginning, or at the end of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    pub frame: usize,
    pub part: Part,
    /// The next step of the frame.
    pub step: u64,
}

impl Timeline {
    pub fn of(frames: &[FrameRecord], tracks: &[Option<Track>]) -> Timeline {
        let mut timeline = Timeline { segments: vec![], moments: 0 };
        let mut children: Vec<Vec<(u64, usize)>> = vec![vec![]; frames.len()];
        let mut roots = vec![];
        for (frame, record) in frames.iter().enumerate() {
            match record.parent {
                None => roots.push(frame),
                Some((parent, call)) => {
                    let at = tracks[parent].as_ref().map_or(call as u64, |track| {
                        track.calls_at.get(call).copied().unwrap_or(track.steps)
                    });
                    children[parent].push((at, frame));
                }
            }
        }
        // The search is depth first and without recursion, because the host's limit is deep.
        let mut open: Vec<(usize, usize, u64)> = vec![];
        for root in roots {
            timeline.push(root, Part::Enter, 0, 1);
            open.push((root, 0, 0));
            while let Some((frame, next, done)) = open.pop() {
                let steps = own_steps(&frames[frame], tracks[frame].as_ref());
                match children[frame].get(next) {
                    Some((at, child)) => {
                        let to = (at + 1).min(steps).max(done);
                        timeline.push(frame, Part::Steps, done, to);
                        open.push((frame, next + 1, to));
                        timeline.push(*child, Part::Enter, 0, 1);
                        open.push((*child, 0, 0));
                    }
                    None => {
                        timeline.push(frame, Part::Steps, done, steps);
                        timeline.push(frame, Part::Exit, steps, steps + 1);
                    }
                }
            }
        }
        timeline
    }

    fn push(&mut self, frame: usize, part: Part, from: u64, to: u64) {
        if from < to {
            self.segments.push(Segment { frame, part, from, to, start: self.moments });
            self.moments += to - from;
        }
    }

    pub fn segment_of(&self, moment: u64) -> usize {
        self.segments.partition_point(|segment| segment.start <= moment).saturating_sub(1)
    }

    pub fn moment(&self, moment: u64) -> Moment {
        let segment = &self.segments[self.segment_of(moment)];
        let step = segment.from + (moment - segment.start);
        Moment { frame: segment.frame, part: segment.part, step }
    }

    /// The moment before a frame's own step.
    pub fn before_step(&self, frame: usize, step: u64) -> Option<u64> {
        let has = |segment: &&Segment| {
            segment.frame == frame && segment.part == Part::Steps && segment.to > step
        };
        let segment = self.segments.iter().find(has)?;
        Some(segment.start + step.saturating_sub(segment.from))
    }
}

pub fn own_steps(frame: &FrameRecord, track: Option<&Track>) -> u64 {
    match (frame.kind, track) {
        (FrameKind::Host, _) => 0,
        (_, Some(track)) => track.steps,
        (_, None) => frame.host_calls.len() as u64,
    }
}
