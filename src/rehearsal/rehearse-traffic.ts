// Rehearses builds on the traffic of their contracts: each call is replayed as it happened, and run
// again with the new code, on the state that it met or in order on one changed state. Only calls
// whose replay is the chain's are judged; the others are counted with the reason.

import { SvcError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import type { Judged } from "../debugger/run/proof-context.ts";
import { OF_ONE_RUN } from "../debugger/run/rehearse.ts";
import type { Engines } from "../debugger/run/replay.ts";
import { findWhy as findValue } from "../debugger/walk/further-runs.ts";
import { type BeforehandFailure, callBeforehand } from "../debugger/what-if/call-beforehand.ts";
import { rehearseBuild } from "../debugger/what-if/rehearse-build.ts";
import type { WhatIfDependencies } from "../debugger/what-if/what-if.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { CallNode, Execution } from "../model/execution.ts";
import { NO_OVERRIDES } from "../model/overrides.ts";
import type { KeyedEntry, Snapshot } from "../model/snapshot.ts";
import type { Unconfirmed } from "../model/verdict.ts";
import type { CodeByInstance, EngineObserve, RanAgain } from "../simulator/engine-messages.ts";
import type { RecordingSimulator } from "../simulator/recording-simulator.ts";
import type { ComparedByEngine } from "../verify/observation.ts";
import { lookupIn } from "../xdr/contract/lookup-in.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { openRecord } from "../xdr/envelope/opened-record.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
import type { CallDifference, NotJudgedReason } from "./call-difference.ts";
import { CallList } from "./call-list.ts";
import { CallPaths } from "./call-paths.ts";
import { CallSequence, type JudgedRun } from "./call-sequence.ts";
import { ChangedState } from "./changed-state.ts";
import { codeForEngine } from "./code-for-engine.ts";
import { compareRuns } from "./compare-runs.ts";
import { FailureReasons } from "./failure-reasons.ts";
import type { FirstCall } from "./first-call.ts";
import { KnownContracts, type SeenInPiece } from "./known-contracts.ts";
import type { NewBuild, NewBuilds } from "./new-builds.ts";
import { AT_ONCE, ReadingOrder, type Turn } from "./reading-order.ts";
import {
  COSTS,
  type CostName,
  type CostPair,
  type FirstUnread,
  type GroupKind,
  type ReachedFunction,
  type RehearsedCall,
  type UpgradeRehearsal,
} from "./rehearsal.ts";
import { type JudgedCall, keptForSequence, type ReplayedCall, slimCall } from "./replayed-call.ts";

export interface RehearsalChoice {
  /** Only calls that reach this function; null for all. */
  readonly function: string | null;
  /** Only one call of each path: what it reaches, how it ends, and the branches that it takes. */
  readonly everyPath: boolean;
  /** Only the latest ones of this number of calls; null for all. */
  readonly last: number | null;
  /** A call that is made on each state first; null for none. */
  readonly first: FirstCall | null;
  /** The calls run in order on one state, which they change. */
  readonly inSequence: boolean;
}

export interface RehearsalEngines extends Engines {
  /** Null without svc-sim-recording, which makes the first call. */
  readonly recorder: RecordingSimulator | null;
}

/** The calls that are not judged for one reason. */
export interface NotJudgedCalls {
  readonly reason: NotJudgedReason;
  readonly hashes: readonly string[];
}

/** The facts of one piece of a rehearsal that only the merge of all pieces needs. */
export interface PieceFacts {
  readonly seen: SeenInPiece;
  readonly notJudged: readonly NotJudgedCalls[];
}

/** More transactions than any ledger has. */
const MOST_IN_LEDGER = 2 ** 20;

interface Signalled {
  readonly signal: AbortSignal;
}

interface Reading extends Signalled {
  /** The period of an archive whose calls are read again if their states change (default: none). */
  readonly period?: number;
}

interface CallWithState {
  readonly record: ChainRecord;
  readonly snapshot: Snapshot;
}

export class Rehearser {
  /** By hash, because a period of an archive can be replayed several times. */
  private readonly calls = new CallList();
  private readonly reasons = new Map<string, NotJudgedReason>();
  private readonly reasonsOfFailure = new FailureReasons();
  private readonly contracts: KnownContracts;
  /** The inputs of the first call that was put into each group that is not the same. */
  private readonly offered = new Map<GroupKind, CallWithState>();
  private readonly paths = new CallPaths();
  private readonly readingOrder = new ReadingOrder();
  private readonly repeated = new Set<string>();
  private raisedProtocol: number | null = null;
  private laterProtocol: FirstUnread | null = null;
  private readonly keys: ReadonlySet<string>;
  /** The calls that run in order. Those whose place is not known yet wait. */
  private readonly sequence = new CallSequence({
    makeFirst: (call, state, options) => this.makeFirst(call, state, options),
    judge: async (call, before, options) => {
      return this.judge(call, before, options);
    },
  });
  private readonly waiting = new Map<string, JudgedCall>();
  private readonly texts = new Map<string, string>();
  /** The keys that the calls in order may change. */
  private readonly changedKeys = new Set<string>();

  constructor(
    private readonly engines: RehearsalEngines,
    private readonly builds: NewBuilds,
    private readonly choice: RehearsalChoice,
  ) {
    this.keys = new Set([...builds.keys()].flatMap((each) => instanceKeyOfContract(each) ?? []));
    this.contracts = new KnownContracts(builds);
  }

  /**
   * Says whether the transaction may call one of the contracts, directly or in another call. In
   * order on one state, also whether it may use what such a transaction changes.
   */
  concerns({ soroban }: Envelope): boolean {
    const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
    const keys = [...readOnly, ...readWrite];
    const isOwn = keys.some((key) => this.keys.has(key));
    if (!this.choice.inSequence) return isOwn;
    const uses = isOwn || keys.some((key) => this.changedKeys.has(key));
    if (uses) for (const key of readWrite) this.changedKeys.add(key);
    return uses;
  }

  /** The inputs of the first call of each group, unless it was replayed again for another group. */
  get examples(): ReadonlyMap<GroupKind, CallWithState> {
    const offered = [...this.offered];
    return new Map(
      offered.filter(([group, { record }]) => this.calls.groupOf(record.hash) === group),
    );
  }

  get count(): number {
    return this.judgedOrRepeated + this.reasons.size;
  }

  /** The number of calls that were judged, or are on the path of one that was. */
  get judgedOrRepeated(): number {
    const own = [...this.waiting.values()].filter(({ reached }) => reached.length > 0);
    return this.calls.size + this.repeated.size + own.length;
  }

  /** True if the call was judged, or is on the path of one that was, or waits for its turn. */
  isJudged(hash: string): boolean {
    return this.calls.has(hash) || this.repeated.has(hash) || this.waiting.has(hash);
  }

  /** Counts a transaction that is not judged. */
  leaveOut(hash: string, reason: NotJudgedReason): void {
    this.calls.delete(hash);
    this.waiting.delete(hash);
    this.paths.leave(hash);
    this.repeated.delete(hash);
    this.reasons.set(hash, reason);
  }

  /**
   * True if the call, which is replayed as before, must be rehearsed: it takes the path of another
   * call that takes another path now.
   */
  isNeededAgain(hash: string): boolean {
    return this.paths.isNeeded(hash);
  }

  /** The turn of the next call that is read. Nothing waits for it unless paths are compared. */
  nextTurn(): Turn {
    return this.choice.everyPath ? this.readingOrder.take() : AT_ONCE;
  }

  /**
   * `turn` is that of a call beside which others are rehearsed. Throws the errors of the simulator
   * that are not about one run.
   */
  async rehearse(call: ReplayedCall, options: Reading, turn = AT_ONCE): Promise<void> {
    await this.rehearseInTurn(call, options, turn);
    turn.end();
  }

  private async rehearseInTurn(call: ReplayedCall, options: Reading, turn: Turn): Promise<void> {
    const { record, replayed, reason } = call;
    const { hash } = record;
    if (replayed === null || reason !== null) {
      this.leaveOut(hash, reason ?? { kind: "other-result" });
      return this.sequence.take(hash, null, options);
    }
    const { entries } = replayed.snapshot;
    const replaced = this.contracts.replacedIn(entries, lookupIn(entries));
    this.note(placeOf(record), entries);
    const reached = reachedIn(replayed.execution.callTree, this.builds);
    const { inSequence, everyPath } = this.choice;
    if (!inSequence && !this.isWanted(reached)) return this.leaveOutUnwanted(hash);
    if (lacksCode(reached, replaced)) {
      this.leaveOut(hash, { kind: "no-code" });
      return this.sequence.take(hash, null, options);
    }
    this.reasons.delete(hash);
    const judged = { ...call, replayed, reached, replaced };
    if (inSequence) {
      if (this.sequence.isAnnounced(hash))
        return this.sequence.take(hash, slimCall(judged), options);
      this.waiting.set(hash, keptForSequence(judged, this.texts));
      return;
    }
    if (everyPath) {
      const path = await this.pathOf(replayed, reached, options);
      await turn.comes;
      const isNew = this.isNewPath(path, record, options);
      turn.end();
      this.repeated.delete(hash);
      if (!isNew) {
        this.calls.delete(hash);
        this.repeated.add(hash);
        return;
      }
    }
    const state = new ChangedState();
    const failure = await this.makeFirst(judged, state, options);
    await this.judge(judged, { state, failure }, options);
  }

  /** True if a run with the new code, and nothing else, answers for a call. */
  private get isForEngine(): boolean {
    const { everyPath, first, inSequence } = this.choice;
    return !everyPath && !inSequence && first === null;
  }

  /** The transactions that `concerns` names; `only`: those with these hashes. */
  transactions(only: ReadonlySet<string> | null): EngineObserve {
    const { inSequence: grows } = this.choice;
    const hashes = only && [...only];
    const keys = [...this.keys, ...this.changedKeys];
    return { keys, grows, only: hashes, again: this.isForEngine };
  }

  /**
   * The new code with which the ledger engine runs a call by itself. Null if svc needs the
   * execution.
   */
  async codeFor(
    { record, snapshot }: CallWithState,
    envelope: Envelope,
    options: Signalled,
  ): Promise<CodeByInstance | null> {
    if (!this.isForEngine) return null;
    const { entries } = snapshot;
    const replaced = this.contracts.replacedIn(entries, lookupIn(entries));
    const { protocolVersion } = record.ledger;
    const open = () => ({ ...openRecord(record, envelope), snapshot });
    const call = { snapshot, protocolVersion, open };
    return codeForEngine(this.engines, this.builds, replaced, call, options);
  }

  /**
   * Takes a call whose run with the new code the ledger engine has compared with the replay, which
   * is the chain's. Returns false if svc needs the execution.
   */
  takeCompared(
    call: PlacedCall & Pick<RehearsedCall, "contract" | "function" | "files">,
    entries: readonly KeyedEntry[],
    { unconfirmed, ...ran }: ComparedByEngine,
  ): boolean {
    const { hash } = call;
    const reached = listed(ran.reached, this.builds);
    const isWanted = this.isWanted(reached);
    const isWithoutCode =
      isWanted && lacksCode(reached, this.contracts.replacedIn(entries, lookupIn(entries)));
    if (isWanted && !isWithoutCode && !ran.same) return false;
    this.note(call, entries);
    if (!isWanted) {
      this.leaveOutUnwanted(hash);
      return true;
    }
    if (isWithoutCode) {
      this.leaveOut(hash, { kind: "no-code" });
      return true;
    }
    this.reasons.delete(hash);
    const same = { raisedProtocol: null, group: "same", differences: [] } as const;
    const costs = ran.costs && costPairs(...ran.costs);
    this.calls.set({ ...call, reached, unconfirmed, ...same, redeclared: [], signers: [], costs });
    return true;
  }

  private note(call: PlacedCall, entries: readonly KeyedEntry[]): void {
    this.contracts.note(entries, lookupIn(entries), placeIn(call));
  }

  private isWanted(reached: readonly ReachedFunction[]): boolean {
    const { function: calledFunction } = this.choice;
    return reached.some(({ function: name }) => (calledFunction ?? name) === name);
  }

  private leaveOutUnwanted(hash: string): void {
    const kind = this.choice.function === null ? "other-contract" : "other-function";
    this.leaveOut(hash, { kind });
  }

  /** Makes the first call on the state of a call. Returns its failure; null if it succeeds. */
  private async makeFirst(
    call: JudgedCall,
    state: ChangedState,
    options: Signalled,
  ): Promise<BeforehandFailure | null> {
    const { first } = this.choice;
    const { recorder } = this.engines;
    if (first === null || recorder === null) return null;
    const isThere = call.replaced.some(({ contract }) => contract === first.contract);
    if (!isThere) return null;
    const made = await callBeforehand(
      { ...this.engines, recorder },
      { ...call.replayed, ...openRecord(call.record, call.envelope) },
      { build: this.overridesFor(call), call: first },
      call.findEntries,
      options,
    );
    if (made.kind === "failed") return made.failure;
    state.noteBeforehand(made.changes, call.replayed.snapshot, call.replaced);
    return null;
  }

  private overridesFor({ record, replaced }: JudgedCall) {
    const wasm = new Map(
      replaced.flatMap(({ contract, build }) => {
        const bytes = this.builds.get(build);
        return bytes === undefined ? [] : [[contract, bytes] as const];
      }),
    );
    return { ...NO_OVERRIDES, wasm, ledger: this.ledgerFor(record, [...wasm.values()]) };
  }

  /** Runs the call with the new code on the state. */
  private async judge(
    call: JudgedCall,
    {
      state,
      failure,
    }: { readonly state: ChangedState; readonly failure: BeforehandFailure | null },
    options: Signalled,
  ): Promise<JudgedRun> {
    const { record, envelope, replayed, replaced, reached, files } = call;
    const unconfirmed = isUnconfirmed(replayed.verdict.unconfirmed);
    const overrides = this.overridesFor(call);
    const raisedProtocol = overrides.ledger.protocolVersion ?? null;
    const common = namedCall({ record, envelope, files });
    const named = { ...common, reached, unconfirmed, raisedProtocol };
    const unanswered = (group: GroupKind, difference: CallDifference): JudgedRun => {
      const nothing = { redeclared: [], signers: [], costs: null };
      this.calls.set({ ...named, ...nothing, group, differences: [difference] });
      this.offerExample(group, { record, snapshot: replayed.snapshot });
      return { execution: null, group };
    };
    if (failure !== null) return unanswered("first-fails", { kind: "first-fails", failure });
    const snapshot = state.appliedTo(replayed.snapshot);
    const replayable = { ...replayed, ...openRecord(record, envelope), snapshot };
    try {
      const findEntries = state.finder(call.findEntries);
      const { engines: own } = this;
      const findWhy: WhatIfDependencies["findWhy"] = (...failure) => findValue(own, ...failure);
      const engines = { ...own, findWhy };
      const run = () => rehearseBuild(engines, replayable, overrides, findEntries, options);
      const after = await run().catch((error) => {
        // Somebody else may have ended svc-sim. Code that ends it does so again.
        if (!(error instanceof SvcError) || error.code !== "SIMULATOR_DIED") throw error;
        return run();
      });
      const comparison = compareRuns({
        before: replayed.execution,
        after,
        replaced,
        lookup: lookupIn(replayed.snapshot.entries),
        beforehand: state.beforehand,
      });
      const { redeclared, signers } = after;
      const costs = costsOf(replayed.execution, after.execution);
      const rehearsed = { ...named, ...comparison, redeclared, signers, costs };
      this.calls.set(rehearsed);
      this.reasonsOfFailure.note(rehearsed, after.decide);
      if (comparison.group !== "same")
        this.offerExample(comparison.group, { record, snapshot: replayed.snapshot });
      return { execution: after.execution, group: comparison.group };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const isOfOne = OF_ONE_RUN.has(error.code) || error.code === "OVERRIDE_IMPOSSIBLE";
      if (!isOfOne || options.signal.aborted) throw error;
      return unanswered("no-result", { kind: "no-result", message: error.message });
    }
  }

  /** Calls are judged side by side, and the first of a group in the chain's order is its example. */
  private offerExample(group: GroupKind, call: CallWithState): void {
    const known = this.offered.get(group);
    const isOfGroup = known !== undefined && this.calls.groupOf(known.record.hash) === group;
    if (!isOfGroup || inOrder(placeOf(call.record), placeOf(known.record)) < 0)
      this.offered.set(group, call);
  }

  /** Notes where ledgers were not read, because they are of later protocols than svc knows. */
  noteLater(later: readonly FirstUnread[]): void {
    this.laterProtocol = firstLater([this.laterProtocol, ...later]);
  }

  /** Announces a call, whose place in the sequence is after those that were announced before. */
  announce(hash: string): void {
    if (this.choice.inSequence) this.sequence.announce(hash);
  }

  /** Runs the waiting calls of the ledgers before that one, of which none follows. */
  async runBefore(ledger: number, options: Signalled): Promise<void> {
    const calls = [...this.waiting.values()]
      .filter(({ record }) => record.ledger.sequence < ledger)
      .sort((left, right) => inOrder(placeOf(left.record), placeOf(right.record)));
    for (const call of calls) {
      await this.sequence.run(call, options);
      this.waiting.delete(call.record.hash);
    }
    if (this.waiting.size === 0) this.texts.clear();
  }

  /** The path that a call took; null if it cannot be known. */
  private async pathOf(
    { request, execution }: Judged,
    reached: readonly ReachedFunction[],
    { signal }: Signalled,
  ): Promise<string | null> {
    const options = { ...request.options, trace: false, branches: true };
    const recorded = await this.engines.simulator
      .replay({ ...request, options }, { signal })
      .catch((error) => {
        if (signal.aborted || !(error instanceof SvcError) || !OF_ONE_RUN.has(error.code))
          throw error;
        return null;
      });
    const taken = recorded?.branches?.filter(
      ({ contract }) => contract !== null && this.builds.has(contract),
    );
    if (taken === undefined || taken.some((each) => each.taken === null)) return null;
    const branches = new Set(taken.map((each) => JSON.stringify(each)));
    const { outcome, hostError } = execution;
    return JSON.stringify([reached, outcome, hostError, [...branches].sort()]);
  }

  /** Says whether the call stands for the path, because none that was read before took it. */
  private isNewPath(path: string | null, record: ChainRecord, { period }: Reading): boolean {
    const { hash } = record;
    if (path === null) {
      this.paths.leave(hash);
      return true;
    }
    const call = { hash, place: placeIn(placeOf(record)), period: period ?? null };
    const { isFirst, replaced } = this.paths.take(path, call);
    if (replaced !== undefined) {
      this.calls.delete(replaced);
      this.repeated.add(replaced);
    }
    return isFirst;
  }

  /** A build for a later protocol runs under it. */
  private ledgerFor({ ledger }: ChainRecord, builds: readonly NewBuild[]) {
    const neededProtocols = builds.map(({ protocol }) => protocol ?? 0);
    const protocolVersion = Math.max(0, ...neededProtocols);
    if (protocolVersion <= ledger.protocolVersion) return {};
    this.raisedProtocol = Math.max(this.raisedProtocol ?? 0, protocolVersion);
    return { protocolVersion };
  }

  /** The facts that the merge of several pieces needs and the rehearsal does not have. */
  pieceFacts(): PieceFacts {
    const byReason = this.byReason();
    const notJudged = byReason.map(({ reason, hashes }) => ({ reason, hashes }));
    return { seen: this.contracts.seen(), notJudged };
  }

  /** In one order, in whatever order the calls were replayed. */
  private byReason(): NotJudgedCalls[] {
    const groups = Map.groupBy(this.reasons, ([, reason]) => JSON.stringify(reason));
    const sorted = [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
    return sorted.flatMap(([, group]) =>
      group
        .slice(0, 1)
        .map(([, reason]) => ({ reason, hashes: group.map(([hash]) => hash).sort() })),
    );
  }

  /** Throws the errors of the simulator that are not about one run. */
  async finish(options: Signalled): Promise<Omit<UpgradeRehearsal, "searched">> {
    const { last, everyPath, first, inSequence } = this.choice;
    if (inSequence) await this.runBefore(Number.POSITIVE_INFINITY, options);
    const sequence = inSequence ? this.sequence.summary() : null;
    const calls = this.calls.inOrder(last);
    return {
      format: 1,
      contracts: this.contracts.all(),
      calls,
      reasons: await this.reasonsOfFailure.of(calls),
      notJudged: countedReasons(this.byReason()),
      repeated: everyPath ? this.repeated.size : null,
      raisedProtocol: this.raisedProtocol,
      laterProtocol: this.laterProtocol,
      first: first?.text ?? null,
      sequence,
    };
  }
}

/** The one with the lowest ledger; null if there is none. */
export function firstLater(all: readonly (FirstUnread | null)[]): FirstUnread | null {
  const [first] = all
    .flatMap((each) => each ?? [])
    .sort(
      (left, right) => left.ledger - right.ledger || left.protocolVersion - right.protocolVersion,
    );
  if (first === undefined) return null;
  const { ledger, protocolVersion } = first;
  return { ledger, protocolVersion };
}

/** The most frequent reason first, in whatever order the calls were replayed. */
export function countedReasons(reasons: readonly NotJudgedCalls[]): UpgradeRehearsal["notJudged"] {
  const counts = reasons.map(({ reason, hashes }) => ({ ...reason, calls: hashes.length }));
  const textOf = (each: NotJudgedReason) => JSON.stringify(each);
  return counts.sort(
    (left, right) => right.calls - left.calls || (textOf(left) < textOf(right) ? -1 : 1),
  );
}

function placeOf({ hash, ledger, applicationOrder }: ChainRecord) {
  return { hash, ledger: ledger.sequence, applicationOrder };
}

function placeIn({ ledger, applicationOrder }: PlacedCall): number {
  return ledger * MOST_IN_LEDGER + (applicationOrder ?? 0);
}

type PlacedCall = Pick<RehearsedCall, "hash" | "ledger" | "applicationOrder">;

function inOrder(left: PlacedCall, right: PlacedCall): number {
  const order = (call: PlacedCall) => call.applicationOrder ?? 0;
  const byPlace = left.ledger - right.ledger || order(left) - order(right);
  return byPlace || (left.hash < right.hash ? -1 : 1);
}

/** The functions of the contracts that a run called, once each. */
function reachedIn(tree: Execution["callTree"], builds: NewBuilds): ReachedFunction[] {
  const functions: ReachedFunction[] = [];
  const note = ({ contract, function: name, calls }: CallNode, nested: boolean) => {
    if (contract !== null && name !== null) functions.push({ contract, function: name, nested });
    for (const call of calls) note(call, nested || contract !== null);
  };
  if (tree !== null) note(tree, false);
  return listed(functions, builds);
}

/** True if the new code of a contract cannot have run, because nothing was there to replace. */
function lacksCode(reached: readonly ReachedFunction[], replaced: JudgedCall["replaced"]): boolean {
  return reached.some((each) => replaced.every(({ contract }) => contract !== each.contract));
}

function listed(functions: RanAgain["reached"], builds: NewBuilds): ReachedFunction[] {
  const ofBuilds = functions.filter(({ contract }) => builds.has(contract));
  const named = ofBuilds.map((each) => ({ ...each, function: neutralise(each.function) }));
  return [...new Map(named.map((each) => [JSON.stringify(each), each])).values()];
}

/** The facts of a call that do not depend on the new code. */
export function namedCall({
  record,
  envelope,
  files,
}: Pick<ReplayedCall, "record" | "envelope" | "files">) {
  const invoked = envelope.hostFunction?.kind === "invoke" ? envelope.hostFunction : null;
  return { ...placeOf(record), ...invokedBy(invoked), files };
}

/** The contract and the function that a transaction calls. */
export function invokedBy(
  invoked: { readonly contract: string; readonly function: string } | null,
): Pick<RehearsedCall, "contract" | "function"> {
  return { contract: invoked?.contract ?? null, function: invoked && neutralise(invoked.function) };
}

function isUnconfirmed({ record, entries, settings }: Unconfirmed): boolean {
  return record.length + entries + settings > 0;
}

const METRICS: readonly (readonly [CostName, string])[] = [
  ["instructions", "cpu_insn"],
  ["memoryBytes", "mem_byte"],
  ["readBytes", "ledger_read_byte"],
  ["writeBytes", "ledger_write_byte"],
];

/** The costs in the order of `COSTS`. */
function costPairs(before: readonly string[], after: readonly string[]): RehearsedCall["costs"] {
  const pairs = (Object.keys(COSTS) as CostName[]).map((name, at): [CostName, CostPair] => [
    name,
    [Number(before[at]), Number(after[at])],
  ]);
  return Object.fromEntries(pairs) as NonNullable<RehearsedCall["costs"]>;
}

function costsOf(before: Execution, after: Execution): RehearsedCall["costs"] {
  if (before.outcome.kind !== "success" || after.outcome.kind !== "success") return null;
  const amount = ({ metrics }: Execution, name: string) =>
    Number((metrics as Readonly<Record<string, string>>)[name] ?? 0);
  const fee = ({ fees }: Execution) =>
    Number(fees.nonRefundableStroops) + Number(fees.refundableConsumedStroops);
  const pairs = METRICS.map(([name, metric]): [CostName, CostPair] => [
    name,
    [amount(before, metric), amount(after, metric)],
  ]);
  const all = [...pairs, ["feeStroops", [fee(before), fee(after)]] as const];
  return Object.fromEntries(all) as NonNullable<RehearsedCall["costs"]>;
}
