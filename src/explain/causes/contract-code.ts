// Failures of a contract's own code or interface: a trap, an unknown function, arguments that the
// function does not take.

import type { SpecFunction, SpecType } from "../../xdr/contract/contract-spec.ts";
import { showSpecType } from "../../xdr/contract/contract-spec.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { mayBe } from "../../xdr/contract/value-kind.ts";
import { placeInWords } from "../naming/code-location.ts";
import { showFunction } from "../naming/named-calls.ts";
import { absentReads } from "./absent-reads.ts";
import { type CauseFacts, callInWords, evidenceOf, type Failure } from "./failure.ts";

const SHOWN_NAMES = 40;

export function trapCause(failure: Failure): CauseFacts | null {
  const { error, origin, call } = failure;
  if (error?.type !== "WasmVm" || call === null) return null;
  const trap = /^VM call trapped: (\w{1,40})$/.exec(origin?.message ?? "")?.[1];
  if (trap === undefined) return null;
  const where = callInWords(failure);
  const missed = absentReads(failure);
  const absent = missed.length > 0 ? missed : absentEntries(failure);
  const evidence = [...evidenceOf(failure), ...absent];
  const misfit = argumentMisfit(failure);
  if (misfit !== null) {
    const summary = `The contract's code trapped in ${where}: ${misfit}.`;
    const remedy = "Give arguments of the types that the contract's specification names.";
    return { cause: { kind: "argument-type", summary, confidence: "likely" }, evidence, remedy };
  }
  const words = TRAPS[trap] ?? "the code cannot go on";
  const place = placeInWords(failure.execution?.location);
  const there = place === null ? "" : `, in its function ${place}`;
  const summary = `The contract's code trapped (${trap}) in ${where}${there}: ${words}.`;
  return {
    cause: { kind: "contract-panic", summary, confidence: "known" },
    evidence,
    remedy: null,
  };
}

/** wasmi's TrapCode. */
const TRAPS: Readonly<Record<string, string>> = {
  UnreachableCodeReached:
    "a panic, an arithmetic overflow, a failed unwrap or an argument of a wrong type ends so",
  MemoryOutOfBounds: "it read or wrote outside its memory",
  TableOutOfBounds: "it called through a table entry that does not exist",
  IndirectCallToNull: "it called through an empty table entry",
  IntegerDivisionByZero: "it divided by zero",
  IntegerOverflow: "an integer operation overflowed",
  BadConversionToInteger: "a number could not be converted to an integer",
  BadSignature: "it called a function of another signature through a table",
};

/** A panic often comes from an entry that is not there. */
function absentEntries({ snapshot, lookup }: Failure): string[] {
  const absent = (snapshot?.entries ?? []).filter(({ entryXdr }) => entryXdr === null);
  if (absent.length === 0) return [];
  const names = absent.slice(0, SHOWN_NAMES).map(({ keyXdr }) => describeTypedKey(keyXdr, lookup));
  return [`Of its footprint, these did not exist or had expired: ${names.join("; ")}.`];
}

/** The asset contract takes its arguments apart without a word. */
export function assetArgumentCause(failure: Failure): CauseFacts | null {
  const { error, origin, call, lookup } = failure;
  if (error?.type !== "Value" || origin !== null || call === null) return null;
  const misfit = lookup(call.contract)?.wasmHash === null ? argumentMisfit(failure) : null;
  if (misfit === null) return null;
  const summary = `The asset contract refused ${callInWords(failure)}: ${misfit}.`;
  const remedy = "Give arguments of the types that the token interface (SEP-41) names.";
  const cause = { kind: "argument-type", summary, confidence: "known" } as const;
  return { cause, evidence: evidenceOf(failure), remedy };
}

const NO_VECTOR: readonly string[] = ["plain", "bytes", "map"] satisfies SpecType["kind"][];

/** The first argument whose value its type cannot hold; null when all may fit. */
function argumentMisfit({ call, lookup }: Failure): string | null {
  if (call === null) return null;
  const spec = lookup(call.contract)?.spec ?? null;
  const inputs = spec?.functions.get(call.function ?? "")?.inputs ?? [];
  if (inputs.length !== call.argumentsXdr.length) return null;
  // One argument that is a vector looks like what it holds.
  if (inputs.length === 1 && !NO_VECTOR.includes(inputs[0]?.type.kind ?? "")) return null;
  for (const [i, { name, type }] of inputs.entries()) {
    const value = call.argumentsXdr[i] ?? "";
    if (!mayBe(value, type, spec)) return `its argument ${name} is no ${showSpecType(type)}`;
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
  // The asset contract is the host's own, and looks its functions up in another way.
  const ofAsset = facts?.wasmHash === null && !spec?.functions.has(call.function);
  if (ofAsset || origin?.message === "trying to invoke non-existent contract function") {
    const names = [...(spec?.functions.keys() ?? [])].filter((name) => !name.startsWith("__"));
    const known = names.length === 0 ? "" : ` It has ${names.slice(0, SHOWN_NAMES).join(", ")}.`;
    const summary = `Contract ${contract} has no function ${showFunction(call.function)}.${known}`;
    const remedy = "Check the function's name and the contract's version.";
    return { cause: { kind: "function-missing", summary, confidence: "known" }, evidence, remedy };
  }
  const mismatch = /MismatchingParameterLen|^wrong number of args/.test(origin?.message ?? "");
  const taken = spec?.functions.get(call.function) ?? null;
  if (!mismatch || taken === null) return null;
  const given = `${call.argumentsXdr.length} ${call.argumentsXdr.length === 1 ? "was" : "were"} given`;
  const summary = `${callInWords(failure)} takes ${taken.inputs.length} arguments, ${given}.`;
  const remedy = `Call it as ${signatureOf(taken)}.`;
  return { cause: { kind: "argument-count", summary, confidence: "known" }, evidence, remedy };
}

function signatureOf({ name, inputs }: SpecFunction): string {
  const typed = inputs.map((input: { name: string; type: SpecType }) => {
    return `${input.name}: ${showSpecType(input.type)}`;
  });
  return `${name}(${typed.join(", ")})`;
}
