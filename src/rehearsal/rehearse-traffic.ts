// Rehearses builds on the traffic of their contracts: each call is replayed as it happened, and run
// again with the new code. Only calls whose replay is the chain's are judged; the others are
// counted with the reason.

import { SvcError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import type { Judged } from "../debugger/run/proof-context.ts";
import type { Engines } from "../debugger/run/replay.ts";
import { rehearseBuild } from "../debugger/what-if/rehearse-build.ts";
import type { FixContext } from "../fix/fix-context.ts";
import type { ChainRecord } from "../model/chain-record.ts";
import type { CallNode, Execution } from "../model/execution.ts";
import { NO_OVERRIDES, type OverriddenWasm } from "../model/overrides.ts";
import { readContractSpec } from "../xdr/contract/contract-spec.ts";
import { contractLookup, wasmByHash } from "../xdr/contract/contract-specs.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import { openRecord } from "../xdr/envelope/opened-record.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
import { compareRuns, type ReplacedCode } from "./compare-runs.ts";
import { interfaceDifference, protocolOf } from "./interface-difference.ts";
import type {
  CostName,
  CostPair,
  ReachedFunction,
  RehearsedCall,
  RehearsedContract,
  UpgradeRehearsal,
} from "./rehearsal.ts";

/** The new code by contract (strkey). */
export type NewBuilds = ReadonlyMap<string, OverriddenWasm>;

export interface TrafficFilter {
  /** Only calls that reach this function; null for all. */
  readonly function: string | null;
  /** Only one call of each path: what it reaches, how it ends, and the branches that it takes. */
  readonly everyPath: boolean;
  /** Only the latest ones of this number of calls; null for all. */
  readonly last: number | null;
}

/** A transaction that was replayed. `replayed` is null if its replay is not the chain's. */
export interface ReplayedCall {
  readonly record: ChainRecord;
  readonly envelope: Envelope;
  readonly replayed: Judged | null;
  /** The reason why it is not judged, if it is not. */
  readonly reason: string | null;
  readonly findEntries: FixContext["findEntries"];
}

/** A failure of one run. Other errors of svc-sim end the rehearsal. */
const OF_ONE_RUN: ReadonlySet<string> = new Set([
  "SIMULATOR_FAILED",
  "SIMULATOR_DIED",
  "SIMULATOR_TIMEOUT",
  "SIMULATOR_INVALID_JSON",
]);

export class Rehearser {
  /** By hash, because a period of an archive can be replayed several times. */
  private readonly calls = new Map<string, RehearsedCall>();
  private readonly reasons = new Map<string, string>();
  private readonly old = new Map<
    string,
    { readonly hash: string; readonly wasm: Uint8Array | null }
  >();
  /** The inputs of the first call of each group that is not the same. */
  readonly examples = new Map<
    string,
    { readonly record: ChainRecord; readonly snapshot: Judged["snapshot"] }
  >();
  /** The hash of the call that is rehearsed, by path. */
  private readonly paths = new Map<string, string>();
  private readonly repeated = new Set<string>();
  private raisedProtocol: number | null = null;
  private readonly keys: ReadonlySet<string>;

  constructor(
    private readonly engines: Engines,
    private readonly builds: NewBuilds,
    private readonly filter: TrafficFilter,
  ) {
    this.keys = new Set([...builds.keys()].flatMap((each) => instanceKeyOfContract(each) ?? []));
  }

  /** Says whether the transaction may call one of the contracts, directly or in another call. */
  concerns({ soroban }: Envelope): boolean {
    const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
    return [...readOnly, ...readWrite].some((key) => this.keys.has(key));
  }

  get count(): number {
    return this.judgedOrRepeated + this.reasons.size;
  }

  /** The number of calls that were judged, or are on the path of one that was. */
  get judgedOrRepeated(): number {
    return this.calls.size + this.repeated.size;
  }

  /** Counts a transaction that is not judged. */
  leaveOut(hash: string, reason: string): void {
    this.calls.delete(hash);
    this.reasons.set(hash, reason);
  }

  /** Throws the errors of the simulator that are not about one run. */
  async rehearse(call: ReplayedCall, options: { readonly signal: AbortSignal }): Promise<void> {
    const { record, envelope, replayed, reason } = call;
    const { hash } = record;
    if (replayed === null || reason !== null)
      return this.leaveOut(hash, reason ?? "the replay is not the chain's");
    const entriesXdr = replayed.snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []);
    const lookup = contractLookup(entriesXdr);
    const replaced = this.replacedIn(entriesXdr, lookup);
    if (replaced.length === 0)
      return this.leaveOut(hash, "the transaction does not run the contract's code");
    const reached = reachedIn(replayed.execution.callTree, this.builds);
    const { function: wantedFunction } = this.filter;
    if (!reached.some(({ function: name }) => (wantedFunction ?? name) === name))
      return this.leaveOut(
        hash,
        wantedFunction === null
          ? "the transaction does not call the contract"
          : "the transaction does not call the function",
      );
    if (this.filter.everyPath && !(await this.isNewPath(hash, replayed, reached, options))) {
      this.reasons.delete(hash);
      this.repeated.add(hash);
      return;
    }
    const names = new Set(replaced.map(({ contract }) => contract));
    const wasm = new Map([...this.builds].filter(([contract]) => names.has(contract)));
    const invoked = envelope.hostFunction?.kind === "invoke" ? envelope.hostFunction : null;
    const named = {
      hash,
      ledger: record.ledger.sequence,
      applicationOrder: record.applicationOrder,
      contract: invoked?.contract ?? null,
      function: invoked && neutralise(invoked.function),
      reached,
      unconfirmed: isUnconfirmed(replayed.verdict),
    };
    const replayable = { ...replayed, ...openRecord(record, envelope) };
    const ledger = this.ledgerFor(record, wasm);
    this.reasons.delete(hash);
    try {
      const overrides = { ...NO_OVERRIDES, wasm, ledger };
      const after = await rehearseBuild(
        this.engines,
        replayable,
        overrides,
        call.findEntries,
        options,
      );
      const comparison = compareRuns({
        before: replayed.execution,
        after,
        replaced,
        lookup,
        function: invoked?.function ?? null,
      });
      const { redeclared, signers } = after;
      const costs = costsOf(replayed.execution, after.execution);
      this.calls.set(hash, { ...named, ...comparison, redeclared, signers, costs });
      if (comparison.group !== "same" && !this.examples.has(comparison.group))
        this.examples.set(comparison.group, { record, snapshot: replayed.snapshot });
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      const isOfOne = OF_ONE_RUN.has(error.code) || error.code === "OVERRIDE_IMPOSSIBLE";
      if (!isOfOne || options.signal.aborted) throw error;
      const outcome = { group: "no-result" as const, detail: error.message };
      this.calls.set(hash, { ...named, ...outcome, redeclared: [], signers: [], costs: null });
    }
  }

  /** Says whether no other call took the path. A path that cannot be known is new. */
  private async isNewPath(
    hash: string,
    { request, execution }: Judged,
    reached: readonly ReachedFunction[],
    { signal }: { readonly signal: AbortSignal },
  ): Promise<boolean> {
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
    if (taken === undefined || taken.some((each) => each.taken === null)) return true;
    const branches = new Set(taken.map((each) => JSON.stringify(each)));
    const { outcome, hostError } = execution;
    const path = JSON.stringify([reached, outcome, hostError, [...branches].sort()]);
    const known = this.paths.get(path) ?? hash;
    this.paths.set(path, known);
    return known === hash;
  }

  /** A build for a later protocol runs under it. */
  private ledgerFor({ ledger }: ChainRecord, wasm: NewBuilds) {
    const needed = [...wasm.values()].map(({ bytes }) => protocolOf(bytes) ?? 0);
    const protocolVersion = Math.max(0, ...needed);
    if (protocolVersion <= ledger.protocolVersion) return {};
    this.raisedProtocol = Math.max(this.raisedProtocol ?? 0, protocolVersion);
    return { protocolVersion };
  }

  private replacedIn(
    entriesXdr: readonly string[],
    lookup: ReturnType<typeof contractLookup>,
  ): ReplacedCode[] {
    const codes = wasmByHash(entriesXdr);
    return [...this.builds].flatMap(([contract, { bytes }]) => {
      const oldHash = lookup(contract)?.wasmHash ?? null;
      if (oldHash === null) return [];
      const wasm = codes.get(oldHash) ?? null;
      if (wasm !== null || !this.old.has(contract)) this.old.set(contract, { hash: oldHash, wasm });
      const spec = readContractSpec(bytes);
      return [{ contract, oldHash, newHash: sha256(bytes).toHex(), spec }];
    });
  }

  finish(): Omit<UpgradeRehearsal, "files" | "searched"> {
    const contracts = [...this.builds].map(([contract, { file, bytes }]): RehearsedContract => {
      const old = this.old.get(contract) ?? null;
      const wasm = old?.wasm ?? null;
      return {
        contract,
        file,
        newHash: sha256(bytes).toHex(),
        newBytes: bytes.length,
        oldHash: old?.hash ?? null,
        oldBytes: wasm?.length ?? null,
        differences: wasm === null ? null : interfaceDifference(wasm, bytes),
      };
    });
    const notJudged: Record<string, number> = {};
    for (const reason of this.reasons.values()) notJudged[reason] = (notJudged[reason] ?? 0) + 1;
    const all = [...this.calls.values()].sort(inOrder);
    const { last, everyPath } = this.filter;
    return {
      format: 1,
      contracts,
      calls: last === null ? all : all.slice(-last),
      notJudged,
      repeated: everyPath ? this.repeated.size : null,
      raisedProtocol: this.raisedProtocol,
    };
  }
}

function inOrder(left: RehearsedCall, right: RehearsedCall): number {
  const order = (call: RehearsedCall) => call.applicationOrder ?? 0;
  return left.ledger - right.ledger || order(left) - order(right);
}

/** The functions of the contracts that a run called, once each. */
function reachedIn(tree: Execution["callTree"], builds: NewBuilds): ReachedFunction[] {
  const functions = new Map<string, ReachedFunction>();
  const note = ({ contract, function: name, calls }: CallNode, nested: boolean) => {
    if (contract !== null && name !== null && builds.has(contract)) {
      const reached = { contract, function: neutralise(name), nested };
      functions.set(JSON.stringify(reached), reached);
    }
    for (const call of calls) note(call, nested || contract !== null);
  };
  if (tree !== null) note(tree, false);
  return [...functions.values()];
}

function isUnconfirmed({ unconfirmed }: Judged["verdict"]): boolean {
  const { record, entries, settings } = unconfirmed;
  return record.length + entries + settings > 0;
}

const METRICS: readonly (readonly [CostName, string])[] = [
  ["instructions", "cpu_insn"],
  ["memoryBytes", "mem_byte"],
  ["readBytes", "ledger_read_byte"],
  ["writeBytes", "ledger_write_byte"],
];

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
