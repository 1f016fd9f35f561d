// Finds the signatures that an envelope lacks, and those that it does not need, in stellar-core's
// order: a fee bump's outer ones first, then those of the source account, the extra signers and
// each operation.

import { decodeAccountKey } from "../../base/text/strkey.ts";
import { accountOf } from "../../xdr/envelope/envelope-terms.ts";
import { type SignatureChecker, signatureChecker } from "../../xdr/envelope/signature-checker.ts";
import type { Value } from "../../xdr/reader/value.ts";
import { signerWith } from "../../xdr/values/signer.ts";
import type { SignatureFindings, ValidityFacts } from "./rule.ts";

type Level = 0 | 1 | 2;

export function weighSignatures(
  { envelope, accounts, isWaived = () => false }: ValidityFacts,
  operations: readonly Value<"Operation">[],
): SignatureFindings {
  const { hash, innerHash, terms } = envelope;
  const { source, payer, signatures, innerSignatures, extraSigners } = terms;
  const outer = signatureChecker(hash, signatures);
  const inner = innerHash === null ? outer : signatureChecker(innerHash, innerSignatures);
  const weighed = (address: string, checker: SignatureChecker, level: Level, of: string) => {
    const account = accounts.get(address);
    if (!account || isWaived(address)) return null;
    // Even with a threshold of 0, one signature is needed.
    const needed = Math.max(1, account.thresholds[level]);
    const has = checker.weigh(account.signers, needed);
    return has >= needed ? null : lackInWords(address, has, needed, of);
  };
  const ofPayer = innerHash === null ? null : weighed(payer, outer, 0, "the transaction");
  const ofSource = weighed(source, inner, 0, "the transaction");
  const extra = inner.weigh(extraSigners, extraSigners.length);
  const ofExtra = extra < extraSigners.length ? extraInWords(extra, extraSigners.length) : null;
  const ofOperations = operations.map((operation) => {
    const own = operation.sourceAccount === null ? source : accountOf(operation.sourceAccount);
    if ((ofSource !== null && own === source) || isWaived(own)) return null;
    if (accounts.get(own) === null && operation.sourceAccount !== null)
      return ofNoAccount(own, inner);
    return weighed(own, inner, levelOf(operation), "its operation");
  });
  const isComplete =
    [ofSource, ofExtra, ...ofOperations].every((lack) => lack === null) &&
    terms.signers.every((account) => accounts.get(account) && !isWaived(account));
  const isPayerComplete =
    innerHash !== null && ofPayer === null && accounts.get(payer) && !isWaived(payer);
  return {
    payer: ofPayer,
    source: ofSource,
    extra: ofExtra,
    operations: ofOperations,
    unusedOfPayer: isPayerComplete ? unusedInWords(outer) : null,
    unused: isComplete ? unusedInWords(inner) : null,
  };
}

function unusedInWords(checker: SignatureChecker): string | null {
  const hints = checker.unused().map(({ hint }) => hint.toHex());
  if (hints.length === 0) return null;
  return `The transaction has signatures that are not needed (hints ${hints.join(", ")}).`;
}

/** An operation of an account that does not exist yet needs a signature by its key. */
function ofNoAccount(address: string, checker: SignatureChecker): string | null {
  const own = signerWith("ed25519", decodeAccountKey(address) ?? new Uint8Array(32), 1);
  const has = checker.weigh([own], 1);
  return has > 0 ? null : lackInWords(address, has, 1, "its operation");
}

function lackInWords(address: string, has: number, needed: number, of: string): string {
  const by = has === 0 ? "There is no valid signature" : `The signatures have weight ${has}`;
  return `${by} for ${address}; ${of} needs weight ${needed}.`;
}

function extraInWords(has: number, needed: number): string {
  const named = needed === 1 ? "an extra signer" : `${needed} extra signers`;
  const count = has === 0 ? "no valid signature" : "a valid signature by only one";
  return `The preconditions name ${named}, and there is ${count}${has === 0 ? " by them" : ""}.`;
}

/** Low, medium or high (getThresholdLevel of the operations); by OperationType. */
const LEVELS: ReadonlyMap<number, Level> = new Map([
  [7, 0], // Allow trust, inflation, bump sequence, claim claimable balance, set trust line flags.
  [9, 0],
  [11, 0],
  [15, 0],
  [21, 0],
  [25, 0], // Extend TTLs, restore.
  [26, 0],
  [8, 2], // Account merge.
]);
const SET_OPTIONS = 5;

function levelOf({ body }: Value<"Operation">): Level {
  if (body.type !== SET_OPTIONS) return LEVELS.get(body.type) ?? 1;
  const { masterWeight, lowThreshold, medThreshold, highThreshold, signer } = body.setOptionsOp;
  const changed = [masterWeight, lowThreshold, medThreshold, highThreshold, signer];
  return changed.some((each) => each !== null) ? 2 : 1;
}
