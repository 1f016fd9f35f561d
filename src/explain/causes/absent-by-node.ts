// A node that leaves an entry out looks like one whose ledger does not have it. What a failure may
// owe to such an entry is likely at most.

import type { ChainRecord } from "../../model/chain-record.ts";
import type { ProvenanceKind, Snapshot } from "../../model/snapshot.ts";
import { describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { type CauseFacts, diagnosticsOf, type Failure } from "./failure.ts";

const SHOWN_KEYS = 8;

/** Without diagnostics of the chain, a cause can rest on what a node left out. */
export function absentByNode(record: ChainRecord, snapshot: Snapshot | null): string[] {
  if (diagnosticsOf(record, null).length > 0) return [];
  return (snapshot?.entries ?? [])
    .filter(({ entryXdr, provenance }) => entryXdr === null && BY_NODE.has(provenance.kind))
    .map(({ keyXdr }) => keyXdr);
}

const BY_NODE: ReadonlySet<ProvenanceKind> = new Set(["rpc-unchanged", "assumed"]);

export function asTheNodeShows(
  found: CauseFacts,
  { absentByNode, lookup }: Pick<Failure, "absentByNode" | "lookup">,
): CauseFacts {
  if (absentByNode.length === 0) return found;
  const names = absentByNode.slice(0, SHOWN_KEYS).map((key) => describeTypedKey(key, lookup));
  const more = absentByNode.length - names.length;
  const all = more > 0 ? [...names, `${more} more`] : names;
  return {
    ...found,
    cause: { ...found.cause, confidence: "likely" },
    evidence: [`The node has no entry for ${all.join("; ")}.`, ...found.evidence],
  };
}
