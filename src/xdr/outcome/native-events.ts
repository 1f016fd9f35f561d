// Diagnostic events as a program prints them after `scValToNative` of a JavaScript SDK: the types of
// numbers are lost, and an error has its number alone (`{"type": "contract", "code": 10}`).

import { concatBytes } from "../../base/bytes.ts";
import { decodeContractId, isAddress } from "../../base/text/strkey.ts";
import { SCV } from "../reader/scval-type.ts";
import { uint32s } from "../reader/words.ts";
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
