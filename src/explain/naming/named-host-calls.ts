// A contract's calls to the host, with values as text. Accesses to storage are recognized, and
// their keys have the same names as in the state changes. Host functions: soroban-env-common's
// env.json.

import { neutralise } from "../../base/text/neutralise.ts";
import type { HostCall } from "../../model/execution.ts";
import type { NamedHostCall, StorageAccess } from "../../model/explanation.ts";
import type { ContractSpec } from "../../xdr/contract/contract-spec.ts";
import { showDataKey } from "../../xdr/contract/key-typed.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";

const SHOWN_VALUE = 160;
/** Storage keys and values matter most to a reader, so they are longer. */
const SHOWN_STORED = 2000;

/** `spec`: the specification of the contract that made the call. */
export function nameHostCall(call: HostCall, spec: ContractSpec | null): NamedHostCall {
  const show = (xdr: string | null) =>
    xdr === null ? null : showTyped(xdr, null, spec, SHOWN_VALUE);
  return {
    function: neutralise(call.function),
    arguments: call.argumentsXdr.map(show),
    result: show(call.resultXdr),
    failed: call.failed,
    storage: storageAccess(call, spec),
    depth: call.depth,
    afterCalls: call.afterCalls,
    cpuInstructions: call.cpuInstructions,
    memoryBytes: call.memoryBytes,
  };
}

const ACTIONS: Readonly<Record<string, StorageAccess["action"]>> = {
  get_contract_data: "read",
  has_contract_data: "look for",
  put_contract_data: "write",
  del_contract_data: "delete",
  extend_contract_data_ttl: "extend",
  extend_contract_data_ttl_v2: "extend",
};

/** Their arguments: the key, for `put_contract_data` the value, then the durability. */
function storageAccess(call: HostCall, spec: ContractSpec | null): StorageAccess | null {
  const action = ACTIONS[call.function];
  const [key, second, third] = call.argumentsXdr;
  const durability = action === "write" ? third : second;
  if (action === undefined || !key || !durability) return null;
  const value = action === "write" ? second : action === "read" ? call.resultXdr : null;
  return {
    action,
    durability: showTyped(durability, null, null).toLowerCase(),
    key: showDataKey(key, spec, SHOWN_STORED),
    value: value ? showTyped(value, null, spec, SHOWN_STORED) : null,
  };
}
