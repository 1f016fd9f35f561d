// The part of a recorder that is the same for all protocols, mounted once for each host. It follows
// cmd/stellar-rpc/lib/preflight/src/shared.rs of stellar-rpc, with its adjustments.

use super::{
    invocation, load_network,
    soroban_env_host::{
        storage::EntryWithLiveUntil,
        xdr::{
            AccountId, ExtendFootprintTtlOp, InvokeHostFunctionOp, LedgerEntry, LedgerFootprint,
            LedgerKey, Limits, OperationBody, ReadXdr, ScErrorCode, ScErrorType,
            SorobanTransactionData, WriteXdr,
        },
        HostError, LedgerInfo,
    },
    soroban_simulation::{
        simulation::{
            simulate_extend_ttl_op, simulate_restore_op, InvokeHostFunctionSimulationResult,
            LedgerEntryDiff, RestoreOpSimulationResult, SimulationAdjustmentConfig,
        },
        AutoRestoringSnapshotSource, NetworkConfig,
    },
};
use crate::recording::{
    interface::{AuthMode, EntryChange, Ledger, Simulated, SimulationOptions},
    known_entries::KnownEntries,
    transaction::Transaction,
};
use std::{cell::RefCell, collections::HashMap, panic, rc::Rc};

const XDR_DEPTH_LIMIT: u32 = 1000;

fn decode<T: ReadXdr>(bytes: &[u8]) -> Result<T, String> {
    let limits = Limits { depth: XDR_DEPTH_LIMIT, len: bytes.len() };
    T::from_xdr(bytes, limits).map_err(|e| e.to_string())
}

fn encode<T: WriteXdr>(value: &T) -> Result<Vec<u8>, String> {
    value.to_xdr(Limits { depth: XDR_DEPTH_LIMIT, len: usize::MAX }).map_err(|e| e.to_string())
}

fn encode_all<T: WriteXdr>(values: &[T]) -> Result<Vec<Vec<u8>>, String> {
    values.iter().map(encode).collect()
}

/// The request's entries, as the host reads them.
pub struct Source {
    entries: Rc<KnownEntries>,
    decoded: RefCell<HashMap<Vec<u8>, Option<EntryWithLiveUntil>>>,
    /// The error of an entry that this host cannot read. The error stops the host and becomes the
    /// simulation's error.
    unreadable: RefCell<Option<String>>,
}

impl Source {
    pub fn entry(&self, key: &LedgerKey) -> Result<Option<EntryWithLiveUntil>, HostError> {
        self.read(key).map_err(|error| {
            *self.unreadable.borrow_mut() = Some(error);
            (ScErrorType::Storage, ScErrorCode::InternalError).into()
        })
    }

    fn read(&self, key: &LedgerKey) -> Result<Option<EntryWithLiveUntil>, String> {
        let bytes = encode(key)?;
        if let Some(entry) = self.decoded.borrow().get(&bytes) {
            return Ok(entry.clone());
        }
        let entry = match self.entries.get(&bytes) {
            Some(known) => {
                let entry: LedgerEntry = decode(&known.decoded.bytes)?;
                Some((Rc::new(entry), known.live_until_ledger))
            }
            None => None,
        };
        self.decoded.borrow_mut().insert(bytes, entry.clone());
        Ok(entry)
    }
}

/// The part of a simulation that does not depend on its operation.
pub struct Context {
    pub source: Rc<Source>,
    pub network: NetworkConfig,
    pub ledger: LedgerInfo,
}

impl Context {
    pub fn restore_preamble(
        &self,
        restoring: &AutoRestoringSnapshotSource<Source>,
    ) -> Result<Option<RestoreOpSimulationResult>, String> {
        let adjustment = SimulationAdjustmentConfig::default_adjustment();
        restoring
            .simulate_restore_keys_op(&self.network, &adjustment, &self.ledger)
            .map_err(|e| format!("{e:?}"))
    }
}

pub fn simulate(
    transaction: &Transaction,
    options: &SimulationOptions,
    ledger: &Ledger,
    entries: &Rc<KnownEntries>,
) -> Simulated {
    let ran = panic::catch_unwind(panic::AssertUnwindSafe(|| {
        let source = Rc::new(Source {
            entries: entries.clone(),
            decoded: RefCell::default(),
            unreadable: RefCell::default(),
        });
        let mut simulated =
            run(transaction, options, ledger, source.clone()).unwrap_or_else(Simulated::failed);
        if let (Some(error), Some(unreadable)) =
            (&mut simulated.error, source.unreadable.borrow_mut().take())
        {
            *error = unreadable;
        }
        simulated
    }));
    ran.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map_or("unknown cause", String::as_str);
        Simulated::failed(format!("panic during preflight() call: {text}"))
    })
}

fn run(
    transaction: &Transaction,
    options: &SimulationOptions,
    ledger: &Ledger,
    source: Rc<Source>,
) -> Result<Simulated, String> {
    let network = load_network(&source, ledger.state_size_bytes)?;
    let mut ledger_info = LedgerInfo {
        protocol_version: ledger.protocol_version,
        sequence_number: ledger.sequence,
        timestamp: ledger.close_time_unix_seconds,
        network_id: ledger.network_id,
        base_reserve: ledger.base_reserve_stroops,
        ..Default::default()
    };
    network.fill_config_fields_in_ledger_info(&mut ledger_info);
    let context = Context { source, network, ledger: ledger_info };
    let footprint: LedgerFootprint = decode(&transaction.footprint)?;
    match decode(&transaction.operation)? {
        OperationBody::InvokeHostFunction(invoke) => {
            simulate_invocation(&context, transaction, options, invoke)
        }
        OperationBody::ExtendFootprintTtl(extend) => {
            simulate_extension(&context, &extend, footprint.read_only.as_slice())
        }
        OperationBody::RestoreFootprint(_) => {
            simulate_restoration(&context, footprint.read_write.as_slice())
        }
        other => Err(format!("unsupported operation type: {}", other.name())),
    }
}

/// An invocation, and before protocol 23 the restoration that must be sent first.
pub type Invocation =
    (InvokeHostFunctionSimulationResult, Result<Option<RestoreOpSimulationResult>, String>);

pub struct InvocationInput {
    pub invoke: InvokeHostFunctionOp,
    pub source_account: AccountId,
    pub auth_mode: AuthMode,
    /// Before protocol 27 only one kind of credentials can be recorded.
    #[allow(dead_code)]
    pub use_upgraded_auth: bool,
    pub base_prng_seed: [u8; 32],
}

fn simulate_invocation(
    context: &Context,
    transaction: &Transaction,
    options: &SimulationOptions,
    invoke: InvokeHostFunctionOp,
) -> Result<Simulated, String> {
    let mut adjustment = SimulationAdjustmentConfig::default_adjustment();
    let leeway = u32::try_from(options.instruction_leeway).map_err(|e| e.to_string())?;
    let additive = &mut adjustment.instructions.additive_factor;
    *additive = leeway.max(*additive);
    let invocation = InvocationInput {
        invoke,
        source_account: decode(&transaction.source_account)?,
        auth_mode: options.auth_mode,
        use_upgraded_auth: options.use_upgraded_auth,
        base_prng_seed: options.base_prng_seed,
    };
    let (result, restore) = invocation::simulate_invocation(context, &adjustment, invocation)?;
    let (restore, restore_error) = match restore {
        Ok(restore) => (restore, None),
        Err(error) => (None, Some(error)),
    };
    let error = match &result.invoke_result {
        Ok(_) => restore_error,
        Err(error) => Some(format!("{error:?}")),
    };
    let data = result.transaction_data.as_ref();
    Ok(Simulated {
        error,
        auth: encode_all(&result.auth)?,
        return_value: result.invoke_result.ok().as_ref().map(encode).transpose()?,
        transaction_data: data.map(encode).transpose()?,
        min_resource_fee: data.map_or(0, |data| data.resource_fee),
        diagnostics: encode_all(&result.diagnostic_events)?,
        changes: result.modified_entries.iter().map(change).collect::<Result<_, _>>()?,
        restore: restore.map(|restore| data_and_fee(&restore.transaction_data)).transpose()?,
        cpu_instructions: result.simulated_instructions.into(),
        memory_bytes: result.simulated_memory.into(),
    })
}

fn change(diff: &LedgerEntryDiff) -> Result<EntryChange, String> {
    Ok(EntryChange {
        before: diff.state_before.as_ref().map(encode).transpose()?,
        after: diff.state_after.as_ref().map(encode).transpose()?,
    })
}

fn data_and_fee(data: &SorobanTransactionData) -> Result<(Vec<u8>, i64), String> {
    Ok((encode(data)?, data.resource_fee))
}

fn simulate_extension(
    context: &Context,
    extend: &ExtendFootprintTtlOp,
    keys: &[LedgerKey],
) -> Result<Simulated, String> {
    let restoring = AutoRestoringSnapshotSource::new(context.source.clone(), &context.ledger)
        .map_err(|e| format!("{e:?}"))?;
    let extension = simulate_extend_ttl_op(
        &restoring,
        &context.network,
        &SimulationAdjustmentConfig::default_adjustment(),
        &context.ledger,
        keys,
        extend.extend_to,
    )
    .map_err(|e| format!("{e:?}"))?;
    let simulated = without_invocation(&extension.transaction_data)?;
    Ok(match context.restore_preamble(&restoring) {
        Ok(restore) => Simulated {
            restore: restore.map(|restore| data_and_fee(&restore.transaction_data)).transpose()?,
            ..simulated
        },
        Err(error) => Simulated { error: Some(error), ..simulated },
    })
}

fn simulate_restoration(context: &Context, keys: &[LedgerKey]) -> Result<Simulated, String> {
    let restoration = simulate_restore_op(
        context.source.as_ref(),
        &context.network,
        &SimulationAdjustmentConfig::default_adjustment(),
        &context.ledger,
        keys,
    )
    .map_err(|e| format!("{e:?}"))?;
    without_invocation(&restoration.transaction_data)
}

fn without_invocation(data: &SorobanTransactionData) -> Result<Simulated, String> {
    let (transaction_data, min_resource_fee) = data_and_fee(data)?;
    Ok(Simulated {
        transaction_data: Some(transaction_data),
        min_resource_fee,
        ..Simulated::default()
    })
}
