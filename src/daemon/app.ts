// The paths of the daemon. Routes read requests and write answers; services.ts does the work.

import { Hono } from "hono";
import { cors } from "hono/cors";
import { SvcError } from "../base/errors/errors.ts";
import { openapiDocument } from "./openapi.ts";
import { openAuthorize } from "./routes/authorize.ts";
import { shuttingDown } from "./routes/error-response.ts";
import { type Handler, openHandling } from "./routes/handle-request.ts";
import { landingPage } from "./routes/landing-page.ts";
import type { BodyRules } from "./routes/read-body.ts";
import { answerDebug } from "./routes/route-debug.ts";
import { answerRpc } from "./routes/route-rpc.ts";
import { answerSimulate } from "./routes/route-simulate.ts";
import type { Services } from "./services.ts";

export interface AppOptions {
  /** Null: requests need no token. */
  readonly token: string | null;
  readonly allowedOrigins: readonly string[];
  readonly timeoutMilliseconds: number;
  readonly bodyRules: BodyRules;
  /** Aborted: the daemon accepts no new work. */
  readonly stopping: AbortSignal;
  /** Aborted, with the reason, when all work must end. */
  readonly ending: AbortSignal;
}

export interface App {
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Requests without an answer so far. */
  readonly inFlight: () => number;
  /** Clients need this token from now on. */
  readonly replaceToken: (token: string) => void;
}

interface Route {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Work needs the token; status does not. */
  readonly guarded: boolean;
  readonly handler: Handler;
}

/** As long as browsers keep the answer to a preflight. */
const PREFLIGHT_SECONDS = 7_200;

export function createApp(services: Services, options: AppOptions): App {
  const authorize = openAuthorize(options.token);
  const handling = openHandling({ ...services, ...options });
  const app = new Hono();
  if (options.allowedOrigins.length > 0) app.use(allowOrigins(options.allowedOrigins));
  for (const { method, path, guarded, handler } of routes(services, options)) {
    const handle: Handler = (context) => {
      if (guarded) authorize(context.request);
      if (guarded && options.stopping.aborted) throw shuttingDown();
      return handler(context);
    };
    app.on(method, path, ({ req }) => handling.around(path, req.raw, handle));
    app.all(path, ({ req }) => handling.around(path, req.raw, refuseMethod(method, path)));
  }
  app.notFound(({ req }) => handling.around("other", req.raw, refusePath));
  return {
    fetch: (request) => app.fetch(request),
    inFlight: handling.inFlight,
    replaceToken: authorize.replace,
  };
}

function routes(services: Services, { token }: AppOptions): Route[] {
  const open = (path: string, handler: Handler): Route => ({
    method: "GET",
    path,
    guarded: false,
    handler,
  });
  const work = (path: string, handler: Handler): Route => ({
    method: "POST",
    path,
    guarded: true,
    handler,
  });
  const { metrics, network } = services;
  const document = openapiDocument({ guarded: token !== null });
  return [
    open("/", () => landingPage(network)),
    open("/openapi.json", () => Response.json(document)),
    open("/health", () => Response.json(services.health())),
    open("/ready", async ({ signal }) => {
      const problem = await services.whyNotReady(signal);
      if (problem !== null) throw problem;
      return Response.json({ ready: true });
    }),
    open("/metrics", async () => {
      const headers = { "content-type": metrics.contentType };
      return new Response(await metrics.render(), { headers });
    }),
    work("/v1/debug", (context) => answerDebug(services, context)),
    work("/v1/simulate", (context) => answerSimulate(services, context)),
    work("/rpc", (context) => answerRpc(services, context)),
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
