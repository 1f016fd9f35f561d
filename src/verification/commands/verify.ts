// svc verify: verifies ledger files or a range of ledgers and counts the verdicts. With --shard, it
// verifies one piece and writes its result to a store.

import { availableParallelism } from "node:os";
import { withRules, withWarnings } from "../../base/settings/check-rules.ts";
import { integer, type Settings } from "../../base/settings/setting.ts";
import { counted } from "../../base/text/counted.ts";
import { type Arguments, checkFacts, defineCommand } from "../../command/command.ts";
import { COMMON, NODES_OF_LEDGERS, REHEARSAL, verbose } from "../../command/common-settings.ts";
import { exitCodeOfVerification } from "../../command/exit-code.ts";
import { warnOfSkipped } from "../../command/ledger-files.ts";
import { beginLongWork } from "../../command/long-work.ts";
import { openArchive } from "../../command/open-state-archive.ts";
import { type ChosenPiece, chosenPiece, SHARD } from "../../command/shard-settings.ts";
import { type Shell, textOptions, workOptions } from "../../command/shell.ts";
import { ARCHIVE_SETTINGS, type ArchiveValues } from "../../history-archive/archive-settings.ts";
import type { Verification, VerificationNodes } from "../../model/verification.ts";
import { type Config, configOf } from "../../sources/network-settings.ts";
import type { Range, VerifyDependencies } from "../../verify/verify-ledgers.ts";
import type { PieceInputs } from "../pieces/verify-piece.ts";
import {
  chosenPassphrase,
  FILES,
  factsOfInputs,
  nodesOf,
  openVerifyInputs,
  parseVerifyInputs,
  RANGE_INPUT,
  shownAddresses,
  type VerifyInputs,
} from "./verify-inputs.ts";

const SHORT_LEDGERS = 16;
/** The size of files, which are usually packed: about 16 ledgers of a public network. */
const SHORT_BYTES = 512 * 1024;
/** This is usually enough to find a cause. --verbose and --json list more. */
const LISTED = 20;
const LISTED_AT_MOST = 10_000;

const { rpcUrl, rpcHeader, ledgerLakeUrl } = NODES_OF_LEDGERS;

const VERIFY = {
  inputs: {
    word: "many",
    required: true,
    help:
      "Ledger files (streams or SEP-54 batches, compressed or not), directories or patterns of " +
      "ledger files, or a ledger or a range of ledgers.",
  },
  jobs: {
    hint: "N",
    schema: integer(1, 256),
    otherwise: "all",
    help: "Number of cores to use.",
  },
  archive: {
    group: "Input",
    notWith: [FILES, "shard", "rehearseProtocol"],
    help: "Replay the range from a history archive alone: no node and no meta is needed.",
  },
  ...REHEARSAL,
  ...SHARD,
  warmUp: { ...SHARD.warmUp, onlyWith: ["shard", RANGE_INPUT], notWith: ["archive"] },
  ...withRules({ onlyWith: ["archive"] }, ARCHIVE_SETTINGS),
  ...NODES_OF_LEDGERS,
  ...withWarnings({ notWith: [FILES, "archive"] }, { rpcUrl, rpcHeader, ledgerLakeUrl }),
  ...COMMON,
  ...verbose("Show progress, and list every transaction that is not exact."),
} as const satisfies Settings;

export const command = defineCommand(VERIFY, verifyCommand, {
  examples: [
    ["57000000-57000100 -n mainnet", "A range of ledgers."],
    ["ledgers/*.xdr.zst", "Files, from a lake or a stream."],
    ["1000-2000 --shard 3/16 --result DIR", "One of 16 pieces."],
    ["1000-2000 --archive", "Use only what validators publish."],
  ],
});

async function verifyCommand(shell: Shell, args: Arguments<typeof VERIFY>): Promise<number> {
  const piece = chosenPiece(args, shell.facts.environment);
  const inputs = parseVerifyInputs(args.inputs, shell.facts.workingDirectory);
  // svc may start itself again here, and would then print the warnings below twice.
  // The ledger engine reads the ledgers of nodes and replays them.
  const isForSimulator = inputs.kind === "range" && !args.archive && args.rehearseProtocol === null;
  if (!isShort(inputs)) beginLongWork(shell, { isForSimulator });
  checkFacts(shell, VERIFY, args, factsOfInputs(inputs));
  if (inputs.kind === "files") warnOfSkipped(shell, inputs.skipped);
  const config = configOf(args);
  const jobs = args.jobs ?? availableParallelism();
  const { rehearseProtocol } = args;
  const opening = { jobs, rehearseProtocol };
  const dependencies = await openVerify(shell, config, inputs, opening);
  if (args.archive && inputs.kind === "range") {
    const verification = await verifyFromArchive(shell, config, args, dependencies, inputs);
    return report(shell, verification, {
      networkPassphrase: config.networkPassphrase,
      rpcUrls: [],
      ledgerLakeUrls: [],
      historyArchives: args.historyArchive === null ? [] : shownAddresses(args.historyArchive),
    });
  }
  const opened = await openVerifyInputs(shell, config, inputs);
  const nodes = nodesOf(config, inputs);
  if (piece !== null) return verifyOnePiece(shell, { ...dependencies, nodes }, opened, piece);
  return report(shell, await verifyAll(shell, dependencies, opened, args.warmUp), nodes);
}

async function report(
  shell: Shell,
  verification: Verification,
  nodes: VerificationNodes,
): Promise<number> {
  const { VERIFICATION_RENDERERS } = await import("../../report/renderers.ts");
  const render = VERIFICATION_RENDERERS[shell.json ? "json" : "text"];
  await shell.output.write(await render(verification, { ...textOptions(shell), nodes }));
  return exitCodeOfVerification(verification);
}

async function verifyFromArchive(
  shell: Shell,
  config: Config,
  settings: Omit<ArchiveValues, "origins">,
  dependencies: VerifyDependencies,
  range: Range,
): Promise<Verification> {
  const { verifyArchive } = await import("../../verify/verify-archive.ts");
  const archive = await openArchive(shell, config, settings, {
    wantedLedger: range.last,
    signal: shell.signal,
  });
  const archiveDependencies = {
    ...dependencies,
    archive,
    networkPassphrase: config.networkPassphrase,
  };
  return verifyArchive(archiveDependencies, range, { signal: shell.signal });
}

/** For a few ledgers, compiling takes longer than it saves. */
function isShort(inputs: VerifyInputs): boolean {
  if (inputs.kind === "range") return inputs.last - inputs.first < SHORT_LEDGERS;
  const sizes = inputs.paths.map((path) => Bun.file(path).size);
  return sizes.reduce((sum, size) => sum + size, 0) < SHORT_BYTES;
}

async function openVerify(
  shell: Shell,
  config: Config,
  inputs: VerifyInputs,
  { jobs, rehearseProtocol }: Pick<VerifyDependencies, "jobs" | "rehearseProtocol">,
): Promise<VerifyDependencies> {
  const { openWork } = await import("../../tools/open-work.ts");
  const work = openWork(config, workOptions(shell));
  if (rehearseProtocol !== null) {
    const { checkHost } = await import("../../debugger/run/rehearse.ts");
    const { hosts } = await work.inspect(shell);
    checkHost(hosts, rehearseProtocol);
  }
  return {
    program: work.program(),
    networkPassphrase: chosenPassphrase(config, inputs),
    jobs,
    rehearseProtocol,
    keepNotExact: shell.json || shell.verbose ? LISTED_AT_MOST : LISTED,
    workerCommand: [...shell.facts.selfCommand, "verify-worker"],
    progress: ({ ledgers, transactions }) =>
      shell.log.progress(
        `${counted(transactions, "transaction")} of ${counted(ledgers, "ledger")} replayed`,
      ),
  };
}

async function verifyAll(
  { signal }: Shell,
  dependencies: VerifyDependencies,
  inputs: PieceInputs,
  warmUp: number,
): Promise<Verification> {
  const { verifyLedgerFiles, verifyRange } = await import("../../verify/verify-ledgers.ts");
  if (inputs.kind === "files") return verifyLedgerFiles(dependencies, inputs.paths, { signal });
  const { sources, networkPassphrase } = inputs;
  const ranged = { ...dependencies, networkPassphrase, sources, warmUpLedgers: warmUp };
  return verifyRange(ranged, inputs, { signal });
}

/** Returns 0 whatever the verdicts are, so that a cluster does not run the piece again. */
async function verifyOnePiece(
  shell: Shell,
  dependencies: VerifyDependencies & { readonly nodes: VerificationNodes },
  inputs: PieceInputs,
  { result, ...choice }: ChosenPiece,
): Promise<number> {
  const { openResults } = await import("../../command/open-results.ts");
  const { LISTED_AT_MOST: keepNotExact, verifyPiece } = await import("../pieces/verify-piece.ts");
  const { signal } = shell;
  const store = await openResults(shell, result, { mustExist: false });
  const warn = (text: string) => shell.log.warn(text);
  const all = { ...dependencies, keepNotExact, store, warn };
  const outcome = await verifyPiece(all, inputs, choice, { signal });
  const { PIECE_RENDERERS } = await import("../../report/renderers.ts");
  const render = PIECE_RENDERERS[shell.json ? "json" : "text"];
  await shell.output.write(render({ ...outcome, store: store.name }, textOptions(shell)));
  return 0;
}
