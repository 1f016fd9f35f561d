// The transaction as the contract host and the fee rules see it. For a fee bump it is the inner
// one.

use crate::{
    error::{Error, ErrorCode},
    xdr_codec::{
        decode, encode, from_base64, sha256,
        xdr::{
            AccountId, DecoratedSignature, FeeBumpTransactionInnerTx, LedgerKey, Memo,
            MuxedAccount, Operation, OperationBody, PublicKey, SorobanTransactionData,
            SorobanTransactionDataExt, TransactionEnvelope, TransactionExt, TransactionV1Envelope,
        },
    },
};

pub struct Transaction {
    /// The hash of the envelope. For a fee bump it is the outer envelope's.
    pub hash: [u8; 32],
    pub fee_bump: Option<FeeBump>,
    pub operation: Operation,
    pub soroban: SorobanTransactionData,
    /// The size of the XDR of the (inner) envelope.
    pub size_bytes: u32,
    pub memo: Memo,
    fee_bid: i64,
    source: MuxedAccount,
}

pub struct FeeBump {
    pub inner_hash: [u8; 32],
    pub fee_bid: i64,
}

impl Transaction {
    /// Reads a transaction from base64.
    ///
    /// # Errors
    ///
    /// `BAD_XDR`; `NOT_SOROBAN` if there is no single Soroban operation with Soroban data.
    pub fn read(text: &str, network_id: &[u8; 32]) -> Result<Transaction, Error> {
        Transaction::of(&from_base64(text, "envelope_xdr")?, network_id)
    }

    /// Reads a transaction from XDR bytes.
    ///
    /// # Errors
    ///
    /// The same as those of `read`.
    pub fn of(bytes: &[u8], network_id: &[u8; 32]) -> Result<Transaction, Error> {
        let envelope: TransactionEnvelope = decode(bytes, "envelope_xdr")?;
        let not_soroban =
            || Error::new(ErrorCode::NotSoroban, "the transaction has no Soroban operation");
        // Signatures cover the type and the transaction.
        let hash = |envelope: &[u8], signatures: &[DecoratedSignature]| {
            sha256(&[network_id, &envelope[..envelope.len() - size_of(signatures)]].concat())
        };
        let (inner, size_bytes, hash, fee_bump) = match envelope {
            TransactionEnvelope::TxV0(_) => return Err(not_soroban()),
            TransactionEnvelope::Tx(v1) => {
                let hash = hash(bytes, &v1.signatures);
                (v1, bytes.len(), hash, None)
            }
            TransactionEnvelope::TxFeeBump(outer) => {
                let FeeBumpTransactionInnerTx::Tx(inner) = &outer.tx.inner_tx;
                let inner_bytes = encode(&outer.tx.inner_tx);
                let fee_bump = FeeBump {
                    inner_hash: hash(&inner_bytes, &inner.signatures),
                    fee_bid: outer.tx.fee,
                };
                let hash = hash(bytes, &outer.signatures);
                let FeeBumpTransactionInnerTx::Tx(inner) = outer.tx.inner_tx;
                (inner, inner_bytes.len(), hash, Some(fee_bump))
            }
        };
        let TransactionV1Envelope { tx, .. } = inner;
        let TransactionExt::V1(soroban) = tx.ext else { return Err(not_soroban()) };
        let mut operations = Vec::from(tx.operations);
        match operations.pop() {
            Some(operation) if operations.is_empty() && is_soroban(&operation) => Ok(Transaction {
                hash,
                fee_bump,
                operation,
                soroban,
                size_bytes: size_bytes as u32,
                memo: tx.memo,
                fee_bid: i64::from(tx.fee),
                source: tx.source_account,
            }),
            _ => Err(not_soroban()),
        }
    }

    /// The source of the operation, or, without one, that of the transaction.
    pub fn operation_source(&self) -> AccountId {
        account_id(self.operation.source_account.as_ref().unwrap_or(&self.source))
    }

    /// The indexes in the read-write footprint of the entries that are marked to be restored
    /// (CAP-0066).
    pub fn archived_entry_indexes(&self) -> &[u32] {
        match &self.soroban.ext {
            SorobanTransactionDataExt::V0 => &[],
            SorobanTransactionDataExt::V1(ext) => &ext.archived_soroban_entries,
        }
    }

    /// The read-only keys of the footprint, then the read-write ones.
    pub fn footprint_keys(&self) -> impl Iterator<Item = &LedgerKey> {
        let footprint = &self.soroban.resources.footprint;
        footprint.read_only.iter().chain(footprint.read_write.iter())
    }

    pub fn is_restore(&self) -> bool {
        matches!(self.operation.body, OperationBody::RestoreFootprint(_))
    }

    /// The fee in the inner result of a fee bump, before any refund: until protocol 24 the inner
    /// transaction's own fee, then zero (`FeeBumpTransactionFrame::processFeeSeqNum`).
    pub fn inner_fee_charged(&self, protocol: u32, outer_fee_charged: i64) -> i64 {
        let Some(fee_bump) = &self.fee_bump else { return 0 };
        if protocol >= 25 {
            return 0;
        }
        let flat = self.soroban.resource_fee;
        // The outer fee is flat + min(bid, 2 × base fee), the inner one flat + min(bid, base fee).
        let outer_inclusion = outer_fee_charged.saturating_sub(flat);
        let outer_bid = fee_bump.fee_bid.saturating_sub(flat);
        let inner_bid = self.fee_bid.saturating_sub(flat);
        let base_fee = if outer_inclusion == outer_bid { outer_bid } else { outer_inclusion / 2 };
        flat.saturating_add(inner_bid.min(base_fee))
    }
}

pub fn account_id(account: &MuxedAccount) -> AccountId {
    AccountId(PublicKey::PublicKeyTypeEd25519(match account {
        MuxedAccount::Ed25519(key) => key.clone(),
        MuxedAccount::MuxedEd25519(muxed) => muxed.ed25519.clone(),
    }))
}

fn is_soroban(operation: &Operation) -> bool {
    matches!(
        operation.body,
        OperationBody::InvokeHostFunction(_)
            | OperationBody::ExtendFootprintTtl(_)
            | OperationBody::RestoreFootprint(_)
    )
}

/// The size of an envelope's signatures, which are at its end.
fn size_of(signatures: &[DecoratedSignature]) -> usize {
    const COUNT: usize = 4;
    const HINT: usize = 4;
    const LENGTH: usize = 4;
    let signature = |one: &DecoratedSignature| one.signature.len().next_multiple_of(4);
    COUNT + signatures.iter().map(|one| HINT + LENGTH + signature(one)).sum::<usize>()
}
