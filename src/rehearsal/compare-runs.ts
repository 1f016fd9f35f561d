// Compares the run of a new build with the replay of what happened. That the code has another hash
// is no difference: it is replaced by the old one before anything is compared.

import { nearestWord } from "../base/errors/did-you-mean.ts";
import { neutralise, shortened } from "../base/text/neutralise.ts";
import { apart } from "../debugger/run/rehearse.ts";
import type { ChangeBeforehand } from "../debugger/what-if/call-beforehand.ts";
import type { RehearsedBuild } from "../debugger/what-if/rehearse-build.ts";
import { CAUSES } from "../model/cause-kinds.ts";
import {
  type CallNode,
  type Execution,
  failedPath,
  type LedgerChange,
} from "../model/execution.ts";
import type { ContractSpec } from "../xdr/contract/contract-spec.ts";
import { type ContractLookup, contractLookup } from "../xdr/contract/contract-specs.ts";
import { describeTypedKey } from "../xdr/contract/key-typed.ts";
import { isReserved } from "../xdr/contract/reserved-functions.ts";
import { contractCodeKey, withExecutable } from "../xdr/ledger/patch-entry.ts";
import { ttlKeyOf } from "../xdr/reader/keys.ts";
import { describeEntry, showValue } from "../xdr/values/value.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
import type {
  CallDifference,
  EntryDifference,
  EntryLeft,
  FailedFunction,
  RunEnd,
} from "./call-difference.ts";
import { withStorageOf } from "./instance-storage.ts";
import type { GroupKind, RehearsedCall } from "./rehearsal.ts";

const SHOWN = 160;

export interface ReplacedCode {
  readonly contract: string;
  /** The contract whose new build it gets: itself, or one that shares its code. */
  readonly build: string;
  readonly oldHash: string;
  readonly newHash: string;
  readonly spec: ContractSpec | null;
}

export interface ComparedRuns {
  readonly before: Execution;
  readonly after: RehearsedBuild;
  readonly replaced: readonly ReplacedCode[];
  /** The contracts of the state, with their specifications. */
  readonly lookup: ContractLookup;
  /** The changes of a call that was made first. What the call left of them is no difference. */
  readonly beforehand?: ReadonlyMap<string, ChangeBeforehand>;
}

type ComparedCall = Pick<RehearsedCall, "group" | "differences">;

/** The group of a call, and what is different; no differences for a call that is the same. */
export function compareRuns(runs: ComparedRuns): ComparedCall {
  const { before, after } = runs;
  const { execution, blocked, signers, redeclared } = after;
  const didSucceed = before.outcome.kind === "success";
  const succeeds = execution.outcome.kind === "success";
  if (blocked !== null) return one("state-unknown", { kind: "state-unknown", block: blocked });
  if (didSucceed && !succeeds && signers.length > 0)
    return one("needs-signatures", { kind: "signatures", signers });
  if (didSucceed && !succeeds) return failing(runs);
  if (!didSucceed && succeeds)
    return one("newly-succeeding", { kind: "newly-succeeding", before: endOf(before) });
  if (!didSucceed) return isSameEnd(endOf(before), endOf(execution)) ? SAME : failing(runs);
  const differences = differencesOf(runs);
  const [first] = differences;
  if (first !== undefined) return { group: GROUP_OF[first.kind], differences };
  if (redeclared.length === 0) return SAME;
  return one("declared-too-little", { kind: "redeclared", parts: redeclared });
}

const SAME: ComparedCall = { group: "same", differences: [] };

function one(group: GroupKind, difference: CallDifference): ComparedCall {
  return { group, differences: [difference] };
}

/** The group of a call that fails with the new code, and before did not or with another error. */
function failing({ before, after, replaced }: ComparedRuns): ComparedCall {
  const { execution } = after;
  const { cause } = after.explain();
  const [was, is] = [before, execution].map(endOf) as [RunEnd, RunEnd];
  const failed = failedPath(execution.callTree).at(-1) ?? null;
  const failure: CallDifference =
    cause === null
      ? { kind: "failure", after: is }
      : {
          kind: "cause",
          cause: cause.kind,
          failed: failedFunction(failed),
          after: is,
          summary: cause.summary,
        };
  // A failure in a contract that keeps its code says nothing about functions of the new code.
  const isOwn = failed === null || replaced.some(({ contract }) => contract === failed.contract);
  const gone = callOfGone(execution.callTree, replaced);
  if (gone !== null) return { group: "function-gone", differences: [gone, failure] };
  if (isOwn && cause?.kind === "function-missing") return one("function-gone", failure);
  if (isOwn && cause !== null && CAUSES[cause.kind].argument === "decides")
    return one("arguments-misfit", failure);
  if (before.outcome.kind === "success") return one("newly-failing", failure);
  return one("other-failure", { kind: "other-failure", before: was, after: is });
}

function failedFunction(call: CallNode | null): FailedFunction | null {
  if (call === null || call.contract === null || call.function === null) return null;
  return { contract: call.contract, function: neutralise(call.function) };
}

type CallOfGone = Extract<CallDifference, { readonly kind: "function-gone" }>;

/**
 * The first call of a function that the new code lacks. Its caller may have caught the failure. A
 * specification need not have the functions that the host calls, such as `__check_auth`, and one of
 * which a part was not read need not have others.
 */
function callOfGone(call: CallNode | null, replaced: readonly ReplacedCode[]): CallOfGone | null {
  if (call === null) return null;
  const { contract, function: name, failed } = call;
  const spec = replaced.find((each) => each.contract === contract)?.spec ?? null;
  const functions = spec === null || spec.unread !== undefined ? null : spec.functions;
  const isGone = failed && name !== null && !isReserved(name) && functions?.has(name) === false;
  if (isGone && contract !== null && functions !== null)
    return goneCall(contract, name, nearestWord(name, [...functions.keys()]));
  for (const inner of call.calls) {
    const gone = callOfGone(inner, replaced);
    if (gone !== null) return gone;
  }
  return null;
}

function goneCall(contract: string, name: string, near: string | null): CallOfGone {
  const isNear = near !== null && neutralise(near);
  return { kind: "function-gone", contract, function: neutralise(name), near: isNear || null };
}

type SuccessDifference = Extract<CallDifference, { readonly kind: keyof typeof GROUP_OF }>;

/** The group of a call whose first difference has this kind. */
const GROUP_OF = {
  result: "other-result",
  entry: "other-state",
  events: "other-events",
} as const satisfies Readonly<Record<string, GroupKind>>;

/** The differences of two runs that succeed. */
function differencesOf(runs: ComparedRuns): SuccessDifference[] {
  const { before } = runs;
  const { execution } = runs.after;
  const entry = stateDifference(runs);
  const isSameResult = before.returnValueXdr === execution.returnValueXdr;
  const isSameEvents = before.eventsXdr.join() === execution.eventsXdr.join();
  const [was, is] = [before.eventsXdr.length, execution.eventsXdr.length];
  return [
    ...(isSameResult
      ? []
      : [{ kind: "result", before: returned(before), after: returned(execution) } as const]),
    ...(entry === null ? [] : [entry]),
    ...(isSameEvents ? [] : [{ kind: "events", before: was, after: is } as const]),
  ];
}

function stateDifference({
  before,
  after,
  replaced,
  lookup,
  beforehand = new Map(),
}: ComparedRuns): EntryDifference | null {
  const was = written(before.changes, replaced);
  const is = new Map(
    [...written(after.execution.changes, replaced)].map(([key, change]) => {
      const entryXdr = withoutBeforehand(change.entryXdr, was.get(key), beforehand.get(key));
      return [key, { ...change, entryXdr }] as const;
    }),
  );
  const keys = [...new Set([...was.keys(), ...is.keys()])].filter(
    (key) => !isSameChange(was.get(key), is.get(key)),
  );
  const [key] = keys;
  if (key === undefined) return null;
  const [earlier, later] = [was.get(key), is.get(key)];
  const [earlierText, laterText] = apart(entryText(earlier), entryText(later));
  return {
    kind: "entry",
    entry: describeTypedKey(key, lookup),
    before: leftBy(earlier, earlierText),
    after: leftBy(later, laterText),
    others: keys.length - 1,
  };
}

/** Empty if there is no entry. */
function entryText(change: WrittenChange | undefined): string {
  return change?.entryXdr == null ? "" : describeEntry(change.entryXdr);
}

function leftBy(change: WrittenChange | undefined, text: string): EntryLeft {
  return { change: change?.kind ?? "none", value: text === "" ? null : text };
}

/**
 * The storage of an instance as if the call that was made first had not changed it, in what the
 * compared call left as it was.
 */
function withoutBeforehand(
  entryXdr: string | null,
  was: WrittenChange | undefined,
  change: ChangeBeforehand | undefined,
): string | null {
  if (change?.beforeXdr == null || entryXdr === null || !was?.entryXdr) return entryXdr;
  return withStorageOf(entryXdr, {
    was: was.entryXdr,
    before: change.beforeXdr,
    changed: change.after.entryXdr ?? "",
  });
}

interface WrittenChange {
  readonly kind: LedgerChange["kind"];
  /** The entry after it; null if it was removed, and for code, whose key has its hash. */
  readonly entryXdr: string | null;
}

function isSameChange(left: WrittenChange | undefined, right: WrittenChange | undefined): boolean {
  return left?.kind === right?.kind && left?.entryXdr === right?.entryXdr;
}

/** The changes by key. The new code counts as the old one. */
function written(
  changes: readonly LedgerChange[],
  replaced: readonly ReplacedCode[],
): Map<string, WrittenChange> {
  const keys = new Map<string, string>();
  for (const { oldHash, newHash } of replaced) {
    const [former, next] = [contractCodeKey(oldHash), contractCodeKey(newHash)];
    for (const key of [former, next]) keys.set(key, former).set(ttlKeyOf(key), ttlKeyOf(former));
  }
  return new Map(
    changes.map(({ kind, keyXdr, afterXdr }): [string, WrittenChange] => {
      const formerKey = keys.get(keyXdr);
      if (formerKey !== undefined) return [formerKey, { kind, entryXdr: null }];
      const code = replaced.find(({ contract }) => instanceKeyOfContract(contract) === keyXdr);
      return [keyXdr, { kind, entryXdr: withOldCode(afterXdr, code) }];
    }),
  );
}

/** An upgrade to other code than the new one is a change of its own. */
function withOldCode(entryXdr: string | null, code: ReplacedCode | undefined): string | null {
  if (entryXdr === null || code === undefined) return entryXdr;
  const { contract, oldHash, newHash } = code;
  const isNew = contractLookup([entryXdr])(contract)?.wasmHash === newHash;
  return isNew ? (withExecutable(entryXdr, oldHash) ?? entryXdr) : entryXdr;
}

/** Null for a run that returns nothing. */
function returned({ returnValueXdr }: Execution): string | null {
  return returnValueXdr === null ? null : shortened(showValue(returnValueXdr), SHOWN);
}

function endOf({ outcome, hostError }: Execution): RunEnd {
  if (outcome.kind === "success") return { kind: "success" };
  if (outcome.kind === "internal_error")
    return { kind: "internal-error", message: neutralise(outcome.message) };
  if (hostError === null) return { kind: "result-code", code: outcome.code };
  const { type, code, contractCode } = hostError;
  return { kind: "host-error", type, code: contractCode ?? code };
}

function isSameEnd(left: RunEnd, right: RunEnd): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
