// Explains an access outside the footprint: the key, and whether it was read-only in the footprint
// or missing. If the footprint has a neighbor of the key instead, the simulation was stale:
// something changed before the transaction ran, and other ledgers and runs show what it was.

import type { Refused } from "../../model/why.ts";
import {
  dataKeyOf,
  describeNeededKey,
  describeTypedKey,
  showDataKey,
} from "../../xdr/contract/key-typed.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import type { ErrorReport } from "../../xdr/outcome/error-reports.ts";
import { ENTRIES, messageIn } from "../../xdr/outcome/host-messages.ts";
import { missedKeys } from "../../xdr/outcome/missed-keys.ts";
import { integersIn, neighboringKeys } from "../../xdr/values/neighboring-key.ts";
import { showValue } from "../../xdr/values/value.ts";
import {
  type CauseFinding,
  type FootprintFacts,
  type FoundBy,
  type Moved,
  staleKeysOf,
} from "../words/found-cause.ts";
import { evidenceOf, type Failure } from "./failure.ts";
import { hostFunctionOf } from "./host-refusal.ts";

/** Host functions that write nothing. */
const READS = /^(has|get)_/;

export function footprintCause(failure: Failure): CauseFinding | null {
  const { origin, error, envelope } = failure;
  if (error?.type !== "Storage" || error.code !== "ExceededLimit") return null;
  const entries = (failure.snapshot?.entries ?? []).flatMap(({ entryXdr }) => entryXdr ?? []);
  const footprint = envelope?.soroban?.footprint ?? { readOnly: [], readWrite: [] };
  const named = [...footprint.readOnly, ...footprint.readWrite];
  const possible = origin === null ? [] : missedKeys(origin, entries, named);
  const [needed] = possible;
  const isRead = READS.test(hostFunctionOf(failure) ?? "");
  const declared = possible.find((key) => footprint.readOnly.includes(key));
  const neighbor = declared === undefined ? neighborOf(failure, possible) : null;
  const access =
    declared !== undefined
      ? "written"
      : envelope === null && !isRead
        ? "outside-or-written"
        : "outside";
  return {
    by: "footprint",
    kind: neighbor === null ? "footprint-miss" : "stale-simulation",
    facts: {
      entry:
        needed === undefined
          ? reportedEntry(origin)
          : {
              of: "key",
              name:
                declared === undefined
                  ? describeNeededKey(needed, failure.lookup)
                  : describeTypedKey(declared, failure.lookup),
            },
      access,
      neighbor,
      moved: null,
    },
    // The footprint can also be a mistake.
    confidence: neighbor === null ? "known" : "likely",
    evidence: evidenceOf(failure),
  };
}

/** The entry that the host reports without its key. */
function reportedEntry(origin: ErrorReport | null): FootprintFacts["entry"] {
  const known = messageIn(ENTRIES, origin?.message);
  const entryType = known?.id === "outside-footprint" ? (known.facts.entry ?? null) : null;
  const about = origin?.valuesXdr.map((value) => showValue(value)).join(", ") ?? "";
  return { of: "report", entryType, about };
}

/**
 * The neighbor; null if no key of the footprint is one, or if the call itself contains the number.
 */
function neighborOf(
  { envelope, lookup }: Failure,
  possible: readonly string[],
): FootprintFacts["neighbor"] {
  if (envelope === null) return null;
  const footprint = envelope.soroban?.footprint ?? { readOnly: [], readWrite: [] };
  const neighbor = neighboringKeys(possible, [...footprint.readOnly, ...footprint.readWrite]);
  if (neighbor === null || isArgument(envelope, neighbor.accessedNumber)) return null;
  const { contract, key } = dataKeyOf(neighbor.askedXdr);
  const spec = lookup(contract)?.spec ?? null;
  return {
    contract,
    accessedKey: showDataKey(key, spec),
    named: showDataKey(dataKeyOf(neighbor.neighborXdr).key, spec),
    keys: { askedXdr: neighbor.askedXdr, footprintXdr: neighbor.neighborXdr },
  };
}

/**
 * Says whether the number is an argument. The footprint then belongs to another call, not to
 * another state.
 */
function isArgument({ hostFunction }: Envelope, number: bigint): boolean {
  const argumentsXdr = hostFunction?.argumentsXdr ?? [];
  return argumentsXdr.some((value) => integersIn(value).includes(number));
}

type FootprintCause = Pick<FoundBy<"footprint">, "kind" | "confidence">;

/** The cause with additional facts. */
function withMoved(
  finding: CauseFinding,
  moved: Moved,
  known: Partial<FootprintCause> = {},
): CauseFinding {
  if (finding.by !== "footprint") return finding;
  return { ...finding, ...known, facts: { ...finding.facts, moved } };
}

/** The cause of a stale simulation whose state has changed. */
export function stateMoved(finding: CauseFinding, isKnown = false): CauseFinding {
  return withMoved(finding, { by: "state" }, isKnown ? { confidence: "known" } : {});
}

/**
 * The cause of a stale simulation whose state has not changed: with an earlier close time it
 * succeeds, or gets further.
 */
export function clockMoved(
  finding: CauseFinding,
  seconds: bigint,
  succeeds: boolean,
): CauseFinding {
  const confidence = succeeds ? "known" : "likely";
  return withMoved(
    finding,
    { by: "time", seconds, succeeds },
    { kind: "stale-close-time", confidence },
  );
}

/** The cause of a stale simulation that succeeds with an earlier ledger's number. */
export function numberMoved(finding: CauseFinding, ledgers: number): CauseFinding {
  const known = { kind: "stale-simulation", confidence: "known" } as const;
  return withMoved(finding, { by: "number", ledgers }, known);
}

/** The cause if runs show nothing: what the key depends on, as far as the code shows all of it. */
export function keyRestsOn(
  finding: CauseFinding,
  { values, control, complete }: Refused,
): CauseFinding {
  const stale = { kind: "stale-simulation" } as const;
  const ofLedger = (["random", "time", "sequence"] as const).find((of) => values.includes(of));
  if (ofLedger !== undefined) return withMoved(finding, { by: "key", of: ofLedger }, stale);
  const isOfLedger = control.some((kind) => OF_LEDGER.has(kind));
  if (staleKeysOf(finding) === undefined || !complete || isOfLedger) return finding;
  if (values.includes("state")) return withMoved(finding, { by: "key", of: "state" }, stale);
  if (control.includes("state")) return finding;
  // Nothing is stale then.
  return withMoved(finding, { by: "key", of: "arguments" }, { kind: "footprint-miss" });
}

const OF_LEDGER: ReadonlySet<string> = new Set(["time", "sequence", "random"]);
