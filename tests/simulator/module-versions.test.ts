// The module and the program of svc-sim are built from the same crates, with the same checks.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { CRATE } from "../../scripts/release/paths.ts";

interface Lock {
  readonly package: readonly {
    readonly name: string;
    readonly version: string;
    readonly checksum?: string;
  }[];
}

interface Manifest {
  readonly profile: {
    readonly release: {
      readonly panic: string;
      readonly package: Readonly<Record<string, object>>;
    };
  };
}

async function toml(path: string): Promise<unknown> {
  return Bun.TOML.parse(await Bun.file(join(CRATE, path)).text());
}

/** Crates that only the module has: its own, and the replacement without a source of randomness. */
const OWN = new Set(["svc-sim-wasm", "getrandom"]);

test("each crate of the module is one of the program, of the same version and bytes", async () => {
  const crates = async (path: string) =>
    ((await toml(path)) as Lock).package
      .filter(({ name }) => !OWN.has(name))
      .map(({ name, version, checksum }) => `${name} ${version} ${checksum}`);
  const ofProgram = new Set(await crates("Cargo.lock"));
  const ofModule = await crates("wasm/Cargo.lock");
  expect(ofModule.length).toBeGreaterThan(100);
  expect(ofModule.filter((crate) => !ofProgram.has(crate))).toEqual([]);
});

test("the hosts are built with the same checks", async () => {
  const release = async (path: string) => ((await toml(path)) as Manifest).profile.release;
  const [ofProgram, ofModule] = [await release("Cargo.toml"), await release("wasm/Cargo.toml")];
  // The program's manifest also has levels for crates that only the compiler runs.
  const checksIn = (crates: Readonly<Record<string, object>>) =>
    Object.entries(crates).filter(([, settings]) => "overflow-checks" in settings);
  const checks = checksIn(ofProgram.package);
  expect(checks.length).toBeGreaterThan(4);
  expect(checksIn(ofModule.package)).toEqual(checks);
  expect(ofModule.panic).toBe(ofProgram.panic);
});
