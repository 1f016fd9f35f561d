// The call of a failed transaction that failed first.

use super::record::{FrameKind, FrameRecord};

/// Returns the innermost failed call that made all its callers fail. `None` if that call does not
/// run wasm.
pub fn failed_frame(frames: &[FrameRecord]) -> Option<usize> {
    innermost(frames).filter(|frame| frames[*frame].kind == FrameKind::Wasm)
}

/// Returns the innermost failed call that made all its callers fail, whatever that call runs.
pub fn innermost(frames: &[FrameRecord]) -> Option<usize> {
    let mut frame = frames.iter().position(|frame| frame.parent.is_none() && !frame.ok)?;
    loop {
        let record = &frames[frame];
        let last = record.host_calls.len().checked_sub(1);
        let failed_call = last.filter(|last| !record.host_calls[*last].ok);
        let child = frames.iter().rposition(|child| match child.parent {
            Some((parent, call)) => {
                let of_call = record.kind == FrameKind::Host || failed_call == Some(call);
                parent == frame && of_call && !child.ok
            }
            None => false,
        });
        match child {
            Some(child) => frame = child,
            None => return Some(frame),
        }
    }
}
