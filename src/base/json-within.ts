// JSON that is written as a text within JSON, as loggers and error trackers do.

import { excessOfJson } from "./json-bounds.ts";

/** The value that a text of JSON has; the value itself if it is no such text. */
export function jsonWithin(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  if (excessOfJson(value) !== null) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
