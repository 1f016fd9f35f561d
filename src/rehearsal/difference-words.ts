// The sentences for what a rehearsal finds: the differences of calls and interfaces, stored values
// that no longer decode, and the reasons why transactions are not judged.

import { grouped } from "../base/text/grouped.ts";
import { jsonDocumentPieces } from "../base/text/json-document.ts";
import { sentenceStart } from "../base/text/sentence.ts";
import { lackingStateInWords } from "../debugger/fix/record-authorizations.ts";
import type { BeforehandFailure } from "../debugger/what-if/call-beforehand.ts";
import { footprintBlockInWords } from "../fix/footprint.ts";
import { showUnread } from "../xdr/contract/contract-spec.ts";
import type { CallDifference, EntryLeft, NotJudgedReason, RunEnd } from "./call-difference.ts";
import { type FailOn, failedConditions } from "./fail-on.ts";
import type { DefinitionDifference, InterfaceDifference } from "./interface-difference.ts";
import type { FailureReason, RehearsedCall, UpgradeRehearsal } from "./rehearsal.ts";
import type { MisfitFault, StoredMisfit } from "./stored-types.ts";

/** One or more sentences; empty for a call that is the same. */
export function differencesInWords({ differences }: Pick<RehearsedCall, "differences">): string {
  const sentences = differences.map((each) => differenceInWords(each, differences));
  return sentences.filter((each) => each !== "").join(" ");
}

/** The rehearsal as JSON, with the sentences of each call as `detail`, in pieces. */
export function* rehearsalJson(
  rehearsal: UpgradeRehearsal,
  conditions: readonly FailOn[],
): Generator<string> {
  // Builds are named by their hashes: machines have a build under different paths.
  const contracts = rehearsal.contracts.map(({ file: _, ...contract }) => contract);
  const document = {
    ...rehearsal,
    contracts,
    calls: [],
    ...(conditions.length > 0 && { failedConditions: failedConditions(rehearsal, conditions) }),
  };
  yield* jsonDocumentPieces(document, "calls", detailed(rehearsal.calls));
}

/** The cause of calls that fail for one reason, with the value that decided. */
export function reasonInWords({ cause, summary, decided }: FailureReason): string {
  if (decided === null) return summary;
  // That a contract panicked is no more than that its code stopped.
  return cause === "contract-panic"
    ? decided.by.summary
    : `${decided.summary} ${decided.by.summary}`;
}

function* detailed(calls: UpgradeRehearsal["calls"]) {
  for (const call of calls) yield { ...call, detail: differencesInWords(call) };
}

function differenceInWords(difference: CallDifference, all: readonly CallDifference[]): string {
  switch (difference.kind) {
    case "no-result":
      return difference.message;
    case "first-fails":
      return firstFailureInWords(difference.failure);
    case "state-unknown":
      return footprintBlockInWords(difference.block);
    case "signatures":
      return `The call needs an authorization signed by ${difference.signers.join(" and ")}.`;
    case "newly-succeeding":
      return `The call failed before, with ${endInWords(difference.before)}.`;
    case "function-gone": {
      const { contract, function: name } = difference;
      // The cause says it too, with the functions that the contract has.
      if (all.some(isFunctionMissing)) return "";
      return `Contract ${contract} has no function ${name}.${nearInWords(difference)}`;
    }
    case "cause": {
      const gone = all.find((each) => each.kind === "function-gone");
      const near = isFunctionMissing(difference) && gone !== undefined ? nearInWords(gone) : "";
      return `${difference.summary}${near}`;
    }
    case "failure":
      return `The call fails with ${endInWords(difference.after)}.`;
    case "other-failure":
      return `The call failed with ${endInWords(difference.before)} before, and fails with ${endInWords(difference.after)} now.`;
    case "result": {
      const [before, after] = [difference.before ?? "nothing", difference.after ?? "nothing"];
      return `The call returned ${before} before, and returns ${after} with the new code.`;
    }
    case "entry": {
      const { entry, before, after, others } = difference;
      const more = others === 0 ? "" : ` (and ${grouped(others)} more)`;
      const isSameValue = before.value === after.value;
      const [was, is] = [before, after].map((left) => leftInWords(left, isSameValue));
      return `${sentenceStart(entry)}: ${was} before, ${is} with the new code${more}.`;
    }
    case "events": {
      const { before, after } = difference;
      const content = before === after ? ", with other content" : "";
      return `Events: ${before} before, ${after} with the new code${content}.`;
    }
    case "redeclared":
      return `The sender has to declare anew: ${difference.parts.join(", ")}.`;
  }
}

function firstFailureInWords({ function: name, cause }: BeforehandFailure): string {
  return `${name} fails before the call: ${firstCauseInWords(cause)}.`;
}

/** A clause. */
function firstCauseInWords(cause: BeforehandFailure["cause"]): string {
  switch (cause.kind) {
    case "entry-unknown":
    case "incomplete":
      return lackingStateInWords(cause);
    case "host":
      return cause.message;
    case "archived":
      return "archived entries have to be restored first";
  }
}

function isFunctionMissing(difference: CallDifference): boolean {
  return difference.kind === "cause" && difference.cause === "function-missing";
}

type FunctionGone = Extract<CallDifference, { readonly kind: "function-gone" }>;

/** A sentence after another one; empty if no name is near. */
function nearInWords({ function: name, near }: FunctionGone): string {
  return near === null ? "" : ` Did the author mean \`${near}\` instead of \`${name}\`?`;
}

function leftInWords({ change, value }: EntryLeft, isSameValue: boolean): string {
  if (value !== null && !isSameValue) return value;
  return change === "none" ? "not changed" : change;
}

function endInWords(end: RunEnd): string {
  switch (end.kind) {
    case "success":
      return "success";
    case "internal-error":
      return `an internal error (${end.message})`;
    case "host-error":
      return `Error(${end.type}, ${end.code})`;
    case "result-code":
      return end.code;
  }
}

export function interfaceInWords(difference: InterfaceDifference): string {
  switch (difference.kind) {
    case "size":
      return `Size: ${grouped(difference.before)} bytes before, ${grouped(difference.after)} now.`;
    case "sdk":
      return `SDK: ${difference.before ?? "unknown"} before, ${difference.after ?? "unknown"} now.`;
    case "protocol":
      return `Protocol: ${difference.before ?? "unknown"} before, ${difference.after ?? "unknown"} now.`;
    case "specification":
      return difference.only === "before"
        ? "The new build has no specification that svc can read."
        : "Only the new build has a specification that svc can read.";
    case "unread": {
      const build = difference.of === "before" ? "old" : "new";
      return `Not all of the ${build} build's interface is compared: ${showUnread(difference.unread)}`;
    }
    default:
      return definitionInWords(difference);
  }
}

function definitionInWords({ kind, name, change, before, after }: DefinitionDifference): string {
  const definitions = before === null ? "" : `: ${before} before, ${after} now`;
  return `${DEFINITIONS[kind]} ${name} is ${change}${definitions}.`;
}

const DEFINITIONS = {
  function: "Function",
  type: "Type",
  error: "Error",
  event: "Event",
} as const satisfies Record<DefinitionDifference["kind"], string>;

/** A clause. */
export function misfitInWords({ at, fault }: StoredMisfit): string {
  const places = at.map(({ part, name, type }) => `${part} ${name} of ${type}: `);
  return `${places.join("")}${faultInWords(fault)}`;
}

function faultInWords(fault: MisfitFault): string {
  const { type } = fault;
  switch (fault.kind) {
    case "other-type":
      return `it is not a ${type}`;
    case "type-gone":
      return `the new code does not define the type ${type}`;
    case "case-gone":
      return `${type} has no case ${fault.case}`;
    case "case-size":
      return `case ${fault.case} of ${type} has ${fault.declared} values, not ${fault.stored}`;
    case "field-missing":
      return `it lacks the field ${fault.field} of ${type}`;
    case "field-gone":
      return `${type} has no field ${fault.field ?? "like that"}`;
  }
}

/** A clause. */
export function notJudgedInWords(reason: NotJudgedReason): string {
  switch (reason.kind) {
    case "other-contract":
      return "the transaction does not call the contract";
    case "other-function":
      return "the transaction does not call the function";
    case "no-code":
      return "before the call, the contract had no code of its own that could be replaced";
    case "nothing-ran":
      return "nothing ran in the contract host";
    case "state-unknown":
      return "the state before it is not known";
    case "other-result":
      return "the result of the replay is not the chain's";
    case "verdict":
      return `the verdict is ${reason.verdict}`;
    case "not-replayed":
      return reason.cause ?? "nothing was replayed";
  }
}
