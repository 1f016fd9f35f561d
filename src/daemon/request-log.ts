// The daemon's log: one JSON object a line on stderr. Values may quote requests and the chain, so
// they are neutral; secrets never come here, since neither headers nor bodies are logged.
// Lines are written together a moment later: a write for each costs as much as a small simulation.

import type { Clock } from "../base/clock.ts";
import { neutralise } from "../base/text/neutralise.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;
export type EventLevel = "debug" | "info" | "warn" | "error";

export interface EventLog {
  write(level: EventLevel, message: string, fields?: LogFields): void;
  /** Writes what is still held back. */
  flush(): void;
}

export interface EventLogOptions {
  readonly clock: Clock;
  /** Takes whole lines. */
  readonly write: (lines: string) => void;
  /** What is below it is left out. */
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
      held += `${JSON.stringify({ time, level, message, ...fields }, neutral)}\n`;
      timer ??= setTimeout(flush, HELD_BACK_MILLISECONDS);
    },
  };
}

function neutral(_name: string, value: unknown): unknown {
  return typeof value === "string" ? neutralise(value) : value;
}
