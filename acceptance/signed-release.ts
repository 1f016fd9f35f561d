// A copy of a release whose scripts carry a key that was made for this run, signed with that key.

import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { ROOT } from "../scripts/release/paths.ts";
import { sha256 } from "../scripts/release/provenance.ts";
import { scriptsWithKeys } from "../scripts/release/signing-keys.ts";

export interface SignedRelease {
  readonly directory: string;
  /** The private key of ssh-keygen. */
  readonly privateKey: string;
  /** The scripts with the key, by their names in the repository. */
  readonly scripts: ReadonlyMap<string, string>;
}

/** Makes the copy in `into`, which must not exist. */
export function signCopy(release: string, into: string): SignedRelease {
  const directory = join(into, "release");
  mkdirSync(directory, { recursive: true });
  for (const name of readdirSync(release)) linkOrCopy(join(release, name), join(directory, name));
  const privateKey = join(into, "key");
  const scripts = new Map(
    [...scriptsWithKeys([makeKey(privateKey)])].map(([path, text]) => [
      path.slice(ROOT.length + 1),
      text,
    ]),
  );
  for (const [path, text] of scripts) {
    const name = basename(path);
    if (!name.startsWith("install")) continue;
    replace(directory, name, text);
    chmodSync(join(directory, name), 0o755);
  }
  sign(directory, privateKey);
  return { directory, privateKey, scripts };
}

/** Makes a key, and returns its public part as release/signing-keys has it. */
export function makeKey(file: string): string {
  run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", file]);
  return readFileSync(`${file}.pub`, "utf8").split(" ")[1] ?? "";
}

/** Signs SHA256SUMS with the program that signs releases. */
export function sign(directory: string, privateKey: string): void {
  const script = join(ROOT, "scripts", "sign-release.ts");
  const keys = ["--keys", `${privateKey}.pub`];
  run([process.execPath, script, "--key", privateKey, ...keys, directory]);
}

/** Replaces a file of the copy, and its line in SHA256SUMS. */
export function replace(directory: string, name: string, content: string | Buffer): void {
  const path = join(directory, name);
  rmSync(path);
  writeFileSync(path, content);
  const sums = readFileSync(join(directory, "SHA256SUMS"), "utf8");
  const line = new RegExp(`^[0-9a-f]{64}  ${RegExp.escape(name)}$`, "m");
  rmSync(join(directory, "SHA256SUMS"));
  writeFileSync(
    join(directory, "SHA256SUMS"),
    sums.replace(line, () => `${sha256(Buffer.from(content))}  ${name}`),
  );
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

function run(command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { stdio: ["ignore", "pipe", "pipe"] });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
}
