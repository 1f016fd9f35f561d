// Explains a strkey by itself (SEP-23). An address does not show what went wrong, so the
// explanation only says where to continue.

import { phrase, svc, svcDebug, type Wording } from "../base/phrase.ts";
import {
  decodeStrkey,
  encodeStrkey,
  isMistypedAddress,
  isStrkeyForm,
  MISTYPED_ADDRESS,
  partsOfMuxed,
  type Strkey,
} from "../base/text/strkey.ts";
import type { CodeExplanation } from "../model/node-answer.ts";

const NOTHING = "An address shows nothing of what went wrong.";

/** Explains a strkey; null for a text of another form. */
export function explainStrkey(text: string): CodeExplanation | null {
  if (isStrkeyForm(text, ["seed"]))
    return {
      code: "S…",
      kind: "secret key",
      meaning: "This has the form of the secret key of an account. No other person may see it.",
      remedy:
        "Do not paste it anywhere. If others may have seen it, move the funds to another account.",
    };
  if (isMistypedAddress(text))
    return {
      code: text,
      kind: "address with a mistake",
      meaning: "This has the form of an address, and a wrong checksum.",
      remedy: MISTYPED_ADDRESS,
    };
  const decoded = decodeStrkey(text);
  return decoded && { code: text, ...WORDS[decoded.kind](text, decoded.payload) };
}

type Words = Pick<CodeExplanation, "kind" | "meaning" | "remedy">;

const WORDS: Readonly<Record<Strkey["kind"], (text: string, payload: Uint8Array) => Words>> = {
  account: () => ({
    kind: "address of an account",
    meaning: NOTHING,
    remedy: withTransaction("of the account"),
  }),
  contract: (contract) => ({
    kind: "address of a contract",
    meaning: NOTHING,
    remedy: withError("it", contract),
  }),
  muxed: (text) => ({
    kind: "muxed address of an account",
    meaning: `It is ${partsIn(text)}. ${NOTHING}`,
    remedy: withTransaction("of the account"),
  }),
  "muxed-contract": (text) => ({
    kind: "muxed address of a contract",
    meaning:
      `It is ${partsIn(text)} (CAP-84, from protocol 30 on). Only a function that takes a muxed ` +
      `address accepts it. ${NOTHING}`,
    remedy: withError("the contract", partsOfMuxed(text)?.address ?? text),
  }),
  "claimable-balance": () => ({
    kind: "id of a claimable balance",
    meaning: NOTHING,
    remedy: withTransaction("that used the balance"),
  }),
  "liquidity-pool": () => ({
    kind: "id of a liquidity pool",
    meaning: NOTHING,
    remedy: withTransaction("that used the pool"),
  }),
  "pre-authorized-transaction": (_, hash) => ({
    kind: "signer that is a transaction",
    meaning: `If an account has this signer, the transaction ${hash.toHex()} needs no signature of it.`,
    remedy: phrase`If that transaction was sent, ${svcDebug(hash.toHex(), null, "run")}.`,
  }),
  hash: (_, hash) => ({
    kind: "signer that is a hash",
    meaning: `If an account has this signer, the bytes with the SHA-256 ${hash.toHex()} sign for it.`,
    remedy: withTransaction("that needs the signature"),
  }),
  "signed-payload": (_, payload) => ({
    kind: "signer that is a signed payload",
    meaning: `If an account has this signer, a signature of the payload by ${encodeStrkey("account", payload.subarray(0, KEY_SIZE))} signs for it (CAP-40).`,
    remedy: withTransaction("that needs the signature"),
  }),
};

const KEY_SIZE = 32;

function partsIn(muxed: string): string {
  const parts = partsOfMuxed(muxed);
  return parts === null ? muxed : `the ${parts.kind} ${parts.address} with the number ${parts.id}`;
}

function withTransaction(which: string): Wording {
  return phrase`Pass the error, or ${svc("debug", "run")} with the hash of a transaction ${which}.`;
}

function withError(subject: string, contract: string): Wording {
  return phrase`Pass an error with ${subject}: ${svc(`explain --id ${contract} "#1"`)} reads the contract's name for the error.`;
}
