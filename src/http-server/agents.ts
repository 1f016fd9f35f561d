// What answers agents at POST /mcp. The server lends it its tools, and knows nothing else of it.

import type { Tools } from "../tools/tools.ts";
import type { Handler } from "./routes/handle-request.ts";

export interface BesideServer {
  readonly tools: Tools;
  /** The network has a history archive. */
  readonly hasArchive: boolean;
  /** Null: agents name no files. */
  readonly allowDirectory: string | null;
  /** The time limit of one call. */
  readonly timeoutMilliseconds: number;
}

/** Throws why the directory cannot be used. */
export type OpenAgents = (beside: BesideServer) => Handler;
