// Sentences about the confirmation of a replay: by a node's answer alone, by a capsule, or by
// validators' signatures. Reports, editors and agents show the same sentences.

import { flag, phrase, type Wording } from "../base/phrase.ts";
import { counted } from "../base/text/counted.ts";
import { listed } from "../base/text/listed.ts";
import type { ChainRecord, RecordPart } from "./chain-record.ts";
import { NETWORKS, networkOfPassphrase } from "./networks.ts";
import { isSigned, isWord, PROVENANCES, type Provenance } from "./provenance.ts";
import type { Snapshot, SnapshotEntry } from "./snapshot.ts";
import type { Verdict } from "./verdict.ts";

interface KnownInput {
  readonly provenance: Provenance;
}

interface JudgedReplay {
  readonly record: Pick<ChainRecord, "claimed" | "networkPassphrase" | "ledger">;
  readonly verdict: Pick<Verdict, "kind" | "unconfirmed"> | null;
  readonly snapshot: {
    readonly entries: readonly KnownInput[];
    readonly settings: readonly KnownInput[];
  } | null;
}

/**
 * Names the inputs that only a node's answer or a capsule shows. Returns null if there are none, or
 * if there is no claim about the replay.
 */
export function unconfirmedSentence({ record, verdict, snapshot }: JudgedReplay): Wording | null {
  const isJudged = verdict !== null && verdict.kind !== "inconclusive";
  const ofRecord = partsInWords(record.claimed?.parts ?? []);
  const state = isJudged ? counts(verdict.unconfirmed.entries, verdict.unconfirmed.settings) : [];
  const parts = [...ofRecord, ...state];
  if (parts.length === 0) return null;
  const kinds = new Set(
    [...(snapshot?.entries ?? []), ...(snapshot?.settings ?? [])].map(
      ({ provenance: { kind } }) => kind,
    ),
  );
  const ofCapsule = ofRecord.length > 0 || kinds.has("claimed");
  const from = [...(ofCapsule ? ["the capsule"] : []), ...(hasNode(kinds) ? ["a node"] : [])];
  const isOpen = ofRecord.includes(WHOLE_RECORD) || kinds.has("claimed");
  const check = ofCapsule && isOpen ? howToCheck(record) : "";
  return phrase`Not confirmed by a ledger: ${listed(parts, "and")} (from ${listed(from, "and")}${check}).`;
}

/** Validators sign no ledger of a fork, so nothing proves its state. */
function howToCheck({ networkPassphrase, ledger }: JudgedReplay["record"]): Wording {
  if (ledger.isFork === true) return "";
  const name = networkOfPassphrase(networkPassphrase);
  const isPublished = name !== null && NETWORKS[name].historyArchives.length > 0;
  const condition = isPublished ? "" : " if the network has a history archive";
  return phrase`; ${flag("prove")} checks them${condition}`;
}

/** True if a part of the chain record or of the state is only what the capsule says. */
export function restsOnCapsule({
  record,
  snapshot,
}: {
  readonly record: Pick<ChainRecord, "claimed">;
  readonly snapshot: JudgedReplay["snapshot"];
}): boolean {
  const inputs = [...(snapshot?.entries ?? []), ...(snapshot?.settings ?? [])];
  return (
    (record.claimed?.parts.length ?? 0) > 0 ||
    inputs.some(({ provenance }) => provenance.kind === "claimed")
  );
}

function hasNode(kinds: ReadonlySet<Provenance["kind"]>): boolean {
  return [...kinds].some((kind) => kind !== "claimed" && isWord({ kind }));
}

const WHOLE_RECORD = "the chain record";
const PARTS: Readonly<Record<RecordPart, string>> = {
  result: "the result",
  "ledger-header": "the ledger header",
  meta: "the meta",
  "fee-changes": "the fee changes",
};

/** Without a proof of the result, no part of the record is confirmed. */
function partsInWords(parts: readonly RecordPart[]): string[] {
  return parts.includes("result") ? [WHOLE_RECORD] : parts.map((part) => PARTS[part]);
}

/**
 * Names the inputs that signatures, or a hash that the user trusts, prove. Returns null if nothing
 * was looked up.
 */
export function provenSentence({
  record,
  snapshot,
}: {
  readonly record: Pick<ChainRecord, "ledgerHeaderXdr">;
  readonly snapshot: Snapshot | null;
}): string | null {
  const [known, settingsKnown] = [snapshot?.entries ?? [], snapshot?.settings ?? []];
  const isOfArchive = ({ provenance }: KnownInput) => provenance.kind === "history-archive";
  const parts = [
    ...(snapshot?.proof === undefined ? [] : ["result"]),
    ...(snapshot?.proof === undefined || record.ledgerHeaderXdr === undefined
      ? []
      : ["ledger header"]),
    ...counts(known.filter(isOfArchive).length, settingsKnown.filter(isOfArchive).length),
  ];
  if (parts.length === 0) return null;
  const left = known.filter(({ provenance }) => provenance.kind === "archive-replay");
  const by = "as replays since the checkpoint before left them";
  const replayed =
    left.length === 0 ? "" : ` ${counted(left.length, "entry is", "entries are")} ${by}.`;
  // Inputs that only a node or a capsule shows are in the other sentence, and assumptions have a
  // caveat.
  const others = SHOWN_BY.flatMap(([shownBy, from]) => {
    const isShown = ({ provenance: { kind } }: KnownInput) => PROVENANCES[kind].shownBy === shownBy;
    const inputs = counts(known.filter(isShown).length, settingsKnown.filter(isShown).length);
    return inputs.length === 0 ? [] : [`${inputs.join(" and ")} (from ${from})`];
  });
  const open = others.length === 0 ? "" : ` Not proven: ${listed(others, "and")}.`;
  const ttls = known.filter(hasOpenTtl).length;
  const ofTtls =
    ttls === 0 ? "" : ` The TTL of ${counted(ttls, "entry", "entries")} is not proven.`;
  return `Proven by a history archive: ${listed(parts, "and")}.${replayed}${open}${ofTtls}`;
}

const SHOWN_BY = [
  ["metas", "metas"],
  ["runs", "further runs"],
  ["rules", "the result and the network's rules"],
] as const;

/** True if the value of the entry is proven, but only a node or a meta shows its TTL. */
function hasOpenTtl({ provenance, ttlProvenance }: SnapshotEntry): boolean {
  return isSigned(provenance) && ttlProvenance !== null && !isSigned(ttlProvenance);
}

function counts(entries: number, settings: number): string[] {
  return [
    ...(entries === 0 ? [] : [counted(entries, "entry", "entries")]),
    ...(settings === 0 ? [] : [counted(settings, "network setting")]),
  ];
}
