// Opens the interactive view, if the terminal can show it. This is checked before any work, so that
// no user waits for nodes and then learns that the terminal is too small.

import { resolve } from "node:path";
import { SvcError, usageError } from "../../base/errors/errors.ts";
import { flag, phrase, svc } from "../../base/phrase.ts";
import { sizeOf } from "../../base/terminal/terminal.ts";
import { readWasmFile } from "../../command/read-input.ts";
import { type Shell, workOptions } from "../../command/shell.ts";
import type { Findings } from "../../model/finding.ts";
import type { Investigation } from "../../model/investigation.ts";
import { isTooSmallToStart, START_SIZE } from "../../report/tui/geometry.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { Recording } from "../../time-travel/recording.ts";
import type { ChosenTransactions } from "../arguments/choose-transactions.ts";
import type { DebugArguments } from "../arguments/debug-settings.ts";
import { LENT } from "../lent.ts";

/** Refuses the view. Throws INTERACTIVE_IMPOSSIBLE, and USAGE for several transactions. */
export function refuseImpossibleView(
  shell: Shell,
  { single }: Pick<ChosenTransactions, "single">,
): void {
  if (!single)
    throw usageError(
      "--interactive shows only one transaction.",
      phrase`Pass one hash, or one capsule with ${flag("from")}.`,
    );
  const reason = impossibleBecause(shell);
  if (reason === null) return;
  const least = `${START_SIZE.columns}x${START_SIZE.rows}`;
  throw new SvcError("INTERACTIVE_IMPOSSIBLE", {
    message: `The interactive view cannot be shown: ${reason}.`,
    remedy: phrase`Use a terminal of at least ${least} with TERM set, as in TERM=xterm-256color (NO_COLOR=1 turns colors off), or run ${svc("debug")} without \`-i\`.`,
    details: { least },
  });
}

function impossibleBecause({ facts }: Shell): string | null {
  const { stdin, stdout } = facts.terminal();
  if (stdin.isTTY !== true) return "standard input is not a terminal";
  if (stdout.isTTY !== true) return "standard output is not a terminal";
  const term = facts.environment.TERM ?? "";
  if (term === "") return "TERM is not set, so the type of the terminal is unknown";
  if (term === "dumb") return "TERM is dumb: the terminal cannot move its cursor";
  const size = sizeOf({ stdout });
  if (size.columns === 0 || size.rows === 0) return "the terminal does not report its size";
  return isTooSmallToStart(size) ? `the terminal is ${size.columns}x${size.rows}` : null;
}

/** Shows the view, and returns when the user quits. The terminal is restored in every case. */
export async function browse(
  shell: Shell,
  { list }: Findings,
  config: Config,
  { wasm, sourceMap }: Pick<DebugArguments, "wasm" | "sourceMap">,
): Promise<void> {
  const { interact } = await import("../../report/tui/interact.ts");
  shell.log.endProgress();
  const { terminal, environment } = shell.facts;
  const locale = environment.LC_ALL || environment.LC_CTYPE || environment.LANG || "";
  const shown = {
    color: shell.color(),
    unicode: /utf-?8/i.test(locale),
    hostCalls: shell.verbosity >= 3,
    signal: shell.signal,
  };
  const { workingDirectory } = shell.facts;
  const mapped = sourceMap.map(({ from, to }) => [from, resolve(workingDirectory, to)] as const);
  for (const finding of list) {
    if (finding.kind !== "investigated") continue;
    const { investigation } = finding;
    let left = await interact(terminal(), investigation, shown);
    while (left.ended === "step") {
      const options = { ...shown, mouse: left.mouse, sourceMap: Object.fromEntries(mapped) };
      const message = await stepped(async () => {
        if (LENT.stepper === undefined)
          throw usageError("This build of svc has no stepper.", "Use a complete build of svc.");
        const { stepThrough } = await LENT.stepper();
        await using recording = await record(shell, config, investigation, wasm);
        shell.log.endProgress();
        await stepThrough(terminal(), recording, options);
      });
      left = await interact(terminal(), investigation, { ...shown, from: { ...left, message } });
    }
  }
}

/** The line that the view shows after stepping: the reason why it was not possible, or nothing. */
async function stepped(step: () => Promise<void>): Promise<string> {
  try {
    await step();
    return "";
  } catch (error) {
    if (error instanceof SvcError && error.code !== "INTERRUPTED") return error.message;
    throw error;
  }
}

/** Records a run for stepping. No node is asked again. */
async function record(
  shell: Shell,
  config: Config,
  { record: chain, snapshot }: Investigation,
  wasm: string | null,
): Promise<Recording> {
  const { capturedOf } = await import("../../debugger/travel/record-transaction.ts");
  const { findBuilds, TARGET } = await import("../../debugger/travel/find-builds.ts");
  const { openWork } = await import("../../tools/open-work.ts");
  const { workingDirectory } = shell.facts;
  // A proof of the state was checked before.
  const { tools } = openWork(config, workOptions(shell));
  const named = wasm === null ? null : [await readWasmFile(shell, wasm, "wasm")];
  return tools.record(
    { captured: () => Promise.resolve(capturedOf(chain, snapshot)) },
    (codes) =>
      named === null
        ? findBuilds({ workingDirectory, directory: TARGET }, codes)
        : Promise.resolve({ wasm: named, remarks: [] }),
    { signal: shell.signal, progress: shell.log.progress },
  );
}
