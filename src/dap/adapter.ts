// One session of the Debug Adapter Protocol over a recorded transaction. Requests are answered in
// their order, except those that end or interrupt the session. Clients only see the capabilities
// that are announced here.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { SvcError } from "../base/errors/errors.ts";
import { messageOf } from "../base/errors/system-code.ts";
import { phraseFor } from "../base/phrase.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { SOURCE_FILES } from "../command/source-files.ts";
import { BreakpointStore } from "../stepping/breakpoint-store.ts";
import { Sources } from "../stepping/sources.ts";
import { MomentView } from "../stepping/view.ts";
import { ConsoleCommands } from "../stepping/words.ts";
import { EXCEPTION_FILTERS, failureStop } from "../time-travel/exceptions.ts";
import type { Recording } from "../time-travel/recording.ts";
import { type Arrival, type Move, Traveller } from "../time-travel/traveller.ts";
import { type RequestArguments, type RequestCommand, readRequestArguments } from "./arguments.ts";
import { editorOf } from "./editor-audience.ts";
import type { Incoming } from "./framing.ts";
import { Goto } from "./goto-targets.ts";
import { type LaunchSettings, readLaunchSettings } from "./launch-settings.ts";

export interface AdapterDependencies {
  readonly send: (message: object) => void;
  /** Replays and records the transaction. Throws a SvcError. */
  readonly open: (
    launch: LaunchSettings,
    options: { readonly signal: AbortSignal; readonly progress: (text: string) => void },
  ) => Promise<Recording>;
}

/** The only thread is the transaction. */
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

/** Editors send these requests by themselves, sometimes too late, and show the errors in place. */
const SENT_BY_EDITORS: ReadonlySet<string> = new Set([
  "stackTrace",
  "scopes",
  "variables",
  "evaluate",
  "completions",
  "source",
  "disassemble",
  "readMemory",
  "dataBreakpointInfo",
  "exceptionInfo",
]);

/** Requests that would change a program. */
const CHANGES: ReadonlySet<string> = new Set(["setVariable", "setExpression", "writeMemory"]);
const UNCHANGED =
  "A recorded value cannot be changed. docs/what-if.md shows how to run the transaction with another value.";

interface Session {
  readonly recording: Recording;
  readonly failure: ReturnType<typeof failureStop>;
  readonly traveller: Traveller;
  readonly breakpoints: BreakpointStore;
  readonly view: MomentView;
  readonly goto: Goto;
  readonly words: ConsoleCommands;
  readonly launch: LaunchSettings;
}

/** The body of the answer, and the work to do after it was sent. */
type RequestAnswer = [body?: object | undefined, after?: () => void | Promise<void>];

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

  /** Ends the session, because the client is gone. */
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
      // The format of an error marks variables by braces, so the text must not contain any.
      const shown = format.replaceAll("{", "(").replaceAll("}", ")");
      const showUser = !SENT_BY_EDITORS.has(request.command);
      const body = { error: { id: 1, format: shown, showUser, variables: code } };
      respond({ success: false, message: format, body });
    }
  }

  private async handle({ command, arguments: fields }: Incoming): Promise<RequestAnswer> {
    switch (command) {
      case "initialize":
        readRequestArguments(command, fields);
        return [CAPABILITIES];
      case "launch":
        return this.launch(fields);
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
        const evaluation = readRequestArguments(command, fields);
        const answer = await session.words.answerTo(evaluation);
        if (answer === null) return [await session.view.evaluate(evaluation)];
        const { result, moment } = answer;
        const body = { result, variablesReference: 0 };
        return moment === null ? [body] : [body, () => this.leap(session, moment)];
      }
      case "gotoMoment": {
        const session = this.current();
        const moment = session.words.momentOf(readRequestArguments(command, fields).moment);
        return [undefined, () => this.leap(session, moment)];
      }
      case "goto": {
        const session = this.current();
        const target = session.goto.target(readRequestArguments(command, fields));
        return [undefined, () => this.jump(session, target)];
      }
      case "continue":
      case "reverseContinue":
      case "next":
      case "stepBack":
      case "stepIn":
      case "stepOut": {
        const session = this.current();
        const instructions = readRequestArguments(command, fields).granularity === "instruction";
        const move = { ...MOVES[command], instructions };
        return [{ allThreadsContinued: true }, () => this.move(session, move)];
      }
    }
    if (isAnswered(command)) return [await answerOf(this.current(), command, fields)];
    if (CHANGES.has(command)) throw new Error(UNCHANGED);
    throw new Error(`The request ${command} is not supported.`);
  }

  private current(): Session {
    if (this.session === null) throw new Error("No transaction was launched.");
    return this.session;
  }

  private async launch(fields: unknown): Promise<RequestAnswer> {
    if (this.session !== null) throw new Error("A transaction is already launched.");
    const launch = readLaunchSettings(fields);
    const progress = (text: string) => this.output("console", `${text}\n`);
    const options = { signal: this.ending.signal, progress };
    const recording = await this.dependencies.open(launch, options);
    const traveller = new Traveller(recording, (text) => this.output("console", `${text}\n`));
    const sources = new Sources(recording, SOURCE_FILES, launch.sourceMap ?? {});
    const breakpoints = new BreakpointStore(recording, traveller, sources);
    const view = new MomentView(traveller, sources);
    const goto = new Goto(traveller, breakpoints);
    const words = new ConsoleCommands(traveller, view);
    const failure = failureStop(recording);
    this.session = { recording, failure, traveller, breakpoints, view, goto, words, launch };
    this.output("important", `${title(recording)}\n`);
    const editor = editorOf(launch);
    for (const remark of recording.remarks)
      this.output("console", `${phraseFor(remark, editor)}\n`);
    traveller.allCode = launch.justMyCode === false;
    return [undefined, () => this.event("initialized")];
  }

  private async begin(session: Session): Promise<void> {
    const { recording, launch } = session;
    if (launch.noDebug === true) {
      await this.reportCause(session, "");
      return this.exited(recording);
    }
    await this.toFirstStop(session);
    // The session continues while the cause is looked up.
    void this.reportCause(session, " (`goto why` goes there.)");
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

  private async reportCause(session: Session, way: string): Promise<void> {
    const decided = await session.recording.why().catch(() => null);
    if (decided === null || this.session !== session) return;
    this.output("important", `${decided.summary}${way}\n`);
  }

  private async move({ traveller, view, recording, failure }: Session, move: Move): Promise<void> {
    this.pausing = false;
    view.forget();
    const { moment: from } = traveller;
    const arrival = await traveller.move(move, () => this.pausing);
    // A move that reaches an end stops there. A move beyond an end or a failure has nothing left to
    // show, so it ends the session.
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

  /**
   * The client does not know that its request moves the session. Without this event it would keep
   * showing the old moment.
   */
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

/** `stopOnEntry` is the name that other debuggers use. */
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

type HandledCommand = Exclude<
  RequestCommand,
  "initialize" | "evaluate" | "goto" | "gotoMoment" | keyof typeof MOVES
>;
type Handlers = {
  readonly [Of in HandledCommand]: (
    session: Session,
    fields: RequestArguments<Of>,
  ) => Promise<object>;
};

const HANDLERS: Handlers = {
  stackTrace: ({ view }, fields) => view.stackTrace(fields),
  scopes: ({ view }, fields) => view.scopes(fields),
  variables: ({ view }, fields) => view.variables(fields),
  completions: ({ view }, fields) => view.completions(fields),
  why: ({ words }) => words.why(),
  origin: ({ words }, fields) => words.origin(fields),
  source: ({ view }, fields) => view.source(fields),
  gotoTargets: ({ goto }, fields) => goto.targets(fields),
  disassemble: ({ view }, fields) => view.disassemble(fields),
  readMemory: ({ view }, fields) => view.readMemory(fields),
  dataBreakpointInfo: ({ view }, fields) => view.dataBreakpointInfo(fields),
  setBreakpoints: ({ breakpoints }, fields) => breakpoints.setLines(fields),
  setFunctionBreakpoints: ({ breakpoints }, fields) => breakpoints.setFunctions(fields),
  setInstructionBreakpoints: ({ breakpoints }, fields) => breakpoints.setInstructions(fields),
  setDataBreakpoints: ({ breakpoints }, fields) => breakpoints.setData(fields),
  setExceptionBreakpoints: ({ breakpoints, launch }, fields) =>
    breakpoints.setExceptions(fields, launch.budgetPercent),
};

function isAnswered(command: string): command is HandledCommand {
  return Object.hasOwn(HANDLERS, command);
}

function answerOf<Of extends HandledCommand>(session: Session, command: Of, fields: unknown) {
  return HANDLERS[command](session, readRequestArguments(command, fields));
}

const VERDICTS = {
  exact: "exact: the replay equals the chain in everything that was compared",
  equivalent: "equivalent: the replay has the chain's result, with caveats",
  diverged: "DIVERGED: this replay is not what happened on chain",
  inconclusive: "INCONCLUSIVE: svc does not know whether this replay is what happened on chain",
} as const;

function title({ hash, network, verdict }: Recording): string {
  return `${hash.slice(0, 8)}… (${network}) ${VERDICTS[verdict]}`;
}
