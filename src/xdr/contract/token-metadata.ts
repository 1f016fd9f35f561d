// What a token says of itself in its contract's instance: the map METADATA that the Stellar asset
// contract and the Soroban SDK's token implementations keep there.

import { LedgerEntry, type ScMapEntry, type ScVal } from "@stellar/stellar-sdk/xdr";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";
import { encodeStrkey } from "../reader/strkey.ts";

export interface TokenMetadata {
  /** Strkey. */
  readonly contract: string;
  readonly decimals: number;
  /** Neutral; anybody may call a token as they like. */
  readonly symbol: string;
  /** `XLM` or `CODE:ISSUER` where it is the asset's own contract; null otherwise. */
  readonly asset: string | null;
}

/** Contract strkey → what its token says of itself; null when it does not. */
export type TokenLookup = (contract: string) => TokenMetadata | null;

const LONGEST_SYMBOL = 16;
/** An amount has 39 digits at most. */
const MOST_DECIMALS = 38;
const ASSET_DECIMALS = 7;

/** `entryXdr`: a LedgerEntry; null when it is no instance that tells. */
export function readTokenMetadata(entryXdr: string): TokenMetadata | null {
  const instance = instanceOf(entryXdr);
  if (instance === null) return null;
  const { contract, executable, storage } = instance;
  const ofAsset = executable === "contractExecutableStellarAsset";
  const metadata = fieldOf(storage, "METADATA");
  const fields = metadata?.type === "scvMap" ? (metadata.map ?? []) : [];
  const decimals = fieldOf(fields, "decimal") ?? fieldOf(fields, "decimals");
  const symbol = fieldOf(fields, "symbol");
  const known = ofAsset ? ASSET_DECIMALS : decimals?.type === "scvU32" ? decimals.u32 : null;
  if (known === null || known > MOST_DECIMALS || symbol?.type !== "scvString") return null;
  const shown = cutNeutral(neutralise(symbol.str.toString()), LONGEST_SYMBOL);
  if (!ofAsset) return { contract, decimals: known, symbol: shown, asset: null };
  const name = fieldOf(fields, "name");
  const asset = name?.type === "scvString" ? neutralise(name.str.toString()) : shown;
  return { contract, decimals: known, ...namesOfAsset(asset) };
}

/** `asset`: `native` or `CODE:ISSUER`, as the asset contract calls itself. */
export function namesOfAsset(asset: string): Pick<TokenMetadata, "symbol" | "asset"> {
  if (asset === "native") return { symbol: "XLM", asset: "XLM" };
  return { symbol: asset.split(":")[0] ?? asset, asset };
}

function instanceOf(entryXdr: string) {
  try {
    const { data } = LedgerEntry.fromXdr(entryXdr, "base64");
    if (data.type !== "contractData" || data.contractData.val.type !== "scvContractInstance")
      return null;
    const { contract } = data.contractData;
    if (contract.type !== "scAddressTypeContract") return null;
    const { executable, storage } = data.contractData.val.instance;
    return {
      contract: encodeStrkey("contract", contract.contractId.toBytes()),
      executable: executable.type,
      storage: storage ?? [],
    };
  } catch {
    // Another stage says what is wrong with it; here its token only stays without a name.
    return null;
  }
}

function fieldOf(entries: readonly ScMapEntry[], name: string): ScVal | undefined {
  return entries.find(({ key }) => key.type === "scvSymbol" && key.sym.toString() === name)?.val;
}
