// The handler for agents at POST /mcp. The server gives it its tools, and knows nothing else about
// it.

import type { Tools } from "../tools/tools.ts";
import type { Handler } from "./routes/handle-request.ts";

export interface BesideServer {
  readonly tools: Tools;
  /** True if the network has a history archive. */
  readonly hasArchive: boolean;
  /** Null if agents cannot name files. */
  readonly allowDirectory: string | null;
  /** The time limit of one call. */
  readonly timeoutMilliseconds: number;
}

/** Opens the handler. Throws the reason why the directory cannot be used. */
export type OpenAgents = (beside: BesideServer) => Handler;
