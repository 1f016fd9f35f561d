// The server over Streamable HTTP. It keeps nothing between requests, so there are no sessions.

import { createMcpHandler } from "@modelcontextprotocol/server";
import { createMcpServer, type ServerOptions } from "./mcp-server.ts";

/** `body`: of the request, as JSON. */
export function answerOverHttp(
  request: Request,
  body: unknown,
  options: ServerOptions,
): Promise<Response> {
  // A handler for each request: its tools end with the request's signal.
  const handler = createMcpHandler(() => createMcpServer(options));
  return handler.fetch(request, { parsedBody: body });
}
