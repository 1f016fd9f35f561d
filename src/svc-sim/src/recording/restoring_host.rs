// Hosts from protocol 23: an invocation restores what it needs itself.

use super::{
    super::{
        host::{Invocation, InvocationWish, Setting, Source},
        soroban_env_host::{
            storage::{EntryWithLiveUntil, SnapshotSource},
            xdr::LedgerKey,
            HostError,
        },
        soroban_simulation::simulation::{
            simulate_invoke_host_function_op, SimulationAdjustmentConfig,
        },
    },
    auth_mode,
};
use std::rc::Rc;

impl SnapshotSource for Source {
    fn get(&self, key: &Rc<LedgerKey>) -> Result<Option<EntryWithLiveUntil>, HostError> {
        self.entry(key)
    }
}

pub fn simulate_invocation(
    setting: &Setting,
    adjustment: &SimulationAdjustmentConfig,
    wish: InvocationWish,
) -> Result<Invocation, String> {
    let auth_mode = auth_mode(&wish);
    let result = simulate_invoke_host_function_op(
        setting.source.clone(),
        &setting.network,
        adjustment,
        &setting.ledger,
        wish.invoke.host_function,
        auth_mode,
        &wish.source_account,
        wish.base_prng_seed,
        true,
    )
    .map_err(|e| format!("{e:?}"))?;
    Ok((result, Ok(None)))
}
