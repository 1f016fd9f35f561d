// svc watch: follows the network, verifies every transaction, and reports what fails and differs.

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { EXIT } from "../../base/errors/base-errors.ts";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import { AGAIN, phrase } from "../../base/phrase.ts";
import { directory, integer, mebibytes, type Settings } from "../../base/settings/setting.ts";
import { type Arguments, type Command, defineCommand } from "../../command/command.ts";
import {
  COMMON,
  LABEL,
  NODES_OF_LEDGERS,
  REHEARSAL,
  verbose,
} from "../../command/common-settings.ts";
import { exitCodeOfVerification } from "../../command/exit-code.ts";
import { logSentence } from "../../command/log-sentence.ts";
import { type Shell, surroundingsOf, textOptions } from "../../command/shell.ts";
import { FOLLOW_COUNTS, type FollowEvent, type FollowTotals } from "../../model/follow.ts";
import { readLabels } from "../../model/labels.ts";
import { noValues } from "../../model/verification.ts";
import { type Config, configOf } from "../../sources/network-settings.ts";
import { openProtocolNotes } from "../../sources/protocol-notes.ts";
import type { FollowProgress } from "../follow-ledgers.ts";

const WINDOW_SECONDS = 600;

const ledger = integer(2, 0xffff_ffff);

const WATCH = {
  watched: {
    word: "many",
    help: "Contracts (C…) and accounts (G…) to watch. Without one, svc watches all.",
  },
  function: {
    hint: "NAME",
    repeats: true,
    help: "Report only failures in this contract function.",
  },
  cause: {
    hint: "KIND",
    repeats: true,
    help: "Report only failures with this kind of cause (`svc explain --list causes`).",
  },
  ...LABEL,
  all: { help: "Also report transactions that succeed." },
  fix: { help: "Look for the fix of each failure, with further runs." },
  fromLedger: {
    hint: "N",
    schema: ledger,
    otherwise: "the latest, or the one after the saved progress",
    help: "First ledger to verify.",
  },
  untilLedger: { hint: "N", schema: ledger, help: "Stop after this ledger." },
  state: {
    hint: "DIR",
    schema: directory,
    help: "Directory for saved progress, from which a later run continues.",
  },
  ...REHEARSAL,
  jobs: {
    hint: "N",
    schema: integer(1, 256),
    otherwise: "all",
    help: "Number of cores to use.",
  },
  memory: {
    hint: "MIB",
    schema: mebibytes(16, 65_536),
    default: "256",
    help: "Memory for known ledger entries.",
  },
  ...NODES_OF_LEDGERS,
  ...COMMON,
  ...verbose("Show progress, and also report equivalent and inconclusive transactions."),
  json: { group: "Output", help: "Print one JSON document per line on stdout." },
} as const satisfies Settings;

type WatchArguments = Arguments<typeof WATCH>;

export const command: Command = {
  ...defineCommand(WATCH, watchCommand),
  examples: [
    ["-n mainnet", "Show every failure and its cause."],
    ["C… --cause contract-error --fix", "Show the failures of one contract, each with a fix."],
    ["--state DIR --json", "Print JSON for a program. A later run resumes."],
  ],
};

async function watchCommand(shell: Shell, args: Arguments<typeof WATCH>): Promise<number> {
  const { fromLedger: first, untilLedger: last } = args;
  if (first !== null && last !== null && last < first) {
    throw usageError(
      `--until-ledger ${last} is before --from-ledger ${first}.`,
      "Swap the two ledgers.",
    );
  }
  const { renderTotals } = await rendering(shell);
  let totals: FollowTotals = noValues(FOLLOW_COUNTS);
  let exitCode: number = EXIT.interrupted;
  try {
    totals = await watch(shell, configOf(args), args, (latest) => {
      totals = latest;
    });
    exitCode = exitCodeOfVerification(totals);
  } catch (error) {
    // An interruption is the end that the user wants, unless --until-ledger sets another.
    if (!shell.signal.aborted && !shell.output.readerGone()) throw error;
    shell.log.endProgress();
    if (shell.output.readerGone()) exitCode = exitCodeOfVerification(totals);
  }
  await shell.output.write(renderTotals(totals));
  return exitCode;
}

async function watch(
  shell: Shell,
  config: Config,
  args: WatchArguments,
  progressed: (totals: FollowTotals) => void,
): Promise<FollowTotals> {
  const { openFollow } = await import("../open-follow.ts");
  const { followLedgers } = await import("../follow-ledgers.ts");
  const { openFollowStore } = await import("../follow-store.ts");
  const { renderEvent } = await rendering(shell);
  const leaving = new AbortController();
  const signal = AbortSignal.any([shell.signal, leaving.signal]);
  const { networkPassphrase } = config;
  const state = args.state && resolve(shell.facts.workingDirectory, args.state);
  const log = (level: "info" | "warn" | "error", message: string, fields = {}) => {
    shell.log[level](logSentence(message, fields));
  };
  await using opened = await openFollow(config, {
    noteProtocols: openProtocolNotes(log),
    watch: watchListOf(args),
    rehearseProtocol: args.rehearseProtocol,
    jobs: args.jobs ?? availableParallelism(),
    memoryBytes: args.memory,
    fix: args.fix,
    successes: args.all,
    surroundings: surroundingsOf(shell),
    signal,
  });
  using store = state === null ? null : openFollowStore(state, networkPassphrase, null);
  if (store?.cursor) progressed(store.cursor.totals);
  let kept = store?.cursor?.ledger ?? null;
  const dependencies = {
    ...opened,
    store,
    log,
    report: async (events: readonly FollowEvent[]) => {
      const text = events.map(renderEvent).join("");
      if (text !== "") await shell.output.write(text);
      if (shell.output.readerGone()) leaving.abort(readerGone());
    },
    committed: ({ ledger, latest, totals, outcome }: FollowProgress) => {
      progressed(totals);
      kept = ledger;
      if (outcome === null) return;
      const behind = latest > ledger ? `, ${latest - ledger} behind` : "";
      shell.log.progress(`ledger ${ledger} verified${behind}`);
    },
  };
  const network = config.network === "custom" ? networkPassphrase : config.network;
  const options = {
    network,
    fromLedger: args.fromLedger,
    untilLedger: args.untilLedger,
    behindLedgers: 0,
    windowSeconds: WINDOW_SECONDS,
    backlog: { limit: null, policy: "catch-up" } as const,
  };
  try {
    return await followLedgers(dependencies, options, { signal });
  } catch (error) {
    if (state !== null && kept !== null && !signal.aborted)
      shell.log.warn(
        `The progress up to ledger ${kept} is saved in ${state}. Run the same command to continue.`,
      );
    throw error;
  }
}

function watchListOf(args: WatchArguments) {
  const labels = readLabels(args.label, args.file);
  const nameOf = (address: string) => labels.get(address)?.name ?? null;
  const things = args.watched.map((address) => ({ address, label: nameOf(address) }));
  return { things, functions: args.function, causes: args.cause, labels };
}

async function rendering(shell: Shell) {
  const { renderFollowText, renderTotalsText } = await import("../../report/text/render-follow.ts");
  if (shell.json) {
    return {
      renderEvent: (event: FollowEvent) => `${JSON.stringify(event)}\n`,
      renderTotals: (totals: FollowTotals) => `${JSON.stringify({ kind: "end", totals })}\n`,
    };
  }
  const isShown = ({ kind }: FollowEvent) => {
    // Each failure was shown already, with its count.
    if (kind === "failure-summary") return false;
    return shell.verbose || (kind !== "equivalent" && kind !== "inconclusive");
  };
  return {
    renderEvent: (event: FollowEvent) =>
      isShown(event) ? renderFollowText(event, textOptions(shell)) : "",
    renderTotals: renderTotalsText,
  };
}

function readerGone(): SvcError {
  return new SvcError("INTERRUPTED", {
    message: "The reader of the output has ended.",
    remedy: phrase`${AGAIN}.`,
  });
}
