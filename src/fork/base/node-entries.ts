// Entries as a ledger of a network left them, from nodes that have it and later ones: an entry that
// was last modified before is as it was; another one is followed back through the ledgers that
// changed it since. What a node does not have, it has not had since then either, as far as the
// ledgers in between show: those are few where the fork is young.

import { type Clock, systemClock } from "../../base/clock.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { inParallel } from "../../base/in-parallel.ts";
import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import { traceBack } from "../../snapshot/gather/later-changes.ts";
import { type LedgerViews, openLedgerViews } from "../../snapshot/gather/ledger-views.ts";
import { READING_LIMITS } from "../../snapshot/gather/take-snapshot.ts";
import { firstChangesIn } from "../../snapshot/stream/ledger-changes.ts";
import { askForEntries, type EntriesOfNode } from "../../sources/ask-for-entries.ts";
import type { CurrentLedgerEntry, Source } from "../../sources/source.ts";
import { isSorobanKey, isTemporaryKey } from "../../xdr/reader/keys.ts";
import type { ForkEntry, ReadContext } from "../ledger/chain.ts";

export interface NodeEntriesDependencies {
  readonly sources: readonly Source[];
  readonly ledgers: LedgerReader;
  readonly clock?: Clock;
}

/** A node that has not closed the ledger yet is asked again. */
const BEHIND_ATTEMPTS = 10;
const BEHIND_MILLISECONDS = 500;
const TRACED_AT_ONCE = 4;
/** Where no more ledgers than these have closed since, a removal is looked for. */
const SCANNED_LEDGERS = 3;

/** Null: it did not exist. Throws FORK_STATE_UNKNOWN, and what nodes fail with. */
export async function entriesAt(
  { sources, ledgers, clock = systemClock }: NodeEntriesDependencies,
  sequence: number,
  keysXdr: readonly string[],
  { signal }: ReadContext,
  { settings = false } = {},
): Promise<ReadonlyMap<string, ForkEntry | null>> {
  const answer = await askAfter(sources, sequence, keysXdr, { signal }, clock);
  const elsewhere = new Map(answer.elsewhere.map(({ entry }) => [entry.keyXdr, entry]));
  const limits = READING_LIMITS;
  const views = openLedgerViews({ ledgers, signal, limits, clock });
  const entries = await inParallel(keysXdr, TRACED_AT_ONCE, async (keyXdr) => {
    const now = answer.entries.get(keyXdr) ?? elsewhere.get(keyXdr) ?? null;
    // No ledger shows how the window of state sizes changes; an upgrade is rare.
    if (settings && now !== null) return asItIs(now, sequence, answer.latestLedger, answer.origin);
    return entryAt(views, sequence, { keyXdr, now, ...answer });
  });
  return new Map(keysXdr.map((key, index) => [key, entries[index] ?? null]));
}

interface Found extends Pick<EntriesOfNode, "latestLedger" | "origin"> {
  readonly keyXdr: string;
  readonly now: CurrentLedgerEntry | null;
}

async function entryAt(
  views: LedgerViews,
  sequence: number,
  { keyXdr, now, latestLedger, origin }: Found,
): Promise<ForkEntry | null> {
  if (now !== null && now.lastModifiedLedger <= sequence)
    return asItIs(now, sequence, latestLedger, origin);
  if (now !== null) {
    const traced = await traceBack(views, keyXdr, now.lastModifiedLedger, sequence + 1);
    if (traced.kind === "lost") return lostOrNew(views, sequence, keyXdr, traced);
    const { entryXdr } = traced;
    // Its TTL then is not shown; a later one is at least as long.
    const archived = traced.kind === "restored";
    const liveUntilLedger = archived ? 0 : now.liveUntilLedger;
    const detail = `ledger ${now.lastModifiedLedger} and those before show it`;
    return { entryXdr, liveUntilLedger, archived, provenance: { kind: "ledger-scan", detail } };
  }
  if (latestLedger === sequence || latestLedger - sequence > SCANNED_LEDGERS) return null;
  for await (const view of views.run(sequence + 1, latestLedger)) {
    for (const [key, before] of firstChangesIn(view)) {
      if (key !== keyXdr || !("entryXdr" in before) || before.entryXdr === null) continue;
      const archived = before.kind === "archived";
      const detail = `ledger ${view.facts.sequence} removed it`;
      const liveUntilLedger = isSorobanKey(keyXdr) ? sequence + 1 : null;
      const provenance = { kind: "ledger-scan", detail } as const;
      return { entryXdr: before.entryXdr, liveUntilLedger, archived, provenance };
    }
  }
  return null;
}

function asItIs(
  { entryXdr, liveUntilLedger }: CurrentLedgerEntry,
  sequence: number,
  latestLedger: number,
  origin: string,
): ForkEntry {
  const later = latestLedger > sequence && liveUntilLedger !== null;
  const ttl = later ? `; its TTL is as of ledger ${latestLedger}` : "";
  const detail = `${origin} has it unchanged in ledger ${latestLedger}${ttl}`;
  const archived = liveUntilLedger === 0;
  return { entryXdr, liveUntilLedger, archived, provenance: { kind: "rpc-unchanged", detail } };
}

/** An entry that began after the ledger has no state before. */
async function lostOrNew(
  views: LedgerViews,
  sequence: number,
  keyXdr: string,
  { ledger, reason }: { readonly ledger: number; readonly reason: string },
): Promise<ForkEntry | null> {
  const view = await views.view(ledger);
  if (view !== null)
    for (const [key, before] of firstChangesIn(view))
      if (key === keyXdr && before.kind === "absent") return null;
  if (isSorobanKey(keyXdr) && isTemporaryKey(keyXdr)) return null;
  throw new SvcError("FORK_STATE_UNKNOWN", {
    message: `The state of an entry as ledger ${sequence} left it is not known: ${reason}.`,
    remedy: "Fork a later ledger, or pass `--ledger-lake-url` with the ledgers since then.",
    details: { keyXdr, ledger: sequence },
  });
}

/** From a node that has closed the ledger. */
async function askAfter(
  sources: readonly Source[],
  sequence: number,
  keysXdr: readonly string[],
  context: ReadContext,
  clock: Clock,
): Promise<EntriesOfNode> {
  for (let attempt = 1; ; attempt += 1) {
    const { answer, failures } = await askForEntries(sources, keysXdr, context);
    if (answer === null)
      throw (
        failures[0] ??
        new SvcError("CONFIG_INVALID", {
          message: "No node is named that can be asked for ledger entries.",
          remedy: "Name a Stellar RPC node with `--rpc-url`.",
        })
      );
    if (answer.latestLedger >= sequence) return answer;
    if (attempt === BEHIND_ATTEMPTS)
      throw new SvcError("NETWORK_BAD_ANSWER", {
        message: `${answer.origin} is at ledger ${answer.latestLedger}, before the forked ${sequence}.`,
        remedy: "Name another node with `--rpc-url`, or fork an earlier ledger.",
      });
    await clock.sleep(BEHIND_MILLISECONDS, context.signal);
  }
}
