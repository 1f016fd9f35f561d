// Runs a transaction again in the host of another protocol, and lists what would have been
// different. This shows the effect of the host alone: an upgrade also changes settings, which are
// unknown before it.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase, svc } from "../../base/phrase.ts";
import { neutralise } from "../../base/text/neutralise.ts";
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
    function: invoked && neutralise(invoked.function),
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
  const differences = ASPECTS.flatMap(([name, partsOf, show]) => {
    const [now, then] = [partsOf(execution), partsOf(other)];
    const part = [...now.keys(), ...then.keys()].find((each) => now.get(each) !== then.get(each));
    if (part === undefined) return [];
    const shown = (value: string | undefined) => (value === undefined ? "none" : show(value));
    const [before, after] = apart(shown(now.get(part)), shown(then.get(part)));
    const subject = name === "changes" ? `change of ${describeKey(part)}` : `${name}${part}`;
    return [
      { name, detail: `${subject}: ${before} now, ${after} under protocol ${protocolVersion}.` },
    ];
  });
  return { differences: differences.map(({ name }) => name), detail: differences[0]?.detail ?? "" };
}

/** The values of an aspect by the names of its parts. */
type Parts = ReadonlyMap<string, string>;
type Aspect = readonly [
  name: string,
  partsOf: (execution: Execution) => Parts,
  show: (value: string) => string,
];

const whole = (value: string): Parts => new Map([["", value]]);
const asItIs = (value: string) => value;

const ASPECTS: readonly Aspect[] = [
  ["result", ({ outcome, hostError }) => whole(resultOf(outcome, hostError)), asItIs],
  [
    "return value",
    ({ returnValueXdr }) => (returnValueXdr === null ? new Map() : whole(returnValueXdr)),
    (xdr) => showValue(xdr, Number.POSITIVE_INFINITY),
  ],
  [
    "events",
    ({ eventsXdr }) => new Map(eventsXdr.map((xdr, i) => [`, event ${i + 1}`, xdr])),
    (xdr) => jsonOf("ContractEvent", xdr),
  ],
  [
    "changes",
    ({ changes }) => new Map(changes.map((each) => [each.keyXdr, changeText(each)])),
    (text) => {
      const [kind = "", afterXdr = ""] = text.split(" ");
      return afterXdr === "" ? kind : `${kind}, ${jsonOf("LedgerEntry", afterXdr)}`;
    },
  ],
  [
    "fee",
    ({ fees }) => whole(`${fees.nonRefundableStroops} + ${fees.refundableConsumedStroops} stroops`),
    asItIs,
  ],
];

function changeText({ kind, afterXdr }: LedgerChange): string {
  return `${kind} ${afterXdr ?? ""}`;
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
