// The official client of the Model Context Protocol, connected to `svc mcp` or to a daemon.

import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { svcBinary } from "../cli/run-svc.ts";
import type { Loopback } from "./loopback-server.ts";

export interface McpClient extends AsyncDisposable {
  readonly client: Client;
  /** The result of a call that must not fail, checked against the tool's schema by the client. */
  readonly call: (name: string, given: object) => Promise<Record<string, unknown>>;
  /** The error of a call that must fail. */
  readonly fail: (name: string, given: object) => Promise<ToolError>;
}

export interface ToolError {
  readonly code: string;
  readonly message: string;
  readonly remedy: string;
}

/** 2,000 tokens of four characters. */
const MOST_RESULT_CHARACTERS = 8_000;

export function connectHttp(
  url: string,
  headers: Record<string, string> = {},
  mode: VersionNegotiationMode = "legacy",
): Promise<McpClient> {
  const requestInit = { headers };
  return connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }), mode);
}

export function connectStdio(
  words: readonly string[],
  mode: VersionNegotiationMode = "legacy",
  env: Record<string, string> = {},
): Promise<McpClient> {
  const args = ["mcp", "--sim-path", SIMULATOR_BINARY, ...words];
  const child = { command: svcBinary(), args, env, stderr: "pipe" } as const;
  return connect(new StdioClientTransport(child), mode);
}

/** Returns the flags for the nodes of the recorded network. */
export function nodeFlags(loopback: Loopback, horizon?: string, rpc?: string): string[] {
  return [
    ...["--network-passphrase", loopback.network.passphrase],
    ...["--horizon-url", loopback.url("horizon", horizon)],
    ...["--rpc-url", loopback.url("rpc", rpc)],
  ];
}

async function connect(
  transport: StreamableHTTPClientTransport | StdioClientTransport,
  mode: VersionNegotiationMode,
): Promise<McpClient> {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  // The types of the package do not agree with exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  const request = async (name: string, given: object) => {
    // The client checks structured content only for tools that it has listed.
    await client.listTools();
    return client.callTool({ name, arguments: { ...given } }, { timeout: 110_000 });
  };
  return {
    client,
    async call(name, given) {
      const { content, structuredContent, isError } = await request(name, given);
      const [text] = content;
      if (isError || text?.type !== "text") throw new Error(`${name}: ${JSON.stringify(content)}`);
      const size = JSON.stringify({ content, structuredContent }).length;
      if (size > MOST_RESULT_CHARACTERS) throw new Error(`${name} answers with ${size} characters`);
      const value = JSON.parse(text.text) as Record<string, unknown>;
      if (!Bun.deepEquals(value, structuredContent)) throw new Error(`${name}: two answers`);
      return value;
    },
    async fail(name, given) {
      const { content, isError } = await request(name, given);
      const [text] = content;
      if (!isError || text?.type !== "text") throw new Error(`${name} did not fail`);
      return (JSON.parse(text.text) as { error: ToolError }).error;
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
