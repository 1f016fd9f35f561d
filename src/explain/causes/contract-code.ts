// Failures of a contract's own code or interface: a trap, an unknown function, or arguments that
// the function does not accept.

import { nearestWord } from "../../base/errors/did-you-mean.ts";
import type { SpecFunction, SpecType } from "../../xdr/contract/contract-spec.ts";
import { showSpecType } from "../../xdr/contract/contract-spec.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { mayBe } from "../../xdr/contract/value-kind.ts";
import { CALLS, messageIn } from "../../xdr/outcome/host-messages.ts";
import { holderOfMuxed } from "../../xdr/values/value-parts.ts";
import { trapInWords } from "../host-messages/host-errors.ts";
import { placeInWords } from "../naming/code-location.ts";
import { showFunction } from "../naming/named-calls.ts";
import { absence } from "./absent-entries.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

const SHOWN_NAMES = 20;

export function trapCause(failure: Failure): CauseFacts | null {
  const { error, origin, call } = failure;
  if (error?.type !== "WasmVm" || call === null) return null;
  const { trap } = messageIn(CALLS, origin?.message)?.facts ?? {};
  if (trap === undefined) return null;
  const where = callInWords(failure);
  const missed = absence(failure);
  const suppositions = missed.lookUps.length > 0 ? missed.lookUps : absentEntries(failure);
  const misfit = argumentMisfit(failure);
  const shown = trap === UNREACHABLE ? "panicked" : "trapped";
  const trapped = `${where} ${shown} (${trap})${placeOf(failure)}`;
  if (misfit !== null) {
    const evidence = [...suppositions, ...evidenceOf(failure)];
    const summary = `${trapped}: ${misfit.words}.`;
    const { remedy } = misfit;
    const cause = { kind: "argument-type", summary, confidence: "likely" } as const;
    return { cause, evidence, suppositions, remedy, beforeDecision: `${trapped}.` };
  }
  const kind = "contract-panic";
  if (trap === UNREACHABLE && missed.last !== null) {
    const summary = `${trapped} after it looked up ${missed.last}.`;
    const evidence = [...missed.lookUps.slice(1), ...evidenceOf(failure)];
    const cause = { kind, summary, confidence: "likely" } as const;
    const { remedy } = missed;
    const before = { beforeDecision: `${trapped}.`, isLastResort: true } as const;
    return { cause, evidence, suppositions, remedy, ...before };
  }
  const words = trapInWords(trap)?.words ?? "the code cannot continue";
  const usual = suppositions.length > 0 ? "." : `. ${USUAL_REASONS}`;
  const why = trap === UNREACHABLE ? "" : `: ${words}`;
  return {
    cause: { kind, summary: `${trapped}${why}${why === "" ? usual : "."}`, confidence: "known" },
    evidence: [...suppositions, ...evidenceOf(failure)],
    suppositions,
    remedy: missed.remedy,
    isLastResort: true,
    beforeDecision: `${trapped}${why}.`,
  };
}

/** ` at take (src/lib.rs:12)`; empty without a source line. */
function placeOf({ execution }: Failure): string {
  const location = execution?.location;
  if (location?.kind !== "known" || location.linesFrom === null) return "";
  const place = placeInWords(location);
  return place === null ? "" : ` in ${place}`;
}

const UNREACHABLE = "UnreachableCodeReached";
const USUAL_REASONS =
  "Usual reasons: an arithmetic overflow, a failed unwrap, an index out of bounds, or an argument " +
  "of the wrong type.";

/** A common reason for a panic is an entry that does not exist. Those of a node are said apart. */
function absentEntries({ snapshot, lookup, absentByNode }: Failure): string[] {
  const absent = (snapshot?.entries ?? []).filter(
    ({ keyXdr, entryXdr }) => entryXdr === null && !absentByNode.includes(keyXdr),
  );
  if (absent.length === 0) return [];
  const names = absent.slice(0, SHOWN_NAMES).map(({ keyXdr }) => describeTypedKey(keyXdr, lookup));
  return [`These footprint entries did not exist or had expired: ${names.join("; ")}.`];
}

/** The asset contract reports nothing when it cannot convert its arguments. */
export function assetArgumentCause(failure: Failure): CauseFacts | null {
  const { error, origin, call, lookup } = failure;
  if (error?.type !== "Value" || origin !== null || call === null) return null;
  const misfit = lookup(call.contract)?.wasmHash === null ? argumentMisfit(failure) : null;
  if (misfit === null) return null;
  const summary = `The asset contract refused ${callInWords(failure)}: ${misfit.words}.`;
  const { remedy } = misfit;
  const cause = { kind: "argument-type", summary, confidence: "known" } as const;
  return { cause, evidence: evidenceOf(failure), remedy };
}

const NO_VECTOR: readonly string[] = ["plain", "bytes", "map"] satisfies SpecType["kind"][];

/** The first argument whose value does not fit its type; null when all may fit. */
function argumentMisfit({ call, lookup }: Failure) {
  if (call === null) return null;
  const spec = lookup(call.contract)?.spec ?? null;
  const inputs = spec?.functions.get(call.function ?? "")?.inputs ?? [];
  if (inputs.length !== call.argumentsXdr.length) return null;
  // A single vector argument looks the same as its elements as separate arguments.
  if (inputs.length === 1 && !NO_VECTOR.includes(inputs[0]?.type.kind ?? "")) return null;
  for (const [i, { name, type }] of inputs.entries()) {
    const value = call.argumentsXdr[i] ?? "";
    if (mayBe(value, type, spec)) continue;
    const [own, wanted] = [`\`${name}\``, withArticle(showSpecType(type))];
    const holder = holderOfMuxed(value);
    const words = `argument ${own} is ${holder === null ? "" : "a muxed address, "}not ${wanted}`;
    const isForHolder = holder !== null && wanted === "an address";
    return { words, remedy: `Pass ${isForHolder ? holder : wanted} as ${own}.` };
  }
  return null;
}

export function interfaceCause(failure: Failure): CauseFacts | null {
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
    const names = [...(spec?.functions.keys() ?? [])].filter((name) => !name.startsWith("__"));
    const more = names.length > SHOWN_NAMES ? `, and ${names.length - SHOWN_NAMES} more` : "";
    const listed = `${names.slice(0, SHOWN_NAMES).join(", ")}${more}`;
    const known = names.length === 0 ? "" : ` Its functions are ${listed}.`;
    const near = nearestWord(call.function, names);
    const hint = near === null ? "" : `Did you mean \`${near}\`? `;
    const summary = `Contract ${contract} has no function ${showFunction(call.function)}.${known}`;
    const remedy = `${hint}Check the function's name and the contract's version.`;
    return { cause: { kind: "function-missing", summary, confidence: "known" }, evidence, remedy };
  }
  const taken = spec?.functions.get(call.function) ?? null;
  if (reported !== "argument-count" || taken === null) return null;
  const given = `${call.argumentsXdr.length} ${call.argumentsXdr.length === 1 ? "was" : "were"} given`;
  const summary = `${callInWords(failure)} takes ${taken.inputs.length} arguments, but ${given}.`;
  const remedy = `Call the function as ${signatureOf(taken)}.`;
  return { cause: { kind: "argument-count", summary, confidence: "known" }, evidence, remedy };
}

/** `a u32`, `an i128`: a type's name that begins with u is spoken as a consonant. */
function withArticle(typeName: string): string {
  return `${/^[aeio]/i.test(typeName) ? "an" : "a"} ${typeName}`;
}

function signatureOf({ name, inputs }: SpecFunction): string {
  const typed = inputs.map((input: { name: string; type: SpecType }) => {
    return `${input.name}: ${showSpecType(input.type)}`;
  });
  return `${name}(${typed.join(", ")})`;
}
