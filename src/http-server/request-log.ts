// The server's log: one JSON object a line on stderr. Values may quote requests and the chain, so
// they are neutralized. The log has no secrets, because neither headers nor bodies are logged.
// Lines are collected and written together, because a write takes as long as a small simulation.

import type { Clock } from "../base/clock.ts";
import { neutralise } from "../base/text/neutralise.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;
export type EventLevel = "debug" | "info" | "warn" | "error";

export interface EventLog {
  write(level: EventLevel, message: string, fields?: LogFields): void;
  /** Writes the collected lines. */
  flush(): void;
}

export interface EventLogOptions {
  readonly clock: Clock;
  /** Receives complete lines. */
  readonly write: (lines: string) => void;
  /** Events of a lower level are left out. */
  readonly lowest: EventLevel;
}

const HELD_BACK_MILLISECONDS = 20;
const LEVELS: readonly EventLevel[] = ["debug", "info", "warn", "error"];

export function openEventLog({ clock, write, lowest }: EventLogOptions): EventLog {
  const shown = LEVELS.slice(LEVELS.indexOf(lowest));
  let held = "";
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (held !== "") write(held);
    held = "";
  };
  return {
    flush,
    write(level, message, fields = {}) {
      if (!shown.includes(level)) return;
      const time = new Date(clock.unixMilliseconds()).toISOString();
      const line: Record<string, LogFields[string]> = { time, level, message: neutralise(message) };
      for (const [name, value] of Object.entries(fields))
        line[name] = typeof value === "string" ? neutralise(value) : value;
      held += `${JSON.stringify(line)}\n`;
      timer ??= setTimeout(flush, HELD_BACK_MILLISECONDS);
    },
  };
}
