// Reads ledgers, one by one or in order, from the sources that have them. If a source fails or
// ends, the next one follows. Ledgers that were read are kept, and callers share a read that is on
// its way, so that nothing is requested twice.
// Invariant: no caller gets a ledger that its own hashes refute. Such an answer is NODE_LIED, which
// ends the run. For a source that is forgiven it is only a failure, and the next source is asked.

import { SvcError } from "../base/errors/errors.ts";
import { unlessAborted } from "../base/join-signals.ts";
import { flag, phrase } from "../base/phrase.ts";
import { RecentlyUsed } from "../base/recently-used.ts";
import type { LedgerFacts } from "../model/chain-record.ts";
import { ofLedger } from "../model/protocols.ts";
import { askInTurn, awakeInOrder } from "../sources/ask-in-turn.ts";
import { decodedAnswer } from "../sources/decoded-answer.ts";
import type { LedgerBytes } from "../sources/files/ledger-stream.ts";
import {
  type FetchContext,
  isFailureOfNode,
  type LedgerContext,
  type Source,
} from "../sources/source.ts";
import { forgedPart } from "../xdr/ledger/check-ledger.ts";
import { type LedgerCloseMetaView, openOnce } from "../xdr/ledger/ledger-close-meta.ts";

export interface ReadLedger extends LedgerBytes {
  readonly view: LedgerCloseMetaView;
  /** The name of the source that it was read from. */
  readonly source: string;
}

/** `check` throws for a ledger that does not belong there. That ledger is requested again. */
export interface RunContext extends LedgerContext {
  /** The sources in the order in which they are asked (default: all that do not rest). */
  readonly sources?: readonly Source[];
  /** False if the caller keeps the ledgers itself, as far as they are needed (default: true). */
  readonly keepsLedgers?: boolean;
}

export interface LedgerReaderDependencies {
  /** The sources in the order in which they are asked. */
  readonly sources: readonly Source[];
  readonly networkPassphrase: string;
  /**
   * Finds out whether nothing is wrong with a ledger, as the ledger engine does. svc itself then
   * reads only those where something is: it has the words (default: svc reads each ledger). Called
   * again for the same bytes, it does not ask again.
   */
  readonly isWhole?: (ledger: LedgerBytes) => Promise<boolean>;
}

/** The ledgers that several readers share. */
interface SharedLedgers {
  readonly kept: KeptLedgers<ReadLedger>;
  readonly begun: Map<number, PendingLedger>;
}

/** A ledger that is on its way. */
interface PendingLedger {
  readonly ledger: Promise<ReadLedger | null>;
  /** The signal of the caller that started the read. */
  readonly signal: AbortSignal;
}

export class LedgerReader {
  private readonly sources: readonly Source[];
  private readonly shared: SharedLedgers;
  /** Opens the view of a ledger's bytes, once for the same bytes. Throws XDR_INVALID. */
  readonly open: (ledgerCloseMeta: Uint8Array) => LedgerCloseMetaView;

  /** `beside` is a reader that shares its kept ledgers with this one. */
  constructor(
    private readonly dependencies: LedgerReaderDependencies,
    beside: LedgerReader | null = null,
  ) {
    this.sources = dependencies.sources;
    this.shared = beside?.shared ?? { kept: keptLedgers(), begun: new Map() };
    const open = openOnce();
    this.open =
      beside?.open ?? ((ledgerCloseMeta) => open(ledgerCloseMeta, dependencies.networkPassphrase));
  }

  /** Returns a reader of the same ledgers from these sources. */
  through(sources: readonly Source[]): LedgerReader {
    return new LedgerReader({ ...this.dependencies, sources }, this);
  }

  /** Returns null if no source has the ledger. Throws NODE_LIED. */
  async view(sequence: number, context: FetchContext): Promise<ReadLedger | null> {
    const known = this.shared.kept.get(sequence);
    if (known !== undefined) return known;
    const { ledger, signal } = this.shared.begun.get(sequence) ?? this.begin(sequence, context);
    try {
      return await unlessAborted(ledger, context.signal);
    } catch (error) {
      // The caller that started the read has left, so another one asks again.
      if (context.signal.aborted || !signal.aborted) throw error;
      return this.view(sequence, context);
    }
  }

  /** Begins to read a ledger that is needed soon. If that fails, the later read asks again. */
  prefetch(sequence: number, context: FetchContext): void {
    // Files are read in order, from their first ledger.
    if (this.sources.some(({ local }) => local === true)) return;
    const { kept, begun } = this.shared;
    if (kept.get(sequence) === undefined && !begun.has(sequence)) this.begin(sequence, context);
  }

  /**
   * Yields the ledgers from first on without a gap, and ends where no source continues. Throws
   * NODE_LIED, and the failure of the last source.
   */
  async *run(first: number, last: number, context: RunContext): AsyncGenerator<ReadLedger> {
    let next = first;
    for (; next <= last; next += 1) {
      const known = await this.atHand(next, context);
      if (known === null) break;
      yield known;
    }
    const { isWhole } = this.dependencies;
    let failure: SvcError | null = null;
    for (const source of context.sources ?? awakeInOrder(this.sources)) {
      if (next > last) return;
      const check = async (ledger: LedgerBytes) => {
        await context.check?.(ledger);
        await this.accept(ledger, source);
      };
      // The check itself fails if this does.
      const beginCheck = (ledger: LedgerBytes) => void isWhole?.(ledger).catch(() => {});
      const asking = { ...context, check, beginCheck };
      try {
        const ledgers = source.fetchLedgerCloseMetas?.(next, last, asking);
        for await (const ledger of ledgers ?? []) {
          // A gap would go unnoticed otherwise. Another source may fill it.
          if (ledger.sequence !== next) break;
          const readLedger = await this.accept(ledger, source);
          if (context.keepsLedgers !== false) this.keep(readLedger);
          yield readLedger;
          next += 1;
        }
      } catch (error) {
        if (context.signal.aborted || !isFailureOfNode(error)) throw error;
        failure = error;
      }
    }
    if (next <= last && failure !== null) throw failure;
  }

  /**
   * Yields the ledgers from first to last that ledger files hold, in the files' order. Throws
   * NODE_LIED.
   */
  async *local(first: number, last: number, context: FetchContext): AsyncGenerator<ReadLedger> {
    for (const source of this.sources) {
      if (source.local !== true) continue;
      const ledgers = source.fetchLedgerCloseMetas?.(first, last, context);
      for await (const ledger of ledgers ?? []) yield this.read(ledger, source);
    }
  }

  /** Returns the facts of the latest ledger, or null if no source knows it. */
  async latest(context: FetchContext): Promise<LedgerFacts | null> {
    const answered = await askInTurn(this.sources, context, (source, asking) =>
      source.fetchLatestFacts?.(asking),
    );
    return answered.answer;
  }

  /** Keeps a ledger no longer. If it is needed again, it is read again. */
  forget(sequence: number): void {
    this.shared.kept.delete(sequence);
  }

  private keep(ledger: ReadLedger): void {
    this.shared.kept.set(ledger.sequence, ledger);
  }

  private begin(sequence: number, context: FetchContext): PendingLedger {
    const request = askInTurn(this.sources, context, async (source, asking) => {
      const check = async (ledger: LedgerBytes) => void (await this.accept(ledger, source));
      const bytes = await source.fetchLedgerCloseMeta?.(sequence, { ...asking, check });
      return bytes ? this.accept({ sequence, ledgerCloseMeta: bytes }, source) : null;
    });
    const ledger = request
      .then(({ answer }) => {
        if (answer !== null) this.keep(answer);
        return answer;
      })
      .finally(() => this.shared.begun.delete(sequence));
    // The callers that wait for the ledger handle its failure.
    ledger.catch(() => {});
    const begun = { ledger, signal: context.signal };
    this.shared.begun.set(sequence, begun);
    return begun;
  }

  /** Returns a ledger that is kept or on its way, unless it does not pass the check. */
  private async atHand(sequence: number, context: RunContext): Promise<ReadLedger | null> {
    const waits = this.shared.begun.has(sequence) && context.sources === undefined;
    const known = waits ? await this.view(sequence, context) : this.shared.kept.get(sequence);
    if (!known) return null;
    try {
      await context.check?.(known);
      return known;
    } catch {
      this.forget(sequence);
      return null;
    }
  }

  /** Rejects with the errors of `read`. */
  private async accept(ledger: LedgerBytes, source: Source): Promise<ReadLedger> {
    const isWhole = (await this.dependencies.isWhole?.(ledger)) ?? false;
    return isWhole ? this.known(ledger, source) : this.read(ledger, source);
  }

  /**
   * Throws NODE_LIED, PROTOCOL_UNKNOWN, and NETWORK_BAD_ANSWER for bytes that cannot be decoded.
   */
  private read(ledger: LedgerBytes, source: Source): ReadLedger {
    const { sequence } = ledger;
    const known = this.known(ledger, source);
    const view = decodedAnswer(source.name, `ledger ${sequence}`, () => known.view);
    const forged = forgedPart(view);
    if (forged !== null) throw lied(source, sequence, forged);
    return known;
  }

  private known(
    { sequence, ledgerCloseMeta }: LedgerBytes,
    { name }: Pick<Source, "name">,
  ): ReadLedger {
    const open = () => ofLedger(sequence, () => this.open(ledgerCloseMeta));
    return {
      sequence,
      ledgerCloseMeta,
      source: name,
      // The view is opened again when it is used, because it takes as much memory as the bytes.
      get view() {
        return open();
      },
    };
  }
}

function lied({ name, forgiven }: Source, sequence: number, field: string): SvcError {
  return new SvcError(forgiven ? "NETWORK_BAD_ANSWER" : "NODE_LIED", {
    message: `${name} gave a wrong ledger ${sequence}: its ${field} do${field === "header" ? "es" : ""} not have the hash that the ledger names.`,
    remedy: phrase`Set another node with ${flag("rpcUrl")}.`,
    details: {
      source: name,
      sequence,
      field,
      problem: `the hash of a ledger is not that of its ${field}`,
    },
  });
}

/** Enough for the ledgers around one transaction, even large ones. */
const MAXIMUM_BYTES = 64 * 1024 * 1024;

/** Keeps as many ledgers as fit, by sequence. The one that was used longest ago goes first. */
export type KeptLedgers<Ledger extends LedgerBytes> = RecentlyUsed<number, Ledger>;

export function keptLedgers<Ledger extends LedgerBytes>(
  maximumBytes = MAXIMUM_BYTES,
): KeptLedgers<Ledger> {
  return new RecentlyUsed<number, Ledger>({
    weight: maximumBytes,
    weigh: ({ ledgerCloseMeta }) => ledgerCloseMeta.length,
  });
}
