// Explains XDR that is not a part of an answer: its type and its content. Nothing is fetched.

import { SvcError } from "../base/errors/errors.ts";
import { flag, phrase, svc, type Wording } from "../base/phrase.ts";
import { grouped, stroopsInWords } from "../base/text/grouped.ts";
import { cutSentence } from "../base/text/neutralise.ts";
import { authorizedCallInWords } from "../explain/naming/authorizations.ts";
import { OR_ITS_CODE } from "../explain/words/answer-words.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { readAuthorization } from "../xdr/envelope/authorizations.ts";
import { readSorobanData } from "../xdr/envelope/soroban-data.ts";
import type { TypeName } from "../xdr/reader/schema.ts";
import { toJson } from "../xdr/reader/to-json.ts";
import { decode, encode } from "../xdr/reader/value.ts";
import { unorderedKeys } from "../xdr/values/map-order.ts";
import { describeEntry, describeKey, showValue } from "../xdr/values/value.ts";

const SHOWN = 2_000;

interface KnownType {
  readonly type: TypeName;
  readonly kind: string;
  /** One or more sentences about the content. */
  readonly meaning: (xdr: string) => string;
  readonly remedy: Wording;
}

const SHOWS_NOTHING =
  "It shows nothing of what went wrong: pass the error, or the node's answer, too.";

/** The types in order. The first one that decodes all bytes is used. */
const TYPES: readonly KnownType[] = [
  {
    type: "LedgerKey",
    kind: "ledger key",
    meaning: (xdr) => `The key of a ledger entry: ${describeKey(xdr, SHOWN)}.`,
    remedy: phrase`${svc("state", "Run")} with it for the entry as a ledger left it.`,
  },
  {
    type: "LedgerEntry",
    kind: "ledger entry",
    meaning: (xdr) => `A ledger entry: ${describeEntry(xdr, SHOWN)}.`,
    remedy: SHOWS_NOTHING,
  },
  {
    type: "LedgerEntryData",
    kind: "data of a ledger entry",
    meaning: (xdr) =>
      `The data of a ledger entry, as getLedgerEntries gives it: ${jsonOf("LedgerEntryData", xdr)}.`,
    remedy: SHOWS_NOTHING,
  },
  {
    type: "SorobanAuthorizationEntry",
    kind: "authorization entry",
    meaning: authorizationInWords,
    remedy:
      "Sign it for the network that the transaction is sent to, with an expiration ledger in the " +
      "future, and put it into the operation before the transaction is signed.",
  },
  {
    type: "SorobanTransactionData",
    kind: "Soroban transaction data",
    meaning: (xdr) => {
      const { footprint, instructions, diskReadBytes, writeBytes, resourceFeeStroops } =
        readSorobanData(xdr);
      const { readOnly, readWrite } = footprint;
      return (
        `The footprint and the resources that a transaction declares: ${readOnly.length} keys to read, ` +
        `${readWrite.length} to write, ${grouped(instructions)} instructions, ${grouped(diskReadBytes)} bytes ` +
        `read from disk, ${grouped(writeBytes)} bytes written, a resource fee of ${stroopsInWords(resourceFeeStroops)}.`
      );
    },
    remedy: "Assemble it into the transaction that was simulated, before that is signed.",
  },
  {
    type: "TransactionResultPair",
    kind: "transaction result with its hash",
    meaning: (xdr) => `The result of a transaction: ${jsonOf("TransactionResultPair", xdr)}.`,
    remedy: phrase`${svc("debug", "Run")} with the hash in it.`,
  },
  {
    type: "ScVal",
    kind: "value",
    meaning: (xdr) => {
      const keys = unorderedKeys(decode("ScVal", xdr));
      const order =
        keys === null
          ? ""
          : ` The keys of a map in it are not in order (${keys.map((key) => showValue(encode("ScVal", key))).join(", ")}): the contract host refuses it.`;
      return `A value of a contract (ScVal): ${showValue(xdr, SHOWN)}.${order}`;
    },
    remedy: SHOWS_NOTHING,
  },
  {
    type: "ScSpecEntry",
    kind: "entry of a contract's specification",
    meaning: (xdr) => `A part of a contract's interface: ${jsonOf("ScSpecEntry", xdr)}.`,
    remedy: phrase`Pass the contract's address with ${flag("id")}${OR_ITS_CODE}, for its whole interface.`,
  },
  {
    type: "LedgerHeader",
    kind: "ledger header",
    meaning: (xdr) => `The header of a ledger: ${jsonOf("LedgerHeader", xdr)}.`,
    remedy: SHOWS_NOTHING,
  },
  {
    type: "Operation",
    kind: "operation",
    meaning: (xdr) => `An operation of a transaction: ${jsonOf("Operation", xdr)}.`,
    remedy: SHOWS_NOTHING,
  },
];

/** Explains base64 XDR; null if it has none of the types that svc knows here. */
export function explainXdr(xdr: string): CodeExplanation | null {
  for (const { type, kind, meaning, remedy } of TYPES) {
    if (!isOf(type, xdr)) continue;
    const code = xdr.length > 12 ? `${xdr.slice(0, 12)}…` : xdr;
    return { code, kind, meaning: meaning(xdr), remedy };
  }
  return null;
}

function isOf(type: TypeName, xdr: string): boolean {
  try {
    return encode(type, decode(type, xdr)) === xdr;
  } catch (error) {
    if (error instanceof SvcError) return false;
    throw error;
  }
}

function jsonOf(type: TypeName, xdr: string): string {
  const json = JSON.stringify(toJson(type, decode(type, xdr)));
  return cutSentence(json, SHOWN);
}

function authorizationInWords(xdr: string): string {
  const { address, expirationLedger, nonce, signed, root } = readAuthorization(
    decode("SorobanAuthorizationEntry", xdr),
  );
  const call = authorizedCallInWords(root);
  if (address === null)
    return `The source account of the transaction authorizes ${call}, by signing the transaction.`;
  const state = signed
    ? `It has a signature, and is valid until ledger ${expirationLedger}`
    : `It is not signed: its signature is void, and its expiration ledger is ${expirationLedger}`;
  return `An authorization of ${address} for ${call}. ${state} (nonce ${nonce}).`;
}
