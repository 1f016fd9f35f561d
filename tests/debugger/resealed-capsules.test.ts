// A capsule in which one value of one section was changed and that was sealed again, as whoever
// forges one would do it. Each is refused, or is not exact, or every report of it says that it is a
// claim: in whatever format, for a person, a pipeline or an agent.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { SvcError } from "../../src/base/errors/errors.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { agentReport } from "../../src/mcp/agent-report.ts";
import { openAnswerStore } from "../../src/mcp/answer-store.ts";
import { firstAnswer } from "../../src/mcp/first-answer.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { FINDINGS_RENDERERS } from "../../src/report/renderers.ts";
import { decodeCapsule } from "../../src/sources/files/capsule.ts";
import type { TypeName } from "../../src/xdr/reader/schema.ts";
import { decode, encode } from "../../src/xdr/reader/value.ts";
import { found as findingOf, findingsOf } from "../report/findings-of.ts";
import { changedCapsule } from "../support/changed-capsule.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { openTestSimulator } from "../support/simulator.ts";

const ROOT = join(import.meta.dir, "../..");
const CAPSULES = [
  "examples/overflow-in-callee",
  "examples/write-bytes-too-low",
  "bench/increment",
  "tests/fixtures/capsules/too-many-events",
].map((path) => readFileSync(join(ROOT, `${path}.capsule.json`), "utf8"));
const simulator = openTestSimulator();

/** A capsule as JSON, and what chooses within a section. */
// biome-ignore lint/suspicious/noExplicitAny: a test changes what the type forbids
type Change = (capsule: any, n: number) => unknown;

const ofXdr =
  (type: TypeName, field: string, holders: (capsule: Parameters<Change>[0]) => unknown[]): Change =>
  (capsule, n) => {
    const all = holders(capsule).filter((each) => hasText(each, field));
    const holder = all[n % Math.max(1, all.length)] as Record<string, string> | undefined;
    if (holder !== undefined) holder[field] = changedValue(type, holder[field] ?? "", n >>> 4);
  };
const hasText = (holder: unknown, field: string) =>
  typeof (holder as Record<string, unknown> | null)?.[field] === "string";

/** The same type with one number, text, flag or arm of it changed. */
function changedValue(type: TypeName, xdr: string, n: number): string {
  const value = decode(type, xdr);
  const leaves = [...leavesOf(value)];
  for (let i = 0; i < leaves.length; i += 1) {
    const undo = leaves[(n + i) % leaves.length]?.(n);
    try {
      const made = encode(type, value);
      if (made !== xdr && decode(type, made)) return made;
    } catch {
      // No such arm.
    }
    undo?.();
  }
  return xdr;
}

function* leavesOf(value: unknown): Generator<(n: number) => () => void> {
  if (typeof value !== "object" || value === null) return;
  const holder = value as Record<string, unknown>;
  const keys = value instanceof Uint8Array ? [...value.keys()].slice(0, 64) : Object.keys(value);
  for (const key of keys) {
    const each = holder[key];
    const other = otherThan(each);
    if (other === undefined) yield* leavesOf(each);
    else
      yield (n) => {
        Object.assign(holder, { [key]: other(n) });
        return () => Object.assign(holder, { [key]: each });
      };
  }
}

function otherThan(value: unknown): ((n: number) => unknown) | undefined {
  if (typeof value === "number") return (n) => value ^ (1 << (n % 8));
  if (typeof value === "bigint") return (n) => value + BigInt(1 + (n % 1000));
  return typeof value === "boolean" ? () => !value : undefined;
}

const record = ({ record: own }: Parameters<Change>[0]) => [own];
const entries = ({ snapshot }: Parameters<Change>[0]) => snapshot.entries;
const any = (list: unknown[], n: number) =>
  list[n % Math.max(1, list.length)] as Record<string, unknown> | undefined;
const KINDS = ["meta", "ledger-scan", "same-ledger", "history-archive", "rpc-unchanged"];

const SECTIONS: Readonly<Record<string, Change>> = {
  "the result": ofXdr("TransactionResult", "resultXdr", record),
  "the meta": ofXdr("TransactionMeta", "resultMetaXdr", record),
  "no meta": (capsule) => Object.assign(capsule.record, { resultMetaXdr: null }),
  "the ledger header": ofXdr("LedgerHeader", "ledgerHeaderXdr", record),
  "a fact of the ledger, and of its header": ({ record: own }, n) => {
    const { scpValue, ...header } = decode("LedgerHeader", own.ledgerHeaderXdr);
    const { ledger } = own;
    const closeTime = scpValue.closeTime + 5n;
    const txSetHash = scpValue.txSetHash.with(0, (scpValue.txSetHash[0] ?? 0) ^ 1);
    const [facts, changed] = (
      [
        [{ closeTimeUnixSeconds: String(closeTime) }, { scpValue: { ...scpValue, closeTime } }],
        [{ transactionSetHash: txSetHash.toHex() }, { scpValue: { ...scpValue, txSetHash } }],
        [{ baseFeeStroops: ledger.baseFeeStroops + 1 }, { baseFee: header.baseFee + 1 }],
        [
          { baseReserveStroops: ledger.baseReserveStroops + 1 },
          { baseReserve: header.baseReserve + 1 },
        ],
      ] as const
    )[n % 4] ?? [{}, {}];
    Object.assign(ledger, facts);
    own.ledgerHeaderXdr = encode("LedgerHeader", { ...header, scpValue, ...changed });
  },
  "no header, and facts that nobody assumed": ({ record: own }) => {
    own.ledgerHeaderXdr = undefined;
  },
  "the close time alone": ({ record: own }) => {
    own.ledger.closeTimeUnixSeconds = String(BigInt(own.ledger.closeTimeUnixSeconds) + 5n);
  },
  "the ledger's number": ({ record: own }, n) => {
    own.ledger.sequence += 1 + (n % 5);
  },
  "the order of application": ({ record: own }, n) => {
    own.applicationOrder += 1 + (n % 5);
  },
  "the diagnostic events": ({ record: own }, n) => {
    const events: string[] = own.diagnosticEventsXdr;
    if (events.length === 0) return;
    const at = n % events.length;
    own.diagnosticEventsXdr = events.with(
      at,
      changedValue("DiagnosticEvent", events[at] ?? "", n >>> 4),
    );
  },
  "no diagnostic events": ({ record: own }) => {
    own.diagnosticEventsXdr = [];
  },
  "who said it": ({ record: own }) => {
    for (const part of Object.keys(own.origins)) own.origins[part] = "the network's validators";
  },
  "an entry": ofXdr("LedgerEntry", "entryXdr", entries),
  "an entry's last change": ({ snapshot }, n) => {
    const entry = any(snapshot.entries, n);
    if (typeof entry?.entryXdr !== "string") return;
    const value = decode("LedgerEntry", entry.entryXdr);
    entry.entryXdr = encode("LedgerEntry", {
      ...value,
      lastModifiedLedgerSeq: value.lastModifiedLedgerSeq - 1,
    });
  },
  "a TTL": ({ snapshot }, n) => {
    const entry = any(
      snapshot.entries.filter((each: Record<string, unknown>) => each.liveUntilLedger !== null),
      n,
    );
    if (entry !== undefined) entry.liveUntilLedger = Number(entry.liveUntilLedger) + 1 + (n % 900);
  },
  "an entry that is archived": ({ snapshot }, n) =>
    Object.assign(any(snapshot.entries, n) ?? {}, { archived: true }),
  "code that was in the cache": ({ snapshot }, n) =>
    Object.assign(any(snapshot.entries, n) ?? {}, { codeCached: n % 2 === 0 }),
  "an entry that is missing": ({ snapshot }, n) =>
    Object.assign(any(snapshot.entries, n) ?? {}, { entryXdr: null, liveUntilLedger: null }),
  provenance: ({ snapshot }, n) => {
    const kind = KINDS[n % KINDS.length];
    const provenance = { kind, detail: "3 validators signed it" };
    for (const each of [...snapshot.entries, ...snapshot.settings])
      Object.assign(each, { provenance, ...(each.ttlProvenance && { ttlProvenance: provenance }) });
  },
  "a network setting": ofXdr("LedgerEntry", "entryXdr", ({ snapshot }) => snapshot.settings),
  "a setting less": ({ snapshot }, n) => {
    snapshot.settings.splice(n % snapshot.settings.length, 1);
  },
  "the rent fee": ({ snapshot }, n) => {
    snapshot.rentFeePer1KbStroops = String(n % 10_000);
  },
  "a proof that is none": ({ snapshot }) => {
    snapshot.proof = { latestCheckpoint: 63, ledgersPerCheckpoint: 64, files: {} };
  },
  "what is claimed": (capsule) => {
    capsule.record.claimed = { by: "capsule", parts: [] };
  },
  "an unknown field": (capsule, n) => {
    const holders = [capsule, capsule.record, capsule.record.ledger, capsule.snapshot];
    const entry = any(capsule.snapshot.entries, n) ?? {};
    Object.assign([...holders, entry][n % 5], { confirmed: true });
  },
  // A list of changes is encoded as an object that has nothing else.
  "the fee changes": ofXdr("OperationMeta", "feeChangesXdr", record),
  "the refund changes": ofXdr("OperationMeta", "refundChangesXdr", record),
  "no fee changes": ({ record: own }) => {
    own.feeChangesXdr = null;
    own.refundChangesXdr = null;
  },
};

/** Null when all of its reports say that it is a claim. */
async function saysNothing(found: Investigation): Promise<string | null> {
  const findings = findingsOf([findingOf(found)]);
  const missing: string[] = [];
  for (const [format, render] of Object.entries(FINDINGS_RENDERERS)) {
    const text = String(await render(findings, { color: false } as never)).replace(/\s+/g, " ");
    const says =
      format === "json"
        ? /"claimed": ?\{ ?"by": ?"capsule", ?"parts": ?\[ ?"result"/.test(text)
        : /claims of a capsule|\(from the capsule/.test(text);
    // A SARIF log of a success has no result, and says nothing of a verdict.
    if (!says && !(format === "sarif" && !/exact|equivalent/.test(text))) missing.push(format);
  }
  const { caveats } = firstAnswer(openAnswerStore(), agentReport(found));
  if (!caveats.some((each) => each.includes("(from the capsule"))) missing.push("agents");
  return missing.length === 0 ? null : missing.join(", ");
}

describe("a capsule that was sealed again is refused, is not exact, or is told as a claim, with another", () => {
  test.each(Object.entries(SECTIONS))(
    "%s",
    async (name, change) => {
      const seen = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...CAPSULES), fc.nat(), async (capsule, n) => {
          const text = changedCapsule(capsule, (content) => change(content, n));
          try {
            const options = { signal: NEVER_ABORTED, fast: true };
            const lent = { simulator, progress: () => {} };
            const found = await replayCaptured(lent, decodeCapsule(text), options);
            seen.add(found.verdict?.kind ?? "none");
            expect([name, await saysNothing(found)]).toEqual([name, null]);
            const { unconfirmed } = found.verdict ?? {};
            expect(unconfirmed?.record).toContain("result");
          } catch (error) {
            if (!(error instanceof SvcError)) throw error;
            seen.add(error.code);
          }
        }),
        { numRuns: 14 },
      );
      expect(seen.size).toBeGreaterThan(0);
    },
    60_000,
  );
});
