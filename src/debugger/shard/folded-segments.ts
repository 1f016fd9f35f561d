// What a piece has folded, beside its progress: a checkpoint adds documents with what was learnt
// since the one before. A document is of bounded size; what it holds is compressed.

import { seal, unseal } from "../../base/store/sealed-json.ts";
import type { Store } from "../../base/store/store.ts";
import { FOLDED_SEGMENT } from "../../model/verification-piece.ts";
import type { FoldChanges } from "../../snapshot/stream/ledgers-fold.ts";
import type { KeptRow, StateRow } from "../../snapshot/stream/state-changes.ts";

/** Documents `from` to before `to` are the state. */
export interface Segments {
  readonly from: number;
  readonly to: number;
}

export const NO_SEGMENTS: Segments = { from: 0, to: 0 };

/** Of rows in one document. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
const COMPRESSION = { level: 1 };

/** Returns which documents are the state now. */
export async function addSegments(
  store: Store,
  piece: string,
  before: Segments,
  { reset, facts: { generation }, rows }: FoldChanges,
): Promise<Segments> {
  let to = before.to;
  for (const some of inParts(rows)) {
    const text = Buffer.from(JSON.stringify(some));
    const packed = Bun.zstdCompressSync(text, COMPRESSION).toString("base64");
    await store.write(
      nameOf(piece, to),
      seal(FOLDED_SEGMENT, { piece, at: to, generation, rows: packed }),
    );
    to += 1;
  }
  return { from: reset ? before.to : before.from, to };
}

/** Null when one of them is missing or damaged. */
export async function readSegments(
  store: Store,
  piece: string,
  { from, to }: Segments,
): Promise<readonly KeptRow[] | null> {
  const kept: KeptRow[] = [];
  for (let at = from; at < to; at += 1) {
    const read = unseal(FOLDED_SEGMENT, (await store.read(nameOf(piece, at))) ?? "");
    if (read.kind === "damaged" || read.body.piece !== piece || read.body.at !== at) return null;
    const { generation, rows } = read.body;
    const text = Bun.zstdDecompressSync(Buffer.from(rows, "base64")).toString("utf8");
    for (const row of JSON.parse(text) as StateRow[]) kept.push({ row, generation });
  }
  return kept;
}

export async function removeSegments(store: Store, piece: string, { from, to }: Segments) {
  for (let at = from; at < to; at += 1) await store.remove(nameOf(piece, at));
}

/** Those of processes that ended before they had saved their progress too. */
export async function clearSegments(store: Store, piece: string): Promise<void> {
  const names = (await store.list()).filter((name) => name.startsWith(`${piece}.folded-`));
  for (const name of names) await store.remove(name);
}

function nameOf(piece: string, at: number): string {
  return `${piece}.folded-${at}.json`;
}

function* inParts(rows: readonly StateRow[]): Generator<StateRow[]> {
  let part: StateRow[] = [];
  let characters = 0;
  for (const row of rows) {
    part.push(row);
    characters += row[0].length + String(row[1]).length;
    if (characters < MOST_CHARACTERS) continue;
    yield part;
    [part, characters] = [[], 0];
  }
  if (part.length > 0) yield part;
}
