// An investigation with every address as its reader sees it: with its label, and in the short form
// if the report has the full address elsewhere. Short forms and labels were chosen before.

import { withAddresses } from "../../base/text/found-by-form.ts";
import type { NamedAddress } from "../../model/explanation.ts";
import type { Investigation } from "../../model/investigation.ts";

/** `full`: addresses are shown in full, after their labels. Recorded values do not change. */
export function withNamedAddresses(investigation: Investigation, full: boolean): Investigation {
  const { addresses } = investigation.explanation;
  // A command with a short address would not work.
  const { record, snapshot, execution, next, explanation, ...others } = investigation;
  const kept = { record, snapshot, execution, next };
  return {
    ...named(others, addresses, full),
    ...kept,
    explanation: { ...named(explanation, addresses, full), addresses },
  };
}

/** Plain data with the names of these addresses in all of its texts. */
export function named<Value>(
  value: Value,
  addresses: readonly NamedAddress[],
  full = false,
): Value {
  if (addresses.length === 0) return value;
  const shown = new Map(addresses.map((each) => [each.address, shownAs(each, full)]));
  return mapTexts(value, (text) => withAddresses(text, (address) => shown.get(address) ?? address));
}

function shownAs({ address, short, label }: NamedAddress, full: boolean): string {
  const form = full ? address : short;
  return label === null ? form : `${label} (${form})`;
}

/** Plain data with every text changed; names of fields stay. */
function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change)) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]);
  return Object.fromEntries(entries) as Value;
}
