// The flags of svc watch: what to watch, which ledgers, and what to do with them.

import type { ArgsDef } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import type { Labels } from "../../base/settings/labels.ts";
import { CAUSE_KINDS } from "../../model/follow.ts";
import { REPEATABLE, VARIADIC } from "../arguments/check-arguments.ts";
import { type ParsedFlags, textFlag } from "../arguments/common-flags.ts";
import { repeatedFlag } from "../arguments/repeated-flag.ts";

export const WATCH_FLAGS = {
  watched: {
    type: "positional",
    required: false,
    valueHint: VARIADIC,
    description: "Contracts (C…) and accounts (G…) to watch. Without any, all are watched.",
  },
  function: {
    type: "string",
    valueHint: `NAME${REPEATABLE}`,
    description: "Report only failures in this contract function.",
  },
  cause: {
    type: "string",
    valueHint: `KIND${REPEATABLE}`,
    description: "Report only failures with this kind of cause; the kinds are listed below.",
  },
  label: {
    type: "string",
    valueHint: `ADDRESS=NAME${REPEATABLE}`,
    description: "Name for an address in reports.",
  },
  all: { type: "boolean", description: "Also report transactions that succeed." },
  fix: { type: "boolean", description: "Look for the fix of each failure, with further runs." },
  "from-ledger": {
    type: "string",
    valueHint: "N",
    description: "First ledger (default: the latest, or where the state ends).",
  },
  "until-ledger": { type: "string", valueHint: "N", description: "End after this ledger." },
  state: {
    type: "string",
    valueHint: "DIR",
    description: "Save the position in this directory, and go on from there.",
  },
  "rehearse-protocol": {
    type: "string",
    valueHint: "N",
    description: "Run each transaction under this protocol too, and report what would differ.",
  },
  jobs: {
    type: "string",
    valueHint: "N",
    description: "Number of cores to use (default: all).",
  },
  memory: {
    type: "string",
    valueHint: "MIB",
    description: "Memory for known ledger entries (default: 256 MiB).",
  },
} as const satisfies ArgsDef;

/** For the end of the help: the list is longer than all flags. */
export const KINDS_IN_WORDS = `Kinds of cause: ${CAUSE_KINDS.join(", ")}.`;

const MEBIBYTE = 1024 * 1024;
const MAXIMUM_LEDGER = 0xffffffff;

/** Throws USAGE. */
export function readWatchFlags(args: ParsedFlags, rawArgs: readonly string[], labels: Labels) {
  const words = (args._ as readonly string[] | undefined) ?? [];
  const first = wholeNumber(args, "from-ledger", 2, MAXIMUM_LEDGER);
  const last = wholeNumber(args, "until-ledger", 2, MAXIMUM_LEDGER);
  if (first !== null && last !== null && last < first) {
    throw new SvcError("USAGE", {
      message: `--until-ledger ${last} is before --from-ledger ${first}.`,
      remedy: "Swap the two ledgers.",
    });
  }
  return {
    watch: {
      things: words.map((address) => ({ address, label: labels.get(address) ?? null })),
      functions: repeatedFlag(rawArgs, "function"),
      causes: repeatedFlag(rawArgs, "cause"),
      labels,
    },
    fromLedger: first,
    untilLedger: last,
    rehearseProtocol: wholeNumber(args, "rehearse-protocol", 20, 1000),
    jobs: wholeNumber(args, "jobs", 1, 256),
    memoryBytes: (wholeNumber(args, "memory", 16, 65_536) ?? 256) * MEBIBYTE,
    state: textFlag(args, "state") ?? null,
    fix: args.fix === true,
    successes: args.all === true,
  };
}

function wholeNumber(args: ParsedFlags, name: string, least: number, most: number): number | null {
  const text = textFlag(args, name);
  if (text === undefined) return null;
  const number = Number(text);
  if (/^\d{1,10}$/.test(text) && number >= least && number <= most) return number;
  throw new SvcError("USAGE", {
    message: `--${name} must be a whole number from ${least} to ${most}, not "${text}".`,
    remedy: "Run `svc watch --help` to see each flag.",
  });
}
