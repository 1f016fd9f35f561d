// svc fork follow: sends the ledgers of the real network to a running fork, as they close.

import { systemClock } from "../../base/clock.ts";
import { EXIT } from "../../base/errors/base-errors.ts";
import { usageError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { integer, type Settings } from "../../base/settings/setting.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NO_SIMULATOR, NODES_OF_LEDGERS } from "../../command/common-settings.ts";
import { logSentence } from "../../command/log-sentence.ts";
import { type Shell, workOptions } from "../../command/shell.ts";
import { configOf } from "../../sources/network-settings.ts";
import type { FollowedTransaction } from "../follow-ledgers.ts";
import { RUNNING } from "./cheat-commands.ts";
import { callFork } from "./client.ts";

const FOLLOW = {
  ...RUNNING,
  untilLedger: {
    hint: "N",
    schema: integer(2, 0xffff_ffff),
    help: "Stop after this ledger of the network.",
  },
  ...NODES_OF_LEDGERS,
  ...NO_SIMULATOR,
  ...COMMON,
  json: { group: "Output", help: "Print one JSON document per line on stdout." },
} as const satisfies Settings;

/** The answer of a running fork to `fork_followLedgers`. */
interface FollowAnswer {
  readonly latestLedger: number;
  readonly followed: { readonly sequence: number; readonly hash: string };
  readonly transactions: readonly FollowedTransaction[];
}

/** Ledgers are collected until they have this size together, in base64. */
const HELD_CHARACTERS = 8 * 1024 * 1024;

export const command = defineCommand(FOLLOW, forkFollowCommand, {
  examples: [
    ["-n mainnet", "Follow until the command is interrupted."],
    ["-n mainnet --until-ledger 59000100", "Stop at a ledger, for a test in CI."],
  ],
});

async function forkFollowCommand(shell: Shell, args: Arguments<typeof FOLLOW>): Promise<number> {
  const config = configOf(args);
  const { url, untilLedger } = args;
  const send = async (ledgers: readonly string[]) =>
    (await callFork(url, "fork_followLedgers", { ledgers }, shell)) as FollowAnswer;
  const { passphrase } = (await callFork(url, "getNetwork", {}, shell)) as { passphrase: string };
  if (passphrase !== config.networkPassphrase)
    throw usageError(
      `The fork's passphrase is "${passphrase}", and the network's is "${config.networkPassphrase}".`,
      phrase`Pass the network of the fork with ${flag("network")} or ${flag("networkPassphrase")}. A fork with its own passphrase cannot follow.`,
    );
  let { latestLedger, followed } = await send([]);
  let held: string[] = [];
  try {
    const feed = await feedOf(shell, config);
    const backlog = { limit: null, policy: "catch-up" } as const;
    const { sequence, hash: previousHash } = followed;
    const start = { first: sequence + 1, previousHash, last: untilLedger, backlog };
    // The feed repeats requests by itself, and reports failures, so it does not wait long for a
    // node.
    for await (const item of feed.ledgers(start, { signal: shell.signal, brief: true })) {
      if (item.kind === "skipped") continue;
      held.push(item.view.bytes.toBase64());
      const ledger = item.view.facts.sequence;
      // The fork has its own ledger with that number, so its next one takes several ledgers.
      const isHeld = ledger <= latestLedger && ledger !== untilLedger;
      if (isHeld && charactersOf(held) < HELD_CHARACTERS) continue;
      const answer = await send(held);
      held = [];
      ({ latestLedger, followed } = answer);
      await shell.output.write(
        shell.json ? `${JSON.stringify({ format: 1, ...answer })}\n` : textOf(answer),
      );
    }
    return 0;
  } catch (error) {
    // Without --until-ledger an interruption is the usual end, not an error.
    if (!shell.signal.aborted) throw error;
    return EXIT.interrupted;
  }
}

const charactersOf = (texts: readonly string[]) =>
  texts.reduce((sum, { length }) => sum + length, 0);

async function feedOf(shell: Shell, config: ReturnType<typeof configOf>) {
  const { openWork } = await import("../../tools/open-work.ts");
  const { openFeed } = await import("../../ledgers/feed/ledger-feed.ts");
  const nodes = await openWork(config, workOptions(shell)).nodes();
  return openFeed({
    ...nodes,
    clock: systemClock,
    log: (level, message, fields = {}) => shell.log[level](logSentence(message, fields)),
  }).feed;
}

function textOf({ followed, transactions }: FollowAnswer): string {
  const of = (outcome: FollowedTransaction["outcome"]) =>
    transactions.filter((each) => each.outcome === outcome);
  const different = of("different");
  const counts = [
    `${of("same").length} as on the network`,
    `${of("taken-over").length} taken over`,
    `${different.length} different`,
  ];
  const lines = different.map(({ hash, network, fork }) =>
    network === fork
      ? `  ${hash} ${network} in both, with another result\n`
      : `  ${hash} ${network} on the network, ${fork} in the fork\n`,
  );
  return `ledger ${followed.sequence}: ${counts.join(", ")}\n${lines.join("")}`;
}
