// One contract host per protocol, all behind `HostModule`.
//
// `host.rs` is written once and mounted once per host crate, each time seeing another
// `soroban_env_host`, and so are `trace_hook.rs` and `mark_hook.rs`; `adapter_*.rs` hold what differs between the three generations of host
// interfaces. The table at the end is the dispatch: a new protocol is one dependency and one row.

pub mod interface;
pub mod marks;
pub mod trace;
mod traced_text;

use crate::error::{Error, ErrorCode};
use interface::HostModule;

macro_rules! mount {
    ($name:ident, $krate:ident, $adapter:literal) => {
        mount!($name, $krate, $adapter, |version| version.interface.protocol);
    };
    ($name:ident, $krate:ident, $adapter:literal, |$version:ident| $protocol:expr) => {
        #[path = "."]
        mod $name {
            use $krate as soroban_env_host;
            /// The host's own word on the protocol it implements.
            const PROTOCOL: u32 = {
                let $version = &soroban_env_host::VERSION;
                $protocol
            };
            #[path = $adapter]
            mod adapter;
            #[path = "host.rs"]
            mod host;
            #[path = "mark_hook.rs"]
            mod mark_hook;
            #[path = "trace_hook.rs"]
            mod trace_hook;
            pub use host::MODULE;
        }
    };
}

mount!(p21, soroban_env_host_p21, "adapter_20_to_22.rs", |version| {
    soroban_env_host_p21::meta::get_ledger_protocol_version(version.interface)
});
mount!(p22, soroban_env_host_p22, "adapter_20_to_22.rs");
mount!(p23, soroban_env_host_p23, "adapter_23_to_27.rs");
mount!(p24, soroban_env_host_p24, "adapter_23_to_27.rs");
mount!(p25, soroban_env_host_p25, "adapter_23_to_27.rs");
mount!(p26, soroban_env_host_p26, "adapter_23_to_27.rs");
mount!(p27, soroban_env_host_p27, "adapter_23_to_27.rs");
mount!(p28, soroban_env_host_p28, "adapter_from_28.rs");
mount!(p29, soroban_env_host_p29, "adapter_from_28.rs");
mount!(p30, soroban_env_host_p30, "adapter_from_28.rs");

/// Ledger protocols and the host that runs them. stellar-core runs protocol 20 in the protocol-21
/// host (src/rust/src/soroban_proto_all.rs, `get_host_module_for_protocol`).
pub const HOSTS: &[(u32, &HostModule)] = &[
    (20, &p21::MODULE),
    (21, &p21::MODULE),
    (22, &p22::MODULE),
    (23, &p23::MODULE),
    (24, &p24::MODULE),
    (25, &p25::MODULE),
    (26, &p26::MODULE),
    (27, &p27::MODULE),
    (28, &p28::MODULE),
    (29, &p29::MODULE),
    (30, &p30::MODULE),
];

/// # Errors
/// `UNSUPPORTED_PROTOCOL` when this build has no host for it.
pub fn host_for_protocol(protocol: u32) -> Result<&'static HostModule, Error> {
    let host = HOSTS.iter().find(|(p, _)| *p == protocol).map(|(_, host)| *host);
    host.ok_or_else(|| {
        let message = format!("no contract host for protocol {protocol}");
        Error::new(ErrorCode::UnsupportedProtocol, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each host's own word on its protocol must agree with the table, and the versions must be
    /// those that stellar-core pins.
    #[test]
    fn dispatch_matches_the_hosts_own_protocol() {
        let pinned = [
            (20, 21, "21.2.2"),
            (21, 21, "21.2.2"),
            (22, 22, "22.0.0"),
            (23, 23, "23.0.0"),
            (24, 24, "24.0.0"),
            (25, 25, "25.2.1"),
            (26, 26, "26.0.0"),
            (27, 27, "27.0.0"),
            (28, 28, "28.0.0"),
            (29, 29, "29.0.2"),
            (30, 30, "30.0.0"),
        ];
        assert_eq!(HOSTS.len(), pinned.len());
        for ((protocol, host), (ledger_protocol, host_protocol, version)) in
            HOSTS.iter().zip(pinned)
        {
            assert_eq!(*protocol, ledger_protocol);
            assert_eq!(host.protocol, host_protocol);
            assert_eq!(host.crate_version, version);
        }
    }

    #[test]
    fn unknown_protocols_have_no_host() {
        assert!(host_for_protocol(19).is_err());
        assert!(host_for_protocol(HOSTS.last().unwrap().0 + 1).is_err());
    }
}
