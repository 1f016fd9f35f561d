// An entry of the state as a document: its value, and what proves it, from the entry up to the
// validators.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import {
  isProven,
  type StateChange,
  type StateDiff,
  type StateFact,
  type StateProof,
  type StateReport,
} from "../../model/state/proven-state.ts";
import { ABSENT, changeItem } from "./changes.ts";
import { type Item, itemsOf, type ReportDocument, rowsOf, section, sentence } from "./document.ts";

const STEPS: Readonly<Record<StateProof["step"], (proof: StateProof, ledger: number) => string>> = {
  checkpoint: ({ checkpoint }) => `the state of ledger ${grouped(checkpoint)} itself`,
  "unchanged-until": ({ checkpoint }, ledger) =>
    `the state of ledger ${grouped(checkpoint)}, last modified no later than ledger ${grouped(ledger)}`,
  "untouched-since": ({ checkpoint }, ledger) =>
    `the state of ledger ${grouped(checkpoint)}; no successful transaction to ledger ` +
    `${grouped(ledger)} could write it`,
  replayed: ({ checkpoint }) =>
    `the state of ledger ${grouped(checkpoint)}, as the transactions since left it`,
};

export function stateDocument(report: StateReport): ReportDocument {
  const { entry, liveUntil, ledger, network, key, keyXdr, before, checkpoints } = report;
  const value = entry.kind === "known" ? entry.value : null;
  const place =
    before === undefined
      ? `after ledger ${grouped(ledger)} of ${network}`
      : `just before transaction ${before} of ledger ${grouped(ledger)} of ${network}`;
  const proof = entry.kind === "unknown" ? null : entry.proof;
  const headline = {
    known: `${key}, ${place}`,
    absent: `${key} did not exist ${place}`,
    unknown: `${key}, ${place}: not known`,
  }[entry.kind];
  const facts = rowsOf([
    ["value", value?.text],
    ["last modified", value && `ledger ${grouped(value.lastModifiedLedger)}`],
    ["live until", entry.kind === "absent" ? null : liveUntilText(liveUntil)],
    ["archived", value?.archived ? "yes (evicted)" : null],
  ]);
  const why = entry.kind === "unknown" && [
    sentence(`The archive does not show the entry: ${entry.reason}.`),
    checkpoints && sentence(knownAt(checkpoints)),
  ];
  return {
    head: { headline, tone: "plain", body: [] },
    sections: [
      section("value", null, [...(why || []), facts]),
      section("proof", "Proof", proof === null ? [] : proofContent(proof, report)),
      section("key", null, rowsOf([["key", keyXdr]]), { detail: "verbose" }),
    ],
  };
}

function knownAt(checkpoints: readonly number[]): string {
  const flags = checkpoints.map((each) => `\`--ledger ${each}\``).join(" or ");
  return `At a checkpoint every entry is known: pass ${flags}.`;
}

function liveUntilText(fact: StateFact<number> | null): string | null {
  if (fact === null) return null;
  if (fact.kind === "unknown") return `not known: ${fact.reason}`;
  const text = fact.kind === "known" ? `ledger ${grouped(fact.value)}` : "no TTL";
  // Its checkpoint may be another one than the entry's.
  const how = fact.proof.step === "replayed" ? " (replayed)" : " (not proven)";
  return isProven(fact.proof) ? text : `${text}${how}`;
}

function proofContent(proof: StateProof, { ledger: of, before, agreement }: StateReport) {
  const ledger = before === undefined ? of : of - 1;
  const { bucketHash, bucketListHash, headerHash, checkpoint, signatures } = proof;
  const trusted = signatures?.trustedLedger;
  const verdict =
    proof.step === "replayed"
      ? `${replayedText(proof)} The entry itself has no signature.`
      : trusted === undefined
        ? `${isProven(proof) ? "Proven" : "Not proven"}: ${signedText(proof)}`
        : `Proven: the header is in the chain before that of ledger ${grouped(trusted)}, whose hash is trusted.`;
  return [
    sentence(verdict, { tone: isProven(proof) ? "good" : "caution" }),
    agreement && `${agreement.archives} of ${agreement.asked} archives have this header.`,
    rowsOf([
      ["entry", STEPS[proof.step](proof, ledger)],
      [
        "bucket",
        bucketHash ?? (proof.step === "replayed" ? null : "no bucket of the list has the entry"),
      ],
      ["bucket list", bucketListHash],
      [`header ${grouped(checkpoint)}`, headerHash],
    ]),
  ];
}

/** A sentence's end. */
function signedText({ signatures, signedLedger }: StateProof): string {
  const { signers, organisations, needed } = signatures ?? { signers: [], ...NONE };
  const header = `the header of ledger ${grouped(signedLedger)}`;
  if (signers.length === 0)
    return `the archive has no signature of a known validator for ${header}.`;
  const of = `${counted(organisations, "organisation")}, ${grouped(needed)} needed`;
  return `${counted(signers.length, "validator")} (${of}) signed ${header}.`;
}

const NONE = { organisations: 0, needed: 0 };

function replayedText({ checkpoint, replays = [] }: StateProof): string {
  const since = `since ledger ${grouped(checkpoint)}`;
  return replays.length === 0
    ? `Followed from the transactions ${since}, whose results validators signed.`
    : `Replayed: ${counted(replays.length, "transaction")} ${since}, each with the result that validators signed.`;
}

/** More are in the JSON document. */
const SHOWN = 200;
const OTHER_CHANGES =
  "Not proven: that no other entry changed, since too few validators signed the transactions";

export function stateDiffDocument(diff: StateDiff): ReportDocument {
  const { contract, since, ledger, network, changes, unknown, isComplete } = diff;
  const between = `between ledgers ${grouped(since)} and ${grouped(ledger)} of ${network}`;
  const many = counted(changes.length, "entry", "entries");
  const replayed = changes.filter(({ isReplayed }) => isReplayed).length;
  const unproven = changes.filter((each) => !each.isProven && !each.isReplayed).length;
  const caution = { tone: "caution" } as const;
  const note =
    "svc compares the entries that transactions in between declared, as each ledger left them. " +
    "Entries that only expired are not listed.";
  const open = unknown.map(({ key, reason }) => ({ text: key, notes: [{ text: `${reason}.` }] }));
  return {
    head: {
      headline: `${many} of ${contract} changed ${between}.`,
      tone: "plain",
      body: [
        sentence(note, { tone: "faint" }),
        ...[
          { what: "Replayed, not signed", count: replayed },
          { what: "Not proven", count: unproven },
        ].flatMap(({ what, count }) =>
          count === 0 ? [] : [sentence(`${what}: ${grouped(count)} of them.`, caution)],
        ),
        ...(isComplete ? [] : [sentence(`${OTHER_CHANGES} ${between}.`, caution)]),
      ],
    },
    sections: [
      section("changes", "Changes", itemsOf("tree", changes.map(diffItem), { most: SHOWN })),
      section("unknown", "Not known at one of the ledgers", itemsOf("tree", open, { most: SHOWN })),
    ],
  };
}

/** An entry with what changed of it; where nothing but its TTL did, that alone. */
function diffItem(change: StateChange): Item {
  const { liveUntil, fields, before, after, kind } = change;
  const text = (ledger: number | null) => (ledger === null ? ABSENT : `ledger ${grouped(ledger)}`);
  const isTtlAlone = kind === "updated" && fields.length === 0 && before === after;
  const item = isTtlAlone ? { text: change.key, badge: "TTL" } : changeItem(change);
  const rows = "rows" in item ? (item.rows ?? []) : [];
  if (liveUntil.before === liveUntil.after) return item;
  const values = [text(liveUntil.before), text(liveUntil.after)];
  return { ...item, rows: [...rows, { label: "live until", values }] };
}
