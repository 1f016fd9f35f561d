// Decides which signatures are enough: the organisations whose validators a network trusts, and how
// many of each. The messages are those of SCP (stellar-core, HerderImpl::verifyEnvelope): a
// validator signs the network's id, ENVELOPE_TYPE_SCP and its statement. CONFIRM means that it
// accepted a value as committed, and EXTERNALIZE that the value was committed.

import { concatBytes } from "../base/bytes.ts";
import { isSignatureOf } from "../base/ed25519.ts";
import { decodeAccountKey } from "../base/text/strkey.ts";
import type { StateSignatures } from "../model/state/proven-state.ts";
import { droppedSet } from "../xdr/ledger/header.ts";
import { networkId } from "../xdr/reader/hash.ts";
import { decodeBytes, encodeBytes, type Value } from "../xdr/reader/value.ts";
import { setUint32 } from "../xdr/reader/words.ts";

/**
 * G… addresses by organisation. An organisation has signed if more than half of its validators
 * have.
 */
export type Validators = readonly (readonly string[])[];

const ENVELOPE_TYPE_SCP = 1;
const CONFIRM = 1;
const EXTERNALIZE = 2;

/** The header has this in the place of the hash of a set that validators dropped (CAP-83). */
export const DROPPED_SET = "0".repeat(64);

export interface SignedSet {
  readonly ledger: number;
  /**
   * The set names the header before the ledger's. If the set was dropped, the signed value names
   * it.
   */
  readonly hash: string;
  readonly previousHash: string;
}

/**
 * `messages` is the SCPHistoryEntry of the ledger. Messages with a false signature do not count.
 */
export function signaturesOf(
  messages: Value<"ScpHistoryEntry">,
  { ledger, hash, previousHash }: SignedSet,
  organisations: Validators,
  networkPassphrase: string,
): StateSignatures {
  const head = new Uint8Array(36);
  head.set(networkId(networkPassphrase));
  setUint32(head, 32, ENVELOPE_TYPE_SCP);
  const signed = new Set<string>();
  const { messages: envelopes } = messages.v0.ledgerMessages;
  for (const { statement, signature } of envelopes) {
    const value = committedValue(statement);
    const signer = statement.nodeId.ed25519.toHex();
    if (statement.slotIndex !== BigInt(ledger) || value === null || signed.has(signer)) continue;
    if (value.txSetHash.toHex() !== hash) continue;
    if (hash === DROPPED_SET && droppedAfter(value) !== previousHash) continue;
    const message = concatBytes([head, encodeBytes("ScpStatement", statement)]);
    if (isSignatureOf(statement.nodeId.ed25519, message, signature)) signed.add(signer);
  }
  const hasSigned = (address: string) => signed.has(decodeAccountKey(address)?.toHex() ?? "");
  const agreeing = organisations.filter((each) => 2 * each.filter(hasSigned).length > each.length);
  return {
    signers: organisations.flat().filter(hasSigned),
    organisations: agreeing.length,
    needed: Math.floor((2 * organisations.length) / 3) + (organisations.length === 0 ? 0 : 1),
  };
}

/** True if the statement has the value that was committed. */
export function speaksFor({ pledges }: Value<"ScpStatement">): boolean {
  return pledges.type === CONFIRM || pledges.type === EXTERNALIZE;
}

/** Returns the hash of the header before, or null if no set was dropped. */
function droppedAfter({ ext }: Value<"StellarValue">): string | null {
  return droppedSet(ext)?.previousLedgerHash.toHex() ?? null;
}

function committedValue({ pledges }: Value<"ScpStatement">): Value<"StellarValue"> | null {
  const ballot =
    pledges.type === CONFIRM
      ? pledges.confirm.ballot
      : pledges.type === EXTERNALIZE
        ? pledges.externalize.commit
        : null;
  if (ballot === null) return null;
  try {
    return decodeBytes("StellarValue", ballot.value);
  } catch {
    // Somebody made this message up, and its value cannot be decoded.
    return null;
  }
}
