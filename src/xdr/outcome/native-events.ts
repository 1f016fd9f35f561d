// Diagnostic events as a program prints them after `scValToNative` of a JavaScript SDK: the types of
// numbers are lost, and an error has its number alone (`{"type": "contract", "code": 10}`).

import { concatBytes } from "../../base/bytes.ts";
import { decodeContractId, isAddress } from "../../base/text/strkey.ts";
import { SCV } from "../reader/scval-type.ts";
import { uint32s } from "../reader/words.ts";
import { ERROR_CODES, ERROR_TYPES } from "../values/value-text.ts";
import { bytesValue, errorValue, textValue, wordValue } from "./printed-words.ts";

const MOST_EVENTS = 10_000;
const DEEPEST = 20;
const KINDS = ["system", "contract", "diagnostic"];

interface NativeEvent {
  readonly topics: readonly unknown[];
  readonly data?: unknown;
  readonly contractId?: unknown;
  readonly contract_id?: unknown;
  readonly type?: unknown;
}

/** DiagnosticEvents, in the order of the document; empty when it has none. */
export function readNativeEvents(document: unknown): string[] {
  const events: string[] = [];
  collect(document, events, 0);
  return events;
}

function collect(value: unknown, events: string[], depth: number): void {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return;
  if (events.length >= MOST_EVENTS) return;
  if (isEvent(value)) {
    events.push(eventXdr(value));
    return;
  }
  for (const each of Object.values(value)) collect(each, events, depth + 1);
}

function isEvent(value: object): value is NativeEvent {
  const { topics } = value as { readonly topics?: unknown };
  // A topic that is still XDR is read elsewhere.
  return (
    Array.isArray(topics) && topics.length > 0 && typeof topics[0] === "string" && "data" in value
  );
}

function eventXdr({
  topics,
  data,
  contractId,
  contract_id: id = contractId,
  type,
}: NativeEvent): string {
  const contract = typeof id === "string" ? decodeContractId(id) : null;
  const kind = Math.max(0, KINDS.indexOf(String(type ?? "diagnostic").toLowerCase()));
  const callee = topics[0] === "fn_call" ? decodeContractId(String(topics[1])) : null;
  const values = topics.map((topic, i) =>
    i === 1 && callee !== null ? bytesValue(callee) : nativeValue(topic, 0),
  );
  return concatBytes([
    uint32s(0, 0, contract === null ? 0 : 1),
    ...(contract === null ? [] : [contract]),
    uint32s(kind, 0, values.length),
    ...values,
    nativeValue(data, 0),
  ]).toBase64();
}

/**
 * The first error in a value, in the form of the host: `Error(Contract, #3)`. Of an error that no
 * contract made, JavaScript SDKs keep the code alone, `{type: "system", code: 6, value: …}`: then it
 * is that code, `InvalidAction`. Null if there is none.
 */
export function nativeErrorIn(value: unknown, depth = 0): string | null {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return null;
  return (
    nativeError(value) ?? firstOf(Object.values(value), (each) => nativeErrorIn(each, depth + 1))
  );
}

function firstOf<Each, Found>(values: readonly Each[], find: (each: Each) => Found | null) {
  for (const each of values) {
    const result = find(each);
    if (result !== null) return result;
  }
  return null;
}

/** As an SDK has it, `{type, code}`, or as SEP-51 writes it, `{error: {contract: 3}}`. */
function nativeError(value: object): string | null {
  const { type, code, error } = value as Readonly<Record<string, unknown>>;
  const isOfSdk = type === "contract" || type === "system" ? typeof code === "number" : false;
  if (typeof type === "string" && (isOfSdk || typeof code === "string"))
    return errorOfType(type, code);
  if (typeof error !== "object" || error === null) return null;
  const [field, ...others] = Object.entries(error);
  if (field === undefined || others.length > 0) return null;
  return errorOfType(field[0], field[1]);
}

function errorOfType(type: string, code: unknown): string | null {
  if (typeof code !== "string" && typeof code !== "number") return null;
  const named = ERROR_TYPES.find((each) => sameName(each, type));
  if (named === "Contract")
    return /^\d{1,10}$/.test(`${code}`) ? `Error(Contract, #${code})` : null;
  const codeName =
    typeof code === "number" ? ERROR_CODES[code] : ERROR_CODES.find((each) => sameName(each, code));
  if (codeName === undefined) return null;
  if (named !== undefined) return `Error(${named}, ${codeName})`;
  return type === "system" ? codeName : null;
}

/** `WasmVm`, `wasm_vm` and `sceWasmVm` are one name. */
function sameName(name: string, written: string): boolean {
  return (
    written
      .replaceAll("_", "")
      .toLowerCase()
      .replace(/^scec?/, "") === name.toLowerCase()
  );
}

function nativeValue(value: unknown, depth: number): Uint8Array {
  if (value === null || value === undefined || depth > DEEPEST) return wordValue("Void");
  if (typeof value === "boolean" || typeof value === "number") return wordValue(String(value));
  if (typeof value === "string") {
    // A text and the name of a function are both texts here; a number can be one, too.
    const isWord = /^(?:-?\d{1,78}n?|\w{1,32})$/.test(value) || isAddress(value);
    return isWord ? wordValue(value.replace(/^(-?\d+)n$/, "$1")) : textValue(value).xdr;
  }
  if (Array.isArray(value)) {
    const items = value.map((each) => nativeValue(each, depth + 1));
    return concatBytes([uint32s(SCV.vec, 1, items.length), ...items]);
  }
  const { type, code } = value as { readonly type?: unknown; readonly code?: unknown };
  if (type === "contract" && typeof code === "number")
    return errorValue(`Contract, #${code}`) ?? wordValue("Void");
  const entries = Object.entries(value).flatMap(([key, each]) => [
    nativeValue(key, depth + 1),
    nativeValue(each, depth + 1),
  ]);
  return concatBytes([uint32s(SCV.map, 1, entries.length / 2), ...entries]);
}
