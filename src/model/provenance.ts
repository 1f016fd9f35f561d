// How one input of a replay is known, as data: a kind, which is a row of the closed table below,
// and a sentence for people. No code reads the sentence. A statement of a capsule about itself is a
// claim, with the kind that the capsule names.

import * as v from "valibot";
import type { Parsed } from "../base/wire.ts";
import { boundedText } from "./chain-record.ts";

interface ProvenanceRow {
  /** One sentence. */
  readonly meaning: string;
  /** True if only a node's answer or a capsule shows it, and nothing that svc read confirms it. */
  readonly isWord?: true;
  /** True if the network's own rules and signatures exclude anything else. */
  readonly isProof?: true;
  /** True if validators' signatures, replays of what they signed, or a hash prove it. */
  readonly isSigned?: true;
  /** The evidence without any of these: the metas of ledgers, further runs, or rules. */
  readonly shownBy?: "metas" | "runs" | "rules";
}

const ROWS = {
  meta: {
    meaning: "The transaction's own meta shows the entry as it was just before.",
    isProof: true,
    shownBy: "metas",
  },
  "same-ledger": {
    meaning: "An earlier transaction of the same ledger left the entry like this.",
    shownBy: "metas",
  },
  "rpc-unchanged": {
    meaning:
      "A node shows the entry today, last modified before the transaction. No ledger confirms it.",
    isWord: true,
  },
  "ledger-scan": {
    meaning: "The changes of other ledgers, before or after this one, show the entry.",
    shownBy: "metas",
  },
  "history-archive": {
    meaning: "A history archive shows the entry, in a state that validators signed.",
    isProof: true,
    isSigned: true,
  },
  "archive-replay": {
    meaning:
      "Replays of the transactions since a checkpoint of a history archive left the entry like this.",
    isSigned: true,
  },
  "code-file": {
    meaning: "Contract code from a file of the user, identified by its hash.",
    isSigned: true,
  },
  archive: {
    meaning: "The ledgers that were read show the entry as archived.",
    shownBy: "metas",
  },
  diagnostics: {
    meaning: "The transaction's diagnostic events name the entry as archived. No hash covers them.",
    shownBy: "metas",
  },
  deduced: {
    meaning:
      "It follows from the transaction's result and meta and the rules of the network. No source " +
      "shows the entry itself.",
    isProof: true,
    shownBy: "rules",
  },
  "replay-proof": {
    meaning:
      "Further runs prove it: only with this value the replay does what the chain records, or it " +
      "does the same with any other.",
    isProof: true,
    shownBy: "runs",
  },
  override: {
    meaning: "You want the entry like this: it is an override, in a run beside the replay.",
  },
  assumed: { meaning: "No source proves the entry: the verdict is at most `equivalent`." },
} as const satisfies Readonly<Record<string, ProvenanceRow>>;

/** The kinds by which an input can be known. A capsule only claims one of them. */
export type StatedKind = keyof typeof ROWS;
export type ProvenanceKind = StatedKind | "claimed";

export const PROVENANCES: Readonly<Record<ProvenanceKind, ProvenanceRow>> = {
  ...ROWS,
  claimed: {
    meaning:
      "A capsule claims it, and how its writer knew it. Nothing in the capsule proves the claim.",
    isWord: true,
  },
};

const STATED = Object.keys(ROWS) as [StatedKind, ...StatedKind[]];
const stated = v.picklist(STATED);

export const provenanceSchema = v.variant("kind", [
  v.strictObject({
    kind: stated,
    /** One sentence for people: where the input was read, or why it does not matter. */
    detail: boundedText,
  }),
  v.strictObject({
    kind: v.literal("claimed"),
    by: v.literal("capsule"),
    /** The kind that the capsule names. */
    claims: stated,
    detail: boundedText,
  }),
]);
export type Provenance = Parsed<typeof provenanceSchema>;

/** True for an input that only a node's answer, or a capsule, shows. */
export function isWord({ kind }: Pick<Provenance, "kind">): boolean {
  return PROVENANCES[kind].isWord === true;
}

export function isAssumed({ kind }: Pick<Provenance, "kind">): boolean {
  return kind === "assumed";
}

/** True if validators' signatures, replays of what they signed, or a hash prove the input. */
export function isSigned({ kind }: Pick<Provenance, "kind">): boolean {
  return PROVENANCES[kind].isSigned === true;
}

/** True if the network's own rules and signatures exclude anything else. */
export function isProof({ kind }: Pick<Provenance, "kind">): boolean {
  return PROVENANCES[kind].isProof === true;
}

/** Returns the kind, or the one that a capsule names. */
export function statedKind(provenance: Provenance): StatedKind {
  return provenance.kind === "claimed" ? provenance.claims : provenance.kind;
}

/** Turns a provenance into the capsule's claim. An assumption stays an assumption. */
export function claimedByCapsule(provenance: Provenance): Provenance {
  const { detail } = provenance;
  const claims = statedKind(provenance);
  return claims === "assumed"
    ? { kind: claims, detail }
    : { kind: "claimed", by: "capsule", claims, detail };
}

/** Returns the provenance for a new capsule, which makes no claims about other capsules. */
export function withoutClaim(provenance: Provenance): Provenance {
  return { kind: statedKind(provenance), detail: provenance.detail };
}
