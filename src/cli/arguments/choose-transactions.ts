// What of svc debug's flags goes together: the transactions that are asked for, and the format.

import { SvcError } from "../../base/errors/errors.ts";
import type { Findings } from "../../model/finding.ts";
import type { ReportFormat } from "../../report/report-format.ts";
import type { Asked } from "../investigate-all.ts";
import type { Shell } from "../shell.ts";
import { type ParsedFlags, textFlag } from "./common-flags.ts";
import type { AskedHashes } from "./read-hashes.ts";

/** Throws USAGE when --json contradicts --format. */
export function reportFormat({ json }: Shell, args: ParsedFlags): ReportFormat {
  const format = textFlag(args, "format") as ReportFormat | undefined;
  if (args.json !== true || format === undefined || format === "json")
    return format ?? (json ? "json" : "text");
  throw usage(`--json and --format ${format} contradict each other.`, "Give only one of them.");
}

/** Throws USAGE when --fix goes with what has its own way of being shown. */
export function wantsFix(args: ParsedFlags, format: ReportFormat): boolean {
  if (args.fix !== true) return false;
  if (args.interactive !== true && (format === "text" || format === "json")) return true;
  const other = args.interactive === true ? "-i" : `--format ${format}`;
  throw usage(
    `--fix and ${other} contradict each other.`,
    "Give only one of them, or --fix --json.",
  );
}

/**
 * Without a hash, the capsule of --from or else the transactions that the file of --expect names.
 * Throws USAGE when nothing is asked for, or several where there is room for one.
 */
export function chooseAsked(
  given: AskedHashes,
  expectedHashes: readonly string[],
  args: ParsedFlags,
  format: ReportFormat,
): Asked {
  const capsule = textFlag(args, "from");
  if (capsule !== undefined && !given.single)
    throw usage("--from holds one transaction.", "Give one hash, or none.");
  // What is left are the transactions of --expect, which are a list.
  const named = given.hashes.length > 0 || capsule !== undefined || expectedHashes.length === 0;
  if (args.save !== undefined && !(given.single && named))
    throw usage("--save takes one transaction.", "Save each with svc capture <hash>.");
  // A document that lists its transactions can say of each that it has no answer.
  const throws = given.single && (format === "text" || format === "json");
  const asked = { capsule: capsule ?? "", single: given.single, throws };
  if (given.hashes.length > 0) return { ...asked, hashes: given.hashes };
  if (capsule !== undefined) return { ...asked, hashes: [null] };
  if (expectedHashes.length > 0)
    return { ...asked, hashes: expectedHashes, single: false, throws: false };
  throw usage(
    "<hash> is missing, and no capsule was given with --from.",
    "Run svc debug <hash>, or svc debug --from FILE.",
  );
}

/** On stderr too, for whoever reads a log while the document goes to a file. */
export function logFailedExpectations({ log }: Shell, { list, single }: Findings): void {
  for (const finding of list) {
    const subject = single ? "" : `${finding.subject}: `;
    if (finding.kind === "unanswered")
      log.error(`${subject}${finding.error.message} [${finding.error.code}]`);
    else
      for (const { origin, condition, message } of finding.failedExpectations ?? [])
        log.error(`${subject}${origin} ${condition}: ${message}`);
  }
}

function usage(message: string, remedy: string): SvcError {
  return new SvcError("USAGE", { message, remedy });
}
