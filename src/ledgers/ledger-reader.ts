// The reader of ledgers: one by one or in order, from whichever sources have them. A source that
// fails or has no more is followed by the next. What was read is kept, and what is on its way is
// waited for, so that nothing is asked for twice.
// Invariant: nobody gets a ledger that its own hashes refute. Such an answer is NODE_LIED, which
// ends the run; of a source that is forgiven it is a failure, and the next one is asked.

import { SvcError } from "../base/errors/errors.ts";
import { unlessAborted } from "../base/join-signals.ts";
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
  /** Name of the source that it was read from. */
  readonly source: string;
}

/** `check` throws for a ledger that does not belong there: it is asked for again. */
export interface RunContext extends LedgerContext {
  /** In the order they are asked; those that do not rest when not given. */
  readonly sources?: readonly Source[];
}

export interface LedgerReaderDependencies {
  /** In the order they are asked. */
  readonly sources: readonly Source[];
  readonly networkPassphrase: string;
}

/** A ledger that is on its way. */
interface Begun {
  readonly ledger: Promise<ReadLedger | null>;
  /** Of who asked for it. */
  readonly signal: AbortSignal;
}

export class LedgerReader {
  private readonly sources: readonly Source[];
  private readonly kept: KeptLedgers<ReadLedger>;
  private readonly begun: Map<number, Begun>;
  /** The view of a ledger's bytes, made once for the same bytes. Throws XDR_INVALID. */
  readonly open: (ledgerCloseMeta: Uint8Array) => LedgerCloseMetaView;

  /** `beside`: what is read is kept together with that of this reader. */
  constructor(
    private readonly dependencies: LedgerReaderDependencies,
    beside: LedgerReader | null = null,
  ) {
    this.sources = dependencies.sources;
    this.kept = beside?.kept ?? keptLedgers<ReadLedger>();
    this.begun = beside?.begun ?? new Map<number, Begun>();
    const open = openOnce();
    this.open =
      beside?.open ?? ((ledgerCloseMeta) => open(ledgerCloseMeta, dependencies.networkPassphrase));
  }

  /** The same ledgers, asked of these sources. */
  through(sources: readonly Source[]): LedgerReader {
    return new LedgerReader({ ...this.dependencies, sources }, this);
  }

  /** Null when no source has the ledger. Throws NODE_LIED. */
  async view(sequence: number, context: FetchContext): Promise<ReadLedger | null> {
    const known = this.kept.get(sequence) ?? null;
    if (known !== null) return known;
    const { ledger, signal } = this.begun.get(sequence) ?? this.begin(sequence, context);
    try {
      return await unlessAborted(ledger, context.signal);
    } catch (error) {
      // Who asked for it has left: others ask again.
      if (context.signal.aborted || !signal.aborted) throw error;
      return this.view(sequence, context);
    }
  }

  /** Begins to read a ledger that is viewed soon. What fails is asked for again then. */
  prefetch(sequence: number, context: FetchContext): void {
    // Files are read in order, from their first ledger.
    if (this.sources.some(({ local }) => local === true)) return;
    if (this.kept.get(sequence) === undefined && !this.begun.has(sequence))
      this.begin(sequence, context);
  }

  /**
   * Ledgers first, first + 1, … without a gap; ends where no source goes on. Throws NODE_LIED, and
   * what the last source failed with.
   */
  async *run(first: number, last: number, context: RunContext): AsyncGenerator<ReadLedger> {
    let next = first;
    for (; next <= last; next += 1) {
      const known = await this.atHand(next, context);
      if (known === null) break;
      yield known;
    }
    let failure: SvcError | null = null;
    for (const source of context.sources ?? awakeInOrder(this.sources)) {
      if (next > last) return;
      const check = (ledger: LedgerBytes) => {
        context.check?.(ledger);
        this.read(ledger, source);
      };
      try {
        const ledgers = source.fetchLedgerCloseMetas?.(next, last, { ...context, check });
        for await (const ledger of ledgers ?? []) {
          // A gap would go unnoticed otherwise; another source may fill it.
          if (ledger.sequence !== next) break;
          const found = this.read(ledger, source);
          this.kept.set(found.sequence, found);
          yield found;
          next += 1;
        }
      } catch (error) {
        if (context.signal.aborted || !isFailureOfNode(error)) throw error;
        failure = error;
      }
    }
    if (next <= last && failure !== null) throw failure;
  }

  /** Those of first to last that ledger files hold, in the files' order. Throws NODE_LIED. */
  async *local(first: number, last: number, context: FetchContext): AsyncGenerator<ReadLedger> {
    for (const source of this.sources) {
      if (source.local !== true) continue;
      const ledgers = source.fetchLedgerCloseMetas?.(first, last, context);
      for await (const ledger of ledgers ?? []) yield this.read(ledger, source);
    }
  }

  /** The facts of the latest ledger; null when no source knows it. */
  async latest(context: FetchContext): Promise<LedgerFacts | null> {
    const asked = await askInTurn(this.sources, context, (source, asking) =>
      source.fetchLatestFacts?.(asking),
    );
    return asked.answer;
  }

  private begin(sequence: number, context: FetchContext): Begun {
    const asked = askInTurn(this.sources, context, async (source, asking) => {
      const check = (ledger: LedgerBytes) => void this.read(ledger, source);
      const bytes = await source.fetchLedgerCloseMeta?.(sequence, { ...asking, check });
      return bytes ? this.read({ sequence, ledgerCloseMeta: bytes }, source) : null;
    });
    const ledger = asked
      .then(({ answer }) => {
        if (answer !== null) this.kept.set(answer.sequence, answer);
        return answer;
      })
      .finally(() => this.begun.delete(sequence));
    // Whoever waits for it handles its failure.
    ledger.catch(() => {});
    const begun = { ledger, signal: context.signal };
    this.begun.set(sequence, begun);
    return begun;
  }

  /** What is kept or on its way, unless it does not pass the check. */
  private async atHand(sequence: number, context: RunContext): Promise<ReadLedger | null> {
    const waits = this.begun.has(sequence) && context.sources === undefined;
    const known = waits ? await this.view(sequence, context) : (this.kept.get(sequence) ?? null);
    if (known === null) return null;
    try {
      context.check?.(known);
      return known;
    } catch {
      this.kept.delete(sequence);
      return null;
    }
  }

  /** Throws NODE_LIED, PROTOCOL_UNKNOWN, and NETWORK_BAD_ANSWER for what cannot be decoded. */
  private read({ sequence, ledgerCloseMeta }: LedgerBytes, source: Source): ReadLedger {
    const { name } = source;
    const open = () => ofLedger(sequence, () => this.open(ledgerCloseMeta));
    const view = decodedAnswer(name, `ledger ${sequence}`, open);
    const forged = forgedPart(view);
    if (forged !== null) throw lied(source, sequence, forged);
    return {
      ...{ sequence, ledgerCloseMeta, source: name },
      // A view takes as much memory as the bytes.
      get view() {
        return open();
      },
    };
  }
}

function lied({ name, forgiven }: Source, sequence: number, field: string): SvcError {
  return new SvcError(forgiven ? "NETWORK_BAD_ANSWER" : "NODE_LIED", {
    message: `${name} gave a wrong ledger ${sequence}: its ${field} do${field === "header" ? "es" : ""} not have the hash that the ledger names.`,
    remedy: "Set another node with `--rpc-url`.",
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

/** Ledgers by their sequence, as many as fit. */
export type KeptLedgers<Ledger extends LedgerBytes> = RecentlyUsed<number, Ledger>;

export function keptLedgers<Ledger extends LedgerBytes>(
  maximumBytes = MAXIMUM_BYTES,
): KeptLedgers<Ledger> {
  return new RecentlyUsed<number, Ledger>({
    weight: maximumBytes,
    weigh: ({ ledgerCloseMeta }) => ledgerCloseMeta.length,
  });
}
