// Every comparison of the verdict, and where each input of the replay came from.

import type { Investigation } from "../../model/investigation.ts";
import type { Provenance } from "../../model/snapshot.ts";
import type { Comparison } from "../../model/verdict.ts";
import { shortened } from "../text/layout.ts";
import { nameOf } from "../text/outcome.ts";
import { html, type Markup, tableMarkup } from "./markup.ts";

const SHOWN_VALUE = 96;

export function comparisonsMarkup({ verdict, explanation }: Investigation): Markup | null {
  if (verdict === null || verdict.comparisons.length === 0) return null;
  const rows = verdict.comparisons.map((comparison) => {
    const { result, chain, replay } = comparison;
    return [
      nameOf(comparison, explanation),
      html`<span class="badge ${TONES[result]}">${result}</span>`,
      value(chain, comparison),
      result === "equal" ? html`<span class="soft">the same</span>` : value(replay, comparison),
    ];
  });
  return tableMarkup("Comparisons", ["compared", "result", "chain", "replay"], rows, "evidence");
}

const TONES: Readonly<Record<Comparison["result"], string>> = {
  equal: "good",
  different: "bad",
  unavailable: "",
};

function value(text: string | null, { result, detail }: Comparison): Markup {
  if (text !== null) return html`<code>${shortened(text, SHOWN_VALUE)}</code>`;
  const why = result === "unavailable" && detail !== null ? detail : "nothing";
  return html`<span class="soft">${why}</span>`;
}

export function provenanceMarkup({ record, snapshot, explanation }: Investigation): Markup {
  const parts = Object.entries(record.origins);
  const entries = (snapshot?.entries ?? []).map((entry) => {
    const state = entry.entryXdr === null ? "absent" : entry.archived ? "archived" : "present";
    const { ttlProvenance, liveUntilLedger } = entry;
    const ttl =
      ttlProvenance === null || liveUntilLedger === null
        ? ""
        : `live until ledger ${liveUntilLedger}. ${sentence(ttlProvenance)}`;
    return [
      explanation.keyNames[entry.keyXdr] ?? entry.keyXdr,
      state,
      sentence(entry.provenance),
      ttl,
    ];
  });
  const settings = (snapshot?.settings ?? []).map(({ name, provenance }): [string, string] => [
    name,
    sentence(provenance),
  ]);
  return html`${
    entries.length > 0 &&
    tableMarkup("Ledger entries", ["ledger entry", "state", "source", "TTL"], entries, "evidence")
  }
${parts.length > 0 && tableMarkup("Chain record", ["part", "source"], parts, "evidence")}
${
  settings.length > 0 &&
  tableMarkup("Network settings", ["network setting", "source"], settings, "evidence")
}`;
}

function sentence({ kind, detail }: Provenance): string {
  return detail === "" ? kind : `${kind}: ${detail}`;
}
