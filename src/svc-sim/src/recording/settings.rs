// The network settings that a simulation reads. All missing settings are requested together.

use super::known_entries::KnownEntries;
use crate::{
    settings::average_state_size_bytes,
    xdr_codec::{
        encode,
        xdr::{
            ConfigSettingEntry, ConfigSettingId, LedgerEntryData, LedgerKey, LedgerKeyConfigSetting,
        },
    },
};

const ALWAYS: [ConfigSettingId; 9] = [
    ConfigSettingId::ContractComputeV0,
    ConfigSettingId::ContractLedgerCostV0,
    ConfigSettingId::ContractHistoricalDataV0,
    ConfigSettingId::ContractEventsV0,
    ConfigSettingId::ContractBandwidthV0,
    ConfigSettingId::StateArchival,
    ConfigSettingId::ContractCostParamsCpuInstructions,
    ConfigSettingId::ContractCostParamsMemoryBytes,
    ConfigSettingId::LiveSorobanStateSizeWindow,
];

fn keys(protocol: u32) -> impl Iterator<Item = Vec<u8>> {
    let from_23 = (protocol >= 23).then_some(ConfigSettingId::ContractLedgerCostExtV0);
    ALWAYS.into_iter().chain(from_23).map(key)
}

fn key(config_setting_id: ConfigSettingId) -> Vec<u8> {
    encode(&LedgerKey::ConfigSetting(LedgerKeyConfigSetting { config_setting_id }))
}

pub fn require(protocol: u32, entries: &KnownEntries) {
    keys(protocol).for_each(|key| entries.require(key));
}

pub fn are_known(protocol: u32, entries: &KnownEntries) -> bool {
    keys(protocol).all(|key| entries.is_known(&key))
}

/// The size of the state in bytes; 0 while its samples are missing.
pub fn state_size_bytes(entries: &KnownEntries) -> u64 {
    let window = key(ConfigSettingId::LiveSorobanStateSizeWindow);
    match entries.get(&window).map(|known| &known.decoded.entry.data) {
        Some(LedgerEntryData::ConfigSetting(ConfigSettingEntry::LiveSorobanStateSizeWindow(w))) => {
            average_state_size_bytes(w)
        }
        _ => 0,
    }
}
