// The only place that finds something in a text by its form. A report has texts of others: a value
// of the chain, in which addresses stand at any depth, a string that a contract wrote, the words of
// a node, a line that a person pasted. Nothing marks an address or a hash in these, and nothing has
// to: a strkey is a notation of its own, and what has its form is an address, whoever wrote it.
// Facts of svc are data, and are never looked for here.
// Invariant: what is found is only named, shortened, hidden, kept on one line, or proposed to the
// person who pasted the text. No cause, verdict or fix follows from it.

import { SHORT_ADDRESS, shortStrkey, strkeyPattern } from "./strkey.ts";

const ADDRESSES = new RegExp(`(?<![A-Za-z0-9])${strkeyPattern()}(?![A-Za-z0-9])`, "g");
const SHORTEST_ADDRESS = 56;

/** The addresses in the text, in their order. The same address can occur several times. */
export function addressesIn(text: string): readonly string[] {
  return text.length < SHORTEST_ADDRESS ? [] : (text.match(ADDRESSES) ?? []);
}

/** The text with other words for each address in it. */
export function withAddresses(text: string, wordsOf: (address: string) => string): string {
  return text.length < SHORTEST_ADDRESS ? text : text.replace(ADDRESSES, wordsOf);
}

/** Shortens every address in the text. */
export function withShortAddresses(text: string): string {
  return withAddresses(text, (address) => shortStrkey(address));
}

const SECRET_KEYS = new RegExp(`(?<![A-Za-z0-9])${strkeyPattern(["seed"])}(?![A-Za-z0-9])`, "g");

/** The text without the secret keys of accounts, also without those with a mistake. */
export function withoutSecretKeys(text: string): string {
  return text.length < SHORTEST_ADDRESS ? text : text.replace(SECRET_KEYS, "S… (a secret key)");
}

const LONG_BYTES = /\b(0x[0-9a-f]{8})[0-9a-f]{24,}([0-9a-f]{6})\b(…?)/g;

/**
 * Shortens every hash, key or signature to what is enough to recognize it: `0x4b4cbd44…9dce49`. The
 * last bytes of what is cut off already are not its end: `0x4b4cbd44…`.
 */
export function withShortBytes(text: string): string {
  return text.replace(LONG_BYTES, (_, first: string, last: string, cut: string) =>
    cut === "" ? `${first}…${last}` : `${first}${cut}`,
  );
}

const SHORT_ADDRESSES = new RegExp(`(\\b${SHORT_ADDRESS}\\b)`);

/** The text in pieces. No line should break within a short address. */
export function byShortAddresses(
  text: string,
): readonly { readonly text: string; readonly isAddress: boolean }[] {
  return text.split(SHORT_ADDRESSES).map((piece, at) => ({ text: piece, isAddress: at % 2 === 1 }));
}
