// What a recording build does instead of replaying: simulates a transaction that has not run yet, in a
// host that records its footprint and authorization, as Stellar RPC's `simulateTransaction` does.
// The state comes from the request. When a host asks for an entry that is not there, the answer names
// it, the caller fetches it and asks again; nothing is ever taken as absent without the caller's word.

mod asked;
mod hosts;
mod known_entries;
mod settings;
pub mod wire;

use crate::{
    definitions::Definitions,
    error::Error,
    hosts::host_for_protocol,
    wire::response::HostIdentity,
    xdr_codec::{
        decode, encode, from_hex32, sha256, to_base64,
        xdr::{LedgerEntry, LedgerKey},
    },
};
use asked::{Asked, Reading};
use known_entries::KnownEntries;
use std::rc::Rc;
use wire::{Request, RestorePreamble, Simulation, SimulationBody, StateChange};

/// Of the ledger that the transaction is simulated in: Stellar RPC takes its latest closed one.
pub struct Ledger {
    pub protocol_version: u32,
    pub sequence: u32,
    pub close_time_unix_seconds: u64,
    pub network_id: [u8; 32],
    pub base_reserve_stroops: u32,
    /// Before protocol 26 rent depends on it; None: the mean of the network's own samples.
    pub state_size_bytes: Option<u64>,
}

pub struct Wish {
    pub auth_mode: wire::AuthMode,
    /// Record `AddressV2` credentials (protocol 27 and later).
    pub use_upgraded_auth: bool,
    pub instruction_leeway: u64,
    pub base_prng_seed: [u8; 32],
}

/// LedgerEntry XDR before and after; both are absent for an entry that was neither there nor written.
pub struct EntryChange {
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

/// All XDR bytes. Everything but `error` and the diagnostics is empty when the simulation failed.
#[derive(Default)]
pub struct Simulated {
    /// As Stellar RPC words it.
    pub error: Option<String>,
    pub auth: Vec<Vec<u8>>,
    pub return_value: Option<Vec<u8>>,
    pub transaction_data: Option<Vec<u8>>,
    pub min_resource_fee: i64,
    pub diagnostics: Vec<Vec<u8>>,
    pub changes: Vec<EntryChange>,
    /// Transaction data and fee of the RestoreFootprint that has to go first (before protocol 23).
    pub restore: Option<(Vec<u8>, i64)>,
    pub cpu_instructions: u64,
    pub memory_bytes: u64,
}

impl Simulated {
    pub fn failed(error: String) -> Simulated {
        Simulated { error: Some(error), ..Simulated::default() }
    }
}

/// # Errors
/// `BAD_REQUEST`, `BAD_XDR` of an entry, `UNSUPPORTED_PROTOCOL`. What is wrong with the transaction is
/// no error here: Stellar RPC answers it as a failed simulation.
pub fn execute(request: &Request, definitions: &Definitions) -> Result<SimulationBody, Error> {
    let protocol = request.ledger.protocol_version;
    let host = host_for_protocol(protocol)?;
    let simulate = hosts::recorder_for_protocol(protocol).expect("each host has a recorder");
    let identity = HostIdentity { protocol: host.protocol, crate_version: host.version() };
    let body =
        |missing_keys, simulation| SimulationBody { host: identity, missing_keys, simulation };
    let asked = match Asked::read(request) {
        Reading::Asked(asked) => asked,
        Reading::Refused(error) => {
            return Ok(body(vec![], Some(on_wire(Simulated::failed(error), false))))
        }
    };
    let wish = Wish {
        auth_mode: asked.auth_mode,
        use_upgraded_auth: request.simulation.use_upgraded_auth,
        instruction_leeway: request.simulation.instruction_leeway()?,
        base_prng_seed: from_hex32(&request.simulation.base_prng_seed, "base_prng_seed")?,
    };
    let given = &request.ledger_entries;
    let entries = Rc::new(KnownEntries::read(given, definitions, wish.records_auth())?);
    settings::ask_for(protocol, &entries);
    asked.footprint_keys().for_each(|key| entries.ask_for(key));
    let ledger = Ledger {
        protocol_version: protocol,
        sequence: request.ledger.sequence,
        close_time_unix_seconds: request.ledger.close_time_unix_seconds()?,
        network_id: sha256(request.ledger.network_passphrase.as_bytes()),
        base_reserve_stroops: request.ledger.base_reserve_stroops,
        state_size_bytes: settings::state_size_bytes(&entries),
    };
    // Without the settings no host can be built; what else is missing shows as it runs.
    let simulated = if settings::are_known(protocol, &entries) {
        simulate(&asked, &wish, &ledger, &entries)
    } else {
        Simulated::default()
    };
    let missing = entries.missing();
    Ok(if missing.is_empty() {
        body(vec![], Some(on_wire(simulated, true)))
    } else {
        body(missing.iter().map(|key| to_base64(key)).collect(), None)
    })
}

impl Wish {
    fn records_auth(&self) -> bool {
        self.auth_mode != wire::AuthMode::Enforce
    }
}

fn on_wire(simulated: Simulated, used_ledger: bool) -> Simulation {
    let text = |bytes: &Vec<u8>| to_base64(bytes);
    Simulation {
        error: simulated.error,
        used_ledger,
        transaction_data_xdr: simulated.transaction_data.as_ref().map(text),
        min_resource_fee_stroops: simulated.min_resource_fee.to_string(),
        return_value_xdr: simulated.return_value.as_ref().map(text),
        auth_xdr: simulated.auth.iter().map(text).collect(),
        events_xdr: simulated.diagnostics.iter().map(text).collect(),
        state_changes: simulated.changes.iter().filter_map(state_change).collect(),
        restore_preamble: simulated.restore.as_ref().map(|(data, fee)| RestorePreamble {
            transaction_data_xdr: text(data),
            min_resource_fee_stroops: fee.to_string(),
        }),
        cpu_instructions: simulated.cpu_instructions.to_string(),
        memory_bytes: simulated.memory_bytes.to_string(),
    }
}

/// None where there was nothing before and there is nothing after.
fn state_change(EntryChange { before, after }: &EntryChange) -> Option<StateChange> {
    let entry: LedgerEntry = decode(before.as_ref().or(after.as_ref())?, "state change").ok()?;
    let key: LedgerKey = entry.to_key();
    Some(StateChange {
        key_xdr: to_base64(&encode(&key)),
        before_xdr: before.as_ref().map(|bytes| to_base64(bytes)),
        after_xdr: after.as_ref().map(|bytes| to_base64(bytes)),
    })
}
