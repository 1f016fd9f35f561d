// One session of the Debug Adapter Protocol over a recorded transaction. Requests are answered in
// their order, except those that end or interrupt it. What is not announced is not there.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { SvcError } from "../base/errors/errors.ts";
import { messageOf } from "../base/errors/system-code.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { EXCEPTION_FILTERS, failureStop } from "../time-travel/exceptions.ts";
import type { Recording } from "../time-travel/recording.ts";
import { type Arrival, type Move, Traveller } from "../time-travel/traveller.ts";
import { type Arguments, type Command, readArguments } from "./arguments.ts";
import { BreakpointStore, Goto } from "./breakpoint-store.ts";
import type { Incoming } from "./framing.ts";
import { type LaunchSettings, readLaunchSettings } from "./launch-settings.ts";
import { Sources } from "./sources.ts";
import { View } from "./view.ts";
import { Words } from "./words.ts";

export interface AdapterDependencies {
  readonly send: (message: object) => void;
  /** Replays and records; throws a SvcError. */
  readonly open: (
    launch: LaunchSettings,
    options: { readonly signal: AbortSignal; readonly progress: (text: string) => void },
  ) => Promise<Recording>;
}

/** There is one thread: the transaction. */
const THREAD = 1;

const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsFunctionBreakpoints: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsStepBack: true,
  supportsSteppingGranularity: true,
  supportsInstructionBreakpoints: true,
  supportsDisassembleRequest: true,
  supportsReadMemoryRequest: true,
  supportsDataBreakpoints: true,
  supportsEvaluateForHovers: true,
  supportsCompletionsRequest: true,
  completionTriggerCharacters: ["."],
  supportsExceptionInfoRequest: true,
  supportsTerminateRequest: true,
  supportsGotoTargetsRequest: true,
  exceptionBreakpointFilters: Object.entries(EXCEPTION_FILTERS).map(([filter, label]) => ({
    filter,
    label,
    default: filter === "contract-error" || filter === "trap",
  })),
};

/** Editors ask these by themselves, at times too late, and show the answers in their place. */
const ASKED_BY_EDITORS: ReadonlySet<string> = new Set([
  ...["stackTrace", "scopes", "variables", "evaluate", "completions", "source"],
  ...["disassemble", "readMemory", "dataBreakpointInfo", "exceptionInfo"],
]);

/** Requests that change a program. */
const CHANGES: ReadonlySet<string> = new Set(["setVariable", "setExpression", "writeMemory"]);
const UNCHANGED =
  "What is recorded cannot be changed. " +
  "Run `svc debug` with `--override-argument NAME=VALUE` to see the transaction with another value.";

interface Session {
  readonly recording: Recording;
  readonly failure: ReturnType<typeof failureStop>;
  readonly traveller: Traveller;
  readonly breakpoints: BreakpointStore;
  readonly view: View;
  readonly goto: Goto;
  readonly words: Words;
  readonly launch: LaunchSettings;
}

/** The body of the answer, and what is done when it was sent. */
type Answer = [body?: object | undefined, after?: () => void | Promise<void>];

export class Adapter {
  private readonly ending = new AbortController();
  private session: Session | null = null;
  private sequence = 1;
  private turn: Promise<void> = Promise.resolve();
  private arrival: Arrival | null = null;
  private pausing = false;
  /** Resolves when the session is over. */
  readonly done: Promise<void>;
  private finish: () => void = () => {};

  constructor(private readonly dependencies: AdapterDependencies) {
    this.done = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  take(message: Incoming): void {
    if (message.type !== "request") return;
    if (message.command === "disconnect" || message.command === "terminate") {
      this.ending.abort();
      this.pausing = true;
    }
    if (message.command === "pause") this.pausing = true;
    this.turn = this.turn.then(() => this.answer(message));
  }

  /** The client is gone. */
  async close(): Promise<void> {
    this.ending.abort();
    this.pausing = true;
    await this.turn;
    await this.session?.recording[Symbol.asyncDispose]();
    this.session = null;
    this.finish();
  }

  private async answer(request: Incoming): Promise<void> {
    const respond = (fields: object) =>
      this.send({
        type: "response",
        request_seq: request.seq,
        command: request.command,
        ...fields,
      });
    try {
      const [body, after] = await this.handle(request);
      respond({ success: true, body });
      await after?.();
    } catch (error) {
      const message = messageOf(error);
      const remedy = error instanceof SvcError ? ` ${error.remedy}` : "";
      const code = error instanceof SvcError ? { code: error.code } : {};
      const format = neutralise(`${message}${remedy}`);
      // The format of an error has its variables in braces.
      const shown = format.replaceAll("{", "(").replaceAll("}", ")");
      const showUser = !ASKED_BY_EDITORS.has(request.command);
      const body = { error: { id: 1, format: shown, showUser, variables: code } };
      respond({ success: false, message: format, body });
    }
  }

  private async handle({ command, arguments: given }: Incoming): Promise<Answer> {
    switch (command) {
      case "initialize":
        readArguments(command, given);
        return [CAPABILITIES];
      case "launch":
        return this.launch(given);
      case "attach":
        throw new Error("A transaction is launched by its hash or capsule, not attached to.");
      case "disconnect":
      case "terminate":
        return [undefined, () => this.end(command)];
      case "configurationDone": {
        const session = this.current();
        return [undefined, () => this.begin(session)];
      }
      case "threads": {
        const name = this.session === null ? "transaction" : title(this.session.recording);
        return [{ threads: [{ id: THREAD, name }] }];
      }
      case "pause":
        return [];
      case "exceptionInfo":
        return [this.exceptionInfo()];
      case "evaluate": {
        const session = this.current();
        const asked = readArguments(command, given);
        const said = await session.words.said(asked);
        if (said === null) return [await session.view.evaluate(asked)];
        const { result, moment } = said;
        const body = { result, variablesReference: 0 };
        return moment === null ? [body] : [body, () => this.leap(session, moment)];
      }
      case "gotoMoment": {
        const session = this.current();
        const moment = session.words.momentOf(readArguments(command, given).moment);
        return [undefined, () => this.leap(session, moment)];
      }
      case "goto": {
        const session = this.current();
        const target = session.goto.target(readArguments(command, given));
        return [undefined, () => this.jump(session, target)];
      }
      case "continue":
      case "reverseContinue":
      case "next":
      case "stepBack":
      case "stepIn":
      case "stepOut": {
        const session = this.current();
        const instructions = readArguments(command, given).granularity === "instruction";
        const move = { ...MOVES[command], instructions };
        return [{ allThreadsContinued: true }, () => this.move(session, move)];
      }
    }
    if (isAnswered(command)) return [await answerOf(this.current(), command, given)];
    if (CHANGES.has(command)) throw new Error(UNCHANGED);
    throw new Error(`The request ${command} is not supported.`);
  }

  private current(): Session {
    if (this.session === null) throw new Error("No transaction was launched.");
    return this.session;
  }

  private async launch(given: unknown): Promise<Answer> {
    if (this.session !== null) throw new Error("A transaction was launched already.");
    const launch = readLaunchSettings(given);
    const progress = (text: string) => this.output("console", `${text}\n`);
    const options = { signal: this.ending.signal, progress };
    const recording = await this.dependencies.open(launch, options);
    const traveller = new Traveller(recording, (text) => this.output("console", `${text}\n`));
    const sources = new Sources(recording, launch.sourceMap ?? {});
    const breakpoints = new BreakpointStore(recording, traveller, sources);
    const view = new View(traveller, sources);
    const goto = new Goto(traveller, breakpoints);
    const words = new Words(traveller, view);
    const failure = failureStop(recording);
    this.session = { recording, failure, traveller, breakpoints, view, goto, words, launch };
    this.output("important", `${title(recording)}\n`);
    for (const remark of recording.remarks) this.output("console", `${remark}\n`);
    traveller.allCode = launch.justMyCode === false;
    return [undefined, () => this.event("initialized")];
  }

  private async begin(session: Session): Promise<void> {
    const { recording, launch } = session;
    if (launch.noDebug === true) {
      await this.tellWhy(session, "");
      return this.exited(recording);
    }
    await this.toFirstStop(session);
    // The session does not wait for it.
    void this.tellWhy(session, " (`goto why` goes there.)");
  }

  private async toFirstStop({ traveller, failure, launch }: Session): Promise<void> {
    const stopAt = stopAtOf(launch);
    if (stopAt === "breakpoint") {
      const arrival = await traveller.move(MOVES.continue, () => this.pausing);
      if (arrival.reason !== "end" || failure === null) return this.arrived(arrival);
    }
    if (failure === null || stopAt === "entry") {
      this.arrival = await traveller.toEntry();
      this.stopped("entry", "Before the first statement", this.arrival.exception?.text);
      return;
    }
    traveller.goTo(failure.moment);
    this.arrival = { reason: "exception", hits: [], exception: failure };
    this.stopped("exception", "Where the transaction failed", failure.text);
  }

  private async tellWhy(session: Session, way: string): Promise<void> {
    const decided = await session.recording.why().catch(() => null);
    if (decided === null || this.session !== session) return;
    this.output("important", `${decided.summary}${way}\n`);
  }

  private async move({ traveller, view, recording, failure }: Session, move: Move): Promise<void> {
    this.pausing = false;
    view.forget();
    const { moment: from } = traveller;
    const arrival = await traveller.move(move, () => this.pausing);
    // An end that was reached is a stop; beyond it, and beyond a failure, nothing is left to see.
    const wasOver = from >= (failure?.moment ?? traveller.last);
    if (move.mode === "continue" && arrival.reason === "end" && wasOver) this.exited(recording);
    else this.arrived(arrival);
  }

  private arrived(arrival: Arrival): void {
    this.arrival = arrival;
    const [hit] = arrival.hits;
    const ids = arrival.hits.map(({ id }) => id);
    if (arrival.reason === "exception")
      this.stopped("exception", "Paused on an error", arrival.exception?.text);
    else if (hit !== undefined) this.stopped(REASONS[hit.kind], undefined, undefined, ids);
    else if (arrival.reason === "end") this.stopped("pause", "End of the transaction");
    else if (arrival.reason === "start") this.stopped("entry", "Beginning of the transaction");
    else this.stopped(arrival.reason);
  }

  private exited({ execution: { outcome } }: Recording): void {
    this.event("exited", { exitCode: outcome.kind === "success" ? 0 : 1 });
    this.event("terminated");
  }

  /** The client does not know that its request moves the session: what it shows would stay. */
  private leap(session: Session, moment: number): Promise<void> {
    this.event("continued", { threadId: THREAD, allThreadsContinued: true });
    return this.jump(session, { moment });
  }

  private async jump(
    { traveller, view }: Session,
    { moment, source = null }: Partial<ReturnType<Goto["target"]>> & { readonly moment: number },
  ): Promise<void> {
    view.forget();
    traveller.goTo(moment);
    await traveller.standIn(source);
    this.arrival = null;
    this.stopped("goto", `Moment ${moment}`);
  }

  private exceptionInfo(): object {
    const exception = this.arrival?.exception ?? null;
    if (exception === null) throw new Error("There is no error here.");
    return {
      exceptionId: exception.filter,
      description: exception.text,
      breakMode: exception.caught ? "always" : "unhandled",
    };
  }

  private async end(command: string): Promise<void> {
    if (command === "terminate") this.event("terminated");
    await this.session?.recording[Symbol.asyncDispose]();
    this.session = null;
    if (command === "disconnect") this.finish();
  }

  private stopped(reason: string, description?: string, text?: string, ids: number[] = []): void {
    this.event("stopped", {
      reason,
      threadId: THREAD,
      allThreadsStopped: true,
      description,
      text: text && neutralise(text),
      hitBreakpointIds: ids.length > 0 ? ids : undefined,
    });
  }

  private output(category: string, text: string): void {
    this.event("output", { category, output: `${neutralise(text.trimEnd())}\n` });
  }

  private event(event: string, body?: object): void {
    this.send({ type: "event", event, body });
  }

  private send(message: object): void {
    this.dependencies.send({ seq: this.sequence++, ...message });
  }
}

/** `stopOnEntry` is the name that other debuggers have for it. */
function stopAtOf({ stopAt, stopOnEntry }: LaunchSettings) {
  const named = stopOnEntry === true ? "entry" : "breakpoint";
  return stopAt ?? (stopOnEntry === undefined ? "failure" : named);
}

const REASONS = {
  source: "breakpoint",
  function: "function breakpoint",
  instruction: "instruction breakpoint",
  data: "data breakpoint",
} as const;

const MOVES = {
  continue: { mode: "continue", backwards: false },
  reverseContinue: { mode: "continue", backwards: true },
  next: { mode: "over", backwards: false },
  stepBack: { mode: "over", backwards: true },
  stepIn: { mode: "into", backwards: false },
  stepOut: { mode: "out", backwards: false },
} as const satisfies Readonly<Record<string, Move>>;

type Answered = Exclude<
  Command,
  "initialize" | "evaluate" | "goto" | "gotoMoment" | keyof typeof MOVES
>;
type Handlers = {
  readonly [Of in Answered]: (session: Session, given: Arguments<Of>) => Promise<object>;
};

const HANDLERS: Handlers = {
  stackTrace: ({ view }, given) => view.stackTrace(given),
  scopes: ({ view }, given) => view.scopes(given),
  variables: ({ view }, given) => view.variables(given),
  completions: ({ view }, given) => view.completions(given),
  why: ({ words }) => words.why(),
  origin: ({ words }, given) => words.origin(given),
  source: ({ view }, given) => view.source(given),
  gotoTargets: ({ goto }, given) => goto.targets(given),
  disassemble: ({ view }, given) => view.disassemble(given),
  readMemory: ({ view }, given) => view.readMemory(given),
  dataBreakpointInfo: ({ view }, given) => view.dataBreakpointInfo(given),
  setBreakpoints: ({ breakpoints }, given) => breakpoints.setLines(given),
  setFunctionBreakpoints: ({ breakpoints }, given) => breakpoints.setFunctions(given),
  setInstructionBreakpoints: ({ breakpoints }, given) => breakpoints.setInstructions(given),
  setDataBreakpoints: ({ breakpoints }, given) => breakpoints.setData(given),
  setExceptionBreakpoints: ({ breakpoints, launch }, given) =>
    breakpoints.setExceptions(given, launch.budgetPercent),
};

function isAnswered(command: string): command is Answered {
  return Object.hasOwn(HANDLERS, command);
}

function answerOf<Of extends Answered>(session: Session, command: Of, given: unknown) {
  return HANDLERS[command](session, readArguments(command, given));
}

const VERDICTS = {
  exact: "exact: the replay equals the chain in everything that was compared",
  equivalent: "equivalent: the replay has the chain's result, with caveats",
  diverged: "DIVERGED: this replay is not what happened on chain",
  inconclusive: "INCONCLUSIVE: it is not known whether this replay is what happened on chain",
} as const;

function title({ hash, network, verdict }: Recording): string {
  return `${hash.slice(0, 8)}… (${network}) ${VERDICTS[verdict]}`;
}
