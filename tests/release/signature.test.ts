// SHA256SUMS of a release is signed with a key on a token by svc sign, or with a file by ssh-keygen.
// ssh-keygen itself checks both.

import { afterAll, expect, setDefaultTimeout } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeKey, sign } from "../../acceptance/signed-release.ts";
import { keyText, NAMESPACE } from "../../scripts/release/ssh-signature.ts";
import { svc, svcBinary } from "../cli/run-svc.ts";
import { needs } from "../support/needs.ts";
import { HAS_SOFTHSM, openTreasury, PIN } from "../support/softhsm.ts";

setDefaultTimeout(120_000);

const SCRIPT = resolve(import.meta.dir, "../../scripts/sign-release.ts");
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-signature-"));
afterAll(() => rmSync(SCRATCH, { recursive: true }));

function release(name: string): string {
  const directory = join(SCRATCH, name);
  mkdirSync(directory);
  writeFileSync(join(directory, "SHA256SUMS"), `${"0".repeat(64)}  svc-9.8.7-linux-x64.tar.gz\n`);
  return directory;
}

function isValid(directory: string, key: string): boolean {
  const signers = join(directory, "signers");
  writeFileSync(signers, `${NAMESPACE} namespaces="${NAMESPACE}" ssh-ed25519 ${key}\n`);
  const identity = ["-I", NAMESPACE, "-n", NAMESPACE];
  const signature = ["-s", join(directory, "SHA256SUMS.sig")];
  const command = ["ssh-keygen", "-Y", "verify", "-f", signers, ...identity, ...signature];
  const stdin = readFileSync(join(directory, "SHA256SUMS"));
  return Bun.spawnSync(command, { stdin }).exitCode === 0;
}

const keygen = needs("ssh-keygen", Bun.which("ssh-keygen") !== null);
const token = needs(
  "ssh-keygen, softhsm2 and opensc",
  HAS_SOFTHSM && Bun.which("ssh-keygen") !== null,
);

keygen.test("a key in a file signs, and only for what was signed", () => {
  const directory = release("file");
  const key = makeKey(join(SCRATCH, "key"));
  sign(directory, join(SCRATCH, "key"));
  expect(isValid(directory, key)).toBe(true);
  writeFileSync(join(directory, "SHA256SUMS"), "changed\n");
  expect(isValid(directory, key)).toBe(false);
});

token.test("a key on a token signs with svc sign, and ssh-keygen checks it", async () => {
  using hsm = openTreasury();
  const directory = release("token");
  const environment = {
    ...hsm.environment,
    SVC_PKCS11_PIN: PIN,
    SVC_PKCS11_TOKEN_LABEL: "treasury",
  };
  const payload = join(SCRATCH, "payload");
  writeFileSync(payload, "any bytes");
  const { stdout } = await svc(["sign", "--payload", payload], { environment });
  const key = keyText(Buffer.from(JSON.parse(stdout).publicKey, "hex"));
  const keys = join(SCRATCH, "keys");
  writeFileSync(keys, `ssh-ed25519 ${key} of the token\n`);
  const words = ["--svc", svcBinary(), "--keys", keys, directory, "--", "--key-label", "first"];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, SCRIPT, ...words], {
    env: { ...process.env, ...environment },
  });
  expect([exitCode, exitCode === 0 || stderr.toString()]).toEqual([0, true]);
  expect(isValid(directory, key)).toBe(true);
  // A key that no script carries is of no use.
  writeFileSync(keys, `ssh-ed25519 ${makeKey(join(SCRATCH, "other"))}\n`);
  const refused = Bun.spawnSync([process.execPath, SCRIPT, ...words], {
    env: { ...process.env, ...environment },
  });
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr.toString()).toContain("is not in release/signing-keys");
});
