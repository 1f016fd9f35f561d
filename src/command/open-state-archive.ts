// Opens the archive of `svc state` and `svc state diff`, and finds the ledger that the user means.
// If no checkpoint shows an entry, the transactions since the checkpoint before are replayed.

import { SvcError, usageError } from "../base/errors/errors.ts";
import type { ArchiveValues } from "../history-archive/archive-settings.ts";
import type { OpenArchiveOptions } from "../history-archive/open-archive.ts";
import type { OpenedArchive } from "../history-archive/opened-archive.ts";
import type { StateReports } from "../history-archive/state-diff.ts";
import type { StateReport } from "../model/state/proven-state.ts";
import type { Config } from "../sources/network-settings.ts";
import { consentOf, runSignal, type Shell, workOptions } from "./shell.ts";

/**
 * Opens the archive at a ledger. Throws USAGE for a ledger that is later than the signatures, and
 * the errors of the archive.
 */
export async function openStateArchive(
  shell: Shell,
  config: Config,
  settings: Omit<ArchiveValues, "origins"> & { readonly ledger: number | null },
): Promise<{ readonly archive: OpenedArchive & StateReports; readonly ledger: number }> {
  const request = {
    wantedLedger: settings.ledger ?? "latest",
    signal: shell.facts.signal,
  } as const;
  const archive = await openArchive(shell, config, settings, request);
  const { name, latestLedger } = archive;
  const ledger = settings.ledger ?? latestLedger;
  if (ledger <= latestLedger) return { archive: withReplays(shell, config, archive), ledger };
  throw usageError(
    `The validators' signatures in ${name} end with ledger ${latestLedger}; ${ledger} is later.`,
    "Use an earlier ledger, or wait some minutes for the next checkpoint.",
  );
}

/** Opens the archive. Throws its errors. */
export async function openArchive(
  shell: Shell,
  config: Config,
  settings: Omit<ArchiveValues, "origins">,
  request: Pick<OpenArchiveOptions, "wantedLedger" | "signal">,
): Promise<OpenedArchive> {
  const { openConfiguredHttp } = await import("../debugger/setup/open-nodes.ts");
  const { openConfiguredArchive } = await import("../history-archive/open-archive.ts");
  const { networkName: network, networkPassphrase } = config;
  const { environment } = shell.facts;
  return openConfiguredArchive(settings, {
    http: openConfiguredHttp(config),
    network,
    networkPassphrase,
    ...request,
    ...consentOf(shell),
    environment,
  });
}

/** Adds replays to an archive. All of them share the time limit of one run. */
function withReplays(
  shell: Shell,
  config: Config,
  archive: OpenedArchive,
): OpenedArchive & StateReports {
  const { networkPassphrase } = config;
  let limit: AbortSignal | null = null;
  const replayed = async (open: readonly StateReport[], ledger: number) => {
    const { openWork } = await import("../tools/open-work.ts");
    const { reportsByReplays } = await import("../verify/state-by-replays.ts");
    limit ??= runSignal(shell, config);
    const signal = limit;
    shell.log.progress("replaying the transactions since the checkpoint");
    try {
      const program = openWork(config, workOptions(shell)).program();
      const options = { networkPassphrase, program, signal };
      return await archive.ask((place) => reportsByReplays(place, open, options), ledger);
    } catch (error) {
      shell.signal.throwIfAborted();
      let why = "the time limit was reached (`--timeout`).";
      if (!signal.aborted) {
        if (!(error instanceof SvcError)) throw error;
        why = error.message;
      }
      shell.log.warn(`Transactions since the checkpoint were not replayed: ${why}`);
      return open;
    }
  };
  const reports: StateReports["reports"] = async (keysXdr, ledger, before) => {
    const reportOfKey = new Map<string, StateReport>();
    for (const keyXdr of keysXdr)
      reportOfKey.set(keyXdr, await archive.report(keyXdr, ledger, before));
    const open = [...reportOfKey.values()].filter(isOpen);
    const shown = open.length === 0 ? [] : await replayed(open, ledger);
    for (const report of shown) reportOfKey.set(report.keyXdr, report);
    return reportOfKey;
  };
  return {
    ...archive,
    reports,
    async report(keyXdr, ledger, before) {
      const reportOfKey = await reports([keyXdr], ledger, before);
      return reportOfKey.get(keyXdr) as StateReport;
    },
  };
}

function isOpen({ entry, liveUntil }: StateReport): boolean {
  return entry.kind === "unknown" || liveUntil?.kind === "unknown";
}
