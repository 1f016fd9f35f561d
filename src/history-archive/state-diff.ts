// What of a contract is different between two ledgers: each entry that a successful transaction in
// between declared, as the one and as the other ledger left it, named by the contract's
// specification at that ledger. What only expired is in no transaction, and not found.

import type { StateChange, StateDiff, StateFact } from "../model/state.ts";
import { isProven } from "../model/state.ts";
import { type ContractLookup, contractLookup } from "../xdr/contract/contract-specs.ts";
import { describeTypedKey } from "../xdr/contract/key-typed.ts";
import { readSorobanFacts } from "../xdr/envelope/envelope-facts.ts";
import { readResultBytes } from "../xdr/outcome/result.ts";
import { ENTRY_TYPE, sameData } from "../xdr/reader/keys.ts";
import { decodeContractId } from "../xdr/reader/strkey.ts";
import { uint32s } from "../xdr/reader/words.ts";
import { entryDifference } from "../xdr/values/entry-difference.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
import type { EntryBefore, OpenedArchive } from "./open-archive.ts";

/** A public network takes some two days for these. */
export const MOST_DIFF_LEDGERS = 32_768;

export function isContract(text: string): boolean {
  return decodeContractId(text) !== null;
}

type At = Pick<OpenedArchive, "report" | "ask" | "name">;

/** `contract`: C…; `since` is before `ledger`, by MOST_DIFF_LEDGERS at the most. */
export async function readStateDiff(
  archive: At,
  contract: string,
  { since, ledger, network }: Pick<StateDiff, "since" | "ledger" | "network">,
): Promise<StateDiff> {
  const specs = [await specAt(archive, contract, since), await specAt(archive, contract, ledger)];
  const keys = await declaredKeys(archive, { since, ledger }, [
    prefixOf(contract),
    ...specs.flatMap(({ codeKey }) => codeKey ?? []),
  ]);
  const changes: StateChange[] = [];
  const unknown: StateDiff["unknown"][number][] = [];
  for (const keyXdr of keys) {
    const before = await archive.report(keyXdr, since);
    const after = await archive.report(keyXdr, ledger);
    const [earlier, later] = specs.map(({ lookup }) => describeTypedKey(keyXdr, lookup));
    const key = (after.entry.kind === "absent" ? earlier : later) ?? after.key;
    const open = [before, after].flatMap(({ entry, liveUntil }) => [entry, liveUntil]);
    const gap = open.find((fact) => fact?.kind === "unknown");
    const proofs = open.flatMap((fact) =>
      fact === null || fact.kind === "unknown" ? [] : [fact.proof],
    );
    const isReplayed = proofs.some(({ step }) => step === "replayed");
    if (gap?.kind === "unknown") unknown.push({ key, keyXdr, reason: gap.reason });
    else
      changes.push(
        ...changeOf({ key, keyXdr, isProven: proofs.every(isProven), isReplayed }, before, after),
      );
  }
  return { network, archive: archive.name, contract, since, ledger, changes, unknown };
}

function changeOf(
  named: Pick<StateChange, "key" | "keyXdr" | "isProven" | "isReplayed">,
  before: EntryBefore,
  after: EntryBefore,
): StateChange[] {
  const values = [before, after].map(({ entry }) => (entry.kind === "known" ? entry.value : null));
  const [one = null, other = null] = values;
  const beforeXdr = one?.entryXdr ?? null;
  const afterXdr = other?.entryXdr ?? null;
  const liveUntil = { before: ledgerOf(before.liveUntil), after: ledgerOf(after.liveUntil) };
  const isSame = sameData(beforeXdr, afterXdr);
  if (isSame && liveUntil.before === liveUntil.after) return [];
  const both = beforeXdr !== null && afterXdr !== null;
  return [
    {
      ...named,
      kind: beforeXdr === null ? "created" : afterXdr === null ? "removed" : "updated",
      before: one?.text ?? null,
      after: other?.text ?? null,
      fields: both && !isSame ? entryDifference(beforeXdr, afterXdr) : [],
      ...{ beforeXdr, afterXdr, liveUntil },
    },
  ];
}

function ledgerOf(fact: StateFact<number> | null): number | null {
  return fact?.kind === "known" ? fact.value : null;
}

/** The begin of each key of the contract's data: type, type of the address, id. */
function prefixOf(contract: string): Uint8Array {
  const id = decodeContractId(contract) ?? new Uint8Array(32);
  return Buffer.concat([uint32s(ENTRY_TYPE.contractData, 1), id]);
}

/** Keys that begin with one of these, in the order in which they were first declared. */
async function declaredKeys(
  { ask }: At,
  { since, ledger }: Pick<StateDiff, "since" | "ledger">,
  prefixes: readonly Uint8Array[],
): Promise<ReadonlySet<string>> {
  return ask(async ({ chain }) => {
    const found = new Set<string>();
    for (let sequence = since + 1; sequence <= ledger; sequence += 1)
      for (const { envelope, result } of await chain.transactions(sequence)) {
        const facts = readSorobanFacts(envelope);
        if (facts === null || !readResultBytes(result).success) continue;
        for (const keyXdr of [...facts.footprint.readOnly, ...facts.footprint.readWrite]) {
          const key = Buffer.from(keyXdr, "base64");
          if (prefixes.some((prefix) => key.subarray(0, prefix.length).equals(prefix)))
            found.add(keyXdr);
        }
      }
    return found;
  });
}

interface Spec {
  readonly lookup: ContractLookup;
  /** Of its code; null: the contract is not known there, or has no code of its own. */
  readonly codeKey: Uint8Array | null;
}

async function specAt({ report }: At, contract: string, ledger: number): Promise<Spec> {
  const { entry } = await report(instanceKeyOfContract(contract) ?? "", ledger);
  const instance = entry.kind === "known" ? [entry.value.entryXdr] : [];
  const hash = contractLookup(instance)(contract)?.wasmHash ?? null;
  if (hash === null) return { lookup: contractLookup(instance), codeKey: null };
  const codeKey = Buffer.concat([uint32s(ENTRY_TYPE.contractCode), Buffer.from(hash, "hex")]);
  const code = (await report(codeKey.toString("base64"), ledger)).entry;
  const entries = code.kind === "known" ? [...instance, code.value.entryXdr] : instance;
  return { lookup: contractLookup(entries), codeKey };
}
