// The recorded network in tests/fixtures/network: the answers of Horizon, Stellar RPC and stellar-core
// of one real local network for its transactions and ledgers, and its ledger entries at any ledger,
// computed from both.

import { join } from "node:path";
import { readKeyedChanges } from "../../src/xdr/ledger/keyed-change.ts";
import {
  type LedgerCloseMetaView,
  readLedgerCloseMeta,
} from "../../src/xdr/ledger/ledger-close-meta.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import {
  ENTRY_TYPE,
  isSorobanKey,
  isTemporaryKey,
  lastModifiedOf,
  liveUntilOf,
  ttlKeyOf,
} from "../../src/xdr/reader/keys.ts";
import { corpusPath, readCorpusJson, readJson } from "./corpus.ts";

export interface RecordedTransaction {
  readonly n: number;
  readonly name: string;
  readonly hash: string;
  readonly innerHash?: string;
  readonly status: string;
  readonly ledger: number;
  readonly applicationOrder: number;
  readonly result: string;
  readonly soroban: boolean;
  readonly file: string;
}

interface EntriesAnswer {
  readonly keys: readonly string[];
  readonly result?: {
    readonly latestLedger: number;
    readonly entries: readonly RpcEntry[];
  };
}

export interface RpcEntry {
  readonly key: string;
  readonly xdr: string;
  readonly lastModifiedLedgerSeq: number;
  readonly liveUntilLedgerSeq?: number;
  readonly extXdr: string;
}

export interface TransactionFile {
  readonly rpcGetTransaction: { readonly result: Record<string, unknown> };
  readonly horizonTransaction: { readonly body: Record<string, unknown> };
  readonly preEntries?: EntriesAnswer;
  readonly postEntries?: EntriesAnswer;
  /** The answer of simulateTransaction before the transaction was signed and sent. */
  readonly simulation?: Readonly<Record<string, unknown>> & { readonly latestLedger: number };
  readonly sendTransaction?: {
    readonly latestLedger: number;
    readonly latestLedgerCloseTime: string;
  };
}

export interface LedgerFile {
  readonly sequence: number;
  readonly rpc: { readonly result: { readonly ledgers: readonly Record<string, unknown>[] } };
  readonly horizon: { readonly body: Record<string, unknown> };
}

/** Since a ledger: an entry without its TTL, or null; a live-until ledger, 0 when archived. */
interface Since<T> {
  readonly ledger: number;
  readonly value: T;
}

const ROOT = join(import.meta.dir, "../fixtures/network");

export class RecordedNetwork {
  readonly passphrase: string;
  readonly protocolVersion: number = 28;
  readonly transactions: readonly RecordedTransaction[];
  readonly sequences: readonly number[];
  private readonly files = new Map<string, TransactionFile>();
  private readonly ledgers = new Map<number, LedgerFile>();
  private readonly settings: readonly RpcEntry[];
  private timelines: Timelines | null = null;

  constructor() {
    const manifest = readJson(join(ROOT, "manifest.json")) as {
      passphrase: string;
      transactions: RecordedTransaction[];
    };
    this.passphrase = manifest.passphrase;
    this.transactions = manifest.transactions;
    this.sequences = [...new Bun.Glob("*.json.zst").scanSync(join(ROOT, "ledgers"))]
      .map((name) => Number.parseInt(name, 10))
      .sort((one, other) => one - other);
    this.settings = recordedSettings();
  }

  /** The network settings, as getLedgerEntries returns them. */
  get settingEntries(): readonly RpcEntry[] {
    return this.settings;
  }

  find(hash: string): RecordedTransaction | null {
    return (
      this.transactions.find((each) => each.hash === hash) ??
      this.transactions.find((each) => each.innerHash === hash) ??
      null
    );
  }

  /** By its name in the manifest; of several, the first. */
  named(name: string): RecordedTransaction {
    const found = this.transactions.find((each) => each.name === name);
    if (found === undefined) throw new Error(`no recorded transaction is called ${name}`);
    return found;
  }

  file(transaction: RecordedTransaction): TransactionFile {
    const known = this.files.get(transaction.hash);
    if (known !== undefined) return known;
    const file = readJson(join(ROOT, `${transaction.file}.zst`)) as TransactionFile;
    this.files.set(transaction.hash, file);
    return file;
  }

  ledger(sequence: number): LedgerFile | null {
    if (!this.sequences.includes(sequence)) return null;
    const known = this.ledgers.get(sequence);
    if (known !== undefined) return known;
    const file = readJson(join(ROOT, "ledgers", `${sequence}.json.zst`)) as LedgerFile;
    this.ledgers.set(sequence, file);
    return file;
  }

  /** LedgerCloseMeta; null when it was not recorded. */
  ledgerBytes(sequence: number): Buffer | null {
    const metadata = this.ledger(sequence)?.rpc.result.ledgers[0]?.metadataXdr;
    return typeof metadata === "string" ? Buffer.from(metadata, "base64") : null;
  }

  view(sequence: number): LedgerCloseMetaView | null {
    const bytes = this.ledgerBytes(sequence);
    return bytes === null ? null : readLedgerCloseMeta(bytes, this.passphrase);
  }

  /** Null when the close time of that ledger was not recorded. */
  closeTime(sequence: number): string | null {
    const ledger = this.ledger(sequence)?.rpc.result.ledgers[0];
    if (ledger !== undefined) return String(ledger.ledgerCloseTime);
    const sent = this.transactions.map((each) => this.file(each).sendTransaction);
    const there = sent.find((answer) => answer?.latestLedger === sequence);
    return there?.latestLedgerCloseTime ?? null;
  }

  get latestLedger(): number {
    return this.sequences.at(-1) ?? 0;
  }

  /** The answer of getLedgerEntries when that ledger was the latest. */
  entries(keys: readonly string[], ledger: number): RpcEntry[] {
    this.timelines ??= new Timelines(this);
    const found: RpcEntry[] = [];
    for (const key of keys) {
      const setting = this.settings.find((each) => each.key === key);
      const entry = setting ?? this.timelines.at(key, ledger);
      if (entry !== null) found.push(entry);
    }
    return found;
  }
}

/** The network settings as getLedgerEntries answered them, after the last change of any. */
export function recordedSettings(): RpcEntry[] {
  const answers = readJson(join(ROOT, "config-settings.json")) as {
    response: { result: { entries: RpcEntry[] | null } };
  }[];
  return answers.flatMap(({ response }) => response.result.entries ?? []);
}

class Timelines {
  private readonly entries = new Map<string, Since<string | null>[]>();
  private readonly liveUntil = new Map<string, Since<number>[]>();

  constructor(network: RecordedNetwork) {
    for (const transaction of network.transactions) {
      const { preEntries, postEntries } = network.file(transaction);
      for (const answer of [preEntries, postEntries]) if (answer) this.noteAnswer(answer);
    }
    for (const sequence of network.sequences) this.noteLedger(network.view(sequence), sequence);
    for (const list of [...this.entries.values(), ...this.liveUntil.values()]) {
      (list as Since<unknown>[]).sort((one, other) => one.ledger - other.ledger);
    }
  }

  at(key: string, ledger: number): RpcEntry | null {
    const entry = latest(this.entries.get(key), ledger);
    if (!entry) return null;
    const bytes = Buffer.from(entry, "base64");
    const rpcEntry = {
      key,
      xdr: bytes.subarray(4, -4).toString("base64"),
      lastModifiedLedgerSeq: lastModifiedOf(entry),
      extXdr: bytes.subarray(-4).toString("base64"),
    };
    if (!isSorobanKey(key)) return rpcEntry;
    const live = latest(this.liveUntil.get(ttlKeyOf(key)), ledger) ?? 0;
    if (live >= ledger) return { ...rpcEntry, liveUntilLedgerSeq: live };
    return isTemporaryKey(key) ? null : { ...rpcEntry, liveUntilLedgerSeq: 0 };
  }

  private noteAnswer({ keys, result }: EntriesAnswer): void {
    if (result === undefined) return;
    const ledger = result.latestLedger;
    for (const key of keys) {
      const found = result.entries.find((each) => each.key === key);
      if (found === undefined) {
        note(this.entries, key, ledger, null);
        continue;
      }
      const lastModified = Buffer.alloc(4);
      lastModified.writeUInt32BE(found.lastModifiedLedgerSeq);
      const parts = [Buffer.from(found.xdr, "base64"), Buffer.from(found.extXdr, "base64")];
      note(this.entries, key, ledger, Buffer.concat([lastModified, ...parts]).toString("base64"));
      if (found.liveUntilLedgerSeq) {
        note(this.liveUntil, ttlKeyOf(key), ledger, found.liveUntilLedgerSeq);
      }
    }
  }

  private noteLedger(view: LedgerCloseMetaView | null, ledger: number): void {
    if (view === null) return;
    const changes = view.transactions.flatMap(({ feeChanges }) => readKeyedChanges(feeChanges));
    for (const { metaXdr } of view.transactions) {
      const meta = readTransactionMeta(metaXdr);
      for (const change of [...meta.changesBefore, ...meta.operationChanges.flat()]) {
        const isTtl = Buffer.from(change.keyXdr, "base64").readInt32BE(0) === ENTRY_TYPE.ttl;
        if (change.kind === "state") continue;
        if (isTtl) {
          const live = change.entryXdr === null ? 0 : liveUntilOf(change.entryXdr);
          const known = this.liveUntil
            .get(change.keyXdr)
            ?.findLast((each) => each.ledger === ledger);
          note(this.liveUntil, change.keyXdr, ledger, Math.max(live, live && (known?.value ?? 0)));
        } else note(this.entries, change.keyXdr, ledger, change.entryXdr);
      }
    }
    for (const { refundChanges } of view.transactions) {
      if (refundChanges !== null) changes.push(...readKeyedChanges(refundChanges));
    }
    for (const change of changes) {
      if (change.kind !== "state") note(this.entries, change.keyXdr, ledger, change.entryXdr);
    }
  }
}

function note<T>(lines: Map<string, Since<T>[]>, key: string, ledger: number, value: T): void {
  const list = lines.get(key) ?? [];
  lines.set(key, list);
  list.push({ ledger, value });
}

/** The last one that is not later than the ledger. */
function latest<T>(list: readonly Since<T>[] | undefined, ledger: number): T | null {
  return list?.findLast((each) => each.ledger <= ledger)?.value ?? null;
}

/** One recorded RPC session: the answer of each method. */
export interface RpcSession {
  readonly name: string;
  readonly input: { readonly hash: string };
  readonly expected: Readonly<Record<string, unknown>> | null;
  readonly recorded: readonly {
    readonly method: string;
    readonly params?: unknown;
    readonly result: unknown;
  }[];
}

let sessions: RpcSession[] | null = null;

export function recordedSessions(): readonly RpcSession[] {
  sessions ??= [...new Bun.Glob("*.json.zst").scanSync(corpusPath("rpc-recordings"))]
    .sort()
    .map((name) => readCorpusJson("rpc-recordings", name) as RpcSession);
  return sessions;
}
