// A node's address for people, logs and metrics. Node URLs carry secrets in the user part, the
// query and often the path (`/v2/<api key>`), so all of these are left out.

/** Parts of the paths of nodes and lakes that are no secret. */
const PLAIN_WORDS = new Set([
  "",
  ..."api horizon json jsonrpc ledger ledgers meta rpc soroban stellar v1 v1.1 v2".split(" "),
  ..."futurenet local mainnet pubnet public testnet".split(" "),
]);

/** A path of a question to Horizon: no part of its address. */
const ASKED = /\/(?:transactions\/[0-9a-f]{64}|ledgers\/\d+)(?:\/\w+)?$/;

/**
 * `https://host:port`, with the path where it is of well-known words only, and with `/…` where it
 * may have a secret.
 */
export function nodeAddress(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const path = new URL(url).pathname.replace(ASKED, "").replace(/\/$/, "");
  const isPlain = path.split(/[/_-]/).every((word) => PLAIN_WORDS.has(word));
  return `${nodeOrigin(url)}${isPlain ? path : "/…"}`;
}

/** `https://host:port`: the key of everything that is counted for one node. */
export function nodeOrigin(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
