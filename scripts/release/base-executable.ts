// Provides Bun's executable for a platform, to which svc is appended. It comes from npm, and
// package-lock.json pins the checksum of each platform's package.

import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { BUN_CACHE, ROOT } from "./paths.ts";
import type { Target } from "./targets.ts";

const LockSchema = v.object({
  packages: v.record(
    v.string(),
    v.looseObject({ version: v.optional(v.string()), integrity: v.optional(v.string()) }),
  ),
});

/** Downloads and checks the executable if it is not in the cache. Returns its path. */
export function ensureBaseExecutable({ bunPackage, suffix }: Target): string {
  const { version, integrity } = lockedPackage(bunPackage);
  const directory = join(BUN_CACHE, `${bunPackage.replace("@oven/", "")}-${version}`);
  const executable = join(directory, "package", "bin", `bun${suffix}`);
  mkdirSync(directory, { recursive: true });
  const archive = join(directory, "package.tgz");
  if (!existsSync(archive)) pack(`${bunPackage}@${version}`, directory, archive);
  const received = `sha512-${new Bun.CryptoHasher("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (received !== integrity) {
    rmSync(archive);
    throw new Error(`${bunPackage}@${version} does not match package-lock.json: ${received}`);
  }
  if (!existsSync(executable)) run(["tar", "-xzf", archive, "-C", directory]);
  return executable;
}

function lockedPackage(name: string): { version: string; integrity: string } {
  const lock = v.parse(
    LockSchema,
    JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")),
  );
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json does not pin ${name}`);
  return { version, integrity };
}

function pack(specifier: string, directory: string, archive: string): void {
  const command = ["npm", "pack", "--silent", "--pack-destination", directory, specifier];
  const name = run(command).trim();
  run(["mv", join(directory, name), archive]);
}

function run(command: readonly string[]): string {
  const { exitCode, stdout } = Bun.spawnSync([...command], { stdio: ["ignore", "pipe", 2] });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}`);
  return stdout.toString();
}
