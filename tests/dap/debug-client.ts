// A session with `svc dap` as an editor has it: the compiled binary on its stdin and stdout, with the
// client of @vscode/debugadapter-testsupport.

import { type ChildProcess, spawn } from "node:child_process";
import { tmpdir } from "node:os";
import { DebugClient } from "@vscode/debugadapter-testsupport";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { svcBinary } from "../cli/run-svc.ts";

const PATIENCE_MILLISECONDS = 60_000;

export interface Stop {
  readonly reason: string;
  readonly description?: string;
  readonly text?: string;
  readonly hitBreakpointIds?: number[];
}

/** Its `connect` is for subclasses. */
class Client extends DebugClient {
  constructor({ stdin, stdout }: ChildProcess) {
    super("", "", "svc");
    if (stdin === null || stdout === null) throw new Error("svc dap has no pipes");
    this.connect(stdout, stdin);
  }
}

export class Session implements AsyncDisposable {
  readonly client: Client;
  readonly process: ChildProcess;
  readonly output: string[] = [];

  constructor() {
    this.process = spawn(svcBinary(), ["dap"], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH, HOME: tmpdir() },
      stdio: ["pipe", "pipe", "ignore"],
    });
    this.client = new Client(this.process);
    this.client.defaultTimeout = PATIENCE_MILLISECONDS;
    this.client.on("output", ({ body }: DebugProtocol.OutputEvent) => {
      this.output.push(body.output);
    });
  }

  /** Until breakpoints can be set. */
  async launch(configuration: object): Promise<void> {
    await this.client.initializeRequest({ adapterID: "svc" });
    const initialized = this.client.waitForEvent("initialized", PATIENCE_MILLISECONDS);
    await Promise.all([initialized, this.send("launch", configuration)]);
  }

  // biome-ignore lint/suspicious/noExplicitAny: each test reads the fields of its own request.
  async send(command: string, given: object = {}): Promise<any> {
    return (await this.client.send(command, given)).body;
  }

  async until(command: string, given: object = { threadId: 1 }): Promise<Stop> {
    const stopped = this.client.waitForEvent("stopped", PATIENCE_MILLISECONDS);
    await this.send(command, given);
    return ((await stopped) as DebugProtocol.StoppedEvent).body;
  }

  begin(): Promise<Stop> {
    return this.until("configurationDone", {});
  }

  async stack(): Promise<DebugProtocol.StackFrame[]> {
    return (await this.send("stackTrace", { threadId: 1 })).stackFrames;
  }

  /** The values of a scope of a frame, by name. */
  async scope(frameId: number, name: string): Promise<Record<string, DebugProtocol.Variable>> {
    const { scopes } = await this.send("scopes", { frameId });
    const scope = scopes.find((found: DebugProtocol.Scope) => found.name === name);
    return this.opened(scope?.variablesReference);
  }

  async opened(reference: number): Promise<Record<string, DebugProtocol.Variable>> {
    const { variables } = await this.send("variables", { variablesReference: reference });
    return Object.fromEntries(
      variables.map((variable: DebugProtocol.Variable) => [variable.name, variable]),
    );
  }

  ended(): Promise<number | null> {
    return new Promise((resolve) => {
      if (this.process.exitCode !== null) resolve(this.process.exitCode);
      else this.process.once("exit", (code) => resolve(code));
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.stdin?.end();
    await this.ended();
  }
}
