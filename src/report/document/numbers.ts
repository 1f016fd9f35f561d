// How a report writes numbers.

import { grouped } from "../../base/text/grouped.ts";

/**
 * `43 %`; a hyphen if the whole is 0. A part that exceeds the whole is more than 100 %, and a part
 * that is not 0 is more than 0 %.
 */
export function percent(part: bigint, whole: bigint, decimals: 0 | 1 = 0): string {
  if (whole === 0n) return "-";
  const up = part > whole ? whole - 1n : 0n;
  const share = (part * (decimals === 0 ? 100n : 1000n) + up) / whole;
  if (share === 0n && part > 0n) return decimals === 0 ? "< 1 %" : "< 0.1 %";
  return `${decimals === 0 ? grouped(share) : `${grouped(share / 10n)}.${share % 10n}`} %`;
}

/** A share of 1, as precise as a bar shows it. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 10_000n) / whole) / 10_000;
}

export function numberOf(decimal: string | null): string | null {
  return decimal === null ? null : grouped(decimal);
}
