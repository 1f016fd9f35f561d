// Storage entries that the failing call looked up and that did not exist. They are known only if
// its calls to the host were recorded.

import type { HostCall } from "../../model/execution.ts";
import { dataKeyOf, describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { ENTRY_TYPE, isTemporaryKey, typeOfKey } from "../../xdr/reader/keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { isFalse } from "../../xdr/values/value-parts.ts";
import type { Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;

/** Evidence, not a cause: the contract decides what an absent entry means. */
export function absentReads({ call, snapshot, lookup }: Failure): string[] {
  const missed = (call?.hostCalls ?? []).flatMap((each) => missedBy(each) ?? []);
  if (missed.length === 0) return [];
  const absent = (snapshot?.entries ?? []).flatMap(({ keyXdr, entryXdr }) => {
    const isData = typeOfKey(keyXdr) === ENTRY_TYPE.contractData;
    const parts = isData && entryXdr === null ? dataKeyOf(keyXdr) : null;
    const isMissed = missed.some(
      ({ key, durability }) =>
        parts?.contract === call?.contract &&
        parts?.key === key &&
        parts?.durability === durability,
    );
    return isMissed ? [keyXdr] : [];
  });
  return absent.slice(0, SHOWN_ENTRIES).map((keyXdr) => {
    const gone = isTemporaryKey(keyXdr) ? "did not exist or had expired" : "did not exist";
    return `The contract looked up ${describeTypedKey(keyXdr, lookup)}, which ${gone}.`;
  });
}

/** The key for which the host found no entry. Function names: soroban-env-common's env.json. */
function missedBy({ function: name, argumentsXdr, resultXdr, failed }: HostCall) {
  const isMiss =
    name === "has_contract_data"
      ? resultXdr !== null && isFalse(resultXdr)
      : name === "get_contract_data" && failed;
  const [key, durability] = argumentsXdr;
  if (!isMiss || !key || !durability) return null;
  return { key, durability: showValue(durability).toLowerCase() };
}
