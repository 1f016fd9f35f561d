// Entries that were absent: what the failing call looked up in vain, which is known only if its
// calls to the host were recorded; and what only nodes show to be absent. A node that leaves an
// entry out looks like one whose ledger does not have it, so what a failure may owe to it is likely
// at most.

import type { ChainRecord } from "../../model/chain-record.ts";
import type { HostCall } from "../../model/execution.ts";
import { OVERRIDDEN, type ProvenanceKind, type Snapshot } from "../../model/snapshot.ts";
import { dataKeyOf, describeTypedKey } from "../../xdr/contract/key-typed.ts";
import { ENTRY_TYPE, isTemporaryKey, typeOfKey } from "../../xdr/reader/keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { isFalse } from "../../xdr/values/value-parts.ts";
import { type CauseFacts, diagnosticsOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;

interface Absence {
  /** Keys of the absent entries that the failed call looked up, the last one first. */
  readonly keysXdr: readonly string[];
  readonly evidence: readonly string[];
  /** Null without such entries. */
  readonly remedy: string | null;
  /** The look-up was the last thing that the call did with its storage or other contracts. */
  readonly isLast: boolean;
}

/** Evidence: the contract decides what an absent entry means. */
export function absence({ call, snapshot, lookup }: Failure): Absence {
  const calls = call?.hostCalls ?? [];
  const absent = (snapshot?.entries ?? []).flatMap(({ keyXdr, entryXdr }) => {
    const isData = typeOfKey(keyXdr) === ENTRY_TYPE.contractData;
    const parts = isData && entryXdr === null ? dataKeyOf(keyXdr) : null;
    if (parts === null || parts.contract !== call?.contract) return [];
    const at = calls.findLastIndex((each) => {
      const missed = missedBy(each);
      return missed?.key === parts.key && missed.durability === parts.durability;
    });
    return at === -1 ? [] : [{ keyXdr, at }];
  });
  const [last, ...others] = absent.sort((one, other) => other.at - one.at);
  if (last === undefined) return { keysXdr: [], evidence: [], remedy: null, isLast: false };
  const keysXdr = [last, ...others].map(({ keyXdr }) => keyXdr);
  return {
    keysXdr,
    evidence: keysXdr.slice(0, SHOWN_ENTRIES).map((keyXdr) => {
      return `The contract looked up ${describeTypedKey(keyXdr, lookup)}, which ${gone(keyXdr)}.`;
    }),
    remedy: isTemporaryKey(last.keyXdr) ? CREATE_AGAIN : CREATE_FIRST,
    isLast: !calls.slice(last.at + 1).some((each) => GOES_ON.test(each.function)),
  };
}

/** A clause: the end of a temporary entry leaves nothing behind. */
export function gone(keyXdr: string): string {
  return isTemporaryKey(keyXdr) ? "did not exist or had expired" : "did not exist";
}

const CREATE_FIRST =
  "Check the arguments that the key is made of. If the entry should exist, first send the " +
  "transaction that creates it.";
const CREATE_AGAIN =
  "Check the arguments that the key is made of. A temporary entry is deleted when its TTL ends: " +
  "create it again, or extend its TTL in time.";
/** Host functions after which a call has gone on from what it looked up. */
const GOES_ON = /_contract_data$|^(try_)?call$|^create_|^require_auth|^contract_event$/;

/** The key for which the host found no entry. Function names: soroban-env-common's env.json. */
function missedBy({ function: name, argumentsXdr, resultXdr, failed }: HostCall) {
  const isMiss =
    name === "has_contract_data"
      ? resultXdr !== null && isFalse(resultXdr)
      : name === "get_contract_data" && failed;
  const [key, durability] = argumentsXdr;
  if (!isMiss || !key || !durability) return null;
  return { key, durability: showValue(durability).toLowerCase() };
}

/** Without diagnostics of the chain, a cause can rest on what a node left out. */
export function absentByNode(record: ChainRecord, snapshot: Snapshot | null): string[] {
  if (diagnosticsOf(record, null).length > 0) return [];
  return (
    (snapshot?.entries ?? [])
      .filter(({ entryXdr, provenance }) => entryXdr === null && BY_NODE.has(provenance.kind))
      // An entry that a what-if removed is not one that a node lacks.
      .filter(({ provenance }) => !provenance.detail.startsWith(OVERRIDDEN))
      .map(({ keyXdr }) => keyXdr)
  );
}

const BY_NODE: ReadonlySet<ProvenanceKind> = new Set(["rpc-unchanged", "assumed"]);

export function asTheNodeShows(
  found: CauseFacts,
  { absentByNode, lookup }: Pick<Failure, "absentByNode" | "lookup">,
): CauseFacts {
  if (absentByNode.length === 0) return found;
  const names = absentByNode.slice(0, SHOWN_ENTRIES).map((key) => describeTypedKey(key, lookup));
  const more = absentByNode.length - names.length;
  const all = more > 0 ? [...names, `${more} more`] : names;
  return {
    ...found,
    cause: { ...found.cause, confidence: "likely" },
    evidence: [`The node has no entry for ${all.join("; ")}.`, ...found.evidence],
  };
}
