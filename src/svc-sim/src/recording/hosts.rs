// One recorder per host: `host.rs` is written once and mounted for each, `*_adapter.rs` hold what
// differs between the releases of `soroban-simulation`.

use super::{asked::Asked, known_entries::KnownEntries, Ledger, Simulated, Wish};
use std::rc::Rc;

pub type Recorder = fn(&Asked, &Wish, &Ledger, &Rc<KnownEntries>) -> Simulated;

macro_rules! mount {
    ($name:ident, $host:ident, $simulation:ident, $adapter:literal) => {
        #[path = "."]
        mod $name {
            use $host as soroban_env_host;
            use $simulation as soroban_simulation;
            #[path = $adapter]
            mod adapter;
            #[path = "host.rs"]
            mod host;
            pub use host::simulate;
        }
    };
}

mount!(p21, soroban_env_host_p21, soroban_simulation_p21, "adapter_20_to_22.rs");
mount!(p22, soroban_env_host_p22, soroban_simulation_p22, "adapter_20_to_22.rs");
mount!(p23, soroban_env_host_p23, soroban_simulation_p23, "adapter_23_to_25.rs");
mount!(p24, soroban_env_host_p24, soroban_simulation_p24, "adapter_23_to_25.rs");
mount!(p25, soroban_env_host_p25, soroban_simulation_p25, "adapter_23_to_25.rs");
mount!(p26, soroban_env_host_p26, soroban_simulation_p26, "adapter_26.rs");
mount!(p27, soroban_env_host_p27, soroban_simulation_p27, "adapter_from_27.rs");
mount!(p28, soroban_env_host_p28, soroban_simulation_p28, "adapter_from_27.rs");
mount!(p29, soroban_env_host_p29, soroban_simulation_p29, "adapter_from_27.rs");
mount!(p30, soroban_env_host_p30, soroban_simulation_p30, "adapter_from_27.rs");

pub fn recorder_for_protocol(protocol: u32) -> Option<Recorder> {
    Some(match protocol {
        20 | 21 => p21::simulate,
        22 => p22::simulate,
        23 => p23::simulate,
        24 => p24::simulate,
        25 => p25::simulate,
        26 => p26::simulate,
        27 => p27::simulate,
        28 => p28::simulate,
        29 => p29::simulate,
        30 => p30::simulate,
        _ => return None,
    })
}
