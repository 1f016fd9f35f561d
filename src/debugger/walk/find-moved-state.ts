// Finds what changed between a simulation and the transaction. It is the close time, if the
// transaction goes on with an earlier one. Otherwise it is the number in the contract's state that
// leads from the key in the footprint to the requested key, and the transaction that changed it.

import { clockMoved, keyRestsOn, numberMoved, stateMoved } from "../../explain/causes/footprint.ts";
import type { FoundWhy } from "../../explain/explain.ts";
import { type CauseFinding, staleKeysOf } from "../../explain/words/found-cause.ts";
import type { CauseEvidence } from "../../explain/words/found-evidence.ts";
import type { LedgerReader } from "../../ledgers/ledger-reader.ts";
import type { Conflict } from "../../model/conflict.ts";
import type { Execution } from "../../model/execution.ts";
import type { StaleKeys } from "../../model/explanation.ts";
import type { SnapshotEntry } from "../../model/snapshot.ts";
import { isRunOfChain, type Verdict } from "../../model/verdict.ts";
import type { Refused, Term } from "../../model/why.ts";
import { earlierChanges } from "../../snapshot/gather/earlier-changes.ts";
import type { ContractLookup } from "../../xdr/contract/contract-specs.ts";
import { dataKeyOf, describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { lookupIn } from "../../xdr/contract/lookup-in.ts";
import { readErrorReports } from "../../xdr/outcome/error-reports.ts";
import { ENTRY_TYPE, lastModifiedOf, typeOfKey } from "../../xdr/reader/keys.ts";
import { type FieldDifference, fieldDifferences } from "../../xdr/values/entry-difference.ts";
import {
  integersInEntry,
  type NeighboringKeys,
  neighboringKeys,
} from "../../xdr/values/neighboring-key.ts";
import { type OptionalRun, optionalRun } from "../run/optional-run.ts";
import type { Engines } from "../run/replay.ts";
import { type Replayable, runVariant } from "../run/run-variant.ts";

/** The maximum number of earlier transactions to check. */
const MAXIMUM_TRANSACTIONS = 64;
/** A counter holds the last key or the next one. */
const NEAR = 1n;

/** Seconds by which a simulation comes before its transaction; ledgers can close within one. */
const EARLIER_BY = [1n, 2n, 5n, 10n, 20n, 30n, 60n, 120n, 300n];
const LONGEST = 300n;

export type StaleReplay = Replayable & {
  readonly execution: Execution;
  readonly verdict: Verdict;
};

/**
 * Explains why a simulation is stale. The cause is known if the transaction succeeds on the state
 * before the conflicting one, or with an earlier close time. Otherwise the evidence begins with the
 * change that a ledger shows, or with what the key depends on, if the code shows it. Another key
 * outside of the footprint that depends on the clock is explained in the same way. Other causes are
 * returned unchanged.
 */
export async function explainStaleState(
  { ledgers, ...engines }: Engines & { readonly ledgers: LedgerReader | null },
  replayed: StaleReplay,
  known: {
    readonly cause: CauseFinding;
    readonly conflict: Conflict | null;
    readonly why?: FoundWhy | null;
  },
  options: OptionalRun,
): Promise<CauseFinding> {
  const { cause, conflict, why = null } = known;
  const keys = staleKeysOf(cause);
  if (keys === undefined && cause.kind !== "footprint-miss") return cause;
  if (conflict !== null) return keys === undefined ? cause : stateMoved(cause, true);
  const proven = why?.proof ?? null;
  if (proven?.reason !== undefined && isTime(proven.term) && proven.other.kind === "number") {
    const { closeTimeUnixSeconds } = replayed.record.ledger;
    const seconds = BigInt(closeTimeUnixSeconds) - BigInt(proven.other.number);
    if (seconds > 0n) return clockMoved(cause, seconds, true);
  }
  const refused = why?.why.refused ?? null;
  const byClock = mayBeOfClock(refused, keys)
    ? await optionalRun("To see whether the close time decided", options, () =>
        withEarlierClock(engines, replayed, cause, keys, options),
      )
    : null;
  if (byClock !== null) return byClock;
  const byNumber = refused?.values.includes("sequence")
    ? await optionalRun("To see whether the ledger's number decided", options, () =>
        withEarlierNumber(engines, replayed, cause, options),
      )
    : null;
  if (byNumber !== null) return byNumber;
  const { changed, evidence } = keys
    ? await findMovedState(ledgers, replayed, keys, options)
    : { changed: false, evidence: [] };
  const facts = { ...cause, evidence: [...evidence, ...cause.evidence] };
  if (changed) return stateMoved(facts);
  return refused === null ? facts : keyRestsOn(facts, refused);
}

function isTime({ kind, name }: Term): boolean {
  return kind === "ledger" && name === "time";
}

/** Without neighboring keys, the clock counts only if the code shows it. */
function mayBeOfClock(refused: Refused | null, keys: StaleKeys | undefined): boolean {
  if (refused === null) return keys !== undefined;
  const { values, control, complete } = refused;
  const isOfTime = values.includes("time") || control.includes("time");
  return isOfTime || (keys !== undefined && !complete);
}

/** Null if no earlier time changes the failure, or if the replay is not the chain's run. */
async function withEarlierClock(
  engines: Engines,
  replayed: StaleReplay,
  cause: CauseFinding,
  stale: StaleKeys | undefined,
  { signal }: OptionalRun,
): Promise<CauseFinding | null> {
  if (!isRunOfChain(replayed.verdict)) return null;
  const keys = stale ? neighboringKeys([stale.askedXdr], [stale.footprintXdr]) : null;
  const between = keys === null ? 0n : keys.accessedNumber - keys.neighbor;
  // A key that counts seconds is in the footprint with those of the simulation.
  const own = between > 0n && between <= LONGEST ? [between] : [];
  const ended = instructionsOf(replayed.execution.metrics);
  const closeTime = BigInt(replayed.record.ledger.closeTimeUnixSeconds);
  for (const seconds of [...own, ...EARLIER_BY]) {
    const ledger = { closeTimeUnixSeconds: String(closeTime - seconds) };
    const ran = await runVariant(engines, replayed, { ledger }, { signal });
    const { outcome, metrics, diagnosticsXdr } = ran;
    if (outcome.kind === "success") return clockMoved(cause, seconds, true);
    const isOther = failureIn(diagnosticsXdr) !== failureIn(replayed.execution.diagnosticsXdr);
    if (outcome.kind === "failed" && isOther && instructionsOf(metrics) > ended)
      return clockMoved(cause, seconds, false);
  }
  return null;
}

/** The first report of the host. */
function failureIn(diagnosticsXdr: readonly string[]): string {
  return JSON.stringify(readErrorReports(diagnosticsXdr)[0] ?? null);
}

/** Ledgers by which a simulation comes before its transaction. */
const EARLIER_LEDGERS = [1, 2, 5, 10, 20, 60];

async function withEarlierNumber(
  engines: Engines,
  replayed: StaleReplay,
  cause: CauseFinding,
  { signal }: OptionalRun,
): Promise<CauseFinding | null> {
  if (!isRunOfChain(replayed.verdict)) return null;
  for (const ledgers of EARLIER_LEDGERS) {
    const ledger = { sequence: replayed.record.ledger.sequence - ledgers };
    const { outcome } = await runVariant(engines, replayed, { ledger }, { signal });
    if (outcome.kind === "success") return numberMoved(cause, ledgers);
  }
  return null;
}

function instructionsOf({ cpu_insn: instructions = "0" }: Execution["metrics"]): bigint {
  return BigInt(instructions);
}

/** `changed` is set if a ledger of the sources shows the change. */
async function findMovedState(
  ledgers: LedgerReader | null,
  { record, snapshot }: Pick<Replayable, "record" | "snapshot">,
  { askedXdr, footprintXdr }: StaleKeys,
  options: { readonly signal: AbortSignal },
): Promise<{ readonly changed: boolean; readonly evidence: readonly CauseEvidence[] }> {
  const keys = neighboringKeys([askedXdr], [footprintXdr]);
  if (keys === null) return { changed: false, evidence: [] };
  const { contract } = dataKeyOf(askedXdr);
  const isOwn = (keyXdr: string) =>
    typeOfKey(keyXdr) === ENTRY_TYPE.contractData && dataKeyOf(keyXdr).contract === contract;
  const certain = snapshot.entries.filter(
    ({ keyXdr, provenance }) => isOwn(keyXdr) && provenance.kind !== "assumed",
  );
  const lookup = lookupIn(snapshot.entries);
  const certainKeys = new Set(certain.map(({ keyXdr }) => keyXdr));
  let count = 0;
  for await (const change of earlierChanges(ledgers, record, snapshot, options)) {
    count += 1;
    if (count > MAXIMUM_TRANSACTIONS) break;
    for (const [keyXdr, before] of change.before) {
      if (!certainKeys.has(keyXdr)) continue;
      const after = change.after.get(keyXdr)?.entryXdr ?? null;
      const moved = movedField(before.entryXdr, after, keys);
      if (moved !== null) {
        const { transactionHash, ledger, applicationOrder } = change;
        const by = { transactionHash, ledger, applicationOrder };
        const entry = describeTypedKey(keyXdr, lookup);
        return { changed: true, evidence: [{ kind: "state-changed", ...by, entry, ...moved }] };
      }
    }
  }
  const contains = certain.flatMap((entry) => lastChange(entry, keys.accessedNumber, lookup));
  return { changed: false, evidence: contains.slice(0, 1) };
}

/** The field whose number changed from that of the footprint's key to that of the requested key. */
function movedField(
  before: string | null,
  after: string | null,
  { accessedNumber, neighbor }: Pick<NeighboringKeys, "accessedNumber" | "neighbor">,
): FieldDifference | null {
  if (before === null || after === null) return null;
  const moved = fieldDifferences(before, after).find(({ numbers: [from, to] }) => {
    if (from === null || to === null || !isNear(to, accessedNumber)) return false;
    return accessedNumber > neighbor ? from < to : from > to;
  });
  return moved ?? null;
}

function isNear(left: bigint, right: bigint): boolean {
  return left - right <= NEAR && right - left <= NEAR;
}

/** No source has the ledger with the change, so only its number is known. */
function lastChange(
  { keyXdr, entryXdr }: SnapshotEntry,
  accessedNumber: bigint,
  lookup: ContractLookup,
): CauseEvidence[] {
  if (entryXdr === null || !integersInEntry(entryXdr).includes(accessedNumber)) return [];
  const entry = describeTypedKey(keyXdr, lookup);
  const ledger = lastModifiedOf(entryXdr);
  return [{ kind: "last-changed", entry, number: accessedNumber, ledger }];
}
