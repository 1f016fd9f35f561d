// The two checkpoints of a period: entries as validators signed them.

import type { ArchivedHeader } from "../history-archive/chain.ts";
import { compareKeys } from "../history-archive/key-order.ts";
import type { CheckpointEntry, StateReader } from "../history-archive/state-at.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";
import { uint32At } from "../xdr/reader/words.ts";

/** The two checkpoints. Each key is looked up once. */
export class PeriodEnds {
  private readonly entries = new Map<string, Promise<CheckpointEntry>>();

  constructor(
    private readonly states: StateReader,
    /** Null: there is none before. */
    readonly first: ArchivedHeader | null,
    readonly last: ArchivedHeader,
  ) {}

  get hasClassic(): boolean {
    return this.states.hasClassic;
  }

  /** Only where there is a first one. */
  atFirst(keyXdr: string): Promise<CheckpointEntry> {
    return this.lookUp(this.first?.sequence ?? 0, keyXdr);
  }

  atLast(keyXdr: string): Promise<CheckpointEntry> {
    return this.lookUp(this.last.sequence, keyXdr);
  }

  /** In the order of a bucket, so that each part of it is read once. */
  async prefetch(keysXdr: Iterable<string>): Promise<void> {
    const wantedKeysXdr = [...new Set(keysXdr)].filter(
      (each) => this.hasClassic || !isClassicKey(each),
    );
    const keys = wantedKeysXdr.map((keyXdr) => Uint8Array.fromBase64(keyXdr));
    const sorted = keys.sort(compareKeys).map((key) => key.toBase64());
    for (const keyXdr of sorted) if (this.first !== null) await this.atFirst(keyXdr);
    for (const keyXdr of sorted) await this.atLast(keyXdr);
  }

  private lookUp(checkpoint: number, keyXdr: string): Promise<CheckpointEntry> {
    const id = `${checkpoint} ${keyXdr}`;
    const entry =
      this.entries.get(id) ?? this.states.inCheckpoint(Uint8Array.fromBase64(keyXdr), checkpoint);
    this.entries.set(id, entry);
    return entry;
  }
}

export function isClassicKey(keyXdr: string): boolean {
  const type = typeOfKey(keyXdr);
  return type === ENTRY_TYPE.account || type === ENTRY_TYPE.trustline;
}

/** True if the later state has the entry as it was before the ledger. */
export function isUnwrittenSince({ entry, archived }: CheckpointEntry, sequence: number): boolean {
  return entry !== null && !archived && uint32At(entry, 0) < sequence;
}

export function base64Of({ entry }: Pick<CheckpointEntry, "entry">): string | null {
  return entry?.toBase64() ?? null;
}
