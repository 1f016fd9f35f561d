// The table of protocols. Everything that depends on a protocol is generated from its rows: the
// hosts and their recorders, the versions that svc-sim reports, and the XDR that the rest of
// svc-sim uses.

/// Passes the table to the macro `$then`, the oldest host first. The columns are the name of the
/// host's module, the ledger protocols that it runs, its crate, the crate of `soroban-simulation`
/// of the same release, the adapter to the host (a file of `hosts/`), and the interface of
/// `soroban-simulation` (`recording/hosts.rs`).
macro_rules! for_each_host {
    ($then:ident) => {
        $then! {
            // Like stellar-core, svc-sim runs protocol 20 in the host of protocol 21
            // (src/rust/src/soroban_proto_all.rs, `get_host_module_for_protocol`).
            p21 [20, 21] soroban_env_host_p21 soroban_simulation_p21 "adapter_20_to_22.rs" until_22;
            p22 [22] soroban_env_host_p22 soroban_simulation_p22 "adapter_20_to_22.rs" until_22;
            p23 [23] soroban_env_host_p23 soroban_simulation_p23 "adapter_23_to_27.rs" from_23;
            p24 [24] soroban_env_host_p24 soroban_simulation_p24 "adapter_23_to_27.rs" from_23;
            p25 [25] soroban_env_host_p25 soroban_simulation_p25 "adapter_23_to_27.rs" from_23;
            p26 [26] soroban_env_host_p26 soroban_simulation_p26 "adapter_23_to_27.rs" from_26;
            p27 [27] soroban_env_host_p27 soroban_simulation_p27 "adapter_23_to_27.rs" from_27;
            p28 [28] soroban_env_host_p28 soroban_simulation_p28 "adapter_from_28.rs" from_27;
            p29 [29] soroban_env_host_p29 soroban_simulation_p29 "adapter_from_28.rs" from_27;
            p30 [30] soroban_env_host_p30 soroban_simulation_p30 "adapter_from_28.rs" from_27;
        }
    };
}
pub(crate) use for_each_host;

/// The crate of the last row.
macro_rules! latest_host {
    ($name:tt $protocols:tt $host:tt $simulation:tt $adapter:tt $recorder:tt;) => {
        pub use $host as latest_host;
    };
    ($name:tt $protocols:tt $host:tt $simulation:tt $adapter:tt $recorder:tt; $($later:tt)+) => {
        latest_host! { $($later)+ }
    };
}
for_each_host!(latest_host);
