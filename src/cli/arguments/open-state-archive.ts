// The archive of `svc state` and `svc state diff`, and the ledger that is meant.

import { usageError } from "../../base/errors/errors.ts";
import type { ArchiveValues } from "../../history-archive/archive-settings.ts";
import type { OpenedArchive } from "../../history-archive/open-archive.ts";
import type { Config } from "../../sources/network-settings.ts";
import { consentOf, type Shell } from "../shell.ts";

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
  if (ledger <= latestLedger) return { archive, ledger };
  throw usageError(
    `The validators' signatures in ${name} end with ledger ${latestLedger}; ${ledger} is later.`,
    "Use an earlier ledger, or wait some minutes for the next checkpoint.",
  );
}
