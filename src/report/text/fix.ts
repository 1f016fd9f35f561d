// The fix of a failed transaction: the values to change, the proof, and how to resubmit it.

import { grouped } from "../../base/text/grouped.ts";
import type { Fix, FixChange, FixHeadroom, FixProof } from "../../model/fix.ts";
import type { Investigation } from "../../model/investigation.ts";
import { authorizationLines } from "./authorizations.ts";
import { pairs, wrap } from "./layout.ts";
import type { Style } from "./style.ts";

/** The section of a report; empty when nothing ran that could be fixed. */
export function fixSection(investigation: Investigation, style: Style): string[] {
  const { fix, execution } = investigation;
  if (fix === null || execution === null) return [];
  const lines = fixLines(fix, style, referenceTo(investigation));
  if (fix.envelopeXdr !== null)
    lines.push(
      ...wrap("Run `svc debug <hash> --fix` to print the envelope to sign and send.", "  "),
    );
  return lines;
}

/** Without a fix, the reader needs the parts of the report that say what to do instead. */
function referenceTo({ fix, remedy, conflict }: Investigation): string {
  if (fix?.proof !== null) return "";
  const parts = [
    ...(remedy === null ? [] : ["Remedy"]),
    ...(conflict === undefined ? [] : ["the conflicting transaction above"]),
  ];
  return parts.length === 0 ? "" : ` See ${parts.join(" and ")}.`;
}

/** `reference`: follows the summary. */
export function fixLines(fix: Fix, style: Style, reference = ""): string[] {
  const { changes, proof, headroom, prelude } = fix;
  const proven = proof?.outcome === "succeeds";
  const summary = wrap(`${fix.summary}${reference}`, "  ");
  const lines = [...(proven ? summary.map(style.good) : summary)];
  if (prelude !== null) {
    lines.push(...wrap(prelude.summary, "  "), ...changeLines(prelude.changes));
    if (changes.length > 0) lines.push("  Then:");
  }
  const isRecorded = proof?.outcome === "recorded";
  // Recorded authorizations are drawn as a tree.
  const isInTree = ({ what, from }: FixChange) => what === "authorization" && from === null;
  const rows = shownChanges(fix).filter((change) => !(isRecorded && isInTree(change)));
  const lowered = isRecorded ? rows.filter(isLowered) : [];
  lines.push(...changeLines(rows.filter((row) => !lowered.includes(row))), ...proofLines(proof));
  if (lowered.length > 0) lines.push("  Recorded resources:", ...changeLines(lowered));
  const lastLines = headroom === null ? [] : wrap(headroomSentence(headroom), "  ");
  return [...lines, ...lastLines, ...resubmissionLines(fix)];
}

/** A value that was lowered was not missing: it is what the recording run needed. */
export function isLowered({ from, to }: FixChange): boolean {
  return Number(to) < Number(from);
}

function resubmissionLines(fix: Fix): string[] {
  const rows = resubmissionRows(fix);
  return rows.length === 0 ? [] : ["  To resubmit the transaction:", ...pairs(rows, 4)];
}

export function resubmissionRows(fix: Fix): [string, string][] {
  const { resubmission, authorizationSigners, transactionSigners } = fix;
  const signer = authorizationSigners.length > 0 ? "transaction signer" : "signer";
  return [
    ...resubmission.map(asPair),
    ...authorizationSigners.map((who): [string, string] => ["authorization signer", who]),
    ...transactionSigners.map((who): [string, string] => [signer, who]),
  ];
}

/** The recorded authorizations replace the ones that are removed. */
export function shownChanges({ changes, proof }: Fix): FixChange[] {
  const replaced = proof?.outcome === "recorded" && proof.authorizations.length > 0;
  return changes.map((change) =>
    replaced && change.what === "authorization" && change.to === null
      ? { ...change, to: "replaced by the authorizations below" }
      : change,
  );
}

const EXPIRIES: ReadonlySet<string> = new Set(["valid until", "valid before ledger"]);

export function changeInWords({ what, from, to }: FixChange): string {
  if (what === "footprint") return footprintChange(from ?? "", to ?? "");
  if (from === null) return what === "archivedSorobanEntries" ? `add ${to}` : (to ?? "");
  return `${from} -> ${to ?? (EXPIRIES.has(what) ? "no limit" : "removed")}`;
}

/** `read-write: instance of contract C…`; empty when the key is not in the footprint. */
function footprintChange(from: string, to: string): string {
  if (from === "") return `add, ${to}`;
  const [, before = "", key = ""] = /^([a-z -]+): (.*)$/s.exec(from) ?? [];
  if (to === "") return `remove: ${key}`;
  return `${before} -> ${to}`;
}

/** The remedy for the next cause; null when there is no next cause or its remedy is unknown. */
export function nextRemedy(proof: FixProof | null): string | null {
  if (proof?.outcome !== "fails-next" || proof.remedy === null) return null;
  return `Remedy for that cause: ${proof.remedy}`;
}

export interface TitledEnvelope {
  readonly title: string;
  /** Base64. */
  readonly xdr: string;
}

/** What to sign, in the order of sending; empty when there is nothing to send. */
export function envelopesOf({ prelude, proof, envelopeXdr: xdr }: Fix): TitledEnvelope[] {
  if (xdr === null) return [];
  if (proof?.outcome === "recorded") {
    const entries = proof.authorizations.filter(({ signed }) => !signed);
    const title = "Envelope with these authorizations. Sign and send it after they are signed:";
    return [
      ...entries.map(({ signer, entryXdr }) => ({
        title: `Authorization entry for ${signer} to sign:`,
        xdr: entryXdr,
      })),
      { title, xdr },
    ];
  }
  if (prelude === null) return [{ title: "Sign and send:", xdr }];
  const first = { title: "Sign and send first:", xdr: prelude.envelopeXdr };
  return [first, { title: "Then sign and send:", xdr }];
}

/** The envelopes themselves; one line each, never cut. */
export function envelopeLines(fix: Fix): string[] {
  return envelopesOf(fix)
    .flatMap(({ title, xdr }) => ["", title, xdr])
    .slice(1);
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
      "  Required authorizations:",
      ...authorizationLines(proof.authorizations, undefined, 1),
    ];
  }
  const remedy = nextRemedy(proof);
  return [...(remedy === null ? [] : [remedy]), ...proofSentences(proof)].flatMap((sentence) =>
    wrap(sentence, sentence.startsWith("assumed: ") ? "  - " : "  "),
  );
}

/** Empty unless the transaction ran with the changes and succeeded. */
export function proofSentences(proof: FixProof | null): string[] {
  if (proof?.outcome !== "succeeds") return [];
  const { least, assumed, cost } = proof;
  const used =
    "Proven: the transaction was run on the same state with these values, and succeeded. Used: " +
    `${grouped(cost.instructions)} instructions, ${grouped(cost.diskReadBytes)} disk read bytes, ` +
    `${grouped(cost.writeBytes)} write bytes, and ${grouped(cost.refundableStroops)} stroops for ` +
    "rent and events.";
  const less = least.map((name) => `with one ${UNITS[name] ?? name} less it fails`);
  return [
    used,
    ...(less.length === 0 ? [] : [`Minimum proven: ${less.join("; ")}.`]),
    ...assumed.map((sentence) => `assumed: ${sentence}`),
  ];
}

/** One unit of each value in `least`. */
const UNITS: Readonly<Record<string, string>> = {
  instructions: "instruction",
  "disk read bytes": "disk read byte",
  "write bytes": "write byte",
  "resource fee": "stroop of resource fee",
};

export function headroomSentence({ changes }: FixHeadroom): string {
  const values = changes.map(headroomInWords);
  const [last = ""] = values.slice(-1);
  const all = values.length === 1 ? last : `${values.slice(0, -1).join(", ")} and ${last}`;
  return (
    "These are the minimum values. Ledger state changes over time, so the envelope to send declares " +
    `more: ${all}. This envelope was run too, and succeeded.`
  );
}

function headroomInWords({ what, to }: FixChange): string {
  const value = grouped(to ?? "0");
  if (what === "fee of the inner transaction") return `${value} stroops for the inner transaction`;
  return what.endsWith("fee") ? `a ${what} of ${value} stroops` : `${value} ${what}`;
}
