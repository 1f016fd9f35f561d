// An investigation with every address as its reader is to see it: by its label, and short where the
// whole of it stands elsewhere in the report. Which form and label it has was decided before.

import type { NamedAddress } from "../model/explanation.ts";
import type { Investigation } from "../model/investigation.ts";

const ADDRESS = /(?<![A-Za-z0-9])[GCMBL][A-Z2-7]{55,}(?![A-Za-z0-9])/g;
/** The shortest that there is. */
const ADDRESS_LENGTH = 56;

/** `whole`: addresses are shown in full, after their labels. What was recorded stays as it is. */
export function withNamedAddresses(investigation: Investigation, whole: boolean): Investigation {
  const { addresses } = investigation.explanation;
  if (addresses.length === 0) return investigation;
  const shown = new Map(addresses.map((named) => [named.address, shownAs(named, whole)]));
  const rename = (text: string) =>
    text.length < ADDRESS_LENGTH
      ? text
      : text.replace(ADDRESS, (address) => shown.get(address) ?? address);
  const { record, snapshot, execution, explanation, ...others } = investigation;
  const kept = { record, snapshot, execution };
  return {
    ...mapTexts(others, rename),
    ...kept,
    explanation: { ...mapTexts(explanation, rename), addresses },
  };
}

function shownAs({ address, short, label }: NamedAddress, whole: boolean): string {
  const form = whole ? address : short;
  return label === null ? form : `${label} (${form})`;
}

/** The same plain data with every text in it changed; names of fields stay. */
function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === "string") return change(value) as Value;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change)) as Value;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]);
  return Object.fromEntries(entries) as Value;
}
