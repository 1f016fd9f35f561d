// Forks of capsules without a node, with the compiled binary: whatever the capsule, `svc simulate`
// answers on its fork, and an envelope that the fork refuses is refused with the reason.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { svc, svcBinary } from "./run-svc.ts";

const ROOT = resolve(import.meta.dir, "../..");
const FIXABLE = join(ROOT, "examples/write-bytes-too-low.capsule.json");
const CAPSULES = ["examples", "tests/fixtures/capsules"].flatMap((folder) =>
  [...new Bun.Glob("*.capsule.json").scanSync(join(ROOT, folder))].map((name) =>
    join(ROOT, folder, name),
  ),
);
const directory = mkdtempSync(join(tmpdir(), "svc-fork-of-capsule-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function withFork(words: readonly string[], use: (url: string) => Promise<void>) {
  const fork = Bun.spawn([svcBinary(), "fork", "--port", "0", "--json", ...words], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env.PATH, HOME: directory, SVC_SIM_PATH: SIMULATOR_BINARY },
  });
  try {
    const reader = fork.stdout.getReader();
    let text = "";
    while (!text.includes("\n")) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`the fork has ended: ${await new Response(fork.stderr).text()}`);
      text += new TextDecoder().decode(value);
    }
    await use(JSON.parse(text).url);
  } finally {
    fork.kill("SIGKILL");
    await fork.exited;
  }
}

interface Answer {
  readonly result: {
    readonly status: string;
    readonly problems: string[];
    readonly remedy: string;
  };
  readonly error: { readonly code: number; readonly message: string };
}

async function call(url: string, method: string, params: object = {}): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  return (await (await fetch(url, { method: "POST", headers, body })).json()) as Answer;
}

const envelopeOf = async (file: string): Promise<string> =>
  (await Bun.file(file).json()).record.envelopeXdr;

test.each(CAPSULES)("svc simulate answers on an offline fork of %s", async (file) => {
  await withFork(["--from", file, "--offline"], async (url) => {
    const words = ["simulate", await envelopeOf(file), "--rpc-url", url];
    const { exitCode, stdout, stderr } = await svc(words);
    expect([exitCode, stderr]).toEqual([0, ""]);
    expect(stdout.replace(/\s+/g, " ")).toContain(
      "did not return CONFIG_SETTING_CONTRACT_DATA_KEY_SIZE_BYTES",
    );
    const { sending, outcome } = JSON.parse((await svc([...words, "--json"])).stdout);
    expect(["succeeds", "fails"]).toContain(outcome.kind);
    if (sending !== null) expect(sending.unchecked.length).toBeGreaterThan(0);
  });
});

test("svc simulate asks for no signature that a fork does not ask for, and says so", async () => {
  await withFork(["--from", FIXABLE, "--offline"], async (url) => {
    const signer = JSON.parse((await svc(["debug", "--from", FIXABLE, "--json"])).stdout)
      .transaction.sourceAccount;
    const unsigned = await fixOf(FIXABLE);
    const ofFix = async () =>
      JSON.parse((await svc(["simulate", unsigned, "--rpc-url", url, "--json"])).stdout).sending;
    expect((await ofFix()).refusals.map(({ code }: { code: string }) => code)).toContain(
      "txBadAuth",
    );
    await call(url, "fork_impersonate", { accounts: [signer] });
    const { refusals, waived } = await ofFix();
    expect(refusals.map(({ code }: { code: string }) => code)).not.toContain("txBadAuth");
    expect(waived).toEqual([signer]);
    // The envelope of the failure itself is signed.
    const signed = await envelopeOf(FIXABLE);
    const { stdout } = await svc(["simulate", signed, "--rpc-url", url, "--json"]);
    expect(JSON.parse(stdout).sending.waived).toEqual([]);
  });
});

const fixOf = async (file: string): Promise<string> =>
  (await svc(["debug", "--from", file, "--fix", "--format", "xdr"])).stdout.trim();

test("the envelope of a fix works at once: the fork first repeats the failure", async () => {
  const envelope = join(directory, "envelope");
  await Bun.write(envelope, await fixOf(FIXABLE));
  await withFork(["--from", FIXABLE, "--offline"], async (url) => {
    await svc(["fork", "impersonate", "all", "--url", url]);
    const sent = await svc(["fork", "send", envelope, "--url", url]);
    expect([sent.exitCode, sent.stderr]).toEqual([0, ""]);
    expect(sent.stdout).toMatch(/^[0-9a-f]{64} succeeded in ledger 239\n$/);
    const [{ hash }] = [(await Bun.file(FIXABLE).json()).record];
    const failed = await svc(["debug", hash, "--rpc-url", url, "--json"]);
    expect(JSON.parse(failed.stdout)).toMatchObject({ ledger: { sequence: 238 } });
    const again = await svc(["fork", "send", envelope, "--url", url]);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining("already")]);
  });
});

test("an unsigned envelope is refused with the reason", async () => {
  await withFork(["--from", FIXABLE, "--offline"], async (url) => {
    const sent = await svc(["fork", "send", await fixOf(FIXABLE), "--url", url]);
    expect([sent.exitCode, sent.stdout]).toEqual([2, ""]);
    expect(sent.stderr).toContain("There is no valid signature");
  });
});

test("while no ledger closes, the fix is refused with the reason", async () => {
  const transaction = await fixOf(FIXABLE);
  await withFork(["--from", FIXABLE, "--offline", "--no-mining"], async (url) => {
    const { result } = await call(url, "sendTransaction", { transaction });
    expect(result.status).toBe("ERROR");
    const [problem] = result.problems;
    const [, sent, expected] =
      /^The sequence number is (\d+); the account expects (\d+)\.$/.exec(problem ?? "") ?? [];
    expect(BigInt(sent ?? 0)).toBe(BigInt(expected ?? 0) + 1n);
    expect(result.remedy).toContain("Sign the transaction with the sequence number");
    expect(result.remedy).toContain("send those to the fork first");
    // What the remedy says: the fork has the transaction that failed, and then takes its fix.
    const failed = await call(url, "sendTransaction", { transaction: await envelopeOf(FIXABLE) });
    expect(failed.result.status).toBe("PENDING");
    await call(url, "fork_closeLedgers", { ledgers: 1 });
    const again = await call(url, "sendTransaction", { transaction });
    expect([again.result.status, again.result.problems]).not.toEqual([
      "ERROR",
      [expect.stringContaining("The sequence number is")],
    ]);
  });
});

test("a fork without cheats names --cheats, and one that cannot listen says who cannot", async () => {
  const words = ["--empty", "--host", "0.0.0.0", "--allow-unauthenticated"];
  await withFork(words, async (url) => {
    const { port } = new URL(url);
    const at = `http://127.0.0.1:${port}`;
    const { error } = await call(at, "fork_closeLedgers", { ledgers: 1 });
    expect([error.code, error.message]).toEqual([-32601, expect.stringContaining("`--cheats`")]);
    const refused = await svc(["fork", "close", "1", "--url", at]);
    expect(refused.stderr).toContain("Start the fork with `--cheats`");
    const other = await call(at, "getAccount");
    expect(other.error.message).not.toContain("fork_");
    const taken = await svc(["fork", "--empty", "--port", port, "--host", "127.0.0.1"]);
    expect(taken.stderr).toContain(`The fork cannot listen on 127.0.0.1:${port}`);
  });
});
