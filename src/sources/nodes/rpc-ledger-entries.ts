// getLedgerEntries of Stellar RPC: the entries in the node's latest ledger. The method takes at
// most 200 keys, refuses TTL keys, and leaves out entries that do not exist, including expired
// temporary ones. It returns LedgerEntryData, from which this file builds the LedgerEntry again.

import * as v from "valibot";
import { concatBytes } from "../../base/bytes.ts";
import { SvcError } from "../../base/errors/errors.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { AGAIN, flag, phrase } from "../../base/phrase.ts";
import { uint32 as ledger } from "../../base/wire.ts";
import { hasItsHash } from "../../xdr/reader/code-hash.ts";
import { isSorobanKey, keyOfEntry } from "../../xdr/reader/keys.ts";
import { uint32s } from "../../xdr/reader/words.ts";
import type { CurrentLedgerEntries, CurrentLedgerEntry, FetchContext } from "../source.ts";
import { callJsonRpc, type JsonRpcDependencies } from "./json-rpc.ts";

const KEYS_PER_CALL = 200;
const MAXIMUM_BYTES = 96 * 1024 * 1024;
/** A ledger may close between two calls, but rarely twice. */
const MAXIMUM_ROUNDS = 4;
/** The LedgerEntry extension without a sponsor. */
const NO_EXTENSION = "AAAAAA==";

const entriesSchema = v.object({
  latestLedger: ledger,
  entries: v.nullish(
    v.array(
      v.object({
        key: v.string(),
        xdr: v.string(),
        lastModifiedLedgerSeq: ledger,
        liveUntilLedgerSeq: v.nullish(ledger),
        extXdr: v.nullish(v.string()),
      }),
    ),
  ),
});
type FoundEntry = NonNullable<v.InferOutput<typeof entriesSchema>["entries"]>[number];

/** Fetches the entries. Throws the node's refusal, LEDGER_ENTRY_INVALID, or NODE_LIED. */
export async function fetchCurrentEntries(
  node: JsonRpcDependencies,
  keysXdr: readonly string[],
  context: FetchContext,
): Promise<CurrentLedgerEntries> {
  const keys = [...new Set(keysXdr)];
  for (let round = 1; ; round += 1) {
    const answers: CurrentLedgerEntries[] = [];
    for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
      answers.push(await fetchSome(node, keys.slice(at, at + KEYS_PER_CALL), context));
    }
    const latestLedger = Math.max(0, ...answers.map((answer) => answer.latestLedger));
    const uniform = answers.every((answer) => answer.latestLedger === latestLedger);
    if (uniform) return together(latestLedger, answers);
    if (round === MAXIMUM_ROUNDS) throw unsteady(node);
  }
}

function fetchSome(
  node: JsonRpcDependencies,
  keys: readonly string[],
  context: FetchContext,
): Promise<CurrentLedgerEntries> {
  const requestedKeys = new Set(keys);
  const schema = v.pipe(
    entriesSchema,
    v.transform(({ latestLedger, entries }) => {
      const current = (entries ?? []).map((result) => currentEntry(node, requestedKeys, result));
      return { latestLedger, entries: new Map(current.map((entry) => [entry.keyXdr, entry])) };
    }),
  );
  const call = {
    method: "getLedgerEntries",
    parameters: { keys },
    schema,
    maximumBytes: MAXIMUM_BYTES,
  };
  return callJsonRpc(node, call, context);
}

function currentEntry(
  node: JsonRpcDependencies,
  requestedKeys: ReadonlySet<string>,
  result: FoundEntry,
): CurrentLedgerEntry {
  const { key, lastModifiedLedgerSeq, liveUntilLedgerSeq } = result;
  if (!requestedKeys.has(key)) throw lied(node, key, "was not in the request");
  // stellar-rpc returns one for every entry that can expire (get_ledger_entries.go).
  if (isSorobanKey(key) && typeof liveUntilLedgerSeq !== "number") throw withoutTtl(node, key);
  return {
    keyXdr: key,
    entryXdr: wholeEntry(node, result),
    lastModifiedLedger: lastModifiedLedgerSeq,
    // An archived entry is live until ledger 0.
    liveUntilLedger: liveUntilLedgerSeq || null,
    archived: liveUntilLedgerSeq === 0,
  };
}

function withoutTtl({ url }: JsonRpcDependencies, key: string): SvcError {
  const address = nodeAddress(url);
  return new SvcError("NETWORK_BAD_ANSWER", {
    message: `${address} returned the entry ${key} without its liveUntilLedgerSeq.`,
    remedy: phrase`Set another node with ${flag("rpcUrl")}.`,
    details: { node: address, key },
  });
}

/** An entry that was modified after the node's latest ledger shows that the node has moved on. */
function together(
  latestLedger: number,
  answers: readonly CurrentLedgerEntries[],
): CurrentLedgerEntries {
  const entries = new Map(answers.flatMap((answer) => [...answer.entries]));
  const modified = [...entries.values()].map(({ lastModifiedLedger }) => lastModifiedLedger);
  return { latestLedger: Math.max(latestLedger, ...modified), entries };
}

/** The LedgerEntry: lastModifiedLedgerSeq, data, extension. */
function wholeEntry(node: JsonRpcDependencies, result: FoundEntry): string {
  const lastModified = uint32s(result.lastModifiedLedgerSeq);
  const data = Uint8Array.fromBase64(result.xdr);
  const extension = Uint8Array.fromBase64(result.extXdr || NO_EXTENSION);
  const entryXdr = concatBytes([lastModified, data, extension]).toBase64();
  let key: string;
  try {
    key = keyOfEntry(entryXdr);
  } catch (cause) {
    const address = nodeAddress(node.url);
    throw new SvcError("LEDGER_ENTRY_INVALID", {
      message: `${address} returned an entry that cannot be decoded, for the key ${result.key}.`,
      remedy: phrase`Fetch the entry at the transaction's ledger from another node with ${flag("rpcUrl")}.`,
      httpRemedy: "Fetch the entry at the transaction's ledger from another node.",
      cause,
      details: { node: address, keyXdr: result.key },
    });
  }
  if (key !== result.key) throw lied(node, result.key, `came with the entry of the key ${key}`);
  if (!hasItsHash(entryXdr)) throw lied(node, result.key, "came with code of another hash");
  return entryXdr;
}

function lied(node: JsonRpcDependencies, keyXdr: string, why: string): SvcError {
  const address = nodeAddress(node.url);
  return new SvcError("NODE_LIED", {
    message: `${address} gave a wrong answer to getLedgerEntries: the key ${keyXdr} ${why}.`,
    remedy: phrase`Set another node with ${flag("rpcUrl")}.`,
    details: { node: address, keyXdr },
  });
}

function unsteady(node: JsonRpcDependencies): SvcError {
  const address = nodeAddress(node.url);
  return new SvcError("NETWORK_BAD_ANSWER", {
    message: `The ledger of ${address} changed during each of ${MAXIMUM_ROUNDS} tries to read it.`,
    remedy: phrase`${AGAIN}, or set another node with ${flag("rpcUrl")}.`,
    details: { node: address },
  });
}
