// Signs SHA256SUMS of a release, which lists all of its files. Writes SHA256SUMS.sig next to it.
//
//   bun scripts/sign-release.ts --key FILE [DIRECTORY]              a private key of ssh-keygen
//   bun scripts/sign-release.ts --svc PROGRAM [DIRECTORY] [-- FLAGS…]     a key on a token, by `svc sign`
//
// DIRECTORY is dist/release if it is missing. The key must be one of release/signing-keys, because
// install.sh, install.ps1 and the GitHub Action accept no other.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { RELEASE_DIST } from "./release/paths.ts";
import { readSigningKeys } from "./release/signing-keys.ts";
import { armored, keyText, NAMESPACE, signedBytes } from "./release/ssh-signature.ts";

const FLAGS = {
  key: { type: "string" },
  svc: { type: "string" },
  /** For tests: another file of keys. */
  keys: { type: "string" },
} as const;
const KEY_TEXT = /^ssh-ed25519 (\S+)/;

const dashes = process.argv.indexOf("--");
const own = dashes === -1 ? process.argv.slice(2) : process.argv.slice(2, dashes);
const flagsOfSvc = dashes === -1 ? [] : process.argv.slice(dashes + 1);
const { values, positionals } = parseArgs({ args: own, options: FLAGS, allowPositionals: true });
const [directory = RELEASE_DIST] = positionals;
const sums = join(directory, "SHA256SUMS");
const keys = readSigningKeys(values.keys);
const signed =
  values.key === undefined ? signWithToken(values.svc ?? "svc") : signWithFile(values.key);
if (!keys.includes(signed.key))
  throw new Error(
    `the key ${signed.key} is not in release/signing-keys: no script would accept it`,
  );
// Another copy of the release may share the file.
rmSync(`${sums}.sig`, { force: true });
writeFileSync(`${sums}.sig`, signed.signature);
process.stderr.write(`${sums}.sig: signed with ${signed.key}\n`);

interface Signed {
  readonly signature: string;
  /** The public key, as release/signing-keys has it. */
  readonly key: string;
}

function signWithFile(file: string): Signed {
  const signature = run(
    ["ssh-keygen", "-Y", "sign", "-f", file, "-n", NAMESPACE],
    readFileSync(sums),
  );
  const [, key = ""] = KEY_TEXT.exec(run(["ssh-keygen", "-y", "-f", file])) ?? [];
  return { signature, key };
}

function signWithToken(program: string): Signed {
  const scratch = mkdtempSync(join(tmpdir(), "svc-sign-release-"));
  try {
    const payload = join(scratch, "payload");
    writeFileSync(payload, signedBytes(readFileSync(sums)));
    const answer = JSON.parse(run([program, "sign", "--payload", payload, ...flagsOfSvc]));
    const publicKey = Buffer.from(answer.publicKey, "hex");
    const signature = armored(publicKey, Buffer.from(answer.signature, "base64"));
    return { signature, key: keyText(publicKey) };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function run(command: string[], stdin?: Uint8Array): string {
  const { exitCode, stdout } = Bun.spawnSync(command, {
    stdin: stdin ?? "inherit",
    stdout: "pipe",
    stderr: "inherit",
  });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}`);
  return stdout.toString();
}
