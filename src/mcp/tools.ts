// The tools for agents: for each name its description, its input and output, and the work of svc
// behind it. All tools only read, except that a capture creates a file.

import * as v from "valibot";
import { SvcError } from "../base/errors/errors.ts";
import { fieldProblems } from "../base/errors/field-problems.ts";
import { flag, phrase } from "../base/phrase.ts";
import { isDemoWord, readDemo } from "../command/demo-capsules.ts";
import { openCapsule } from "../debugger/walk/open-capsule.ts";
import { provenSentence } from "../model/confirmation.ts";
import type { Overrides } from "../model/overrides.ts";
import { transactionOfUrl } from "../model/transaction-url.ts";
import { readOverrides } from "../overrides/read-overrides.ts";
import { simulationReportJson } from "../report/simulation-json.ts";
import { encodeCapsule } from "../sources/files/capsule.ts";
import type { Run, Subject, Tools } from "../tools/tools.ts";
import { agentReport } from "./agent-report.ts";
import type { AllowedDirectory } from "./allowed-directory.ts";
import type { AnswerStore } from "./answer-store.ts";
import {
  answerExplanation,
  answerFix,
  answerSimulation,
  answerVerification,
  answerWhatIf,
  answerWhy,
  firstAnswer,
  NOTICE,
} from "./first-answer.ts";
import { AGENT } from "./for-agents.ts";
import * as schemas from "./tool-schemas.ts";

export type ObjectSchema = v.GenericSchema<unknown, object>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
  readonly readOnly: boolean;
  /**
   * Calls the tool. `input` has the unchecked arguments. Throws REQUEST_INVALID, and the errors of
   * svc's tools.
   */
  readonly call: (input: unknown, run: Run) => Promise<object>;
}

/** The networks that agents can name. */
export interface AgentNetworks {
  /** The name of the server's own network. */
  readonly own: string;
  /** The tools of a network. Throws USAGE for an unknown name, and CONFIG_INVALID. */
  readonly toolsOf: (network: string) => Tools;
}

export interface AgentOptions {
  /** The tools of the server's own network. */
  readonly tools: Tools;
  /** Null if there is no other network. */
  readonly networks: AgentNetworks | null;
  /** True if a client has no command line, so that its errors have the remedies for HTTP. */
  readonly overHttp: boolean;
  /** True if the server's own network has a history archive. */
  readonly hasArchive: boolean;
  /** Null if agents cannot name files. */
  readonly directory: AllowedDirectory | null;
}

/** Makes the tools. Without a directory, no tool creates a file. */
export function agentTools(options: AgentOptions, store: AnswerStore): Tool[] {
  return [...reportTools(options, store), ...runTools(options, store), ...captureTool(options)];
}

/** The tools that report what happened to a transaction. */
function reportTools(options: AgentOptions, store: AnswerStore): Tool[] {
  const { directory, hasArchive } = options;
  const investigate = (subject: GivenSubject, run: Run, tools: Tools) =>
    tools.debug(subjectOf(subject, directory), {}, run);
  const debug = async (...request: Parameters<typeof investigate>) =>
    agentReport(await investigate(...request), options);
  return [
    tool(options, {
      name: "debug_transaction",
      title: "Debug a transaction",
      description:
        "Start here. Replays a Stellar (Soroban) transaction, compares the replay with the chain, and " +
        "returns the verdict. A failure comes with its cause, evidence and remedy; a success with its " +
        "call, return value and token flow.",
      // Each field costs tokens, even one that the agent cannot use.
      input: (hasArchive
        ? schemas.provableSchema
        : schemas.firstSchema) as typeof schemas.provableSchema,
      output: hasArchive ? schemas.provenAnswerSchema : schemas.answerSchema,
      call: async (...request) => {
        const investigation = await investigate(...request);
        return firstAnswer(
          store,
          agentReport(investigation, options),
          provenSentence(investigation),
        );
      },
    }),
    tool(options, {
      name: "why_failed",
      title: "Find the value that decided",
      description:
        "Returns the condition under which a contract's code failed: its values, their origins, and the proof.",
      input: schemas.subjectSchema,
      output: schemas.whyAnswerSchema,
      call: async (...request) => answerWhy(store, await debug(...request)),
    }),
    tool(options, {
      name: "section",
      title: "Read a section of an answer",
      description:
        "Returns a page of a section (calls, events, changes, xdr, …) of an earlier answer.",
      input: schemas.sectionSchema,
      output: schemas.pageSchema,
      call: async ({ id, section, page }) => pageOf(store, id, section, page),
    }),
    tool(options, {
      name: "fix_transaction",
      title: "Find the fix",
      description:
        "Returns the smallest change with which a failed transaction succeeds, the proof of its run, " +
        "and the new envelope, unsigned.",
      input: schemas.subjectSchema,
      output: schemas.answerSchema,
      call: async (...request) => answerFix(store, await debug(...request)),
    }),
  ];
}

/** The tools for runs that did not happen on the chain, for codes, and for ledgers. */
function runTools(options: AgentOptions, store: AnswerStore): Tool[] {
  const { directory } = options;
  return [
    tool(options, {
      name: "what_if",
      title: "Run it with changes",
      description:
        "Runs a transaction of the chain again with other arguments, limits, ledger facts or state.",
      input: schemas.whatIfToolSchema,
      output: schemas.whatIfAnswerSchema,
      call: async ({ overrides: changes, ...subjectInput }, run, tools) => {
        const subject = subjectOf(subjectInput, directory);
        const overrides = overridesOf(changes);
        return answerWhatIf(
          store,
          agentReport(await tools.debug(subject, { overrides }, run), options),
        );
      },
    }),
    tool(options, {
      name: "simulate",
      title: "Simulate an envelope",
      description:
        "Runs a transaction that was not sent on the latest ledger, without sending it: result, " +
        "minimum fee, and whether the network would refuse it.",
      input: schemas.simulateSchema,
      output: schemas.simulationAnswerSchema,
      call: async ({ envelope, ...mode }, run, tools) => {
        const wish = { transactionXdr: envelope.replace(/\s+/g, ""), ...mode };
        return answerSimulation(
          store,
          simulationReportJson(await tools.simulate(wish, run), AGENT),
        );
      },
    }),
    ...callTool(options, store),
    tool(options, {
      name: "explain",
      title: "Explain an error",
      description:
        "Explains the output of a Stellar tool, and says what to do. Runs nothing. Takes an error with " +
        "its log, a result code, a node's JSON answer, XDR, or a word of svc.",
      input: schemas.explainSchema,
      output: schemas.explanationSchema,
      call: async ({ text, contract = null }, run, tools) =>
        answerExplanation(await tools.explain({ text, name: "The text", contract }, run), options),
    }),
    tool(options, {
      name: "verify_ledgers",
      title: "Verify ledgers",
      description:
        "Replays every Soroban transaction of one ledger or a range, and counts the verdicts. A ledger " +
        "can take seconds: start with a few.",
      input: schemas.verifySchema,
      output: schemas.verificationAnswerSchema,
      call: async ({ first, last = first }, run, tools) => {
        if (last < first) throw invalid(["last: must not be before first"]);
        return answerVerification(store, await tools.verify({ first, last }, run));
      },
    }),
  ];
}

/** Without forks, there is no such tool. */
function callTool(options: AgentOptions, store: AnswerStore): Tool[] {
  if (options.tools.call === undefined) return [];
  return [
    tool(options, {
      name: "call_contract",
      title: "Call a contract",
      description:
        "Calls a contract's function by name on the latest ledger or an earlier one, without a key " +
        "and without sending it: what it returns, changes and costs, or why it fails.",
      input: schemas.callSchema,
      output: schemas.answerSchema,
      call: async (input, run, tools) => {
        const { contract, function: name, arguments: values = [] } = input;
        const { as: account = null, ledger = null } = input;
        const call = { contract, function: name, arguments: values, account, ledger };
        const investigation = await tools.call?.(call, run);
        if (investigation === undefined) throw invalid(["this svc cannot make calls"]);
        return firstAnswer(store, agentReport(investigation, options));
      },
    }),
  ];
}

function captureTool(options: AgentOptions): Tool[] {
  const { directory, overHttp } = options;
  if (directory === null) return [];
  return [
    tool(options, {
      name: "capture_transaction",
      title: "Capture to a file",
      description:
        "Saves a transaction and the state it ran on as a new file in the allowed directory. " +
        "debug_transaction reads it without a network.",
      input: schemas.captureSchema,
      output: schemas.captureAnswerSchema,
      readOnly: false,
      call: async ({ hash, file: name = `${hash}.capsule.json` }, run, tools) => {
        directory.check(name);
        const { record, snapshot } = await tools.capture(hash, run);
        const path = await directory.create(name, encodeCapsule(record, snapshot));
        return {
          file: overHttp ? name : path,
          hash: record.hash,
          ledger: record.ledger.sequence,
          /** Null if nothing ran in the contract host. */
          entries: snapshot?.entries.length ?? null,
          unknownEntries: snapshot?.unknown.length ?? 0,
        };
      },
    }),
  ];
}

interface ToolDefinition<Input extends ObjectSchema>
  extends Omit<Tool, "input" | "call" | "readOnly"> {
  readonly input: Input;
  readonly readOnly?: boolean;
  readonly call: (input: v.InferOutput<Input>, run: Run, tools: Tools) => Promise<object>;
}

function tool<Entries extends v.ObjectEntries>(
  { tools, networks }: AgentOptions,
  { input, call, ...definition }: ToolDefinition<v.StrictObjectSchema<Entries, undefined>>,
): Tool {
  const takesNetwork = networks !== null && !("id" in input.entries);
  // Every word in a list of tools costs tokens, so only one tool describes this.
  const written = v.string();
  const described = v.pipe(written, v.description(schemas.networkWords(networks?.own ?? "")));
  const network = definition.name === "debug_transaction" ? described : written;
  const entries = takesNetwork ? { network: v.exactOptional(network) } : {};
  const complete = v.strictObject({ ...input.entries, ...entries });
  return {
    readOnly: true,
    ...definition,
    input: complete,
    async call(input, run) {
      const parsed = v.safeParse(complete, input ?? {});
      if (!parsed.success) throw invalid(fieldProblems(complete, parsed.issues));
      const named = transactionOfUrl((input as { readonly hash?: string })?.hash ?? "");
      const { network = named?.network ?? undefined, ...rest } = parsed.output as {
        readonly network?: string;
      };
      const networkTools = network === undefined ? tools : (networks?.toolsOf(network) ?? tools);
      return call(rest as Parameters<typeof call>[0], run, networkTools);
    },
  };
}

type GivenSubject = v.InferOutput<typeof schemas.provableSchema>;

function subjectOf(
  { hash, capsule, prove: isProven = false, ledger }: GivenSubject,
  directory: AllowedDirectory | null,
): Subject {
  if (ledger !== undefined && !isProven) throw invalid(["ledger: only with prove"]);
  const prove = isProven ? { ledger: ledger ?? null } : null;
  if (hash !== undefined && capsule === undefined) return { hash, prove };
  if (capsule === undefined || hash !== undefined)
    throw invalid(["exactly one of hash and capsule is required"]);
  if (isDemoWord(capsule))
    return { captured: async () => openCapsule(await demoText(capsule), null), prove };
  if (directory === null)
    throw new SvcError("FILE_NOT_ALLOWED", {
      message: "No directory is allowed for files.",
      remedy: phrase`Use the hash, or start svc with ${flag("allowDirectory")}.`,
      httpRemedy: "Use the hash of the transaction.",
    });
  return { captured: async (run) => openCapsule(await directory.read(capsule, run), null), prove };
}

/** The demos are in svc itself, so no directory needs to be allowed for them. */
async function demoText(word: string) {
  return { name: word, text: new TextDecoder().decode(await readDemo(word)) };
}

/** The overrides, as in the file of --override, without its version and without wasm files. */
function overridesOf(changes: Readonly<Record<string, unknown>>): Overrides {
  if (Array.isArray(changes.arguments))
    throw invalid(['overrides: arguments must be an object, by name or position: {"0": 5}']);
  const read = readOverrides({ format: 1, ...changes });
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
