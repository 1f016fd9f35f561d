// The contract whose names explain an error: from a file, or as nodes have it now.

import { SvcError } from "../base/errors/errors.ts";
import type { KnownContract } from "../explain/explain-answer.ts";
import { askForEntries } from "../sources/ask-for-entries.ts";
import type { FetchContext, Source } from "../sources/source.ts";
import { readContractSpec } from "../xdr/contract/contract-spec.ts";
import { contractLookup } from "../xdr/contract/contract-specs.ts";
import { contractCodeKey } from "../xdr/ledger/patch-entry.ts";
import { hasItsHash } from "../xdr/reader/code-hash.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";

export function contractOfWasm(wasm: Uint8Array, file: string): KnownContract {
  const spec = readContractSpec(wasm);
  return {
    contract: null,
    wasmHash: sha256(wasm).toHex(),
    spec,
    token: null,
    of: `the code ${file}`,
  };
}

/**
 * Fetches the contract. Throws NODE_FAILED and similar errors, and FILE_INVALID if the network has
 * no such contract.
 */
export async function contractOfNodes(
  sources: readonly Source[],
  contract: string,
  context: FetchContext,
): Promise<KnownContract> {
  const instance = await entryOf(
    sources,
    instanceKeyOfContract(contract) ?? missing(contract),
    context,
  );
  const { wasmHash = null } = contractLookup(instance)(contract) ?? missing(contract);
  const code = wasmHash === null ? [] : await entryOf(sources, contractCodeKey(wasmHash), context);
  const entries = [...instance, ...code.filter((entryXdr) => hasItsHash(entryXdr))];
  const { spec, token } = contractLookup(entries)(contract) ?? missing(contract);
  return { contract, wasmHash, spec, token, of: `contract ${contract} as it is now` };
}

async function entryOf(
  sources: readonly Source[],
  keyXdr: string,
  context: FetchContext,
): Promise<string[]> {
  const { answer, failures } = await askForEntries(sources, [keyXdr], context);
  const [failure] = failures;
  if (answer === null && failure !== undefined) throw failure;
  const entry = answer?.entries.get(keyXdr) ?? answer?.elsewhere[0]?.entry;
  return entry === undefined ? [] : [entry.entryXdr];
}

function missing(contract: string): never {
  const remedy =
    "Check the address and the network. An archived contract has to be restored first.";
  throw new SvcError("USAGE", {
    message: `No node of this network has contract ${contract}.`,
    remedy,
    httpRemedy: remedy,
  });
}
