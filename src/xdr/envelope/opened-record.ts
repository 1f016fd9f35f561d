// The chain record of one transaction, opened once: its envelope, and what the chain recorded of
// its outcome. Every stage takes them from here.

import type { ChainRecord } from "../../model/chain-record.ts";
import { type ChainFacts, type KnownOutcome, readChain } from "../outcome/chain-facts.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";

/** `chain` is of that very record: another record, even with one part changed, is opened anew. */
export interface ReadRecord {
  readonly record: ChainRecord;
  readonly chain: ChainFacts;
}

export interface OpenedRecord extends ReadRecord {
  readonly envelope: Envelope;
}

/** `known`: parts that the caller has read. Throws XDR_INVALID when the envelope is none. */
export function openRecord(
  record: ChainRecord,
  envelope: Envelope = openEnvelope(record.envelopeXdr, record.networkPassphrase),
  known: KnownOutcome = {},
): OpenedRecord {
  return { record, envelope, chain: readChain(record, known) };
}
