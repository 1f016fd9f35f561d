// Says whether two failures have the same reason. The reason is a condition: the branch of the
// code, the side that it went to, and the terms that it compared, whatever their values were.

import { utf8Bytes } from "../../base/bytes.ts";
import type { Term, Why } from "../../model/why.ts";
import { sha256 } from "../../xdr/reader/hash.ts";

/** 16 hexadecimal digits, which failures with the same reason share. */
export function conditionId(why: Why): string {
  return sha256(utf8Bytes(conditionOf(why)))
    .toHex()
    .slice(0, 16);
}

export function isSameReason(left: Why, right: Why): boolean {
  return conditionOf(left) === conditionOf(right);
}

/**
 * Says whether two runs of one transaction fail for the same reason in the same call, and compare
 * the same entries and elements.
 */
export function isSameComparison(left: Why, right: Why): boolean {
  const ofOneRun = (why: Why) => conditionOf(why, true);
  return left.frame === right.frame && ofOneRun(left) === ofOneRun(right);
}

/** `isOfOneRun`: with the keys of entries and the positions of elements, which are values. */
function conditionOf({ code, address, taken, conditions }: Why, isOfOneRun = false): string {
  const form = ({ kind, index, name, operator, keyXdr, of = [] }: Term): unknown => {
    const position = kind === "element" && !isOfOneRun ? null : index;
    const key = isOfOneRun ? keyXdr : null;
    return [kind, position, name, operator, key, of.map(form)];
  };
  const forms = conditions.map(({ relation, terms, type }) => [relation, type, terms.map(form)]);
  return JSON.stringify([code, address, taken, forms]);
}
