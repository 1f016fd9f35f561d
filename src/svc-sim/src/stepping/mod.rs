// Stepping through a replay, forwards and backwards. The host records one run: its contract calls,
// their host calls and all values. The contracts' code then runs again here, against that record.
// It counts only if it makes the same host calls with the same arguments, uses the same fuel before
// each of them, and has the same end. Any moment is then a short run away from a checkpoint.

mod arithmetic;
mod checkpoint;
mod code;
mod debug_info;
pub mod debug_names;
mod disassembly;
mod failed_frame;
pub mod functions;
#[cfg(test)]
mod fuzz;
mod host_effects;
#[cfg(test)]
mod hostile;
mod journal;
mod leb;
mod lines;
mod locate;
mod machine;
mod memory;
mod operators;
mod read_code;
mod record;
mod seek;
pub mod session;
mod stack;
mod stop;
mod timeline;
mod track;
mod translate;
mod travel;
mod why;
