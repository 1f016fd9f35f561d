// A token's metadata from its contract's instance: the map METADATA that the Stellar asset contract
// and the Soroban SDK's token implementations store there.

import { LedgerEntry, type ScMapEntry, type ScVal } from "@stellar/stellar-sdk/xdr";
import { cutNeutral, neutralise } from "../../base/text/neutralise.ts";
import { encodeStrkey } from "../reader/strkey.ts";

export interface TokenMetadata {
  /** Strkey. */
  readonly contract: string;
  readonly decimals: number;
  /** Neutralised. Any contract can use any symbol. */
  readonly symbol: string;
  /** `XLM` or `CODE:ISSUER` for an asset contract; null otherwise. */
  readonly asset: string | null;
}

/** Contract strkey → its token metadata; null when it has none. */
export type TokenLookup = (contract: string) => TokenMetadata | null;

const LONGEST_SYMBOL = 16;
/** An amount has at most 39 digits. */
const MOST_DECIMALS = 38;
const ASSET_DECIMALS = 7;

/** `entryXdr`: a LedgerEntry; null when it is not an instance with metadata. */
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

/** `asset`: `native` or `CODE:ISSUER`, as in the asset contract's metadata. */
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
    // Another stage reports the invalid entry. Here its token only has no name.
    return null;
  }
}

function fieldOf(entries: readonly ScMapEntry[], name: string): ScVal | undefined {
  return entries.find(({ key }) => key.type === "scvSymbol" && key.sym.toString() === name)?.val;
}
