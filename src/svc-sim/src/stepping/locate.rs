// Locates a failed call in its code: its functions that had begun and not ended, with the
// instruction of each.

use super::{debug_names::DebugNames, failed_frame::failed_frame, session::Session, stop::Trap};
use crate::{
    error::{Error, ErrorCode},
    wire::response::{CodeLocation, LocatedFrame, Location},
    xdr_codec::{hex, sha256},
};

/// The largest number of frames in a report: people read it, and recursion can be deep.
const MAX_FRAMES: usize = 64;

impl Session {
    /// Locates the failure. `supplied` is wasm with debug information and the contract's code.
    ///
    /// # Errors
    ///
    /// `WASM_DIFFERS` if it has other code.
    pub fn locate(&mut self, supplied: Option<&[u8]>) -> Result<Location, Error> {
        let unknown = |reason: &str| Ok(Location::Unknown { reason: reason.into() });
        let Some(frame) = failed_frame(&self.frames) else {
            return unknown("no contract call with code failed");
        };
        let contract = self.frames[frame].contract.clone().unwrap_or_default();
        if let Some(reason) = &self.reasons[frame] {
            return unknown(reason);
        }
        let Some(known) = self.known_code(frame) else {
            return unknown("the failing contract's code was not run again");
        };
        if let (Some(supplied), None) = (supplied, &known.supplied_build) {
            return Err(differs(&contract, &known.wasm, supplied));
        }
        let code_hash = hex(&known.code.hash);
        let lines_from = known.lines_from();
        let open = self.open_functions(frame);
        let Some(known) = self.known_code(frame) else { return unknown("its code is not known") };
        let names = DebugNames::read(known.named()).ok();
        let located = |(function, address): &(u32, Option<u32>)| LocatedFrame {
            function_index: *function,
            function: known.names.get(function).cloned(),
            address: *address,
            sources: match (&names, address) {
                (Some(names), Some(address)) => names.places(*address),
                _ => vec![],
            },
        };
        Ok(Location::Known(CodeLocation {
            contract,
            code_hash,
            lines_from,
            frames: open.iter().take(MAX_FRAMES).map(located).collect(),
            frames_left_out: open.len().saturating_sub(MAX_FRAMES),
        }))
    }

    /// The open functions, the innermost first. A function that returned an error has no
    /// instruction at which it failed.
    fn open_functions(&mut self, frame: usize) -> Vec<(u32, Option<u32>)> {
        let Session { run, frames, tracks, .. } = self;
        let Some(track) = tracks[frame].as_mut() else { return vec![] };
        // A limit ends a call between two instructions. Any other trap is at an instruction.
        let step = match track.trap {
            Some(Trap::LimitExceeded) => track.steps,
            _ => track.steps.saturating_sub(1),
        };
        let returned = track.trap.is_none();
        let Some(machine) = track.at(step, &frames[frame], run) else { return vec![] };
        let code = &machine.code;
        let address = |op: u32| code.addresses.get(op as usize).copied();
        let next = machine.next_op();
        let calls = machine.calls.iter().rev().enumerate();
        // The outer functions are at the call that they made.
        let stands = |(level, at): (usize, u32)| match level {
            _ if returned => None,
            0 => address(next),
            _ => address(at.saturating_sub(1)),
        };
        calls.map(|(level, call)| (call.function, stands((level, call.op)))).collect()
    }
}

fn differs(contract: &str, own: &[u8], supplied: &[u8]) -> Error {
    let hash = |wasm: &[u8]| DebugNames::read(wasm).map(|names| hex(&sha256(names.code)));
    let message = format!(
        "the code section of contract {contract} has SHA-256 {}, and the supplied wasm's has {}",
        hash(own).unwrap_or_default(),
        hash(supplied).unwrap_or_default()
    );
    Error::new(ErrorCode::WasmDiffers, message)
}
