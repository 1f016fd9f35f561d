// What the transaction did to the ledger, and the events it emitted.

import type { NamedChange, NamedEvent } from "../../model/explanation.ts";
import { wrap } from "./layout.ts";

/** A report is read by people: beyond this, the rest is for --json. */
const SHOWN_CHANGES = 100;
const SHOWN_EVENTS = 100;

export function changeLines(changes: readonly NamedChange[]): string[] {
  const lines = changes.slice(0, SHOWN_CHANGES).flatMap(({ kind, key, before, after }) => {
    const values: string[] = [];
    if (before !== null) values.push(...wrap(before, "    before  "));
    if (after !== null) values.push(...wrap(after, "    after   "));
    return [...wrap(key, `  ${kind} `, 4), ...values];
  });
  return [...lines, ...omitted(changes.length - SHOWN_CHANGES, "changes")];
}

export function eventLines(events: readonly NamedEvent[]): string[] {
  const lines = events
    .slice(0, SHOWN_EVENTS)
    .flatMap((event) => [
      ...wrap(eventInWords(event), "  ", 4),
      ...wrap(event.contract ?? "the host", `    ${event.kind} event of `),
    ]);
  return [...lines, ...omitted(events.length - SHOWN_EVENTS, "events")];
}

export function eventInWords({ name, fields, topics, data }: NamedEvent): string {
  if (name === null || fields === null) return `[${topics.join(", ")}] ${data}`;
  return `${name}(${fields.map((field) => `${field.name}: ${field.value}`).join(", ")})`;
}

function omitted(count: number, what: string): string[] {
  return count > 0 ? [`  (${count} more ${what}; see --json)`] : [];
}
