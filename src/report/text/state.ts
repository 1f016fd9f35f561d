// The ledger changes and the events of the transaction.

import type { NamedChange, NamedEvent } from "../../model/explanation.ts";
import { wrap } from "./layout.ts";

/** A report is read by people. Further rows are only in --json. */
const SHOWN_CHANGES = 100;
const SHOWN_FIELDS = 30;
const SHOWN_EVENTS = 100;

export function changeLines(changes: readonly NamedChange[]): string[] {
  const lines = changes
    .slice(0, SHOWN_CHANGES)
    .flatMap((change) => [...wrap(change.key, `  ${change.kind} `, 4), ...valueLines(change)]);
  return [...lines, ...omitted(changes.length - SHOWN_CHANGES, "changes")];
}

/** The changed fields, or the complete values if the fields are unknown. */
function valueLines({ before, after, fields }: NamedChange): string[] {
  if (fields.some(({ field }) => field !== "")) {
    const lines = fields.slice(0, SHOWN_FIELDS).flatMap((each) => {
      const change = `${each.before ?? "(absent)"} -> ${each.after ?? "(absent)"}`;
      return wrap(`${each.field}: ${change}`, "    ", 6);
    });
    return [...lines, ...omitted(fields.length - SHOWN_FIELDS, "fields")];
  }
  return [
    ...(before === null ? [] : wrap(before, "    before  ")),
    ...(after === null ? [] : wrap(after, "    after   ")),
  ];
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
