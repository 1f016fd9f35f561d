// Ledger entries as the nodes have them now, each asked for once.

import type { SvcError } from "../../base/errors/errors.ts";
import { askInTurn } from "../../sources/ask-in-turn.ts";
import type { FetchContext, Source } from "../../sources/source.ts";
import type { NodeState, NodeStates } from "../evidence.ts";

export class AskedNodes implements NodeStates {
  private readonly sources: readonly Source[];
  private readonly states = new Map<string, NodeState>();
  private readonly asked = new Set<string>();
  /** Of the nodes that could not be asked. */
  readonly failures: SvcError[] = [];
  /** Why the last keys were asked for in vain; null when a node answered. */
  unanswered: SvcError | null = null;

  constructor(sources: readonly Source[]) {
    this.sources = sources;
  }

  find(keyXdr: string): NodeState | null {
    return this.states.get(keyXdr) ?? null;
  }

  get reason(): string {
    return this.failures[0]?.message ?? "no source has ledger entries";
  }

  /** Those of `keysXdr` that were not asked for yet. */
  async ask(keysXdr: readonly string[], context: FetchContext): Promise<void> {
    const keys = [...new Set(keysXdr)].filter((key) => !this.asked.has(key));
    if (keys.length === 0) return;
    for (const key of keys) this.asked.add(key);
    const { answer, source, failures } = await askInTurn(this.sources, context, (each, asking) =>
      each.fetchLedgerEntries?.(keys, asking),
    );
    this.failures.push(...failures);
    this.unanswered = answer === null ? (failures.at(-1) ?? null) : null;
    if (answer === null) return;
    const { latestLedger, entries } = answer;
    const origin = source?.name ?? "";
    for (const key of keys) {
      this.states.set(key, { latestLedger, entry: entries.get(key) ?? null, origin });
    }
  }
}
