// Diagnostic events without an error, in words: the calls in them, and what contracts reported.

import { readDiagnosticEvent } from "../xdr/outcome/diagnostics.ts";
import { showValue } from "../xdr/values/value.ts";
import { contractOfId, elementsOf, symbolOf } from "../xdr/values/value-parts.ts";

const MOST_EVENTS = 8;
const SHOWN = 200;

/** A sentence for each of the first events. */
export function eventsInWords(eventsXdr: readonly string[]): string[] {
  const lines = eventsXdr.slice(0, MOST_EVENTS).map(eventInWords);
  const more = eventsXdr.length - lines.length;
  return more > 0 ? [...lines, `${more} more events follow.`] : lines;
}

function eventInWords(eventXdr: string): string {
  const { kind, contract, topicsXdr, dataXdr } = readDiagnosticEvent(eventXdr);
  const [name = "", second = "", third = ""] = topicsXdr;
  const symbol = kind === "diagnostic" && name !== "" ? symbolOf(name) : null;
  const by = contract === null ? "" : ` by contract ${contract}`;
  const data = showValue(dataXdr, SHOWN);
  if (symbol === "fn_call" && topicsXdr.length === 3) {
    const argumentWords = elementsOf(dataXdr)?.length === 0 ? "without arguments" : `with ${data}`;
    return `A call${by} of ${showValue(third, SHOWN)} of contract ${contractOfId(second) ?? showValue(second, SHOWN)}, ${argumentWords}.`;
  }
  if (symbol === "fn_return")
    return `The return of ${showValue(second, SHOWN)}${by}, with ${data}.`;
  const topics = topicsXdr.map((topic) => showValue(topic, SHOWN)).join(", ");
  return `An event${by} with the topics ${topics} and the data ${data}.`;
}
