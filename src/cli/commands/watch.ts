// svc watch: follows the network, verifies every transaction, and reports what fails and differs.

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { type ArgsDef, defineCommand } from "citty";
import { SvcError } from "../../base/errors/errors.ts";
import type { Config } from "../../base/settings/config.ts";
import type { FollowProgress } from "../../debugger/follow/follow-ledgers.ts";
import type { FollowEvent, FollowTotals } from "../../model/follow.ts";
import { COMMON_FLAGS, CONFIG_FLAGS, loadConfig } from "../arguments/common-flags.ts";
import { readLabels } from "../arguments/read-labels.ts";
import { exitCodeOfVerification } from "../present/exit-code.ts";
import { type Shell, surroundingsOf, textOptions } from "../shell.ts";
import { readWatchFlags, WATCH_FLAGS } from "./watch-flags.ts";

const WINDOW_SECONDS = 600;
const INTERRUPTED = 130;

const ARGUMENTS = {
  ...WATCH_FLAGS,
  ...CONFIG_FLAGS,
  ...COMMON_FLAGS,
  json: { type: "boolean", description: "Print one JSON document per line on stdout." },
} as const satisfies ArgsDef;

type Flags = ReturnType<typeof readWatchFlags>;

export function watchCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "watch" },
    args: ARGUMENTS,
    async run({ args, rawArgs }) {
      const flags = readWatchFlags(args, rawArgs, readLabels(shell, args, rawArgs));
      const config = loadConfig(shell, args);
      const { renderTotals } = await rendering(shell);
      const { NO_TOTALS } = await import("../../debugger/follow/follow-events.ts");
      let totals = NO_TOTALS;
      let exitCode: number = INTERRUPTED;
      try {
        totals = await watch(shell, config, flags, (latest) => {
          totals = latest;
        });
        exitCode = exitCodeOfVerification(totals);
      } catch (error) {
        // Without --until-ledger, an interruption is the end that a user wants.
        if (!shell.signal.aborted && !shell.output.readerGone()) throw error;
        shell.log.endProgress();
        if (shell.output.readerGone()) exitCode = exitCodeOfVerification(totals);
      }
      await shell.output.write(renderTotals(totals));
      return exitCode;
    },
  });
}

async function watch(
  shell: Shell,
  config: Config,
  flags: Flags,
  progressed: (totals: FollowTotals) => void,
): Promise<FollowTotals> {
  const { openFollow } = await import("../../debugger/follow/open-follow.ts");
  const { followLedgers } = await import("../../debugger/follow/follow-ledgers.ts");
  const { openFollowStore } = await import("../../debugger/follow/follow-store.ts");
  const { renderEvent } = await rendering(shell);
  const leaving = new AbortController();
  const signal = AbortSignal.any([shell.signal, leaving.signal]);
  const { networkPassphrase } = config;
  const state = flags.state && resolve(shell.facts.workingDirectory, flags.state);
  const setup = { ...flags, jobs: flags.jobs ?? availableParallelism() };
  const surroundings = surroundingsOf(shell);
  await using opened = await openFollow(config, { ...setup, surroundings, signal });
  using store = state === null ? null : openFollowStore(state, networkPassphrase, null);
  if (store?.cursor) progressed(store.cursor.totals);
  const dependencies = {
    ...opened,
    store,
    log: (level: "info" | "warn" | "error", message: string, fields = {}) => {
      const values = Object.entries(fields).map(([name, value]) => `${name} ${value}`);
      shell.log[level](`${message}${values.length === 0 ? "" : `: ${values.join(", ")}`}`);
    },
    report: async (events: readonly FollowEvent[]) => {
      const text = events.map(renderEvent).join("");
      if (text !== "") await shell.output.write(text);
      if (shell.output.readerGone()) leaving.abort(readerGone());
    },
    committed: ({ ledger, latest, totals, outcome }: FollowProgress) => {
      progressed(totals);
      if (outcome === null) return;
      const behind = latest > ledger ? `, ${latest - ledger} behind` : "";
      shell.log.progress(`ledger ${ledger} verified${behind}`);
    },
  };
  const network = config.network === "custom" ? networkPassphrase : config.network;
  const options = {
    network,
    fromLedger: flags.fromLedger,
    untilLedger: flags.untilLedger,
    behindLedgers: 0,
    windowSeconds: WINDOW_SECONDS,
    backlog: { limit: null, policy: "catch-up" } as const,
  };
  return await followLedgers(dependencies, options, { signal });
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
    remedy: "Run the command again.",
  });
}
