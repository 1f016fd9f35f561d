// svc rehearse: runs the next build of a contract on calls that were made.

import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import * as v from "valibot";
import { systemClock } from "../../base/clock.ts";
import { EXIT } from "../../base/errors/base-errors.ts";
import { nearestWord } from "../../base/errors/did-you-mean.ts";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import { ifVisible } from "../../base/files/read-file.ts";
import { writeOutputFile } from "../../base/files/write-file.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { withRules, withWarnings } from "../../base/settings/check-rules.ts";
import { isDefault } from "../../base/settings/origin.ts";
import {
  type Condition,
  directory,
  integer,
  type Setting,
  type Settings,
} from "../../base/settings/setting.ts";
import type { Store } from "../../base/store/store.ts";
import { counted } from "../../base/text/counted.ts";
import { shellWord } from "../../base/text/sentence.ts";
import { addressHint, decodeContractId } from "../../base/text/strkey.ts";
import { type Arguments, checkFacts, defineCommand, flagsOf } from "../../command/command.ts";
import { COMMON, NETWORK, verbose } from "../../command/common-settings.ts";
import { warnOfSkipped } from "../../command/ledger-files.ts";
import { beginLongWork } from "../../command/long-work.ts";
import { openResults } from "../../command/open-results.ts";
import { openSignedCapsule } from "../../command/open-signed-capsule.ts";
import { openArchive } from "../../command/open-state-archive.ts";
import { readHashes } from "../../command/read-hashes.ts";
import { readWasmFile } from "../../command/read-input.ts";
import { refuseSameFile, reportSetting, writeReportFile } from "../../command/report-files.ts";
import { type ChosenPiece, chosenPiece, SHARD } from "../../command/shard-settings.ts";
import { type Shell, textOptions, workOptions } from "../../command/shell.ts";
import { ARCHIVE_SETTINGS } from "../../history-archive/archive-settings.ts";
import { networkOfPassphrase } from "../../model/networks.ts";
import type { PiecePart } from "../../model/verification/verification-piece.ts";
import { locateRecordingSimulator } from "../../simulator/locate.ts";
import { configOf } from "../../sources/network-settings.ts";
import { onNetwork } from "../../sources/resolve-network.ts";
import type { DividedInputs } from "../../verify/divided-inputs.ts";
import type { PlannedStream } from "../../verify/plan-streams.ts";
import type { Range } from "../../verify/verify-ledgers.ts";
import {
  type FailOn,
  failedConditions,
  failedInWords,
  parseRehearsalConditions,
  passedUnknown,
} from "../fail-on.ts";
import { type NewBuild, type NewBuilds, readBuild } from "../new-builds.ts";
import {
  type CallFiles,
  GROUPS,
  type GroupKind,
  hasAnswer,
  type RehearsedCall,
  type UpgradeRehearsal,
} from "../rehearsal.ts";
import type { RehearsalJob, RehearsalPiece } from "../rehearsal-piece.ts";
import type { PieceFacts, Rehearser } from "../rehearse-traffic.ts";
import { wordsOfSource } from "../source-words.ts";
import { readTraffic, type TrafficWords } from "../traffic-words.ts";

export const FORMATS = ["text", "json", "markdown", "html", "junit"] as const;

/** The kind of the calls, for rules between settings. */
const NO_NODES: Condition = {
  setting: "kind",
  is: ["files", "capsules"],
  words: "calls for which svc asks no node",
};
/** Capsules name their network, and no other calls are rehearsed. */
const CAPSULES_ALONE: Condition = {
  setting: "kind",
  is: ["capsules"],
  words: "capsules alone",
};
const { network, networkPassphrase, horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl } = NETWORK;

export const FAIL_ON = {
  group: "CI",
  hint: "CONDITION,…",
  help:
    "Exit with code 7 if one of these conditions is true: the name of a group, such as " +
    "newly-failing, function-gone, arguments-misfit, needs-signatures, declared-too-little, " +
    "other-result, other-state or other-events; or dearer>N%, if a call costs more. no-result and " +
    "first-fails are always conditions.",
} as const satisfies Setting;

const REHEARSE = {
  inputs: {
    word: "many",
    usage: "CONTRACT=new.wasm… [calls…]",
    help:
      "CONTRACT=new.wasm, once for each contract, and the calls: transaction hashes, - for hashes " +
      "on standard input, capsule files, ledger files (also directories and patterns), or a range " +
      "of ledgers such as 100-200.",
  },
  archive: {
    group: "Input",
    help: "Read the range of ledgers from a history archive alone, proven by the validators' signatures.",
  },
  last: {
    group: "Input",
    hint: "N",
    schema: integer(1, 100_000),
    help: "The last N calls that the nodes' recent ledgers have, or with --archive those of the archive.",
  },
  function: {
    group: "Input",
    hint: "NAME",
    notWith: ["inSequence"],
    help: "Only calls that reach this function of the contract.",
  },
  everyPath: {
    group: "Input",
    help:
      "Rehearse one call for each path: the functions that it reaches, how it ends, and the " +
      "branches that the contract's code takes.",
  },
  jobs: {
    hint: "N",
    schema: integer(1, 256),
    otherwise: "all",
    help: "Number of cores to use.",
  },
  format: {
    group: "Output",
    hint: "FORMAT",
    schema: v.picklist(FORMATS),
    otherwise: "text",
    help: "Report format. --json is the same as --format json.",
  },
  report: { group: "Output", ...reportSetting(FORMATS) },
  save: {
    group: "Output",
    hint: "DIR",
    schema: directory,
    help: "Save a capsule of one call of each group that is not the same to this directory.",
  },
  failOn: FAIL_ON,
  first: {
    group: "Input",
    hint: "CALL",
    help:
      "Call that is made on each state before the rehearsed one, such as 'migrate(5, admin=G…)' or " +
      "'C….migrate()'. It needs no authorization.",
  },
  inSequence: {
    group: "Input",
    notWith: ["everyPath", "save"],
    help:
      "Run all calls in order on one state, so that the new code reads what it wrote. Transactions " +
      "of others that use changed entries run too. Shows where the histories part.",
  },
  shard: {
    ...SHARD.shard,
    group: "Input",
    notWith: ["last", "everyPath", "inSequence", "save", "failOn", "report", "format"],
  },
  result: { ...SHARD.result, group: "Input" },
  warmUp: {
    group: "Input",
    hint: "N|all",
    onlyWith: ["shard"],
    schema: v.union([v.literal("all"), SHARD.warmUp.schema], "must be a number of ledgers, or all"),
    otherwise: "0 for a range, and all for ledger files",
    help:
      "Number of ledgers before the piece that svc reads for their state and does not count. all: " +
      "what the whole stream of the files shows.",
  },
  ...withRules({ onlyWith: ["archive"] }, ARCHIVE_SETTINGS),
  ...NETWORK,
  ...withWarnings({ notWith: [CAPSULES_ALONE] }, { network, networkPassphrase }),
  ...withWarnings({ notWith: [NO_NODES] }, { horizonUrl, rpcUrl, rpcHeader, ledgerLakeUrl }),
  ...COMMON,
  ...verbose("Show progress, and every difference of the interfaces."),
  json: {
    ...COMMON.json,
    notWith: [{ setting: "format", not: ["json"], words: "another --format" }],
  },
} as const satisfies Settings;

export const command = defineCommand(REHEARSE, rehearseCommand, {
  examples: [
    ["C…=new.wasm --last 100 -n mainnet", "The last 100 calls, also those by other contracts."],
    ["C…=new.wasm 57000000-57000100 -n mainnet", "Calls in a range of ledgers."],
    ["C…=new.wasm - < hashes", "The calls that you choose."],
    ["C…=new.wasm 3062-3088 --archive", "Use only what validators publish."],
    ["C…=new.wasm *.capsule.json --fail-on newly-failing", "In CI, without a network."],
  ],
});

type RehearseArguments = Arguments<typeof REHEARSE>;

async function rehearseCommand(shell: Shell, written: RehearseArguments): Promise<number> {
  refuseSameFile(shell, written.report);
  const words = readTraffic(written.inputs, shell.facts.workingDirectory, written.last !== null);
  // svc may start itself again here, and would then print the warnings below twice.
  if (isLong(words, written.last)) beginLongWork(shell);
  checkFacts(shell, REHEARSE, written, {
    kind: kindOf(words, written),
  });
  warnOfSkipped(shell, words.skipped);
  const conditions = written.failOn === null ? [] : parseRehearsalConditions(written.failOn);
  refuseFileAsDirectory(shell, written.save);
  if (written.archive && words.range === null && written.last === null)
    throw usageError(
      "--archive needs a range of ledgers, or --last.",
      "Write a range, such as `3062-3088`, or remove `--archive`.",
    );
  const flagNames = flagsOf(REHEARSE).map(({ flag }) => flag.slice(2));
  const { hashes, network } =
    words.hashes.length === 0
      ? { hashes: [], network: null }
      : await readHashes(shell, words.hashes, flagNames);
  const args = onNetwork(written, network);
  const builds = await readBuilds(shell, words);
  warnOfFunction(shell, args, builds);
  const choice = { ...args, warmUp: warmUpOf(args, words) ?? 0 };
  const piece = chosenPiece(choice, shell.facts.environment);
  if (piece !== null) return rehearsePiece(shell, args, builds, words, piece);
  const { rehearsal, isSaved } = await rehearse(shell, args, builds, { ...words, hashes });
  await report(shell, { ...args, network: wordsOfSource(args) }, rehearsal, conditions);
  const exitCode = exitCodeOfRehearsal(shell, rehearsal, conditions);
  return isSaved ? exitCode : EXIT.configuration;
}

/** The exit code. Names on stderr the conditions that are true, and calls that they leave open. */
export function exitCodeOfRehearsal(
  { log }: Shell,
  rehearsal: UpgradeRehearsal,
  conditions: readonly FailOn[],
): number {
  const failed = failedConditions(rehearsal, conditions);
  for (const each of failed) log.error(failedInWords(each));
  const passed = passedUnknown(rehearsal, conditions);
  if (passed !== null) log.warn(passed);
  if (failed.length > 0) return EXIT.notAsExpected;
  if (rehearsal.laterProtocol !== null) return EXIT.outdated;
  for (const call of rehearsal.calls) if (hasAnswer(call)) return 0;
  return EXIT.inconclusive;
}

/** Rehearses a piece, and stores its result unless it is there. */
async function rehearsePiece(
  shell: Shell,
  args: RehearseArguments,
  builds: NewBuilds,
  words: TrafficWords,
  { shard, shards, result }: ChosenPiece,
): Promise<number> {
  const inputs = dividedInputs(words);
  const { nameOfPiece, readRehearsalPiece } = await import("../rehearsal-piece.ts");
  const { checkSize, differenceOfJobs, nameOfInputs } = await import(
    "../../verify/divided-inputs.ts"
  );
  const { BUILD_INFO } = await import("../../base/build-info.ts");
  checkSize(inputs, shards);
  const { networkPassphrase } = configOf(args);
  const hashOfBuild = [...builds].map(([contract, { hash }]) => [contract, hash] as const);
  const areFiles = inputs.kind === "files";
  const job: RehearsalJob = {
    inputs: nameOfInputs(inputs),
    shards,
    warmUpLedgers: warmUpOf(args, words),
    builds: Object.fromEntries(hashOfBuild),
    function: args.function,
    firstCall: args.first,
    networkPassphrase: areFiles ? chosenNetwork(args, networkPassphrase) : networkPassphrase,
    archive: args.archive,
    svc: `${BUILD_INFO.version} (${BUILD_INFO.commit})`,
  };
  const store = await openResults(shell, result, { mustExist: false });
  const name = nameOfPiece(shard, shards);
  const earlier = readRehearsalPiece(await store.read(name));
  const difference = earlier === null ? null : differenceOfJobs(job, earlier.job);
  if (difference !== null)
    throw usageError(
      `${name} in ${store.name} is a piece of another run: ${difference}.`,
      phrase`Pass another ${flag("result")}, or remove that piece.`,
    );
  if (earlier !== null) {
    shell.log.info(`${name} is already in ${store.name}.`);
    return 0;
  }
  const place = { shell, store, job, shard };
  const { part, ...own } = await partOf(inputs, place);
  const traffic = { ...words, ...own };
  const { rehearsal, facts } = await rehearse(shell, args, builds, traffic);
  const network = wordsOfSource(args);
  const listed = { ...rehearsal, calls: [...rehearsal.calls] };
  const named = { version: 3, job, shard, part, network } as const;
  const piece: RehearsalPiece = { ...named, rehearsal: listed, ...facts };
  await store.write(name, `${JSON.stringify(piece)}\n`);
  shell.log.info(`Stored ${name} in ${store.name}.`);
  return 0;
}

/** The part of a piece, and what it reads. */
async function partOf(
  inputs: DividedInputs,
  place: {
    readonly shell: Shell;
    readonly store: Store;
    readonly job: RehearsalJob;
    readonly shard: number;
  },
): Promise<{ readonly part: PiecePart } & Partial<Pick<Traffic, "range" | "streams">>> {
  const { shell, store, job, shard } = place;
  const { shards, networkPassphrase, warmUpLedgers } = job;
  if (inputs.kind === "range") {
    const { splitRange } = await import("../../verify/split-range.ts");
    const range = splitRange(inputs, shard, shards);
    return { part: { kind: "range", ...range }, range };
  }
  const { findStreams, partOfFiles } = await import("../../verify/divided-inputs.ts");
  const { splitStreams } = await import("../../verify/split-streams.ts");
  const options = { signal: shell.signal, networkPassphrase };
  const all = await findStreams(store, inputs.paths, options);
  const streams = splitStreams(all, shard, shards, warmUpLedgers);
  const counted = new Set(streams.flatMap((stream) => stream.counted));
  return { part: partOfFiles(inputs.paths, counted), streams };
}

/** Null: everything that the stream of the files shows. Throws USAGE. */
function warmUpOf({ warmUp }: RehearseArguments, { range }: TrafficWords): number | null {
  if (range === null) return warmUp === "all" ? null : warmUp;
  if (warmUp === "all")
    throw usageError(
      "--warm-up all is for ledger files, and the input is a range of ledgers.",
      "Pass the number of ledgers that svc reads before a piece, such as 320.",
    );
  return warmUp ?? 0;
}

/** Throws USAGE for calls that are not divided, and names them. */
function dividedInputs({ range, hashes, capsules, ledgerFiles }: TrafficWords): DividedInputs {
  const others = [...capsules, ...hashes, ...(range === null ? [] : ledgerFiles)];
  const [other] = others;
  if (other !== undefined)
    throw usageError(
      `--shard divides one range of ledgers or ledger files, and ${other} is another input.`,
      "Pass a range such as 100-200 or ledger files, and no other calls.",
    );
  return range === null ? { kind: "files", paths: ledgerFiles } : { kind: "range", ...range };
}

const SHORT_LEDGERS = 16;
const FEW_CALLS = 100;

/** Standard input can be read only once, so work with hashes is not started again. */
function isLong({ range, ledgerFiles, hashes }: TrafficWords, last: number | null): boolean {
  if (hashes.length > 0) return false;
  const ledgers = range === null ? 0 : range.last - range.first + 1;
  return ledgerFiles.length > 0 || ledgers > SHORT_LEDGERS || (last ?? 0) > FEW_CALLS;
}

/** The kind of the calls, for rules between settings. */
function kindOf(words: TrafficWords, args: RehearseArguments) {
  if (asksNodes(words, args)) return { value: "nodes", shown: "calls that nodes have" };
  if (hasOnlyCapsules(words, args)) return { value: "capsules", shown: "capsules alone" };
  return { value: "files", shown: "calls for which svc asks no node" };
}

function hasOnlyCapsules(
  { capsules, hashes, ledgerFiles, range }: TrafficWords,
  { last }: Pick<RehearseArguments, "last">,
): boolean {
  const others = hashes.length + ledgerFiles.length;
  return capsules.length > 0 && others === 0 && range === null && last === null;
}

function asksNodes(
  { hashes, range }: Pick<TrafficWords, "hashes" | "range">,
  { archive, last }: Pick<RehearseArguments, "archive" | "last">,
): boolean {
  return hashes.length > 0 || ((range !== null || last !== null) && !archive);
}

async function readBuilds(shell: Shell, { builds }: TrafficWords): Promise<Map<string, NewBuild>> {
  const wasmOfContract = new Map<string, NewBuild>();
  for (const { contract, file } of builds) {
    if (decodeContractId(contract) === null)
      throw usageError(
        `${contract} is not the address of a contract${addressHint(contract)}.`,
        "Write the contract and its new code as `C…=new.wasm`.",
      );
    if (wasmOfContract.has(contract))
      throw usageError(`${contract} has two new builds.`, "Pass one build for each contract.");
    wasmOfContract.set(contract, readBuild({ file, bytes: await readWasmFile(shell, file, null) }));
  }
  return wasmOfContract;
}

/** Throws USAGE. A rehearsal can take hours, and could then not save its capsules. */
function refuseFileAsDirectory({ facts }: Shell, path: string | null): void {
  if (path === null) return;
  const stats = ifVisible(() => statSync(resolve(facts.workingDirectory, path)));
  if (stats === null || stats.isDirectory()) return;
  throw usageError(
    `${path} is not a directory.`,
    phrase`Pass a directory in ${flag("save")}; svc creates it if it does not exist.`,
  );
}

/** A mistyped name, for which no call would be found. The old code may have had the function. */
function warnOfFunction(
  { log }: Shell,
  { function: name }: Pick<RehearseArguments, "function">,
  builds: NewBuilds,
): void {
  if (name === null) return;
  const specs = [...builds.values()].map(({ spec }) => spec);
  if (specs.some((spec) => spec === null || spec.unread !== undefined || spec.functions.has(name)))
    return;
  const near = nearestWord(
    name,
    specs.flatMap((spec) => [...(spec?.functions.keys() ?? [])]),
  );
  const meant = near === null ? "" : ` Did you mean ${near}?`;
  log.warn(`--function ${name}: no new build has this function.${meant}`);
}

interface Traffic extends TrafficWords {
  /** The part of the ledger files that a piece has (default: all of them). */
  readonly streams?: readonly PlannedStream[];
}

async function rehearse(
  shell: Shell,
  args: RehearseArguments,
  builds: NewBuilds,
  traffic: Traffic,
): Promise<{
  readonly rehearsal: UpgradeRehearsal;
  readonly facts: PieceFacts;
  readonly isSaved: boolean;
}> {
  const { openWork } = await import("../../tools/open-work.ts");
  const { openReplayEngines } = await import("../../verify/replay-transaction.ts");
  const { Rehearser } = await import("../rehearse-traffic.ts");
  const { rehearseArchive, rehearseRange, rehearseStreams } = await import("../read-traffic.ts");
  const { rehearseCaptures } = await import("../rehearse-captures.ts");
  const { readFirstCall } = await import("../first-call.ts");
  const { rehearseLast, rehearseLastArchived } = await import("../last-calls.ts");
  const config = configOf(args);
  const work = openWork(config, workOptions(shell));
  const { signal } = shell;
  const program = work.program();
  const jobs = args.jobs ?? availableParallelism();
  await using pools = openReplayEngines(program, jobs);
  const engines = { ...pools, recorder: work.engines.recorder ?? null };
  const { function: name, everyPath, last, inSequence } = args;
  const first = args.first === null ? null : readFirstCall(args.first, builds);
  if (first !== null && engines.recorder === null) locateRecordingSimulator(program);
  const choice = { function: name, everyPath, last, first, inSequence };
  const rehearser = new Rehearser(engines, builds, choice);
  const progress = () => shell.log.progress(`${counted(rehearser.count, "call")} rehearsed`);
  // A sequence carries the changes of one period of an archive into the next one, and which call of
  // a path comes first is known only after the earlier periods.
  const archiveJobs = (inSequence || everyPath) && args.archive ? 1 : jobs;
  const { hashes, capsules, ledgerFiles, range } = traffic;
  const sources = [hashes, capsules, ledgerFiles].filter(({ length }) => length > 0).length;
  const readsInOrder = last === null && sources + (range === null ? 0 : 1) === 1;
  const warmUpLedgers = warmUpOf(args, traffic) ?? 0;
  const options = { signal, progress, readsInOrder, warmUpLedgers };
  const shared = { engines, rehearser, program, jobs: archiveJobs, ...options };
  const nodes = asksNodes(traffic, args) ? await work.nodes() : null;
  const taken = await rehearseCaptures(
    shared,
    {
      capsules,
      hashes,
      openCapsule: (capsule) => openSignedCapsule(shell, capsule, null, null),
      openHash: (hash) => work.tools.capture(hash, { signal, progress: () => {} }),
    },
    nodes,
  );
  if (ledgerFiles.length > 0) {
    const { planStreams } = await import("../../verify/plan-streams.ts");
    const networkPassphrase = chosenNetwork(args, config.networkPassphrase);
    const { streams = await planStreams(ledgerFiles, { signal, networkPassphrase }) } = traffic;
    await rehearseStreams({ ...shared, taken }, streams);
  }
  const looking = ({ first, last: to }: Range) =>
    shell.log.progress(`looking for calls in ledgers ${first} to ${to}`);
  const searching = { ...shared, taken, looking };
  let searched: UpgradeRehearsal["searched"] = null;
  if (args.archive) {
    const { networkPassphrase } = config;
    const wantedLedger = range?.last ?? "latest";
    const archive = await openArchive(shell, config, args, { wantedLedger, signal });
    const place = { archive, networkPassphrase };
    if (range !== null) await rehearseArchive(searching, place, range);
    else if (last !== null) searched = await rehearseLastArchived(searching, place, last);
  } else if (nodes !== null) {
    if (range !== null) await rehearseRange(searching, nodes, range);
    else if (last !== null) searched = await rehearseLast(searching, nodes, last);
  }
  const rehearsal = { ...(await rehearser.finish({ signal })), searched };
  const isSaved = args.save === null || (await save(shell, args.save, rehearser));
  return { rehearsal, facts: rehearser.pieceFacts(), isSaved };
}

/** Null if the user did not choose a network; the files then determine it. */
function chosenNetwork({ origins }: RehearseArguments, passphrase: string): string | null {
  const isChosen = !isDefault(origins.network) || !isDefault(origins.networkPassphrase);
  return isChosen ? passphrase : null;
}

/**
 * Saves the examples. A file that cannot be written is an error on stderr, and the report follows:
 * the rehearsal may have taken hours. Returns false then.
 */
async function save(
  shell: Shell,
  path: string,
  { examples }: Pick<Rehearser, "examples">,
): Promise<boolean> {
  const { encodeCapsule } = await import("../../sources/files/capsule.ts");
  let saved = 0;
  // In the order of the groups, because calls are judged side by side.
  for (const group of Object.keys(GROUPS) as GroupKind[]) {
    const example = examples.get(group);
    if (example === undefined) continue;
    const { record, snapshot } = example;
    const name = `${group}-${record.hash.slice(0, 8)}.capsule.json`;
    const place = resolve(shell.facts.workingDirectory, path);
    try {
      await writeOutputFile(place, name, encodeCapsule(record, snapshot), shell);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "OUTPUT_UNWRITABLE") throw error;
      const others = saved === 0 ? "capsules" : "other capsules";
      shell.log.error(`${error.message} The ${others} are not saved.`);
      return false;
    }
    saved += 1;
    shell.log.info(`Saved ${join(path, name)}.`);
  }
  return true;
}

/** The choice of reports; `network`: the words with which `svc debug` finds it. */
export interface RehearsalReports extends Pick<RehearseArguments, "report" | "format" | "archive"> {
  readonly network: string;
}

export async function report(
  shell: Shell,
  args: RehearsalReports,
  rehearsal: UpgradeRehearsal,
  conditions: readonly FailOn[],
): Promise<void> {
  const { rehearsalDocument } = await import("../rehearsal-document.ts");
  const { rehearsalJson } = await import("../difference-words.ts");
  const { rehearsalJunit } = await import("../rehearsal-junit.ts");
  const { drawText } = await import("../../report/text/draw.ts");
  const { drawMarkdown } = await import("../../report/formats/markdown.ts");
  const { renderDocumentPage } = await import("../../report/html/document-page.ts");
  const { network, archive } = args;
  const subjectOf = ({ hash, ledger, files }: RehearsedCall) => {
    if (files?.kind === "capsule") return `--from ${shellWord(files.file)}`;
    if (files !== null) return `${hash}${filesWords(files)}`;
    return `${hash}${network}${archive ? ` --prove --ledger ${ledger}` : ""}`;
  };
  const document = () => rehearsalDocument(rehearsal, subjectOf, conditions);
  const render = {
    json: () => [...rehearsalJson(rehearsal, conditions)].join(""),
    text: (columns) => drawText(document(), { ...textOptions(shell), ...columns }),
    markdown: () => drawMarkdown("svc rehearse", document()),
    html: () => renderDocumentPage("svc rehearse", document()),
    junit: () => rehearsalJunit(rehearsal, conditions, systemClock.unixMilliseconds()),
  } satisfies Record<
    (typeof FORMATS)[number],
    (columns: { color?: boolean; columns?: number }) => string
  >;
  for (const each of args.report)
    await writeReportFile(shell, each, render[each.format]({ color: false, columns: 0 }));
  const format = args.format ?? (shell.json ? "json" : "text");
  if (format !== "json") return shell.output.write(render[format]({}));
  for (const piece of inLargerPieces(rehearsalJson(rehearsal, conditions)))
    await shell.output.write(piece);
}

/** The words with which `svc debug` finds a call of ledger files, and its network. */
function filesWords({ files, networkPassphrase }: Extract<CallFiles, { kind: "ledgers" }>): string {
  const name = networkOfPassphrase(networkPassphrase);
  const network =
    name === null ? `--network-passphrase ${shellWord(networkPassphrase)}` : `--network ${name}`;
  return ` --ledger-file ${shellWord(files.join(","))} ${network}`;
}

const PIECE_CHARACTERS = 65_536;

/** The same text with fewer writes. */
function* inLargerPieces(pieces: Iterable<string>): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_CHARACTERS) continue;
    yield text;
    text = "";
  }
  yield text;
}
