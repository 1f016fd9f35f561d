// Network settings of one ledger, from its CONFIG_SETTING entries
// (stellar-core src/ledger/NetworkConfig.cpp, `loadFromLedger`).

use crate::{
    definitions::{DecodedEntry, Definitions},
    error::Error,
    hosts::interface::{CostParams, FeeRates, HostModule, RentFeeCurve},
    wire::{
        request::{narrow, LedgerSection},
        response::Assumption,
    },
    xdr_codec::{
        decode, encode, from_base64,
        xdr::{
            ConfigSettingContractBandwidthV0, ConfigSettingContractComputeV0,
            ConfigSettingContractEventsV0, ConfigSettingContractHistoricalDataV0,
            ConfigSettingContractLedgerCostExtV0, ConfigSettingContractLedgerCostV0,
            ConfigSettingEntry, ContractCodeEntry, ContractCodeEntryExt, ContractCostParams,
            LedgerEntry, LedgerEntryData, StateArchivalSettings,
        },
        xdr_name,
    },
};
use std::{cell::RefCell, collections::HashMap, rc::Rc};

const SETTING: &str = "CONFIG_SETTING";
/// The settings of a standalone network of protocol 28, for requests that have none.
const DEFAULT_SETTINGS: &str = include_str!("default-settings.txt");

/// The settings that decide a replay. `fees.rent_1kb` is either computed or supplied.
pub struct Settings {
    pub max_contract_size_bytes: u32,
    pub max_contract_data_entry_size_bytes: u32,
    pub transaction_memory_limit_bytes: u32,
    pub max_contract_events_size_bytes: u32,
    pub archival: StateArchivalSettings,
    pub cost_params: CostParams,
    pub fees: FeeRates,
    /// The memory of a code's module, by the code's size and ext. It depends only on these and the
    /// settings.
    code_memory_bytes: RefCell<HashMap<(usize, ContractCodeEntryExt), u32>>,
}

impl Settings {
    /// The bytes of memory that a code's module takes.
    ///
    /// # Errors
    ///
    /// The host's text if it fails. stellar-core would have an internal error.
    pub fn code_memory_bytes(
        &self,
        host: &HostModule,
        code: &ContractCodeEntry,
    ) -> Result<u32, String> {
        let key = (code.code.len(), code.ext.clone());
        if let Some(bytes) = self.code_memory_bytes.borrow().get(&key) {
            return Ok(*bytes);
        }
        let bytes = (host.code_memory_bytes)(&encode(code), &self.cost_params)?;
        self.code_memory_bytes.borrow_mut().insert(key, bytes);
        Ok(bytes)
    }
}

/// The settings entries of a request, and all of them after the missing ones are assumed.
macro_rules! network_entries {
    ($($field:ident: $type:ty = $variant:ident,)+) => {
        #[derive(Default)]
        struct PartialEntries {
            $($field: Option<$type>,)+
            /// Exists from protocol 23.
            ledger_cost_ext: Option<ConfigSettingContractLedgerCostExtV0>,
            state_size_window: Option<Vec<u64>>,
        }

        struct Complete {
            $($field: $type,)+
        }

        impl PartialEntries {
            fn add(&mut self, entry: ConfigSettingEntry) {
                use ConfigSettingEntry as C;
                match entry {
                    $(C::$variant(value) => self.$field = Some(value),)+
                    C::ContractLedgerCostExtV0(value) => self.ledger_cost_ext = Some(value),
                    C::LiveSorobanStateSizeWindow(value) => {
                        self.state_size_window = Some(value.into())
                    }
                    // An invocation never reads these.
                    C::ContractDataKeySizeBytes(_)
                    | C::ContractExecutionLanes(_)
                    | C::EvictionIterator(_)
                    | C::ContractParallelComputeV0(_)
                    | C::ScpTiming(_)
                    | C::FrozenLedgerKeys(_)
                    | C::FrozenLedgerKeysDelta(_)
                    | C::FreezeBypassTxs(_)
                    | C::FreezeBypassTxsDelta(_) => {}
                }
            }

            /// Takes the missing entries from `defaults`, and adds their names to `missing`.
            fn complete(
                &mut self,
                defaults: &mut Defaults,
                missing: &mut Vec<String>,
            ) -> Result<Complete, Error> {
                Ok(Complete {
                    $($field: match self.$field.take() {
                        Some(value) => value,
                        None => {
                            missing.push(xdr_name(SETTING, stringify!($variant)));
                            let default = defaults.entries()?.$field.take();
                            default.expect("the default settings are complete")
                        }
                    },)+
                })
            }
        }
    };
}

network_entries! {
    max_contract_size_bytes: u32 = ContractMaxSizeBytes,
    max_contract_data_entry_size_bytes: u32 = ContractDataEntrySizeBytes,
    compute: ConfigSettingContractComputeV0 = ContractComputeV0,
    ledger_cost: ConfigSettingContractLedgerCostV0 = ContractLedgerCostV0,
    historical: ConfigSettingContractHistoricalDataV0 = ContractHistoricalDataV0,
    events: ConfigSettingContractEventsV0 = ContractEventsV0,
    bandwidth: ConfigSettingContractBandwidthV0 = ContractBandwidthV0,
    cpu: ContractCostParams = ContractCostParamsCpuInstructions,
    memory: ContractCostParams = ContractCostParamsMemoryBytes,
    archival: StateArchivalSettings = StateArchival,
}

/// Reads the settings of a request. Settings change once in many ledgers, so the last ones are kept
/// for the next request.
///
/// # Errors
///
/// `BAD_REQUEST`, `BAD_XDR`, `NOT_DEFINED`.
pub fn read(
    section: &LedgerSection,
    definitions: &Definitions,
    host: &HostModule,
    protocol: u32,
    assumed: &mut Vec<Assumption>,
) -> Result<Rc<Settings>, Error> {
    let texts = section.settings.as_deref().unwrap_or_default().iter();
    let entries =
        texts.map(|text| definitions.entry(text, "ledger.settings")).collect::<Result<_, _>>()?;
    let (settings, missing) = kept(entries, section.rent_fee_per_1kb_stroops, host, protocol)?;
    let assume = |what| Assumption::new(what, "that of a standalone protocol-28 network");
    assumed.extend(missing.iter().map(String::as_str).map(assume));
    Ok(settings)
}

/// The settings in these entries, and the names of those that are missing.
///
/// # Errors
///
/// `BAD_REQUEST`, `BAD_XDR`.
pub fn kept(
    entries: Vec<Rc<DecodedEntry>>,
    rent_fee_per_1kb: Option<i128>,
    host: &HostModule,
    protocol: u32,
) -> Result<(Rc<Settings>, Rc<[String]>), Error> {
    struct Kept {
        entries: Vec<Rc<DecodedEntry>>,
        protocol: u32,
        rent_fee_per_1kb: Option<i128>,
        settings: Rc<Settings>,
        missing: Rc<[String]>,
    }
    thread_local! {
        static LAST: RefCell<Option<Kept>> = const { RefCell::new(None) };
    }
    LAST.with_borrow_mut(|last| {
        let equal = |(kept, other): (&Rc<DecodedEntry>, &Rc<DecodedEntry>)| {
            Rc::ptr_eq(kept, other) || kept.bytes == other.bytes
        };
        let same = |kept: &Kept| {
            kept.protocol == protocol
                && kept.rent_fee_per_1kb == rent_fee_per_1kb
                && kept.entries.len() == entries.len()
                && kept.entries.iter().zip(&entries).all(equal)
        };
        if !last.as_ref().is_some_and(same) {
            let (settings, missing) = build(&entries, rent_fee_per_1kb, host, protocol)?;
            let (settings, missing) = (Rc::new(settings), missing.into());
            *last = Some(Kept { entries, protocol, rent_fee_per_1kb, settings, missing });
        }
        let kept = last.as_ref().expect("filled above");
        Ok((kept.settings.clone(), kept.missing.clone()))
    })
}

/// The default settings, which are decoded when one is needed.
#[derive(Default)]
struct Defaults(Option<PartialEntries>);

impl Defaults {
    fn entries(&mut self) -> Result<&mut PartialEntries, Error> {
        if self.0.is_none() {
            let mut entries = PartialEntries::default();
            for text in DEFAULT_SETTINGS.split_whitespace() {
                let entry = decode(&from_base64(text, "default settings")?, "default settings")?;
                entries.add(setting_in(&entry)?);
            }
            self.0 = Some(entries);
        }
        Ok(self.0.as_mut().expect("filled above"))
    }
}

/// The settings, and the names of those that the request lacks.
fn build(
    entries: &[Rc<DecodedEntry>],
    rent_fee_per_1kb: Option<i128>,
    host: &HostModule,
    protocol: u32,
) -> Result<(Settings, Vec<String>), Error> {
    let mut partial = PartialEntries::default();
    for entry in entries {
        partial.add(setting_in(&entry.entry)?);
    }
    let rent_fee =
        rent_fee_per_1kb.map(|fee| narrow(fee, "rent_fee_per_1kb_stroops")).transpose()?;
    let mut defaults = Defaults::default();
    let mut missing = vec![];
    let all = partial.complete(&mut defaults, &mut missing)?;
    if protocol >= 23 && partial.ledger_cost_ext.is_none() {
        missing.push(xdr_name(SETTING, "ContractLedgerCostExtV0"));
        partial.ledger_cost_ext = defaults.entries()?.ledger_cost_ext.take();
    }
    if rent_fee.is_none() && partial.state_size_window.is_none() {
        missing.push(xdr_name(SETTING, "LiveSorobanStateSizeWindow"));
    }
    let cost = all.ledger_cost;
    let curve = RentFeeCurve {
        state_target_size_bytes: cost.soroban_state_target_size_bytes,
        rent_1kb_low: cost.rent_fee1_kb_soroban_state_size_low,
        rent_1kb_high: cost.rent_fee1_kb_soroban_state_size_high,
        growth_factor: cost.soroban_state_rent_fee_growth_factor,
    };
    let average = average_state_size_bytes(&partial.state_size_window.unwrap_or_default());
    let average = i64::try_from(average).unwrap_or(i64::MAX);
    let settings = Settings {
        max_contract_size_bytes: all.max_contract_size_bytes,
        max_contract_data_entry_size_bytes: all.max_contract_data_entry_size_bytes,
        transaction_memory_limit_bytes: all.compute.tx_memory_limit,
        max_contract_events_size_bytes: all.events.tx_max_contract_events_size_bytes,
        cost_params: CostParams { cpu: encode(&all.cpu), memory: encode(&all.memory) },
        fees: FeeRates {
            instruction_increment: all.compute.fee_rate_per_instructions_increment,
            disk_read_entry: cost.fee_disk_read_ledger_entry,
            write_entry: cost.fee_write_ledger_entry,
            disk_read_1kb: cost.fee_disk_read1_kb,
            flat_write_1kb: partial.ledger_cost_ext.map_or(0, |ext| ext.fee_write1_kb),
            historical_1kb: all.historical.fee_historical1_kb,
            contract_event_1kb: all.events.fee_contract_events1_kb,
            transaction_size_1kb: all.bandwidth.fee_tx_size1_kb,
            rent_1kb: rent_fee.unwrap_or_else(|| (host.rent_fee_per_1kb)(average, &curve)),
            persistent_rent_rate_denominator: all.archival.persistent_rent_rate_denominator,
            temporary_rent_rate_denominator: all.archival.temp_rent_rate_denominator,
        },
        archival: all.archival,
        code_memory_bytes: RefCell::default(),
    };
    Ok((settings, missing))
}

fn setting_in(entry: &LedgerEntry) -> Result<ConfigSettingEntry, Error> {
    match &entry.data {
        LedgerEntryData::ConfigSetting(setting) => Ok(setting.clone()),
        other => {
            let kind = other.discriminant().name();
            Err(Error::bad_request(format!("ledger.settings has an entry of type {kind}")))
        }
    }
}

/// The mean of the network's samples, as in `updateSorobanStateSizeWindow`. 0 if there are no
/// samples.
pub fn average_state_size_bytes(window: &[u64]) -> u64 {
    let sum: u128 = window.iter().map(|size| u128::from(*size)).sum();
    sum.checked_div(window.len() as u128).map_or(0, |average| average as u64)
}
