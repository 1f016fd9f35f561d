// State that validators signed, for all commands that debug or record a transaction. svc looks up
// in a history archive what nodes and capsules show. It checks the proof in a capsule offline.

import { SvcError } from "../../base/errors/errors.ts";
import { grouped } from "../../base/text/grouped.ts";
import type { TimeLimits } from "../../base/time-limits.ts";
import { type ArchiveValues, archivesOf } from "../../history-archive/archive-settings.ts";
import type { BucketStore } from "../../history-archive/bucket-store.ts";
import { notSet } from "../../history-archive/errors.ts";
import type { ReadFiles } from "../../history-archive/open-archive.ts";
import type { ArchivePlace, OpenedArchive } from "../../history-archive/opened-archive.ts";
import { type ChainRecord, withSignedResult } from "../../model/chain-record.ts";
import { networkInWords } from "../../model/networks.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { SimulatorProgram } from "../../simulator/simulator-program.ts";
import type { Config } from "../../sources/network-settings.ts";
import type { CaptureDependencies, Captured, Proven } from "../walk/capture-transaction.ts";
import type { SharedHttp } from "./open-nodes.ts";

/** How state is proven by a history archive. */
export interface ProofOptions {
  readonly settings: Omit<ArchiveValues, "origins">;
  /**
   * Replays the transactions since a checkpoint that wrote what this one needs. Returns the state
   * just before it; null if the replays do not show that state.
   */
  readonly byReplays: (
    place: ArchivePlace,
    record: ChainRecord,
    options: { readonly program: SimulatorProgram; readonly signal: AbortSignal },
  ) => Promise<Snapshot | null>;
  /** Asks the user; undefined without a terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | undefined;
  readonly say: (text: string) => void;
  readonly time: TimeLimits;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A look-up in an archive. */
export interface Prove {
  /** The transaction's ledger, if no node has it; null if it is unknown. */
  readonly ledger: number | null;
}

type ProofNodes = Pick<CaptureDependencies, "sources" | "prove">;
type Prover = NonNullable<ProofNodes["prove"]>;

export interface Proofs {
  /** True if the configured network has an archive. */
  readonly hasArchive: boolean;
  /**
   * Adds an archive to the nodes, which proves what they show of one transaction. Throws
   * ARCHIVE_NOT_SET if there is none.
   */
  readonly beside: <Asked extends ProofNodes>(nodes: Asked, wish: Prove) => Promise<Asked>;
  /**
   * Checks the state of a capsule. If `wish` is null, only the proof in the capsule counts, and no
   * request is made. Throws NODE_LIED if validators signed something else, and the errors of
   * `beside`.
   */
  readonly checked: (
    captured: Captured,
    wish: Prove | null,
    options: { readonly signal: AbortSignal },
  ) => Promise<Captured>;
}

/**
 * `unsigned`: too few validators signed the ledger; `contradicted`: they signed something else than
 * a node showed.
 */
export type ProofOutcome = "success" | "unsigned" | "contradicted" | "error";

interface ProofSurroundings extends SharedHttp {
  /** Throws SIMULATOR_NOT_FOUND. */
  readonly program: () => SimulatorProgram;
  /**
   * Called after each look-up of what nodes show, unless it was interrupted. Not called for
   * capsules.
   */
  readonly proved?: (outcome: ProofOutcome) => void;
}

/** If `options` is null, no archive is asked, and a capsule's own proof is not checked. */
export function openProofs(
  config: Config,
  options: ProofOptions | null,
  { program, proved = () => {}, ...shared }: ProofSurroundings,
): Proofs {
  if (options === null) return NO_PROOFS;
  let store: BucketStore | null = null;
  /** The archives of one transaction, which read each file once. */
  const archives = (): Archives => {
    let files: ReadFiles | null = null;
    return async (networkPassphrase, signal) => {
      const { openConfiguredArchive, openConfiguredStore, openReadFiles } = await import(
        "../../history-archive/open-archive.ts"
      );
      files ??= openReadFiles();
      const { openConfiguredHttp } = await import("./open-nodes.ts");
      const { settings, environment } = options;
      store ??= openConfiguredStore(settings, environment);
      return openConfiguredArchive(settings, {
        http: openConfiguredHttp(config, shared),
        signal,
        ...options,
        keepsExcerpt: true,
        files,
        store,
        network: networkInWords(networkPassphrase),
        networkPassphrase,
      });
    };
  };
  const { byReplays, time } = options;
  const proverOf =
    (open: Archives): Prover =>
    (...input) =>
      prove({ open, program, byReplays, time }, ...input);
  return {
    hasArchive: archivesOf(options.settings, config.networkPassphrase).length > 0,
    async beside(nodes, { ledger }) {
      const { archiveSource } = await import("./archive-source.ts");
      const { networkPassphrase } = config;
      const open = archives();
      const of = (signal: AbortSignal) => open(networkPassphrase, signal);
      const source = archiveSource(of, ledger, networkPassphrase);
      const prover = counted(proverOf(open), proved);
      return { ...nodes, sources: [...nodes.sources, source], prove: prover };
    },
    async checked(captured, wish, run) {
      if (wish === null) return await withCheckedProof(captured, options);
      return { ...captured, ...(await proverOf(archives())(captured.snapshot, captured, run)) };
    },
  };
}

function counted(prover: Prover, proved: (outcome: ProofOutcome) => void): Prover {
  return async (snapshot, opened, run) => {
    try {
      const proven = await prover(snapshot, opened, run);
      proved(proven.unproven === undefined ? "success" : "unsigned");
      return proven;
    } catch (error) {
      const isLie = error instanceof SvcError && error.code === "NODE_LIED";
      if (!run.signal.aborted) proved(isLie ? "contradicted" : "error");
      throw error;
    }
  };
}

const NO_PROOFS: Proofs = {
  hasArchive: false,
  async beside() {
    throw notSet(null);
  },
  async checked(captured, wish) {
    if (wish === null) return captured;
    throw notSet(null);
  },
};

/**
 * Opens an archive by the passphrase, because a capsule may be of another network than the
 * configured one.
 */
type Archives = (networkPassphrase: string, signal: AbortSignal) => Promise<OpenedArchive>;

/** The limit of the replays: a third of the time that a run has by default. */
const REPLAYING_MILLISECONDS = 20_000;

interface Proving {
  readonly open: Archives;
  readonly program: () => SimulatorProgram;
  readonly byReplays: ProofOptions["byReplays"];
  readonly time: TimeLimits;
}

async function prove(
  { open, program, byReplays, time }: Proving,
  ...[snapshot, opened, { signal }]: Parameters<Prover>
): Promise<Proven> {
  const { isConfirmed, proveSnapshot, withReplayed } = await import(
    "../../history-archive/prove-snapshot.ts"
  );
  const archive = await open(opened.record.networkPassphrase, signal);
  const { sequence } = opened.record.ledger;
  if (!(await archive.checkRecord(opened.record))) {
    const unproven = `Not proven: too few validators signed ledger ${grouped(sequence)}.`;
    return { snapshot, unproven };
  }
  const record = withSignedResult(opened.record);
  if (snapshot === null) return { snapshot, record };
  const proven = await proveSnapshot(snapshot, opened, archive);
  if (isConfirmed(proven)) return { snapshot: proven, record };
  const limit = time.limit(REPLAYING_MILLISECONDS);
  try {
    const options = { program: program(), signal: AbortSignal.any([signal, limit]) };
    const ask = (place: ArchivePlace) => byReplays(place, opened.record, options);
    const replayed = await archive.ask(ask, sequence);
    return { snapshot: replayed === null ? proven : withReplayed(proven, replayed), record };
  } catch (error) {
    // The facts that need no replays stay proven.
    signal.throwIfAborted();
    if (limit.aborted || error instanceof SvcError) return { snapshot: proven, record };
    throw error;
  }
}

async function withCheckedProof(captured: Captured, options: ProofOptions): Promise<Captured> {
  const snapshot = await checkedProof(captured, options);
  const isSigned = snapshot?.proof !== undefined;
  const record = isSigned ? withSignedResult(captured.record) : captured.record;
  return { ...captured, record, snapshot };
}

/** Replaces what the proof shows; the rest stays as the capsule has it, unproven. */
export async function checkedProof(
  { proof, snapshot, ...opened }: Captured,
  { settings, environment }: Pick<ProofOptions, "settings" | "environment">,
): Promise<Snapshot | null> {
  if (proof === undefined || snapshot === null) return snapshot;
  const { openExcerpt } = await import("../../history-archive/open-archive.ts");
  const { proveSnapshot } = await import("../../history-archive/prove-snapshot.ts");
  const { networkPassphrase } = opened.record;
  try {
    const archive = await openExcerpt(proof, settings, { networkPassphrase, environment });
    return await proveSnapshot(snapshot, opened, archive);
  } catch (error) {
    if (error instanceof SvcError && error.code !== "NODE_LIED") return snapshot;
    throw error;
  }
}
