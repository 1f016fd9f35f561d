// A server of the Model Context Protocol with the tools: progress while they work, cancellation,
// and errors with a code and a remedy. A server is for one connection, or for one request over
// HTTP.

import {
  createMcpHandler,
  McpServer,
  type ServerContext,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import { toJsonSchema } from "@valibot/to-json-schema";
import { BUILD_INFO } from "../base/build-info.ts";
import type { SvcError } from "../base/errors/errors.ts";
import { phraseFor } from "../base/phrase.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { httpMessageOf, httpRemedyOf } from "../error-catalogue.ts";
import type { Run } from "../tools/tools.ts";
import { NOTICE } from "./first-answer.ts";
import { AGENT } from "./for-agents.ts";
import { fit, neutralised } from "./result-size.ts";
import type { ObjectSchema, Tool } from "./tools.ts";

export interface ServerOptions {
  readonly tools: readonly Tool[];
  readonly overHttp: boolean;
  /** The caller. svc mcp has only one client. */
  readonly caller?: Pick<Run, "client" | "traceparent">;
  /** Aborted when all work must end. */
  readonly signal: AbortSignal;
  /** The time limit of one call. */
  readonly timeoutMilliseconds: number;
  /** Turns an error that a tool threw into one with a code. */
  readonly asError: (thrown: unknown) => SvcError;
}

const INSTRUCTIONS =
  "svc debugs Stellar (Soroban) transactions by replaying them. Call debug_transaction first; its " +
  "answer has an id and the names of sections for the tool section. For an error that was printed, call " +
  `explain: it runs nothing. ${NOTICE}`;
const MOST_PROGRESS = 500;

export function createMcpServer(options: ServerOptions): McpServer {
  const server = new McpServer(
    { name: "svc", version: BUILD_INFO.version },
    { instructions: INSTRUCTIONS },
  );
  for (const tool of options.tools)
    server.registerTool(
      tool.name,
      {
        title: tool.title,
        description: tool.description,
        inputSchema: unchecked(tool.input),
        outputSchema: unchecked(tool.output),
        annotations: tool.readOnly
          ? { readOnlyHint: true }
          : { readOnlyHint: false, destructiveHint: false },
      },
      (input, context) => callTool(options, tool, input, context),
    );
  return server;
}

/**
 * Answers one request over HTTP. Each has its own server, and nothing is kept between them. `body`
 * is JSON.
 */
export function answerOverHttp(
  request: Request,
  body: unknown,
  options: ServerOptions,
): Promise<Response> {
  return createMcpHandler(() => createMcpServer(options)).fetch(request, { parsedBody: body });
}

async function callTool(
  options: ServerOptions,
  tool: Tool,
  input: unknown,
  context: ServerContext,
) {
  const time = AbortSignal.timeout(options.timeoutMilliseconds);
  const signal = AbortSignal.any([options.signal, context.mcpReq.signal, time]);
  try {
    const run = { ...options.caller, signal, ...progressOf(context) };
    const structuredContent = { ...(await tool.call(input, run)) };
    return { content: [textOf(structuredContent)], structuredContent };
  } catch (thrown) {
    const error = options.asError(signal.aborted ? signal.reason : thrown);
    return { content: [textOf(errorContent(error, options))], isError: true };
  }
}

function textOf(value: object) {
  return { type: "text" as const, text: JSON.stringify(value) };
}

/** The error in the form that an agent reads. */
export function errorContent(thrown: SvcError, { overHttp }: Pick<ServerOptions, "overHttp">) {
  const { code, words, details } = thrown;
  // The output of a process may repeat what a contract wrote, and is of no use to an agent.
  const message = "stderr" in details ? httpMessageOf(thrown) : phraseFor(words.message, AGENT);
  const error = overHttp
    ? { code, message: httpMessageOf(thrown), remedy: httpRemedyOf(thrown) }
    : { code, message, remedy: phraseFor(words.remedy, AGENT) };
  return fit(neutralised({ error, notice: NOTICE })).value;
}

/**
 * The progress, for a client that asks for it. Progress that cannot be sent does not end the work.
 */
function progressOf({ mcpReq }: ServerContext): Pick<Run, "progress"> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { progress: () => {} };
  let sent = 0;
  return {
    progress(text) {
      sent += 1;
      if (sent > MOST_PROGRESS) return;
      const params = { progressToken, progress: sent, message: neutralise(text) };
      mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

type Standard = StandardSchemaWithJSON<unknown, unknown>;

/**
 * Over HTTP each request has its own server. Schemas are kept, because they take longer to make
 * than to use.
 */
const STANDARD = new WeakMap<ObjectSchema, Standard>();

function unchecked(schema: ObjectSchema): Standard {
  const standard = STANDARD.get(schema) ?? openUnchecked(schema);
  STANDARD.set(schema, standard);
  return standard;
}

/**
 * The tools check their arguments themselves, so that these errors also have a code and a remedy.
 */
function openUnchecked(schema: ObjectSchema): Standard {
  const { $schema: _, ...json } = toJsonSchema(schema, { typeMode: "input", errorMode: "ignore" });
  const short = shortened(json) as Record<string, unknown>;
  return {
    "~standard": {
      version: 1,
      vendor: "svc",
      validate: (value) => ({ value }),
      jsonSchema: { input: () => short, output: () => short },
    },
  };
}

/** The schema with fewer tokens: `type: [T, "null"]` for a choice between T and null. */
function shortened(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(shortened);
  if (typeof schema !== "object" || schema === null) return schema;
  const { anyOf, propertyNames: _, ...rest } = schema as Readonly<Record<string, unknown>>;
  const [left, right] = (Array.isArray(anyOf) ? anyOf : []) as {
    type?: unknown;
    enum?: unknown[];
  }[];
  const fields =
    right?.type === "null"
      ? {
          ...left,
          ...rest,
          type: [left?.type, "null"],
          ...(left?.enum && { enum: [...left.enum, null] }),
        }
      : { ...rest, ...(anyOf === undefined ? {} : { anyOf }) };
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([name, value]) => name !== "required" || (value as unknown[]).length > 0)
      .map(([name, value]) => [name, shortened(value)]),
  );
}
