// The balances of an asset that are frozen, because the issuer has not authorized their holders:
// those of accounts are trustlines, those of contracts are entries of the asset's contract.

import { encodeStrkey } from "../../base/text/strkey.ts";
import { dataKeyOf } from "../contract/key-typed.ts";
import { ENTRY_TYPE, keyOfEntry } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { decode, encode, utf8, type Value } from "../reader/value.ts";
import { assetContractId } from "../values/asset-contract.ts";
import { elementsOf, isSymbol } from "../values/value-parts.ts";

const AUTHORIZED = 1;

/**
 * The entry (LedgerEntry) with the balance authorized. `asset` is the asset's contract (strkey),
 * `holderXdr` an address (ScVal). Null: it is no frozen balance of that holder.
 */
export function authorizedBalance(
  entryXdr: string,
  asset: string,
  holderXdr: string,
  networkPassphrase: string,
): string | null {
  const entry = decode("LedgerEntry", entryXdr);
  const { data } = entry;
  const as = (changed: typeof data) => encode("LedgerEntry", { ...entry, data: changed });
  if (data.type === ENTRY_TYPE.trustline) {
    const { trustLine } = data;
    const of = assetContractId(
      Uint8Array.fromBase64(encode("TrustLineAsset", trustLine.asset)),
      networkPassphrase,
    );
    const isIt =
      encodeStrkey("contract", of) === asset && encode("ScVal", account(trustLine)) === holderXdr;
    const isFrozen = (trustLine.flags & AUTHORIZED) === 0;
    if (!isIt || !isFrozen) return null;
    return as({ ...data, trustLine: { ...trustLine, flags: trustLine.flags | AUTHORIZED } });
  }
  if (data.type !== ENTRY_TYPE.contractData) return null;
  const { contract, key } = dataKeyOf(keyOfEntry(entryXdr));
  const [name, holder] = elementsOf(key) ?? [];
  const { val } = data.contractData;
  const isIt = contract === asset && name !== undefined && isSymbol(name, "Balance");
  if (!isIt || holder !== holderXdr || val.type !== SCV.map || !val.map) return null;
  const at = val.map.findIndex((each) => isAuthorized(each.key));
  const field = val.map[at];
  if (field === undefined || field.val.type !== SCV.bool || field.val.b) return null;
  const map = val.map.with(at, { ...field, val: { type: SCV.bool, b: true } });
  return as({ ...data, contractData: { ...data.contractData, val: { ...val, map } } });
}

function isAuthorized(key: Value<"ScVal">): boolean {
  return key.type === SCV.symbol && utf8(key.sym) === "authorized";
}

function account({ accountId }: Value<"TrustLineEntry">): Value<"ScVal"> {
  return { type: SCV.address, address: { type: 0, accountId } };
}
