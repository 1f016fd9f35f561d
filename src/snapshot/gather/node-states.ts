// Ledger entries as the nodes have them now. Each is requested once, and again if it was forgotten,
// or if its prefetch failed.

import type { SvcError } from "../../base/errors/errors.ts";
import { RecentlyUsed } from "../../base/recently-used.ts";
import { type AskedEntries, askForEntries } from "../../sources/ask-for-entries.ts";
import type { FetchContext, Source } from "../../sources/source.ts";
import type { NodeState, NodeStates } from "../evidence.ts";

/** The limit of keys and entries in base64 characters. Most of them are code. */
const MAXIMUM_CHARACTERS = 2 ** 27;

interface AskedState extends NodeState {
  /** The nodes that gave this answer. */
  readonly nodes: readonly Source[];
}

export class AskedNodes implements NodeStates {
  /** No state is forgotten while svc works on a ledger. */
  private readonly states = new RecentlyUsed<string, AskedState>({
    weight: Number.POSITIVE_INFINITY,
    weigh: ({ entry }, keyXdr) => keyXdr.length + (entry?.entryXdr.length ?? 0),
    slack: MAXIMUM_CHARACTERS / 2,
  });
  /** Keys that no node answered for. */
  private readonly unansweredKeys = new Set<string>();
  private foldedSince = 0;
  /** The failures for each question. They have its place, because questions go side by side. */
  private failuresOfEach: (readonly SvcError[])[] = [];
  /** The reason why no node answered for some of the ledger's keys; null if a node answered. */
  unanswered: SvcError | null = null;

  constructor(private readonly sources: readonly Source[]) {}

  /** The protocol of the network's latest ledger, as far as answers have shown; 0 before. */
  get protocolVersion(): number {
    return Math.max(0, ...this.sources.map((source) => source.protocolVersion?.() ?? 0));
  }

  find(keyXdr: string): NodeState | null {
    return this.states.get(keyXdr) ?? null;
  }

  /** The nodes that claim this state of the key. */
  witnessesOf(keyXdr: string): readonly Source[] {
    return this.states.get(keyXdr)?.nodes ?? [];
  }

  /** The failures of nodes that could not be asked. */
  get failures(): readonly SvcError[] {
    return this.failuresOfEach.flat();
  }

  get reason(): string {
    return this.failures[0]?.message ?? "no source has ledger entries";
  }

  /** Begins another ledger: nodes that failed are asked again. */
  beginLedger(): void {
    this.failuresOfEach = [];
    this.unanswered = null;
    this.unansweredKeys.clear();
    this.trim();
  }

  /** Forgets the states that were used longest ago, if there are too many. */
  trim(): void {
    this.states.trim(MAXIMUM_CHARACTERS);
  }

  /**
   * Forgets answers that are older than the ledgers folded since then, so that they are requested
   * again: nothing connects them to the ledgers that follow.
   */
  forgetBefore(firstFolded: number): void {
    if (firstFolded <= this.foldedSince) return;
    this.foldedSince = firstFolded;
    for (const [key, { latestLedger }] of [...this.states.entries()]) {
      if (latestLedger + 1 < firstFolded) this.states.delete(key);
    }
  }

  /**
   * Requests entries that are needed later in any case. `ask` requests failed ones again, unless no
   * node answered in time.
   */
  async prefetch(keysXdr: readonly string[], context: FetchContext): Promise<void> {
    if (keysXdr.length === 0) return;
    const { answer, failures } = await this.request(keysXdr, context);
    const timedOut = failures.some(({ code }) => code === "NETWORK_TIMEOUT");
    if (answer === null && !timedOut) return;
    this.failuresOfEach.push(failures);
    if (answer === null) for (const key of keysXdr) this.unansweredKeys.add(key);
  }

  /** Requests those of `keysXdr` that were not requested yet. */
  async ask(keysXdr: readonly string[], context: FetchContext): Promise<void> {
    const keys = [...new Set(keysXdr)].filter(
      (key) => !this.unansweredKeys.has(key) && this.states.get(key) === undefined,
    );
    if (keys.length === 0) return;
    for (const key of keys) this.unansweredKeys.add(key);
    const { failuresOfEach } = this;
    const place = failuresOfEach.push([]) - 1;
    const { answer, failures } = await this.request(keys, context);
    failuresOfEach[place] = failures;
    // An answer for other keys does not answer for these.
    if (answer === null) this.unanswered ??= failures.at(-1) ?? null;
  }

  private async request(keys: readonly string[], context: FetchContext): Promise<AskedEntries> {
    const response = await askForEntries(this.sources, keys, context);
    if (response.answer === null) return response;
    const { latestLedger, entries, nodes, origin, elsewhere } = response.answer;
    for (const key of keys) {
      this.states.set(key, { latestLedger, entry: entries.get(key) ?? null, nodes, origin });
    }
    for (const answer of elsewhere)
      this.states.set(answer.entry.keyXdr, { ...answer, nodes: [answer.node] });
    return response;
  }
}
