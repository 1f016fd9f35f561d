// The tools: name → what an agent reads of it, what it takes and returns, and its work. All only
// read, but for the file of a capture, which is a new one.

import * as v from "valibot";
import { SvcError } from "../base/errors/errors.ts";
import { fieldProblems } from "../base/errors/field-problems.ts";
import type { Overrides } from "../model/overrides.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import type { AgentServices, Run, Subject } from "./agent-services.ts";
import type { AnswerStore } from "./answer-store.ts";
import { explainCode } from "./explain-code.ts";
import {
  answerDebug,
  answerFix,
  answerSimulation,
  answerVerification,
  answerWhatIf,
  NOTICE,
} from "./first-answer.ts";
import * as schemas from "./tool-schemas.ts";

export type ObjectSchema = v.GenericSchema<unknown, object>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
  readonly readOnly: boolean;
  /** `given`: the unchecked arguments. Throws REQUEST_INVALID, and as the services. */
  readonly call: (given: unknown, run: Run) => Promise<object>;
}

/** Those that the services have. */
export function toolsOf(services: AgentServices, store: AnswerStore): Tool[] {
  return [
    ...reportTools(services, store),
    ...runTools(services, store),
    ...verifyTool(services, store),
    ...captureTool(services),
  ];
}

/** What happened to a transaction. */
function reportTools(services: AgentServices, store: AnswerStore): Tool[] {
  return [
    tool({
      name: "debug_transaction",
      title: "Debug a transaction",
      description:
        "Start here. Replays a Stellar (Soroban) transaction, compares the replay with the chain, and " +
        "returns the verdict, the cause of a failure, the evidence and the remedy.",
      input: schemas.subjectSchema,
      output: schemas.answerSchema,
      call: async (given, run) => answerDebug(store, await services.debug(subjectOf(given), run)),
    }),
    tool({
      name: "section",
      title: "Read a section of an answer",
      description:
        "Returns a page of a section (calls, events, changes, xdr, …) of an earlier answer.",
      input: schemas.sectionSchema,
      output: schemas.pageSchema,
      call: async ({ id, section, page }) => pageOf(store, id, section, page),
    }),
    tool({
      name: "fix_transaction",
      title: "Find the fix",
      description:
        "Returns the smallest change with which a failed transaction succeeds, the proof of its run, " +
        "and the new envelope, unsigned.",
      input: schemas.subjectSchema,
      output: schemas.answerSchema,
      call: async (given, run) => answerFix(store, await services.debug(subjectOf(given), run)),
    }),
  ];
}

/** Runs of what did not happen, and codes. */
function runTools(services: AgentServices, store: AnswerStore): Tool[] {
  return [
    tool({
      name: "what_if",
      title: "Run it with changes",
      description:
        "Runs a transaction of the chain again with other arguments, limits, ledger facts or state.",
      input: schemas.whatIfSchema,
      output: schemas.whatIfAnswerSchema,
      call: async ({ overrides, ...given }, run) => {
        const subject = subjectOf(given);
        return answerWhatIf(store, await services.whatIf(subject, overridesOf(overrides), run));
      },
    }),
    tool({
      name: "simulate",
      title: "Simulate an envelope",
      description:
        "Runs a transaction that was not sent on the latest ledger, without sending it: result, " +
        "minimum fee, and whether the network would refuse it.",
      input: schemas.simulateSchema,
      output: schemas.simulationAnswerSchema,
      call: async ({ envelope, ...mode }, run) => {
        const request = { transactionXdr: envelope.replace(/\s+/g, ""), ...mode };
        return answerSimulation(store, await services.simulate(request, run));
      },
    }),
    tool({
      name: "explain_code",
      title: "Explain an error code",
      description:
        "Says what a code means and what to do: a code of svc, of a result (txBadSeq), or of the " +
        "contract host (Error(Auth, InvalidAction)).",
      input: schemas.explainSchema,
      output: schemas.codeSchema,
      call: ({ code }) => explainCode(services, code),
    }),
  ];
}

function verifyTool({ verify }: AgentServices, store: AnswerStore): Tool[] {
  if (verify === null) return [];
  return [
    tool({
      name: "verify_ledgers",
      title: "Verify ledgers",
      description:
        "Replays every Soroban transaction of one ledger or a range, and counts the verdicts. A ledger " +
        "can take seconds: start with a few.",
      input: schemas.verifySchema,
      output: schemas.verificationSchema,
      call: async ({ first, last = first }, run) => {
        if (last < first) throw invalid(["last: must not be before first"]);
        return answerVerification(store, await verify({ first, last }, run));
      },
    }),
  ];
}

function captureTool({ capture }: AgentServices): Tool[] {
  if (capture === null) return [];
  return [
    tool({
      name: "capture_transaction",
      title: "Capture to a file",
      description:
        "Saves a transaction and the state it ran on as a new file in the allowed directory. " +
        "debug_transaction reads it without a network.",
      input: schemas.captureSchema,
      output: schemas.captureAnswerSchema,
      readOnly: false,
      call: async ({ hash, file }, run) => capture(hash, file ?? null, run),
    }),
  ];
}

interface ToolDefinition<Input extends ObjectSchema>
  extends Omit<Tool, "input" | "call" | "readOnly"> {
  readonly input: Input;
  readonly readOnly?: boolean;
  readonly call: (given: v.InferOutput<Input>, run: Run) => Promise<object>;
}

function tool<Input extends ObjectSchema>(definition: ToolDefinition<Input>): Tool {
  const { input, call } = definition;
  return {
    readOnly: true,
    ...definition,
    call(given, run) {
      const parsed = v.safeParse(input, given ?? {});
      if (!parsed.success) throw invalid(fieldProblems(input, parsed.issues));
      return call(parsed.output, run);
    },
  };
}

function subjectOf({ hash, capsule }: v.InferOutput<typeof schemas.subjectSchema>): Subject {
  if (hash !== undefined && capsule === undefined) return { hash };
  if (capsule !== undefined && hash === undefined) return { capsule };
  throw invalid(["exactly one of hash and capsule is required"]);
}

/** The file of --override without its version and without files of wasm. */
function overridesOf(given: Readonly<Record<string, unknown>>): Overrides {
  const read = readOverrides({ format: 1, ...given });
  if ("problems" in read) throw invalid(read.problems.map((each) => `overrides: ${each}`));
  const { wasmFiles, ...overrides } = read;
  if (wasmFiles.size > 0) throw invalid(["overrides: wasm is not available to agents"]);
  return { ...overrides, wasm: new Map() };
}

function pageOf(store: AnswerStore, id: string, section: string, page: number) {
  const { sections } = store.find(id);
  const pages = Object.hasOwn(sections, section) ? (sections[section] ?? []) : [];
  const entries = pages[page - 1];
  if (entries !== undefined) return { section, page, pages: pages.length, entries, notice: NOTICE };
  throw invalid([
    pages.length === 0
      ? `section: must be one of ${Object.keys(sections).join(", ")}`
      : `page: must be from 1 to ${pages.length}`,
  ]);
}

function invalid(problems: readonly string[]): SvcError {
  return new SvcError("REQUEST_INVALID", {
    message: `The arguments are not valid: ${problems.join("; ")}.`,
    remedy: "Correct the arguments; the tool's input schema describes them.",
  });
}
