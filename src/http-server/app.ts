// The app: each route of route-table.ts, behind the checks of who may send requests.

import { Hono, type Context as HonoContext } from "hono";
import { cors } from "hono/cors";
import { SvcError } from "../base/errors/errors.ts";
import { type Audience, HTTP } from "../base/phrase.ts";
import type { Admission } from "./limits/admission.ts";
import { openClientOf } from "./limits/client-of.ts";
import type { Connection, Fetch } from "./listen.ts";
import { openRoutes, type Route, type RouteOptions } from "./route-table.ts";
import { openAuthorize } from "./routes/authorize.ts";
import { type HostSettings, openHostCheck } from "./routes/check-host.ts";
import { isOrigin, openSiteCheck } from "./routes/check-site.ts";
import { type Handler, openHandling, type Visit } from "./routes/handle-request.ts";
import { shuttingDown } from "./routes/json-answer.ts";
import { BODY_RULES } from "./routes/read-body.ts";
import type { ServerConfig } from "./server-settings.ts";
import type { Services } from "./services.ts";

export interface AppOptions extends RouteOptions {
  readonly server: HostSettings & Pick<ServerConfig, "allowedOrigins" | "clientHeader">;
  /** Aborted: the server accepts no new work. */
  readonly stopping: AbortSignal;
  /** Aborted, with the reason, when all work must end. */
  readonly ending: AbortSignal;
}

export interface App {
  readonly fetch: Fetch;
  /** The number of requests without an answer. */
  readonly inFlight: () => number;
  /** Replaces the token that clients need. */
  readonly replaceToken: (token: string) => void;
}

interface AppEnvironment {
  Bindings: Connection;
}

/** The time that browsers keep the answer to a preflight. */
const PREFLIGHT_SECONDS = 7_200;

export function createApp(services: Services, options: AppOptions): App {
  const { server, stopping } = options;
  const authorize = openAuthorize(server.token);
  const checkHost = openHostCheck(server);
  const checkSite = openSiteCheck(server);
  const clientOf = openClientOf(server.clientHeader);
  const handling = openHandling({ ...services, ...options });
  const app = new Hono<AppEnvironment>({ getPath: pathOf });
  if (server.allowedOrigins.length > 0) app.use(allowOrigins(server.allowedOrigins));
  const answer = (
    route: string,
    admit: Visit["admit"],
    handler: Handler,
    maximumBytes: number,
    audience: Audience = HTTP,
  ) => {
    return ({ req, env }: HonoContext<AppEnvironment>) => {
      const request = req.raw;
      const client = clientOf(request, env.address);
      const parameters = req.param();
      const visit = { route, request, parameters, client, maximumBytes, admit, handler, audience };
      return handling.handle({ ...visit, patience: env.patience });
    };
  };
  /** Every request must come from an allowed name, whatever it asks for. */
  const open =
    (handler: Handler): Handler =>
    (context) => {
      checkHost(context.request);
      return handler(context);
    };
  const answerOf = ({ path, room, maximumBytes, handler, audience }: Route) => {
    const admission = room === null ? null : services.rooms[room];
    const admit = (request: Request) => {
      checkHost(request);
      checkSite(request);
      authorize(request);
      if (stopping.aborted) throw shuttingDown();
      return admission as Admission;
    };
    const guarded = admission ? handler : open(handler);
    return answer(path, admission && admit, guarded, maximumBytes, audience);
  };
  const routes = openRoutes(services, authorize, options);
  for (const [path, routesOfPath] of Map.groupBy(routes, (route) => route.path)) {
    const methods = routesOfPath.map(({ method }) => method);
    const refusal = answer(path, null, open(refuseMethod(methods, path)), BODY_RULES.maximumBytes);
    const answers = new Map<string, typeof refusal>();
    for (const route of routesOfPath) answers.set(route.method, answerOf(route));
    // There is one handler for all methods, because Hono makes a chain of several for each request.
    app.all(path, (context) => {
      const { method } = context.req;
      return (answers.get(method === "HEAD" ? "GET" : method) ?? refusal)(context);
    });
  }
  app.notFound(answer("other", null, open(refusePath), 0));
  return {
    fetch: (request, connection) => app.fetch(request, connection),
    inFlight: handling.inFlight,
    replaceToken: authorize.replace,
  };
}

/** The path of a request. A request of HTTP/1.0 without a Host header has only a path. */
function pathOf({ url }: Request): string {
  const begin = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("//") + 2);
  return /^[^?#]*/.exec(url.slice(begin))?.[0] ?? "/";
}

/** Answers a preflight before everything else, because a browser sends it without a token. */
function allowOrigins(allowed: readonly string[]) {
  return cors({
    origin: allowed.includes("*")
      ? "*"
      : (origin) => (allowed.some((each) => isOrigin(each, origin)) ? origin : null),
    allowMethods: ["GET", "POST"],
    exposeHeaders: ["x-request-id", "retry-after"],
    maxAge: PREFLIGHT_SECONDS,
  });
}

function refuseMethod(allowed: readonly Route["method"][], path: string): Handler {
  return ({ request }) => {
    const allow = allowed.map((each) => (each === "GET" ? "GET, HEAD" : each)).join(", ");
    throw new SvcError("METHOD_NOT_ALLOWED", {
      message: `${path} does not support ${request.method}.`,
      remedy: `Use ${allow}.`,
      details: { allow },
    });
  };
}

const refusePath: Handler = () => {
  throw new SvcError("ROUTE_NOT_FOUND", {
    message: "This server has nothing at this path.",
    remedy: "See / or /openapi.json for the list of paths.",
  });
};
