// Signed documents and svc sign verify on the compiled binary, with a real SoftHSM token.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";
import { HAS_SOFTHSM, openTreasury, PIN, type SoftHsm } from "../support/softhsm.ts";
import { softwareSigner } from "../support/software-signer.ts";
import { type Finished, inTemporaryDirectory, svc } from "./run-svc.ts";

const CAPSULE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const STANDALONE = "Standalone Network ; February 2017";
const { record } = JSON.parse(readFileSync(CAPSULE, "utf8"));
const SOURCE = "GBBVQL7M2PWJGTIKY45VD32I67RQ77PZYCBWTCUMZTBVFWYRTVNHTKO4";
const NOBODY = softwareSigner("nobody").address;

const loopback = openLoopback();
let hsm: SoftHsm;
let address: string;

beforeAll(async () => {
  if (!HAS_SOFTHSM) return;
  hsm = openTreasury();
  address = JSON.parse((await run(["hsm", "test", "--json"])).stdout).signer;
}, 60_000);

afterAll(async () => {
  hsm?.[Symbol.dispose]();
  await loopback[Symbol.asyncDispose]();
});

test("an envelope: the signer of each signature, and whether it is valid", async () => {
  const words = ["sign", "verify", record.envelopeXdr, "--network-passphrase"];
  const own = await run([...words, STANDALONE]);
  expect(own.stdout).toBe(`valid       ${SOURCE}\n`);
  expect(own.exitCode).toBe(0);
  const other = await run([...words, "Another Network"]);
  expect([other.exitCode, other.stdout.startsWith("INVALID")]).toEqual([7, true]);
  const missing = await run([...words, STANDALONE, "--expect-signer", NOBODY]);
  expect([missing.exitCode, missing.stdout.includes(`No signature by ${NOBODY}`)]).toEqual([
    7,
    true,
  ]);
  const typo = await run([...words, STANDALONE, "--expect-signer", "GABC"]);
  expect(typo.exitCode).toBe(2);
});

test("a document without a signature: exit code 7", async () => {
  const { exitCode, stdout } = await run(["sign", "verify", CAPSULE]);
  expect([exitCode, stdout]).toEqual([7, "There is no signature.\n"]);
});

const softhsm = needs("softhsm2 and opensc", HAS_SOFTHSM);

softhsm.describe("with a token", () => {
  test("a signer that is not in the envelope is known with --expect-signer", async () => {
    const passphrase = ["--network-passphrase", STANDALONE];
    const signed = await run(["sign", record.envelopeXdr, "--offline", ...passphrase]);
    const verify = ["sign", "verify", "-", ...passphrase];
    const unknown = await run(verify, signed.stdout);
    expect([unknown.exitCode, unknown.stdout.includes("\nunknown ")]).toEqual([6, true]);
    const known = await run([...verify, "--expect-signer", address, "--json"], signed.stdout);
    expect(known.exitCode).toBe(0);
    expect(JSON.parse(known.stdout).signatures).toMatchObject([
      { signer: SOURCE, holds: true },
      { signer: address, holds: true },
    ]);
  });

  test("a payload: its signature, its bytes and the key must match", async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, "payload");
      const signature = join(directory, "payload.sig");
      writeFileSync(file, "some bytes");
      writeFileSync(signature, (await run(["sign", "--payload", file])).stdout);
      const verify = ["sign", "verify", signature];
      expect((await run([...verify, "--payload", file])).stdout).toBe(`valid       ${address}\n`);
      writeFileSync(file, "some bytez");
      expect((await run([...verify, "--payload", file])).exitCode).toBe(7);
      writeFileSync(file, "some bytes");
      const document = JSON.parse(readFileSync(signature, "utf8"));
      writeFileSync(signature, JSON.stringify({ ...document, signer: NOBODY }));
      expect((await run([...verify, "--payload", file])).exitCode).toBe(7);
      expect((await run(verify)).exitCode).toBe(2);
    });
  });

  test("a capsule: svc debug shows its signers, and refuses a changed one", async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, "signed.json");
      const signed = await run(["sign", "document", CAPSULE]);
      writeFileSync(file, signed.stdout);
      const read = await run(["debug", "--from", file, "--expect-signer", address]);
      expect([read.exitCode, read.stderr]).toEqual([0, `The capsule is signed by ${address}.\n`]);
      expect(read.stdout).toBe((await run(["debug", "--from", CAPSULE])).stdout);
      const document = JSON.parse(signed.stdout);
      document.record.applicationOrder += 1;
      writeFileSync(file, JSON.stringify(document));
      const changed = await run(["debug", "--from", file]);
      expect([changed.exitCode, changed.stdout]).toEqual([7, ""]);
      expect(changed.stderr).toContain("[SIGNATURE_INVALID]");
    });
    const unsigned = await run(["debug", "--from", CAPSULE, "--expect-signer", address]);
    expect([unsigned.exitCode, unsigned.stderr.includes("[SIGNER_UNEXPECTED]")]).toEqual([7, true]);
  });

  test("a report is signed through a pipe; its signature is valid in another format too", async () => {
    const report = await run(["debug", "--from", CAPSULE, "--json"]);
    const signed = await run(["sign", "document", "-"], report.stdout);
    const compact = JSON.stringify(JSON.parse(signed.stdout));
    const { stdout, exitCode } = await run(["sign", "verify", "-"], compact);
    expect([exitCode, stdout]).toEqual([0, `valid       ${address}\n`]);
  });

  test("svc capture --sign: fetched, signed, written", async () => {
    const hash = loopback.network.transactions.find(({ soroban }) => soroban)?.hash ?? "";
    await inTemporaryDirectory(async (directory) => {
      const nodes = [
        ...["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")],
        ...["--network-passphrase", loopback.network.passphrase],
      ];
      const words = ["capture", hash, ...nodes, "--output", directory];
      const captured = await run([...words, "--sign", "--expect-signer", address]);
      expect([captured.exitCode, captured.stderr]).toEqual([0, ""]);
      const { stdout } = await run(["sign", "verify", captured.stdout.trim()]);
      expect(stdout).toBe(`valid       ${address}\n`);
      const refused = await run([
        ...words,
        "--save",
        "no.json",
        "--sign",
        "--expect-signer",
        NOBODY,
      ]);
      expect([refused.exitCode, refused.stdout]).toEqual([7, ""]);
      expect(await Bun.file(join(directory, "no.json")).exists()).toBe(false);
    });
  });
});

function run(words: readonly string[], stdin?: string): Promise<Finished> {
  const environment = HAS_SOFTHSM ? { ...hsm.environment, SVC_PKCS11_PIN: PIN } : {};
  return svc(words, { environment, ...(stdin !== undefined && { stdin }) });
}
