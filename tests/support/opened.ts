// Records and envelopes, opened as the walk opens them.

import type { ChainRecord } from "../../src/model/chain-record.ts";
import { type Envelope, openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import type { SorobanFacts } from "../../src/xdr/envelope/envelope-facts.ts";
import { type OpenedRecord, openRecord } from "../../src/xdr/envelope/opened-record.ts";

/** What has a record, with its envelope. */
export function opened<Known extends { readonly record: ChainRecord }>(
  known: Known,
): Known & OpenedRecord {
  return { ...known, ...openRecord(known.record) };
}

/** A record alone: nothing ran. */
export function openedAlone(record: ChainRecord) {
  return opened({ record, snapshot: null });
}

/** Where hashes do not matter. */
export function openAnywhere(envelopeXdr: string): Envelope {
  return openEnvelope(envelopeXdr, "");
}

export function sorobanOf({ soroban }: Envelope): SorobanFacts {
  if (soroban === null) throw new Error("not a Soroban transaction");
  return soroban;
}
