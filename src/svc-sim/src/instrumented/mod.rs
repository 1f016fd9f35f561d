// Runs of a transaction with instrumented code in place of the contracts' own, under its hash, on
// the same state and without limits. Their results are used only when they went as the replay did.

pub mod debug_names;
pub mod functions;
pub mod instrument;
pub mod leb;
pub mod locate;
mod module;

use crate::{error::Error, hosts::trace::TraceStepKind};
use debug_names::DebugNames;

/// # Errors
/// `BAD_REQUEST` when it is not wasm.
fn read_given<'a>(wasm: &'a [u8], field: &str) -> Result<DebugNames<'a>, Error> {
    DebugNames::read(wasm)
        .map_err(|error| Error::bad_request(format!("{field} is not wasm: {error}")))
}

fn is_frame(kind: &&TraceStepKind) -> bool {
    matches!(kind, TraceStepKind::Push(_) | TraceStepKind::Pop { .. })
}
