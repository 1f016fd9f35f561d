// The built daemon as a process of its own, without nodes, and what it uses.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY, SVC_BINARY } from "../scripts/ensure-built.ts";

export interface RunningDaemon extends AsyncDisposable {
  readonly pid: number;
  readonly port: number;
  /** CPU time of the daemon and its workers. */
  cpuSeconds(): number;
  /** Resident memory of the daemon and its workers. */
  residentMebibytes(): number;
}

export interface RunningDaemonOptions {
  readonly flags?: readonly string[];
  /** Another build, to compare. */
  readonly svc?: string | undefined;
  readonly simulator?: string | undefined;
  /** The nodes of Stellar RPC; none when not given. */
  readonly nodes?: {
    readonly rpcUrls: readonly string[];
    readonly passphrase: string;
    readonly horizonUrl?: string;
  };
}

const FIXTURES = resolve(import.meta.dir, "..", "tests", "fixtures", "protocol");
/** Nobody listens there: a benchmark makes no requests to other machines. */
const NO_NODE = "http://127.0.0.1:9";
/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

/** The recorded requests, as bodies of POST /v1/simulate. */
export function recordedBodies(): string[] {
  return readdirSync(FIXTURES).map((name) => {
    const { request } = JSON.parse(readFileSync(join(FIXTURES, name), "utf8"));
    return JSON.stringify({ ...request, options: { trace: false } });
  });
}

export async function startDaemon(options: RunningDaemonOptions = {}): Promise<RunningDaemon> {
  if (options.svc === undefined) ensureBuilt();
  const usual = { rpcUrls: [NO_NODE], passphrase: "bench", horizonUrl: NO_NODE };
  const { rpcUrls, passphrase, horizonUrl } = { ...usual, ...options.nodes };
  const daemon = Bun.spawn(
    [
      options.svc ?? SVC_BINARY,
      ...["daemon", "--port", "0", "--network-passphrase", passphrase],
      ...["--sim-path", options.simulator ?? SIMULATOR_BINARY],
      ...["--horizon-url", horizonUrl, "--rpc-url", rpcUrls.join(",")],
      ...(options.flags ?? []),
    ],
    { cwd: "/", stdout: "ignore", stderr: "pipe" },
  );
  const { pid } = daemon;
  return {
    pid,
    port: await portOf(daemon.stderr),
    cpuSeconds: () => cpuSecondsWithChildren(pid),
    residentMebibytes: () => withChildren(pid).reduce((sum, each) => sum + residentOf(each), 0),
    async [Symbol.asyncDispose]() {
      daemon.kill();
      await daemon.exited;
    },
  };
}

export interface RunningFork extends AsyncDisposable {
  readonly url: string;
  readonly networkPassphrase: string;
  cpuSeconds(): number;
  /** The result of a JSON-RPC call. */
  // biome-ignore lint/suspicious/noExplicitAny: each method has its own result.
  call(method: string, params?: object): Promise<any>;
}

export async function startFork(...flags: string[]): Promise<RunningFork> {
  ensureBuilt();
  const child = Bun.spawn([SVC_BINARY, "fork", "--port", "0", "--json", ...flags], {
    env: { ...Bun.env, SVC_SIM_PATH: SIMULATOR_BINARY },
    stdout: "pipe",
  });
  const { value } = await child.stdout.getReader().read();
  const { url, networkPassphrase } = JSON.parse(new TextDecoder().decode(value));
  return {
    ...{ url, networkPassphrase },
    cpuSeconds: () => cpuSecondsWithChildren(child.pid),
    async call(method, params = {}) {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url, { method: "POST", headers, body });
      const { result, error } = (await answer.json()) as { result: unknown; error?: object };
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      return result;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** CPU time of a process and its children, also of those that have ended. */
export function cpuSecondsWithChildren(pid: number): number {
  return withChildren(pid).reduce((sum, each) => sum + cpuSecondsOf(each), 0);
}

function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return [pid, ...children.split(" ").filter(Boolean).map(Number)];
}

function cpuSecondsOf(pid: number): number {
  const fields = textOf(pid, "stat").split(") ")[1]?.split(" ") ?? [];
  // utime, stime, cutime and cstime.
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  return ticks / TICKS_PER_SECOND;
}

function residentOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(textOf(pid, "status"))?.[1] ?? 0) / 1024;
}

/** Empty when the process is gone. */
function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}

/** The log continues and must be read. */
async function portOf(log: ReadableStream<Uint8Array>): Promise<number> {
  const reader = log.getReader();
  let text = "";
  while (!text.includes('"address"')) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the daemon did not start: ${text}`);
    text += new TextDecoder().decode(value);
  }
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return Number(/"address":"http:[^"]*:(\d+)"/.exec(text)?.[1]);
}

export function line(what: string, value: number, unit: string, ratio?: number, of?: string): void {
  const beside = ratio === undefined ? "" : `   ${ratio.toFixed(2)} × ${of}`;
  const amount = value >= 100 ? value.toFixed(0) : value.toFixed(2);
  process.stdout.write(`${what.padEnd(44)} ${amount.padStart(9)} ${unit}${beside}\n`);
}
