// What a Stellar tool prints around a code: the codes in a text, and messages of tools without any.

import { cutVisibly } from "../base/text/neutralise.ts";
import { sentenceStart } from "../base/text/sentence.ts";
import { CAUSES, type CauseKind } from "../model/cause-kinds.ts";
import type { CodeExplanation } from "../model/node-answer.ts";
import { limitNamed } from "./causes/limits.ts";
import { explainCode, HORIZON_NAMES } from "./explain-code.ts";
import { TRAPS } from "./host-messages/host-errors.ts";
import { knownMessage } from "./host-messages/host-messages.ts";
import { tokenErrorInWords } from "./host-messages/token-errors.ts";

const MOST_CODES = 8;
const DEEPEST = 8;
const LONGEST_LINE = 200;
const LONGEST_MESSAGE = 2000;
const MOST_SEARCHED = 1024 * 1024;
/** Results that are no news beside those of operations. */
const AROUND = /^(tx_?(fee_?bump_?inner_?)?failed|op_?inner|(tx|op)_?success|\w+success)$/i;
const SHAPES: readonly RegExp[] = [
  // As SDKs and Horizon write them.
  /\b(?:tx|op)_[a-z_]{3,40}\b/g,
  /\b(?:tx|op)(?:[A-Z][A-Z_]{2,40}|(?:[A-Z][a-z]+){1,8})\b/g,
  /\b(?:function_trapped|resource_limit_exceeded|entry_archived|insufficient_refundable_fee)\b/g,
  // `paymentUnderfunded`, `PAYMENT_UNDERFUNDED`.
  /\b[a-z]+(?:[A-Z][a-z]+){1,9}\b/g,
  /\b[A-Z]+(?:_[A-Z]+){1,9}\b/g,
  // As Rust prints them: `OpInner(Payment(Underfunded))`, `result: TxBadSeq`.
  /\b(?!OpInner|Some|VecM|TxF)(?:[A-Z][a-z]+){1,8}\(\s*(?:[A-Z][a-z]+){1,8}\b/g,
  /\bTx(?:[A-Z][a-z]+){1,8}\b/g,
  new RegExp(`\\b(?:${Object.keys(TRAPS).join("|")})\\b`, "g"),
];
const PREFIXED = /^(tx|op|function_|resource_limit|entry_archived|insufficient_refundable)/i;
const STATUS =
  /\bTRY_AGAIN_LATER\b|(?<=\bstatus\W{1,6})(?:PENDING|DUPLICATE|ERROR|NOT_FOUND|FAILED)\b/gi;

/** Names of codes, in the order of the text, each once. */
export function codesWithin(text: string): string[] {
  const searched = text.slice(0, MOST_SEARCHED);
  const places = new Map<string, number>();
  for (const shape of SHAPES)
    for (const { 0: word, index } of searched.matchAll(shape)) {
      // `Payment(Underfunded` → `PaymentUnderfunded`.
      const name = word.replace(/\(\s*/, "");
      places.set(name, Math.min(places.get(name) ?? index, index));
    }
  const names = [...places].sort(([, one], [, other]) => one - other);
  const codes = names.flatMap(([name]) => {
    const [first] = explainCode(name);
    if (first === undefined || !/result|trap/.test(first.kind)) return [];
    // `notFound` in a text is no result of an offer: the name has to be complete.
    const isOne = first.code in TRAPS || HORIZON_NAMES.has(first.code);
    const isComplete = isOne && first.code.toLowerCase() === name.replaceAll("_", "").toLowerCase();
    return isComplete || PREFIXED.test(name) ? [first.code] : [];
  });
  const statuses = [...searched.matchAll(STATUS)].map(([status]) => status.toUpperCase());
  return withoutNoise([...new Set(codes.length > 0 ? codes : statuses)]);
}

function withoutNoise(codes: readonly string[]): string[] {
  const news = codes.filter((code) => !AROUND.test(code));
  return (news.length > 0 ? news : codes).slice(0, MOST_CODES);
}

/** Horizon's `result_codes`, at any depth of an answer; empty when there are none. */
export function explainResultCodes(json: unknown, depth = 0): CodeExplanation[] {
  if (typeof json !== "object" || json === null || depth > DEEPEST) return [];
  const { result_codes: codes } = json as { readonly result_codes?: unknown };
  const own = typeof codes === "object" && codes !== null ? codes : {};
  const names = Object.values(own)
    .flat()
    .filter((code) => typeof code === "string");
  const { operations } = own as { readonly operations?: unknown };
  const found = withoutNoise([...new Set(names)]).flatMap((name) => {
    const [code] = explainCode(name);
    return code === undefined
      ? []
      : [{ ...code, kind: `${code.kind}${placesOf(name, operations)}` }];
  });
  if (found.length > 0) return found;
  for (const value of Object.values(json)) {
    const within = explainResultCodes(value, depth + 1);
    if (within.length > 0) return within;
  }
  return [];
}

/** `, of operation 2`, where there are several. */
function placesOf(name: string, operations: unknown): string {
  if (!Array.isArray(operations) || operations.length < 2) return "";
  const places = operations.flatMap((each, i) => (each === name ? [i + 1] : []));
  if (places.length === 0) return "";
  return `, of operation${places.length > 1 ? "s" : ""} ${places.join(", ")}`;
}

/** A message of the contract host, stellar-core, a node or a tool; null when it is unknown. */
export function explainMessage(text: string): CodeExplanation | null {
  const message = text.trim().replace(/^"(.*)"$/, "$1");
  return (MESSAGE.test(message) ? messageOfHost(message) : null) ?? messageOfTool(message);
}

/** The messages of hosts and of stellar-core are short lines. */
const MESSAGE = /^[^\p{Cc}]{1,240}$/u;

const VALUES = ["…", "…", "…"];

/** A message of the contract host with the values that were reported with it. */
export function explainMessageWith(
  message: string,
  values: readonly string[],
): CodeExplanation | null {
  return MESSAGE.test(message) ? messageOfHost(message, values) : null;
}

function messageOfHost(
  message: string,
  values: readonly string[] = VALUES,
): CodeExplanation | null {
  const kind = "message of the contract host";
  const code = cutVisibly(message, LONGEST_LINE);
  const known = knownMessage(message);
  const token = tokenErrorInWords(message, values, null, false);
  const cause = CAUSE_OF_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
  const ofMessage = limitNamed(message) ?? cause;
  const words = token?.words ?? known?.words.replace(/\{\w+\}/g, "…");
  if (words !== undefined) {
    const remedy = token?.remedy ?? known?.remedy ?? WITH_LOG;
    return { code, kind, meaning: `${sentenceStart(words)}.`, remedy };
  }
  if (ofMessage !== undefined) {
    const { meaning, remedy = "" } = CAUSES[ofMessage];
    return { code, kind, meaning, remedy };
  }
  if (!REPEATED.test(message)) return null;
  const meaning =
    "The host adds this to every error that a contract passes on: it is not the cause.";
  return { code, kind, meaning, remedy: WITH_LOG };
}

const WITH_LOG = "Pass the whole log: it has the values, and the calls in which it happened.";
const REPEATED = /^(escalating |contract call failed|contract try_call failed)/;
/** Messages whose causes need more than the message. */
const CAUSE_OF_MESSAGE: readonly (readonly [RegExp, CauseKind])[] = [
  [/^Unauthorized function call for address/, "authorization-missing"],
  [/^failed account authentication/, "authorization-refused"],
  [/^signature has expired/, "authorization-expired"],
  [/^nonce already exists/, "authorization-reused"],
  [/outside of the footprint/, "footprint-miss"],
  [/^trying to get non-existing value for contract instance/, "contract-missing"],
  [/^trying to get non-existing value/, "missing-entry"],
  [/^trying to invoke non-existent contract function/, "function-missing"],
  [/^(VM call failed: )?Func\(MismatchingParameterLen\)|^wrong number of args/, "argument-count"],
  [/^trying to access an archived/, "entry-archived"],
  [/^refundable resource fee/, "insufficient-refundable-fee"],
];

function messageOfTool(text: string): CodeExplanation | null {
  // The words of a longer text are about many things.
  const isMessage = text.length <= LONGEST_MESSAGE;
  const found = isMessage ? MESSAGES.find(([pattern]) => pattern.test(text)) : undefined;
  if (found === undefined) return null;
  const [pattern, meaning, remedy] = found;
  const [code = "", ...groups] = pattern.exec(text) ?? [];
  const said = typeof meaning === "string" ? meaning : meaning(groups);
  return { code, kind: "message of a tool", meaning: said, remedy };
}

/** Kinds of keys by the letter that their text begins with (SEP-23). */
const KEYS: Readonly<Record<string, string>> = {
  B: "the id of a claimable balance (B…)",
  C: "the address of a contract (C…)",
  G: "the address of an account (G…)",
  L: "the id of a liquidity pool (L…)",
  M: "a muxed address (M…)",
  P: "a signed payload (P…)",
  S: "a secret key (S…)",
  T: "the hash of a transaction (T…)",
  W: "a muxed address of a contract (W…)",
  X: "a hash (X…)",
};

/** `version`: the first byte of a key, whose upper five bits are its letter. */
function keyOfVersion(version = ""): string {
  const letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number(version) >> 3] ?? "";
  return KEYS[letter] ?? `something with the version byte ${version}`;
}

/** js-xdr writes these, and its types repeat the second one without the prefix. */
const NOT_AN_XDR_OBJECT = new RegExp(
  [
    "XDR Write Error:[^\\n]{0,200} (?:is not an? \\w+|has (?:union|struct|enum) name)",
    "\\bis not an? (?:ScVal|ScAddress|(?:Unsigned)?Hyper)\\b",
  ].join("|"),
  "i",
);

type Meaning = string | ((groups: readonly (string | undefined)[]) => string);

const MESSAGES: readonly (readonly [pattern: RegExp, meaning: Meaning, remedy: string])[] = [
  [
    /invalid version byte\. expected (\d{1,3}), got (\d{1,3})/i,
    ([expected, given]) =>
      `${sentenceStart(keyOfVersion(given))} was given in the place of ${keyOfVersion(expected)}.`,
    "Pass a value of the kind that is needed, or call the function that takes the kind that you have.",
  ],
  [
    NOT_AN_XDR_OBJECT,
    "A value in the program is not the XDR object that is needed there: it is a native value that was not " +
      "converted, or an object of a second copy of the SDK.",
    "Convert native values, such as with `nativeToScVal`, and load the SDK only once (`npm ls @stellar/stellar-sdk`).",
  ],
  [
    /bad union switch|XDR (?:Read|Write) Error|unknown (?:enum|discriminant)|xdr value invalid/i,
    "The program could not read or write XDR: usually it is older than the network's protocol, or the " +
      "text was not complete.",
    "Update the SDK or tool to a release of the network's protocol, and check that the XDR is complete.",
  ],
  [
    /account not found|account does not exist|could not (?:find|load) account/i,
    "The account does not exist on the network that was asked.",
    "Check the network. Create the account with createAccount, or on a test network with Friendbot.",
  ],
  [
    /contract.{0,70}not found|missing contract/i,
    "The network that was asked has no contract with this address, or it is archived.",
    "Check the address and the network; deploy the contract, or restore it.",
  ],
  [
    /(?:restore|archived).{0,60}(?:contract|entr(y|ies)|state)|entr(y|ies).{0,30}archived/i,
    "An entry that the transaction needs is archived: its TTL has passed.",
    "Send a RestoreFootprint transaction first; a simulation returns it as restorePreamble.",
  ],
  [
    /timed? ?out|timeout|gateway time|\b504\b/i,
    "Nobody answered in time, which shows nothing of the transaction: it can still be in a ledger.",
    "Ask for its hash until its time bounds have passed. The same envelope can be sent again without risk.",
  ],
  [
    /too many requests|rate limit|\b429\b/i,
    "The node refuses more requests for now.",
    "Wait and try again, or use a node with a higher limit.",
  ],
  [
    /status code 400|400 bad request|\btransaction submission failed\b|^transaction[ _]failed$/i,
    "The node refused the transaction. The reason is in the body of its answer, not in this message.",
    "Print the body, and pass it: with a JavaScript SDK, `error.response.data.extras.result_codes`.",
  ],
  [
    /missing signing key|no signing key|needs? (?:to be signed|non-invoker signing)/i,
    "An address other than the source account must sign an authorization, and its key is not there.",
    "Have that address sign its authorization entry, then send the transaction.",
  ],
  [
    /startledger|start ledger|ledger range/i,
    "The node does not keep the ledgers that were asked for.",
    "Begin within the node's range (getHealth shows it), or ask a node that keeps more.",
  ],
  [
    /resource missing|horizon-errors\/not_found/i,
    "Horizon has nothing under this address: the account, transaction or asset does not exist on its " +
      "network, or is older than what it keeps.",
    "Check the hash or address, and that the Horizon serves the right network.",
  ],
  [
    /transaction.malformed/i,
    "Horizon could not decode the envelope: it is cut off, is not base64, or was not URL-encoded.",
    "Send it as the form field `tx`, with `+` encoded as `%2B`.",
  ],
  [
    /stale_history|too stale|over capacity|service unavailable|bad gateway|\b50[23]\b/i,
    "The node is behind the network, or has too much to do.",
    "Try again later, or ask another node.",
  ],
  [
    /before_history|before recorded history/i,
    "The node does not keep what is that old.",
    "Ask a node with the whole history. `svc debug` also asks ledger lakes.",
  ],
  [
    /InvokeError::Abort/,
    "A called contract did not fail with an error of its own: it trapped, or the host ended the call.",
    "Call that contract alone, or pass the log of the failure: it has the host's error.",
  ],
  [
    /user (rejected|declined)/i,
    "The user did not sign: the wallet sent nothing.",
    "Ask again, and show what is to be signed.",
  ],
  [
    /internal error|-32603/i,
    "The node failed while it worked on the request.",
    "Try again, or ask another node.",
  ],
  [
    /method not found|-32601/i,
    "The node does not know this method: it is another kind of node, or an older release.",
    "Check the URL: Stellar RPC and Horizon are different nodes.",
  ],
  [
    /invalid (param|request)|-32602|-32600/i,
    "The node could not read the parameters of the request.",
    "Check the names and types of the parameters, and that XDR is complete base64.",
  ],
  [
    /econnrefused|enotfound|fetch failed|network error|connection refused|error sending request/i,
    "The node could not be reached: nothing was sent.",
    "Check the node's URL and the connection; `svc doctor` tries each node.",
  ],
];

/** Words of svc's reports in a short text, such as a line of one. */
export function wordsWithin(text: string): CodeExplanation[] {
  if (text.length > LONGEST_LINE) return [];
  const words = new Set(text.split(/[^\w-]+/));
  return [...words].flatMap((word) =>
    explainCode(word).filter(
      ({ kind }) => kind === "verdict of svc" || (kind === "kind of cause" && word.includes("-")),
    ),
  );
}
