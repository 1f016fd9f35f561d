// The address of an asset's contract, which depends only on the network and the asset (CAP-46-6;
// sha256 of HashIDPreimage of type ENVELOPE_TYPE_CONTRACT_ID).

import { networkId, sha256 } from "../reader/hash.ts";
import { decodeAccountKey, encodeStrkey } from "../reader/strkey.ts";

const ENVELOPE_TYPE_CONTRACT_ID = 8;
const CONTRACT_ID_PREIMAGE_FROM_ASSET = 1;
const ASSET_TYPE = { native: 0, alphanum4: 1, alphanum12: 2 } as const;
const KEY_TYPE_ED25519 = 0;

/** `asset`: `native` or `CODE:ISSUER` (SEP-11). Returns a strkey; null for any other text. */
export function assetContract(asset: string, networkPassphrase: string): string | null {
  const encoded = encodeAsset(asset);
  if (encoded === null) return null;
  const network = networkId(networkPassphrase);
  const id = sha256(
    words(ENVELOPE_TYPE_CONTRACT_ID),
    network,
    words(CONTRACT_ID_PREIMAGE_FROM_ASSET),
    encoded,
  );
  return encodeStrkey("contract", id);
}

function encodeAsset(asset: string): Uint8Array | null {
  if (asset === "native") return words(ASSET_TYPE.native);
  const [, code = "", issuer = ""] = /^([A-Za-z0-9]{1,12}):(G[A-Z2-7]{55})$/.exec(asset) ?? [];
  const key = decodeAccountKey(issuer);
  if (code === "" || key === null) return null;
  const short = code.length <= 4;
  const padded = Buffer.alloc(short ? 4 : 12);
  padded.write(code);
  const type = words(short ? ASSET_TYPE.alphanum4 : ASSET_TYPE.alphanum12);
  return Buffer.concat([type, padded, words(KEY_TYPE_ED25519), key]);
}

function words(...values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}
