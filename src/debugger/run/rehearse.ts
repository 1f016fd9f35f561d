// Runs a transaction again in the host of another protocol, and lists what would have been
// different. This shows the effect of the host alone: an upgrade also changes settings, which are
// unknown before it.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase, svc } from "../../base/phrase.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { showFunction } from "../../explain/naming/named-calls.ts";
import type { ChainRecord } from "../../model/chain-record.ts";
import type { Execution, LedgerChange } from "../../model/execution.ts";
import { updateFor } from "../../model/protocols.ts";
import { resultCodeName } from "../../model/result-code.ts";
import { isReproduced, type VerdictKind } from "../../model/verdict.ts";
import type { RehearsedTransaction } from "../../model/verification.ts";
import type { openEnvelope } from "../../xdr/envelope/envelope.ts";
import { openRecord } from "../../xdr/envelope/opened-record.ts";
import { toJson } from "../../xdr/reader/to-json.ts";
import { decode } from "../../xdr/reader/value.ts";
import { describeKey, showValue } from "../../xdr/values/value.ts";
import type { Judged } from "./proof-context.ts";
import type { Engines } from "./replay.ts";
import { type Replayable, runVariant } from "./run-variant.ts";

type Rehearsed = Pick<RehearsedTransaction, "differences" | "detail">;

/** A host that dies or refuses is a difference too. Any other error of the simulator ends svc. */
export const OF_ONE_RUN: ReadonlySet<string> = new Set([
  "SIMULATOR_FAILED",
  "SIMULATOR_DIED",
  "SIMULATOR_TIMEOUT",
  "SIMULATOR_INVALID_JSON",
]);

/**
 * Checks that a host has the protocol. Throws PROTOCOL_UNKNOWN if the protocol is later than those
 * of all hosts, and PROTOCOL_UNSUPPORTED if it is not.
 */
export function checkHost(hosts: readonly { readonly protocol: number }[], version: number): void {
  const protocols = hosts.map(({ protocol }) => protocol);
  if (protocols.includes(version)) return;
  const isLater = version > Math.max(...protocols);
  throw new SvcError(isLater ? "PROTOCOL_UNKNOWN" : "PROTOCOL_UNSUPPORTED", {
    message: `svc-sim has no host of protocol ${version}; it has ${protocols.join(", ")}.`,
    remedy: isLater ? updateFor(version) : "Rehearse one of these protocols.",
    details: { protocolVersion: version },
  });
}

/** `where` names what has `protocolVersion`. Throws USAGE if `protocol` is not a later one. */
export function requireLater(protocol: number, protocolVersion: number, where: string): void {
  if (protocol > protocolVersion) return;
  throw new SvcError("USAGE", {
    message: `Protocol ${protocol} cannot be rehearsed: ${where} has protocol ${protocolVersion}.`,
    remedy: phrase`Pass a later protocol to ${flag("rehearseProtocol")}; ${svc("version")} lists the hosts.`,
    details: { protocolVersion, wanted: protocol },
  });
}

/**
 * Null if a rehearsal would show nothing: the replay does not reproduce the chain, or its ledger
 * already has that protocol or a later one.
 */
export async function rehearseTransaction(
  engines: Engines,
  record: ChainRecord,
  replayed: Judged | null,
  verdict: VerdictKind,
  protocolVersion: number,
  options: { readonly signal: AbortSignal },
): Promise<RehearsedTransaction | null> {
  if (!isReproduced(verdict) || replayed === null) return null;
  if (protocolVersion <= record.ledger.protocolVersion) return null;
  const { snapshot, execution } = replayed;
  const replayable = { ...openRecord(record), snapshot };
  const { envelope } = replayable;
  const comparison = await rehearse(engines, replayable, execution, protocolVersion, options);
  return {
    hash: record.hash,
    ledger: record.ledger.sequence,
    ...calledIn(envelope),
    ...comparison,
  };
}

export function calledIn({ hostFunction }: ReturnType<typeof openEnvelope>) {
  const invoked = hostFunction?.kind === "invoke" ? hostFunction : null;
  return {
    contract: invoked?.contract ?? null,
    function: invoked && showFunction(invoked.function),
  };
}

/** `execution` is the replay under the chain's own protocol. */
async function rehearse(
  engines: Engines,
  replayed: Replayable,
  execution: Execution,
  protocolVersion: number,
  options: { readonly signal: AbortSignal },
): Promise<Rehearsed> {
  let other: Execution;
  try {
    other = await runVariant(engines, replayed, { ledger: { protocolVersion } }, options);
  } catch (error) {
    if (!(error instanceof SvcError) || !OF_ONE_RUN.has(error.code)) throw error;
    return { differences: ["no result"], detail: error.message };
  }
  return differencesOf(execution, other, protocolVersion);
}

/**
 * Lists the aspects that differ, with the first difference in words. `other` is the run under that
 * protocol.
 */
export function differencesOf(
  execution: Execution,
  other: Execution,
  protocolVersion: number,
): Rehearsed {
  const differences = ASPECTS.flatMap(({ name, partsOf }) => {
    const [now, then] = [partsOf(execution), partsOf(other)];
    const part = [...now.keys(), ...then.keys()].find(
      (each) => !isSamePart(now.get(each), then.get(each)),
    );
    if (part === undefined) return [];
    const [before, after] = apart(partInWords(now.get(part)), partInWords(then.get(part)));
    const subject = name === "changes" ? `change of ${describeKey(part)}` : `${name}${part}`;
    return [
      { name, detail: `${subject}: ${before} now, ${after} under protocol ${protocolVersion}.` },
    ];
  });
  return { differences: differences.map(({ name }) => name), detail: differences[0]?.detail ?? "" };
}

/** The value of one part of an execution. */
type ComparedPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "value"; readonly xdr: string }
  | { readonly kind: "event"; readonly xdr: string }
  /** `afterXdr`: null if the entry was removed. */
  | {
      readonly kind: "change";
      readonly change: LedgerChange["kind"];
      readonly afterXdr: string | null;
    };
/** The parts by name, which is empty for one alone. */
type Parts = ReadonlyMap<string, ComparedPart>;

interface Aspect {
  readonly name: string;
  readonly partsOf: (execution: Execution) => Parts;
}

const textAlone = (text: string): Parts => new Map([["", { kind: "text", text }]]);

const ASPECTS: readonly Aspect[] = [
  {
    name: "result",
    partsOf: ({ outcome, hostError }) => textAlone(resultOf(outcome, hostError)),
  },
  {
    name: "return value",
    partsOf: ({ returnValueXdr: xdr }): Parts =>
      xdr === null ? new Map() : new Map([["", { kind: "value", xdr }]]),
  },
  {
    name: "events",
    partsOf: ({ eventsXdr }): Parts =>
      new Map(eventsXdr.map((xdr, at) => [`, event ${at + 1}`, { kind: "event", xdr }])),
  },
  {
    name: "changes",
    partsOf: ({ changes }): Parts =>
      new Map(
        changes.map(({ kind: change, keyXdr, afterXdr }) => [
          keyXdr,
          { kind: "change", change, afterXdr },
        ]),
      ),
  },
  {
    name: "fee",
    partsOf: ({ fees }) =>
      textAlone(`${fees.nonRefundableStroops} + ${fees.refundableConsumedStroops} stroops`),
  },
];

function isSamePart(left: ComparedPart | undefined, right: ComparedPart | undefined): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function partInWords(part: ComparedPart | undefined): string {
  switch (part?.kind) {
    case undefined:
      return "none";
    case "text":
      return part.text;
    case "value":
      return showValue(part.xdr, Number.POSITIVE_INFINITY);
    case "event":
      return jsonOf("ContractEvent", part.xdr);
    case "change":
      return part.afterXdr === null
        ? part.change
        : `${part.change}, ${jsonOf("LedgerEntry", part.afterXdr)}`;
  }
}

function jsonOf(type: "ContractEvent" | "LedgerEntry", xdr: string): string {
  return JSON.stringify(toJson(type, decode(type, xdr)));
}

function resultOf(outcome: Execution["outcome"], error: Execution["hostError"]): string {
  if (outcome.kind !== "failed") return outcome.kind;
  const code = resultCodeName(outcome);
  if (error === null) return code;
  return `${code} with Error(${error.type}, ${error.contractCode ?? error.code})`;
}

const SHOWN = 80;
/** The characters that are shown before the first difference. */
const SHOWN_BEFORE = 30;

/** Cuts both texts to begin a little before their first difference. */
export function apart(left: string, right: string): [string, string] {
  const shorter = Math.min(left.length, right.length);
  let same = 0;
  while (same < shorter && left[same] === right[same]) same += 1;
  const from = Math.max(left.length, right.length) <= SHOWN ? 0 : Math.max(0, same - SHOWN_BEFORE);
  const cut = (text: string) => {
    const end = text.length > from + SHOWN ? "…" : "";
    return neutralise(`${from > 0 ? "…" : ""}${text.slice(from, from + SHOWN)}${end}`);
  };
  return [cut(left), cut(right)];
}
