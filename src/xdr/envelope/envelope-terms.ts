// The facts of an envelope that the network checks before it runs: fees, sequence number, time and
// ledger bounds, and the keys that signed.

import type { DecoratedSignature, Preconditions } from "@stellar/stellar-sdk/xdr";
import { decodeEnvelope } from "../reader/decode-sdk.ts";

export interface EnvelopeTerms {
  /** Fee of the (inner) transaction. */
  readonly sequence: bigint;
  readonly feeStroops: bigint;
  readonly operations: number;
  /** Unix seconds; null when there is no bound. */
  readonly earliestSeconds: bigint | null;
  readonly latestSeconds: bigint | null;
  readonly earliestLedger: number | null;
  /** The first ledger that is too late. */
  readonly endLedger: number | null;
  /** The minimum sequence number of its source account; null: exactly one below its own. */
  readonly leastSequence: bigint | null;
  /** The last four bytes of each signer's key, hex. */
  readonly signatureHints: readonly string[];
  /** Null unless it is a fee-bump. */
  readonly feeBump: {
    readonly feeStroops: bigint;
    readonly signatureHints: readonly string[];
  } | null;
}

/** Throws XDR_INVALID. */
export function readEnvelopeTerms(envelopeXdr: string): EnvelopeTerms {
  const envelope = decodeEnvelope(envelopeXdr);
  if (envelope.type === "envelopeTypeTxV0") {
    const { tx, signatures } = envelope.v0;
    const { minTime = 0n, maxTime = 0n } = tx.timeBounds ?? {};
    return {
      ...NO_BOUNDS,
      ...timesOf(minTime, maxTime),
      sequence: tx.seqNum,
      feeStroops: BigInt(tx.fee),
      operations: tx.operations.length,
      signatureHints: hintsOf(signatures),
      feeBump: null,
    };
  }
  const outer = envelope.type === "envelopeTypeTx" ? null : envelope.feeBump;
  const { tx, signatures } =
    envelope.type === "envelopeTypeTx" ? envelope.v1 : envelope.feeBump.tx.innerTx.v1;
  return {
    ...boundsOf(tx.cond),
    sequence: tx.seqNum,
    feeStroops: BigInt(tx.fee),
    operations: tx.operations.length,
    signatureHints: hintsOf(signatures),
    feeBump: outer && { feeStroops: outer.tx.fee, signatureHints: hintsOf(outer.signatures) },
  };
}

type Bounds = Pick<
  EnvelopeTerms,
  "earliestSeconds" | "latestSeconds" | "earliestLedger" | "endLedger" | "leastSequence"
>;

const NO_BOUNDS: Bounds = {
  earliestSeconds: null,
  latestSeconds: null,
  earliestLedger: null,
  endLedger: null,
  leastSequence: null,
};

function boundsOf(conditions: Preconditions): Bounds {
  if (conditions.type === "precondNone") return NO_BOUNDS;
  if (conditions.type === "precondTime") {
    const { minTime, maxTime } = conditions.timeBounds;
    return { ...NO_BOUNDS, ...timesOf(minTime, maxTime) };
  }
  const { timeBounds, ledgerBounds, minSeqNum } = conditions.v2;
  const { minTime = 0n, maxTime = 0n } = timeBounds ?? {};
  return {
    ...timesOf(minTime, maxTime),
    earliestLedger: ledgerBounds?.minLedger || null,
    endLedger: ledgerBounds?.maxLedger || null,
    leastSequence: minSeqNum ?? null,
  };
}

/** Zero means no bound. */
function timesOf(earliest: bigint, latest: bigint) {
  return { earliestSeconds: earliest || null, latestSeconds: latest || null };
}

function hintsOf(signatures: readonly DecoratedSignature[]): string[] {
  return signatures.map(({ hint }) => hint.toBytes().toHex());
}
