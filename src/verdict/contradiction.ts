// What a source says of one transaction, where it cannot all be true. The result has the hash that a
// ledger names; the changes of the balance that pays have none.

import type { Caveat } from "../model/verdict.ts";
import type { ChainFacts } from "../xdr/outcome/chain-facts.ts";

/** fee charged = taken in the fee phase − refund paid, where both phases are known. */
export function feeContradiction(chain: ChainFacts): Caveat[] {
  const { result, feeTakenStroops: taken, refundStroops: refunded } = chain;
  const charged = result.feeChargedStroops;
  if (taken === null || refunded === null || BigInt(taken) - BigInt(refunded) === BigInt(charged))
    return [];
  const detail =
    `The source contradicts itself: its metas show ${taken} stroops taken and ${refunded} ` +
    `refunded, and the result ${charged} charged.`;
  return [{ kind: "contradiction", keyXdr: null, detail }];
}
