// Protocols 23 to 25: the host restores by itself, non-root authorization can be recorded, and rent
// follows the size of the state as the ledger's meta has it.

use super::{
    host::{InvocationWish, Source},
    soroban_env_host::e2e_invoke::RecordingInvocationAuthMode,
    soroban_simulation::NetworkConfig,
};
use crate::recording::wire::AuthMode;

#[path = "restoring_host.rs"]
mod restoring_host;

pub use restoring_host::simulate_invocation;

pub fn network_config(source: &Source, state_size_bytes: u64) -> Result<NetworkConfig, String> {
    NetworkConfig::load_from_snapshot(source, state_size_bytes).map_err(|e| format!("{e:?}"))
}

fn auth_mode(wish: &InvocationWish) -> RecordingInvocationAuthMode {
    match wish.auth_mode {
        AuthMode::Enforce => RecordingInvocationAuthMode::Enforcing(wish.invoke.auth.to_vec()),
        AuthMode::Record => RecordingInvocationAuthMode::Recording(true),
        AuthMode::RecordAllowNonroot => RecordingInvocationAuthMode::Recording(false),
    }
}
