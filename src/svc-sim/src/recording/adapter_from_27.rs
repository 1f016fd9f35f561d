// From protocol 27: `AddressV2` credentials can be recorded.

use super::{
    host::{InvocationWish, Source},
    soroban_env_host::e2e_invoke::RecordingInvocationAuthMode,
    soroban_simulation::NetworkConfig,
};
use crate::recording::wire::AuthMode;

#[path = "restoring_host.rs"]
mod restoring_host;

pub use restoring_host::simulate_invocation;

pub fn network_config(source: &Source, _state_size_bytes: u64) -> Result<NetworkConfig, String> {
    NetworkConfig::load_from_snapshot(source).map_err(|e| format!("{e:?}"))
}

fn auth_mode(wish: &InvocationWish) -> RecordingInvocationAuthMode {
    let record =
        |only_root| RecordingInvocationAuthMode::recording(only_root, wish.use_upgraded_auth);
    match wish.auth_mode {
        AuthMode::Enforce => RecordingInvocationAuthMode::Enforcing(wish.invoke.auth.to_vec()),
        AuthMode::Record => record(true),
        AuthMode::RecordAllowNonroot => record(false),
    }
}
