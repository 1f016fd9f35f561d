// Failures of a contract's own code or interface: a trap, an unknown function, or arguments that
// the function does not accept.

import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { withArticle } from "../../base/text/sentence.ts";
import type { SpecFunction, SpecType } from "../../xdr/contract/contract-spec.ts";
import { showSpecType } from "../../xdr/contract/contract-spec.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { isReserved } from "../../xdr/contract/reserved-functions.ts";
import { mayBe } from "../../xdr/contract/value-kind.ts";
import { CALLS, messageIn } from "../../xdr/outcome/host-messages.ts";
import { holderOfMuxed, symbolOf } from "../../xdr/values/value-parts.ts";
import { placeInWords } from "../naming/code-location.ts";
import { functionInCode } from "../naming/named-calls.ts";
import type { CallName } from "../words/call-name.ts";
import type { CauseFinding, Misfit } from "../words/found-cause.ts";
import type { CauseEvidence } from "../words/found-evidence.ts";
import { absence } from "./absent-entries.ts";
import { evidenceOf, type Failure, failedCallOf } from "./failure.ts";

const SHOWN_NAMES = 20;

export function trapCause(failure: Failure): CauseFinding | null {
  const { error, origin } = failure;
  if (error?.type !== "WasmVm") return null;
  const { trap } = messageIn(CALLS, origin?.message)?.facts ?? {};
  const name = failedCallOf(failure) ?? trappedFunction(failure);
  if (trap === undefined || name === null) return null;
  const missed = absence(failure);
  const suppositions = missed.lookUps.length > 0 ? missed.lookUps : absentEntries(failure);
  const misfit = argumentMisfit(failure);
  const place = { call: name, trap, place: sourcePlace(failure) };
  const evidence = [...suppositions, ...evidenceOf(failure)];
  if (misfit !== null)
    return {
      by: "misfit",
      kind: "argument-type",
      facts: { ...misfit, call: name, trapped: place },
      confidence: "likely",
      evidence,
    };
  const after = trap === UNREACHABLE ? missed.last : null;
  return {
    by: "trap",
    kind: "contract-panic",
    facts: {
      ...place,
      after,
      hasAbsent: suppositions.length > 0,
      hasArguments: failure.call?.argumentsXdr.length !== 0,
      miss: missed.advice,
    },
    confidence: after === null ? "known" : "likely",
    evidence: after === null ? evidence : [...missed.lookUps.slice(1), ...evidenceOf(failure)],
  };
}

/** A panic in a unit test, whose host runs the contract's Rust code and logs the panic's text. */
export function testPanicCause(failure: Failure): CauseFinding | null {
  const { panic } = failure;
  if (panic === null) return null;
  return {
    by: "test-panic",
    kind: "contract-panic",
    facts: { call: failedCallOf(failure), contract: failure.origin?.contract ?? null, panic },
    confidence: "known",
    evidence: evidenceOf(failure),
  };
}

/**
 * The function that trapped. The host reports it with the trap even if the log does not have its
 * call.
 */
function trappedFunction({ call, origin }: Failure): CallName | null {
  const [nameXdr] = origin?.valuesXdr ?? [];
  const name = call !== null || nameXdr === undefined ? null : symbolOf(nameXdr);
  if (name === null) return null;
  const contract = origin?.contract ?? null;
  const where = contract === null ? "" : ` of contract ${neutralise(contract)}`;
  const short = `${functionInCode(name)}${where}`;
  const whole = `${neutralise(name)}${where}`;
  return { contract, function: name, argumentsXdr: [], whole, short };
}

/** The function and line of the source; null without a source line. */
function sourcePlace({ execution }: Failure): string | null {
  const location = execution?.location;
  if (location?.kind !== "known" || location.linesFrom === null) return null;
  return placeInWords(location);
}

const UNREACHABLE = "UnreachableCodeReached";

/**
 * Absent entries, which are a common reason for a panic. Those that only a node shows are reported
 * separately.
 */
function absentEntries({ snapshot, lookup, absentByNode }: Failure): CauseEvidence[] {
  const absent = (snapshot?.entries ?? []).filter(
    ({ keyXdr, entryXdr }) => entryXdr === null && !absentByNode.includes(keyXdr),
  );
  if (absent.length === 0) return [];
  const names = absent.slice(0, SHOWN_NAMES).map(({ keyXdr }) => describeTypedKey(keyXdr, lookup));
  return [{ kind: "absent-entries", entries: names }];
}

/**
 * The cause of arguments that the asset contract cannot convert, about which it reports nothing.
 */
export function assetArgumentCause(failure: Failure): CauseFinding | null {
  const { error, origin, lookup } = failure;
  const call = failedCallOf(failure);
  if (error?.type !== "Value" || origin !== null || call === null) return null;
  const misfit = lookup(call.contract)?.wasmHash === null ? argumentMisfit(failure) : null;
  if (misfit === null) return null;
  return {
    by: "misfit",
    kind: "argument-type",
    facts: { ...misfit, call, trapped: null },
    confidence: "known",
    evidence: evidenceOf(failure),
  };
}

const NO_VECTOR: readonly string[] = ["plain", "bytes", "map"] satisfies SpecType["kind"][];

/** The first argument whose value does not fit its type; null if all may fit. */
function argumentMisfit({ call, lookup }: Failure): Misfit | null {
  if (call === null) return null;
  const spec = lookup(call.contract)?.spec ?? null;
  const inputs = spec?.functions.get(call.function ?? "")?.inputs ?? [];
  if (inputs.length !== call.argumentsXdr.length) return null;
  // A single vector argument looks the same as its elements as separate arguments.
  if (inputs.length === 1 && !NO_VECTOR.includes(inputs[0]?.type.kind ?? "")) return null;
  for (const [i, { name, type }] of inputs.entries()) {
    const value = call.argumentsXdr[i] ?? "";
    if (mayBe(value, type, spec)) continue;
    const expectedType = withArticle(showSpecType(type));
    return { argument: name, expectedType, holder: holderOfMuxed(value) };
  }
  return null;
}

export function interfaceCause(failure: Failure): CauseFinding | null {
  const { error, call, lookup, origin } = failure;
  if (error === null || call === null || call.function === null) return null;
  const contract = call.contract ?? "";
  const facts = lookup(call.contract);
  const spec = facts?.spec ?? null;
  const evidence = evidenceOf(failure);
  // The asset contract is part of the host and looks up its functions in another way.
  const ofAsset = facts?.wasmHash === null && !spec?.functions.has(call.function);
  const reported = messageIn(CALLS, origin?.message)?.id;
  if (ofAsset || reported === "function-unknown") {
    const names = [...(spec?.functions.keys() ?? [])].filter((name) => !isReserved(name));
    return {
      by: "unknown-function",
      kind: "function-missing",
      facts: {
        call: failedCallOf(failure),
        contract,
        function: call.function,
        functions: names,
        isAll: spec?.unread === undefined,
        near: nearestWord(call.function, names),
      },
      confidence: "known",
      evidence,
    };
  }
  const taken = spec?.functions.get(call.function) ?? null;
  if (reported !== "argument-count" || taken === null) return null;
  return {
    by: "argument-count",
    kind: "argument-count",
    facts: {
      call: failedCallOf(failure),
      taken: taken.inputs.length,
      passed: call.argumentsXdr.length,
      signature: signatureOf(taken),
    },
    confidence: "known",
    evidence,
  };
}

function signatureOf({ name, inputs }: SpecFunction): string {
  const typed = inputs.map((input: { name: string; type: SpecType }) => {
    return `${input.name}: ${showSpecType(input.type)}`;
  });
  return `${name}(${typed.join(", ")})`;
}
