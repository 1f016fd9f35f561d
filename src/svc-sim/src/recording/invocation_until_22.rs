// Simulates an invocation before protocol 23. A transaction of its own must restore archived
// entries first, and authorizations are either enforced or recorded at the root only.

use super::{
    host::{Context, Invocation, InvocationInput, Source},
    soroban_env_host::{storage::EntryWithLiveUntil, xdr::LedgerKey, HostError},
    soroban_simulation::{
        simulation::{simulate_invoke_host_function_op, SimulationAdjustmentConfig},
        AutoRestoringSnapshotSource, SnapshotSourceWithArchive,
    },
};
use crate::recording::interface::AuthMode;
use std::rc::Rc;

impl SnapshotSourceWithArchive for Source {
    fn get_including_archived(
        &self,
        key: &Rc<LedgerKey>,
    ) -> Result<Option<EntryWithLiveUntil>, HostError> {
        self.entry(key)
    }
}

pub fn simulate_invocation(
    context: &Context,
    adjustment: &SimulationAdjustmentConfig,
    input: InvocationInput,
) -> Result<Invocation, String> {
    let auth_entries = match input.auth_mode {
        AuthMode::Enforce => Some(input.invoke.auth.to_vec()),
        AuthMode::Record => None,
        AuthMode::RecordAllowNonroot => {
            return Err("authMode 'record_allow_nonroot' needs protocol 23 or later".into())
        }
    };
    let restoring = AutoRestoringSnapshotSource::new(context.source.clone(), &context.ledger)
        .map_err(|e| format!("{e:?}"))?;
    let restoring = Rc::new(restoring);
    let result = simulate_invoke_host_function_op(
        restoring.clone(),
        &context.network,
        adjustment,
        &context.ledger,
        input.invoke.host_function,
        auth_entries,
        &input.source_account,
        input.base_prng_seed,
        true,
    )
    .map_err(|e| format!("{e:?}"))?;
    let restore = match &result.invoke_result {
        Ok(_) => context.restore_preamble(&restoring),
        Err(_) => Ok(None),
    };
    Ok((result, restore))
}
