// The input and output of every mounted host in plain types: bytes of XDR and numbers. No type of a
// host crate is part of them, so the rules around the host are written once.

use super::{
    recorded::RecordedRun,
    trace::{Trace, TraceStep},
};
use crate::{
    as_text::{as_text, as_text_if_known},
    xdr_codec::{encode, xdr::TtlEntry},
};

/// stellar-core's `CxxFeeConfiguration` and `CxxRentFeeConfiguration` in one
/// (src/ledger/NetworkConfig.cpp, `rustBridgeFeeConfiguration`).
pub struct FeeRates {
    pub instruction_increment: i64,
    pub disk_read_entry: i64,
    pub write_entry: i64,
    pub disk_read_1kb: i64,
    /// Zero before protocol 23.
    pub flat_write_1kb: i64,
    pub historical_1kb: i64,
    pub contract_event_1kb: i64,
    pub transaction_size_1kb: i64,
    /// The fee is computed from the average size of the state. Before protocol 23 it is also the
    /// fee for writes.
    pub rent_1kb: i64,
    pub persistent_rent_rate_denominator: i64,
    pub temporary_rent_rate_denominator: i64,
}

/// How the rent fee grows with the size of the state.
pub struct RentFeeCurve {
    pub state_target_size_bytes: i64,
    pub rent_1kb_low: i64,
    pub rent_1kb_high: i64,
    pub growth_factor: u32,
}

pub struct ResourceUse {
    pub instructions: u32,
    pub disk_read_entries: u32,
    pub write_entries: u32,
    pub disk_read_bytes: u32,
    pub write_bytes: u32,
    pub contract_events_size_bytes: u32,
    pub transaction_size_bytes: u32,
}

pub struct RentChange {
    pub is_persistent: bool,
    pub is_code_entry: bool,
    pub old_size_bytes: u32,
    pub new_size_bytes: u32,
    pub old_live_until_ledger: u32,
    pub new_live_until_ledger: u32,
}

/// The ledger as a contract sees it.
pub struct LedgerContext {
    pub protocol_version: u32,
    pub sequence: u32,
    pub close_time_unix_seconds: u64,
    pub network_id: [u8; 32],
    pub base_reserve_stroops: u32,
    pub min_temporary_entry_ttl: u32,
    pub min_persistent_entry_ttl: u32,
    pub max_entry_ttl: u32,
}

impl LedgerContext {
    /// The last ledger of an entry's life when it is restored in this one.
    pub fn restored_until(&self) -> u32 {
        self.sequence.saturating_add(self.min_persistent_entry_ttl).saturating_sub(1)
    }
}

/// The entry of one key of the footprint. `None` if it does not exist.
#[derive(Clone)]
pub struct FootprintEntry<'a> {
    pub entry: Option<&'a [u8]>,
    pub ttl: Option<EntryTtl>,
}

#[derive(Clone)]
pub struct EntryTtl {
    pub key_hash: [u8; 32],
    pub live_until_ledger: u32,
    pub entry_size_for_rent: u32,
}

/// The network's charges for each cost type, as ContractCostParams XDR.
#[derive(Clone, PartialEq, Eq)]
pub struct CostParams {
    pub cpu: Vec<u8>,
    pub memory: Vec<u8>,
}

pub struct HostInput<'a> {
    pub ledger: &'a LedgerContext,
    pub instruction_limit: u32,
    pub memory_limit_bytes: u32,
    pub cost_params: &'a CostParams,
    /// HostFunction, SorobanResources, AccountId and SorobanAuthorizationEntry XDR.
    pub host_function: Vec<u8>,
    pub resources: Vec<u8>,
    pub source_account: Vec<u8>,
    pub auth_entries: Vec<Vec<u8>>,
    pub restored_rw_entry_indices: &'a [u32],
    pub entries: &'a [FootprintEntry<'a>],
    /// Hash and wasm of the footprint's contract code that the ledger's module cache had (protocol
    /// 23 and later).
    pub cached_modules: &'a [([u8; 32], &'a [u8])],
    /// Hashes of the footprint's contract code that the module cache did not have.
    pub uncached_modules: &'a [[u8; 32]],
    pub base_prng_seed: [u8; 32],
    pub fee_rates: &'a FeeRates,
    pub diagnostics: bool,
    pub trace: Trace,
}

impl HostInput<'_> {
    pub fn auth_slices(&self) -> std::vec::IntoIter<&[u8]> {
        slices(self.auth_entries.iter().map(Vec::as_slice))
    }

    /// The entries that exist, as hosts before protocol 28 take them.
    pub fn existing_entries(&self) -> std::vec::IntoIter<&[u8]> {
        slices(self.entries.iter().filter_map(|e| e.entry))
    }

    /// TtlEntry XDR of the entries that exist. It is empty for an entry without a TTL.
    pub fn existing_ttls(&self) -> Vec<Vec<u8>> {
        let existing = self.entries.iter().filter(|e| e.entry.is_some());
        existing
            .map(|e| {
                let ttl = e.ttl.as_ref().map(|ttl| TtlEntry {
                    key_hash: ttl.key_hash.into(),
                    live_until_ledger_seq: ttl.live_until_ledger,
                });
                ttl.as_ref().map(encode).unwrap_or_default()
            })
            .collect()
    }
}

/// Hosts need iterators of a known length.
pub fn slices<'a>(values: impl Iterator<Item = &'a [u8]>) -> std::vec::IntoIter<&'a [u8]> {
    values.collect::<Vec<_>>().into_iter()
}

#[derive(PartialEq, Eq, serde::Serialize)]
pub struct HostErrorInfo {
    #[serde(rename = "type")]
    pub kind: String,
    pub code: String,
    pub contract_code: Option<u32>,
}

#[derive(serde::Serialize)]
pub struct CostByType {
    #[serde(rename = "type")]
    pub cost_type: &'static str,
    #[serde(serialize_with = "as_text")]
    pub iterations: u64,
    #[serde(serialize_with = "as_text_if_known")]
    pub inputs: Option<u64>,
    #[serde(serialize_with = "as_text")]
    pub cpu: u64,
    #[serde(serialize_with = "as_text")]
    pub memory: u64,
}

#[derive(PartialEq, Eq)]
pub enum HostResult {
    Success(HostSuccess),
    Failure {
        error: HostErrorInfo,
        internal: bool,
    },
    /// The host panicked or refused its inputs. stellar-core has an internal error then.
    Broken {
        message: String,
    },
}

impl Default for HostResult {
    fn default() -> Self {
        HostResult::Broken { message: String::new() }
    }
}

#[derive(PartialEq, Eq)]
pub struct HostSuccess {
    /// ScVal XDR.
    pub return_value: Vec<u8>,
    /// LedgerEntry XDR, in the order in which stellar-core would write them, TTL entries included.
    pub modified_entries: Vec<Vec<u8>>,
    /// ContractEvent XDR.
    pub contract_events: Vec<Vec<u8>>,
    pub rent_fee: i64,
}

#[derive(Default)]
pub struct HostOutput {
    pub result: HostResult,
    pub cpu_instructions: u64,
    pub memory_bytes: u64,
    /// DiagnosticEvent XDR.
    pub diagnostics: Vec<Vec<u8>>,
    pub costs: Vec<CostByType>,
    pub trace: Vec<TraceStep>,
    /// Set only with `Trace::Record`.
    pub recorded: Option<RecordedRun>,
    pub host_nanoseconds: u64,
}

impl HostOutput {
    pub fn ended_like(&self, other: &HostOutput) -> bool {
        let meters = |output: &HostOutput| (output.cpu_instructions, output.memory_bytes);
        meters(self) == meters(other) && self.result == other.result
    }
}

pub struct HostModule {
    pub protocol: u32,
    pub crate_version: &'static str,
    /// The number of cost types that the host knows. It refuses parameters for more.
    pub cost_types: usize,
    pub invoke: fn(&HostInput) -> HostOutput,
    pub rent_fee: fn(&[RentChange], &FeeRates, u32) -> i64,
    /// Computes the non-refundable and the refundable part of the fee, in stroops.
    pub resource_fee: fn(&ResourceUse, &FeeRates) -> (i64, i64),
    pub rent_fee_per_1kb: fn(i64, &RentFeeCurve) -> i64,
    /// The bytes of memory that contract code (a ContractCodeEntry's XDR) adds to its size for
    /// rent.
    pub code_memory_bytes: fn(&[u8], &CostParams) -> Result<u32, String>,
}

impl HostModule {
    /// The crate's version. `+testutils` follows if this build compiles the host as stellar-core's
    /// test builds do, and `+recording` if it compiles the host as Stellar RPC does.
    pub fn version(&self) -> String {
        let testutils = cfg!(feature = "core-test-build") && (26..=28).contains(&self.protocol);
        let build = match (cfg!(feature = "recording"), testutils) {
            (true, _) => "+recording",
            (false, true) => "+testutils",
            (false, false) => "",
        };
        format!("{}{build}", self.crate_version)
    }
}
