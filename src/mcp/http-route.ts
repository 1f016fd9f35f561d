// POST /mcp: tools for agents, in the Model Context Protocol over Streamable HTTP.

import { openQueueOfTurns } from "../base/turns.ts";
import type { OpenAgents } from "../http-server/agents.ts";
import { endOfRequest, type RequestContext } from "../http-server/routes/handle-request.ts";
import { parseJsonBody } from "../http-server/routes/read-body.ts";
import { openAllowedDirectory } from "./allowed-directory.ts";
import { openAnswerStore } from "./answer-store.ts";
import { agentTools } from "./tools.ts";

/** Clients can store at most this many files. A capsule has some hundred kilobytes. */
const MOST_FILES = 1_000;

export const openAgents: OpenAgents = (beside) => {
  const { tools, hasArchive, allowDirectory, timeoutMilliseconds } = beside;
  const directory =
    allowDirectory === null ? null : openAllowedDirectory(allowDirectory, MOST_FILES);
  const options = { tools, networks: null, overHttp: true, hasArchive, directory };
  const offered = agentTools(options, openAnswerStore());
  const ownTurn = openQueueOfTurns();
  return async (context) => {
    const { answerOverHttp } = await import("./mcp-server.ts");
    const body = parseJsonBody(await context.text());
    // One request at a time is begun, so that a flood of small calls leaves time for others.
    await ownTurn();
    const { request, run, signal, failed } = context;
    const answer = await answerOverHttp(request, body, {
      tools: offered,
      overHttp: true,
      caller: run,
      signal,
      timeoutMilliseconds,
      asError(thrown) {
        const error = endOfRequest(request, thrown);
        failed(error, {});
        return error;
      },
    });
    return followed(answer, context);
  };
};

/** A stream is part of the request until it ends, or until the request's signal is aborted. */
function followed(response: Response, context: RequestContext): Response {
  const { request, streams, signal } = context;
  const { body, headers } = response;
  if (body === null || !headers.get("content-type")?.startsWith("text/event-stream"))
    return response;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const ended = () => (signal.aborted ? endOfRequest(request, signal.reason) : null);
  streams(body.pipeTo(writable, { signal }).then(ended, ended));
  // Without this, nginx would buffer events.
  return new Response(readable, {
    status: response.status,
    headers: { ...Object.fromEntries(headers), "x-accel-buffering": "no" },
  });
}
