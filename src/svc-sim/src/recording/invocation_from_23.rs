// Simulates an invocation from protocol 23, which restores the entries that it needs itself.

use super::{
    host::{Context, Invocation, InvocationInput, Source},
    record_auth,
    soroban_env_host::{
        e2e_invoke::RecordingInvocationAuthMode,
        storage::{EntryWithLiveUntil, SnapshotSource},
        xdr::LedgerKey,
        HostError,
    },
    soroban_simulation::simulation::{
        simulate_invoke_host_function_op, SimulationAdjustmentConfig,
    },
};
use crate::recording::interface::AuthMode;
use std::rc::Rc;

impl SnapshotSource for Source {
    fn get(&self, key: &Rc<LedgerKey>) -> Result<Option<EntryWithLiveUntil>, HostError> {
        self.entry(key)
    }
}

pub fn simulate_invocation(
    context: &Context,
    adjustment: &SimulationAdjustmentConfig,
    input: InvocationInput,
) -> Result<Invocation, String> {
    let auth_mode = match input.auth_mode {
        AuthMode::Enforce => RecordingInvocationAuthMode::Enforcing(input.invoke.auth.to_vec()),
        AuthMode::Record => record_auth(true, input.use_upgraded_auth),
        AuthMode::RecordAllowNonroot => record_auth(false, input.use_upgraded_auth),
    };
    let result = simulate_invoke_host_function_op(
        context.source.clone(),
        &context.network,
        adjustment,
        &context.ledger,
        input.invoke.host_function,
        auth_mode,
        &input.source_account,
        input.base_prng_seed,
        true,
    )
    .map_err(|e| format!("{e:?}"))?;
    Ok((result, Ok(None)))
}
