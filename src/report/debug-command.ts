// The command that debugs a transaction of a verification. Nodes are those of the settings that the
// verification ran with: a report does not have their URLs.

import type { NotExact } from "../model/verification.ts";

export function debugCommand({ hash, source }: NotExact): string {
  const isFile = source.startsWith("/") || /^[A-Za-z]:\\/.test(source);
  if (!isFile) return `svc debug ${hash}`;
  const plain = /^[\w./:\\-]+$/.test(source);
  return `svc debug ${hash} --ledger-file ${plain ? source : `'${source.replaceAll("'", "'\\''")}'`}`;
}
