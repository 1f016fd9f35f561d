// Network settings of one ledger, from its CONFIG_SETTING entries
// (stellar-core src/ledger/NetworkConfig.cpp, `loadFromLedger`).

use crate::{
    error::Error,
    hosts::interface::{CostParams, FeeRates, HostModule, RentFeeCurve},
    xdr_codec::{
        encode,
        xdr::{
            ConfigSettingContractBandwidthV0, ConfigSettingContractComputeV0,
            ConfigSettingContractEventsV0, ConfigSettingContractHistoricalDataV0,
            ConfigSettingContractLedgerCostExtV0, ConfigSettingContractLedgerCostV0,
            ConfigSettingEntry, ContractCodeEntry, ContractCodeEntryExt, ContractCostParams,
            StateArchivalSettings,
        },
    },
};
use std::{cell::RefCell, collections::HashMap};

/// The settings that decide a replay. `fees.rent_1kb` is computed or given.
pub struct Settings {
    pub max_contract_size_bytes: u32,
    pub max_contract_data_entry_size_bytes: u32,
    pub transaction_memory_limit_bytes: u32,
    pub max_contract_events_size_bytes: u32,
    pub archival: StateArchivalSettings,
    pub cost_params: CostParams,
    pub fees: FeeRates,
    /// Memory that a code entry's module takes: fixed by these settings, the code's size and its ext.
    code_memory_bytes: RefCell<HashMap<(usize, ContractCodeEntryExt), u32>>,
}

impl Settings {
    /// # Errors
    /// The host's text when it cannot tell; stellar-core would end in an internal error.
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

#[derive(Default)]
pub struct SettingsBuilder {
    max_contract_size_bytes: Option<u32>,
    max_contract_data_entry_size_bytes: Option<u32>,
    compute: Option<ConfigSettingContractComputeV0>,
    ledger_cost: Option<ConfigSettingContractLedgerCostV0>,
    ledger_cost_ext: Option<ConfigSettingContractLedgerCostExtV0>,
    historical: Option<ConfigSettingContractHistoricalDataV0>,
    events: Option<ConfigSettingContractEventsV0>,
    bandwidth: Option<ConfigSettingContractBandwidthV0>,
    cpu: Option<ContractCostParams>,
    memory: Option<ContractCostParams>,
    archival: Option<StateArchivalSettings>,
    state_size_window: Option<Vec<u64>>,
}

impl SettingsBuilder {
    pub fn add(&mut self, entry: ConfigSettingEntry) {
        use ConfigSettingEntry as C;
        match entry {
            C::ContractMaxSizeBytes(v) => self.max_contract_size_bytes = Some(v),
            C::ContractDataEntrySizeBytes(v) => self.max_contract_data_entry_size_bytes = Some(v),
            C::ContractComputeV0(v) => self.compute = Some(v),
            C::ContractLedgerCostV0(v) => self.ledger_cost = Some(v),
            C::ContractLedgerCostExtV0(v) => self.ledger_cost_ext = Some(v),
            C::ContractHistoricalDataV0(v) => self.historical = Some(v),
            C::ContractEventsV0(v) => self.events = Some(v),
            C::ContractBandwidthV0(v) => self.bandwidth = Some(v),
            C::ContractCostParamsCpuInstructions(v) => self.cpu = Some(v),
            C::ContractCostParamsMemoryBytes(v) => self.memory = Some(v),
            C::StateArchival(v) => self.archival = Some(v),
            C::LiveSorobanStateSizeWindow(v) => self.state_size_window = Some(v.into()),
            // These never reach an invocation.
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

    /// Fills what is missing from `defaults` and names it.
    pub fn or_defaults(mut self, defaults: Self, protocol: u32) -> (Self, Vec<&'static str>) {
        let mut assumed = Vec::new();
        macro_rules! fill {
            ($($field:ident => $name:literal),* $(,)?) => {$(
                if self.$field.is_none() {
                    self.$field = defaults.$field;
                    assumed.push($name);
                }
            )*};
        }
        fill! {
            max_contract_size_bytes => "CONFIG_SETTING_CONTRACT_MAX_SIZE_BYTES",
            max_contract_data_entry_size_bytes => "CONFIG_SETTING_CONTRACT_DATA_ENTRY_SIZE_BYTES",
            compute => "CONFIG_SETTING_CONTRACT_COMPUTE_V0",
            ledger_cost => "CONFIG_SETTING_CONTRACT_LEDGER_COST_V0",
            historical => "CONFIG_SETTING_CONTRACT_HISTORICAL_DATA_V0",
            events => "CONFIG_SETTING_CONTRACT_EVENTS_V0",
            bandwidth => "CONFIG_SETTING_CONTRACT_BANDWIDTH_V0",
            cpu => "CONFIG_SETTING_CONTRACT_COST_PARAMS_CPU_INSTRUCTIONS",
            memory => "CONFIG_SETTING_CONTRACT_COST_PARAMS_MEMORY_BYTES",
            archival => "CONFIG_SETTING_STATE_ARCHIVAL",
        }
        if protocol >= 23 && self.ledger_cost_ext.is_none() {
            self.ledger_cost_ext = defaults.ledger_cost_ext;
            assumed.push("CONFIG_SETTING_CONTRACT_LEDGER_COST_EXT_V0");
        }
        (self, assumed)
    }

    pub fn has_state_size_window(&self) -> bool {
        self.state_size_window.is_some()
    }

    /// # Errors
    /// `BAD_REQUEST` naming the setting that is missing.
    pub fn build(
        self,
        host: &HostModule,
        rent_fee_per_1kb: Option<i64>,
    ) -> Result<Settings, Error> {
        fn need<T>(value: Option<T>, name: &str) -> Result<T, Error> {
            value.ok_or_else(|| Error::bad_request(format!("the setting {name} is missing")))
        }
        let compute = need(self.compute, "CONFIG_SETTING_CONTRACT_COMPUTE_V0")?;
        let cost = need(self.ledger_cost, "CONFIG_SETTING_CONTRACT_LEDGER_COST_V0")?;
        let archival = need(self.archival, "CONFIG_SETTING_STATE_ARCHIVAL")?;
        let events = need(self.events, "CONFIG_SETTING_CONTRACT_EVENTS_V0")?;
        let bandwidth = need(self.bandwidth, "CONFIG_SETTING_CONTRACT_BANDWIDTH_V0")?;
        let historical = need(self.historical, "CONFIG_SETTING_CONTRACT_HISTORICAL_DATA_V0")?;
        let curve = RentFeeCurve {
            state_target_size_bytes: cost.soroban_state_target_size_bytes,
            rent_1kb_low: cost.rent_fee1_kb_soroban_state_size_low,
            rent_1kb_high: cost.rent_fee1_kb_soroban_state_size_high,
            growth_factor: cost.soroban_state_rent_fee_growth_factor,
        };
        let average =
            average_state_size_bytes(self.state_size_window.as_deref().unwrap_or_default());
        let rent_1kb = rent_fee_per_1kb.unwrap_or_else(|| (host.rent_fee_per_1kb)(average, &curve));
        Ok(Settings {
            max_contract_size_bytes: need(
                self.max_contract_size_bytes,
                "CONFIG_SETTING_CONTRACT_MAX_SIZE_BYTES",
            )?,
            max_contract_data_entry_size_bytes: need(
                self.max_contract_data_entry_size_bytes,
                "CONFIG_SETTING_CONTRACT_DATA_ENTRY_SIZE_BYTES",
            )?,
            transaction_memory_limit_bytes: compute.tx_memory_limit,
            max_contract_events_size_bytes: events.tx_max_contract_events_size_bytes,
            cost_params: CostParams {
                cpu: encode(&need(
                    self.cpu,
                    "CONFIG_SETTING_CONTRACT_COST_PARAMS_CPU_INSTRUCTIONS",
                )?),
                memory: encode(&need(
                    self.memory,
                    "CONFIG_SETTING_CONTRACT_COST_PARAMS_MEMORY_BYTES",
                )?),
            },
            fees: FeeRates {
                instruction_increment: compute.fee_rate_per_instructions_increment,
                disk_read_entry: cost.fee_disk_read_ledger_entry,
                write_entry: cost.fee_write_ledger_entry,
                disk_read_1kb: cost.fee_disk_read1_kb,
                flat_write_1kb: self.ledger_cost_ext.map_or(0, |ext| ext.fee_write1_kb),
                historical_1kb: historical.fee_historical1_kb,
                contract_event_1kb: events.fee_contract_events1_kb,
                transaction_size_1kb: bandwidth.fee_tx_size1_kb,
                rent_1kb,
                persistent_rent_rate_denominator: archival.persistent_rent_rate_denominator,
                temporary_rent_rate_denominator: archival.temp_rent_rate_denominator,
            },
            archival,
            code_memory_bytes: RefCell::default(),
        })
    }
}

/// `updateSorobanStateSizeWindow`'s mean; 0 for an empty window.
fn average_state_size_bytes(window: &[u64]) -> i64 {
    if window.is_empty() {
        return 0;
    }
    let sum: u128 = window.iter().map(|size| u128::from(*size)).sum();
    i64::try_from(sum / window.len() as u128).unwrap_or(i64::MAX)
}
