// Ledgers made for tests: what changes in them, in which phase, is given; headers, envelopes and
// results are as a real network wrote them. Each ledger follows the one before.

import * as xdr from "@stellar/stellar-sdk/xdr";
import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { hashOfEnvelope } from "../../src/xdr/envelope/envelope-facts.ts";
import { networkId, sha256 } from "../../src/xdr/reader/hash.ts";
import { RecordedNetwork } from "./recorded-network.ts";

/** A LedgerEntry, or a LedgerKey for `removed`; base64. */
export type MadeChange = readonly [kind: keyof typeof CHANGE_TYPES, xdr: string];

export interface MadeLedger {
  readonly sequence: number;
  /** Default: 28. */
  readonly protocolVersion?: number;
  /** In apply order: the sequential phase, then stage after stage. */
  readonly transactions?: readonly MadeTransaction[];
  /** The changes of each upgrade. */
  readonly upgrades?: readonly MadeUpgrade[];
  /** LedgerKeys. */
  readonly evicted?: readonly string[];
  /** After the ledger; null: the node does not write it. */
  readonly rentFeePer1KbStroops?: bigint | null;
  /** After the ledger. */
  readonly averageStateSizeBytes?: bigint;
  /** Sequence of the ledger that it follows by its hash. Default: the one before. */
  readonly follows?: number;
  /** 1: without a refund phase and without evictions after it. Default: 2. */
  readonly version?: 1 | 2;
}

export interface MadeUpgrade {
  /** Default: the base fee, which stays 100. */
  readonly protocolVersion?: number;
  readonly changes: readonly MadeChange[];
}

export interface MadeTransaction {
  /** Stage and cluster of the parallel phase; of the sequential phase without. */
  readonly place?: readonly [stage: number, cluster: number];
  /** Default: invoke. */
  readonly operation?: keyof typeof templates;
  /** Result code of the operation; `refused`: it did not run. Default: success. */
  readonly result?: keyof typeof FAILURES;
  /** LedgerKeys. */
  readonly readOnly?: readonly string[];
  readonly readWrite?: readonly string[];
  /** Indexes of read-write keys to be restored. */
  readonly archived?: readonly number[];
  readonly fees?: readonly MadeChange[];
  readonly before?: readonly MadeChange[];
  readonly changes?: readonly MadeChange[];
  readonly after?: readonly MadeChange[];
  readonly refunds?: readonly MadeChange[];
}

const CHANGE_TYPES = { created: 0, updated: 1, removed: 2, state: 3, restored: 4 } as const;
const network = new RecordedNetwork();
const templates = {
  invoke: readTemplate("same ledger: inc main #3"),
  restore: readTemplate("restore footprint op (p4)"),
  classic: readTemplate("classic: create accounts (one tx, many ops)"),
};
const FAILURES = {
  trapped: { code: -1, results: [invocationResult(-2)] },
  entryArchived: { code: -1, results: [invocationResult(-4)] },
  ranOutOfFee: { code: -1, results: [invocationResult(-5)] },
  refused: { code: -5 },
};
const HEADER = recordedHeader(430);
const NO_EXTENSION = { v: 0 };

export const MADE_PASSPHRASE = network.passphrase;

const NETWORK_ID = networkId(MADE_PASSPHRASE);

/** In order; sequences must have no gap where the ledgers are to follow each other. */
export function makeLedgers(ledgers: readonly MadeLedger[]): LedgerBytes[] {
  return ledgers.map((ledger) => ({
    sequence: ledger.sequence,
    ledgerCloseMeta: encode(xdr.LedgerCloseMeta, ledgerOf(ledger)),
  }));
}

function ledgerOf(ledger: MadeLedger) {
  const { sequence, transactions = [], upgrades = [], evicted = [], version = 2 } = ledger;
  const made = transactions.map((each, i) => transactionOf(each, sequence * 1000 + i, version));
  const fee = ledger.rentFeePer1KbStroops === undefined ? 1000n : ledger.rentFeePer1KbStroops;
  const writtenFee = { v: 1, v1: { ext: NO_EXTENSION, sorobanFeeWrite1Kb: fee } };
  const parts = {
    ext: fee === null ? NO_EXTENSION : writtenFee,
    ledgerHeader: headerOf(ledger, made),
    txSet: {
      v: 1,
      v1TxSet: { previousLedgerHash: hashOf(sequence - 1), phases: phasesOf(transactions, made) },
    },
    txProcessing: made.map(({ processing }) => processing),
    upgradesProcessing: upgrades.map(upgradeOf),
    scpInfo: [],
    totalByteSizeOfLiveSorobanState: ledger.averageStateSizeBytes ?? 1_000_000n,
    evictedKeys: evicted.map((key) => fromBase64(xdr.LedgerKey, key)),
  };
  return version === 1 ? { v: 1, v1: { ...parts, unused: [] } } : { v: 2, v2: parts };
}

function headerOf(
  { sequence, protocolVersion = 28, upgrades = [], follows }: MadeLedger,
  made: readonly Made[],
) {
  const { header } = HEADER;
  return {
    ...HEADER,
    hash: hashOf(sequence),
    header: {
      ...header,
      ledgerVersion: protocolVersion,
      ledgerSeq: sequence,
      txSetResultHash: resultSetHash(made),
      previousLedgerHash: hashOf(follows ?? sequence - 1),
      scpValue: {
        ...header.scpValue,
        upgrades: upgrades.map((each) => encode(xdr.LedgerUpgrade, upgradeOf(each).upgrade)),
      },
    },
  };
}

function resultSetHash(made: readonly Made[]): Uint8Array {
  const results = made.map(({ processing }) => (processing as { result: unknown }).result);
  return sha256(encode(xdr.TransactionResultSet, { results }));
}

function upgradeOf({ protocolVersion, changes }: MadeUpgrade) {
  const upgrade =
    protocolVersion === undefined
      ? { type: 2, newBaseFee: 100 }
      : { type: 1, newLedgerVersion: protocolVersion };
  return { upgrade, changes: changes.map(changeOf) };
}

interface Made {
  readonly envelope: unknown;
  readonly processing: unknown;
}

function transactionOf(made: MadeTransaction, number: number, version: 1 | 2): Made {
  const { operation = "invoke", result, readOnly = [], readWrite = [], archived = [] } = made;
  const template = templates[operation];
  const envelope = fromBase64(xdr.TransactionEnvelope, template.envelopeXdr);
  const { tx } = envelope.v1;
  tx.seqNum = BigInt(number);
  if (operation !== "classic") {
    const data = tx.ext.sorobanData;
    const keys = (list: readonly string[]) => list.map((key) => fromBase64(xdr.LedgerKey, key));
    data.resources.footprint = { readOnly: keys(readOnly), readWrite: keys(readWrite) };
    data.ext =
      archived.length === 0
        ? NO_EXTENSION
        : { v: 1, resourceExt: { archivedSorobanEntries: [...archived] } };
  }
  const bytes = encode(xdr.TransactionEnvelope, envelope);
  const hash = Buffer.from(hashOfEnvelope(bytes, NETWORK_ID), "hex");
  const changes = (list: readonly MadeChange[] = []) => list.map(changeOf);
  const meta = {
    ext: NO_EXTENSION,
    txChangesBefore: changes(made.before),
    operations: [{ ext: NO_EXTENSION, changes: changes(made.changes), events: [] }],
    txChangesAfter: changes(made.after),
    sorobanMeta: null,
    events: [],
    diagnosticEvents: [],
  };
  const outcome = result === undefined ? template.result.result : FAILURES[result];
  const processing = {
    result: {
      transactionHash: new Uint8Array(hash),
      result: { ...template.result, result: outcome },
    },
    feeProcessing: changes(made.fees),
    txApplyProcessing: { v: 4, v4: meta },
  };
  if (version === 1) return { envelope, processing };
  const refunds = changes(made.refunds);
  return {
    envelope,
    processing: { ...processing, ext: NO_EXTENSION, postTxApplyFeeProcessing: refunds },
  };
}

/** The set: its sequential phase, then one with a list of clusters for each stage. */
function phasesOf(transactions: readonly MadeTransaction[], made: readonly Made[]): unknown[] {
  const sequential: unknown[] = [];
  const stages: unknown[][][] = [];
  for (const [i, { place }] of transactions.entries()) {
    const envelope = made[i]?.envelope;
    if (place === undefined) {
      sequential.push(envelope);
      continue;
    }
    const [stage, cluster] = place;
    stages[stage] ??= [];
    const clusters = stages[stage];
    while (clusters.length <= cluster) clusters.push([]);
    clusters[cluster]?.push(envelope);
  }
  const component = { type: 0, txsMaybeDiscountedFee: { baseFee: 100n, txs: sequential } };
  const executionStages = Array.from(stages, (clusters = []) => clusters);
  // An empty phase bids nothing.
  const baseFee = executionStages.length === 0 ? null : 100n;
  return [
    { v: 0, v0Components: sequential.length === 0 ? [] : [component] },
    { v: 1, parallelTxsComponent: { baseFee, executionStages } },
  ];
}

function changeOf([kind, base64]: MadeChange) {
  const type = kind === "removed" ? xdr.LedgerKey : xdr.LedgerEntry;
  return { type: CHANGE_TYPES[kind], [kind]: fromBase64(type, base64) };
}

/** Any hash, as long as it is the ledger's own. */
function hashOf(sequence: number): Uint8Array {
  const hash = new Uint8Array(32);
  new DataView(hash.buffer).setUint32(28, sequence);
  return hash;
}

function invocationResult(code: number) {
  return { code: 0, tr: { type: 24, invokeHostFunctionResult: { code } } };
}

function readTemplate(name: string) {
  const { envelopeXdr, resultXdr } = network.file(network.named(name)).rpcGetTransaction.result;
  const result = fromBase64(xdr.TransactionResult, String(resultXdr));
  return { envelopeXdr: String(envelopeXdr), result };
}

function recordedHeader(sequence: number) {
  const headerXdr = network.ledger(sequence)?.rpc.result.ledgers[0]?.headerXdr;
  return fromBase64(xdr.LedgerHeaderHistoryEntry, String(headerXdr));
}

function fromBase64(type: { readonly schema: unknown }, base64: string) {
  return decode(type, Uint8Array.fromBase64(base64));
}

// biome-ignore lint/suspicious/noExplicitAny: XDR values, which the SDK checks when it encodes them.
function decode({ schema }: { readonly schema: unknown }, bytes: Uint8Array): any {
  return (schema as { decode(bytes: Uint8Array): unknown }).decode(bytes);
}

function encode({ schema }: { readonly schema: unknown }, value: unknown): Uint8Array {
  return (schema as { encode(value: unknown): Uint8Array }).encode(value);
}
