// The network settings that a simulation reads, asked for all at once.

use super::known_entries::KnownEntries;
use crate::xdr_codec::{
    encode,
    xdr::{
        ConfigSettingEntry, ConfigSettingId, LedgerEntryData, LedgerKey, LedgerKeyConfigSetting,
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

pub fn ask_for(protocol: u32, entries: &KnownEntries) {
    keys(protocol).for_each(|key| entries.ask_for(key));
}

pub fn are_known(protocol: u32, entries: &KnownEntries) -> bool {
    keys(protocol).all(|key| entries.is_known(&key))
}

/// The mean of the network's samples of its state's size.
pub fn state_size_bytes(entries: &KnownEntries) -> Option<u64> {
    let window = key(ConfigSettingId::LiveSorobanStateSizeWindow);
    let LedgerEntryData::ConfigSetting(ConfigSettingEntry::LiveSorobanStateSizeWindow(sizes)) =
        &entries.get(&window)?.decoded.entry.data
    else {
        return None;
    };
    let count = u128::try_from(sizes.len()).ok().filter(|count| *count > 0)?;
    let sum: u128 = sizes.iter().map(|size| u128::from(*size)).sum();
    u64::try_from(sum / count).ok()
}
