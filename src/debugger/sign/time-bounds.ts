// Whether the network can still accept a transaction, as far as its time bounds say.

import { readValidity } from "../../xdr/envelope/validity.ts";

/** ISO 8601; null while the time bounds have not passed. The envelope has been read before. */
export function expiredAt(envelopeXdr: string, unixMilliseconds: number): string | null {
  const { untilSeconds } = readValidity(envelopeXdr);
  if (untilSeconds === 0n || BigInt(Math.floor(unixMilliseconds / 1000)) <= untilSeconds)
    return null;
  return new Date(Number(untilSeconds) * 1000).toISOString();
}
