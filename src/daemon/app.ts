// The paths of the daemon. Routes read requests and write answers; services.ts does the work.

import { Hono, type Context as HonoContext } from "hono";
import { cors } from "hono/cors";
import { SvcError } from "../base/errors/errors.ts";
import type { Admission } from "./admission.ts";
import type { DaemonConfig } from "./daemon-settings.ts";
import { openapiDocument } from "./openapi.ts";
import {
  answerDebugPage,
  answerHome,
  answerSimulatePage,
  answerTransaction,
} from "./page/routes.ts";
import { type Authorize, openAuthorize } from "./routes/authorize.ts";
import { type HostSettings, openHostCheck } from "./routes/check-host.ts";
import { openSiteCheck } from "./routes/check-site.ts";
import { openClientOf } from "./routes/client-of.ts";
import { shuttingDown } from "./routes/error-response.ts";
import { type Handler, openHandling, type Visit } from "./routes/handle-request.ts";
import type { BodyRules } from "./routes/read-body.ts";
import { answerDebug } from "./routes/route-debug.ts";
import { openMcpRoute } from "./routes/route-mcp.ts";
import { answerRpc } from "./routes/route-rpc.ts";
import { answerSimulate } from "./routes/route-simulate.ts";
import type { Services } from "./services.ts";

export interface AppOptions {
  readonly daemon: HostSettings &
    Pick<DaemonConfig, "allowedOrigins" | "bodyBytes" | "clientHeader">;
  /** Simulations that have room: those in work, and those that wait. */
  readonly capacity: number;
  readonly timeoutMilliseconds: number;
  readonly bodyRules: BodyRules;
  /** Aborted: the daemon accepts no new work. */
  readonly stopping: AbortSignal;
  /** Aborted, with the reason, when all work must end. */
  readonly ending: AbortSignal;
}

export interface App {
  /** `address`: of the connection; null for a Unix socket. */
  readonly fetch: (request: Request, address: string | null) => Response | Promise<Response>;
  /** Requests without an answer so far. */
  readonly inFlight: () => number;
  /** Clients need this token from now on. */
  readonly replaceToken: (token: string) => void;
}

interface Environment {
  Bindings: { readonly address: string | null };
}

interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Work needs the token and room; status does not. Null: no work. */
  readonly mostAtOnce: number | null;
  /** Of the body. */
  readonly maximumBytes: number;
  readonly handler: Handler;
}

/** Requests that wait for nodes, or for the run of another client for the same hash. */
const MOST_DEBUG_REQUESTS = 256;
const LEAST_RPC_REQUESTS = 256;
const KIBIBYTE = 1024;
/** A hash, an envelope, a batch of envelopes or of 200 keys each, and overrides with code. */
const BODY_BYTES = {
  hash: KIBIBYTE,
  envelope: 512 * KIBIBYTE,
  rpc: 4 * KIBIBYTE ** 2,
  mcp: 2 * KIBIBYTE ** 2,
} as const;
/** As long as browsers keep the answer to a preflight. */
const PREFLIGHT_SECONDS = 7_200;

export function createApp(services: Services, options: AppOptions): App {
  const { daemon, stopping } = options;
  const authorize = openAuthorize(daemon.token);
  const checkHost = openHostCheck(daemon);
  const checkSite = openSiteCheck(daemon);
  const clientOf = openClientOf(daemon.clientHeader);
  const handling = openHandling({ ...services, ...options });
  const app = new Hono<Environment>({ getPath: pathOf });
  if (daemon.allowedOrigins.length > 0) app.use(allowOrigins(daemon.allowedOrigins));
  const answer = (route: string, admit: Visit["admit"], handler: Handler, maximumBytes: number) => {
    return ({ req: { raw: request }, env }: HonoContext<Environment>) => {
      const client = clientOf(request, env.address);
      return handling.handle({ route, request, client, maximumBytes, admit, handler });
    };
  };
  /** Every request is from a name that is allowed, whatever it asks for. */
  const open =
    (handler: Handler): Handler =>
    (context) => {
      checkHost(context.request);
      return handler(context);
    };
  for (const { method, path, mostAtOnce, maximumBytes, handler } of routes(
    services,
    options,
    authorize,
  )) {
    const admission = mostAtOnce === null ? null : services.bodies.admission(mostAtOnce);
    const admit = (request: Request) => {
      checkHost(request);
      checkSite(request);
      authorize(request);
      if (stopping.aborted) throw shuttingDown();
      return admission as Admission;
    };
    const guarded = admission ? handler : open(handler);
    app.on(method, path, answer(path, admission && admit, guarded, maximumBytes));
    app.all(path, answer(path, null, open(refuseMethod(method, path)), maximumBytes));
  }
  app.notFound(answer("other", null, open(refusePath), 0));
  return {
    fetch: (request, address) => app.fetch(request, { address }),
    inFlight: handling.inFlight,
    replaceToken: authorize.replace,
  };
}

/** A request of HTTP/1.0 without a Host header has only a path. */
function pathOf({ url }: Request): string {
  const begin = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  return /^[^?#]*/.exec(url.slice(begin))?.[0] ?? "/";
}

function routes(
  services: Services,
  { daemon, capacity, timeoutMilliseconds, bodyRules }: AppOptions,
  authorize: Authorize,
): Route[] {
  const open = (path: string, handler: Handler): Route => ({
    method: "GET",
    path,
    mostAtOnce: null,
    maximumBytes: bodyRules.maximumBytes,
    handler,
  });
  const work = (
    path: string,
    mostAtOnce: number,
    maximumBytes: number,
    handler: Handler,
  ): Route => ({ method: "POST", path, mostAtOnce, maximumBytes, handler });
  const { metrics } = services;
  const { hash, envelope, rpc, mcp } = BODY_BYTES;
  const page = { services, authorize };
  const document = openapiDocument({ guarded: daemon.token !== null });
  return [
    open("/", ({ request }) => answerHome(page, request)),
    open("/transactions/:hash", ({ request }) => answerTransaction(page, request)),
    open("/openapi.json", () => Response.json(document)),
    open("/health", () => Response.json(services.health())),
    open("/ready", async () => {
      const problem = await services.whyNotReady();
      if (problem !== null) throw problem;
      const { missing } = services;
      return Response.json({ ready: true, ...(missing.length > 0 && { missing }) });
    }),
    open("/metrics", async () => {
      const headers = { "content-type": metrics.contentType };
      return new Response(await metrics.render(), { headers });
    }),
    work("/v1/debug", MOST_DEBUG_REQUESTS, hash, (context) => answerDebug(services, context)),
    work("/transactions", MOST_DEBUG_REQUESTS, hash, (context) =>
      answerDebugPage(services, context),
    ),
    work("/simulations", capacity, envelope, (context) => answerSimulatePage(services, context)),
    work("/v1/simulate", capacity, bodyRules.maximumBytes, (context) =>
      answerSimulate(services, context),
    ),
    work("/rpc", Math.max(capacity, LEAST_RPC_REQUESTS), rpc, (context) =>
      answerRpc(services, context),
    ),
    work("/mcp", MOST_DEBUG_REQUESTS, mcp, openMcpRoute(services, timeoutMilliseconds)),
  ];
}

/** A browser sends its preflight without a token, so it is answered before everything else. */
function allowOrigins(allowed: readonly string[]) {
  return cors({
    origin: allowed.includes("*") ? "*" : [...allowed],
    allowMethods: ["GET", "POST"],
    exposeHeaders: ["x-request-id", "retry-after"],
    maxAge: PREFLIGHT_SECONDS,
  });
}

function refuseMethod(allowed: Route["method"], path: string): Handler {
  return ({ request }) => {
    const allow = allowed === "GET" ? "GET, HEAD" : allowed;
    throw new SvcError("METHOD_NOT_ALLOWED", {
      message: `${path} does not support ${request.method}.`,
      remedy: `Use ${allow}.`,
      details: { allow },
    });
  };
}

const refusePath: Handler = () => {
  throw new SvcError("ROUTE_NOT_FOUND", {
    message: "The daemon has nothing at this path.",
    remedy: "See / or /openapi.json for the list of paths.",
  });
};
