// Sentences on what confirms the state of a replay: a node's answer alone, a capsule, or what
// validators signed. Reports, editors and agents show the same ones.

import { counted } from "../base/text/counted.ts";
import type { ChainRecord } from "./chain-record.ts";
import { type Provenance, type Snapshot, type SnapshotEntry, UNCHECKED } from "./snapshot.ts";
import type { Verdict } from "./verdict.ts";

interface Known {
  readonly provenance: Provenance;
}

/** The inputs that rest on a node's answer alone; null when there are none, or no claim. */
export function unconfirmedSentence({
  verdict,
  snapshot,
}: {
  readonly verdict: Pick<Verdict, "kind" | "unconfirmed"> | null;
  readonly snapshot: {
    readonly entries: readonly Known[];
    readonly settings: readonly Known[];
  } | null;
}): string | null {
  if (verdict === null || verdict.kind === "inconclusive") return null;
  const parts = counts(verdict.unconfirmed.entries, verdict.unconfirmed.settings);
  if (parts.length === 0) return null;
  const isUnchecked = [...(snapshot?.entries ?? []), ...(snapshot?.settings ?? [])].some(
    ({ provenance }) => provenance.detail.startsWith(UNCHECKED),
  );
  const from = isUnchecked ? "the capsule; `--prove` checks them" : "a node";
  return `Not confirmed by a ledger: ${parts.join(" and ")} (from ${from}).`;
}

/** What signatures prove, or a hash that the user trusts; null where nothing was looked up. */
export function provenSentence({
  record,
  snapshot,
}: {
  readonly record: Pick<ChainRecord, "ledgerHeaderXdr">;
  readonly snapshot: Snapshot | null;
}): string | null {
  const isSigned = ({ provenance }: Known) => provenance.kind === "history-archive";
  const entries = (snapshot?.entries ?? []).filter(isSigned).length;
  const settings = (snapshot?.settings ?? []).filter(isSigned).length;
  const parts = [
    ...(snapshot?.proof === undefined ? [] : ["result"]),
    ...(snapshot?.proof === undefined || record.ledgerHeaderXdr === undefined
      ? []
      : ["ledger header"]),
    ...counts(entries, settings),
  ];
  const [last, ...before] = parts.toReversed();
  if (last === undefined) return null;
  const all = before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`;
  const left = (snapshot?.entries ?? []).filter(
    ({ provenance }) => provenance.kind === "archive-replay",
  );
  const by = "as replays since the checkpoint before left them";
  const replayed =
    left.length === 0 ? "" : ` ${counted(left.length, "entry is", "entries are")} ${by}.`;
  // Inputs that only a node or a capsule shows have the other sentence, and assumptions a caveat.
  const isOfMeta = (known: Known) => !isProvenBy(known) && !TOLD_APART.has(known.provenance.kind);
  const others = counts(
    (snapshot?.entries ?? []).filter(isOfMeta).length,
    (snapshot?.settings ?? []).filter(isOfMeta).length,
  );
  const open = others.length === 0 ? "" : ` Not proven: ${others.join(" and ")} (from metas).`;
  const ttls = (snapshot?.entries ?? []).filter(hasOpenTtl).length;
  const ofTtls =
    ttls === 0 ? "" : ` The TTL of ${counted(ttls, "entry", "entries")} is not proven.`;
  return `Proven by a history archive: ${all}.${replayed}${open}${ofTtls}`;
}

/** The value of the entry is proven, and a node or a meta alone shows until when it lives. */
function hasOpenTtl({ provenance, ttlProvenance }: SnapshotEntry): boolean {
  return (
    isProvenBy({ provenance }) &&
    ttlProvenance !== null &&
    !isProvenBy({ provenance: ttlProvenance })
  );
}

const TOLD_APART: ReadonlySet<string> = new Set(["rpc-unchanged", "assumed"]);

/** True where an archive shows it, or replays of what archives have, or where code has its hash. */
export function isProvenBy({ provenance: { kind } }: Known): boolean {
  return kind === "history-archive" || kind === "archive-replay" || kind === "code-file";
}

function counts(entries: number, settings: number): string[] {
  return [
    ...(entries === 0 ? [] : [counted(entries, "entry", "entries")]),
    ...(settings === 0 ? [] : [counted(settings, "network setting")]),
  ];
}
