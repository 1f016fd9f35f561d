// A failed transaction → the conflicting transaction just before it that made it fail. The failed
// transaction runs on the state before each earlier one, the latest first, until it succeeds.

import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type { Conflict } from "../../model/conflict.ts";
import type { Cause } from "../../model/explanation.ts";
import { type SnapshotEntry, snapshotState } from "../../model/snapshot.ts";
import { knownIn } from "../../model/state/entry-state.ts";
import { isRunOfChain, type Verdict } from "../../model/verdict.ts";
import {
  type EarlierChange,
  earlierChanges,
  type PastState,
} from "../../snapshot/gather/earlier-changes.ts";
import { contractLookup } from "../../xdr/contract/contract-specs.ts";
import { describeTypedKey, isNonceKey } from "../../xdr/contract/key-typed.ts";
import { contractDataEntry } from "../../xdr/ledger/patch-entry.ts";
import { describeEntry } from "../../xdr/values/value.ts";
import { voidValue } from "../../xdr/values/value-parts.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { type Replayable, runVariant } from "../run/run-variant.ts";
import { callOf, likeness } from "./earlier-call.ts";

type Entries = ReadonlyMap<string, SnapshotEntry>;

export interface ConflictDependencies extends Engines {
  /** Null if there is no source to ask. */
  readonly ledgers: LedgerReader | null;
  /** The number of earlier transactions to look at. */
  readonly maximumTransactions?: number;
}

/**
 * Null if the sources show no such transaction. If the replay is not the chain's run, svc only
 * finds the transaction that used a nonce first, which needs no run. Throws only if it is
 * interrupted, or for a defect of svc.
 */
export async function findConflict(
  dependencies: ConflictDependencies,
  failed: Replayable & { readonly verdict: Verdict; readonly cause: Pick<Cause, "kind"> },
  options: OptionalRun,
): Promise<Conflict | null> {
  const purpose = "To find a conflicting transaction";
  const conflict = isRunOfChain(failed.verdict)
    ? await optionalRun(purpose, options, () =>
        findConflictingTransaction(dependencies, failed, options),
      )
    : null;
  if (conflict !== null || failed.cause.kind !== "authorization-reused") return conflict;
  return usedNonce(dependencies, failed, options);
}

/**
 * Finds the transaction that used a nonce first, in the ledger or in the one before it. The nonce
 * was used, so its entry existed, whatever the snapshot has.
 */
async function usedNonce(
  { ledgers }: ConflictDependencies,
  failed: Replayable,
  options: { readonly signal: AbortSignal },
): Promise<Conflict | null> {
  const { record, envelope, snapshot } = failed;
  const state = snapshotState(snapshot);
  const nonces = (envelope.soroban?.footprint.readWrite ?? []).filter(isNonceKey);
  const entries = nonces.map((keyXdr) => {
    const { sequence } = record.ledger;
    const held = knownIn(state, keyXdr);
    const entryXdr = held?.entryXdr ?? contractDataEntry(keyXdr, voidValue(), sequence - 1);
    return { ...ABSENT, ...held, keyXdr, entryXdr };
  });
  for await (const change of earlierChanges(ledgers, record, { ...snapshot, entries }, options)) {
    const keys = nonces.filter((key) => change.before.get(key)?.entryXdr === null);
    const afterOf = (keyXdr: string) => knownIn(state, keyXdr)?.entryXdr ?? null;
    if (keys.length > 0) return describe(failed, change, keys, afterOf, false);
  }
  return null;
}

const ABSENT = {
  liveUntilLedger: null,
  archived: false,
  codeCached: null,
  provenance: { kind: "override", detail: "the nonce was used" },
  ttlProvenance: null,
} as const;

async function findConflictingTransaction(
  { simulator, ledgers, maximumTransactions = 16 }: ConflictDependencies,
  failed: Replayable,
  options: { readonly signal: AbortSignal },
): Promise<Conflict | null> {
  const { record, snapshot } = failed;
  const succeedsOn = async (entries: Entries) => {
    const { outcome } = await runVariant({ simulator }, failed, { entries }, options);
    return outcome.kind === "success";
  };
  let later: Entries = new Map();
  let count = 0;
  for await (const change of earlierChanges(ledgers, record, snapshot, options)) {
    if (count === maximumTransactions) return null;
    count += 1;
    if (isNothingToDo(failed, change)) return null;
    const entries = withPast(failed, later, change.before);
    if (await succeedsOn(entries)) {
      const keys = await decisiveKeys(change, (key) =>
        succeedsOn(withPast(failed, later, only(change.before, key))),
      );
      const afterOf = (keyXdr: string) => change.after.get(keyXdr)?.entryXdr ?? null;
      return describe(failed, change, keys, afterOf, true);
    }
    later = entries;
  }
  return null;
}

/**
 * True if the transaction only extends or restores entries, and one of them did not exist yet. It
 * then succeeds without doing anything, so the transaction that created the entry is no conflict.
 */
function isNothingToDo({ envelope }: Replayable, { before }: EarlierChange): boolean {
  return (
    envelope.hostFunction === null && [...before.values()].some(({ entryXdr }) => entryXdr === null)
  );
}

/** A single key that is enough to make the transaction succeed, or all keys if there is none. */
async function decisiveKeys(
  { before }: EarlierChange,
  suffices: (keyXdr: string) => Promise<boolean>,
): Promise<string[]> {
  const keys = [...before.keys()];
  if (keys.length === 1) return keys;
  for (const key of keys) if (await suffices(key)) return [key];
  return keys;
}

function only(before: ReadonlyMap<string, PastState>, key: string): Map<string, PastState> {
  return new Map([...before].filter(([each]) => each === key));
}

function withPast(
  { snapshot }: Replayable,
  later: Entries,
  before: ReadonlyMap<string, PastState>,
): Entries {
  const entries = new Map(later);
  for (const entry of snapshot.entries) {
    const past = before.get(entry.keyXdr);
    if (past !== undefined) entries.set(entry.keyXdr, { ...entry, ...past, archived: false });
  }
  return entries;
}

function describe(
  { record, envelope, snapshot }: Replayable,
  { transactionHash, ledger, applicationOrder, before, transaction }: EarlierChange,
  keys: readonly string[],
  afterOf: (keyXdr: string) => string | null,
  isProven: boolean,
): Conflict {
  const knownEntries = [...snapshot.entries, ...before.values()];
  const lookup = contractLookup(knownEntries.flatMap(({ entryXdr }) => entryXdr ?? []));
  const show = (entryXdr: string | null) => (entryXdr === null ? null : describeEntry(entryXdr));
  const entries = keys.map((keyXdr) => ({
    keyXdr,
    key: describeTypedKey(keyXdr, lookup),
    before: show(before.get(keyXdr)?.entryXdr ?? null),
    after: show(afterOf(keyXdr)),
  }));
  const changed = entries.map((entry) => {
    if (entry.before === null) return `created ${entry.key}`;
    return `${entry.after === null ? "removed" : "changed"} ${entry.key}`;
  });
  const summary =
    `Conflicting transaction: ${transactionHash} (ledger ${ledger}, transaction ` +
    `${applicationOrder}) ${changed.join(", ")} first.` +
    (isProven ? " On the state before that transaction, this one succeeds." : "");
  const repeats = likeness(callOf({ transaction }, record.networkPassphrase), envelope);
  return { transactionHash, ledger, applicationOrder, repeats, entries, summary };
}
