// Finds who sent how much of which token to whom: from the SEP-41 and CAP-67 events of contracts,
// or, if there are none, from the balances of accounts and trustlines.

import { isAddress, isContractAddress } from "../../base/text/strkey.ts";
import type { TokenFlow, TokenMove, TokenNet } from "../../model/explanation.ts";
import {
  namesOfAsset,
  quotedSymbol,
  type TokenLookup,
  type TokenMetadata,
} from "../../xdr/contract/token-metadata.ts";
import { readBalance } from "../../xdr/ledger/balance.ts";
import { type EventFacts, readContractEvent } from "../../xdr/outcome/diagnostics.ts";
import { assetContract } from "../../xdr/values/asset-contract.ts";
import { showValue } from "../../xdr/values/value.ts";
import { amountOf, stringOf, symbolMapOf, symbolOf } from "../../xdr/values/value-parts.ts";
import { decimalText } from "./token-amount.ts";

interface MovedAmount {
  readonly kind: TokenMove["kind"];
  readonly token: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly amount: bigint;
}

/** The LedgerEntries before and after. */
export interface Balances {
  readonly beforeXdr: string | null;
  readonly afterXdr: string | null;
}

export function tokenFlow(
  eventsXdr: readonly string[],
  balances: readonly Balances[],
  knownEntries: TokenLookup,
  networkPassphrase: string,
): TokenFlow {
  const events = eventsXdr.map(readContractEvent);
  const moves = events.flatMap((event) => moveOf(event) ?? []);
  const assets = events.flatMap((event) => assetOf(event, networkPassphrase) ?? []);
  const fromEvents = new Map(assets.map((asset) => [asset.contract, asset]));
  const tokenOf = (token: string) => knownEntries(token) ?? fromEvents.get(token) ?? null;
  const byEvents = moves.length > 0;
  const nets = byEvents ? netsOfMoves(moves) : netsOfBalances(balances);
  return {
    moves: moves.map(({ token, amount, ...move }) => ({
      ...move,
      token,
      ...nameOf(token, tokenOf),
      ...amountIn(amount, token, tokenOf),
    })),
    net: nets.map(({ account, token, amount }) => ({
      account,
      token,
      ...nameOf(token, tokenOf),
      ...amountIn(amount, token, tokenOf),
    })),
    from: byEvents ? "events" : "balances",
  };
}

const KINDS: ReadonlySet<string> = new Set(["transfer", "mint", "burn", "clawback"]);

/** Topics: name, admin (only before protocol 23), one or two addresses, name of the asset. */
function moveOf({ kind: type, contract, topicsXdr, dataXdr }: EventFacts): MovedAmount | null {
  const [nameXdr, ...others] = topicsXdr;
  const kind = nameXdr === undefined ? null : symbolOf(nameXdr);
  if (type !== "contract" || contract === null || kind === null || !KINDS.has(kind)) return null;
  const amount = amountOf(dataXdr) ?? amountOf(symbolMapOf(dataXdr)?.get("amount") ?? "");
  const addresses = others.map((topic) => showValue(topic)).filter(isAddress);
  const [first, second] = addresses;
  if (amount === null || first === undefined) return null;
  const move = { token: contract, amount };
  if (kind === "transfer") {
    if (second === undefined) return null;
    return { ...move, kind, from: first, to: second };
  }
  // An admin comes before the holder.
  const holder = second ?? first;
  if (kind === "mint") return { ...move, kind, from: null, to: holder };
  return { ...move, kind: kind === "burn" ? "burn" : "clawback", from: holder, to: null };
}

/**
 * The asset in the last topic, if the emitting contract really is that asset's contract. The asset
 * determines the contract's address.
 */
function assetOf({ contract, topicsXdr }: EventFacts, passphrase: string): TokenMetadata | null {
  const asset = stringOf(topicsXdr.at(-1) ?? "") ?? "";
  if (contract === null || assetContract(asset, passphrase) !== contract) return null;
  return { contract, decimals: CLASSIC_DECIMALS, ...namesOfAsset(asset) };
}

interface Net {
  readonly account: string;
  readonly token: string;
  readonly amount: bigint;
}

function netsOfMoves(moves: readonly MovedAmount[]): Net[] {
  return summed(
    moves.flatMap(({ token, from, to, amount }) => [
      ...(from === null ? [] : [{ account: from, token, amount: -amount }]),
      ...(to === null ? [] : [{ account: to, token, amount }]),
    ]),
  );
}

function netsOfBalances(balances: readonly Balances[]): Net[] {
  return summed(
    balances.flatMap(({ beforeXdr, afterXdr }) => {
      const before = beforeXdr === null ? null : readBalance(beforeXdr);
      const after = afterXdr === null ? null : readBalance(afterXdr);
      const known = after ?? before;
      if (known === null) return [];
      const amount = (after?.stroops ?? 0n) - (before?.stroops ?? 0n);
      return [{ account: known.account, token: known.asset, amount }];
    }),
  );
}

/** The sums in the order of first mention, without those of zero. */
function summed(nets: readonly Net[]): Net[] {
  const sums = new Map<string, Net>();
  for (const net of nets) {
    const key = `${net.account} ${net.token}`;
    const known = sums.get(key);
    sums.set(key, { ...net, amount: (known?.amount ?? 0n) + net.amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

/** A contract that is not an asset contract can use any symbol, so the symbol is in quotes. */
function nameOf(token: string, tokenOf: TokenLookup): Pick<TokenMove, "symbol" | "asset"> {
  const known = tokenOf(token);
  if (known?.asset === null) return { symbol: quotedSymbol(known), asset: null };
  if (known !== null) return { symbol: known.symbol, asset: known.asset };
  return isContractAddress(token) ? { symbol: null, asset: null } : namesOfAsset(token);
}

function amountIn(
  amount: bigint,
  token: string,
  tokenOf: TokenLookup,
): Pick<TokenNet, "amount" | "units"> {
  const own = isContractAddress(token) ? null : CLASSIC_DECIMALS;
  const decimals = tokenOf(token)?.decimals ?? own;
  return {
    units: amount.toString(),
    amount: decimals === null ? null : decimalText(amount, decimals),
  };
}

const CLASSIC_DECIMALS = 7;
