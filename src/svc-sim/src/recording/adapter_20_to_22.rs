// Before protocol 23: archived entries are restored by a transaction of their own that goes first, and
// entries are either enforced or recorded at the root only.

use super::{
    host::{Invocation, InvocationWish, Setting, Source},
    soroban_env_host::{storage::EntryWithLiveUntil, xdr::LedgerKey, HostError},
    soroban_simulation::{
        simulation::{simulate_invoke_host_function_op, SimulationAdjustmentConfig},
        AutoRestoringSnapshotSource, NetworkConfig, SnapshotSourceWithArchive,
    },
};
use crate::recording::wire::AuthMode;
use std::rc::Rc;

impl SnapshotSourceWithArchive for Source {
    fn get_including_archived(
        &self,
        key: &Rc<LedgerKey>,
    ) -> Result<Option<EntryWithLiveUntil>, HostError> {
        self.entry(key)
    }
}

pub fn network_config(source: &Source, state_size_bytes: u64) -> Result<NetworkConfig, String> {
    NetworkConfig::load_from_snapshot(source, state_size_bytes).map_err(|e| format!("{e:?}"))
}

pub fn simulate_invocation(
    setting: &Setting,
    adjustment: &SimulationAdjustmentConfig,
    wish: InvocationWish,
) -> Result<Invocation, String> {
    let auth_entries = match wish.auth_mode {
        AuthMode::Enforce => Some(wish.invoke.auth.to_vec()),
        AuthMode::Record => None,
        AuthMode::RecordAllowNonroot => {
            return Err("authMode 'record_allow_nonroot' needs protocol 23 or later".into())
        }
    };
    let restoring = AutoRestoringSnapshotSource::new(setting.source.clone(), &setting.ledger)
        .map_err(|e| format!("{e:?}"))?;
    let restoring = Rc::new(restoring);
    let result = simulate_invoke_host_function_op(
        restoring.clone(),
        &setting.network,
        adjustment,
        &setting.ledger,
        wish.invoke.host_function,
        auth_entries,
        &wish.source_account,
        wish.base_prng_seed,
        true,
    )
    .map_err(|e| format!("{e:?}"))?;
    let restore = match &result.invoke_result {
        Ok(_) => setting.restore_preamble(&restoring),
        Err(_) => Ok(None),
    };
    Ok((result, restore))
}
