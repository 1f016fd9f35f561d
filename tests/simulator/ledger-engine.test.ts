// Processes of the ledger engine that do not answer, or that answer before they were asked in full.

import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLedgerEngine } from "../../src/simulator/open-processes.ts";

async function withProgram(
  lines: readonly string[],
  action: (path: string) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "svc-engine-"));
  const path = join(directory, "svc-sim");
  writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"));
  chmodSync(path, 0o755);
  try {
    await action(path);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

test("one that does not answer is ended, and is what failed", () =>
  withProgram(["exec sleep 600"], async (path) => {
    await using engine = openLedgerEngine({ path, patienceMilliseconds: 50 }, 1);
    const late = { code: "SIMULATOR_TIMEOUT" };
    // More than a pipe holds: it is still being written when the engine is given up.
    await expect(engine.read(new Uint8Array(1 << 20))).rejects.toMatchObject(late);
    await expect(engine.fold({ run: false, want: false })).rejects.toMatchObject(late);
  }));

test("its hosts have limits that nobody has to give", async () => {
  const answer = JSON.stringify({ unreadable: "ARGUMENTS" });
  const lines = [`printf '%s\\n' '${answer}' | sed "s/ARGUMENTS/$*/"`, "exec cat > /dev/null"];
  await withProgram(lines, async (path) => {
    await using engine = openLedgerEngine({ path, patienceMilliseconds: 9_000 }, 1);
    const given = await engine.read(new Uint8Array(4));
    const limits = /--memory-bytes \d+ --cpu-milliseconds \d+ --deadline-milliseconds (\d+)$/;
    // Before the engine is given up.
    expect(Number(limits.exec(`${given}`)?.[1])).toBeLessThan(9_000);
  });
});

test("verdicts that come while the question is being written are not lost", () => {
  const facts = { first_ledger: 2, young_since: 2, generation: 0, complete: true };
  const counts = { soroban: 1, refused: 0, classic: 0, running: 1 };
  const lists = { open: [], mismatches: [], rows: null };
  const ledger = { sequence: 5, protocol_version: 23, gap: false };
  const folded = JSON.stringify({ folded: { ...ledger, facts, ...counts, ...lists } });
  const verdicts = { sequence: 5, equal: 1, unconfirmed: 0, differ: [], changed: [] };
  const both = `${folded}\\n${JSON.stringify({ verdicts })}\\n`;
  // More than a pipe holds: the question is still being written when it is answered.
  const keys = ["A".repeat(1 << 20)];
  return withProgram([`printf '${both}'`, "sleep 0.1", "exec cat > /dev/null"], async (path) => {
    await using engine = openLedgerEngine({ path }, 1);
    const answer = await engine.fold({ run: true, want: false, keys });
    expect(await answer.verdicts).toEqual(verdicts);
  });
});

test("one that waits for settings is waited for, and answers these before what was sent ahead", () => {
  const facts = { first_ledger: 2, young_since: 2, generation: 0, complete: true };
  const asks = JSON.stringify({ settings: { gap: false, facts, entries: {} } });
  const counts = { soroban: 0, refused: 0, classic: 0, running: 0 };
  const lists = { open: [], mismatches: [], rows: null };
  const folded = (sequence: number) => {
    const ledger = { sequence, protocol_version: 23, gap: false };
    return JSON.stringify({ folded: { ...ledger, facts, ...counts, ...lists } });
  };
  const lines = [
    ...["read first", "read ahead", `echo '${asks}'`],
    ...["read settings", `echo '${folded(5)}'`, `echo '${folded(6)}'`, "exec cat > /dev/null"],
  ];
  return withProgram(lines, async (path) => {
    const patienceMilliseconds = 1_500;
    await using engine = openLedgerEngine({ path, patienceMilliseconds }, 1);
    const choice = { run: true, want: false };
    const [first, ahead] = [engine.fold(choice), engine.fold(choice)];
    expect((await first).settings).toBeDefined();
    // Longer than an engine that is asked for something may be silent: another one is given up.
    await withProgram(["exec sleep 600"], async (silent) => {
      await using other = openLedgerEngine({ path: silent, patienceMilliseconds }, 1);
      await expect(other.read(new Uint8Array(4))).rejects.toThrow();
    });
    expect((await engine.settings(null)).folded?.sequence).toBe(5);
    expect((await ahead).folded?.sequence).toBe(6);
  });
});

test("one that cannot be started keeps nothing alive", () => {
  const module = join(import.meta.dir, "../../src/simulator/open-processes.ts");
  const script = `
    import { openLedgerEngine } from ${JSON.stringify(module)};
    const code = await openLedgerEngine({ path: "/no/such/program" }, 1).read(new Uint8Array(4)).catch((e) => e.code);
    console.log(code);
  `;
  const { stdout, signalCode } = Bun.spawnSync([process.execPath, "-e", script], {
    timeout: 15_000,
  });
  expect([stdout.toString().trim(), signalCode]).toEqual(["SIMULATOR_DIED", undefined]);
});
