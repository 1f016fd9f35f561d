// The additional metering of stellar-core before release 22 under protocol 20. Those releases ran
// the hosts 20.x; later ones run host 21.2.2. After a success, the old hosts looked up each entry
// of the footprint that had existed. They did so twice in the storage from before the run, to
// compare it with the storage from after the run (e2e_invoke.rs, `get_ledger_changes`: `has`, then
// `get`). Host 21.2.2 looks it up once. Nothing else that is metered differs between 20.2.0 to
// 20.3.0 and 21.2.2 (docs/internals/conformance.md).

use super::interface::CostParams;
use soroban_env_host_p21::{
    budget::Budget,
    storage::StorageMap,
    xdr::{LedgerKey, Limits, ReadXdr},
    HostError,
};
use std::rc::Rc;

/// The instructions of those look-ups. `footprint` has each LedgerKey XDR, and whether its entry
/// existed. `None` if the host refuses the footprint or the cost parameters.
pub fn second_look_ups(
    footprint: impl Iterator<Item = (Vec<u8>, bool)>,
    costs: &CostParams,
) -> Option<u64> {
    let limits = || Limits { depth: 1000, len: u32::MAX as usize };
    let keys = footprint
        .map(|(key, existed)| Some((Rc::new(LedgerKey::from_xdr(key, limits()).ok()?), existed)))
        .collect::<Option<Vec<_>>>()?;
    let cpu = ReadXdr::from_xdr(&costs.cpu, limits()).ok()?;
    let memory = ReadXdr::from_xdr(&costs.memory, limits()).ok()?;
    let metered = || -> Result<u64, HostError> {
        let budget = Budget::try_from_configs(u64::MAX, u64::MAX, cpu, memory)?;
        // The content of an entry does not change the cost of finding it.
        let storage = keys.iter().try_fold(StorageMap::new(), |storage, (key, _)| {
            storage.insert(key.clone(), None, &budget)
        })?;
        let before = budget.get_cpu_insns_consumed()?;
        for (key, _) in keys.iter().filter(|(_, existed)| *existed) {
            storage.get::<Rc<LedgerKey>>(key, &budget)?;
        }
        Ok(budget.get_cpu_insns_consumed()? - before)
    };
    metered().ok()
}
