// Finds entries as a ledger of a network left them, from nodes with that ledger and later ones. An
// entry that was last modified before it is unchanged. Any other entry is shown by the first ledger
// that changed it afterwards. That ledger is searched from both ends: back through the ledgers that
// changed the entry, which are few if it seldom changes, and forwards from the forked ledger, where
// an entry that changes often does so soon.

import { type Clock, systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { inParallel } from "../../base/in-parallel.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { fetchFacts } from "../../ledgers/facts-of-ledger.ts";
import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import { ChangesAhead } from "../../snapshot/gather/changes-ahead.ts";
import { traceBack } from "../../snapshot/gather/later-changes.ts";
import { type LedgerViews, openLedgerViews } from "../../snapshot/gather/ledger-views.ts";
import { READING_LIMITS } from "../../snapshot/gather/take-snapshot.ts";
import type { Before } from "../../snapshot/stream/ledger-changes.ts";
import { askForEntries, type EntriesOfNode } from "../../sources/ask-for-entries.ts";
import type { CurrentLedgerEntry, FetchContext, Source } from "../../sources/source.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { isSorobanKey, isTemporaryKey } from "../../xdr/reader/keys.ts";
import { otherNetwork } from "../errors.ts";
import type { Followed, ForkEntry, ReadContext } from "../ledger/chain.ts";

export interface NodeEntriesDependencies {
  readonly sources: readonly Source[];
  readonly ledgers: LedgerReader;
  readonly clock?: Clock;
}

/**
 * Finds entries; null for one that did not exist. Throws FORK_STATE_UNKNOWN, and the failures of
 * nodes.
 */
export type EntriesAt = (
  keysXdr: readonly string[],
  context: ReadContext,
) => Promise<ReadonlyMap<string, ForkEntry | null>>;

/** A node that has not closed the ledger yet is asked again this often. */
const BEHIND_ATTEMPTS = 10;
const BEHIND_MILLISECONDS = 500;
const TRACED_AT_ONCE = 4;
/** The number of ledgers that are read from one end before the other. Each has megabytes. */
const FIRST_BACK = 2;
const FORWARD = 24;
const LAST_BACK = 64;
/** If at most this many ledgers have closed since, a removal is searched for. */
const SCANNED_LEDGERS = 3;
/** The number of kept changes of later ledgers, which are searched for several keys. */
const KEPT_CHANGES = 40_000;

export function openEntriesAt(
  { sources, ledgers, clock = systemClock }: NodeEntriesDependencies,
  sequence: number,
): EntriesAt {
  const ahead = new ChangesAhead(KEPT_CHANGES);
  return async (keysXdr, { signal }) => {
    const answer = await askAfter(sources, sequence, keysXdr, { signal }, clock);
    const elsewhere = new Map(answer.elsewhere.map(({ entry }) => [entry.keyXdr, entry]));
    const limits = READING_LIMITS;
    const views = openLedgerViews({ ledgers, signal, limits, clock, ahead });
    const entries = await inParallel(keysXdr, TRACED_AT_ONCE, (keyXdr) => {
      const now = answer.entries.get(keyXdr) ?? elsewhere.get(keyXdr) ?? null;
      return entryAt(views, sequence, { keyXdr, now, ...answer });
    });
    return new Map(keysXdr.map((key, index) => [key, entries[index] ?? null]));
  };
}

/**
 * Opens a check that nodes belong to the chain of a file, by the hashes of its ledgers. Throws
 * FORK_OTHER_NETWORK. If no node shows any of the ledgers, it warns once, and asks the failed nodes
 * again the next time.
 */
export function openChainCheck(
  sources: readonly Source[],
  ledgers: readonly Followed[],
  warn: (text: string) => void,
): (context: FetchContext) => Promise<void> {
  let isSettled = false;
  let isWarned = false;
  return async (context) => {
    if (isSettled) return;
    let hasFailed = false;
    for (const { sequence, hash } of ledgers) {
      const { answer, source, failures } = await fetchFacts(sources, sequence, context);
      hasFailed ||= failures.length > 0;
      if (answer === null) continue;
      if (sha256(Uint8Array.fromBase64(answer.headerXdr)).toHex() !== hash)
        throw otherNetwork(source?.name ?? "the node", sequence);
      isSettled = true;
      return;
    }
    isSettled = !hasFailed;
    if (isWarned) return;
    isWarned = true;
    const why =
      ledgers.length === 0
        ? "the file has no hash of a ledger"
        : `none shows ledger ${ledgers.map(({ sequence }) => sequence).join(" or ")}`;
    warn(`svc could not check that the nodes belong to the forked network: ${why}.`);
  };
}

/** The network's settings as they are now, because an upgrade since then is rare. */
export async function settingsSince(
  { sources, clock = systemClock }: NodeEntriesDependencies,
  sequence: number,
  keysXdr: readonly string[],
  context: ReadContext,
): Promise<string[]> {
  const { entries, elsewhere } = await askAfter(sources, sequence, keysXdr, context, clock);
  const others = elsewhere.map(({ entry }) => entry);
  return [...entries.values(), ...others].map(({ entryXdr }) => entryXdr);
}

interface Found extends Pick<EntriesOfNode, "latestLedger" | "origin"> {
  readonly keyXdr: string;
  readonly now: CurrentLedgerEntry | null;
}

async function entryAt(
  views: LedgerViews,
  sequence: number,
  versions: Found,
): Promise<ForkEntry | null> {
  const { keyXdr, now, latestLedger } = versions;
  if (now !== null)
    return now.lastModifiedLedger <= sequence
      ? asItIs(now, sequence, versions)
      : beforeChanges(views, sequence, now, latestLedger);
  const isFar = latestLedger - sequence > SCANNED_LEDGERS;
  if (isFar || !isSorobanKey(keyXdr)) return null;
  const change = await firstChange(views, sequence + 1, latestLedger, keyXdr);
  return change && shownBy(change, keyXdr, sequence + 1);
}

function asItIs(
  { entryXdr, liveUntilLedger, archived }: CurrentLedgerEntry,
  sequence: number,
  { latestLedger, origin }: Found,
): ForkEntry {
  const later = latestLedger > sequence && liveUntilLedger !== null;
  const ttl = later ? `; its TTL is as of ledger ${latestLedger}` : "";
  const detail = `${origin} has it unchanged in ledger ${latestLedger}${ttl}`;
  return { entryXdr, liveUntilLedger, archived, provenance: { kind: "rpc-unchanged", detail } };
}

async function beforeChanges(
  views: LedgerViews,
  sequence: number,
  { keyXdr, lastModifiedLedger, liveUntilLedger }: CurrentLedgerEntry,
  latestLedger: number,
): Promise<ForkEntry | null> {
  const first = sequence + 1;
  let traced = await traceBack(views, keyXdr, lastModifiedLedger, first, FIRST_BACK);
  if (traced.kind === "lost") {
    const end = Math.min(sequence + FORWARD, latestLedger);
    const change = await firstChange(views, first, end, keyXdr);
    if (change !== null && change.before.kind !== "unclear")
      return shownBy(change, keyXdr, liveUntilLedger);
    traced = await traceBack(views, keyXdr, traced.ledger, first, LAST_BACK);
  }
  if (traced.kind === "lost") return lostOrNew(views, sequence, keyXdr, traced);
  const { entryXdr } = traced;
  // Its TTL at that ledger is not shown. A later one is at least as long.
  const archived = traced.kind === "restored";
  const detail = `ledger ${lastModifiedLedger} and those before show it`;
  const provenance = { kind: "ledger-scan", detail } as const;
  return { entryXdr, liveUntilLedger: archived ? null : liveUntilLedger, archived, provenance };
}

interface FirstChange {
  readonly before: Before;
  readonly ledger: number;
}

async function firstChange(
  views: LedgerViews,
  first: number,
  last: number,
  keyXdr: string,
): Promise<FirstChange | null> {
  for await (const { sequence: ledger, changes } of views.changes(first, last)) {
    const before = changes.get(keyXdr);
    if (before !== undefined) return { before, ledger };
  }
  return null;
}

/** The entry that a change shows. `liveUntilLedger` is used if the change does not show it. */
function shownBy(
  { before, ledger }: FirstChange,
  keyXdr: string,
  liveUntilLedger: number | null,
): ForkEntry | null {
  if (!("entryXdr" in before) || before.entryXdr === null) return null;
  const { entryXdr } = before;
  const detail = `ledger ${ledger}, the first that changed it since, shows it`;
  const provenance = { kind: "ledger-scan", detail } as const;
  if (before.kind === "archived")
    return { entryXdr, liveUntilLedger: null, archived: true, provenance };
  const until = isSorobanKey(keyXdr) ? (before.liveUntilLedger ?? liveUntilLedger) : null;
  return { entryXdr, liveUntilLedger: until, archived: false, provenance };
}

/** An entry that began after the ledger has no earlier state. */
async function lostOrNew(
  views: LedgerViews,
  sequence: number,
  keyXdr: string,
  { ledger, reason }: { readonly ledger: number; readonly reason: string },
): Promise<ForkEntry | null> {
  const change = await firstChange(views, ledger, ledger, keyXdr);
  if (change?.before.kind === "absent") return null;
  if (isSorobanKey(keyXdr) && isTemporaryKey(keyXdr)) return null;
  throw new SvcError("FORK_STATE_UNKNOWN", {
    message: `The state of an entry after ledger ${sequence} is not known: ${reason}.`,
    remedy: phrase`Fork a later ledger, or pass ${flag("ledgerLakeUrl")} with the ledgers since then.`,
    details: { keyXdr, ledger: sequence },
  });
}

/** Asks a node that has closed the ledger. */
async function askAfter(
  sources: readonly Source[],
  sequence: number,
  keysXdr: readonly string[],
  context: ReadContext,
  clock: Clock,
): Promise<EntriesOfNode> {
  for (let attempt = 1; ; attempt += 1) {
    const { answer, failures } = await askForEntries(sources, keysXdr, context);
    if (answer === null) throw failures[0] ?? noNode();
    if (answer.latestLedger >= sequence) return answer;
    if (attempt === BEHIND_ATTEMPTS)
      throw new SvcError("NETWORK_BAD_ANSWER", {
        message: `${answer.origin} is at ledger ${answer.latestLedger}, and ledger ${sequence} is needed.`,
        remedy: phrase`Set another node with ${flag("rpcUrl")}, or name an earlier ledger. A saved fork of a test network ends with the reset of that network.`,
      });
    await clock.sleep(BEHIND_MILLISECONDS, context.signal);
  }
}

function noNode(): SvcError {
  return new SvcError("CONFIG_INVALID", {
    message: "No configured node can answer requests for ledger entries.",
    remedy: phrase`Set a Stellar RPC node with ${flag("rpcUrl")}.`,
  });
}
