// The recorders, one for each host. `host.rs` is written once and mounted for each; this file has
// the differences between the releases of `soroban-simulation`.

use super::{
    interface::{Ledger, Simulated, SimulationOptions},
    known_entries::KnownEntries,
    transaction::Transaction,
};
use crate::protocols::for_each_host;
use std::rc::Rc;

pub type Recorder = fn(&Transaction, &SimulationOptions, &Ledger, &Rc<KnownEntries>) -> Simulated;

/// The differences: whether rent depends on a state size that the caller passes (before protocol
/// 26), which credentials can be recorded, and whether an invocation restores entries itself (from
/// protocol 23).
macro_rules! differences {
    (until_22) => {
        differences!(network |source, state_size| load_from_snapshot(source, state_size));
        #[path = "invocation_until_22.rs"]
        mod invocation;
    };
    (from_23) => {
        differences!(network |source, state_size| load_from_snapshot(source, state_size));
        differences!(auth |root_only, _upgraded| Recording(root_only));
    };
    (from_26) => {
        differences!(network |source, _state_size| load_from_snapshot(source));
        differences!(auth |root_only, _upgraded| Recording(root_only));
    };
    (from_27) => {
        differences!(network |source, _state_size| load_from_snapshot(source));
        differences!(auth |root_only, upgraded| recording(root_only, upgraded));
    };
    (network |$source:ident, $state_size:ident| $load:ident($($argument:ident),+)) => {
        use soroban_simulation::NetworkConfig;

        fn load_network($source: &host::Source, $state_size: u64) -> Result<NetworkConfig, String> {
            NetworkConfig::$load($($argument),+).map_err(|error| format!("{error:?}"))
        }
    };
    (auth |$root_only:ident, $upgraded:ident| $record:ident($($argument:ident),+)) => {
        use soroban_env_host::e2e_invoke::RecordingInvocationAuthMode as AuthMode;

        fn record_auth($root_only: bool, $upgraded: bool) -> AuthMode {
            AuthMode::$record($($argument),+)
        }
        #[path = "invocation_from_23.rs"]
        mod invocation;
    };
}

macro_rules! mount {
    ($($name:ident [$($protocol:literal),+]
        $host:ident $simulation:ident $adapter:literal $recorder:ident;)+) => {
        $(
            #[path = "."]
            mod $name {
                use $host as soroban_env_host;
                use $simulation as soroban_simulation;
                differences!($recorder);
                #[path = "host.rs"]
                mod host;
                pub use host::simulate;
            }
        )+

        pub fn recorder_for_protocol(protocol: u32) -> Option<Recorder> {
            match protocol {
                $($($protocol)|+ => Some($name::simulate),)+
                _ => None,
            }
        }
    };
}
for_each_host!(mount);
