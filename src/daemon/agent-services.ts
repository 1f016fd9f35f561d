// The work of tools for agents, with the daemon's pools and limits. Files are those of the directory
// that the operator allows.

import { SvcError } from "../base/errors/errors.ts";
import { explainText } from "../debugger/answer/explain-text.ts";
import type { AgentServices, Run } from "../mcp/agent-services.ts";
import type { AllowedDirectory } from "../mcp/allowed-directory.ts";
import type { Overrides } from "../model/overrides.ts";
import type { SimulationReport } from "../model/simulation.ts";
import { renderSimulationJson } from "../report/simulation-json.ts";
import type { SharedRun, Waiter } from "./coalesce.ts";

export interface AgentServicesOptions {
  readonly mostWalks: number;
  /** These return the report of `svc debug --json`. */
  readonly debug: (hash: string, waiter: Waiter) => Promise<string>;
  readonly whatIf: (hash: string, overrides: Overrides) => SharedRun<string>;
  readonly replay: (
    capsule: { readonly name: string; readonly text: string },
    overrides: Overrides | null,
  ) => SharedRun<string>;
  /** Null: no directory is allowed. */
  readonly allowed: AllowedDirectory | null;
  /** The capsule, and what a client learns of it. */
  readonly capture: (
    hash: string,
    waiter: Waiter,
  ) => Promise<{ readonly text: string; readonly facts: CapturedFacts }>;
  readonly verify: NonNullable<AgentServices["verify"]>;
  readonly simulate: (
    request: Parameters<AgentServices["simulate"]>[0],
    waiter: Waiter,
  ) => Promise<SimulationReport>;
}

type Capture = NonNullable<AgentServices["capture"]>;
type CapturedFacts = Omit<Awaited<ReturnType<Capture>>, "file">;

/** The services for one request. */
export type AgentServicesOf = (waiter: Waiter) => AgentServices;

/** Judging keeps the thread that answers everybody busy. */
const MOST_VERIFICATIONS = 1;

export function openAgentServices(options: AgentServicesOptions): AgentServicesOf {
  const { allowed, debug, whatIf, replay, capture, verify, simulate } = options;
  const walks = openLimit(options.mostWalks, "transactions for agents");
  const verifications = openLimit(MOST_VERIFICATIONS, "ranges of ledgers");
  const replayFile = async (name: string, overrides: Overrides | null, waiter: Waiter) =>
    walks(async () => replay(await directory(allowed).read(name, waiter), overrides)(waiter));
  return (waiter) => {
    const asked = (run: Run): Waiter => ({ ...waiter, ...run });
    return {
      overHttp: true,
      async debug(subject, run) {
        if ("capsule" in subject)
          return JSON.parse(await replayFile(subject.capsule, null, asked(run)));
        return JSON.parse(await debug(subject.hash, asked(run)));
      },
      async whatIf(subject, overrides, run) {
        if ("capsule" in subject)
          return JSON.parse(await replayFile(subject.capsule, overrides, asked(run)));
        return JSON.parse(await walks(() => whatIf(subject.hash, overrides)(asked(run))));
      },
      async simulate(request, run) {
        return JSON.parse(renderSimulationJson(await simulate(request, asked(run))));
      },
      async networkCode(code) {
        const explained = explainText(code, "The code");
        return explained.kind === "code" ? explained.code : null;
      },
      verify: (range, run) => verifications(() => verify(range, run)),
      capture:
        allowed &&
        ((hash, name, run) =>
          walks(async () => {
            const file = name ?? `${hash}.capsule.json`;
            allowed.check(file);
            const { text, facts } = await capture(hash, asked(run));
            await allowed.create(file, text);
            return { file, ...facts };
          })),
    };
  };
}

/** Throws FILE_NOT_ALLOWED. */
function directory(allowed: AllowedDirectory | null): AllowedDirectory {
  if (allowed !== null) return allowed;
  throw new SvcError("FILE_NOT_ALLOWED", {
    message: "The daemon reads no files for its clients.",
    remedy: "Start the daemon with `--allow-directory`.",
    httpRemedy: "Use the hash of the transaction.",
  });
}

function openLimit(most: number, what: string) {
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running >= most)
      throw new SvcError("OVERLOADED", {
        message: `The daemon already works on ${running} ${what}, the maximum.`,
        remedy: "Try again later.",
      });
    running += 1;
    try {
      return await work();
    } finally {
      running -= 1;
    }
  };
}
