// The address of an asset's contract depends only on the network and the asset. It is the sha256 of
// a HashIDPreimage of type ENVELOPE_TYPE_CONTRACT_ID (CAP-46-6).

import { concatBytes, utf8Bytes } from "../../base/bytes.ts";
import { decodeAccountKey, encodeStrkey, strkeyPattern } from "../../base/text/strkey.ts";
import { networkId, sha256 } from "../reader/hash.ts";
import { uint32s as words } from "../reader/words.ts";

const ENVELOPE_TYPE_CONTRACT_ID = 8;
const CONTRACT_ID_PREIMAGE_FROM_ASSET = 1;
const ASSET_TYPE = { native: 0, alphanum4: 1, alphanum12: 2 } as const;
const KEY_TYPE_ED25519 = 0;
/** An asset in the text of SEP-11. */
const ASSET = new RegExp(`^([A-Za-z0-9]{1,12}):(${strkeyPattern(["account"])})$`);

/** `asset` is `native` or `CODE:ISSUER` (SEP-11). Returns a strkey, or null for any other text. */
export function assetContract(asset: string, networkPassphrase: string): string | null {
  const encoded = encodeAsset(asset);
  return encoded && encodeStrkey("contract", assetContractId(encoded, networkPassphrase));
}

/** Returns the id of the contract of lumens. */
export function nativeContractId(networkPassphrase: string): Uint8Array {
  return assetContractId(words(ASSET_TYPE.native), networkPassphrase);
}

/** `asset` is the XDR of an Asset. */
export function assetContractId(asset: Uint8Array, networkPassphrase: string): Uint8Array {
  const network = networkId(networkPassphrase);
  const preimage = words(CONTRACT_ID_PREIMAGE_FROM_ASSET);
  return sha256(words(ENVELOPE_TYPE_CONTRACT_ID), network, preimage, asset);
}

function encodeAsset(asset: string): Uint8Array | null {
  if (asset === "native") return words(ASSET_TYPE.native);
  const [, code = "", issuer = ""] = ASSET.exec(asset) ?? [];
  const key = decodeAccountKey(issuer);
  if (code === "" || key === null) return null;
  const short = code.length <= 4;
  const padded = new Uint8Array(short ? 4 : 12);
  padded.set(utf8Bytes(code));
  const type = words(short ? ASSET_TYPE.alphanum4 : ASSET_TYPE.alphanum12);
  return concatBytes([type, padded, words(KEY_TYPE_ED25519), key]);
}
