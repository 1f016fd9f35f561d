// Whether the network can still accept a transaction, as far as its time bounds say.

import type { Envelope } from "../../xdr/envelope/envelope.ts";

/** ISO 8601; null while the time bounds have not passed. */
export function expiredAt({ terms }: Envelope, unixMilliseconds: number): string | null {
  const { latestSeconds } = terms;
  if (latestSeconds === null || BigInt(Math.floor(unixMilliseconds / 1000)) <= latestSeconds)
    return null;
  return new Date(Number(latestSeconds) * 1000).toISOString();
}
