// The pieces of a verification, and what each needs.

import { counted } from "../../base/text/counted.ts";
import { grouped } from "../../base/text/grouped.ts";
import type { PlannedPiece, VerificationPlan } from "../../model/verification-piece.ts";
import { table, wrap } from "../text/layout.ts";

const SHOWN_PIECES = 100;
const MINUTE = 60;
const HOUR = 3600;

export function renderPlanText({ shards, warmUpLedgers, pieces, estimate }: VerificationPlan) {
  const shown = pieces.slice(0, SHOWN_PIECES);
  const rows = shown.map((piece) => [`${piece.shard}/${shards}`, partOf(piece)]);
  const lines = table([["piece", "part"], ...rows]);
  const omitted = pieces.length - shown.length;
  if (omitted > 0) lines.push(`  (${grouped(String(omitted))} more; see --json)`);
  lines.push("");
  if (estimate === null)
    lines.push(...wrap("There is no estimate: no ledger of a range was read."));
  else {
    const { sampledLedgers, ledgers, downloadBytes, seconds, memoryBytes } = estimate;
    lines.push(
      ...wrap(
        `Estimate for one piece on one core, from ${counted(sampledLedgers, "ledger")} of the range: ` +
          `${counted(ledgers, "ledger")} with ` +
          `${counted(estimate.sorobanTransactions, "Soroban transaction")}, ` +
          `${bytes(downloadBytes)} to download, ${time(seconds)}, up to about ${bytes(memoryBytes)} of ` +
          "memory. Other ledgers can be larger, and other machines slower.",
      ),
    );
  }
  if (warmUpLedgers > 0)
    lines.push(...wrap(`Each reads ${counted(warmUpLedgers, "ledger")} before its part.`));
  return `${lines.join("\n")}\n`;
}

function partOf({ part }: PlannedPiece): string {
  if (part.kind === "files") return `${counted(part.files, "file")}, ${bytes(part.bytes)}`;
  return `ledgers ${part.first} to ${part.last}`;
}

function bytes(many: number): string {
  if (many >= 1e9) return `${(many / 1e9).toFixed(1)} GB`;
  return `${Math.max(1, Math.round(many / 1e6))} MB`;
}

function time(seconds: number): string {
  if (seconds >= HOUR) return `${(seconds / HOUR).toFixed(1)} h`;
  return seconds >= MINUTE ? `${Math.round(seconds / MINUTE)} min` : `${seconds} s`;
}
