// The routes of the server. Each has a rule for who may use it and how much at once, a description
// for clients, and a handler.

import type { SvcError } from "../base/errors/errors.ts";
import type { Audience } from "../base/phrase.ts";
import type { SimulatorProgram } from "../debugger/setup/find-simulator.ts";
import type { Nodes } from "../debugger/setup/open-engines.ts";
import type { PooledEngines } from "../debugger/setup/open-pools.ts";
import { type Description, openapiDocument, ref, refusalOf } from "./openapi.ts";
import { PAGE } from "./page/page-audience.ts";
import {
  answerCallPage,
  answerContract,
  answerDebugPage,
  answerFunctionsPage,
  answerHome,
  answerReplayablePage,
  answerSimulatePage,
  answerTransaction,
  answerWhatIfPage,
} from "./page/routes.ts";
import type { Authorize } from "./routes/authorize.ts";
import type { Handler } from "./routes/handle-request.ts";
import { jsonAnswer } from "./routes/json-answer.ts";
import { BODY_RULES, parseJsonBody } from "./routes/read-body.ts";
import { answerCall } from "./routes/route-call.ts";
import { answerDebug } from "./routes/route-debug.ts";
import { answerRpc } from "./routes/route-rpc.ts";
import type { ServerConfig } from "./server-settings.ts";
import type { RpcMethod, Services } from "./services.ts";

export interface Route extends Description {
  /** The room of its work, which also needs the token. Null for status, which is not work. */
  readonly room: Room | null;
  /** The largest body in bytes. */
  readonly maximumBytes: number;
  readonly handler: Handler;
  /** Who reads its errors (default: a program). */
  readonly audience?: Audience;
}

/** `runs` means that the request is one run of svc-sim. */
type Room = "runs" | "requests";

export interface RouteOptions {
  readonly server: Pick<ServerConfig, "token">;
  readonly timeoutMilliseconds: number;
  /** Routes in addition to those of every server. */
  readonly more?: readonly Route[];
}

/** A network that this process serves itself, instead of asking nodes. */
export interface ServedNetwork {
  /** Opens its nodes. `program` is svc-sim with the counter of its runs. */
  readonly nodes: (program: SimulatorProgram) => Nodes;
  /** Its methods by name, which replace those that nodes answer. */
  readonly rpcMethods: (engines: PooledEngines) => Readonly<Record<string, RpcMethod>>;
  /** The error of a method that the network has and refuses; null for any other. */
  readonly whyRefused?: (method: string) => SvcError | null;
  /** Routes in addition to those of every server. */
  readonly routes: (services: Services) => readonly Route[];
  /**
   * The reason why changes that clients know of are not on the disk; null if they are. Absent if it
   * keeps nothing.
   */
  readonly whyNotSaved?: () => SvcError | null;
  /** Called when the server listens. `address` is the one that clients connect to. */
  readonly listening: (address: string) => Promise<void>;
}

type Told = Omit<Description, "method" | "path">;

const KIBIBYTE = 1024;
/**
 * The sizes of a hash, an envelope, a batch of envelopes or of 200 keys each, and overrides with
 * code.
 */
const BODY_BYTES = {
  hash: KIBIBYTE,
  envelope: 512 * KIBIBYTE,
  rpc: 4 * KIBIBYTE ** 2,
  mcp: 2 * KIBIBYTE ** 2,
} as const;
/** The failures of every route that runs svc-sim. */
const RUNS = ["422", "501", "502", "504"];
/** The refusals of POST /rpc may have the form of JSON-RPC. */
const RPC_REFUSAL = refusalOf({ anyOf: [ref("Error"), ref("RpcAnswer")] });

export function openRoutes(
  services: Services,
  authorize: Authorize,
  options: RouteOptions,
): readonly Route[] {
  const routes: readonly Route[] = [
    ...statusRoutes(services, authorize, options, () => routes),
    ...workRoutes(services),
    ...pagePartRoutes(services),
    ...(options.more ?? []),
  ];
  return routes;
}

/** The routes of status, and of pages without work. */
function statusRoutes(
  services: Services,
  authorize: Authorize,
  { server }: RouteOptions,
  all: () => readonly Route[],
): Route[] {
  const { metrics, missing } = services;
  const { maximumBytes } = BODY_RULES;
  const open = (path: string, description: Told, handler: Handler): Route => ({
    method: "GET",
    path,
    room: null,
    maximumBytes,
    ...description,
    handler,
  });
  const page = { services, authorize };
  return [
    open("/", { summary: "A page for people.", answers: ["html"] }, ({ request }) =>
      answerHome(page, request, all()),
    ),
    open(
      "/transactions/:hash",
      {
        summary: "The page of a transaction, or one that offers to debug it.",
        answers: ["html"],
        failures: ["400"],
      },
      ({ request, parameters }) => answerTransaction(page, request, parameters.hash),
    ),
    ...(services.tools.call === undefined
      ? []
      : [
          open(
            "/contracts/:contract",
            {
              summary: "The page of a contract, with a form that calls it.",
              answers: ["html"],
              failures: ["400"],
            },
            ({ request, parameters }) => answerContract(page, request, parameters.contract),
          ),
        ]),
    open(
      "/health",
      {
        summary:
          "Liveness: version, network, simulator, and the last answer of each node. svc asks no node.",
        answers: ["Health"],
      },
      () => Response.json(services.health()),
    ),
    open(
      "/ready",
      {
        summary: "Readiness: 200 if the daemon can simulate now, an error otherwise.",
        answers: ["Ready"],
        failures: ["501", "503"],
      },
      async () => {
        const problem = await services.whyNotReady();
        if (problem !== null) throw problem;
        return Response.json({ ready: true, ...(missing.length > 0 && { missing }) });
      },
    ),
    open("/metrics", { summary: "Metrics for Prometheus.", answers: ["text"] }, async () => {
      const headers = { "content-type": metrics.contentType };
      return new Response(await metrics.render(), { headers });
    }),
    open(
      "/openapi.json",
      { summary: "The description of these routes, for machines.", answers: ["Document"] },
      () => Response.json(openapiDocument(all(), { guarded: server.token !== null })),
    ),
  ];
}

function workRoutes(services: Services): Route[] {
  const { answerAgents } = services;
  const { maximumBytes } = BODY_RULES;
  const { hash, rpc, mcp } = BODY_BYTES;
  const debugs = { room: "requests", maximumBytes: hash } as const;
  const simulations = { room: "runs", maximumBytes } as const;
  return [
    work(
      "/v1/debug",
      debugs,
      {
        summary: "Debug a transaction by its hash: what happened, why, and how to fix it.",
        name: "debug",
        body: "DebugRequest",
        answers: ["Report", "events"],
        failures: [...RUNS, "404", "409"],
      },
      (context) => answerDebug(services, context),
    ),
    ...callRoutes(services),
    work(
      "/v1/simulate",
      simulations,
      {
        summary: "Simulate an envelope on the request's ledger entries, or on the latest ledger.",
        name: "simulate",
        body: "SimulateRequest",
        answers: ["SimulationResponse"],
        failures: RUNS,
      },
      async ({ text, run }) => {
        const body = await text();
        // The text is the key of the run, so clients that send the same bytes share one run.
        return jsonAnswer([await services.simulate(body, run, () => parseJsonBody(body))]);
      },
    ),
    work(
      "/rpc",
      { room: "requests", maximumBytes: rpc },
      {
        summary: "Answer JSON-RPC 2.0, one call or a batch, as a Stellar RPC node does.",
        name: "rpc",
        body: "RpcRequest",
        answers: ["RpcAnswer"],
        responses: {
          "204": { description: "The request had only notifications." },
          "400": RPC_REFUSAL,
          "503": RPC_REFUSAL,
        },
      },
      (context) => answerRpc(services, context),
    ),
    ...(answerAgents === null
      ? []
      : [
          work(
            "/mcp",
            { room: "requests", maximumBytes: mcp },
            { summary: "Tools for agents, in the Model Context Protocol.", answers: [] },
            answerAgents,
          ),
        ]),
  ];
}

/** The routes that call a contract by name. */
function callRoutes({ tools: { call, describe } }: Services): Route[] {
  if (call === undefined || describe === undefined) return [];
  const limits = { room: "requests", maximumBytes: BODY_BYTES.envelope } as const;
  const failures = [...RUNS, "404"];
  const body = "CallRequest";
  return [
    work(
      "/v1/call",
      limits,
      {
        summary: "Call a contract by name, without a key and without sending anything.",
        name: "call",
        body,
        answers: ["Report"],
        failures,
      },
      (context) => answerCall(call, context),
    ),
    work(
      "/calls",
      limits,
      {
        summary: "A part of a page: what a call would return and change.",
        name: "callPage",
        body,
        answers: ["html"],
        failures,
      },
      (context) => answerCallPage(call, context),
    ),
    work(
      "/functions",
      limits,
      {
        summary: "A part of a page: the functions of a contract.",
        name: "functionsPage",
        body: "ContractRequest",
        answers: ["html"],
        failures,
      },
      (context) => answerFunctionsPage(describe, context),
    ),
  ];
}

/** The routes of page parts that are made on request. */
function pagePartRoutes(services: Services): Route[] {
  const { hash, envelope } = BODY_BYTES;
  const parts = { room: "requests", maximumBytes: envelope } as const;
  return [
    work(
      "/transactions",
      { room: "requests", maximumBytes: hash, audience: PAGE },
      {
        summary: "Makes the page of a transaction, and sends progress.",
        name: "debugPage",
        body: "DebugRequest",
        answers: ["events"],
        failures: [...RUNS, "404", "409"],
      },
      (context) => answerDebugPage(services, context),
    ),
    work(
      "/simulations",
      parts,
      {
        summary: "A part of a page: what an envelope would do.",
        name: "simulatePage",
        body: "EnvelopeRequest",
        answers: ["html"],
        failures: RUNS,
      },
      (context) => answerSimulatePage(services, context),
    ),
    work(
      "/what-ifs",
      parts,
      {
        summary: "A part of a page: a transaction as it ran, beside a run with changes.",
        name: "whatIfPage",
        body: "WhatIfRequest",
        answers: ["html"],
        failures: [...RUNS, "404"],
      },
      (context) => answerWhatIfPage(services, context),
    ),
    work(
      "/replayable-pages",
      { room: "requests", maximumBytes: hash },
      {
        summary: "The page of a transaction that runs svc in itself, to save.",
        name: "replayablePage",
        body: "DebugRequest",
        answers: ["html"],
        failures: [...RUNS, "404", "409"],
      },
      (context) => answerReplayablePage(services, context),
    ),
  ];
}

function work(
  path: string,
  limits: Pick<Route, "maximumBytes" | "audience"> & { readonly room: Room },
  description: Told,
  handler: Handler,
): Route {
  const reader = description.answers.includes("html") ? { audience: PAGE } : {};
  return { method: "POST", path, ...reader, ...limits, ...description, handler };
}
