// What the user wants to fork → the base of the fork.

import { usageError } from "../../base/errors/errors.ts";
import type { Proofs } from "../../debugger/setup/open-proofs.ts";
import type { OpenedArchive } from "../../history-archive/open-archive.ts";
import { networkOfPassphrase } from "../../model/networks.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { ReadContext } from "../ledger/chain.ts";
import type { OpenedBase } from "./opened-base.ts";
import type { SavedLedger } from "./saved-fork.ts";

export interface BaseSurroundings {
  readonly config: Config;
  /** Of the fork, where it is not that of the network. */
  readonly passphrase: string | null;
  /** No node is asked. */
  readonly offline: boolean;
  readonly progress: (text: string) => void;
  /** What has the ledger in the place of nodes, null for the latest; null: nodes have it. */
  readonly archive: ((ledger: number | null) => Promise<ArchivedLedger>) | null;
  /** Of svc-sim. Throws SIMULATOR_NOT_FOUND. */
  readonly simulatorPath: () => string;
  /** Check the proof that a capsule carries; null: no file is read. */
  readonly proofs: Proofs | null;
}

export interface ArchivedLedger {
  readonly archive: OpenedArchive;
  readonly ledger: number;
}

/** Nothing of it: the latest ledger. */
export interface BaseChoice {
  readonly ledger: number | null;
  /** A transaction's hash. */
  readonly before: string | null;
  readonly empty: { readonly protocolVersion: number } | null;
  readonly file: { readonly name: string; readonly text: string } | null;
}

/** Throws what nodes fail with, FILE_INVALID and FORK_STATE_UNKNOWN. */
export async function openBase(
  { config, passphrase, offline, progress, archive, simulatorPath, proofs }: BaseSurroundings,
  { ledger, before, empty, file }: BaseChoice,
  context: ReadContext,
): Promise<OpenedBase> {
  const nodes = async () => {
    const { openCapture } = await import("../../debugger/setup/open-nodes.ts");
    return openCapture(config, { ledgerFiles: [], progress, simulatorPath });
  };
  /** Null: no node is known for that passphrase. */
  const nodesOf = async (networkPassphrase: string) => {
    if (offline) return null;
    const known = networkOfPassphrase(networkPassphrase);
    if (networkPassphrase === config.networkPassphrase)
      return config.rpcUrls.length === 0 ? null : nodes();
    if (known === null) return null;
    throw usageError(
      `The file is of ${known}, and the nodes are of ${config.networkName}.`,
      `Pass \`--network ${known}\`, or \`--offline\` to use the file alone.`,
    );
  };
  /** What a saved fork has never read. */
  const entriesSince = async ({ networkPassphrase, sequence, hash }: SavedLedger) => {
    if (archive !== null) {
      const { entriesInArchive } = await import("./archive-base.ts");
      return entriesInArchive((await archive(sequence)).archive, sequence, hash);
    }
    const found = await nodesOf(networkPassphrase);
    const { openEntriesAt } = await import("./node-entries.ts");
    return found && openEntriesAt(found, sequence);
  };
  const isNamed = config.network !== "custom" || config.networkName !== "custom";
  const networkName = isNamed ? config.networkName : `"${config.networkPassphrase}"`;
  if (file !== null) {
    const { isSavedFork, openSavedFork } = await import("./saved-fork.ts");
    if (isSavedFork(file.text)) return openSavedFork(file.text, file.name, entriesSince);
    const { openCapsule } = await import("../../debugger/walk/open-capsule.ts");
    const { openCapsuleBase } = await import("./capsule-base.ts");
    const capsule = openCapsule(file, before);
    const captured = (await proofs?.checked(capsule, null, context)) ?? capsule;
    return openCapsuleBase(captured, await nodesOf(captured.record.networkPassphrase), file.name);
  }
  if (empty !== null) {
    const { openEmptyBase } = await import("./empty-base.ts");
    const closeTimeUnixSeconds = BigInt(Math.floor(Date.now() / 1000));
    const networkPassphrase = passphrase ?? config.networkPassphrase;
    return openEmptyBase({ ...empty, networkPassphrase, closeTimeUnixSeconds });
  }
  if (offline)
    throw usageError(
      "--offline: no node may be asked for another ledger.",
      "Start the fork without `--offline`.",
    );
  if (archive !== null && before === null) {
    progress("reading the history archive");
    const { openArchiveBase } = await import("./archive-base.ts");
    const found = await archive(ledger);
    const network = { name: networkName, passphrase: config.networkPassphrase };
    return openArchiveBase(found.archive, network, found.ledger, context);
  }
  const { openBaseBefore, openNetworkBase } = await import("./network-base.ts");
  progress(before === null ? "reading the ledger to fork" : `reading transaction ${before}`);
  if (before !== null) return openBaseBefore(await nodes(), networkName, before, context);
  return openNetworkBase(await nodes(), networkName, ledger, context);
}
