// The fix of a failed transaction: the values to change, the proof, how to resubmit it, and the
// envelopes to sign.

import { phraseFor, SHELL } from "../../base/phrase.ts";
import { grouped } from "../../base/text/grouped.ts";
import type { Finding, Findings } from "../../model/finding.ts";
import {
  type Fix,
  type FixChange,
  type FixHeadroom,
  type FixPart,
  type FixProof,
  type FootprintAccess,
  NUMBERED_PARTS,
} from "../../model/fix.ts";
import type { Investigation } from "../../model/investigation.ts";
import { networkOfPassphrase, networkOfRecord } from "../../model/networks.ts";
import { authorizationTree } from "./authorizations.ts";
import {
  type Content,
  type Copyable,
  itemsOf,
  type Opener,
  type Row,
  type Rows,
  rowsOf,
  sentence,
} from "./document.ts";
import { nextCommand } from "./next-command.ts";

const FULL = { detail: "full" } as const;
const BRIEF_CHANGES = 3;
const BRIEF_ASSUMED = 1;

/** The section of a report; empty when nothing ran that could be fixed. */
export function fixSection(investigation: Investigation): Content {
  const { fix, execution } = investigation;
  if (fix === null || execution === null) return null;
  const isAdvised = investigation.remedy !== null || investigation.next.length > 0;
  const print = investigation.next.find(({ kind }) => kind === "print-fix");
  const flags = print && nextCommand(print, investigation).flags;
  return [
    fix.proof === null && isAdvised
      ? sentence(phraseFor(fix.summary, SHELL), { detail: "verbose" })
      : fixContent(fix),
    print && sentence(`${print.purpose}: \`${flags}\``, { label: "Next", detail: "terminal" }),
    envelopesOf(fix, investigation.record.networkPassphrase).map((each) => ({
      ...each,
      detail: "page" as const,
    })),
  ];
}

/** Undefined where there is no fix that was run and succeeded. */
export function fixBadge(fix: Fix | null): string | undefined {
  return fix?.proof?.outcome === "succeeds" ? "proven by a run" : undefined;
}

export function fixContent(fix: Fix): Content {
  const { changes, proof, headroom, prelude } = fix;
  const isRecorded = proof?.outcome === "recorded";
  // Recorded authorizations are drawn as a tree.
  const isInTree = ({ part, from }: FixChange) => part === "authorization" && from === null;
  const rows = shownChanges(fix).filter((change) => !(isRecorded && isInTree(change)));
  const lowered = isRecorded ? rows.filter(isLowered) : [];
  const resubmission = resubmissionRows(fix);
  const tone = proof?.outcome === "succeeds" ? "good" : "plain";
  return [
    sentence(phraseFor(fix.summary, SHELL), { tone }),
    prelude && [prelude.summary, changeRows(prelude.changes), changes.length > 0 && "Then:"],
    changeRows(
      rows.filter((row) => !lowered.includes(row)),
      isRecorded ? FULL : {},
    ),
    proofContent(proof),
    lowered.length > 0 && [sentence("Recorded resources:", FULL), changeRows(lowered, FULL)],
    headroom && sentence(headroomSentence(headroom), FULL),
    resubmission.length > 0 && [
      sentence("To resubmit the transaction:", FULL),
      rowsOf(resubmission, { inner: true, ...FULL }),
    ],
  ];
}

/** A value that was lowered was not missing: it is what the recording run needed. */
function isLowered({ from, to }: FixChange): boolean {
  return Number(to) < Number(from);
}

function resubmissionRows(fix: Fix): Row[] {
  const { resubmission, authorizationSigners, transactionSigners } = fix;
  const signer = authorizationSigners.length > 0 ? "transaction signer" : "signer";
  return [
    ...resubmission.map(asRow),
    ...authorizationSigners.map((who) => ({ label: "authorization signer", values: [who] })),
    ...transactionSigners.map((who) => ({ label: signer, values: [who] })),
  ];
}

/** The recorded authorizations replace the ones that are removed. */
function shownChanges({ changes, proof }: Fix): FixChange[] {
  const replaced = proof?.outcome === "recorded" && proof.authorizations.length > 0;
  return changes.map((change) =>
    replaced && change.part === "authorization" && change.to === null
      ? { ...change, to: "replaced by the authorizations below" }
      : change,
  );
}

function changeRows(changes: readonly FixChange[], more: Partial<Rows> = {}): Content {
  const rows = changes.map((change) => {
    const { part, from, to } = change;
    if (!NUMBERED_PARTS.has(part)) return asRow(change);
    const row = asRow({ ...change, from: from && grouped(from), to: to && grouped(to) });
    if (from === null || to === null) return row;
    const more = BigInt(to) - BigInt(from);
    return { ...row, note: more > 0n ? `+${grouped(more)}` : `−${grouped(-more)}` };
  });
  return rowsOf(rows, { inner: true, brief: BRIEF_CHANGES, noun: ["change", "changes"], ...more });
}

function asRow({ part, what, from, to, access }: FixChange): Row {
  if (access !== undefined) return { label: what, values: footprintChange(access, to) };
  if (from !== null) return { label: what, values: [from, to ?? endOf(part)] };
  return { label: what, values: [part === "archived" ? `add position ${to}` : (to ?? "")] };
}

function endOf(part: FixPart): string {
  return part === "valid-until" || part === "valid-before-ledger" ? "no limit" : "removed";
}

/** `read-write: instance of contract C…`. */
function footprintChange({ name, from }: FootprintAccess, to: string | null): string[] {
  if (from === null) return [`add, ${to}`];
  return to === null ? [`remove: ${name}`] : [from, to];
}

/**
 * The envelopes to sign, in the order of sending; empty when there is nothing to send. With the
 * passphrase of their network, a wallet can open those that need no other signature first.
 */
export function envelopesOf(
  { prelude, proof, envelopeXdr: xdr }: Fix,
  networkPassphrase: string | null = null,
): Copyable[] {
  const envelopes: [string, string][] = [];
  if (xdr === null) return [];
  if (proof?.outcome === "recorded") {
    for (const { signed, signer, entryXdr } of proof.authorizations)
      if (!signed) envelopes.push([`Authorization entry for ${signer} to sign:`, entryXdr]);
    const title = "Envelope with these authorizations. Sign and send it after they are signed:";
    envelopes.push([title, xdr]);
  } else if (prelude === null) envelopes.push(["Sign and send:", xdr]);
  else envelopes.push(["Sign and send first:", prelude.envelopeXdr], ["Then sign and send:", xdr]);
  return envelopes.map(([title, text], index) => ({
    kind: "copyable",
    id: `envelope-${index + 1}`,
    title,
    text,
    ...(networkPassphrase !== null &&
      proof?.outcome !== "recorded" && { openers: openersOf(text, networkPassphrase) }),
  }));
}

/**
 * Where a person can sign: a wallet, by a URI of SEP-7, and Stellar Lab, by the address that
 * stellar-cli opens too (`transaction/cli-sign` in the source of Lab). Lab knows the public
 * networks by their passphrases, and no other.
 */
export function openersOf(envelopeXdr: string, networkPassphrase: string): Opener[] {
  const [xdr, passphrase] = [envelopeXdr, networkPassphrase].map(encodeURIComponent);
  const wallet = `web+stellar:tx?xdr=${xdr}&network_passphrase=${passphrase}`;
  const lab = `https://lab.stellar.org/transaction/cli-sign?xdr=${xdr}&networkPassphrase=${passphrase}`;
  return [
    { words: "Open in a wallet", url: wallet },
    ...(networkOfPassphrase(networkPassphrase) === null
      ? []
      : [{ words: "Open in Stellar Lab", url: lab }]),
  ];
}

/** What a pipe may send, in order: empty unless a run proves it, with every authorization. */
export function provenEnvelopes(finding: Finding): string[] {
  const fix = finding.kind === "investigated" ? finding.investigation.fix : null;
  if (fix?.proof?.outcome !== "succeeds" || fix.envelopeXdr === null) return [];
  return [...(fix.prelude === null ? [] : [fix.prelude.envelopeXdr]), fix.envelopeXdr];
}

/** Why a pipe got nothing, or more than the one envelope that `stellar tx sign` reads. */
export function notesOfPipe({ list, single }: Findings): string[] {
  const notes = list.flatMap((finding) => {
    if (finding.kind === "unanswered") return [];
    const envelopes = provenEnvelopes(finding);
    const about = single ? "" : `${finding.subject}: `;
    if (envelopes.length === 0) return [`${about}${whyNothing(finding.investigation)}`];
    if (envelopes.length === 1) return [];
    return [
      `${about}There are two envelopes, each on its own line: sign and send the first, which restores archived ` +
        "entries, then the second.",
    ];
  });
  const several = list.filter((finding) => provenEnvelopes(finding).length > 0).length > 1;
  return [
    ...notes,
    ...(several ? ["Each line is an envelope; `stellar tx sign` reads one at a time."] : []),
  ];
}

function whyNothing({ fix }: Investigation): string {
  if (fix === null) return "No envelope: there is nothing to fix.";
  if (fix.proof?.outcome !== "recorded")
    return `No envelope. ${phraseFor(fix.summary, SHELL)} \`--fix\` alone prints what to do.`;
  const signers = fix.authorizationSigners.join(", ");
  return `No envelope: ${signers} must sign authorizations first. \`--fix\` prints what to sign.`;
}

/** The command that prints the envelope again, into the ones that sign and send it; or null. */
export function sendingCommand(finding: Finding): Copyable | null {
  if (finding.kind === "unanswered" || provenEnvelopes(finding).length !== 1) return null;
  const { record, next } = finding.investigation;
  const print = next.find(({ kind }) => kind === "print-fix");
  if (print === undefined) return null;
  const name = networkOfRecord(record);
  // What a fork needs is not sent to the network that it forked.
  const isNamed = name !== record.networkPassphrase && record.ledger.isFork !== true;
  const network = `--network ${isNamed ? name : "NETWORK"}`;
  return {
    kind: "copyable",
    id: "sending",
    title: "Or in one line with the Stellar CLI; NAME is the key that signs:",
    text:
      `${nextCommand(print, finding.investigation).command} --format xdr | ` +
      `stellar tx sign --sign-with-key NAME ${network} | stellar tx send ${network}`,
  };
}

function proofContent(proof: FixProof | null): Content {
  if (proof?.outcome === "recorded")
    return [
      sentence("Required authorizations:", FULL),
      { ...authorizationTree(proof.authorizations, true), ...FULL },
    ];
  // What ends all advice is the remedy of the report already.
  if (proof?.outcome === "fails-next" && proof.isDone) return null;
  if (proof?.outcome === "fails-next")
    return proof.remedy && `Remedy for that cause: ${phraseFor(proof.remedy, SHELL)}`;
  if (proof?.outcome !== "succeeds") return null;
  const { least, assumed, cost } = proof;
  const less = least.map((name) => `with one ${UNITS[name] ?? name} less it fails`);
  return [
    sentence(
      "Proven: the transaction was run on the same state with these values, and succeeded. Used: " +
        `${grouped(cost.instructions)} instructions, ${grouped(cost.diskReadBytes)} disk read bytes, ` +
        `${grouped(cost.writeBytes)} write bytes, and ${grouped(cost.refundableStroops)} stroops for ` +
        "rent and events.",
      FULL,
    ),
    less.length > 0 && sentence(`Minimum proven: ${less.join("; ")}.`, FULL),
    itemsOf(
      "list",
      assumed.map((each) => `assumed: ${each}`),
      { brief: BRIEF_ASSUMED, noun: ["assumption", "assumptions"] },
    ),
  ];
}

/** One unit of each value in `least`. */
const UNITS: Readonly<Record<string, string>> = {
  instructions: "instruction",
  "disk read bytes": "disk read byte",
  "write bytes": "write byte",
  "resource fee": "stroop of resource fee",
};

function headroomSentence({ changes }: FixHeadroom): string {
  const values = changes.map(headroomInWords);
  const [last = ""] = values.slice(-1);
  const all = values.length === 1 ? last : `${values.slice(0, -1).join(", ")} and ${last}`;
  return (
    "These are the minimum values. Ledger state changes over time, so the envelope to send declares " +
    `more: ${all}. This envelope was run too, and succeeded.`
  );
}

function headroomInWords({ part, what, to }: FixChange): string {
  const value = grouped(to ?? "0");
  if (part === "inner-fee") return `${value} stroops for the inner transaction`;
  const isFee = part === "fee" || part === "resource-fee";
  return isFee ? `a ${what} of ${value} stroops` : `${value} ${what}`;
}
