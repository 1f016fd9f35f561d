// The pieces of a verification: what each needs, and where the result of one is.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import type { VerificationPiece } from "../../model/verification/verification-piece.ts";
import type { VerificationPlan } from "../../model/verification/verification-plan.ts";
import { blocks, type ReportDocument, section } from "./document.ts";

const SHOWN_PIECES = 100;
const MINUTE = 60;
const HOUR = 3600;

export interface DonePiece {
  readonly piece: VerificationPiece;
  readonly done: "already" | "now";
  /** Of the document in the store. */
  readonly name: string;
  readonly store: string;
}

export function pieceDocument({ piece, done, name, store }: DonePiece): ReportDocument {
  const { job, shard, part, counts } = piece;
  const verdicts = Object.values(counts.byProtocol);
  const exact = verdicts.reduce((sum, each) => sum + each.exact, 0);
  const all = verdicts.flatMap(Object.values).reduce((sum, each) => sum + each, 0);
  const inputs = part.kind === "files" ? counted(part.files.length, "file") : rangeOf(part);
  const lacking = counts.notExactWithoutHistory;
  return {
    head: {
      headline:
        `Piece ${shard} of ${job.shards}, ${inputs}: ` +
        `${counted(all, "Soroban transaction")} replayed, ${grouped(exact)} exact.`,
      tone: "plain",
      body: blocks([
        `${done === "now" ? "Result" : "The result was there already"}: ${name} in ${store}.`,
        lacking > 0 &&
          `${grouped(lacking)} not exact while an input from before the piece is unknown.`,
      ]),
    },
    sections: [],
  };
}

export function planDocument(plan: VerificationPlan): ReportDocument {
  const { shards, warmUpLedgers, pieces, estimate } = plan;
  const rows = pieces.map(({ shard, part }) => [
    `${shard}/${shards}`,
    part.kind === "files" ? `${counted(part.files, "file")}, ${bytes(part.bytes)}` : rangeOf(part),
  ]);
  const warmUp = `Each reads ${counted(warmUpLedgers, "ledger")} before its part.`;
  const headings = ["piece", "part"];
  return {
    head: null,
    sections: [
      section("pieces", null, {
        kind: "table",
        title: "Pieces",
        headings,
        rows,
        most: SHOWN_PIECES,
      }),
      section("estimate", null, [estimateOf(estimate), warmUpLedgers > 0 && warmUp]),
    ],
  };
}

function estimateOf(estimate: VerificationPlan["estimate"]): string {
  if (estimate === null) return "There is no estimate: no ledger of a range was read.";
  const { sampledLedgers, ledgers, downloadBytes, seconds, memoryBytes } = estimate;
  return (
    `Estimate for one piece on one core, from ${counted(sampledLedgers, "ledger")} of the range: ` +
    `${counted(ledgers, "ledger")} with ` +
    `${counted(estimate.sorobanTransactions, "Soroban transaction")}, ` +
    `${bytes(downloadBytes)} to download, ${time(seconds)}, up to about ${bytes(memoryBytes)} of ` +
    "memory. Other ledgers can be larger, and other machines slower."
  );
}

function rangeOf({ first, last }: { readonly first: number; readonly last: number }): string {
  return `ledgers ${first} to ${last}`;
}

function bytes(many: number): string {
  if (many >= 1e9) return `${(many / 1e9).toFixed(1)} GB`;
  return `${Math.max(1, Math.round(many / 1e6))} MB`;
}

function time(seconds: number): string {
  if (seconds >= HOUR) return `${(seconds / HOUR).toFixed(1)} h`;
  return seconds >= MINUTE ? `${Math.round(seconds / MINUTE)} min` : `${seconds} s`;
}
