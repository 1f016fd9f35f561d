// A node's address for people, logs and metrics. Node URLs carry secrets in the user part, the
// query and often the path (`/v2/<api key>`), so all of these are left out.

import { utf8Bytes } from "../bytes.ts";
import { crypto } from "../crypto.ts";

/** Parts of the paths of nodes, lakes and archives that are no secret. */
const PLAIN_WORDS = new Set([
  "",
  ..."api horizon json jsonrpc ledger ledgers meta rpc soroban stellar v1 v1.1 v2".split(" "),
  ..."futurenet local mainnet pubnet public testnet".split(" "),
  ..."001 002 003 core live prd".split(" "),
]);

/** A path of a question to Horizon: no part of its address. */
const ASKED = /\/(?:transactions\/[0-9a-f]{64}|ledgers\/\d+)(?:\/\w+)?$/;

/** It tells the nodes of one user apart, and is too short to find a secret with. */
const DIGEST_DIGITS = 4;

/**
 * `https://host:port`, with the path where it is of well-known words only, and with `/…` where it
 * may have a secret.
 */
export function nodeAddress(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { protocol, host, pathname } = new URL(url);
  const path = pathname.replace(ASKED, "").replace(/\/$/, "");
  const isPlain = path.split(/[/_-]/).every((word) => PLAIN_WORDS.has(word));
  return `${protocol}//${host}${isPlain ? path : "/…"}`;
}

/**
 * The key of everything that is counted for one node, by its URL in the settings: the address, and
 * where that hides something, digits that differ between nodes of one host: `https://host/…#1a2b`.
 */
export function nodeLabel(url: string): string {
  const address = nodeAddress(url);
  if (!URL.canParse(url)) return address;
  const { username, password, pathname, search } = new URL(url);
  const hidden = [
    username,
    password,
    address.endsWith("/…") ? pathname.replace(/\/$/, "") : "",
    search,
  ];
  if (hidden.every((part) => part === "")) return address;
  const digest = crypto()
    .sha256(utf8Bytes(JSON.stringify(hidden)))
    .toHex();
  return `${address}#${digest.slice(0, DIGEST_DIGITS)}`;
}
