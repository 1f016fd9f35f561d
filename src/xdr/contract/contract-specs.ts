// Finds a contract's code and specification in ledger entries.

import { ENTRY_TYPE } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { addressText } from "../reader/to-json.ts";
import { dataOfEntry } from "../values/value-parts.ts";
import { ASSET_SPEC } from "./asset-spec.ts";
import { type ContractSpec, readContractSpec } from "./contract-spec.ts";
import { readTokenMetadata, type TokenMetadata } from "./token-metadata.ts";
import { importedFunctions } from "./wasm-sections.ts";

export interface ContractFacts {
  /** Hex. Null for the Stellar asset contract, whose code is part of the host. */
  readonly wasmHash: string | null;
  /** Null if the code is unknown or has no specification. */
  readonly spec: ContractSpec | null;
  /**
   * True if the contract can only require authorization for the arguments of the call itself,
   * because its code does not import the host function for other arguments. False if it can, or its
   * code is unknown.
   */
  readonly requiresOwnArguments: boolean;
  /** The contract's token metadata; null if it has none. */
  readonly token: TokenMetadata | null;
}

/** Looks a contract (strkey) up. Returns null if its instance is unknown. */
export interface ContractLookup {
  (contract: string | null): ContractFacts | null;
  /** Looks a contract up by its code's hash. Returns null if the code is unknown. */
  readonly ofCode?: (wasmHash: string) => ContractFacts | null;
}

/** The host functions `require_auth` and `require_auth_for_args`. */
const REQUIRE_AUTH = "a.0";
const FOR_ARGUMENTS = "a._";

/** Each stage has its own lookup, but their entries share the same byte arrays. */
const specs = new WeakMap<Uint8Array, ContractSpec | null>();
const ownArguments = new WeakMap<Uint8Array, boolean>();

/** Uses the first instance of each contract and skips entries that cannot be read. */
export function contractLookup(entriesXdr: Iterable<string>): ContractLookup {
  const { wasmHashOf, codes, instances } = codeOf(entriesXdr);
  const facts = new Map<string, ContractFacts>();
  const specOf = (wasmHash: string): ContractSpec | null => {
    const wasm = codes.get(wasmHash);
    if (wasm === undefined) return null;
    const known = specs.get(wasm);
    const spec = known === undefined ? readContractSpec(wasm) : known;
    specs.set(wasm, spec);
    return spec;
  };
  const factsOf = (contract: string, wasmHash: string | null): ContractFacts => {
    const token = readTokenMetadata(instances.get(contract) ?? "");
    if (wasmHash === null) return { wasmHash, spec: ASSET_SPEC, requiresOwnArguments: true, token };
    const requiresOwnArguments = requiresOnlyOwn(codes.get(wasmHash));
    return { wasmHash, spec: specOf(wasmHash), requiresOwnArguments, token };
  };
  const lookup = (contract: string | null) => {
    const wasmHash = contract === null ? undefined : wasmHashOf(contract);
    if (contract === null || wasmHash === undefined) return null;
    const known = facts.get(contract) ?? factsOf(contract, wasmHash);
    facts.set(contract, known);
    return known;
  };
  const ofCode = (wasmHash: string) => (codes.has(wasmHash) ? factsOf("", wasmHash) : null);
  return Object.assign(lookup, { ofCode });
}

function requiresOnlyOwn(wasm: Uint8Array | undefined): boolean {
  if (wasm === undefined) return false;
  const known = ownArguments.get(wasm);
  if (known !== undefined) return known;
  const imports = importedFunctions(wasm);
  const isOnly = imports?.has(REQUIRE_AUTH) === true && !imports.has(FOR_ARGUMENTS);
  ownArguments.set(wasm, isOnly);
  return isOnly;
}

/** Returns the hashes (hex) of the code that contracts among the entries run. */
export function wasmHashesInUse(entriesXdr: Iterable<string>): ReadonlySet<string> {
  const { wasmHashOf, instances } = codeOf(entriesXdr);
  return new Set([...instances.keys()].flatMap((contract) => wasmHashOf(contract) ?? []));
}

/** Returns the wasm by its hash (hex). */
export function wasmByHash(entriesXdr: Iterable<string>): ReadonlyMap<string, Uint8Array> {
  return codeOf(entriesXdr).codes;
}

interface Code {
  /** The hash of each contract's code, null for the asset contract, or the name of a reference. */
  readonly executables: Map<string, string | null | { readonly reference: string }>;
  /** The hashes in entries that contracts take their executable from (CAP-85). */
  readonly references: Map<string, string>;
  readonly codes: Map<string, Uint8Array>;
  readonly instances: Map<string, string>;
}

function codeOf(entriesXdr: Iterable<string>) {
  const code: Code = {
    executables: new Map(),
    references: new Map(),
    codes: new Map(),
    instances: new Map(),
  };
  for (const entryXdr of entriesXdr) noteEntry(entryXdr, code);
  /** Returns undefined if the hash is unknown. */
  const wasmHashOf = (contract: string): string | null | undefined => {
    const executable = code.executables.get(contract);
    if (executable === null || typeof executable !== "object") return executable;
    return code.references.get(executable.reference);
  };
  return { ...code, wasmHashOf };
}

/** Keeps the first instance of a contract, and the first value of a reference. */
function noteEntry(entryXdr: string, { executables, references, codes, instances }: Code): void {
  const data = dataOfEntry(entryXdr);
  if (data?.type === ENTRY_TYPE.contractCode)
    codes.set(data.contractCode.hash.toHex(), data.contractCode.code);
  if (data?.type !== ENTRY_TYPE.contractData) return;
  const { key, val } = data.contractData;
  const contract = addressText(data.contractData.contract);
  if (key.type === SCV.executableTag && val.type === SCV.bytes) {
    const reference = contract + key.executableTag.toHex();
    if (!references.has(reference)) references.set(reference, val.bytes.toHex());
  }
  if (key.type !== SCV.instanceKey || val.type !== SCV.instance || instances.has(contract)) return;
  instances.set(contract, entryXdr);
  const { executable } = val.instance;
  switch (executable.type) {
    case 0:
      executables.set(contract, executable.wasmHash.toHex());
      return;
    case 1:
      executables.set(contract, null);
      return;
    case 2: {
      const { executableOwner, tag } = executable.externalRef;
      executables.set(contract, { reference: addressText(executableOwner) + tag.toHex() });
    }
  }
}
