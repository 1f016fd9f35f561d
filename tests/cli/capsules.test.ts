// The walk on the compiled binary, offline: the replay of the bundled capsule is exact, and each
// problem with a capsule or with svc-sim has its own code, remedy and exit code.

import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { TransactionResult } from "@stellar/stellar-sdk/xdr";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Snapshot } from "../../src/model/snapshot.ts";
import { changedCapsule } from "../support/changed-capsule.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { type Finished, inTemporaryDirectory, svc } from "./run-svc.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const HASH = "bb9cd617c83fafb9bd6d88e3d113f160ce38cb7f0335ebf66e55c3e9c284364e";

/** The parts that a test may change. */
interface Capsule {
  format: number;
  record: { -readonly [Name in keyof ChainRecord]: ChainRecord[Name] };
  snapshot: {
    entries: { -readonly [Name in keyof Snapshot["entries"][0]]: Snapshot["entries"][0][Name] }[];
    settings: { entryXdr: string }[];
    unknown: { keyXdr: string; reason: string }[];
  };
}

test("the bundled transaction failed on chain, and is reproduced: exit code 0", async () => {
  const { exitCode, stdout, stderr } = await svc(["debug", "--from", EXAMPLE, "--json"]);
  const report = JSON.parse(stdout);
  expect([report.hash, report.outcome.success, report.verdict.kind]).toEqual([
    HASH,
    false,
    "exact",
  ]);
  expect([exitCode, stderr]).toEqual([0, ""]);
});

test("--verbose shows the trace, -vv what is compared, -vvv the calls to the host", async () => {
  const [trace, more, all] = await Promise.all(
    ["--verbose", "-vv", "-vvv"].map((flag) => svc(["debug", "--from", EXAMPLE, flag])),
  );
  expect(trace?.stdout).toContain("├─ event [add_with]");
  expect(trace?.stdout).not.toContain("Comparisons");
  expect(more?.stdout).toContain("Comparisons");
  expect(more?.stdout).not.toContain("contract_event");
  expect(all?.stdout).toContain(". contract_event([add_with]");
  const { calls } = JSON.parse((await svc(["debug", "--from", EXAMPLE, "--json", "-v"])).stdout);
  expect(calls.calls[0].calls[0].hostCalls[0].function).toBe("vec_new_from_linear_memory");
});

test("the hash may be given too, upper case or lower, but not another one", async () => {
  const upper = await svc(["debug", HASH.toUpperCase(), "--from", EXAMPLE]);
  expect([upper.exitCode, upper.stderr]).toEqual([0, ""]);
  const other = await svc(["debug", "0".repeat(64), "--from", EXAMPLE]);
  expect([other.exitCode, other.stderr.includes(HASH)]).toEqual([2, true]);
});

test("what --save writes is what --from reads", async () => {
  await inTemporaryDirectory(async (directory) => {
    const saved = await svc(["debug", "--from", EXAMPLE, "--save", "x.json", "--output", "out"], {
      directory,
    });
    expect([saved.exitCode, saved.stderr.startsWith("Saved ")]).toEqual([0, true]);
    const again = await svc(["debug", "--from", join(directory, "out", "x.json")]);
    expect(again.stdout).toBe(saved.stdout);
  });
});

test("a replay that differs: exit code 1, the first difference with both values", async () => {
  const { exitCode, stdout } = await debugSpoiled(({ record }) => {
    record.resultXdr = changedXdr(TransactionResult, record.resultXdr, ({ result }) => {
      result.tx_failed[0].op_inner.invoke_host_function = "resource_limit_exceeded";
    });
  });
  expect(exitCode).toBe(1);
  for (const text of ["diverged", "first difference", "on chain", "in the replay", "likely cause"])
    expect(stdout).toContain(text);
});

test("an entry that svc has as archived, and the chain read: exit code 6, no divergence", async () => {
  const { exitCode, stdout } = await debugSpoiled(({ snapshot }) => {
    for (const entry of snapshot.entries) entry.liveUntilLedger = entry.liveUntilLedger && 1;
  });
  expect(exitCode).toBe(6);
  expect(stdout).toMatch(/inconclusive.*archived,\s+as\s+far\s+as.*but\s+the\s+chain\s+read\s+it/s);
});

test("an unknown input: exit code 6, with its name", async () => {
  const { exitCode, stdout } = await debugSpoiled(({ snapshot }) => {
    const keyXdr = snapshot.entries[0]?.keyXdr ?? "";
    snapshot.unknown.push({ keyXdr, reason: "nobody has it" });
  });
  expect(exitCode).toBe(6);
  for (const text of ["inconclusive", "instance of contract", "nobody has it"])
    expect(stdout).toContain(text);
});

const SPOILED: readonly {
  name: string;
  spoil: (capsule: Capsule) => void;
  code: string;
  exitCode: number;
  says: readonly string[];
}[] = [
  {
    name: "a ledger entry that cannot be decoded is named",
    spoil: ({ snapshot }) => spoilEntry(snapshot.entries),
    code: "FILE_INVALID",
    exitCode: 2,
    says: ["AAAABgAAAAEi", "at the transaction's ledger"],
  },
  {
    name: "a meta that cannot be decoded is named",
    spoil: ({ record }) => {
      record.resultMetaXdr = "AAAA";
    },
    code: "FILE_INVALID",
    exitCode: 2,
    says: ["its meta cannot be decoded"],
  },
  {
    name: "settings that cannot be decoded are no capsule",
    spoil: ({ snapshot }) => {
      for (const setting of snapshot.settings) setting.entryXdr = "AAAA";
    },
    code: "FILE_INVALID",
    exitCode: 2,
    says: ["its settings cannot be decoded"],
  },
  {
    name: "a protocol that svc does not know is named",
    spoil: ({ record }) => {
      record.ledger = { ...record.ledger, protocolVersion: 99 };
      record.assumedFacts = ["the protocol version"];
      delete record.ledgerHeaderXdr;
    },
    code: "PROTOCOL_UNKNOWN",
    exitCode: 8,
    says: ["is of protocol 99", "Update svc"],
  },
  {
    name: "an envelope of another transaction is no capsule",
    spoil: ({ record }) => {
      record.hash = "0".repeat(64);
    },
    code: "FILE_INVALID",
    exitCode: 2,
    says: [HASH, "svc capture"],
  },
  {
    name: "a capsule of a later format is no capsule that this svc reads",
    spoil: (capsule) => {
      capsule.format = 4;
    },
    code: "FILE_INVALID",
    exitCode: 2,
    says: ["its format is 4"],
  },
];

for (const { name, spoil, code, exitCode, says } of SPOILED)
  test(`${name}: ${code}`, async () => {
    expectError(await debugSpoiled(spoil), { code, exitCode, says });
  });

test("a capsule that is not there: FILE_UNREADABLE", async () => {
  const finished = await svc(["debug", "--from", "/nowhere.json"]);
  expectError(finished, {
    code: "FILE_UNREADABLE",
    exitCode: 2,
    says: ["There is no file /nowhere.json.", "--from"],
  });
});

test("a simulator that is nowhere: SIMULATOR_NOT_FOUND names every place tried", async () => {
  const named = await svc(["debug", "--from", EXAMPLE, "--sim-path", "/nowhere/svc-sim"]);
  const says = ["--sim-path: /nowhere/svc-sim", "SVC_SIM_PATH"];
  expectError(named, { code: "SIMULATOR_NOT_FOUND", exitCode: 5, says });
  const environment = { SVC_SIM_PATH: "/elsewhere/svc-sim" };
  const variable = await svc(["debug", "--from", EXAMPLE], { environment });
  const place = "SVC_SIM_PATH: /elsewhere/svc-sim";
  expectError(variable, { code: "SIMULATOR_NOT_FOUND", exitCode: 5, says: [place] });
});

const BROKEN_SIMULATORS: readonly { does: string; script: string; code: string; says: string[] }[] =
  [
    {
      does: "writes something else",
      script: 'cat > /dev/null; echo "thread main panicked at lib.rs" >&2; echo "<html>"',
      code: "SIMULATOR_INVALID_JSON",
      says: ["<html>", "thread main panicked", "base64", "--debug"],
    },
    {
      does: "ends without an answer",
      script: 'echo "out of memory" >&2; exit 3',
      code: "SIMULATOR_DIED",
      says: ["exit code 3", "out of memory"],
    },
    {
      does: "never answers",
      script: "exec sleep 60",
      code: "SIMULATOR_TIMEOUT",
      says: ["--timeout"],
    },
    {
      does: "reports its own panic",
      script: `cat > /dev/null; echo '{"id":null,"format":1,"error":{"code":"SIM_PANIC","message":"index out of bounds","key_xdr":null,"field":null}}'; exit 1`,
      code: "SIMULATOR_FAILED",
      says: ["SIM_PANIC", "index out of bounds"],
    },
  ];

for (const { does, script, code, says } of BROKEN_SIMULATORS)
  test(`a simulator that ${does}: ${code}`, async () => {
    await inTemporaryDirectory(async (directory) => {
      const path = join(directory, "svc-sim");
      writeFileSync(path, `#!/bin/sh\n${script}\n`);
      chmodSync(path, 0o755);
      const timeout = code === "SIMULATOR_TIMEOUT" ? ["--timeout", "1s"] : [];
      const words = ["debug", "--from", EXAMPLE, "--sim-path", path, ...timeout];
      expectError(await svc(words), { code, exitCode: 5, says });
    });
  });

test("output that cannot be written: OUTPUT_UNWRITABLE", async () => {
  await inTemporaryDirectory(async (directory) => {
    mkdirSync(join(directory, "taken.json"));
    const finished = await svc(["debug", "--from", EXAMPLE, "--save", "taken.json"], { directory });
    expectError(finished, { code: "OUTPUT_UNWRITABLE", exitCode: 3, says: ["taken.json"] });
  });
});

function spoilEntry(entries: Capsule["snapshot"]["entries"]): void {
  for (const entry of entries.slice(0, 1)) entry.entryXdr = "AAAA";
}

async function debugSpoiled(spoil: (capsule: Capsule) => void): Promise<Finished> {
  const capsule = changedCapsule(await Bun.file(EXAMPLE).text(), spoil);
  return inTemporaryDirectory((directory) => {
    const path = join(directory, "spoiled.json");
    writeFileSync(path, capsule);
    return svc(["debug", "--from", path, "--strict-validation"]);
  });
}

function expectError(
  { exitCode, stdout, stderr }: Finished,
  expected: { code: string; exitCode: number; says: readonly string[] },
): void {
  expect(stderr).toContain(`[${expected.code}]`);
  for (const text of expected.says) expect(stderr).toContain(text);
  expect(stderr).toContain("what to do: ");
  expect([exitCode, stdout]).toEqual([expected.exitCode, ""]);
}
