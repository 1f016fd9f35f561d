// The functions that the routes need, without HTTP. They are passed to the app.

import type { Clock } from "../base/clock.ts";
import type { SvcError } from "../base/errors/errors.ts";
import type { Run, Tools } from "../tools/tools.ts";
import type { Health } from "./health.ts";
import type { WorkRooms } from "./limits/admission.ts";
import type { AnswerMemory } from "./limits/answer-memory.ts";
import type { Metrics } from "./metrics.ts";
import type { RecentPages } from "./page/recent-pages.ts";
import type { EventLog } from "./request-log.ts";
import type { Handler } from "./routes/handle-request.ts";
import type { Part } from "./routes/reply.ts";

/** A method: unchecked parameters → the result as JSON text. */
export type RpcMethod = (parameters: unknown, run: Run) => Promise<Part>;

export interface Services {
  readonly network: string;
  readonly metrics: Metrics;
  readonly log: EventLog;
  readonly clock: Clock;
  readonly rooms: WorkRooms;
  readonly answerMemory: AnswerMemory;
  readonly tools: Tools;
  /** Handles POST /mcp; null if there is no such route. */
  readonly answerAgents: Handler | null;
  readonly recent: RecentPages;
  /**
   * Returns svc.html, of which a page that replays itself has a part. Throws SIMULATOR_NOT_FOUND.
   */
  readonly ownPage: () => Promise<string>;
  /**
   * Returns svc-sim's response. `key` is equal for equal requests. Throws the errors of `request`,
   * the error that svc-sim reports, and OVERLOADED.
   */
  readonly simulate: (key: string, run: Run, request: () => unknown) => Promise<string>;
  /** The methods by name. */
  readonly rpcMethods: Readonly<Record<string, RpcMethod>>;
  /** The error of a method that is refused to all; null for any other. */
  readonly whyRefused: (method: string) => SvcError | null;
  /** Missing programs, without which the server does less. */
  readonly missing: readonly string[];
  readonly health: () => Health;
  /** Null if the server can simulate now. */
  readonly whyNotReady: () => Promise<SvcError | null>;
}
