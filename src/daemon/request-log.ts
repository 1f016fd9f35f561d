// The daemon's log: one JSON object a line on stderr. Values may quote requests and the chain, so
// they are neutral; secrets never come here, since neither headers nor bodies are logged.

import type { Clock } from "../base/clock.ts";
import { neutralise } from "../base/neutralise.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;
export type EventLevel = "debug" | "info" | "warn" | "error";

export interface EventLog {
  write(level: EventLevel, message: string, fields?: LogFields): void;
}

export interface EventLogOptions {
  readonly clock: Clock;
  /** Takes a whole line. */
  readonly write: (line: string) => void;
  /** What is below it is left out. */
  readonly lowest: EventLevel;
}

const LEVELS: readonly EventLevel[] = ["debug", "info", "warn", "error"];

export function openEventLog({ clock, write, lowest }: EventLogOptions): EventLog {
  const shown = LEVELS.slice(LEVELS.indexOf(lowest));
  return {
    write(level, message, fields = {}) {
      if (!shown.includes(level)) return;
      const time = new Date(clock.unixMilliseconds()).toISOString();
      const line = JSON.stringify({ time, level, message, ...fields }, neutral);
      write(`${line}\n`);
    },
  };
}

function neutral(_name: string, value: unknown): unknown {
  return typeof value === "string" ? neutralise(value) : value;
}
