// Finds absent entries: those that the failing call looked up, which are known only if its host
// calls were recorded, and those that only nodes show to be absent. A node that leaves an entry out
// looks like one whose ledger does not have it, so a failure that may be due to it is at most
// likely.

import { neutralise } from "../../base/text/neutralise.ts";
import type { HostCall } from "../../model/execution.ts";
import { type StatedKind, statedKind } from "../../model/provenance.ts";
import { type Snapshot, snapshotState } from "../../model/snapshot.ts";
import { knownIn } from "../../model/state/entry-state.ts";
import { dataKeyOf, describeTypedKey, showDataKey } from "../../xdr/contract/key-typed.ts";
import { isSetupFunction } from "../../xdr/contract/setup-names.ts";
import type { ChainFacts } from "../../xdr/outcome/chain-facts.ts";
import { ENTRY_TYPE, isTemporaryKey, typeOfKey } from "../../xdr/reader/keys.ts";
import { showValue } from "../../xdr/values/value.ts";
import { elementsOf, instanceKeyOfContract, isFalse } from "../../xdr/values/value-parts.ts";
import type { CauseFinding, MissAdvice } from "../words/found-cause.ts";
import type { CauseEvidence } from "../words/found-evidence.ts";
import { diagnosticsOf, type Failure } from "./failure.ts";

const SHOWN_ENTRIES = 8;

/** An absent entry that a call looked up. */
interface Miss {
  /** The index of the look-up among the call's host calls. */
  readonly at: number;
  /**
   * The entry in words, such as `temporary data t1 of contract C…, which did not exist or had
   * expired`.
   */
  readonly words: string;
  readonly key: string;
  readonly durability: string;
  readonly byNode: boolean;
}

interface Absence {
  /** The look-ups, the last one first. */
  readonly lookUps: readonly CauseEvidence[];
  /** The advice for them; null if there are none. */
  readonly advice: MissAdvice | null;
  /**
   * The look-up, if it was the last thing that the call did with its storage or with other
   * contracts.
   */
  readonly last: string | null;
}

const NOTHING_MISSED: Absence = { lookUps: [], advice: null, last: null };

/** The absent entries as evidence, because the contract decides what an absent entry means. */
export function absence(failure: Failure): Absence {
  const calls = failure.call?.hostCalls ?? [];
  const isLeft = (failure.call?.hostCallsLeftOut ?? 0) > 0;
  const goesOn = (at: number) =>
    isLeft || calls.slice(at + 1).some((each) => GOES_ON.test(each.function));
  const missed = calls
    .flatMap((each, at) => missOf(each, at, failure) ?? [])
    // Flags that are not set are often looked up in an instance, so the last look-up there may have
    // decided.
    .filter(({ at, durability }) => durability !== "instance" || !goesOn(at))
    .reverse();
  const [last] = missed;
  if (last === undefined) return NOTHING_MISSED;
  const distinct = [...new Map(missed.map((each) => [each.words, each])).values()];
  return {
    lookUps: distinct
      .slice(0, SHOWN_ENTRIES)
      .map(({ words }) => ({ kind: "looked-up", entry: words }) as const),
    advice: adviceOn(last, failure),
    last: goesOn(last.at) ? null : last.words,
  };
}

function missOf(
  each: HostCall,
  at: number,
  { call, snapshot, lookup, absentByNode }: Failure,
): Miss | null {
  const missed = missedBy(each);
  const contract = call?.contract ?? null;
  if (missed === null || contract === null || snapshot === null) return null;
  if (missed.durability === "instance") {
    const instance = instanceKeyOfContract(contract);
    const held = instance === null ? null : knownIn(snapshotState(snapshot), instance);
    const isThere = held !== null && held.entryXdr !== null;
    const key = showDataKey(missed.key, lookup(contract)?.spec ?? null);
    const words = `${key} in the instance storage of contract ${contract}, which does not have it`;
    return isThere ? { ...missed, at, words, byNode: false } : null;
  }
  const absent = snapshot.entries.find(({ keyXdr, entryXdr }) => {
    if (entryXdr !== null || typeOfKey(keyXdr) !== ENTRY_TYPE.contractData) return false;
    const { contract: of, key, durability } = dataKeyOf(keyXdr);
    return of === contract && key === missed.key && durability === missed.durability;
  });
  if (absent === undefined) return null;
  const isTemporary = isTemporaryKey(absent.keyXdr);
  const byNode = absentByNode.includes(absent.keyXdr);
  const isGone = isTemporary ? "which did not exist or had expired" : "which did not exist";
  const gone = byNode ? "for which the node has no entry" : isGone;
  const words = `${describeTypedKey(absent.keyXdr, lookup)}, ${gone}`;
  return { ...missed, at, words, byNode };
}

/** The advice; null if nothing that was looked up helps. */
function adviceOn(
  { key, durability, byNode }: Miss,
  { call, lookup }: Pick<Failure, "call" | "lookup">,
): MissAdvice | null {
  const names = argumentsIn(key, call, lookup);
  const isFirst = durability === "instance" && names.length === 0;
  if (isFirst && isSetupFunction(call?.function ?? "")) return null;
  return { durability, byNode, names };
}

/** The arguments of the call that are the key or a part of it. */
function argumentsIn(
  keyXdr: string,
  call: Failure["call"],
  lookup: Failure["lookup"],
): readonly string[] {
  if (call === null) return [];
  const inputs = lookup(call.contract)?.spec?.functions.get(call.function ?? "")?.inputs ?? [];
  const parts = new Set([keyXdr, ...(elementsOf(keyXdr) ?? [])]);
  return call.argumentsXdr.flatMap((each, at) => {
    if (!parts.has(each)) return [];
    const name = inputs[at]?.name;
    return name === undefined ? `argument ${at + 1}` : `\`${neutralise(name)}\``;
  });
}

/** Host functions after which a call has continued from its look-up. */
const GOES_ON = /_contract_data$|^(try_)?call$|^create_|^require_auth|^contract_event$/;

/**
 * The key for which the host found no entry. The function names are those of soroban-env-common's
 * env.json.
 */
function missedBy({ function: name, argumentsXdr, resultXdr, failed }: HostCall) {
  const isMiss =
    name === "has_contract_data"
      ? resultXdr !== null && isFalse(resultXdr)
      : name === "get_contract_data" && failed;
  const [key, durability] = argumentsXdr;
  if (!isMiss || !key || !durability) return null;
  return { key, durability: showValue(durability).toLowerCase() };
}

/**
 * The entries that a node left out and on which a cause can depend, because the chain has no
 * diagnostics.
 */
export function absentByNode(chain: ChainFacts, snapshot: Snapshot | null): string[] {
  return diagnosticsOf(chain, null).length > 0 ? [] : lackedByNode(snapshot);
}

/** The same for a run with a change, about which the chain's diagnostics show nothing. */
export function lackedByNode(snapshot: Snapshot | null): string[] {
  return (snapshot?.entries ?? [])
    .filter(({ entryXdr, provenance }) => entryXdr === null && BY_NODE.has(statedKind(provenance)))
    .map(({ keyXdr }) => keyXdr);
}

/** A node does not lack an entry that an override removed. */
const BY_NODE: ReadonlySet<StatedKind> = new Set(["rpc-unchanged", "assumed"]);

/** The cause, which is at most likely if it may depend on an entry that the node left out. */
export function withDoubtAboutNode(
  finding: CauseFinding,
  { absentByNode, lookup }: Pick<Failure, "absentByNode" | "lookup">,
): CauseFinding {
  if (absentByNode.length === 0) return finding;
  const entries = absentByNode.slice(0, SHOWN_ENTRIES).map((key) => describeTypedKey(key, lookup));
  const more = absentByNode.length - entries.length;
  const isSaid = absentByNode.length === 1 && saysOfNode(finding, absentByNode[0] ?? "");
  const lacks: readonly CauseEvidence[] = isSaid ? [] : [{ kind: "node-lacks", entries, more }];
  return {
    ...finding,
    confidence: "likely",
    byNode: true,
    evidence: [...lacks, ...finding.evidence],
  };
}

/** Says whether the summary states that the node has no such entry. */
function saysOfNode(finding: CauseFinding, keyXdr: string): boolean {
  const type = typeOfKey(keyXdr);
  if (finding.by === "absent-entry")
    return finding.facts.instance !== null && type === ENTRY_TYPE.contractData;
  if (finding.by !== "asset-error") return false;
  return (
    (finding.kind === "account-missing" && type === ENTRY_TYPE.account) ||
    (finding.kind === "trustline-missing" && type === ENTRY_TYPE.trustline)
  );
}
