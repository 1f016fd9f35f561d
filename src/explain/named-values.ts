// The XDR of an investigation as readable text: calls, events, changes and the names of keys.

import { neutralise } from "../base/neutralise.ts";
import type { CallNode, LedgerChange } from "../model/execution.ts";
import type { NamedCall, NamedChange, NamedEvent } from "../model/explanation.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { Verdict } from "../model/verdict.ts";
import { readContractEvent } from "../xdr/diagnostics.ts";
import { describeEntry, describeKey, showValue } from "../xdr/value.ts";

/** Beyond this the tree is cut: a report is read by people. */
const MAXIMUM_CALL_DEPTH = 64;

export function nameCalls(node: CallNode, depth = 0): NamedCall {
  return {
    kind: neutralise(node.kind),
    contract: node.contract === null ? null : neutralise(node.contract),
    function: node.function === null ? null : neutralise(node.function),
    arguments: node.argumentsXdr.map((argument) => showValue(argument)),
    result: node.resultXdr === null ? null : showValue(node.resultXdr),
    failed: node.failed,
    cpuInstructions: node.cpuInstructions,
    memoryBytes: node.memoryBytes,
    calls: depth < MAXIMUM_CALL_DEPTH ? node.calls.map((call) => nameCalls(call, depth + 1)) : [],
  };
}

export function nameEvents(eventsXdr: readonly string[]): NamedEvent[] {
  return eventsXdr.map((eventXdr) => {
    const event = readContractEvent(eventXdr);
    return {
      kind: event.kind,
      contract: event.contract,
      topics: event.topicsXdr.map((topic) => showValue(topic)),
      data: showValue(event.dataXdr),
    };
  });
}

export function nameChanges(changes: readonly LedgerChange[]): NamedChange[] {
  return changes.map((change) => ({
    kind: change.kind,
    key: describeKey(change.keyXdr),
    before: change.beforeXdr === null ? null : describeEntry(change.beforeXdr),
    after: change.afterXdr === null ? null : describeEntry(change.afterXdr),
  }));
}

/** LedgerKey → name, of every key that the snapshot, a doubt or a ledger comparison mentions. */
export function nameKeys(
  snapshot: Snapshot | null,
  verdict: Verdict | null,
): Record<string, string> {
  const keys = new Set<string>();
  for (const { keyXdr } of snapshot?.entries ?? []) keys.add(keyXdr);
  for (const { keyXdr } of snapshot?.unknown ?? []) keys.add(keyXdr);
  for (const { keyXdr } of verdict?.doubts ?? []) if (keyXdr !== null) keys.add(keyXdr);
  for (const { subject, item } of verdict?.comparisons ?? []) {
    if (subject === "ledger-change" && item !== null) keys.add(item);
  }
  return Object.fromEntries([...keys].map((key) => [key, describeKey(key)]));
}
