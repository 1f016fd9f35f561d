// Explains a code, a word, a hash or an address by its name.

import type { ErrorRow } from "../base/errors/base-errors.ts";
import { flag, HTTP, phrase, phraseFor, svc, svcDebug } from "../base/phrase.ts";
import { CATALOGUE, rowOf } from "../error-catalogue.ts";
import { explainCode, LISTS } from "../explain/explain-code.ts";
import type { CodeExplanation, ExplainedText, ListedTopic } from "../model/node-answer.ts";
import {
  type NumberedTransaction,
  numberedTransaction,
  transactionOfUrl,
} from "../model/transaction-url.ts";
import { explainStrkey } from "./explain-strkey.ts";
import type { BesideText } from "./text-to-explain.ts";

/** The codes of svc's own errors. */
export const OWN_ERROR_CODES = Object.keys(CATALOGUE);
/** No name is longer. */
const LONGEST_NAME = 200;

/** Every known thing whose name is exactly this text. */
export function explainWord(text: string, { contract = null }: BesideText): ExplainedText | null {
  if (text.length > LONGEST_NAME) return null;
  const thing = thingNamed(text);
  const codes = [
    ...(thing === null ? [] : [thing]),
    ...rowNamed(text.toUpperCase().replace(/^\[(.*)\]$/, "$1")),
    ...explainCode(text, contract),
  ];
  return codes.length === 0 ? null : { kind: "codes", codes };
}

/** Everything with a name in the topic. */
export function listTopic(topic: ListedTopic): readonly CodeExplanation[] {
  if (topic !== "errors") return LISTS[topic]();
  return Object.entries(CATALOGUE).map(([code, row]) => explainRow(code, row));
}

/** Explains the error of svc with this code; empty if there is none. */
export function rowNamed(code: string): CodeExplanation[] {
  const row = rowOf(code);
  return row === null ? [] : [explainRow(code, row)];
}

function explainRow(code: string, row: ErrorRow): CodeExplanation {
  return {
    code,
    kind: `error of svc, exit code ${row.exitCode}, HTTP status ${row.httpStatus}`,
    meaning: row.summary,
    remedy: row.advice,
    ...(row.httpAdvice !== undefined && { httpRemedy: phraseFor(row.httpAdvice, HTTP) }),
  };
}

/** Words that appear next to codes but are not codes. */
function thingNamed(text: string): CodeExplanation | null {
  const numbered = numberedTransaction(text);
  if (numbered !== null) return explainNumbered(numbered);
  const url = transactionOfUrl(text);
  if (url !== null) return explainHash(url.hash, url.network);
  const hash = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1]?.toLowerCase();
  if (hash !== undefined) return explainHash(hash, null);
  if (/^\d{1,10}$/.test(text)) {
    const [number] = explainCode(`#${text}`);
    const meaning = `A number alone can mean many things. If it is the error of a contract: ${number?.meaning}`;
    return number === undefined ? null : { ...number, meaning };
  }
  return explainStrkey(text);
}

function explainNumbered({ id, ledger, order, network }: NumberedTransaction): CodeExplanation {
  const on = network === null ? "" : ` of ${network}`;
  return {
    code: id,
    kind: "number of a transaction (SEP-35)",
    meaning: `An explorer's number, which means transaction ${order} in ledger ${ledger}${on}.`,
    remedy: phrase`Copy the transaction's hash from the explorer's page, and ${svc("debug", "run")} with it.`,
  };
}

function explainHash(hash: string, network: string | null): CodeExplanation {
  const meaning = "A hash shows nothing by itself: the transaction has to be fetched and replayed.";
  // A contract's code and a ledger have hashes too.
  const remedy =
    network === null
      ? phrase`If it is the hash of a transaction, ${svcDebug(hash, null, "run")}, with ${flag("network")} for another network than testnet.`
      : phrase`${svcDebug(hash, network, "Run")}.`;
  return { code: hash, kind: "hash", meaning, remedy };
}

/** Explains the only hash in a short text; null if there is none. */
export function hashWithin(text: string): CodeExplanation | null {
  const [hash] = text.length > LONGEST_NAME ? [] : (/\b[0-9a-f]{64}\b/i.exec(text) ?? []);
  return hash === undefined ? null : thingNamed(hash);
}
