// The messages of `svc-sim engine` (src/svc-sim/README.md, "The ledger engine"): what svc tells it,
// and its answers with their schemas.

import * as v from "valibot";

const text = v.nullable(v.string());

/**
 * What the fold knows of a footprint's key. An absent field is unknown, and null does not exist.
 */
const keySchema = v.object({
  entry: v.optional(text),
  live_until: v.optional(v.nullable(v.number())),
  archived: v.optional(v.string()),
  changed: v.optional(v.boolean(), false),
  ttl_changed: v.optional(v.boolean(), false),
  restored: v.optional(v.boolean(), false),
  new_code: v.optional(v.boolean(), false),
  revived_code: v.optional(v.boolean(), false),
});
const evidenceSchema = v.object({ order: v.number(), keys: v.array(keySchema) });
const factsSchema = v.object({
  first_ledger: v.number(),
  young_since: v.number(),
  generation: v.number(),
  complete: v.boolean(),
});
const rowSchema = v.union([
  v.strictTuple([v.string()]),
  v.tuple([v.string(), v.nullable(v.union([v.string(), v.number()]))]),
]);
/** The facts that ledgers show about keys when they first mention them. */
const laterSchema = v.object({
  /** Every change up to and including this ledger was seen. */
  read_to: v.number(),
  rows: v.array(
    v.object({
      key: v.string(),
      ledger: v.number(),
      kind: v.picklist(["entry", "absent", "archived", "evicted", "unclear"]),
      entry: text,
      live_until: v.nullable(v.number()),
    }),
  ),
});
/** A ledger of files. Its bytes, and those of the one before, come once. */
const placeSchema = v.object({
  number: v.number(),
  file: v.number(),
  sequence: v.number(),
  ledger: text,
  previous: v.nullable(v.object({ number: v.number(), ledger: text })),
  later: laterSchema,
  /** The first ledger that is not finished. */
  oldest: v.number(),
});
const readSchema = v.object({
  sequence: v.number(),
  hash: v.string(),
  protocol_version: v.number(),
  close_time_unix_seconds: v.string(),
  forged: v.nullable(v.picklist(["header", "transactions", "results"])),
  unknown_keys: v.array(v.string()),
});
const verdictsSchema = v.object({
  sequence: v.number(),
  equal: v.number(),
  /** The number of those with an input that only a node claims. */
  unconfirmed: v.number(),
  /**
   * The number of those whose runs ended without a result: they crashed a host, or took too long.
   */
  broken: v.optional(v.number()),
  differ: v.array(evidenceSchema),
  /** Observed transactions that are equal, and do something else with new code. */
  changed: v.optional(v.array(evidenceSchema), []),
  place: v.optional(placeSchema),
});
/** Instructions, bytes of memory, read and written bytes, and the resource fee in stroops. */
const runCosts = v.strictTuple([v.string(), v.string(), v.string(), v.string(), v.string()]);
const againSchema = v.object({
  reached: v.array(v.strictTuple([v.string(), v.string(), v.boolean()])),
  same: v.boolean(),
  costs: v.nullable(v.strictTuple([runCosts, runCosts])),
});
/** An observed transaction that is equal, and does the same with new code. */
const callSchema = v.object({
  hash: v.string(),
  sequence: v.number(),
  order: v.number(),
  file: v.number(),
  invoked: v.nullable(v.strictTuple([v.string(), v.string()])),
  unconfirmed: v.boolean(),
  again: againSchema,
  /**
   * The state of its footprint: the number of a key whose entry was reported before, or the
   * number with the key and the entry.
   */
  entries: v.array(v.union([v.number(), v.strictTuple([v.number(), v.string(), text])])),
});
export const engineAnswerSchema = v.object({
  /** The engine is working, and an answer follows. */
  busy: v.optional(v.boolean()),
  unreadable: v.optional(v.string()),
  read: v.optional(readSchema),
  settings: v.optional(
    v.object({
      gap: v.boolean(),
      facts: factsSchema,
      entries: v.record(v.string(), text),
      place: v.optional(placeSchema),
    }),
  ),
  folded: v.optional(
    v.object({
      sequence: v.number(),
      protocol_version: v.number(),
      /** True if the ledger does not follow the one before, so that the engine drops its state. */
      gap: v.boolean(),
      facts: factsSchema,
      soroban: v.number(),
      refused: v.number(),
      classic: v.number(),
      running: v.number(),
      /** The number of transactions that ran and that svc does not observe. */
      unobserved: v.optional(v.number(), 0),
      open: v.array(evidenceSchema),
      mismatches: v.array(
        v.object({
          kind: v.picklist(["state", "restored"]),
          key: v.string(),
          folded: text,
          on_chain: text,
        }),
      ),
      rows: v.nullable(
        v.object({ reset: v.boolean(), facts: factsSchema, rows: v.array(rowSchema) }),
      ),
      /** The position among the ledgers of files that count. */
      at: v.optional(v.number(), 0),
      file: v.optional(v.number(), 0),
      /** True if the caller judges its transactions without a digest. */
      left: v.optional(v.boolean(), false),
      /** The number of the ledger for which the settings were decided that held. */
      settings_of: v.optional(v.number(), 0),
      header: v.optional(readSchema),
      place: v.optional(placeSchema),
    }),
  ),
  /** The counts of consecutive ledgers of files, which are as the chain recorded them. */
  counted: v.optional(
    v.object({
      from: v.number(),
      ledgers: v.number(),
      /** Exact transactions, by the protocol in which they ran. */
      equal: v.record(v.string(), v.number()),
      unconfirmed: v.number(),
      classic: v.number(),
      refused: v.number(),
    }),
  ),
  /** Keys that no ledger has shown so far, and that a later one shows. */
  lacks: v.optional(
    v.object({
      number: v.number(),
      sequence: v.number(),
      protocol_version: v.number(),
      keys: v.array(v.string()),
      later: laterSchema,
    }),
  ),
  /** A file from whose next ledger on nothing can be read. */
  unread: v.optional(
    v.object({
      file: v.number(),
      next: v.number(),
      /** True if no other file is read either. */
      last: v.boolean(),
      problem: v.string(),
    }),
  ),
  ended: v.optional(
    v.object({
      forged: v.nullable(v.object({ file: v.number(), sequence: v.number(), part: v.string() })),
    }),
  ),
  call: v.optional(callSchema),
  verdicts: v.optional(verdictsSchema),
  ran: v.optional(
    v.object({
      sequence: v.number(),
      order: v.number(),
      equal: v.boolean(),
      broken: v.optional(v.boolean()),
      again: v.optional(againSchema),
    }),
  ),
});

/** An answer. `judged` has the verdicts that follow a folded ledger whose transactions run. */
export type EngineAnswer = v.InferOutput<typeof engineAnswerSchema> & {
  readonly judged?: Promise<EngineAnswer>;
};
/** An answer about a stream that the engine folds by itself. */
export type StreamAnswer = Omit<EngineAnswer, "judged" | "folded" | "settings"> & {
  readonly settings?: NonNullable<EngineAnswer["settings"]> | undefined;
  readonly fold?: FoldAnswer | undefined;
};
export type EnginePlace = v.InferOutput<typeof placeSchema>;
export type EngineLater = v.InferOutput<typeof laterSchema>;
export type EngineLacks = NonNullable<EngineAnswer["lacks"]>;
export type EngineCounted = NonNullable<EngineAnswer["counted"]>;
export type EngineForged = NonNullable<NonNullable<EngineAnswer["ended"]>["forged"]>;
export type EngineCall = NonNullable<EngineAnswer["call"]>;
export type EngineUnread = NonNullable<EngineAnswer["unread"]>;
export type EngineSettingsQuestion = NonNullable<EngineAnswer["settings"]>;
export type KnownKey = v.InferOutput<typeof keySchema>;
export type KnownFootprint = v.InferOutput<typeof evidenceSchema>;
export type EngineRead = NonNullable<EngineAnswer["read"]>;
export type EngineFolded = NonNullable<EngineAnswer["folded"]>;
export type EngineVerdicts = v.InferOutput<typeof verdictsSchema>;
export type EngineFacts = v.InferOutput<typeof factsSchema>;

export interface EngineOptions {
  readonly networkPassphrase: string;
  /** LedgerEntry of the only account in a stream that begins with genesis. */
  readonly genesisXdr: string;
  readonly maximumBytes: number;
  readonly keepsRecent: boolean;
  readonly keepsRows: boolean;
  /** True if answers to ledgers list the keys that no ledger has shown yet. */
  readonly asks: boolean;
}

/** Ledger files that the engine opens, folds and runs by itself. */
export interface EngineFiles {
  readonly paths: readonly string[];
  /** Ledgers before this one are not read. */
  readonly foldFrom: number;
  /** Ledgers before this one are folded and not counted. */
  readonly countFrom: number;
  /** The number of ledgers after those that were counted before. */
  readonly skip: number;
  /** True for a stream from genesis, of which only settings are unknown. */
  readonly settingsOnly: boolean;
  /** The files whose ledgers may show what was before them (default: the same). */
  readonly mentionedIn?: readonly string[] | undefined;
  /** The transactions that svc observes (default: all are verified, and none is observed). */
  readonly observe?: EngineObserve | undefined;
}

/** The transactions of a stream that svc observes. The others are folded and not run. */
export interface EngineObserve {
  /** LedgerKeys of contracts' instances: a transaction with one of them is observed. */
  readonly keys: readonly string[];
  /** True if a transaction is also observed that uses what an observed one before it may change. */
  readonly grows: boolean;
  /** The hashes of the transactions that can be observed; null for all. */
  readonly only: readonly string[] | null;
  /** True if the engine runs them with new code too, as soon as svc has named it. */
  readonly again: boolean;
}

export interface EngineSettings {
  readonly entriesXdr: readonly string[];
  readonly rentFeePer1KbStroops: string | null;
  readonly unconfirmed: boolean;
}

/** An entry that others than the ledgers show, as it was just before the ledger. */
export interface PutEntry {
  readonly key: string;
  readonly entry: string | null;
  /** True if the ledgers show the entry but not its TTL. */
  readonly ttl_only: boolean;
  readonly live_until: number | null;
  readonly provisional: boolean;
  /** True if the TTL was between the transaction's ledger and this. */
  readonly bounded: boolean;
  readonly unconfirmed: boolean;
  /** The smallest LedgerEntry of the key, for a proof, if its absence is assumed. */
  readonly least: string | null;
}

/**
 * What svc decided for one key. Without `entry`, the fold's entry or the one that was put counts.
 */
export interface RunKey {
  readonly entry?: string | null;
  readonly live_until: number | null;
  readonly archived: boolean;
  readonly code_cached: boolean | null;
  readonly restored_earlier: boolean;
  readonly provisional: boolean;
  readonly bounded: boolean;
  readonly unconfirmed: boolean;
  readonly absent_by_node: boolean;
  readonly least: string | null;
}

/** The new code of contracts, by the LedgerKeys of their instances. */
export interface CodeByInstance {
  /** The LedgerEntries of code that takes the place of the former one. */
  readonly next: ReadonlyMap<string, string>;
  /** The instances whose new code is the former one. */
  readonly kept: readonly string[];
}

/** A transaction that ran as the chain recorded it, and again with other code of contracts. */
export interface RanAgain {
  /** True if the first run equals the chain's record. */
  readonly equal: boolean;
  /** The functions that the first run called, once each. */
  readonly reached: readonly {
    readonly contract: string;
    readonly function: string;
    /** True if another contract called it. */
    readonly nested: boolean;
  }[];
  /**
   * True if both runs end alike, return the same and leave the same, and the second needs nothing
   * that was not declared.
   */
  readonly same: boolean;
  /** The costs of both runs if they are the same; null if they fail or differ. */
  readonly costs: readonly [before: readonly string[], after: readonly string[]] | null;
}

export interface EngineRow {
  readonly key: string;
  readonly value: string | number | null;
  readonly generation: number;
}

/** The answer to a fold: either the settings that it waits for, or the folded ledger. */
export interface FoldAnswer {
  readonly settings: EngineAnswer["settings"];
  readonly folded: EngineAnswer["folded"];
  /** The verdicts on the transactions that run. */
  readonly verdicts?: Promise<EngineVerdicts>;
}

export interface FoldChoice {
  readonly run: boolean;
  readonly want: boolean | readonly number[];
  /** LedgerKeys whose state is wanted with each of those transactions, after the footprint's. */
  readonly keys?: readonly string[];
  /** What others than the ledgers show of keys just before the ledger. */
  readonly put?: readonly PutEntry[];
}
