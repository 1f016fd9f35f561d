// The input and output of every recorder in plain types: bytes of XDR and numbers.

/// The ledger that the transaction is simulated in. Stellar RPC takes its latest closed one.
pub struct Ledger {
    pub protocol_version: u32,
    pub sequence: u32,
    pub close_time_unix_seconds: u64,
    pub network_id: [u8; 32],
    pub base_reserve_stroops: u32,
    /// The state size that rent depends on before protocol 26.
    pub state_size_bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum AuthMode {
    Enforce,
    Record,
    RecordAllowNonroot,
}

pub struct SimulationOptions {
    pub auth_mode: AuthMode,
    /// Record `AddressV2` credentials (protocol 27 and later).
    pub use_upgraded_auth: bool,
    pub instruction_leeway: u64,
    pub base_prng_seed: [u8; 32],
}

impl SimulationOptions {
    pub fn records_auth(&self) -> bool {
        self.auth_mode != AuthMode::Enforce
    }
}

/// LedgerEntry XDR before and after. An entry that neither existed nor was written has none.
pub struct EntryChange {
    pub before: Option<Vec<u8>>,
    pub after: Option<Vec<u8>>,
}

/// The output of a recorder: bytes of XDR. If the simulation failed, only `error` and the
/// diagnostics are set.
#[derive(Default)]
pub struct Simulated {
    /// The error, in the words of Stellar RPC.
    pub error: Option<String>,
    pub auth: Vec<Vec<u8>>,
    pub return_value: Option<Vec<u8>>,
    pub transaction_data: Option<Vec<u8>>,
    pub min_resource_fee: i64,
    pub diagnostics: Vec<Vec<u8>>,
    pub changes: Vec<EntryChange>,
    /// Transaction data and fee of the RestoreFootprint that must be sent first (before protocol
    /// 23).
    pub restore: Option<(Vec<u8>, i64)>,
    pub cpu_instructions: u64,
    pub memory_bytes: u64,
}

impl Simulated {
    pub fn failed(error: String) -> Simulated {
        Simulated { error: Some(error), ..Simulated::default() }
    }
}
