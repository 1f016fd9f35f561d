// The contract hosts, all behind `HostModule`.
//
// The files `host.rs`, `host_error.rs`, `record_hook.rs`, `trace_hook.rs` and
// `trace_steps.rs` are written once and mounted for each host crate, each time with another
// `soroban_env_host` above them. The `adapter_*.rs` are what differs between hosts.

pub mod before_22;
pub mod host_functions;
pub mod interface;
pub mod payloads;
pub mod recorded;
pub mod trace;
pub mod traced_text;

use crate::{
    error::{Error, ErrorCode},
    protocols::for_each_host,
};
use interface::HostModule;

/// The protocol that a host itself reports.
macro_rules! own_protocol {
    (p21) => {
        soroban_env_host::meta::get_ledger_protocol_version(soroban_env_host::VERSION.interface)
    };
    ($name:ident) => {
        soroban_env_host::VERSION.interface.protocol
    };
}

macro_rules! mount {
    ($($name:ident [$($protocol:literal),+]
        $host:ident $simulation:ident $adapter:literal $recorder:ident;)+) => {
        $(
            #[path = "."]
            mod $name {
                use $host as soroban_env_host;
                const PROTOCOL: u32 = own_protocol!($name);
                #[path = $adapter]
                mod adapter;
                #[path = "host.rs"]
                mod host;
                #[path = "host_error.rs"]
                mod host_error;
                #[path = "record_hook.rs"]
                mod record_hook;
                #[path = "trace_hook.rs"]
                mod trace_hook;
                #[path = "trace_steps.rs"]
                mod trace_steps;
                pub use host::MODULE;
            }
        )+

        /// Ledger protocols, each with the host that runs it.
        pub const HOSTS: &[(u32, &HostModule)] = &[$($(($protocol, &$name::MODULE),)+)+];
    };
}
for_each_host!(mount);

/// The host that runs a ledger protocol.
///
/// # Errors
///
/// `UNSUPPORTED_PROTOCOL` if there is no host for it, `UNKNOWN_PROTOCOL` if it is later than all.
pub fn host_for_protocol(protocol: u32) -> Result<&'static HostModule, Error> {
    let host = HOSTS.iter().find(|(p, _)| *p == protocol).map(|(_, host)| *host);
    host.ok_or_else(|| match HOSTS.last() {
        Some((latest, _)) if protocol > *latest => {
            let message = format!("protocol {protocol}; it knows protocols up to {latest}");
            Error::new(ErrorCode::UnknownProtocol, message)
        }
        _ => {
            let message = format!("no contract host for protocol {protocol}");
            Error::new(ErrorCode::UnsupportedProtocol, message)
        }
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_row_has_the_host_of_its_protocol() {
        for (protocol, host) in super::HOSTS {
            assert_eq!(host.protocol, (*protocol).max(21));
        }
    }
}
