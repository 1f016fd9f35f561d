// Request → everything one replay needs, decoded. What the request leaves out is looked up in the
// transaction's meta or assumed, and every assumption is named.

use crate::{
    definitions::{DecodedEntry, Definitions},
    error::Error,
    hosts::{
        host_for_protocol,
        interface::{HostModule, LedgerContext},
    },
    meta::Meta,
    settings::{Settings, SettingsBuilder},
    state::State,
    transaction::Transaction,
    wire::{
        request::{narrow, LedgerSection, Request},
        response::Assumption,
    },
    xdr_codec::{
        decode, from_base64, from_hex32, sha256,
        xdr::{LedgerEntry, LedgerEntryData},
    },
};
use std::{cell::RefCell, rc::Rc};

pub struct Input {
    pub transaction: Transaction,
    pub host: &'static HostModule,
    pub settings: Rc<Settings>,
    pub ledger: LedgerContext,
    /// Seed of this transaction's operation.
    pub base_prng_seed: [u8; 32],
    pub state: State,
    pub fee_charged_before_refund: Option<i64>,
    /// False when the fee source cannot take the refund (merged, or its liabilities are in the way).
    pub refund_is_paid: bool,
    pub assumed: Vec<Assumption>,
}

/// Settings of a public standalone protocol-28 network, for requests that bring none.
const DEFAULT_SETTINGS: &str = include_str!("default-settings.txt");
const DEFAULT_NETWORK_PASSPHRASE: &str = "Public Global Stellar Network ; September 2015";
const DEFAULT_BASE_RESERVE_STROOPS: u32 = 5_000_000;

impl Input {
    /// # Errors
    /// `BAD_XDR`, `BAD_REQUEST`, `NOT_DEFINED`, `UNSUPPORTED_PROTOCOL`, `NOT_SOROBAN`.
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
        let settings = read_settings(section, definitions, host, protocol, &mut assumed)?;
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

fn assume(assumed: &mut Vec<Assumption>, what: &'static str, value: impl ToString) {
    assumed.push(Assumption { what, key_xdr: None, value: value.to_string() });
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

/// Settings change once in many ledgers: the last ones are kept for the next request.
fn read_settings(
    section: &LedgerSection,
    definitions: &Definitions,
    host: &HostModule,
    protocol: u32,
    assumed: &mut Vec<Assumption>,
) -> Result<Rc<Settings>, Error> {
    struct Kept {
        entries: Vec<Rc<DecodedEntry>>,
        protocol: u32,
        rent_fee_per_1kb: Option<i128>,
        settings: Rc<Settings>,
        missing: Vec<&'static str>,
    }
    thread_local! {
        static LAST: RefCell<Option<Kept>> = const { RefCell::new(None) };
    }
    let texts = section.settings.as_deref().unwrap_or_default().iter();
    let entries: Vec<_> =
        texts.map(|text| definitions.entry(text, "ledger.settings")).collect::<Result<_, _>>()?;
    let rent_fee_per_1kb = section.rent_fee_per_1kb_stroops;
    LAST.with_borrow_mut(|last| {
        let same = |kept: &Kept| {
            kept.protocol == protocol
                && kept.rent_fee_per_1kb == rent_fee_per_1kb
                && kept.entries.len() == entries.len()
                && kept
                    .entries
                    .iter()
                    .zip(&entries)
                    .all(|(kept, given)| Rc::ptr_eq(kept, given) || kept.bytes == given.bytes)
        };
        if !last.as_ref().is_some_and(same) {
            let (settings, missing) = build_settings(&entries, rent_fee_per_1kb, host, protocol)?;
            *last = Some(Kept {
                entries,
                protocol,
                rent_fee_per_1kb,
                settings: Rc::new(settings),
                missing,
            });
        }
        let kept = last.as_ref().expect("filled above");
        for what in &kept.missing {
            assume(assumed, what, "that of a standalone protocol-28 network");
        }
        Ok(kept.settings.clone())
    })
}

/// The settings, and the names of those that the request left out.
fn build_settings(
    entries: &[Rc<DecodedEntry>],
    rent_fee_per_1kb: Option<i128>,
    host: &HostModule,
    protocol: u32,
) -> Result<(Settings, Vec<&'static str>), Error> {
    let mut builder = SettingsBuilder::default();
    for entry in entries {
        add_setting(&mut builder, entry.entry.clone())?;
    }
    let rent_fee =
        rent_fee_per_1kb.map(|fee| narrow::<i64>(fee, "rent_fee_per_1kb_stroops")).transpose()?;
    let mut defaults = SettingsBuilder::default();
    for text in DEFAULT_SETTINGS.split_whitespace() {
        let bytes = from_base64(text, "default settings")?;
        add_setting(&mut defaults, decode(&bytes, "default settings")?)?;
    }
    let no_window = rent_fee.is_none() && !builder.has_state_size_window();
    let (builder, mut missing) = builder.or_defaults(defaults, protocol);
    if no_window {
        missing.push("CONFIG_SETTING_LIVE_SOROBAN_STATE_SIZE_WINDOW");
    }
    Ok((builder.build(host, rent_fee)?, missing))
}

fn add_setting(builder: &mut SettingsBuilder, entry: LedgerEntry) -> Result<(), Error> {
    match entry.data {
        LedgerEntryData::ConfigSetting(setting) => {
            builder.add(setting);
            Ok(())
        }
        other => Err(Error::bad_request(format!(
            "ledger.settings holds a {} entry",
            other.discriminant().name()
        ))),
    }
}

/// sha256(seed ‖ u64be(index)), before protocol 23 once more with the operation's index 0
/// (stellar-core: `subSha256`, LedgerManagerImpl.cpp and TransactionFrame.cpp).
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
    let of_transaction = sub_seed(&seed, u64::from(order - 1));
    Ok(if protocol < 23 { sub_seed(&of_transaction, 0) } else { of_transaction })
}

fn sub_seed(seed: &[u8; 32], index: u64) -> [u8; 32] {
    let mut bytes = seed.to_vec();
    bytes.extend(index.to_be_bytes());
    sha256(&bytes)
}
