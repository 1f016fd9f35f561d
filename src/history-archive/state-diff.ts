// Compares a contract's state in two ledgers: each entry that a successful transaction in between
// declared, as both ledgers left it, named by the contract's specification at that ledger. An entry
// that only expired is in no transaction, and is not found.

import { decodeContractId } from "../base/text/strkey.ts";
import {
  hasEnoughSignatures,
  isProven,
  type StateChange,
  type StateDiff,
  type StateFact,
  type StateReport,
} from "../model/state/proven-state.ts";
import { type ContractLookup, contractLookup } from "../xdr/contract/contract-specs.ts";
import { describeTypedKey } from "../xdr/contract/key-typed.ts";
import { readSorobanFacts } from "../xdr/envelope/envelope-facts.ts";
import { readResultBytes } from "../xdr/outcome/result.ts";
import { ENTRY_TYPE, sameData } from "../xdr/reader/keys.ts";
import { uint32s } from "../xdr/reader/words.ts";
import { entryDifference } from "../xdr/values/entry-difference.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
import { checkpointOf } from "./archive-files.ts";
import { linkedHeaders } from "./chain.ts";
import { compareKeys } from "./key-order.ts";
import type { EntryBefore, OpenedArchive } from "./opened-archive.ts";

/** A public network takes some two days for these. */
export const MOST_DIFF_LEDGERS = 32_768;

export interface StateReports extends Pick<OpenedArchive, "ask" | "name"> {
  /** Returns reports by key for one moment, as `OpenedArchive.report` does. */
  reports(
    keysXdr: Iterable<string>,
    ledger: number,
    before?: string | null,
  ): Promise<ReadonlyMap<string, StateReport>>;
}

/** `contract` is a strkey (C…). `since` must be before `ledger`, by at most MOST_DIFF_LEDGERS. */
export async function readStateDiff(
  archive: StateReports,
  contract: string,
  { since, ledger, network }: Pick<StateDiff, "since" | "ledger" | "network">,
): Promise<StateDiff> {
  const specs = [await specAt(archive, contract, since), await specAt(archive, contract, ledger)];
  const { keys, isComplete } = await declaredKeys(archive, { since, ledger }, [
    prefixOf(contract),
    ...specs.flatMap(({ codeKey }) => codeKey ?? []),
  ]);
  const changes: StateChange[] = [];
  const unknown: StateDiff["unknown"][number][] = [];
  const befores = await archive.reports(inOrder(keys), since);
  const afters = await archive.reports(inOrder(keys), ledger);
  for (const keyXdr of keys) {
    const [before, after] = [befores.get(keyXdr), afters.get(keyXdr)];
    if (before === undefined || after === undefined) continue;
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
  const difference = { network, archive: archive.name, contract, since, ledger, changes, unknown };
  return { ...difference, isComplete };
}

/** Sorts keys in the order of a bucket, so that each part of it is read once. */
function inOrder(keysXdr: Iterable<string>): string[] {
  const keys = Array.from(keysXdr, (keyXdr) => Uint8Array.fromBase64(keyXdr));
  return keys.sort(compareKeys).map((key) => key.toBase64());
}

function changeOf(
  named: Pick<StateChange, "key" | "keyXdr" | "isProven" | "isReplayed">,
  before: EntryBefore,
  after: EntryBefore,
): StateChange[] {
  const values = [before, after].map(({ entry }) => (entry.kind === "known" ? entry.value : null));
  const [left = null, right = null] = values;
  const beforeXdr = left?.entryXdr ?? null;
  const afterXdr = right?.entryXdr ?? null;
  const liveUntil = { before: ledgerOf(before.liveUntil), after: ledgerOf(after.liveUntil) };
  const isSame = sameData(beforeXdr, afterXdr);
  if (isSame && liveUntil.before === liveUntil.after) return [];
  const both = beforeXdr !== null && afterXdr !== null;
  return [
    {
      ...named,
      kind: beforeXdr === null ? "created" : afterXdr === null ? "removed" : "updated",
      before: left?.text ?? null,
      after: right?.text ?? null,
      fields: both && !isSame ? entryDifference(beforeXdr, afterXdr) : [],
      beforeXdr,
      afterXdr,
      liveUntil,
    },
  ];
}

function ledgerOf(fact: StateFact<number> | null): number | null {
  return fact?.kind === "known" ? fact.value : null;
}

/** Returns the beginning of each key of the contract's data: type, type of the address, id. */
function prefixOf(contract: string): Uint8Array {
  const id = decodeContractId(contract) ?? new Uint8Array(32);
  return Buffer.concat([uint32s(ENTRY_TYPE.contractData, 1), id]);
}

/**
 * Returns the keys that begin with one of these prefixes, in the order in which they were first
 * declared. `isComplete` is true if validators have signed the last of the ledgers, which follow
 * one another: otherwise one can be left out.
 */
async function declaredKeys(
  { ask }: StateReports,
  { since, ledger }: Pick<StateDiff, "since" | "ledger">,
  prefixes: readonly Uint8Array[],
): Promise<{ readonly keys: ReadonlySet<string>; readonly isComplete: boolean }> {
  return ask(async ({ chain }) => {
    const keys = new Set<string>();
    for (let sequence = since + 1; sequence <= ledger; sequence += 1) {
      await linkedHeaders(chain, sequence);
      for (const { envelope, result } of await chain.transactions(sequence)) {
        const facts = readSorobanFacts(envelope);
        if (facts === null || !readResultBytes(result).success) continue;
        for (const keyXdr of [...facts.footprint.readOnly, ...facts.footprint.readWrite]) {
          const key = Buffer.from(keyXdr, "base64");
          if (prefixes.some((prefix) => key.subarray(0, prefix.length).equals(prefix)))
            keys.add(keyXdr);
        }
      }
    }
    // The headers after the ledger, up to the checkpoint's, name it.
    const last = checkpointOf(ledger, chain.archive);
    const signatures = [await chain.signatures(ledger), await chain.signatures(last)];
    return { keys, isComplete: signatures.some(hasEnoughSignatures) };
  }, ledger);
}

interface Spec {
  readonly lookup: ContractLookup;
  /**
   * The key of the contract's code. Null if the contract is unknown at that ledger, or has no code
   * of its own.
   */
  readonly codeKey: Uint8Array | null;
}

async function specAt({ reports }: StateReports, contract: string, ledger: number): Promise<Spec> {
  const entryOf = async (keyXdr: string) => {
    const entry = (await reports([keyXdr], ledger)).get(keyXdr)?.entry;
    return entry?.kind === "known" ? [entry.value.entryXdr] : [];
  };
  const instance = await entryOf(instanceKeyOfContract(contract) ?? "");
  const hash = contractLookup(instance)(contract)?.wasmHash ?? null;
  if (hash === null) return { lookup: contractLookup(instance), codeKey: null };
  const codeKey = Buffer.concat([uint32s(ENTRY_TYPE.contractCode), Buffer.from(hash, "hex")]);
  const entries = [...instance, ...(await entryOf(codeKey.toString("base64")))];
  return { lookup: contractLookup(entries), codeKey };
}
