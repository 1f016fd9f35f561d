// The events in the order they were emitted; the details show topics and data in full.

import { cutNeutral } from "../../../base/text/neutralise.ts";
import type { NamedEvent } from "../../../model/explanation.ts";
import type { Investigation } from "../../../model/investigation.ts";
import { headingOf } from "../../replayed-heading.ts";
import { flattenBranches, type Item, type Outline } from "../outline.ts";
import { shortAddresses } from "../short-addresses.ts";

const LONGEST_VALUE = 160;

export function eventOutline({ explanation, record, execution }: Investigation): Outline {
  return {
    title: headingOf("Event", "events", explanation),
    headings: [],
    nodes: flattenBranches(explanation.events.map(itemOf)),
    leastLabelColumns: 0,
    emptyText:
      record.resultMetaXdr === null && execution === null
        ? "No source had the events, and nothing was replayed."
        : "No event was emitted.",
  };
}

function itemOf(event: NamedEvent): Item {
  const contract = event.contract === null ? "" : `${event.contract} `;
  return {
    label: shortAddresses(`${contract}${eventInWords(event)}`),
    details: () => [
      { name: "kind", text: event.kind },
      { name: "contract", text: event.contract ?? "the host" },
      ...(event.fields ?? []).map(({ name, value }) => ({ name, text: value })),
      ...event.topics.map((text, i) => ({ name: `topic ${i + 1}`, text })),
      { name: "data", text: event.data },
    ],
  };
}

function eventInWords({ name, fields, topics, data }: NamedEvent): string {
  const short = (text: string) => cutNeutral(text, LONGEST_VALUE);
  if (name === null || fields === null) {
    return `[${topics.map(short).join(", ")}] ${short(data)}`;
  }
  return `${name}(${fields.map((field) => `${field.name}: ${short(field.value)}`).join(", ")})`;
}
