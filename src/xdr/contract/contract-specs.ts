// Contract → its code and specification, from ledger entries.

import { decodeBase64, XdrCursor } from "../reader/cursor.ts";
import { ENTRY_TYPE } from "../reader/keys.ts";
import { shapeOf, xdrSource } from "../reader/shape.ts";
import { readAddress } from "../values/value-text.ts";
import { ASSET_SPEC } from "./asset-spec.ts";
import { type ContractSpec, readContractSpec } from "./contract-spec.ts";
import { readTokenMetadata, type TokenMetadata } from "./token-metadata.ts";
import { importedFunctions } from "./wasm-sections.ts";

export interface ContractFacts {
  /** Hex; null for the Stellar asset contract, whose code is part of the host. */
  readonly wasmHash: string | null;
  /** Null when its code is unknown or has no specification. */
  readonly spec: ContractSpec | null;
  /**
   * True: every authorization that it requires is for the arguments of the call itself, because its
   * code cannot require other arguments. False: it can, or its code is unknown.
   */
  readonly requiresOwnArguments: boolean;
  /** Its token metadata; null when it has none. */
  readonly token: TokenMetadata | null;
}

/** Contract strkey → what is known about it; null when its instance is unknown. */
export type ContractLookup = (contract: string | null) => ContractFacts | null;

const ledgerEntry = shapeOf("LedgerEntry");
const scVal = shapeOf("ScVal");
/** A string is encoded as bytes are. */
const scString = shapeOf("ScBytes");
const SCV_CONTRACT_INSTANCE = 19;
const SCV_LEDGER_KEY_CONTRACT_INSTANCE = 20;
const SCV_BYTES = 13;
const SCV_EXECUTABLE_TAG = 22;
const EXECUTABLE_WASM = 0;
const EXECUTABLE_ASSET = 1;
const EXECUTABLE_REFERENCE = 2;
const COST_INPUTS_SIZE = 44;
/** Host functions `require_auth` and `require_auth_for_args`. */
const REQUIRE_AUTH = "a.0";
const FOR_ARGUMENTS = "a._";

/** Uses the first instance of each contract and skips entries that cannot be read. */
export function contractLookup(entriesXdr: Iterable<string>): ContractLookup {
  const { wasmHashOf, codes, instances } = codeOf(entriesXdr);
  const specs = new Map<string, ContractSpec | null>();
  const facts = new Map<string, ContractFacts>();
  const specOf = (wasmHash: string): ContractSpec | null => {
    const known = specs.get(wasmHash);
    if (known !== undefined) return known;
    const wasm = codes.get(wasmHash);
    const spec = wasm === undefined ? null : readContractSpec(wasm);
    specs.set(wasmHash, spec);
    return spec;
  };
  const factsOf = (contract: string, wasmHash: string | null): ContractFacts => {
    const token = readTokenMetadata(instances.get(contract) ?? "");
    if (wasmHash === null) return { wasmHash, spec: ASSET_SPEC, requiresOwnArguments: true, token };
    const imports = importedFunctions(codes.get(wasmHash) ?? new Uint8Array());
    const requiresOwnArguments = imports?.has(REQUIRE_AUTH) === true && !imports.has(FOR_ARGUMENTS);
    return { wasmHash, spec: specOf(wasmHash), requiresOwnArguments, token };
  };
  return (contract) => {
    const wasmHash = contract === null ? undefined : wasmHashOf(contract);
    if (contract === null || wasmHash === undefined) return null;
    const known = facts.get(contract) ?? factsOf(contract, wasmHash);
    facts.set(contract, known);
    return known;
  };
}

/** Hashes of the code that contracts among the entries run, hex. */
export function wasmHashesInUse(entriesXdr: Iterable<string>): ReadonlySet<string> {
  const { wasmHashOf, instances } = codeOf(entriesXdr);
  return new Set([...instances.keys()].flatMap((contract) => wasmHashOf(contract) ?? []));
}

/** Wasm by its hash, hex. */
export function wasmByHash(entriesXdr: Iterable<string>): ReadonlyMap<string, Uint8Array> {
  return codeOf(entriesXdr).codes;
}

interface Code {
  /** By the contract: the hash, null for the asset contract, or the name of a reference. */
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
  for (const entryXdr of entriesXdr) {
    try {
      noteEntry(entryXdr, code);
    } catch {
      // Another stage reports the invalid entry. Here its contract only has no names.
    }
  }
  /** Undefined: it is unknown. */
  const wasmHashOf = (contract: string): string | null | undefined => {
    const executable = code.executables.get(contract);
    if (executable === null || typeof executable !== "object") return executable;
    return code.references.get(executable.reference);
  };
  return { ...code, wasmHashOf };
}

/** Keeps the first instance of a contract, and the first value of a reference. */
function noteEntry(entryXdr: string, { executables, references, codes, instances }: Code): void {
  const cursor = new XdrCursor(xdrSource(decodeBase64(entryXdr, "LedgerEntry")));
  cursor.take(ledgerEntry);
  // After lastModifiedLedgerSeq.
  cursor.at = 4;
  const type = cursor.int32();
  if (type === ENTRY_TYPE.contractCode) {
    if (cursor.int32() === 1) cursor.opaque(4 + COST_INPUTS_SIZE);
    const hash = cursor.opaque(32).toHex();
    codes.set(hash, cursor.opaque(cursor.uint32()));
  } else if (type === ENTRY_TYPE.contractData) {
    cursor.int32();
    const contract = readAddress(cursor);
    const key = cursor.take(scVal);
    cursor.int32();
    if (key[3] === SCV_EXECUTABLE_TAG && cursor.int32() === SCV_BYTES) {
      const reference = contract + key.subarray(4).toHex();
      if (!references.has(reference))
        references.set(reference, cursor.opaque(cursor.uint32()).toHex());
    }
    if (key[3] !== SCV_LEDGER_KEY_CONTRACT_INSTANCE || instances.has(contract)) return;
    if (cursor.int32() !== SCV_CONTRACT_INSTANCE) return;
    instances.set(contract, entryXdr);
    const executable = cursor.int32();
    if (executable === EXECUTABLE_WASM) executables.set(contract, cursor.opaque(32).toHex());
    if (executable === EXECUTABLE_ASSET) executables.set(contract, null);
    if (executable === EXECUTABLE_REFERENCE) {
      const reference = readAddress(cursor) + cursor.take(scString).toHex();
      executables.set(contract, { reference });
    }
  }
}
