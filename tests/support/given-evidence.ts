// Evidence about one transaction of ledger 100, as a test gives it: what a node has, what later ledgers
// show, and what ledgers before it folded.

import { invokeHostFunctionCode, type SorobanCode } from "../../src/model/result-code.ts";
import type { Evidence, Traced } from "../../src/snapshot/evidence.ts";
import type { FootprintKey } from "../../src/snapshot/footprint-keys.ts";
import { readOwnChanges } from "../../src/snapshot/own-changes.ts";
import type { Before } from "../../src/snapshot/stream/ledger-changes.ts";
import type { CurrentLedgerEntry } from "../../src/sources/source.ts";
import type { EntryChangeKind } from "../../src/xdr/outcome/meta.ts";
import { ENTRY_TYPE } from "../../src/xdr/reader/keys.ts";
import { FoldedModel } from "./folded-model.ts";

export const LEDGER = 100;

export function key(name: string, options: Partial<FootprintKey> = {}): FootprintKey {
  return {
    keyXdr: name,
    type: 6,
    readOnly: true,
    temporary: false,
    ttlKeyXdr: `${name} ttl`,
    ...options,
  };
}

export const PERSISTENT = key("persistent");
export const OTHER = key("other");
export const TEMPORARY = key("temporary", { temporary: true });

export interface Given {
  readonly footprint?: readonly FootprintKey[];
  /** As a node has them: last-modified ledger, live-until ledger. */
  readonly entries?: Readonly<Record<string, readonly [number, number]>>;
  readonly at?: number;
  readonly readTo?: number;
  readonly before?: Readonly<Record<string, Before>>;
  readonly code?: SorobanCode;
  readonly marked?: readonly string[];
  /** Which one the diagnostics name. */
  readonly named?: string;
  readonly changesBefore?: readonly { readonly keyXdr: string; readonly entryXdr: string }[];
  readonly folded?: Folded;
  readonly operation?: Evidence["transaction"]["operation"];
  /** What following an entry back from a node's ledger showed. */
  readonly traced?: Readonly<Record<string, Traced>>;
  /** False: no node answers. */
  readonly hasNode?: boolean;
  /** Of the first change that ledgers show, where there is one (default: 105). */
  readonly changedIn?: number;
}

/** Gap-free ledgers from `from` up to the transaction's own. */
export interface Folded {
  readonly from: number;
  readonly fromGenesis?: boolean;
  readonly changes?: readonly FoldedChange[];
}

/** `now` stands for any entry; a number is a live-until ledger. */
export type FoldedChange = readonly [
  ledger: number,
  keyXdr: string,
  kind: EntryChangeKind | "evicted",
  value?: string | number,
];

function fold({ from, fromGenesis = false, changes = [] }: Folded): FoldedModel {
  const state = new FoldedModel(fromGenesis);
  for (let ledger = from; ledger <= LEDGER; ledger += 1) {
    state.beginLedger(ledger);
    for (const [at, keyXdr, kind, value = null] of changes) {
      if (at !== ledger) continue;
      if (kind === "evicted") {
        state.evict(keyXdr);
        continue;
      }
      const isTtl = typeof value === "number" || keyXdr.endsWith(" ttl");
      state.applyOne({
        kind,
        type: isTtl ? ENTRY_TYPE.ttl : ENTRY_TYPE.contractData,
        keyXdr,
        entryXdr: typeof value === "string" ? value : null,
        liveUntilLedger: typeof value === "number" ? value : null,
      });
    }
  }
  return state;
}

export function evidence(given: Given): Evidence {
  const entries = new Map<string, CurrentLedgerEntry>();
  for (const [keyXdr, [lastModifiedLedger, until]] of Object.entries(given.entries ?? {})) {
    const live = { liveUntilLedger: until || null, archived: until === 0 };
    entries.set(keyXdr, { keyXdr, entryXdr: "now", lastModifiedLedger, ...live });
  }
  const code = given.code ?? "trapped";
  const transaction = {
    ledgerSequence: LEDGER,
    operation: given.operation ?? ("invoke_host_function" as const),
    succeeded: code === "success",
    changesBefore: (given.changesBefore ?? []).map(
      (each) => ({ kind: "updated", type: 0, liveUntilLedger: null, ...each }) as const,
    ),
    operationChanges: [],
  };
  const footprint = given.footprint ?? [PERSISTENT];
  const found = new Map(Object.entries(given.before ?? {}));
  const at = (before: Before | undefined) => before && { before, ledger: given.changedIn ?? 105 };
  const latestLedger = given.at ?? 110;
  return {
    transaction,
    operationResult: invokeHostFunctionCode(code),
    footprint,
    archivedKeyXdr: given.named ?? null,
    markedArchived: new Set(given.marked ?? []),
    own: readOwnChanges(transaction),
    ledger: { protocolVersion: 28, previous: null, own: null },
    folded: given.folded === undefined ? null : fold(given.folded),
    later: { find: (keyXdr) => at(found.get(keyXdr)), readTo: given.readTo ?? LEDGER - 1 },
    nodes: {
      find: (keyXdr) =>
        given.hasNode === false
          ? null
          : { latestLedger, entry: entries.get(keyXdr) ?? null, origin: "a node" },
      reason: "no node",
    },
    traced: new Map(Object.entries(given.traced ?? {})),
  };
}
