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
import { contractCodeKey, withExecutable } from "../xdr/ledger/patch-entry.ts";
import { ttlKeyOf } from "../xdr/reader/keys.ts";
import { describeEntry, showValue } from "../xdr/values/value.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
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

/** The group of a call, and sentences that say what is different. */
export function compareRuns(runs: ComparedRuns): Pick<RehearsedCall, "group" | "detail"> {
  const { before, after } = runs;
  const { execution, blocked, signers } = after;
  const didSucceed = before.outcome.kind === "success";
  const succeeds = execution.outcome.kind === "success";
  if (blocked !== null) return { group: "state-unknown", detail: blocked };
  if (didSucceed && !succeeds && signers.length > 0)
    return {
      group: "needs-signatures",
      detail: `Needs an authorization signed by ${signers.join(" and ")}.`,
    };
  if (didSucceed && !succeeds) return failing(runs);
  if (!didSucceed && succeeds)
    return { group: "newly-succeeding", detail: `It failed before: ${errorOf(before)}.` };
  if (!didSucceed)
    return errorOf(before) === errorOf(execution) ? { group: "same", detail: "" } : failing(runs);
  const runDifferences = differences(runs);
  const [first] = runDifferences;
  if (first !== undefined)
    return { group: first.group, detail: runDifferences.map(({ detail }) => detail).join(" ") };
  const isRedeclared = after.redeclared.length > 0;
  if (!isRedeclared) return { group: "same", detail: "" };
  const detail = `To declare anew: ${after.redeclared.join(", ")}.`;
  return { group: "declared-too-little", detail };
}

/** The group of a call that fails with the new code, and before did not or with another error. */
function failing({ before, after, replaced }: ComparedRuns): Difference {
  const { execution } = after;
  const { cause } = after.explain();
  const summary = cause === null ? errorOf(execution) : cause.summary;
  const failed = failedPath(execution.callTree).at(-1) ?? null;
  // A failure in a contract that keeps its code says nothing about functions of the new code.
  const isOwn = failed === null || replaced.some(({ contract }) => contract === failed.contract);
  const gone = callOfGone(execution.callTree, replaced);
  if (isOwn && cause?.kind === "function-missing")
    return { group: "function-gone", detail: `${summary}${meant(gone)}` };
  if (gone !== null) {
    const missing = `Contract ${gone.contract} has no function ${neutralise(gone.function)}.`;
    return { group: "function-gone", detail: `${missing}${meant(gone)} ${summary}` };
  }
  if (isOwn && cause !== null && CAUSES[cause.kind].argument === "decides")
    return { group: "arguments-misfit", detail: summary };
  if (before.outcome.kind === "success") return { group: "newly-failing", detail: summary };
  const detail = `${errorOf(before)} before, ${errorOf(execution)} with the new code.`;
  return { group: "other-failure", detail };
}

interface CallOfGone {
  readonly contract: string;
  readonly function: string;
  /** The function of the new code with the nearest name; null if none is near. */
  readonly near: string | null;
}

/**
 * The first call of a function that the new code lacks. Its caller may have caught the failure. A
 * specification need not have the functions that the host calls, such as `__check_auth`.
 */
function callOfGone(call: CallNode | null, replaced: readonly ReplacedCode[]): CallOfGone | null {
  if (call === null) return null;
  const { contract, function: name, failed } = call;
  const functions = replaced.find((each) => each.contract === contract)?.spec?.functions;
  const isGone =
    failed && name !== null && !name.startsWith("__") && functions?.has(name) === false;
  if (isGone && contract !== null)
    return { contract, function: name, near: nearestWord(name, [...functions.keys()]) };
  for (const inner of call.calls) {
    const gone = callOfGone(inner, replaced);
    if (gone !== null) return gone;
  }
  return null;
}

function meant(gone: CallOfGone | null): string {
  return gone?.near == null ? "" : ` Did its author mean \`${neutralise(gone.near)}\`?`;
}

interface Difference {
  readonly group: GroupKind;
  readonly detail: string;
}

function differences(runs: ComparedRuns): Difference[] {
  const { before, after } = runs;
  const { execution } = after;
  const result =
    before.returnValueXdr === execution.returnValueXdr
      ? []
      : [
          {
            group: "other-result" as const,
            detail: `Returned ${returned(before)} before, ${returned(execution)} with the new code.`,
          },
        ];
  const state = stateDifferences(runs);
  const isSameEvents = before.eventsXdr.join() === execution.eventsXdr.join();
  const events = isSameEvents
    ? []
    : [
        {
          group: "other-events" as const,
          detail: `Events: ${before.eventsXdr.length} before, ${execution.eventsXdr.length} with the new code${before.eventsXdr.length === execution.eventsXdr.length ? ", with other content" : ""}.`,
        },
      ];
  return [...result, ...state, ...events];
}

function stateDifferences({
  before,
  after,
  replaced,
  lookup,
  beforehand = new Map(),
}: ComparedRuns): Difference[] {
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
  if (key === undefined) return [];
  const show = (changes: ReadonlyMap<string, WrittenChange>) => {
    const change = changes.get(key);
    if (change === undefined) return "not changed";
    return change.entryXdr === null ? change.kind : describeEntry(change.entryXdr);
  };
  const [earlier, other] = apart(show(was), show(is));
  const others = keys.length === 1 ? "" : ` (and ${keys.length - 1} more)`;
  const name = describeTypedKey(key, lookup);
  const detail = `${name}: ${earlier} before, ${other} with the new code${others}.`;
  return [{ group: "other-state", detail }];
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

function returned({ returnValueXdr }: Execution): string {
  return returnValueXdr === null ? "nothing" : shortened(showValue(returnValueXdr), SHOWN);
}

function errorOf({ outcome, hostError }: Execution): string {
  if (outcome.kind === "success") return "success";
  if (outcome.kind === "internal_error")
    return `an internal error (${neutralise(outcome.message)})`;
  if (hostError === null) return outcome.code;
  return `Error(${hostError.type}, ${hostError.contractCode ?? hostError.code})`;
}
