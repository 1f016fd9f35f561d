// Finds the code of contracts that a transaction creates. If the transaction fails, no entry says
// which code they have. The operation names the code of its own contract, and calls to the host
// name the code of contracts that contracts create.

import { encodeStrkey } from "../../base/text/strkey.ts";
import type { CallNode } from "../../model/execution.ts";
import type { ContractFacts, ContractLookup } from "../contract/contract-specs.ts";
import { CONSTRUCTOR } from "../contract/reserved-functions.ts";
import { networkId, sha256 } from "../reader/hash.ts";
import { encodeBytes, type Value } from "../reader/value.ts";
import { hashOf } from "../values/value-parts.ts";
import type { ContractCall } from "./authorizations.ts";
import type { Envelope } from "./envelope.ts";
import { HOST_FUNCTION, hostFunctionOperations } from "./host-function.ts";

const WASM_EXECUTABLE = 0;
/** The discriminant of a HashIdPreimage for a contract's id. */
const CONTRACT_ID = 8;

/**
 * Extends `lookup` by the contracts that the transaction creates: the state has their code, but not
 * yet their instance. `tree` has the calls of the run, or is null if they are unknown.
 */
export function withCreated(
  lookup: ContractLookup,
  envelope: Envelope | null,
  tree: CallNode | null,
): ContractLookup {
  const created = new Map([...(envelope === null ? [] : createdBy(envelope)), ...createdIn(tree)]);
  if (created.size === 0) return lookup;
  const known = (contract: string | null): ContractFacts | null => {
    const wasmHash = created.get(contract ?? "");
    return (
      lookup(contract) ?? (wasmHash === undefined ? null : (lookup.ofCode?.(wasmHash) ?? null))
    );
  };
  return Object.assign(known, lookup.ofCode && { ofCode: lookup.ofCode });
}

/**
 * The function of a contract that the envelope calls itself: that of its call, or the constructor
 * of the contract that it creates. Null if it calls none, or one that can have no arguments.
 */
export function ownCall(envelope: Envelope): ContractCall | null {
  const { decoded, hostFunction } = envelope;
  if (hostFunction?.kind === "invoke") return hostFunction;
  const [operation] = hostFunctionOperations(decoded);
  const [[contract] = []] = createdBy(envelope);
  if (operation?.hostFunction.type !== HOST_FUNCTION.createContractV2 || contract === undefined)
    return null;
  const argumentsXdr = hostFunction?.argumentsXdr ?? [];
  return { contract, function: CONSTRUCTOR, argumentsXdr };
}

type Created = readonly [contract: string, wasmHash: string];

function createdBy({ decoded, hostFunction, networkPassphrase }: Envelope): Created[] {
  if (hostFunction?.kind !== "create") return [];
  return hostFunctionOperations(decoded).flatMap(({ hostFunction: called }): Created[] => {
    const made = creationOf(called);
    if (made?.executable.type !== WASM_EXECUTABLE) return [];
    const { contractIdPreimage } = made;
    const contractId = { networkId: networkId(networkPassphrase), contractIdPreimage };
    const id = sha256(encodeBytes("HashIdPreimage", { type: CONTRACT_ID, contractId }));
    return [[encodeStrkey("contract", id), made.executable.wasmHash.toHex()]];
  });
}

function creationOf(called: Value<"HostFunction">) {
  if (called.type === HOST_FUNCTION.createContractV2) return called.createContractV2;
  return called.type === HOST_FUNCTION.createContract ? called.createContract : null;
}

/**
 * The host function that creates a contract with a constructor (deployer, hash, salt, arguments).
 */
const CREATES = "create_contract_with_constructor";

/**
 * Finds creations among the recorded calls to the host. The constructor is the call that follows
 * each.
 */
function createdIn(tree: CallNode | null): Created[] {
  if (tree === null) return [];
  const own = (tree.hostCalls ?? []).flatMap((each): Created[] => {
    const next = tree.calls[each.afterCalls];
    const hash = hashOf(each.argumentsXdr[1] ?? "");
    if (each.function !== CREATES || next?.function !== CONSTRUCTOR || next.contract === null)
      return [];
    return hash === null ? [] : [[next.contract, hash.toHex()]];
  });
  return [...own, ...tree.calls.flatMap(createdIn)];
}
