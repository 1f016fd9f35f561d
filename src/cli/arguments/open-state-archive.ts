// The archive of `svc state` and `svc state diff`, and the ledger that is meant. Where no
// checkpoint shows an entry, the transactions since the checkpoint before are replayed.

import { SvcError, usageError } from "../../base/errors/errors.ts";
import type { ArchiveValues } from "../../history-archive/archive-settings.ts";
import type { OpenedArchive } from "../../history-archive/open-archive.ts";
import type { Config } from "../../sources/network-settings.ts";
import { consentOf, runSignal, type Shell, surroundingsOf } from "../shell.ts";

/** Throws USAGE for a ledger that is later than the signatures, and what the archive throws. */
export async function openStateArchive(
  shell: Shell,
  config: Config,
  settings: Omit<ArchiveValues, "origins"> & { readonly ledger: number | null },
): Promise<{ readonly archive: OpenedArchive; readonly ledger: number }> {
  const { openConfiguredHttp } = await import("../../debugger/setup/open-nodes.ts");
  const { openConfiguredArchive } = await import("../../history-archive/open-archive.ts");
  const { networkName: network, networkPassphrase } = config;
  const archive = await openConfiguredArchive(settings, {
    http: openConfiguredHttp(config),
    signal: shell.facts.signal,
    ...{ network, networkPassphrase, download: settings.download },
    ...(settings.ledger !== null && { wantedLedger: settings.ledger }),
    ...consentOf(shell),
    environment: shell.facts.environment,
  });
  const { name, latestLedger } = archive;
  const ledger = settings.ledger ?? latestLedger;
  if (ledger <= latestLedger) return { archive: withReplays(shell, config, archive), ledger };
  throw usageError(
    `The validators' signatures in ${name} end with ledger ${latestLedger}; ${ledger} is later.`,
    "Use an earlier ledger, or wait some minutes for the next checkpoint.",
  );
}

/** All replays of a command share the time limit of one run. */
function withReplays(shell: Shell, config: Config, archive: OpenedArchive): OpenedArchive {
  const { networkPassphrase } = config;
  let limit: AbortSignal | null = null;
  return {
    ...archive,
    async report(...asked) {
      const found = await archive.report(...asked);
      if (![found.entry, found.liveUntil].some((fact) => fact?.kind === "unknown")) return found;
      const { findSimulator } = await import("../../debugger/setup/find-simulator.ts");
      const { reportByReplays } = await import("../../verify/state-by-replays.ts");
      limit ??= runSignal(shell, config);
      const signal = limit;
      shell.log.progress("replaying the transactions since the checkpoint");
      try {
        const simulatorPath = findSimulator(config, surroundingsOf(shell));
        const options = { networkPassphrase, simulatorPath, signal };
        return await archive.ask((place) => reportByReplays(place, found, options));
      } catch (error) {
        shell.signal.throwIfAborted();
        let why = "the time limit was reached (`--timeout`).";
        if (!signal.aborted) {
          if (!(error instanceof SvcError)) throw error;
          why = error.message;
        }
        shell.log.warn(`Transactions since the checkpoint were not replayed: ${why}`);
        return found;
      }
    },
  };
}
