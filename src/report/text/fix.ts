// What would mend a failed transaction: the values to change, the proof, and how to send it again.

import { grouped } from "../../base/text/grouped.ts";
import type { Fix, FixChange, FixHeadroom, FixProof } from "../../model/fix.ts";
import type { Investigation } from "../../model/investigation.ts";
import { authorizationLines } from "./authorizations.ts";
import { pairs, wrap } from "./layout.ts";
import type { Style } from "./style.ts";

/** Of a whole report: empty where nothing ran that could be mended. */
export function fixSection({ fix, execution }: Investigation, style: Style): string[] {
  if (fix === null || execution === null) return [];
  const lines = fixLines(fix, style);
  if (fix.envelopeXdr !== null)
    lines.push(...wrap("svc debug with --fix prints the envelope to sign and send.", "  "));
  return lines;
}

export function fixLines(fix: Fix, style: Style): string[] {
  const { changes, proof, headroom, prelude } = fix;
  const proven = proof?.outcome === "succeeds";
  const summary = wrap(fix.summary, "  ");
  const lines = [...(proven ? summary.map(style.good) : summary)];
  if (prelude !== null) {
    lines.push(...wrap(prelude.summary, "  "), ...changeLines(prelude.changes));
    if (changes.length > 0) lines.push("  Then:");
  }
  // What is recorded stands there as a tree.
  const isTold = ({ what, from }: FixChange) =>
    proof?.outcome === "recorded" && what === "authorization" && from === null;
  const rows = shownChanges(fix).filter((change) => !isTold(change));
  lines.push(...changeLines(rows), ...proofLines(proof), ...headroomLines(headroom));
  if (fix.resubmission.length > 0) {
    lines.push("  To send it again:", ...pairs(fix.resubmission.map(asPair), 4));
  }
  return [...lines, ...signerLines(fix)];
}

/** An authorization goes because those that are recorded, and shown below, take its place. */
export function shownChanges({ changes, proof }: Fix): FixChange[] {
  const replaced = proof?.outcome === "recorded" && proof.authorizations.length > 0;
  return changes.map((change) =>
    replaced && change.what === "authorization" && change.to === null
      ? { ...change, to: "in its place, those below" }
      : change,
  );
}

export function changeInWords({ from, to }: FixChange): string {
  return `${from === null ? "" : `${from} -> `}${to ?? "none"}`;
}

/** What mends the cause that comes next; null where that is not known, or none does. */
export function nextRemedy(proof: FixProof | null): string | null {
  if (proof?.outcome !== "fails-next" || proof.remedy === null) return null;
  return `What mends that: ${proof.remedy}`;
}

function signerLines({ authorizationSigners, transactionSigners }: Fix): string[] {
  const entries = authorizationSigners.length > 0;
  return [
    ...authorizationSigners.flatMap((signer) => wrap(signer, "    authorization signed by  ")),
    ...transactionSigners.flatMap((signer) =>
      wrap(signer, entries ? "    transaction signed by    " : "    signed by  "),
    ),
  ];
}

/** The envelopes themselves, in the order they are sent; a line each, never cut. */
export function envelopeLines({ prelude, proof, envelopeXdr }: Fix): string[] {
  if (envelopeXdr === null) return [];
  if (proof?.outcome === "recorded") {
    const entries = proof.authorizations.filter(({ signed }) => !signed);
    return [
      ...entries.flatMap(({ signer, entryXdr }) => [
        `Authorization for ${signer} to sign:`,
        entryXdr,
        "",
      ]),
      "Envelope with all of them, to sign and send once they are signed:",
      envelopeXdr,
    ];
  }
  const first = prelude === null ? [] : ["To sign and send first:", prelude.envelopeXdr, ""];
  return [...first, prelude === null ? "To sign and send:" : "Then:", envelopeXdr];
}

function changeLines(changes: readonly FixChange[]): string[] {
  const isNumber = (value: string | null) => value !== null && /^\d+$/.test(value);
  const shown = (value: string | null) => (isNumber(value) ? grouped(value ?? "") : value);
  return pairs(
    changes.map((change) => asPair({ ...change, from: shown(change.from), to: shown(change.to) })),
    4,
  );
}

function asPair(change: FixChange): [string, string] {
  return [change.what, changeInWords(change)];
}

function proofLines(proof: FixProof | null): string[] {
  if (proof?.outcome === "recorded") {
    return [
      "  Authorizations that it needs:",
      ...authorizationLines(proof.authorizations, undefined, 1),
    ];
  }
  if (proof?.outcome !== "succeeds") {
    const remedy = nextRemedy(proof);
    return remedy === null ? [] : wrap(remedy, "  ");
  }
  const { least, assumed, cost } = proof;
  const used =
    `Proven by running it again so, on the same state: it used ${grouped(cost.instructions)} ` +
    `instructions, ${grouped(cost.diskReadBytes)} disk read bytes and ` +
    `${grouped(cost.writeBytes)} write bytes, and ${grouped(cost.refundableStroops)} stroops for ` +
    "rent and events.";
  const smallest = least.length === 0 ? "" : ` One less fails: ${least.join(", ")}.`;
  return [
    ...wrap(`${used}${smallest}`, "  "),
    ...assumed.flatMap((sentence) => wrap(`assumed: ${sentence}`, "  - ")),
  ];
}

function headroomLines(headroom: FixHeadroom | null): string[] {
  if (headroom === null) return [];
  const values = headroom.changes.map(headroomInWords);
  const [last = ""] = values.slice(-1);
  const all = values.length === 1 ? last : `${values.slice(0, -1).join(", ")} and ${last}`;
  const text =
    `These are the least. State moves on: the envelope to send declares ${all}. ` +
    "It was run so too, and succeeded.";
  return wrap(text, "  ");
}

function headroomInWords({ what, to }: FixChange): string {
  const value = grouped(to ?? "0");
  if (what === "fee of the inner transaction") return `${value} stroops for the inner transaction`;
  return what.endsWith("fee") ? `a ${what} of ${value} stroops` : `${value} ${what}`;
}
