// A history archive that a test makes: checkpoints every 8 ledgers, each state one live and one hot
// bucket, headers and signatures of a validator that the test has the key of.

import { generateKeyPairSync, sign } from "node:crypto";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import type { ArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { compareKeys } from "../../src/history-archive/key-order.ts";
import { hashOfEnvelope } from "../../src/xdr/envelope/envelope-facts.ts";
import { networkId, sha256 } from "../../src/xdr/reader/hash.ts";
import { keyBytesOfEntry } from "../../src/xdr/reader/keys.ts";
import { encodeBytes, type Value } from "../../src/xdr/reader/value.ts";

export const PASSPHRASE = "a network of a test";
const ZERO = new Uint8Array(32);
const EMPTY = new Uint8Array();

/** Buckets as an archive has them, unpacked; an empty one is no bucket. */
export interface MadeLevel {
  readonly curr: Uint8Array;
  readonly snap: Uint8Array;
}

export interface MadeState {
  /** LedgerEntries. */
  readonly live: readonly Uint8Array[];
  /** Null before protocol 23, where there is no such list. */
  readonly hot?: readonly Uint8Array[] | null;
  /** The complete lists, in the place of `live` and `hot`. */
  readonly levels?: Readonly<Record<"live" | "hot", readonly MadeLevel[]>>;
}

/** A transaction that restores entries. */
export interface MadeTransaction {
  readonly readOnly?: readonly Value<"LedgerKey">[];
  readonly readWrite: readonly Value<"LedgerKey">[];
  readonly succeeded: boolean;
  /** True for a transaction without a footprint. */
  readonly classic?: boolean;
  /** The results of the ledger lack this one, or have it under the hash of another transaction. */
  readonly result?: "missing" | "of another";
}

export interface MadeChain {
  /** By checkpoint: 7, 15 and so on. */
  readonly states: Readonly<Record<number, MadeState>>;
  readonly transactions?: Readonly<Record<number, readonly MadeTransaction[]>>;
  readonly protocolVersion?: (ledger: number) => number;
  /** The validator signs what has this ledger's set, and none after. */
  readonly signedTo?: number;
  /** Sets as protocol 23 has them: a phase for contracts, in stages. */
  readonly parallel?: boolean;
  /** Ledgers whose sets the validators dropped (CAP-83), and the ledger that these name. */
  readonly dropped?: Readonly<Record<number, "previous" | "another">>;
  /** LedgerUpgrades by ledger. */
  readonly upgrades?: Readonly<Record<number, readonly Value<"LedgerUpgrade">[]>>;
  /** Default: all in the first second, from protocol 30 on with its milliseconds (CAP-88). */
  readonly closeTime?: (ledger: number) => MadeCloseTime;
}

export interface MadeCloseTime {
  readonly seconds: bigint;
  readonly milliseconds: bigint | null;
}

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const node = new Uint8Array(publicKey.export({ format: "der", type: "spki" }).subarray(-32));
export const VALIDATOR = encodeStrkey("account", node);

/** One ledger as an archive has it. */
export interface ArchivedLedger {
  readonly header: Value<"LedgerHeader">;
  /** Null if the ledger has no transactions. */
  readonly transactions: Omit<Value<"TransactionHistoryEntry">, "ledgerSeq"> | null;
  readonly results: Value<"TransactionResultSet">;
  /** True if the validator signs the ledger's value. */
  readonly isSigned: boolean;
}

/** Collects the files of a history archive, ledger after ledger. */
export class ArchiveWriter {
  private readonly files = new Map<string, Uint8Array>();
  private readonly records = new Map<string, Uint8Array[]>();

  constructor(private readonly passphrase: string) {}

  /** Adds the state of a checkpoint, and returns the hash that its ledger's header has to name. */
  addState(checkpoint: number, state: MadeState): Uint8Array {
    return addState(this.files, checkpoint, state);
  }

  /** Adds a ledger, and returns the hash of its header. */
  addLedger({ header, transactions, results, isSigned }: ArchivedLedger): Uint8Array {
    const ledger = header.ledgerSeq;
    const hash = sha256(encodeBytes("LedgerHeader", header));
    const entry = encodeBytes("LedgerHeaderHistoryEntry", { hash, header, ext: { v: 0 } });
    this.add("ledger", ledger, entry);
    if (transactions !== null) {
      const set = { ledgerSeq: ledger, ...transactions };
      this.add("transactions", ledger, encodeBytes("TransactionHistoryEntry", set));
    }
    const set = { ledgerSeq: ledger, txResultSet: results, ext: { v: 0 } } as const;
    this.add("results", ledger, encodeBytes("TransactionHistoryResultEntry", set));
    if (isSigned) {
      const value = encodeBytes("StellarValue", header.scpValue);
      this.add("scp", ledger, messageOf(ledger, value, this.passphrase));
    }
    return hash;
  }

  /** The files, under the names that an archive gives them, when `last` is its newest checkpoint. */
  finish(last: number) {
    for (const [name, all] of this.records) {
      const [category = "", number = ""] = name.split("-");
      this.files.set(`${category}/${folders(number)}/${name}.xdr.gz`, packed(all));
    }
    const newest = this.files.get(`history/${folders(hex(last))}/history-${hex(last)}.json`);
    this.files.set(".well-known/stellar-history.json", newest ?? ZERO);
    const { files } = this;
    const read = (name: string) => files.get(name) ?? EMPTY;
    return { files: servedFiles(files), names: [...files.keys()], read };
  }

  private add(category: string, ledger: number, record: Uint8Array): void {
    const name = `${category}-${hex((ledger | 7) >>> 0)}`;
    this.records.set(name, [...(this.records.get(name) ?? []), record]);
  }
}

/** The files, and the transactions' hashes by ledger. */
export function madeArchive(chain: MadeChain) {
  const archive = new ArchiveWriter(PASSPHRASE);
  const hashes: Record<number, string[]> = {};
  const last = Math.max(...Object.keys(chain.states).map(Number));
  let previous: Uint8Array = ZERO;
  for (let ledger = 1; ledger <= last; ledger += 1) {
    const of = (chain.transactions?.[ledger] ?? []).map((each, index) => envelopeOf(each, index));
    hashes[ledger] = of.map((each) =>
      hashOfEnvelope(encodeBytes("TransactionEnvelope", each), networkId(PASSPHRASE)),
    );
    const envelopes = of.map((each) => encodeBytes("TransactionEnvelope", each));
    const generalized = encodeBytes("GeneralizedTransactionSet", parallelSet(previous, of));
    const ofSet = chain.parallel ? sha256(generalized) : sha256(previous, ...envelopes);
    const dropped = chain.dropped?.[ledger];
    const txSetHash = dropped === undefined ? ofSet : ZERO;
    const results: Value<"TransactionResultSet"> = {
      results: (hashes[ledger] ?? []).flatMap((hash, index) => {
        const { succeeded = false, result = null } = chain.transactions?.[ledger]?.[index] ?? {};
        if (result === "missing") return [];
        const own = Uint8Array.fromHex(hash);
        const pair: Value<"TransactionResultPair"> = {
          transactionHash: result === "of another" ? sha256(own) : own,
          result: {
            feeCharged: 100n,
            result: { code: succeeded ? 0 : -1, results: [] },
            ext: { v: 0 },
          },
        };
        return [pair];
      }),
    };
    const versionOf = (of: number) => chain.protocolVersion?.(of) ?? 23;
    const milliseconds = versionOf(ledger - 1) >= 30 ? BigInt(ledger) : null;
    const closes = chain.closeTime?.(ledger) ?? { seconds: 0n, milliseconds };
    const ext = signedExtension(
      closes.milliseconds,
      dropped && { previousLedgerHash: dropped === "previous" ? previous : ofSet },
    );
    const upgrades = (chain.upgrades?.[ledger] ?? []).map((each) =>
      encodeBytes("LedgerUpgrade", each),
    );
    const scpValue = { txSetHash, closeTime: closes.seconds, upgrades, ext };
    const state = chain.states[ledger];
    const header: Value<"LedgerHeader"> = {
      ledgerVersion: versionOf(ledger),
      previousLedgerHash: previous,
      scpValue,
      // The first ledger is made, not closed, and names no results.
      txSetResultHash: ledger === 1 ? ZERO : sha256(encodeBytes("TransactionResultSet", results)),
      bucketListHash: state === undefined ? ZERO : archive.addState(ledger, state),
      ledgerSeq: ledger,
      ...{ totalCoins: 0n, feePool: 0n, inflationSeq: 0, idPool: 0n },
      ...{ baseFee: 100, baseReserve: 1, maxTxSetSize: 1 },
      skipList: [ZERO, ZERO, ZERO, ZERO],
      ext: { v: 0 },
    };
    const set = { previousLedgerHash: previous, txs: chain.parallel ? [] : of };
    const generalizedTxSet = parallelSet(previous, of);
    const transactions: ArchivedLedger["transactions"] = {
      txSet: set,
      ext: chain.parallel ? { v: 1, generalizedTxSet } : { v: 0 },
    };
    previous = archive.addLedger({
      header,
      transactions: of.length === 0 ? null : transactions,
      results,
      isSigned: ledger <= (chain.signedTo ?? last),
    });
  }
  return { hashes, ...archive.finish(last) };
}

/** The files, with each record of one of them changed. */
export function withRecord(
  archive: Pick<ReturnType<typeof madeArchive>, "read" | "files">,
  category: string,
  checkpoint: number,
  change: (record: Uint8Array, index: number) => Uint8Array,
): ArchiveFiles {
  return withRecords(archive, category, checkpoint, (records) => records.map(change));
}

/** The files, of which one has other records. */
export function withRecords(
  { read, files }: Pick<ReturnType<typeof madeArchive>, "read" | "files">,
  category: string,
  checkpoint: number,
  change: (records: readonly Uint8Array[]) => readonly Uint8Array[],
): ArchiveFiles {
  const number = hex(checkpoint);
  const changed = `${category}/${folders(number)}/${category}-${number}.xdr.gz`;
  return withFile(
    files,
    changed,
    packed(change(recordsOf(Bun.gunzipSync(Buffer.from(read(changed)))))),
  );
}

/** The files, with another one under the name; without it if `bytes` is null. */
export function withFile(
  files: ArchiveFiles,
  changed: string,
  bytes: Uint8Array | null,
): ArchiveFiles {
  return {
    ...files,
    read: async (name) => (name === changed ? bytes : files.read(name)),
    size: async (name) => (name === changed ? (bytes?.length ?? null) : files.size(name)),
    async *pieces(name) {
      if (name !== changed) yield* files.pieces(name);
      else if (bytes !== null) yield bytes;
    },
  };
}

/** What `framed` made. */
export function recordsOf(bytes: Uint8Array): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const records: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + (view.getUint32(at) & 0x7fffffff);
    records.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return records;
}

export function servedFiles(files: ReadonlyMap<string, Uint8Array>): ArchiveFiles {
  return {
    name: "made",
    local: true,
    read: async (name) => files.get(name) ?? null,
    size: async (name) => files.get(name)?.length ?? null,
    async *pieces(name) {
      const bytes = files.get(name);
      if (bytes !== undefined) yield bytes;
    },
  };
}

/** The bytes that a request asks for, of a file of which the server says that it has `total`. */
export function partOf(
  file: Uint8Array,
  request: Request,
  { total = file.length, etag }: { readonly total?: number; readonly etag?: string } = {},
): Response {
  const { from, to } = rangeOf(request);
  const part = Buffer.from(file.subarray(from, to + 1));
  const range = `bytes ${from}-${from + part.length - 1}/${total}`;
  const headers = { "content-range": range, ...(etag !== undefined && { etag }) };
  return new Response(part, { status: 206, headers });
}

/** The first and the last byte that a request asks for; 0 and 0 where it asks for the length. */
export function rangeOf(request: Request): { readonly from: number; readonly to: number } {
  const range = /(\d+)-(\d+)/.exec(request.headers.get("range") ?? "") ?? [];
  const [from = 0, to = 0] = range.slice(1).map(Number);
  return { from, to };
}

function addState(files: Map<string, Uint8Array>, ledger: number, state: MadeState): Uint8Array {
  const of = (entries: readonly Uint8Array[]) => [{ curr: bucketOf(entries), snap: EMPTY }];
  const { live, hot } = state.levels ?? {
    live: of(state.live),
    hot: state.hot === null ? null : of(state.hot ?? []),
  };
  const lists = hot === null ? [live] : [live, hot];
  const hashed = lists.map((list) =>
    Array.from({ length: 11 }, (_, level) => ({
      curr: addBucket(files, list[level]?.curr ?? EMPTY),
      snap: addBucket(files, list[level]?.snap ?? EMPTY),
    })),
  );
  const [currentBuckets, hotArchiveBuckets] = hashed.map((list) =>
    list.map(({ curr, snap }) => ({ curr: curr.toHex(), snap: snap.toHex() })),
  );
  files.set(
    `history/${folders(hex(ledger))}/history-${hex(ledger)}.json`,
    Buffer.from(
      JSON.stringify({
        version: lists.length,
        currentLedger: ledger,
        currentBuckets,
        hotArchiveBuckets,
      }),
    ),
  );
  const hashes = hashed.map((list) => sha256(...list.map(({ curr, snap }) => sha256(curr, snap))));
  return hashes.length === 1 ? (hashes[0] ?? ZERO) : sha256(...hashes);
}

function bucketOf(entries: readonly Uint8Array[]): Uint8Array {
  const sorted = entries.toSorted((one, other) =>
    compareKeys(keyBytesOfEntry(one), keyBytesOfEntry(other)),
  );
  return framed(sorted.map((each) => Buffer.concat([Buffer.alloc(4), each])));
}

function addBucket(files: Map<string, Uint8Array>, bytes: Uint8Array): Uint8Array {
  if (bytes.length === 0) return ZERO;
  const hash = sha256(bytes);
  const name = hash.toHex();
  files.set(`bucket/${folders(name)}/bucket-${name}.xdr.gz`, Bun.gzipSync(Buffer.from(bytes)));
  return hash;
}

function parallelSet(
  previousLedgerHash: Uint8Array,
  all: readonly Value<"TransactionEnvelope">[],
): Value<"GeneralizedTransactionSet"> {
  const executionStages = all.length === 0 ? [] : [[all]];
  const phases = [
    { v: 0, v0Components: [] },
    { v: 1, parallelTxsComponent: { baseFee: null, executionStages } },
  ] as const;
  return { v: 1, v1TxSet: { previousLedgerHash, phases } };
}

/** `dropped`: the set that was proposed is not the ledger's. */
function signedExtension(
  closeTimeMs: bigint | null,
  dropped: { readonly previousLedgerHash: Uint8Array } | undefined,
): Value<"StellarValue">["ext"] {
  const nodeId = { type: 0, ed25519: node } as const;
  const lcValueSignature = { nodeId, signature: new Uint8Array(64) };
  const proposed = { txSetHash: ZERO, previousLedgerVersion: 28, lcValueSignature } as const;
  if (closeTimeMs === null) {
    if (dropped === undefined) return { v: 1, lcValueSignature };
    return { v: 2, proposedValue: { ...proposed, ...dropped } };
  }
  if (dropped === undefined) return { v: 3, signedMsValue: { closeTimeMs, lcValueSignature } };
  return { v: 4, proposedMsValue: { closeTimeMs, ...proposed, ...dropped } };
}

function messageOf(ledger: number, value: Uint8Array, passphrase: string): Uint8Array {
  const statement: Value<"ScpStatement"> = {
    nodeId: { type: 0, ed25519: node },
    slotIndex: BigInt(ledger),
    pledges: {
      type: 2,
      externalize: { commit: { counter: 1, value }, nH: 1, commitQuorumSetHash: ZERO },
    },
  };
  const head = Buffer.concat([networkId(passphrase), Buffer.from([0, 0, 0, 1])]);
  const message = Buffer.concat([head, encodeBytes("ScpStatement", statement)]);
  const signature = new Uint8Array(sign(null, message, privateKey));
  return encodeBytes("ScpHistoryEntry", {
    v: 0,
    v0: {
      quorumSets: [],
      ledgerMessages: { ledgerSeq: ledger, messages: [{ statement, signature }] },
    },
  });
}

const INFLATION = { type: 9 } as const;
const RESTORATION = { type: 26, restoreFootprintOp: { ext: { v: 0 } } } as const;

function envelopeOf(
  { readOnly = [], readWrite, classic = false }: MadeTransaction,
  index: number,
): Value<"TransactionEnvelope"> {
  const resources = {
    footprint: { readOnly, readWrite },
    ...{ instructions: 0, diskReadBytes: 0, writeBytes: 0 },
  };
  const sorobanData = { ext: { v: 0 }, resources, resourceFee: 0n } as const;
  return {
    type: 2,
    v1: {
      tx: {
        sourceAccount: { type: 0, ed25519: new Uint8Array(32).fill(index + 1) },
        ...{ fee: 100, seqNum: 1n, cond: { type: 0 }, memo: { type: 0 } },
        operations: [{ sourceAccount: null, body: classic ? INFLATION : RESTORATION }],
        ext: classic ? { v: 0 } : { v: 1, sorobanData },
      },
      signatures: [],
    },
  };
}

/** With record marks, as stellar-core writes its streams (RFC 5531, section 11). */
export function framed(records: readonly Uint8Array[]): Buffer<ArrayBuffer> {
  const head = (length: number) => {
    const mark = Buffer.alloc(4);
    mark.writeUInt32BE((0x80000000 | length) >>> 0);
    return mark;
  };
  return Buffer.concat(records.flatMap((record) => [head(record.length), record]));
}

function packed(records: readonly Uint8Array[]): Uint8Array {
  return Bun.gzipSync(framed(records));
}

function hex(ledger: number): string {
  return ledger.toString(16).padStart(8, "0");
}

function folders(name: string): string {
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name.slice(4, 6)}`;
}
