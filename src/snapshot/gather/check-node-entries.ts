// Compares an entry at a node with the ledgers that were read: an entry that a ledger changed
// cannot have been last modified before it. If the node contradicts a ledger, none of its entries
// counts.

import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { lastModifiedOf } from "../../xdr/reader/keys.ts";
import { describeKey } from "../../xdr/values/value.ts";
import { type Evidence, laterChange } from "../evidence.ts";
import type { FootprintKey } from "../footprint-keys.ts";

/** Checks the entries. Throws NODE_LIED. */
export function checkNodeEntries(evidence: Evidence, keys: readonly FootprintKey[]): void {
  for (const { keyXdr } of keys) {
    const node = evidence.nodes.find(keyXdr);
    const lastModified = node?.entry?.lastModifiedLedger ?? null;
    if (node === null || lastModified === null) continue;
    const changedIn = changesOf(evidence, keyXdr).find(
      (ledger) => lastModified < ledger && ledger <= node.latestLedger,
    );
    if (changedIn === undefined) continue;
    throw new SvcError("NODE_LIED", {
      message:
        `${node.origin} gave a wrong answer: ${describeKey(keyXdr)} was last modified in ledger ` +
        `${lastModified}, but ledger ${changedIn} changed it (lastModifiedLedgerSeq).`,
      remedy: phrase`Set another node with ${flag("rpcUrl")}.`,
      details: { source: node.origin, keyXdr, field: "lastModifiedLedgerSeq" },
    });
  }
}

/** The ledgers that are known to have written the entry. */
function changesOf(evidence: Evidence, keyXdr: string): number[] {
  const { transaction, folded } = evidence;
  const { ledgerSequence, changesBefore, operationChanges } = transaction;
  const own = [...changesBefore, ...(operationChanges ?? [])].some(
    (change) => change.keyXdr === keyXdr && WRITES.has(change.kind),
  );
  const before = folded?.entry(keyXdr);
  const later = laterChange(evidence, keyXdr);
  return [
    ...(own ? [ledgerSequence] : []),
    ...(typeof before === "string" ? [lastModifiedOf(before)] : []),
    ...(later?.before.kind === "entry" || later?.before.kind === "absent" ? [later.ledger] : []),
  ];
}

const WRITES: ReadonlySet<string> = new Set(["created", "updated"]);
