// A mismatch between the folded state and the chain, as a report shows it.

import type { StateMismatch } from "../model/verification.ts";
import type { FoldedMismatch } from "../snapshot/stream/ledgers-fold.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";
import { describeEntry, describeKey } from "../xdr/values/value.ts";

/** Describes a mismatch: the entry, what earlier ledgers made of it, and what the chain has. */
export function describeMismatch(
  { kind, ledger, keyXdr, folded, onChain }: FoldedMismatch,
  source: string,
): StateMismatch {
  const isTtl = typeOfKey(keyXdr) === ENTRY_TYPE.ttl;
  const show = isTtl ? (until: string) => `live until ledger ${until}` : describeEntry;
  return {
    kind,
    ledger,
    source,
    keyXdr,
    key: describeKey(keyXdr),
    folded: folded && show(folded),
    onChain: onChain && show(onChain),
    foldedXdr: isTtl ? null : folded,
    onChainXdr: isTtl ? null : onChain,
  };
}
