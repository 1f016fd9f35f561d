// The work of svc, wired once for the command line, editors, agents and the daemon. Each tool loads
// what it needs when it is used. A program that offers a tool wraps it with its own limits, or lets
// several callers share one run.

import { plainStep, type StepRunner } from "../base/step.ts";
import { counted } from "../base/text/counted.ts";
import type { Engines } from "../debugger/run/replay.ts";
import type { OpenEngines } from "../debugger/setup/open-engines.ts";
import type { Prove } from "../debugger/setup/open-proofs.ts";
import type { SimulationReportOptions } from "../debugger/simulate/report-simulation.ts";
import type { SimulationParameters } from "../debugger/simulate/simulate-transaction.ts";
import type { Builds } from "../debugger/travel/record-transaction.ts";
import type { CaptureDependencies, Captured } from "../debugger/walk/capture-transaction.ts";
import type { DebugOptions } from "../debugger/walk/replay-captured.ts";
import type { Investigation } from "../model/investigation.ts";
import type { ExplainedText } from "../model/node-answer.ts";
import type { SimulationReport } from "../model/simulation.ts";
import type { Verification } from "../model/verification.ts";
import type { RunOptions } from "../simulator/simulator.ts";
import type { Recording } from "../time-travel/recording.ts";
import type { VerifyProgress } from "../verify/tally-ledgers.ts";
import type { Range } from "../verify/verify-ledgers.ts";
import type { ShownContract } from "./shown-contract.ts";
import type { TextToExplain } from "./text-to-explain.ts";

/**
 * The number of transactions that are listed: a reader of the document does not need all of them.
 */
const LISTED = 200;

/** The caller of one run: its client, abort signal and progress. */
export interface Run extends RunOptions {
  readonly progress: (text: string) => void;
  /** The traceparent of the request. */
  readonly traceparent?: string | undefined;
  /** The address at which the request found the daemon, such as `http://localhost:8000`. */
  readonly origin?: string | undefined;
  readonly step?: StepRunner;
}

/**
 * A transaction of the network, or one that was captured before, whose proof is checked here. With
 * `prove`, a history archive is asked for its state.
 */
export type Subject = (
  | { readonly hash: string }
  | {
      readonly captured: (run: Run) => Captured | Promise<Captured>;
      /** Sources that know more of the state, such as those of a fork. */
      readonly nodes?: () => CaptureDependencies;
    }
) & { readonly prove?: Prove | null };

/** With `overrides`, the transaction runs again with these changes. */
export type WantedDebug = Omit<DebugOptions, "signal">;

/** A call by name. The arguments are JSON, by name or in order. */
export interface ContractCallByName {
  readonly contract: string;
  readonly function: string;
  readonly arguments: unknown;
  /** The account that calls (G…); null for the one whose authorization is needed. */
  readonly account: string | null;
  /** Null for the latest. */
  readonly ledger: number | null;
}

/** The tools. All of them throw a SvcError if there is no answer. */
export interface Tools {
  readonly debug: (subject: Subject, options: WantedDebug, run: Run) => Promise<Investigation>;
  readonly capture: (hash: string, run: Run, prove?: Prove | null) => Promise<Captured>;
  /** Records a run for stepping, with builds of its contracts. */
  readonly record: (subject: Subject, builds: Builds, run: Run) => Promise<Recording>;
  /** Simulates an envelope. `name` is that of the envelope, for errors. */
  readonly simulate: (
    parameters: SimulationParameters,
    run: Run & Pick<SimulationReportOptions, "hostCalls"> & { readonly name?: string },
  ) => Promise<SimulationReport>;
  readonly verify: (range: Range, run: Run) => Promise<Verification>;
  /** Calls a contract on a fork of the network's state; absent if this svc has no forks. */
  readonly call?: (request: ContractCallByName, run: Run) => Promise<Investigation>;
  /**
   * Reads what the network's latest ledger has of a contract, by its address; absent if this svc
   * has no forks.
   */
  readonly describe?: (contract: string, run: Run) => Promise<ShownContract>;
  /**
   * Explains a text. `contract` is the contract on the network whose errors it contains; `code` is
   * used instead of its code.
   */
  readonly explain: (
    request: Omit<TextToExplain, "contract"> & {
      readonly contract?: string | null;
      readonly code?: { readonly file: string; readonly bytes: Uint8Array } | null;
    },
    run: Pick<Run, "signal">,
  ) => Promise<ExplainedText>;
}

/** Opens the tools. `always` has options for every call of `debug`. */
export function openTools(engines: OpenEngines, always: WantedDebug = {}): Tools {
  const nodesFor = async (prove: Prove | null) => {
    const { forOneRun } = await import("../sources/one-run.ts");
    const nodes = await engines.nodes();
    const sources = forOneRun(nodes.sources);
    const once = { ...nodes, sources, ledgers: nodes.ledgers.through(sources) };
    return prove === null ? once : engines.proofs.beside(once, prove);
  };
  const capture: Tools["capture"] = async (hash, run, prove = null) => {
    const { captureTransaction } = await import("../debugger/walk/capture-transaction.ts");
    return captureTransaction({ ...(await nodesFor(prove)), ...toldBy(engines, run) }, hash, run);
  };
  return {
    async debug({ prove = null, ...subject }, request, run) {
      const lent = lentTo(engines, run);
      const options = { signal: run.signal, locate: { wasm: null }, ...always, ...request };
      if ("hash" in subject) {
        const { debugTransaction } = await import("../debugger/walk/debug-transaction.ts");
        return debugTransaction({ ...(await nodesFor(prove)), ...lent }, subject.hash, options);
      }
      const { replayCaptured } = await import("../debugger/walk/replay-captured.ts");
      const captured = await subject.captured(run);
      const checked = await engines.proofs.checked(captured, prove, run);
      return replayCaptured({ ...subject.nodes?.(), ...lent }, checked, options);
    },
    capture,
    async record({ prove = null, ...subject }, builds, run) {
      const { recordTransaction } = await import("../debugger/travel/record-transaction.ts");
      const { openTravelSimulator } = await import("../simulator/open-processes.ts");
      const openTravel = (choice: { readonly isRepeated: boolean }) =>
        openTravelSimulator({ ...engines.program, ...choice });
      const lent = lentTo(engines, run);
      const captured =
        "hash" in subject
          ? await capture(subject.hash, run, prove)
          : await engines.proofs.checked(await subject.captured(run), prove, run);
      return recordTransaction(lent, captured, { signal: run.signal, builds, openTravel });
    },
    async simulate(parameters, { name = "The envelope", ...run }) {
      const { reportSimulation } = await import("../debugger/simulate/report-simulation.ts");
      return reportSimulation(await engines.simulation(), parameters, { ...run, name });
    },
    async verify(range, run) {
      const { verifyRange } = await import("../verify/verify-ledgers.ts");
      const { program, jobs } = engines;
      const progress = ({ ledgers, transactions }: VerifyProgress) =>
        run.progress(
          `${counted(transactions, "transaction")} of ${counted(ledgers, "ledger")} replayed`,
        );
      const listed = { keepNotExact: LISTED, rehearseProtocol: null, progress };
      const settings = { ...(await engines.nodes()), program, jobs, ...listed };
      return verifyRange(settings, range, run);
    },
    async explain({ contract = null, code = null, ...textRequest }, run) {
      const { explainText } = await import("./explain-text.ts");
      const { withXdrOfJson } = await import("./xdr-of-json.ts");
      const request = { ...textRequest, text: await withXdrOfJson(textRequest.text) };
      const { contractOfNodes, contractOfWasm } = await import("./known-contract.ts");
      if (code !== null)
        return explainText({ ...request, contract: contractOfWasm(code.bytes, code.file) });
      if (contract === null) return explainText(request);
      const { sources } = await engines.nodes();
      return explainText({ ...request, contract: await contractOfNodes(sources, contract, run) });
    },
  };
}

function toldBy({ step }: Engines, run: Run) {
  return { progress: run.progress, step: run.step ?? step ?? plainStep };
}

/** The simulators, with the runs counted for this client. */
function lentTo(engines: Engines, run: Run) {
  const { simulator, recorder = null } = engines;
  const { client } = run;
  return {
    ...toldBy(engines, run),
    simulator: {
      ...simulator,
      replay: (request, options) => simulator.replay(request, { ...options, client }),
    },
    recorder: recorder && {
      ...recorder,
      record: (request, options) => recorder.record(request, { ...options, client }),
    },
  } satisfies Engines & { readonly progress: Run["progress"] };
}
