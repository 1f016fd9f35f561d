// Decodes a request into everything that a replay needs. What the request leaves out is looked up
// in the transaction's meta or assumed. Every assumption is reported.

use crate::{
    definitions::Definitions,
    error::Error,
    hosts::{
        host_for_protocol,
        interface::{HostModule, LedgerContext},
    },
    meta::Meta,
    settings::{self, Settings},
    state::State,
    transaction::Transaction,
    wire::{
        request::{narrow, LedgerSection, Request},
        response::Assumption,
    },
    xdr_codec::{from_hex32, sha256},
};
use std::rc::Rc;

pub struct Input {
    pub transaction: Transaction,
    pub host: &'static HostModule,
    pub settings: Rc<Settings>,
    pub ledger: LedgerContext,
    /// The seed of this transaction's operation.
    pub base_prng_seed: [u8; 32],
    pub state: State,
    pub fee_charged_before_refund: Option<i64>,
    /// False if the fee source cannot receive the refund: it was merged, or its liabilities leave
    /// no room.
    pub refund_is_paid: bool,
    pub assumed: Vec<Assumption>,
}

const DEFAULT_NETWORK_PASSPHRASE: &str = "Public Global Stellar Network ; September 2015";
const DEFAULT_BASE_RESERVE_STROOPS: u32 = 5_000_000;

impl Input {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// `BAD_XDR`, `BAD_REQUEST`, `NOT_DEFINED`, `UNSUPPORTED_PROTOCOL`, `UNKNOWN_PROTOCOL`,
    /// `NOT_SOROBAN`.
    pub fn read(request: &Request, definitions: &Definitions) -> Result<Input, Error> {
        let mut assumed = Vec::new();
        let section = &request.ledger;
        let passphrase = match &section.network_passphrase {
            Some(passphrase) => passphrase.as_ref(),
            None => {
                assume(&mut assumed, "network_passphrase", DEFAULT_NETWORK_PASSPHRASE);
                DEFAULT_NETWORK_PASSPHRASE
            }
        };
        let network_id = sha256(passphrase.as_bytes());
        let transaction = Transaction::read(&request.envelope_xdr, &network_id)?;
        let meta = Meta::read(&request.result_meta_xdr)?;
        let protocol = section.protocol_version.unwrap_or_else(|| {
            let protocol = meta.protocol();
            assume(&mut assumed, "protocol_version", protocol);
            protocol
        });
        let host = host_for_protocol(protocol)?;
        let sequence = section.sequence.unwrap_or_else(|| {
            let sequence = meta.sequence();
            assume(&mut assumed, "sequence", sequence);
            sequence
        });
        let settings = settings::read(section, definitions, host, protocol, &mut assumed)?;
        let ledger = LedgerContext {
            protocol_version: protocol,
            sequence,
            close_time_unix_seconds: close_time(section, &mut assumed)?,
            network_id,
            base_reserve_stroops: section.base_reserve_stroops.unwrap_or_else(|| {
                assume(&mut assumed, "base_reserve_stroops", DEFAULT_BASE_RESERVE_STROOPS);
                DEFAULT_BASE_RESERVE_STROOPS
            }),
            min_temporary_entry_ttl: settings.archival.min_temporary_ttl,
            min_persistent_entry_ttl: settings.archival.min_persistent_ttl,
            max_entry_ttl: settings.archival.max_entry_ttl,
        };
        let base_prng_seed = prng_seed(section, protocol, &mut assumed)?;
        let state = State::read(request, definitions, &transaction, &meta, &ledger, &mut assumed)?;
        Ok(Input {
            fee_charged_before_refund: section
                .fee_charged_before_refund_stroops
                .map(|fee| narrow(fee, "fee_charged_before_refund_stroops"))
                .transpose()?,
            refund_is_paid: section.refund_is_paid.unwrap_or(true),
            transaction,
            host,
            settings,
            ledger,
            base_prng_seed,
            state,
            assumed,
        })
    }
}

fn assume(assumed: &mut Vec<Assumption>, what: &str, value: impl ToString) {
    assumed.push(Assumption::new(what, value));
}

fn close_time(section: &LedgerSection, assumed: &mut Vec<Assumption>) -> Result<u64, Error> {
    match section.close_time_unix_seconds {
        Some(seconds) => narrow(seconds, "close_time_unix_seconds"),
        None => {
            assume(assumed, "close_time_unix_seconds", 0);
            Ok(0)
        }
    }
}

/// The seed is sha256(seed ‖ u64be(index)), hashed before protocol 23 once more with the
/// operation's index 0 (`subSha256` in LedgerManagerImpl.cpp and TransactionFrame.cpp of
/// stellar-core).
fn prng_seed(
    section: &LedgerSection,
    protocol: u32,
    assumed: &mut Vec<Assumption>,
) -> Result<[u8; 32], Error> {
    let seed = match &section.base_prng_seed {
        Some(text) => from_hex32(text, "base_prng_seed")?,
        None => {
            assume(assumed, "base_prng_seed", "zeros");
            [0; 32]
        }
    };
    let order = section.application_order.unwrap_or_else(|| {
        assume(assumed, "application_order", 1);
        1
    });
    if order == 0 {
        return Err(Error::bad_request("application_order counts from 1"));
    }
    Ok(seed_of(&seed, order, protocol))
}

/// The seed of a transaction's operation. `order` is its position in apply order, from 1.
pub fn seed_of(transaction_set_hash: &[u8; 32], order: u32, protocol: u32) -> [u8; 32] {
    let of_transaction = sub_seed(transaction_set_hash, u64::from(order - 1));
    if protocol < 23 {
        sub_seed(&of_transaction, 0)
    } else {
        of_transaction
    }
}

fn sub_seed(seed: &[u8; 32], index: u64) -> [u8; 32] {
    let mut bytes = seed.to_vec();
    bytes.extend(index.to_be_bytes());
    sha256(&bytes)
}
