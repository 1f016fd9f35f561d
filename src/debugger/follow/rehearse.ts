// A transaction run again under the host of another protocol, and what would have been different.
// It shows the host alone: an upgrade also changes settings, which are not known before it.

import { SvcError } from "../../base/errors/errors.ts";
import type { Execution, LedgerChange } from "../../model/execution.ts";
import type { Engines } from "../run/replay.ts";
import { type Replayable, runVariant } from "../run/run-variant.ts";

export interface Rehearsed {
  /** What differs; empty when nothing does. */
  readonly differences: readonly string[];
  /** The first difference, with both values. */
  readonly detail: string;
}

/** A host that dies or refuses is a difference too. Others of the simulator's errors end svc. */
const OF_ONE_RUN = /^SIMULATOR_(FAILED|DIED|TIMEOUT|INVALID_JSON)$/;

/** `execution`: under the chain's own protocol. */
export async function rehearse(
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
    if (!(error instanceof SvcError) || !OF_ONE_RUN.test(error.code)) throw error;
    return { differences: ["no result"], detail: error.message };
  }
  const found = ASPECTS.flatMap(([name, aspect]) => {
    const [now, then] = [aspect(execution), aspect(other)];
    return now === then ? [] : [{ name, now, then }];
  });
  const [first] = found;
  const detail =
    first === undefined
      ? ""
      : `${first.name}: ${shown(first.now)} now, ${shown(first.then)} under protocol ${protocolVersion}.`;
  return { differences: found.map(({ name }) => name), detail };
}

const ASPECTS: readonly (readonly [string, (execution: Execution) => string])[] = [
  ["result", ({ outcome, hostError }) => resultOf(outcome, hostError)],
  ["return value", ({ returnValueXdr }) => returnValueXdr ?? "none"],
  ["events", ({ eventsXdr }) => eventsXdr.join(",")],
  ["changes", ({ changes }) => changes.map(changeText).sort().join(",")],
  ["fee", ({ fees }) => `${fees.nonRefundableStroops} + ${fees.refundableConsumedStroops} stroops`],
];

function resultOf(outcome: Execution["outcome"], error: Execution["hostError"]): string {
  if (outcome.kind !== "failed") return outcome.kind;
  if (error === null) return outcome.code;
  return `${outcome.code} with Error(${error.type}, ${error.contractCode ?? error.code})`;
}

function changeText({ kind, keyXdr, afterXdr }: LedgerChange): string {
  return `${kind} ${keyXdr} ${afterXdr}`;
}

const SHOWN = 80;

function shown(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}...`;
}
