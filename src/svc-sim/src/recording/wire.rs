// The request and response of a recording build, as README.md describes them.

use crate::{
    error::Error,
    wire::{
        request::{decimal, narrow, Entries, Options},
        response::HostIdentity,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::{borrow::Cow, collections::HashMap};

#[derive(Deserialize)]
pub struct Request<'a> {
    #[serde(borrow)]
    pub id: Option<&'a RawValue>,
    #[serde(borrow)]
    pub simulation: SimulationSection<'a>,
    #[serde(borrow)]
    pub envelope_xdr: Cow<'a, str>,
    #[serde(borrow)]
    pub ledger_entries: Entries<'a>,
    #[serde(borrow)]
    pub ledger: LedgerSection<'a>,
    #[serde(default)]
    pub options: Options,
    /// Names and LedgerEntry XDR, as in a request for a replay.
    #[serde(borrow, default)]
    pub define: HashMap<Cow<'a, str>, Cow<'a, str>>,
    #[serde(borrow, default)]
    pub forget: Vec<Cow<'a, str>>,
}

#[derive(Deserialize)]
pub struct SimulationSection<'a> {
    /// The mode, with the names that Stellar RPC has for it. It can be "" or absent.
    #[serde(borrow, default)]
    pub auth_mode: Cow<'a, str>,
    #[serde(default)]
    pub use_upgraded_auth: bool,
    #[serde(default, deserialize_with = "decimal")]
    instruction_leeway: Option<i128>,
    #[serde(borrow)]
    pub base_prng_seed: Cow<'a, str>,
}

impl SimulationSection<'_> {
    pub fn instruction_leeway(&self) -> Result<u64, Error> {
        narrow(self.instruction_leeway.unwrap_or(0), "instruction_leeway")
    }
}

#[derive(Deserialize)]
pub struct LedgerSection<'a> {
    pub protocol_version: u32,
    pub sequence: u32,
    #[serde(deserialize_with = "decimal")]
    close_time_unix_seconds: Option<i128>,
    #[serde(borrow)]
    pub network_passphrase: Cow<'a, str>,
    pub base_reserve_stroops: u32,
}

impl LedgerSection<'_> {
    pub fn close_time_unix_seconds(&self) -> Result<u64, Error> {
        narrow(self.close_time_unix_seconds.unwrap_or(0), "close_time_unix_seconds")
    }
}

/// The response has either missing keys or a simulation.
#[derive(Serialize)]
pub struct SimulationBody {
    pub host: HostIdentity,
    pub missing_keys: Vec<String>,
    pub simulation: Option<Simulation>,
}

#[derive(Serialize)]
pub struct Simulation {
    pub error: Option<String>,
    pub used_ledger: bool,
    pub transaction_data_xdr: Option<String>,
    pub min_resource_fee_stroops: String,
    pub return_value_xdr: Option<String>,
    pub auth_xdr: Vec<String>,
    pub events_xdr: Vec<String>,
    pub state_changes: Vec<StateChange>,
    pub restore_preamble: Option<RestorePreamble>,
    pub cpu_instructions: String,
    pub memory_bytes: String,
}

#[derive(Serialize)]
pub struct StateChange {
    pub key_xdr: String,
    pub before_xdr: Option<String>,
    pub after_xdr: Option<String>,
}

#[derive(Serialize)]
pub struct RestorePreamble {
    pub transaction_data_xdr: String,
    pub min_resource_fee_stroops: String,
}
