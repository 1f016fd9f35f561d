// Flags of svc debug that are announced and not there yet. They parse, so that scripts can be
// written against them, and say so at once instead of being ignored.

import { SvcError } from "../base/errors.ts";
import type { ParsedFlags } from "./common-flags.ts";

const LATER = ["tracing"] as const;

/** Throws NOT_AVAILABLE_YET naming the first such flag that was given. */
export function refuseLaterFlags(args: ParsedFlags): void {
  const flag = LATER.find((name) => args[name] !== undefined && args[name] !== false);
  if (flag === undefined) return;
  throw new SvcError("NOT_AVAILABLE_YET", {
    message: `--${flag} is not available yet.`,
    remedy: `Run svc debug without --${flag}.`,
    details: { flag: `--${flag}` },
  });
}
