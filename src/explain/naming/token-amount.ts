// Amounts of a token in whole tokens, next to the smallest units that its contract uses.

import { grouped, groupedDecimal } from "../../base/text/grouped.ts";
import { quotedSymbol, type TokenMetadata } from "../../xdr/contract/token-metadata.ts";
import { amountOf } from "../../xdr/values/value-parts.ts";

/** Functions of SEP-41 and of the asset contract whose argument `amount` is one of the token. */
const TAKES_AMOUNT: ReadonlySet<string> = new Set([
  "approve",
  "burn",
  "burn_from",
  "clawback",
  "mint",
  "transfer",
  "transfer_from",
]);
const GIVES_AMOUNT: ReadonlySet<string> = new Set(["allowance", "balance"]);

/** ` (1,000.0001234 LAB)` after such an argument; empty after any other. */
export function argumentInTokens(
  called: { readonly function: string | null; readonly argument: string | undefined },
  scValXdr: string,
  token: TokenMetadata | null,
): string {
  const takes = called.argument === "amount" && TAKES_AMOUNT.has(called.function ?? "");
  return takes ? inTokens(amountOf(scValXdr), token) : "";
}

/** The amount in tokens, after the result of a function that returns an amount. */
export function resultInTokens(
  called: string | null,
  scValXdr: string,
  token: TokenMetadata | null,
): string {
  return GIVES_AMOUNT.has(called ?? "") ? inTokens(amountOf(scValXdr), token) : "";
}

function inTokens(units: bigint | null, token: TokenMetadata | null): string {
  if (units === null || units === 0n || token === null) return "";
  return ` (${tokenAmount(units, token)})`;
}

/** A contract that is not an asset contract can use any symbol, so the symbol is in quotes. */
export function tokenAmount(units: bigint, token: TokenMetadata | null): string {
  if (token === null) return `${grouped(units)} units`;
  const name = token.asset === null ? quotedSymbol(token) : token.symbol;
  return `${groupedDecimal(decimalText(units, token.decimals))} ${name}`;
}

/** Without trailing zeros. */
export function decimalText(units: bigint, decimals: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
