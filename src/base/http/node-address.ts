// A node's address for people, logs and metrics. Node URLs carry secrets in the user part, in the
// query and often in the path (`/v2/<api key>`), so all of these are left out.

import { utf8Bytes } from "../bytes.ts";
import { crypto } from "../crypto.ts";

/** Words in the paths of nodes, lakes and archives that are not secret. */
const PLAIN_WORDS = new Set([
  "",
  ..."api horizon json jsonrpc ledger ledgers meta rpc soroban stellar v1 v1.1 v2".split(" "),
  ..."futurenet local mainnet pubnet public testnet".split(" "),
  ..."001 002 003 core live prd".split(" "),
]);

/** The path of a question to Horizon. It is not a part of the node's address. */
const ASKED = /\/(?:transactions\/[0-9a-f]{64}|ledgers\/\d+)(?:\/\w+)?$/;

/** Enough digits to tell the nodes of one user apart, and too few to find a secret with. */
const DIGEST_DIGITS = 4;

/**
 * Returns `https://host:port`. A path of well-known words is added; any other path, which may hold
 * a secret, becomes `/…`.
 */
export function nodeAddress(url: string): string {
  return addressWithPath(url).address;
}

/** Says whether the address leaves out a part of the URL, which may be a secret. */
export function hidesPart(url: string): boolean {
  return hiddenParts(url).some((part) => part !== "");
}

function addressWithPath(url: string): { readonly address: string; readonly isPlain: boolean } {
  if (!URL.canParse(url)) return { address: "(not a URL)", isPlain: true };
  const { protocol, host, pathname } = new URL(url);
  const path = pathname.replace(ASKED, "").replace(/\/$/, "");
  const isPlain = path.split(/[/_-]/).every((word) => PLAIN_WORDS.has(word));
  return { address: `${protocol}//${host}${isPlain ? path : "/…"}`, isPlain };
}

/** The parts that the address leaves out; each is empty if the URL does not have it. */
function hiddenParts(url: string): readonly string[] {
  if (!URL.canParse(url)) return [];
  const { username, password, pathname, search } = new URL(url);
  const { isPlain } = addressWithPath(url);
  return [username, password, isPlain ? "" : pathname.replace(/\/$/, ""), search];
}

/**
 * Returns the key under which everything about one node is counted, from its URL in the settings.
 * The key is the address. If the address hides something, digits follow that differ between the
 * nodes of one host: `https://host/…#1a2b`.
 */
export function nodeLabel(url: string): string {
  const address = nodeAddress(url);
  if (!hidesPart(url)) return address;
  const digest = crypto()
    .sha256(utf8Bytes(JSON.stringify(hiddenParts(url))))
    .toHex();
  return `${address}#${digest.slice(0, DIGEST_DIGITS)}`;
}
