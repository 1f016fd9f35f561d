// A chain from genesis, for property tests: ledgers of random transactions, and beside them the
// state that each operation ran against. It is kept by rules of this file alone (CAP-46, CAP-62,
// CAP-63, CAP-66), which know nothing of svc's fold.

import type { LedgerBytes } from "../../src/sources/files/ledger-stream.ts";
import { ENTRY_TYPE, isTemporaryKey, ttlKeyOf, typeOfKey } from "../../src/xdr/reader/keys.ts";
import { accountOf, codeOf, dataKeyOf, dataOf, settingOf, ttlOf } from "./ledger-entries.ts";
import {
  type MadeChange,
  type MadeLedger,
  type MadeTransaction,
  makeLedgers,
} from "./made-ledgers.ts";

/** An entry just before a transaction's operation, or after a ledger. */
export interface TrueState {
  /** LedgerEntry; null: it does not exist, or only the hot archive has it. */
  readonly entryXdr: string | null;
  readonly liveUntilLedger: number | null;
  /** The ledger that wrote the TTL last. */
  readonly ttlLedger: number | null;
  /** What the hot archive has. */
  readonly archivedXdr: string | null;
}

export interface TrueTransaction {
  readonly ledger: number;
  /** Place in the ledger's apply order, from 1. */
  readonly order: number;
  /** By LedgerKey, in footprint order. */
  readonly footprint: ReadonlyMap<string, TrueState>;
  /** Contract code in the module cache: live when the ledger before closed, and not gone since. */
  readonly cachedCode: ReadonlySet<string>;
  /** The network setting that the chain upgrades now and then. */
  readonly settingXdr: string;
  readonly rentFeePer1KbStroops: string;
}

export interface ModelChain {
  readonly ledgers: readonly LedgerBytes[];
  /** Soroban transactions that ran. */
  readonly transactions: readonly TrueTransaction[];
  /** After that ledger, of every key. */
  readonly after: ReadonlyMap<number, ReadonlyMap<string, TrueState>>;
}

export interface ChainOptions {
  readonly ledgers: number;
  /** 22: one transaction after the other; 28: stages and clusters. */
  readonly protocol: 22 | 28;
  /** Each decision of the chain is made by the next of these numbers; by 0 after the last. */
  readonly decisions: readonly number[] | Uint8Array;
}

const FIRST = 2;
const PERSISTENT = ["p0", "p1", "p2", "p3"].map((name) => dataKeyOf(name));
const TEMPORARY = ["t0", "t1"].map((name) => dataKeyOf(name, "temporary"));
const CODE = codeOf("code").key;
const PAYER = accountOf(1).key;
const OTHER = accountOf(2).key;
const KEYS = [...PERSISTENT, ...TEMPORARY, CODE, OTHER, PAYER];
/** CONFIG_SETTING_CONTRACT_EVENTS. */
const SETTING_ID = 4;

export function makeChain(options: ChainOptions): ModelChain {
  return new Chain(options).make();
}

interface Draft {
  readonly operation: "invoke" | "restore" | "classic";
  /** Null: of the sequential phase. */
  readonly stage: number | null;
  readonly cluster: number;
  readonly footprint: Map<string, "read" | "write">;
  readonly made: { -readonly [Name in keyof MadeTransaction]: MadeTransaction[Name] };
}

const ABSENT: TrueState = {
  entryXdr: null,
  liveUntilLedger: null,
  ttlLedger: null,
  archivedXdr: null,
};

class Chain {
  private readonly options: ChainOptions;
  private readonly parallel: boolean;
  private readonly state = new Map<string, TrueState>();
  /** Cluster → key → extension that no other transaction sees before the stage ends. */
  private readonly hidden = new Map<number, Map<string, number>>();
  private readonly ledgers: MadeLedger[] = [];
  private readonly transactions: TrueTransaction[] = [];
  private readonly after = new Map<number, ReadonlyMap<string, TrueState>>();
  private decision = 0;
  private value = 0;
  private ledger = FIRST;
  private setting: string;
  private rentFee = 1000;
  private codeWasLive = false;

  constructor(options: ChainOptions) {
    this.options = options;
    this.parallel = options.protocol >= 23;
    this.setting = settingOf(SETTING_ID, 1, options.protocol);
  }

  make(): ModelChain {
    const accounts = [PAYER, OTHER].map((key) => ["created", this.write(key)] as const);
    this.close({ upgrades: [{ changes: accounts }] });
    while (this.ledgers.length < this.options.ledgers) this.makeLedger();
    const { transactions, after } = this;
    return { ledgers: makeLedgers(this.ledgers), transactions, after };
  }

  private makeLedger(): void {
    this.codeWasLive = this.stateOf(CODE).entryXdr !== null;
    const drafts = this.draft();
    const settingXdr = this.setting;
    const fee = this.rentFee;
    for (const { made } of drafts) made.fees = this.rewrite(PAYER);
    const run = (draft: Draft) => {
      const footprint = this.run(draft);
      if (draft.operation === "classic") return;
      const code = footprint.get(CODE)?.entryXdr;
      this.transactions.push({
        ledger: this.ledger,
        order: drafts.indexOf(draft) + 1,
        footprint,
        cachedCode: new Set(code && this.codeWasLive ? [CODE] : []),
        settingXdr,
        rentFeePer1KbStroops: String(fee),
      });
    };
    const sequential = drafts.filter(({ stage }) => stage === null);
    for (const draft of sequential) {
      draft.made.before = this.rewrite(PAYER);
      run(draft);
      if (!this.parallel) draft.made.after = this.rewrite(PAYER);
    }
    const parallel = drafts.filter(({ stage }) => stage !== null);
    for (const { made } of parallel) made.before = this.rewrite(PAYER);
    for (const stage of [0, 1]) {
      for (const draft of parallel.filter((each) => each.stage === stage)) run(draft);
      this.endStage();
    }
    for (const { made } of drafts) if (this.parallel) made.refunds = this.rewrite(PAYER);
    const upgrades = this.choose(5) === 1 ? [{ changes: this.upgradeSetting() }] : [];
    const transactions = drafts.map(({ made, footprint }) => ({ ...made, ...keysOf(footprint) }));
    this.close({ transactions, upgrades, evicted: this.evict() });
  }

  /** The transactions of a ledger in apply order. No two clusters of a stage conflict. */
  private draft(): Draft[] {
    const places = Array.from({ length: this.choose(5) }, () => {
      const operation = (["invoke", "invoke", "invoke", "restore", "classic"] as const)[
        this.choose(5)
      ];
      const stage = operation === "classic" || !this.parallel ? null : this.choose(2);
      return { operation: operation ?? "invoke", stage, cluster: this.choose(2) };
    });
    const rank = ({ stage, cluster }: (typeof places)[number]) =>
      stage === null ? -1 : stage * 2 + cluster;
    const drafts: Draft[] = [];
    for (const place of places.sort((one, other) => rank(one) - rank(other))) {
      const { operation, stage, cluster } = place;
      const footprint = new Map<string, "read" | "write">();
      if (operation !== "classic") {
        const others = drafts.filter((each) => each.stage === stage && each.cluster !== cluster);
        const rivals = stage === null ? [] : others;
        for (const key of KEYS) {
          const mode = this.chooseMode(operation, key);
          const modes = rivals.flatMap((each) => each.footprint.get(key) ?? []);
          const conflict = modes.includes("write") || (mode === "write" && modes.length > 0);
          if (mode !== null && !conflict) footprint.set(key, mode);
        }
      }
      const made = { operation, ...(stage === null ? {} : { place: [stage, cluster] as const }) };
      drafts.push({ operation, stage, cluster, footprint, made });
    }
    return drafts;
  }

  private chooseMode(operation: "invoke" | "restore", key: string): "read" | "write" | null {
    const mode = ([null, "read", "write", "write"] as const)[this.choose(4)] ?? null;
    if (operation === "restore")
      return [...PERSISTENT, CODE].includes(key) && mode ? "write" : null;
    // A transaction that revives an expired temporary entry makes a new one; none does so here.
    if (mode === "write" && isTemporaryKey(key) && this.isDead(key)) return "read";
    return key === PAYER && mode !== null ? "read" : mode;
  }

  /** Fills in the transaction's operation; returns what it ran against. */
  private run({ operation, stage, cluster, footprint, made }: Draft): Map<string, TrueState> {
    const seen = new Map<string, TrueState>();
    if (operation === "classic") {
      if (this.choose(2) === 1) made.changes = this.rewrite(OTHER);
      return seen;
    }
    const hidden = this.hidden.get(cluster) ?? new Map<string, number>();
    if (stage !== null) this.hidden.set(cluster, hidden);
    const { readOnly, readWrite } = keysOf(footprint);
    for (const key of readWrite) {
      const ledger = hidden.get(key);
      if (ledger !== undefined) this.extend(key, ledger);
      hidden.delete(key);
    }
    for (const key of [...readOnly, ...readWrite]) seen.set(key, this.stateOf(key));
    const isArchived = (key: string) => !isTemporaryKey(key) && this.isDead(key);
    if (operation === "invoke") {
      const archived = readWrite.flatMap((key, i) => (isArchived(key) ? [i] : []));
      const unmarked = readOnly.some(isArchived) || (!this.parallel && archived.length > 0);
      if (this.parallel && archived.length > 0) made.archived = archived;
      if (unmarked) made.result = "entryArchived";
      else if (this.choose(4) === 3) made.result = "trapped";
      if (made.result !== undefined) return seen;
    }
    made.changes = [
      ...readOnly.flatMap((key) => this.read(key, stage === null ? null : hidden)),
      ...readWrite.flatMap((key) => (operation === "restore" ? this.restore(key) : this.use(key))),
    ];
    return seen;
  }

  /** At most an extension, which waits in `hidden` in the parallel phase. */
  private read(key: string, hidden: Map<string, number> | null): MadeChange[] {
    const { entryXdr, liveUntilLedger } = this.stateOf(key);
    if (entryXdr === null || liveUntilLedger === null || this.isDead(key)) return [];
    if (this.choose(3) < 2) return [];
    const to = liveUntilLedger + 1 + this.choose(20);
    if (hidden === null) this.extend(key, to);
    else hidden.set(key, Math.max(to, hidden.get(key) ?? 0));
    return this.ttlChanges(key, liveUntilLedger, to);
  }

  /** What an invocation that succeeds does with a read-write key. */
  private use(key: string): MadeChange[] {
    if (key === OTHER) return this.rewrite(key);
    const { entryXdr, liveUntilLedger, archivedXdr } = this.stateOf(key);
    if (this.isDead(key)) return this.reuse(key);
    if (entryXdr === null && archivedXdr === null) {
      if (this.choose(2) === 0) return [];
      const until = this.ledger + 2 + this.choose(6);
      this.set(key, { liveUntilLedger: until });
      return [
        ["created", this.write(key)],
        ["created", ttlOf(key, until, this.ledger)],
      ];
    }
    const live = liveUntilLedger ?? 0;
    if (key !== CODE && this.choose(5) === 4) {
      this.state.set(key, ABSENT);
      return [
        ["state", entryXdr ?? ""],
        ["removed", key],
        ["state", ttlOf(key, live)],
        ["removed", ttlKeyOf(key)],
      ];
    }
    const rewritten = this.rewrite(key);
    if (this.choose(3) < 2) return rewritten;
    const to = live + 1 + this.choose(20);
    this.extend(key, to);
    return [...rewritten, ...this.ttlChanges(key, live, to)];
  }

  /** Revives an entry that an invocation writes, and may delete or extend further. */
  private reuse(key: string): MadeChange[] {
    const { liveUntilLedger: before } = this.stateOf(key);
    const [restored, restoredTtl] = this.revive(key) as [MadeChange, MadeChange];
    const further = this.choose(4);
    if (further < 2) return [restored, ["updated", this.write(key)], restoredTtl];
    // What did not leave the ledger is shown with the TTL that it had, what comes from the archive
    // with the one that it got.
    const { liveUntilLedger } = this.stateOf(key);
    const shown: MadeChange = ["restored", ttlOf(key, before ?? liveUntilLedger ?? 0, this.ledger)];
    if (further === 2 && key !== CODE) {
      this.state.set(key, ABSENT);
      return [restored, ["removed", key], shown, ["removed", ttlKeyOf(key)]];
    }
    const to = (liveUntilLedger ?? 0) + 1 + this.choose(20);
    this.extend(key, to);
    const updated: MadeChange = ["updated", ttlOf(key, to, this.ledger)];
    return [restored, ["updated", this.write(key)], shown, updated];
  }

  private restore(key: string): MadeChange[] {
    if (!this.isDead(key)) return [];
    if (this.parallel) return this.revive(key, this.stateOf(key).entryXdr ?? undefined);
    const until = this.stateOf(key).liveUntilLedger ?? 0;
    this.set(key, { liveUntilLedger: this.ledger + RESTORED_FOR });
    return this.ttlChanges(key, until, this.ledger + RESTORED_FOR);
  }

  /** `shown`: the entry as the meta shows it; default: as if this ledger had written it. */
  private revive(key: string, shown?: string): MadeChange[] {
    const { entryXdr, archivedXdr } = this.stateOf(key);
    const back = shown ?? modifiedIn(archivedXdr ?? entryXdr ?? "", this.ledger);
    const liveUntilLedger = this.ledger + RESTORED_FOR;
    this.set(key, { entryXdr: back, archivedXdr: null, liveUntilLedger });
    return [
      ["restored", back],
      ["restored", ttlOf(key, liveUntilLedger, this.ledger)],
    ];
  }

  private endStage(): void {
    for (const extensions of this.hidden.values())
      for (const [key, ledger] of extensions) this.extend(key, ledger);
    this.hidden.clear();
  }

  private upgradeSetting(): MadeChange[] {
    const before = this.setting;
    this.setting = modifiedIn(before, this.ledger);
    this.rentFee += 1;
    return [
      ["state", before],
      ["updated", this.setting],
    ];
  }

  /** Some of what has expired; a temporary entry's TTL goes as a key of its own. */
  private evict(): string[] {
    if (!this.parallel) return [];
    return KEYS.flatMap((key) => {
      const { entryXdr } = this.stateOf(key);
      if (entryXdr === null || !this.isDead(key) || this.choose(2) === 0) return [];
      const temporary = isTemporaryKey(key);
      this.state.set(key, { ...ABSENT, archivedXdr: temporary ? null : entryXdr });
      return temporary ? [key, ttlKeyOf(key)] : [key];
    });
  }

  private close(ledger: Omit<MadeLedger, "sequence">): void {
    this.ledgers.push({
      sequence: this.ledger,
      protocolVersion: this.options.protocol,
      version: this.parallel ? 2 : 1,
      rentFeePer1KbStroops: BigInt(this.rentFee),
      ...ledger,
    });
    this.after.set(this.ledger, new Map(KEYS.map((key) => [key, this.stateOf(key)])));
    this.ledger += 1;
  }

  /** The next decision, from 0 to below `count`. */
  private choose(count: number): number {
    const decision = this.options.decisions[this.decision] ?? 0;
    this.decision += 1;
    return decision % count;
  }

  private stateOf(key: string): TrueState {
    return this.state.get(key) ?? ABSENT;
  }

  private set(key: string, state: Partial<TrueState>): void {
    const ttl = state.liveUntilLedger === undefined ? {} : { ttlLedger: this.ledger };
    this.state.set(key, { ...this.stateOf(key), ...state, ...ttl });
  }

  private extend(key: string, ledger: number): void {
    const { liveUntilLedger } = this.stateOf(key);
    if (ledger > (liveUntilLedger ?? 0)) this.set(key, { liveUntilLedger: ledger });
  }

  private ttlChanges(key: string, from: number, to: number): MadeChange[] {
    return [
      ["state", ttlOf(key, from)],
      ["updated", ttlOf(key, to, this.ledger)],
    ];
  }

  /** Archived, or expired and not evicted yet. */
  private isDead(key: string): boolean {
    const { entryXdr, liveUntilLedger, archivedXdr } = this.stateOf(key);
    if (archivedXdr !== null) return true;
    return entryXdr !== null && liveUntilLedger !== null && liveUntilLedger < this.ledger;
  }

  private rewrite(key: string): MadeChange[] {
    const { entryXdr } = this.stateOf(key);
    return [
      ["state", entryXdr ?? ""],
      ["updated", this.write(key)],
    ];
  }

  /** Gives the key a value that it never had; code is what its hash says. */
  private write(key: string): string {
    const { ledger } = this;
    this.value += 1;
    const entryXdr =
      typeOfKey(key) === ENTRY_TYPE.account
        ? accountOf(key === PAYER ? 1 : 2, ledger, this.value).entry
        : key === CODE
          ? codeOf("code", "code", ledger).entry
          : dataOf(key, this.value, ledger);
    this.set(key, { entryXdr });
    return entryXdr;
  }
}

const RESTORED_FOR = 8;

function keysOf(footprint: ReadonlyMap<string, "read" | "write">) {
  const of = (mode: "read" | "write") =>
    [...footprint].filter(([, each]) => each === mode).map(([key]) => key);
  return { readOnly: of("read"), readWrite: of("write") };
}

function modifiedIn(entryXdr: string, ledger: number): string {
  const bytes = Buffer.from(entryXdr, "base64");
  bytes.writeUInt32BE(ledger);
  return bytes.toString("base64");
}
