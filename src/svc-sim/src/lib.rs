// The parts of svc-sim, as a library for the binary beside it and for the benchmark.

// The files of a host are written once and mounted for each host crate.
#![allow(clippy::duplicate_mod)]

pub mod apply;
mod call_record;
mod definitions;
pub mod error;
pub mod hosts;
pub mod input;
mod instrumented;
mod meta;
pub mod process;
mod profile;
mod protocols;
#[cfg(feature = "recording")]
pub mod recording;
pub mod replay;
pub mod respond;
mod settings;
mod state;
mod transaction;
pub mod wire;
mod xdr_codec;
