// A Snapshot from folded state. The transaction's own meta is asked first: what stellar-core says
// it loaded is right, whatever was folded.

import type { Provenance, Snapshot, SnapshotEntry, UnknownInput } from "../../model/snapshot.ts";
import type { KeyedChange } from "../../xdr/ledger/keyed-change.ts";
import type { ResultFacts } from "../../xdr/outcome/result.ts";
import { ENTRY_TYPE, lastModifiedOf } from "../../xdr/reader/keys.ts";
import type { FootprintKey } from "../folded-footprint.ts";
import type { FirstMentions } from "./first-mentions.ts";
import type { Known, LedgerState } from "./ledger-state.ts";
import type { NodeEntries } from "./node-entries.ts";
import type { LedgerSettings } from "./settings-fold.ts";

export interface SnapshotInput {
  readonly state: LedgerState;
  readonly firstMentions: FirstMentions;
  readonly told: NodeEntries;
  readonly footprint: readonly FootprintKey[];
  /** Changes of the transaction's own operation. */
  readonly operationChanges: readonly KeyedChange[];
  readonly result: ResultFacts;
  readonly settings: LedgerSettings;
  readonly ledgerSequence: number;
  readonly protocolVersion: number;
}

const OWN: Provenance = { kind: "meta", detail: "in the transaction's own meta" };
const SAME_LEDGER: Provenance = {
  kind: "same-ledger",
  detail: "as an earlier transaction of the ledger left it",
};
const FOLDED: Provenance = {
  kind: "ledger-scan",
  detail: "as the ledgers before this one left it",
};
const NEVER_MENTIONED: Provenance = {
  kind: "ledger-scan",
  detail: "no ledger since genesis mentions it, so it does not exist",
};
const FORETOLD: Provenance = {
  kind: "ledger-scan",
  detail: "no ledger changed it until a later one, which shows it before the change",
};
const ARCHIVED: Provenance = {
  kind: "archive",
  detail: "evicted by an earlier ledger and not restored since",
};
const LIVE_BY_RESULT: Provenance = {
  kind: "meta",
  detail:
    "live, for the result says nothing of an archived entry; until when cannot matter while nothing extends or rewrites it",
};
const LIVE_ASSUMED: Provenance = {
  kind: "assumed",
  detail: "live: no ledger of the stream tells until when",
};
/** Beyond any threshold of an extension, below any maximum TTL. */
const ASSUMED_TTL_LEDGERS = 1_000_000;
const CODE_CACHE_SINCE = 23;

export function snapshotOfState(input: SnapshotInput): Snapshot {
  const own = firstChanges(input.operationChanges);
  const unknown: UnknownInput[] = [];
  const entries: SnapshotEntry[] = [];
  for (const key of input.footprint) {
    const found = findEntry(input, own, key);
    if (found === null) {
      unknown.push({ keyXdr: key.keyXdr, reason: "no ledger of the stream mentions it" });
      continue;
    }
    const live = found.entryXdr !== null && !found.archived;
    const ttl = live && key.ttlKeyXdr !== null ? findTtl(input, own, key, key.ttlKeyXdr) : null;
    entries.push({
      keyXdr: key.keyXdr,
      entryXdr: found.entryXdr,
      liveUntilLedger: ttl?.ledger ?? null,
      archived: found.archived,
      codeCached: codeCached(input, key, found),
      provenance: found.provenance,
      ttlProvenance: ttl?.provenance ?? null,
      ...(ttl?.provenance === LIVE_BY_RESULT ? { provisional: "ttl-unchanged" as const } : {}),
      ...(restoredEarlier(input, key, found) ? { restoredEarlier: true as const } : {}),
    });
  }
  return {
    entries,
    settings: input.settings.settings,
    rentFeePer1KbStroops: input.settings.rentFeePer1KbStroops,
    // The entries first: a ledger range of one's own rarely shows the settings.
    unknown: [...unknown, ...input.settings.unknown],
  };
}

type OwnChanges = ReadonlyMap<string, KeyedChange>;

function firstChanges(changes: readonly KeyedChange[]): OwnChanges {
  const first = new Map<string, KeyedChange>();
  for (const change of changes) if (!first.has(change.keyXdr)) first.set(change.keyXdr, change);
  return first;
}

interface FoundEntry {
  readonly entryXdr: string | null;
  readonly archived: boolean;
  readonly provenance: Provenance;
}

/** Null: not known. */
function findEntry(input: SnapshotInput, own: OwnChanges, key: FootprintKey): FoundEntry | null {
  const { state, firstMentions, told } = input;
  const change = own.get(key.keyXdr);
  if (change?.kind === "state") {
    return { entryXdr: change.entryXdr, archived: false, provenance: OWN };
  }
  if (change?.kind === "created") return { entryXdr: null, archived: false, provenance: OWN };
  const archived = state.archived(key.keyXdr);
  if (archived !== null) return { entryXdr: archived, archived: true, provenance: ARCHIVED };
  const folded = state.entry(key.keyXdr);
  if (folded !== undefined) {
    return {
      entryXdr: folded,
      archived: false,
      provenance: provenanceOf(state, key.keyXdr, folded),
    };
  }
  if (change?.kind === "restored" && change.entryXdr !== null) {
    // Only a restore operation leaves an entry that had merely expired as it was; any other one is
    // rewritten, and whether it came from the hot archive makes no difference then.
    const rewritten = lastModifiedOf(change.entryXdr) === input.ledgerSequence;
    return { entryXdr: change.entryXdr, archived: rewritten, provenance: OWN };
  }
  const later = firstMentions.entries.get(key.keyXdr);
  if (later !== undefined) return { entryXdr: later, archived: false, provenance: FORETOLD };
  const now = told.find(key.keyXdr);
  return now === undefined ? null : { ...now, archived: false };
}

function findTtl(
  input: SnapshotInput,
  own: OwnChanges,
  key: FootprintKey,
  ttlKeyXdr: string,
): { ledger: number; provenance: Provenance } | null {
  const change = own.get(ttlKeyXdr);
  if (change?.kind === "state" && change.liveUntilLedger !== null) {
    return { ledger: change.liveUntilLedger, provenance: OWN };
  }
  const folded: Known<number> = input.state.liveUntilLedger(ttlKeyXdr);
  if (typeof folded === "number") {
    return { ledger: folded, provenance: provenanceOf(input.state, ttlKeyXdr, folded) };
  }
  const later = input.firstMentions.liveUntil.get(ttlKeyXdr);
  if (typeof later === "number") return { ledger: later, provenance: FORETOLD };
  if (change?.kind === "restored") return { ledger: input.ledgerSequence - 1, provenance: OWN };
  const told = input.told.findTtl(key.keyXdr);
  if (told?.exact === true) return { ledger: told.liveUntilLedger, provenance: told.provenance };
  const ledger = told?.liveUntilLedger ?? input.ledgerSequence + ASSUMED_TTL_LEDGERS;
  return { ledger, provenance: wasLive(input.result, key) ? LIVE_BY_RESULT : LIVE_ASSUMED };
}

/** A persistent entry that the operation read without finding it archived. */
function wasLive({ operationCodes }: ResultFacts, key: FootprintKey): boolean {
  const code = operationCodes[0] ?? "";
  const telling = code.startsWith("invokeHostFunction") || code.endsWith("Success");
  return telling && !key.temporary && code !== "invokeHostFunctionEntryArchived";
}

function provenanceOf(state: LedgerState, keyXdr: string, value: unknown): Provenance {
  if (state.changedInThisLedger(keyXdr)) return SAME_LEDGER;
  return value === null ? NEVER_MENTIONED : FOLDED;
}

function restoredEarlier(input: SnapshotInput, key: FootprintKey, found: FoundEntry): boolean {
  return found.entryXdr === null && input.state.restoredInThisLedger(key.keyXdr);
}

/** The module cache of a ledger is the code live when the one before it closed (protocol 23+). */
function codeCached(input: SnapshotInput, key: FootprintKey, found: FoundEntry): boolean | null {
  if (key.type !== ENTRY_TYPE.contractCode || input.protocolVersion < CODE_CACHE_SINCE) return null;
  if (found.entryXdr === null || found.archived || input.state.isNewCode(key.keyXdr)) return false;
  return input.state.complete ? true : null;
}
