// The work that a tool did when it printed an error, and whose tool it was, as far as the text
// shows it.

import { SHORT_ADDRESS, strkeyPattern } from "../../base/text/strkey.ts";

/** The host of soroban-sdk runs the tests of a contract. */
const UNIT_TEST = /panicked at [^\n]{0,300}soroban-env-host/;
/**
 * The addresses that its `Env` gives to contracts: 24 bytes of zeros and a number. Nobody can deploy
 * a contract there, so it matters that the contract ran; as an argument the address means nothing.
 */
const TEST_CONTRACT = /\b(?:contract:|topics:\[fn_call, )\s*CA{38,}\w{1,17}\b/;
const SIMULATION = /simulation failed|simulateTransaction/i;

/** A console shows what is deep within an answer only as this. */
export const HIDDEN_CODES = /\b(?:operations|result_codes|extras)["']?: \[(?:Array|Object)\]/;

/**
 * The forms in which a console shows the result within an answer of the SDK: by the name of its
 * class, or with its value left out.
 */
export const HIDDEN_RESULT =
  /\[TransactionResult(?:Result)?\]|\bresult["']?: (?:\[ChildUnion\]|ChildUnion \{[^{}]{0,200}\b_value: \[Array\])/;

/** True if a test of a contract printed the error. */
export function isOfUnitTest(error: string | null): boolean {
  return error !== null && (UNIT_TEST.test(error) || TEST_CONTRACT.test(error));
}

/** True if a tool says that the error is of a simulation. */
export function isOfSimulation(error: string | null): boolean {
  return error !== null && SIMULATION.test(error);
}

/** Names, addresses and codes that only texts about Stellar have. */
const OF_STELLAR = new RegExp(
  [
    "stellar|soroban|horizon|HostError|scval|wasm32v1|contractimpl|contracttype",
    "freighter|albedo|lobstr|xbull|friendbot|galexie|launchtube|captive[ -]core|history archive",
    String.raw`\bxlm\b|\blumens?\b|\bstroops?\b|trust ?line|xdr\b|\bsep-?\d{1,2}\b`,
    String.raw`\b(?:tx|op)_[a-z]+|\btx(?:[A-Z][a-z]+){2}`,
    "signTransaction|signAuthEntry|prepareTransaction|latestLedger|start ?ledger|errorResult",
  ].join("|"),
  "i",
);
const STELLAR_ADDRESS = new RegExp(String.raw`\b${SHORT_ADDRESS}\b|\b${strkeyPattern()}\b`);
/** Names and words of other networks, and of programs that no tool of Stellar runs. */
const OF_OTHERS = new RegExp(
  [
    String.raw`solana|\blamports?\b|custom program error|polkadot|substrate|midnight`,
    String.raw`ethereum|\bethers?\b|\bg?wei\b|execution reverted|\b0x[0-9a-f]{40}\b`,
    String.raw`\bgas ?(?:\*|price|limit|fees?|used|wanted)|\bfor gas\b|cosmos|cardano|bitcoin`,
    String.raw`kubernetes|kubectl|\bldap\b`,
  ].join("|"),
  "i",
);
/** A shorter text can be the line alone that somebody copied out of others. */
const SHORT = 160;

/** True if a text is about something else than Stellar: it names another network or program. */
export function isOfOthers(text: string): boolean {
  return OF_OTHERS.test(text) && !isOfStellar(text);
}

/** True if a text is long enough to name what it is about, and names nothing of Stellar. */
export function namesNothingOfStellar(text: string): boolean {
  return (text.length > SHORT || OF_OTHERS.test(text)) && !isOfStellar(text);
}

function isOfStellar(text: string): boolean {
  return OF_STELLAR.test(text) || STELLAR_ADDRESS.test(text);
}
