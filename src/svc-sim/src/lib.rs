// The parts of svc-sim, as a library for its binary and for the benchmark.

// Only process.rs calls the C library.
#![deny(unsafe_code)]
// The files of a host are written once and mounted for each host crate.
#![allow(clippy::duplicate_mod)]

mod apply;
mod as_text;
mod call_record;
#[cfg(test)]
mod counted_memory;
mod definitions;
#[cfg(not(feature = "recording"))]
mod digest;
#[cfg(not(feature = "recording"))]
pub mod engine;
pub mod error;
pub mod hosts;
mod input;
mod meta;
pub mod process;
mod profile;
mod protocols;
#[cfg(test)]
mod random;
#[cfg(feature = "recording")]
pub mod recording;
pub mod replay;
pub mod respond;
mod settings;
mod state;
mod stepping;
mod transaction;
pub mod wire;
mod xdr_codec;
