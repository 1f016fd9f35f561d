// The ledger changes of the transaction: one node for each entry, with its values in the details.

import { cutNeutral } from "../../../base/text/neutralise.ts";
import type { NamedChange } from "../../../model/explanation.ts";
import type { Investigation } from "../../../model/investigation.ts";
import { headingOf } from "../../replayed-heading.ts";
import { flattenBranches, type Item, type Outline } from "../outline.ts";
import { shortAddresses } from "../short-addresses.ts";

const LONGEST_VALUE = 160;

export function stateOutline({ explanation, execution }: Investigation): Outline {
  return {
    title: headingOf("Ledger change", "changes", explanation),
    headings: [],
    nodes: flattenBranches(explanation.changes.map(itemOf)),
    leastLabelColumns: 0,
    emptyText:
      execution === null
        ? "Nothing was replayed, so no changes are listed."
        : "The contract host changed no ledger entry.",
  };
}

function itemOf({ kind, key, before, after, fields }: NamedChange): Item {
  const values = [before, after].filter((value) => value !== null);
  const short = values.map((value) => cutNeutral(value, LONGEST_VALUE)).join(" -> ");
  return {
    label: shortAddresses(`${kind.padEnd(8)}  ${key}${short === "" ? "" : `: ${short}`}`),
    details: () => [
      { name: "entry", text: key },
      { name: "change", text: kind },
      ...fields
        .filter(({ field }) => field !== "")
        .map((each) => ({
          name: each.field,
          text: `${each.before ?? "(absent)"} -> ${each.after ?? "(absent)"}`,
        })),
      { name: "before", text: before ?? "(absent)", ...(before === null ? FAINT : {}) },
      { name: "after", text: after ?? "(absent)", ...(after === null ? FAINT : {}) },
    ],
  };
}

const FAINT = { tone: "faint" } as const;
