// A contract's calls to the host, with values as text. Accesses to storage are recognized, and
// their keys have the same names as in the state changes. Host functions: soroban-env-common's
// env.json.

import { neutralise } from "../../base/text/neutralise.ts";
import type { HostCall } from "../../model/execution.ts";
import type { NamedHostCall, StorageAccess } from "../../model/explanation.ts";
import type { ContractSpec } from "../../xdr/contract/contract-spec.ts";
import { showDataKey } from "../../xdr/contract/key-typed.ts";
import { showTyped } from "../../xdr/contract/value-typed.ts";
import { scValDifference } from "../../xdr/values/entry-difference.ts";
import type { StorageValues } from "./storage-values.ts";

const SHOWN_VALUE = 160;
/** Storage keys and values matter most to a reader, so they are longer. */
const SHOWN_STORED = 2000;

/** The contract that made the call, and what its storage holds as far as that is known. */
interface Caller {
  readonly contract: string | null;
  readonly spec: ContractSpec | null;
  readonly storage: StorageValues | null;
}

/** Puts what the call wrote into `storage`. */
export function nameHostCall(call: HostCall, caller: Caller): NamedHostCall {
  const { spec } = caller;
  const show = (xdr: string | null) =>
    xdr === null ? null : showTyped(xdr, null, spec, SHOWN_VALUE);
  return {
    function: neutralise(call.function),
    arguments: call.argumentsXdr.map(show),
    result: show(call.resultXdr),
    failed: call.failed,
    storage: storageAccess(call, caller),
    authorization: authorizationCheck(call, spec),
    depth: call.depth,
    afterCalls: call.afterCalls,
    cpuInstructions: call.cpuInstructions,
    memoryBytes: call.memoryBytes,
  };
}

function authorizationCheck(call: HostCall, spec: ContractSpec | null) {
  const [whom, explicitArguments] = call.argumentsXdr;
  const own = call.function === "require_auth";
  if ((!own && call.function !== "require_auth_for_args") || !whom) return null;
  const values =
    own || !explicitArguments ? null : showTyped(explicitArguments, null, spec, SHOWN_STORED);
  return { signer: showTyped(whom, null, null), arguments: values };
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
function storageAccess(call: HostCall, { contract, spec, storage }: Caller): StorageAccess | null {
  const action = ACTIONS[call.function];
  if (action === undefined) return null;
  const [keyXdr, second, third] = call.argumentsXdr;
  const durabilityXdr = action === "write" ? third : second;
  const changes = !call.failed && (action === "write" || action === "delete");
  if (!keyXdr || !durabilityXdr || contract === null) {
    if (changes) storage?.forget();
    return null;
  }
  const durability = showTyped(durabilityXdr, null, null).toLowerCase();
  const show = (xdr: string) => showTyped(xdr, null, spec, SHOWN_STORED);
  const value = action === "write" ? second : action === "read" ? call.resultXdr : null;
  const key = { contract, durability, keyXdr };
  const before = changes ? storage?.valueOf(key) : undefined;
  const fields = (
    before && action === "write" && second ? scValDifference(before, second) : []
  ).filter(({ field }) => field !== "");
  if (changes) storage?.write(key, action === "delete" ? null : (second ?? undefined));
  return {
    action,
    durability,
    key: showDataKey(keyXdr, spec, SHOWN_STORED),
    value: value ? show(value) : null,
    ...(before !== undefined && { before: before === null ? null : show(before) }),
    ...(fields.length > 0 && { fields }),
  };
}
