// Runs of a transaction with instrumented code in the place of the contracts' own, under its hash, on
// the same state and without limits of their own. Nothing of such a run is told but what it was made
// for, and that only when it went as the replay did.

mod debug_names;
pub mod functions;
pub mod instrument;
mod leb;
pub mod locate;
mod module;

use crate::{error::Error, hosts::trace::TraceStepKind};
use debug_names::DebugNames;

/// # Errors
/// `BAD_REQUEST` when it is no wasm.
fn read_given<'a>(wasm: &'a [u8], field: &str) -> Result<DebugNames<'a>, Error> {
    DebugNames::read(wasm)
        .map_err(|error| Error::bad_request(format!("{field} is no wasm: {error}")))
}

fn is_frame(kind: &&TraceStepKind) -> bool {
    matches!(kind, TraceStepKind::Push(_) | TraceStepKind::Pop { .. })
}
