// Opens the base of a fork that the user chose.

import { usageError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import type { OpenedArchive } from "../../history-archive/opened-archive.ts";
import { networkInWords, networkOfPassphrase } from "../../model/networks.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { Work } from "../../tools/open-work.ts";
import { readLedgerHeader } from "../../xdr/ledger/header.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import type { Followed, ReadContext } from "../ledger/chain.ts";
import type { EntriesAt } from "./node-entries.ts";
import type { OpenedBase } from "./opened-base.ts";
import type { ForkFile, SavedLedger } from "./saved-fork.ts";

export interface BaseSurroundings {
  readonly config: Config;
  /** The fork's own passphrase; null for that of the network. */
  readonly passphrase: string | null;
  /** True if no node may be asked. */
  readonly offline: boolean;
  readonly progress: (text: string) => void;
  /** Shows a warning. */
  readonly warn: (text: string) => void;
  /** Opens the history archive with the ledger (null for the latest); null if nodes are asked. */
  readonly archive: ((ledger: number | null) => Promise<ArchivedLedger>) | null;
  /** The nodes to ask, and the check of a capsule's proof. */
  readonly work: Pick<Work, "nodes" | "proofs">;
}

export interface ArchivedLedger {
  readonly archive: OpenedArchive;
  readonly ledger: number;
}

/**
 * The choice of a base. A file takes precedence, and at most one of the others is not null. If all
 * are null, the base is the latest ledger.
 */
export interface BaseChoice {
  readonly ledger: number | null;
  /** The hash of a transaction. */
  readonly before: string | null;
  readonly empty: { readonly protocolVersion: number } | null;
  readonly file: ForkFile | null;
}

/** Opens the base. Throws the failures of nodes, FILE_INVALID and FORK_STATE_UNKNOWN. */
export async function openBase(
  surroundings: BaseSurroundings,
  choice: BaseChoice,
  context: ReadContext,
): Promise<OpenedBase> {
  const { config, passphrase, offline, progress, archive } = surroundings;
  const { ledger, before, empty, file } = choice;
  const isNamed = config.network !== "custom" || config.networkName !== "custom";
  const networkName = isNamed ? config.networkName : `"${config.networkPassphrase}"`;
  if (file !== null) return openFile(surroundings, file, choice, context);
  if (empty !== null) {
    const { openEmptyBase } = await import("./empty-base.ts");
    const closeTimeUnixSeconds = BigInt(Math.floor(Date.now() / 1000));
    const networkPassphrase = passphrase ?? config.networkPassphrase;
    return openEmptyBase({ ...empty, networkPassphrase, closeTimeUnixSeconds });
  }
  if (offline)
    throw usageError(
      "With --offline, svc may ask no node for another ledger.",
      phrase`Start the fork without ${flag("offline")}.`,
    );
  if (archive !== null && before === null) {
    progress("reading the history archive");
    const { openArchiveBase } = await import("./archive-base.ts");
    const archivedLedger = await archive(ledger);
    const network = { name: networkName, passphrase: config.networkPassphrase };
    return openArchiveBase(archivedLedger.archive, network, archivedLedger.ledger, context);
  }
  const { openBaseBefore, openNetworkBase } = await import("./network-base.ts");
  progress(before === null ? "reading the ledger to fork" : `reading transaction ${before}`);
  const nodes = await openNodes(surroundings);
  const isFork = nodes.sources.some((source) => source.isFork === true);
  // The settings of a fork may name another network than the fork's own.
  const name = isFork ? `a fork of ${networkInWords(nodes.networkPassphrase)}` : networkName;
  if (before !== null) return openBaseBefore(nodes, name, before, context);
  return openNetworkBase(nodes, name, ledger, context);
}

async function openNodes({ work, progress }: BaseSurroundings) {
  return { ...(await work.nodes()), progress };
}

async function openFile(
  surroundings: BaseSurroundings,
  file: ForkFile,
  { ledger, before }: Pick<BaseChoice, "ledger" | "before">,
  context: ReadContext,
): Promise<OpenedBase> {
  const { archive, warn, work } = surroundings;
  /** The entries that a saved fork has never read. */
  const entriesSince = async (saved: SavedLedger): Promise<EntriesAt | null> => {
    const { networkPassphrase, sequence, hash, followed } = saved;
    if (ledger !== null && ledger !== sequence)
      warn(`--ledger ${ledger} had no effect: the saved fork of ledger ${sequence} was resumed.`);
    if (archive !== null) {
      const { entriesInArchive } = await import("./archive-base.ts");
      return entriesInArchive((await archive(sequence)).archive, sequence, hash);
    }
    // An empty network begins with the first ledger, which no node has.
    if (sequence === 1) return null;
    const isFurther = followed !== null && followed.sequence !== sequence;
    const ledgers = [...(isFurther ? [followed] : []), { sequence, hash }];
    const nodes = await checkedNodes(surroundings, networkPassphrase, ledgers, context);
    if (nodes === null) return null;
    const { openEntriesAt } = await import("./node-entries.ts");
    const entriesAt = openEntriesAt(nodes, sequence);
    return async (keysXdr, context) => {
      await nodes.check(context);
      return entriesAt(keysXdr, context);
    };
  };
  const { checkKind, openSavedFork } = await import("./saved-fork.ts");
  if (checkKind(file) === "fork") return openSavedFork(file.text, file.name, entriesSince);
  const { openCapsule } = await import("../../debugger/walk/open-capsule.ts");
  const { openCapsuleBase } = await import("./capsule-base.ts");
  const capsule = openCapsule(file, before);
  const captured = await work.proofs.checked(capsule, null, context);
  const { networkPassphrase, ledger: of, ledgerHeaderXdr } = captured.record;
  const headers = ledgerHeaderXdr === undefined ? [] : [readLedgerHeader(ledgerHeaderXdr).header];
  const ledgers = headers.map((header) => ({ ...of, hash: sha256(header).toHex() }));
  const nodes = await checkedNodes(surroundings, networkPassphrase, ledgers, context);
  return openCapsuleBase(captured, nodes, file.name);
}

/** A slower node is checked when it is asked for an entry, because the file may be enough. */
const CHECKED_WITHIN_MILLISECONDS = 2_500;

/** The nodes of the chain with these ledgers; null if no node is known for that passphrase. */
async function checkedNodes(
  surroundings: BaseSurroundings,
  networkPassphrase: string,
  ledgers: readonly Followed[],
  context: ReadContext,
) {
  const { config, offline, progress, warn } = surroundings;
  if (offline) return null;
  const known = networkOfPassphrase(networkPassphrase);
  if (networkPassphrase !== config.networkPassphrase) {
    const { network: origin } = config.origins;
    if (known === null && origin.kind !== "flag") return null;
    const owner = known ?? "a network that svc does not know";
    throw usageError(
      `The file belongs to ${owner}, but the nodes belong to ${config.networkName}.`,
      known === null && origin.kind === "flag"
        ? phrase`Remove ${flag(origin.setting)} to use the file alone.`
        : phrase`Pass ${flag("network", `${known}`)}, or ${flag("offline")} to use the file alone.`,
    );
  }
  if (config.rpcUrls.length === 0) return null;
  const nodes = await openNodes(surroundings);
  const { openChainCheck } = await import("./node-entries.ts");
  const shown = ledgers.filter(({ hash }) => /[^0]/.test(hash));
  const check = openChainCheck(nodes.sources, shown, warn);
  progress("checking that the nodes belong to the forked network");
  const late = AbortSignal.timeout(CHECKED_WITHIN_MILLISECONDS);
  const signal = AbortSignal.any([context.signal, late]);
  await check({ signal, brief: true }).catch((error) => {
    if (context.signal.aborted || !late.aborted) throw error;
  });
  return { ...nodes, check };
}
