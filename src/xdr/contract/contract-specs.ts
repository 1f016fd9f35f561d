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
const SCV_CONTRACT_INSTANCE = 19;
const SCV_LEDGER_KEY_CONTRACT_INSTANCE = 20;
const EXECUTABLE_WASM = 0;
const EXECUTABLE_ASSET = 1;
const COST_INPUTS_SIZE = 44;
/** Host functions `require_auth` and `require_auth_for_args`. */
const REQUIRE_AUTH = "a.0";
const FOR_ARGUMENTS = "a._";

/** Uses the first instance of each contract and skips entries that cannot be read. */
export function contractLookup(entriesXdr: Iterable<string>): ContractLookup {
  const { executables, codes, instances } = codeOf(entriesXdr);
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
    const wasmHash = contract === null ? undefined : executables.get(contract);
    if (contract === null || wasmHash === undefined) return null;
    const known = facts.get(contract) ?? factsOf(contract, wasmHash);
    facts.set(contract, known);
    return known;
  };
}

/** Hashes of the code that contracts among the entries run, hex. */
export function wasmHashesInUse(entriesXdr: Iterable<string>): ReadonlySet<string> {
  const { executables } = codeOf(entriesXdr);
  return new Set([...executables.values()].filter((hash) => hash !== null));
}

/** Wasm by its hash, hex. */
export function wasmByHash(entriesXdr: Iterable<string>): ReadonlyMap<string, Uint8Array> {
  return codeOf(entriesXdr).codes;
}

function codeOf(entriesXdr: Iterable<string>) {
  const executables = new Map<string, string | null>();
  const codes = new Map<string, Uint8Array>();
  const instances = new Map<string, string>();
  for (const entryXdr of entriesXdr) {
    try {
      const contract = noteEntry(entryXdr, executables, codes);
      if (contract !== null) instances.set(contract, entryXdr);
    } catch {
      // Another stage reports the invalid entry. Here its contract only has no names.
    }
  }
  return { executables, codes, instances };
}

/** The contract of an instance entry; null when another instance of it came before. */
function noteEntry(
  entryXdr: string,
  executables: Map<string, string | null>,
  codes: Map<string, Uint8Array>,
): string | null {
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
    if (cursor.peekInt32() !== SCV_LEDGER_KEY_CONTRACT_INSTANCE) return null;
    cursor.skip(scVal);
    cursor.int32();
    if (cursor.int32() !== SCV_CONTRACT_INSTANCE || executables.has(contract)) return null;
    const executable = cursor.int32();
    if (executable === EXECUTABLE_WASM) executables.set(contract, cursor.opaque(32).toHex());
    if (executable === EXECUTABLE_ASSET) executables.set(contract, null);
    return contract;
  }
  return null;
}
