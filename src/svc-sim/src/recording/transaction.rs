// The transaction to simulate, after the checks that Stellar RPC makes before it reads a ledger
// (simulate_transaction.go). The errors are in the words of Stellar RPC.

use super::{interface::AuthMode, wire::Request};
use crate::{
    transaction::account_id,
    xdr_codec::{
        decode, encode, from_base64,
        xdr::{
            self, FeeBumpTransactionInnerTx, LedgerFootprint, Memo, MuxedAccount, Operation,
            OperationBody, SorobanTransactionData, TransactionEnvelope, TransactionExt,
        },
    },
};

pub struct Transaction {
    /// OperationBody XDR.
    pub operation: Vec<u8>,
    /// AccountId XDR.
    pub source_account: Vec<u8>,
    /// LedgerFootprint XDR. An invocation's footprint is only a hint of what it may read.
    pub footprint: Vec<u8>,
    pub auth_mode: AuthMode,
    /// LedgerKey XDR.
    pub footprint_keys: Vec<Vec<u8>>,
}

impl Transaction {
    /// Reads the transaction of a request.
    ///
    /// # Errors
    ///
    /// Stellar RPC's error for a transaction that it does not simulate.
    pub fn read(request: &Request) -> Result<Transaction, String> {
        read(&request.envelope_xdr, &request.simulation.auth_mode)
    }
}

fn read(envelope_xdr: &str, auth_mode: &str) -> Result<Transaction, String> {
    let Parts { source, memo, mut operations, soroban } = from_base64(envelope_xdr, "envelope_xdr")
        .and_then(|bytes| decode::<TransactionEnvelope>(&bytes, "envelope_xdr"))
        .map(parts)
        .map_err(|_| "Could not unmarshal transaction")?;
    let operation = match operations.pop() {
        Some(operation) if operations.is_empty() => operation,
        _ => return Err("Transaction contains more than one operation".into()),
    };
    if memo != Memo::None {
        return Err(
            "Transaction contains a memo. Soroban transactions do not support memos.".into()
        );
    }
    let auth_mode = auth_mode_of(&operation.body, auth_mode)?;
    let footprint = match (&operation.body, soroban) {
        (_, Some(soroban)) => soroban.resources.footprint,
        (OperationBody::InvokeHostFunction(_), None) => LedgerFootprint::default(),
        (_, None) => {
            return Err("To perform a SimulateTransaction for ExtendFootprintTtl or \
                RestoreFootprint operations, SorobanTransactionData must be provided"
                .into())
        }
    };
    let keys = footprint.read_only.iter().chain(footprint.read_write.iter());
    Ok(Transaction {
        operation: encode(&operation.body),
        source_account: encode(&account_id(operation.source_account.as_ref().unwrap_or(&source))),
        footprint_keys: keys.map(encode).collect(),
        footprint: encode(&footprint),
        auth_mode,
    })
}

struct Parts {
    source: MuxedAccount,
    memo: Memo,
    operations: Vec<Operation>,
    soroban: Option<SorobanTransactionData>,
}

/// The parts of an envelope. A fee bump has those of its inner transaction.
fn parts(envelope: TransactionEnvelope) -> Parts {
    let of_transaction = |tx: xdr::Transaction| Parts {
        source: tx.source_account,
        memo: tx.memo,
        operations: tx.operations.into(),
        soroban: match tx.ext {
            TransactionExt::V0 => None,
            TransactionExt::V1(soroban) => Some(soroban),
        },
    };
    match envelope {
        TransactionEnvelope::TxV0(v0) => Parts {
            source: MuxedAccount::Ed25519(v0.tx.source_account_ed25519),
            memo: v0.tx.memo,
            operations: v0.tx.operations.into(),
            soroban: None,
        },
        TransactionEnvelope::Tx(v1) => of_transaction(v1.tx),
        TransactionEnvelope::TxFeeBump(outer) => {
            let FeeBumpTransactionInnerTx::Tx(inner) = outer.tx.inner_tx;
            of_transaction(inner.tx)
        }
    }
}

/// The mode for authorizations. By default those of the operation are enforced, and recorded if
/// there are none.
fn auth_mode_of(body: &OperationBody, given: &str) -> Result<AuthMode, String> {
    let mode = match given {
        "" => None,
        "enforce" => Some(AuthMode::Enforce),
        "record" => Some(AuthMode::Record),
        "record_allow_nonroot" => Some(AuthMode::RecordAllowNonroot),
        _ => {
            return Err("optional 'authMode' must be one of \
                enforce,record,record_allow_nonroot when included"
                .into())
        }
    };
    match body {
        OperationBody::InvokeHostFunction(invoke) => match mode {
            None if invoke.auth.is_empty() => Ok(AuthMode::Record),
            None | Some(AuthMode::Enforce) => Ok(AuthMode::Enforce),
            Some(mode) if invoke.auth.is_empty() => Ok(mode),
            Some(_) => Err(format!("cannot set authMode to '{given}' with an auth footprint")),
        },
        OperationBody::ExtendFootprintTtl(_) | OperationBody::RestoreFootprint(_) => match mode {
            None => Ok(AuthMode::Enforce),
            Some(_) => Err("cannot set authMode with non-InvokeHostFunction operations".into()),
        },
        other => Err(format!(
            "transaction contains unsupported operation type: OperationType{}",
            other.name()
        )),
    }
}
