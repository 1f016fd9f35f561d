// The work of a recording build, which does not replay. It simulates a transaction that was not
// sent, in a host that records its footprint and authorization, as Stellar RPC's
// `simulateTransaction` does. The state comes from the request. If the host reads an entry that the
// request lacks, the answer has the entry's key; the caller fetches the entry and sends the request
// again. No entry is assumed to be absent.

mod hosts;
mod interface;
mod known_entries;
mod settings;
mod transaction;
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
use interface::{EntryChange, Ledger, Simulated, SimulationOptions};
use known_entries::KnownEntries;
use std::rc::Rc;
use transaction::Transaction;
use wire::{Request, RestorePreamble, Simulation, SimulationBody, StateChange};

/// Simulates a transaction.
///
/// # Errors
///
/// `BAD_REQUEST`, `BAD_XDR` of an entry, `UNSUPPORTED_PROTOCOL`, `UNKNOWN_PROTOCOL`. A problem with
/// the transaction is not an error here: Stellar RPC reports a failed simulation for it.
pub fn execute(request: &Request, definitions: &Definitions) -> Result<SimulationBody, Error> {
    let protocol = request.ledger.protocol_version;
    let host = host_for_protocol(protocol)?;
    let simulate = hosts::recorder_for_protocol(protocol).expect("each host has a recorder");
    let identity = HostIdentity { protocol: host.protocol, crate_version: host.version() };
    let body =
        |missing_keys, simulation| SimulationBody { host: identity, missing_keys, simulation };
    let transaction = match Transaction::read(request) {
        Ok(transaction) => transaction,
        Err(error) => return Ok(body(vec![], Some(on_wire(Simulated::failed(error), false)))),
    };
    let options = SimulationOptions {
        auth_mode: transaction.auth_mode,
        use_upgraded_auth: request.simulation.use_upgraded_auth,
        instruction_leeway: request.simulation.instruction_leeway()?,
        base_prng_seed: from_hex32(&request.simulation.base_prng_seed, "base_prng_seed")?,
    };
    let given = &request.ledger_entries;
    let entries = Rc::new(KnownEntries::read(given, definitions, options.records_auth())?);
    settings::require(protocol, &entries);
    transaction.footprint_keys.iter().for_each(|key| entries.require(key.clone()));
    let ledger = Ledger {
        protocol_version: protocol,
        sequence: request.ledger.sequence,
        close_time_unix_seconds: request.ledger.close_time_unix_seconds()?,
        network_id: sha256(request.ledger.network_passphrase.as_bytes()),
        base_reserve_stroops: request.ledger.base_reserve_stroops,
        state_size_bytes: settings::state_size_bytes(&entries),
    };
    // The host needs the settings from the start. It finds other missing entries as it runs.
    let simulated = if settings::are_known(protocol, &entries) {
        simulate(&transaction, &options, &ledger, &entries)
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

/// `None` for an entry that neither existed nor was written.
fn state_change(EntryChange { before, after }: &EntryChange) -> Option<StateChange> {
    let entry: LedgerEntry = decode(before.as_ref().or(after.as_ref())?, "state change").ok()?;
    let key: LedgerKey = entry.to_key();
    Some(StateChange {
        key_xdr: to_base64(&encode(&key)),
        before_xdr: before.as_ref().map(|bytes| to_base64(bytes)),
        after_xdr: after.as_ref().map(|bytes| to_base64(bytes)),
    })
}
