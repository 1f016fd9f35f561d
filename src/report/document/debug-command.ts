// The command that debugs a transaction of a verification, with the network and the nodes of the
// run. A node whose URL has more than a host may have a secret there: its variable is named.

import { NETWORKS } from "../../model/networks.ts";
import type { NotExact, VerificationNodes } from "../../model/verification.ts";

const HIDDEN = "/…";

export function debugCommand({ hash, source }: NotExact, nodes: VerificationNodes | null): string {
  const isFile = source.startsWith("/") || /^[A-Za-z]:\\/.test(source);
  return [
    `svc debug ${hash}`,
    ...networkFlags(nodes?.networkPassphrase ?? null),
    ...(isFile ? [`--ledger-file ${quoted(source)}`] : []),
    ...(isFile || nodes === null
      ? []
      : [
          ...urlFlag("--rpc-url", nodes.rpcUrls, "SVC_RPC_URL"),
          ...urlFlag("--ledger-lake-url", nodes.ledgerLakeUrls, "SVC_LEDGER_LAKE_URL"),
        ]),
  ].join(" ");
}

function networkFlags(passphrase: string | null): string[] {
  if (passphrase === null) return [];
  const known = Object.entries(NETWORKS).find(([, each]) => each.passphrase === passphrase);
  if (known !== undefined) return [`--network ${known[0]}`];
  return [`--network-passphrase ${quoted(passphrase)}`];
}

function urlFlag(flag: string, urls: readonly string[], variable: string): string[] {
  if (urls.length === 0) return [];
  if (urls.some((url) => url.endsWith(HIDDEN))) return [`${flag} "$${variable}"`];
  return [`${flag} ${quoted(urls.join(","))}`];
}

/** For a shell. */
function quoted(text: string): string {
  return /^[\w./:\\,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
