// The terms on which the network accepts an envelope: fee, sequence number, time and ledger bounds,
// size, who has to sign, and who signed.

import { encodeStrkey } from "../../base/text/strkey.ts";
import { encodeBytes, type Value } from "../reader/value.ts";
import { type AccountSigner, readSigner } from "../values/signer.ts";
import { ENVELOPE_TYPE } from "./envelope-facts.ts";

/**
 * For a fee-bump, all fields except the signatures and the signers describe the inner transaction.
 */
export interface EnvelopeTerms extends Bounds {
  readonly sequence: bigint;
  readonly feeStroops: bigint;
  /**
   * The accounts (G…) whose signatures the envelope needs, each once: the source, the operations'
   * sources and the fee source.
   */
  readonly signers: readonly string[];
  /** The account (G…) whose sequence number the transaction uses. */
  readonly source: string;
  /** The account (G…) that pays. For a fee-bump, the fee source. */
  readonly payer: string;
  /**
   * The account (G…) that authorizes calls by signing the transaction: the first operation's
   * source.
   */
  readonly operationSource: string;
  /** The size of the envelope with signatures, which the network limits and charges for. */
  readonly sizeBytes: number;
  /** For a fee-bump, the signatures of the outer transaction. */
  readonly signatures: readonly DecoratedSignature[];
  /** The signatures inside a fee-bump; empty for any other envelope. */
  readonly innerSignatures: readonly DecoratedSignature[];
}

interface Bounds {
  /** Unix seconds; null without a bound. */
  readonly earliestSeconds: bigint | null;
  readonly latestSeconds: bigint | null;
  readonly earliestLedger: number | null;
  /** The first ledger that is too late. */
  readonly endLedger: number | null;
  /**
   * The minimum sequence number of the source account. Null means that it must be exactly one below
   * the transaction's.
   */
  readonly leastSequence: bigint | null;
  /** The age of the source account's sequence number; 0 without a bound. */
  readonly leastAgeSeconds: bigint;
  readonly leastLedgerGap: number;
  /** Signers that all have to sign, whether or not they can sign for an account. */
  readonly extraSigners: readonly AccountSigner[];
}

export interface DecoratedSignature {
  /** The last 4 bytes of the public key. */
  readonly hint: Uint8Array;
  /** An ed25519 signature of 64 bytes, or a hash preimage of up to 64 bytes. */
  readonly signature: Uint8Array;
}

export function readTerms(envelope: Value<"TransactionEnvelope">): EnvelopeTerms {
  const inner = innerEnvelope(envelope);
  const { tx } = inner;
  const bump = envelope.type === ENVELOPE_TYPE.feeBump ? envelope.feeBump : null;
  const source =
    "cond" in tx ? accountOf(tx.sourceAccount) : encodeStrkey("account", tx.sourceAccountEd25519);
  const sources = tx.operations.map(({ sourceAccount }) =>
    sourceAccount === null ? source : accountOf(sourceAccount),
  );
  const feeSource = bump === null ? source : accountOf(bump.tx.feeSource);
  return {
    ...("cond" in tx ? boundsOf(tx.cond) : { ...NO_BOUNDS, ...timesOf(tx.timeBounds) }),
    sequence: tx.seqNum,
    feeStroops: BigInt(tx.fee),
    signers: [...new Set([source, ...sources, feeSource])],
    source,
    payer: feeSource,
    operationSource: sources[0] ?? source,
    sizeBytes: innerSize(envelope),
    signatures: (bump ?? inner).signatures,
    innerSignatures: bump === null ? [] : inner.signatures,
  };
}

/** Returns the (inner) transaction with its signatures. */
export function innerEnvelope(envelope: Value<"TransactionEnvelope">) {
  switch (envelope.type) {
    case ENVELOPE_TYPE.v0:
      return envelope.v0;
    case ENVELOPE_TYPE.v1:
      return envelope.v1;
    case ENVELOPE_TYPE.feeBump:
      return envelope.feeBump.tx.innerTx.v1;
  }
}

/** A fee-bump's inner transaction counts as an envelope of its own. */
function innerSize(envelope: Value<"TransactionEnvelope">): number {
  const inner = envelope.type === ENVELOPE_TYPE.feeBump ? envelope.feeBump.tx.innerTx : envelope;
  return encodeBytes("TransactionEnvelope", inner).length;
}

const NO_BOUNDS: Bounds = {
  earliestSeconds: null,
  latestSeconds: null,
  earliestLedger: null,
  endLedger: null,
  leastSequence: null,
  leastAgeSeconds: 0n,
  leastLedgerGap: 0,
  extraSigners: [],
};

function boundsOf(conditions: Value<"Preconditions">): Bounds {
  if (conditions.type === 0) return NO_BOUNDS;
  if (conditions.type === 1) return { ...NO_BOUNDS, ...timesOf(conditions.timeBounds) };
  const { timeBounds, ledgerBounds, minSeqNum, minSeqAge, minSeqLedgerGap, extraSigners } =
    conditions.v2;
  return {
    ...timesOf(timeBounds),
    earliestLedger: ledgerBounds?.minLedger || null,
    endLedger: ledgerBounds?.maxLedger || null,
    leastSequence: minSeqNum ?? null,
    leastAgeSeconds: minSeqAge,
    leastLedgerGap: minSeqLedgerGap,
    extraSigners: extraSigners.map((signer) => readSigner(signer, 1)),
  };
}

/** A bound of zero means no bound. */
function timesOf(bounds: { readonly minTime: bigint; readonly maxTime: bigint } | null) {
  return { earliestSeconds: bounds?.minTime || null, latestSeconds: bounds?.maxTime || null };
}

/** Returns the account's address without a multiplexed id. */
export function accountOf(account: Value<"MuxedAccount">): string {
  const key = account.type === 0 ? account.ed25519 : account.med25519.ed25519;
  return encodeStrkey("account", key);
}
