// Reads a token's metadata from its contract's instance: the map METADATA that the Stellar asset
// contract and the Soroban SDK's token implementations store there.

import {
  cutNeutral,
  neutralInSentence,
  neutralise,
  quotedText,
} from "../../base/text/neutralise.ts";
import { encodeStrkey } from "../../base/text/strkey.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { utf8, type Value } from "../reader/value.ts";
import { dataOfEntry } from "../values/value-parts.ts";

export interface TokenMetadata {
  /** Strkey. */
  readonly contract: string;
  readonly decimals: number;
  /** Neutralised text. Any contract can use any symbol. */
  readonly symbol: string;
  /** `XLM` or `CODE:ISSUER` for an asset contract; null otherwise. */
  readonly asset: string | null;
}

/** Returns the token metadata of a contract (strkey), or null if it has none. */
export type TokenLookup = (contract: string) => TokenMetadata | null;

const LONGEST_SYMBOL = 16;
const SHOWN_ASSET = 80;

/** The symbol of a contract that is not an asset contract, which can use any text. */
export function quotedSymbol({ symbol }: TokenMetadata): string {
  return quotedText(symbol, LONGEST_SYMBOL + 2);
}
/** An amount has at most 39 digits. */
const MOST_DECIMALS = 38;
const ASSET_DECIMALS = 7;
/** The discriminants of a ContractExecutable and of an ScAddress. */
const STELLAR_ASSET = 1;
const CONTRACT = 1;

/** `entryXdr` is a LedgerEntry. Returns null if it is not an instance with metadata. */
export function readTokenMetadata(entryXdr: string): TokenMetadata | null {
  const instance = instanceOf(entryXdr);
  if (instance === null) return null;
  const { contract, executable, storage } = instance;
  const ofAsset = executable === STELLAR_ASSET;
  const metadata = fieldOf(storage, "METADATA");
  const fields = metadata?.type === SCV.map ? (metadata.map ?? []) : [];
  const decimals = fieldOf(fields, "decimal") ?? fieldOf(fields, "decimals");
  const symbol = fieldOf(fields, "symbol");
  const known = ofAsset ? ASSET_DECIMALS : decimals?.type === SCV.u32 ? decimals.u32 : null;
  if (known === null || known > MOST_DECIMALS || symbol?.type !== SCV.string) return null;
  const shown = cutNeutral(neutralInSentence(utf8(symbol.str)), LONGEST_SYMBOL);
  if (!ofAsset) return { contract, decimals: known, symbol: shown, asset: null };
  const name = fieldOf(fields, "name");
  const asset = name?.type === SCV.string ? neutralise(utf8(name.str)) : shown;
  return { contract, decimals: known, ...namesOfAsset(asset) };
}

/** `asset` is `native` or `CODE:ISSUER`, as in the asset contract's metadata. */
export function namesOfAsset(asset: string): Pick<TokenMetadata, "symbol" | "asset"> {
  if (asset === "native") return { symbol: "XLM", asset: "XLM" };
  // Only what no asset can have as its code is more than letters and digits.
  const shown = /^\w{1,12}(?::\w{1,64})?$/.test(asset) ? asset : quotedText(asset, SHOWN_ASSET);
  return { symbol: shown === asset ? (asset.split(":")[0] ?? asset) : shown, asset: shown };
}

function instanceOf(entryXdr: string) {
  const data = dataOfEntry(entryXdr);
  if (data?.type !== ENTRY_TYPE.contractData) return null;
  const { contract, val } = data.contractData;
  if (val.type !== SCV.instance || contract.type !== CONTRACT) return null;
  const { executable, storage } = val.instance;
  return {
    contract: encodeStrkey("contract", contract.contractId),
    executable: executable.type,
    storage: storage ?? [],
  };
}

function fieldOf(
  entries: readonly Value<"ScMapEntry">[],
  name: string,
): Value<"ScVal"> | undefined {
  return entries.find(({ key }) => key.type === SCV.symbol && utf8(key.sym) === name)?.val;
}
