// Who sent how much of which token to whom, and the sum for each account.

import { grouped } from "../../base/text/grouped.ts";
import type { TokenFlow, TokenMove, TokenNet } from "../../model/explanation.ts";
import { wrap } from "./layout.ts";

/** A report is read by people. Further rows are only in --json. */
const SHOWN_MOVES = 50;
const SHOWN_NETS = 50;

/** Empty when nothing moved. */
export function tokenLines({ moves, net }: TokenFlow): string[] {
  const moved = moves.slice(0, SHOWN_MOVES).flatMap((move) => wrap(moveInWords(move), "  ", 4));
  const lines = [...moved, ...omitted(moves.length - SHOWN_MOVES, "movements")];
  // The sum of a single movement is the movement itself.
  if (moves.length === 1) return lines;
  const sums = net
    .slice(0, SHOWN_NETS)
    .flatMap((each) => wrap(`${each.account} ${signedAmount(each)} ${tokenOf(each)}`, "  net ", 6));
  return [...lines, ...sums, ...omitted(net.length - SHOWN_NETS, "sums")];
}

function moveInWords(move: TokenMove): string {
  const { kind, from, to } = move;
  const path = [from === null ? [] : [`from ${from}`], to === null ? [] : [`to ${to}`]].flat();
  return [kind, amountOf(move), tokenOf(move), ...path].join(" ");
}

export function amountOf({ amount, units }: TokenMove | TokenNet): string {
  return amount === null ? `${grouped(units)} units` : groupedAmount(amount);
}

export function tokenOf({ symbol, token, asset }: TokenMove | TokenNet): string {
  if (asset !== null) return asset;
  return symbol === null ? `of ${token}` : `${symbol} (${token})`;
}

export function signedAmount(net: TokenNet): string {
  return net.units.startsWith("-") ? amountOf(net) : `+${amountOf(net)}`;
}

/** `1234567.89` → `1,234,567.89`. */
function groupedAmount(amount: string): string {
  const [whole = "", fraction] = amount.split(".");
  const sign = whole.startsWith("-") ? "-" : "";
  const shown = `${sign}${grouped(whole.slice(sign.length))}`;
  return fraction === undefined ? shown : `${shown}.${fraction}`;
}

function omitted(count: number, what: string): string[] {
  return count > 0 ? [`  (${count} more ${what}; see --json)`] : [];
}
