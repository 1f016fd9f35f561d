// What svc verify --shard prints: which piece it did, and where its result is.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import type { VerificationPiece } from "../../model/verification-piece.ts";
import { wrap } from "../text/layout.ts";

export interface DonePiece {
  readonly piece: VerificationPiece;
  readonly done: "already" | "now";
  /** Of the document in the store. */
  readonly name: string;
  readonly store: string;
}

export function renderPieceText({ piece, done, name, store }: DonePiece): string {
  const { job, shard, counts } = piece;
  const verdicts = Object.values(counts.byProtocol);
  const exact = verdicts.reduce((sum, each) => sum + each.exact, 0);
  const all = verdicts.flatMap(Object.values).reduce((sum, each) => sum + each, 0);
  const lines = [
    `Piece ${shard} of ${job.shards}, ${describePart(piece)}: ` +
      `${counted(all, "Soroban transaction")} replayed, ${grouped(String(exact))} exact.`,
    `${done === "now" ? "Result" : "The result was there already"}: ${name} in ${store}.`,
  ];
  const lacking = counts.notExactWithoutHistory;
  if (lacking > 0) {
    lines.push(
      `${grouped(String(lacking))} not exact while an input from before the piece is unknown.`,
    );
  }
  return `${lines.flatMap((line) => wrap(line)).join("\n")}\n`;
}

function describePart({ part }: VerificationPiece): string {
  if (part.kind === "files") return counted(part.files.length, "file");
  return `ledgers ${part.first} to ${part.last}`;
}
