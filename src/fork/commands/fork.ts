// svc fork: serves a network from one of its moments on, which its user may change.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { usageError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { withRules, withWarnings } from "../../base/settings/check-rules.ts";
import { isDefault, isFlagOf, rankOf } from "../../base/settings/origin.ts";
import { flagOf, readSettings, type Settings } from "../../base/settings/setting.ts";
import { listed } from "../../base/text/listed.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NETWORK } from "../../command/common-settings.ts";
import type { Lent } from "../../command/lending.ts";
import { openStateArchive } from "../../command/open-state-archive.ts";
import { readTransaction } from "../../command/read-hashes.ts";
import { readInput } from "../../command/read-input.ts";
import {
  proofOf,
  runSignal,
  type Shell,
  surroundingsOf,
  workOptions,
} from "../../command/shell.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { isLoopback, SERVER_SETTINGS, serverConfigOf } from "../../http-server/server-settings.ts";
import { LOCAL_NETWORK, networkOfPassphrase } from "../../model/networks.ts";
import { configOf, isPublicNetwork } from "../../sources/network-settings.ts";
import { MOST_FILE_BYTES } from "../base/saved-fork.ts";
import { FORK_SETTINGS } from "../fork-settings.ts";
import type { StartedFork } from "../run-fork.ts";

const { validators, trustedHeader } = ARCHIVE_SETTINGS;
const { horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl } = NETWORK;

const FORK = {
  ...FORK_SETTINGS,
  ...withRules({ onlyWith: ["archive"] }, ARCHIVE_SETTINGS),
  // These settings also judge the proof that a capsule carries.
  ...withRules({ onlyWith: ["archive", "from"] }, { validators, trustedHeader }),
  ...NETWORK,
  ...withWarnings(
    { notWith: ["empty", "offline"] },
    { horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl },
  ),
  network: { ...NETWORK.network, warned: { notWith: ["empty"] } },
  networkPassphrase: {
    ...NETWORK.networkPassphrase,
    help: "Own passphrase for the fork, so that its signatures are not valid on the public network.",
  },
  ...COMMON,
} as const satisfies Settings;

export const command = defineCommand(FORK, forkCommand, {
  examples: [
    ["-n mainnet", "Fork mainnet as it is now, at http://127.0.0.1:8000."],
    ["-n mainnet --before <hash>", "Fork mainnet just before a transaction."],
    ["--empty --block-time 5s", "Begin an empty network."],
  ],
});

async function forkCommand(
  shell: Shell,
  args: Arguments<typeof FORK>,
  lent: Lent,
): Promise<number> {
  const stateFile = args.state && resolve(shell.facts.workingDirectory, args.state);
  const { lockState } = await import("../state-lock.ts");
  // The lock is taken before reading, because another fork could write the file afterwards.
  using state = stateFile === null ? null : lockState(stateFile);
  const file = await fileOf(shell, args, stateFile);
  checkOffline(args, file);
  const passphrase = ownPassphrase(args);
  // A passphrase of the fork's own is not that of the network whose nodes are asked.
  const config = configOf(passphrase === null ? args : { ...args, networkPassphrase: null });
  const server = serverOf(shell, args);
  const { openEventLog } = await import("../../http-server/request-log.ts");
  const log = openEventLog({
    clock: systemClock,
    write: (lines) => shell.facts.stderr().write(lines),
    lowest: args.quiet ? "error" : shell.verbose ? "debug" : "warn",
  });
  const { openBase } = await import("../base/open-base.ts");
  const { runFork } = await import("../run-fork.ts");
  const { openWork } = await import("../../tools/open-work.ts");
  const surroundings = {
    config,
    passphrase,
    offline: args.offline,
    progress: shell.log.progress,
    warn: (text: string) => log.write("warn", text),
    archive: args.archive
      ? (ledger: number | null) => openStateArchive(shell, config, { ...args, ledger })
      : null,
    work: openWork(config, { ...workOptions(shell), proof: proofOf(shell, args) }),
  };
  const opened = await openBase(
    surroundings,
    {
      ledger: args.ledger,
      before: args.before === null ? null : (await readTransaction(args.before)).hash,
      empty: args.empty ? { protocolVersion: args.protocol } : null,
      file,
    },
    { signal: runSignal(shell, config) },
  );
  shell.log.endProgress();
  const { openAgents: agents = null } = (await lent.agents?.()) ?? {};
  await runFork({
    agents,
    config,
    server,
    surroundings: surroundingsOf(shell),
    log,
    signals: shell.facts.signals,
    environment: shell.facts.environment,
    stop: shell.signal,
    opened,
    passphrase: passphrase ?? opened.passphrase,
    mining: miningOf(args),
    accounts: args.accounts,
    cheats: args.cheats || isLoopback(args.host),
    state,
    open: (choice, signal) =>
      openBase(surroundings, { ...choice, empty: null, file: null }, { signal }),
    load: (text) =>
      openBase(
        surroundings,
        { ledger: null, before: null, empty: null, file: { name: "The state", text } },
        { signal: shell.signal },
      ),
    started: async (started) => {
      const { networkPassphrase } = started;
      const isKept = networkPassphrase === opened.base.networkPassphrase && !args.empty;
      const isReal = networkOfPassphrase(networkPassphrase) !== null;
      const isLocal = networkPassphrase === LOCAL_NETWORK.passphrase;
      await shell.output.write(
        shell.json
          ? `${JSON.stringify(jsonOf(started))}\n`
          : banner(started, isReal || (isKept && !isLocal)),
      );
    },
  });
  return 0;
}

/** The server of a fork has only some of the settings of a daemon, and ends without a delay. */
function serverOf(shell: Shell, args: Arguments<typeof FORK>) {
  const unset = readSettings(SERVER_SETTINGS, { flags: {}, environment: {}, file: null });
  const { port, host, allowedOrigins, allowedHosts, tokenFile, allowUnauthenticated } = args;
  const served = { port, host, allowedOrigins, allowedHosts, tokenFile, allowUnauthenticated };
  return serverConfigOf({ ...unset, ...served, shutdownDelay: 0 }, shell.facts);
}

function checkOffline(
  args: Arguments<typeof FORK>,
  file: Awaited<ReturnType<typeof fileOf>>,
): void {
  if (args.offline && file === null)
    throw usageError(
      "--offline needs a file with the state.",
      phrase`Add ${flag("from", "FILE")} or ${flag("state", "FILE")}.`,
    );
}

/** Null if the fork has the passphrase of its network. */
function ownPassphrase(args: Arguments<typeof FORK>) {
  const { origins, network, networkPassphrase, rpcUrl, empty } = args;
  if (empty) return networkPassphrase ?? LOCAL_NETWORK.passphrase;
  if (rankOf(origins.networkPassphrase) !== 0 || !isPublicNetwork(network)) return null;
  // Only the passphrase identifies the nodes of a network without a name.
  const isOfNodes = rpcUrl !== null && isDefault(origins.network);
  return isOfNodes ? null : networkPassphrase;
}

function miningOf({ blockTime, noMining }: Arguments<typeof FORK>) {
  if (noMining) return "never";
  return blockTime === null ? "each" : { everyMilliseconds: blockTime };
}

/** The state file of an earlier run takes precedence. */
async function fileOf(
  shell: Shell,
  { from, origins }: Arguments<typeof FORK>,
  stateFile: string | null,
) {
  const read = async (path: string, mayBeCapsule: boolean) => {
    const { name, bytes } = await readInput(shell, path, null, MOST_FILE_BYTES);
    return { name, text: new TextDecoder().decode(bytes), mayBeCapsule };
  };
  // The fork replaces the file, and only a saved fork may be replaced.
  if (stateFile !== null && existsSync(stateFile)) {
    const begins = (["before", "from", "empty", "protocol"] as const).filter((name) =>
      isFlagOf(origins[name], name),
    );
    if (begins.length > 0)
      shell.log.info(
        `${stateFile} exists, and svc resumed the fork in it: ${listed(begins.map(flagOf), "and")} had no effect.`,
      );
    return read(stateFile, false);
  }
  return from === null ? null : read(from, true);
}

function jsonOf({ accounts, ...started }: StartedFork) {
  return {
    format: 1,
    ...started,
    accounts: accounts.map(({ address, secret }) => ({ address, secret })),
  };
}

function banner(fork: StartedFork, isValidElsewhere: boolean): string {
  const { url, name, networkPassphrase, ledger, protocolVersion, accounts } = fork;
  const warning = isValidElsewhere
    ? [
        "",
        "An envelope that is signed for this passphrase is valid on the real network too. Sign only",
        "with the accounts below, or pass --network-passphrase for a fork with a passphrase of its own.",
      ]
    : [];
  const listed = accounts.flatMap(({ address, secret }) => [`  ${address}`, `  ${secret}`, ""]);
  return [
    `Fork of ${neutralise(name)}`,
    "",
    `  RPC          ${url}`,
    `  friendbot    ${url}/friendbot`,
    `  passphrase   ${neutralise(networkPassphrase)}`,
    `  ledger       ${ledger} (protocol ${protocolVersion})`,
    ...warning,
    ...(accounts.length === 0
      ? []
      : ["", "Accounts with 10,000 XLM each, and their secret keys", ""]),
    ...listed,
    `svc debug <hash> --rpc-url ${url} debugs a transaction of the fork.`,
    "",
  ].join("\n");
}
