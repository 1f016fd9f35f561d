// Finds the position of each transaction in a ledger's transaction set: classic sets, generalized
// sets with components, and parallel phases with stages and clusters (CAP-63). The order of a set
// is not the apply order, so envelopes are found by hash.

import type { XdrCursor } from "../reader/cursor.ts";
import { HASH_SIZE } from "../reader/hash.ts";
import { shapeOf } from "../reader/shape.ts";

export interface PlacedEnvelope {
  /** A TransactionEnvelope. */
  readonly envelope: Uint8Array;
  /** The stage and the cluster of a parallel phase, from 0; null in other phases. */
  readonly stage: number | null;
  readonly cluster: number | null;
  /** The fee for an operation. Null means that each transaction pays its whole bid. */
  readonly baseFeeStroops: bigint | null;
}

const envelopeShape = shapeOf("TransactionEnvelope");

/** Reads a TransactionSet: the previous ledger's hash, then envelopes. */
export function readClassicSet(cursor: XdrCursor): PlacedEnvelope[] {
  cursor.opaque(HASH_SIZE);
  const envelopes: PlacedEnvelope[] = [];
  readEnvelopes(cursor, envelopes, null);
  return envelopes;
}

/** Reads a GeneralizedTransactionSet. */
export function readGeneralizedSet(cursor: XdrCursor): PlacedEnvelope[] {
  const version = cursor.int32();
  if (version !== 1) cursor.noArm("GeneralizedTransactionSet", version);
  cursor.opaque(HASH_SIZE);
  const envelopes: PlacedEnvelope[] = [];
  const phases = cursor.length("phases");
  for (let phase = 0; phase < phases; phase += 1) {
    const kind = cursor.int32();
    if (kind === 0) readComponents(cursor, envelopes);
    else if (kind === 1) readParallel(cursor, envelopes);
    else cursor.noArm("TransactionPhase", kind);
  }
  return envelopes;
}

function readComponents(cursor: XdrCursor, envelopes: PlacedEnvelope[]): void {
  const components = cursor.length("components");
  for (let i = 0; i < components; i += 1) {
    const kind = cursor.int32();
    if (kind !== 0) cursor.noArm("TxSetComponent", kind);
    readEnvelopes(cursor, envelopes, readBaseFee(cursor));
  }
}

function readParallel(cursor: XdrCursor, envelopes: PlacedEnvelope[]): void {
  const baseFee = readBaseFee(cursor);
  const stages = cursor.length("stages");
  for (let stage = 0; stage < stages; stage += 1) {
    const clusters = cursor.length("clusters");
    for (let cluster = 0; cluster < clusters; cluster += 1) {
      readEnvelopes(cursor, envelopes, baseFee, stage, cluster);
    }
  }
}

function readBaseFee(cursor: XdrCursor): bigint | null {
  return cursor.boolean("baseFee") ? cursor.int64() : null;
}

function readEnvelopes(
  cursor: XdrCursor,
  envelopes: PlacedEnvelope[],
  baseFeeStroops: bigint | null,
  stage: number | null = null,
  cluster: number | null = null,
): void {
  const count = cursor.length("envelopes");
  for (let i = 0; i < count; i += 1) {
    envelopes.push({ envelope: cursor.take(envelopeShape), stage, cluster, baseFeeStroops });
  }
}
