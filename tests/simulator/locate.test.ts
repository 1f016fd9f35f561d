import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { locateSimulator, type SimulatorPlaces } from "../../src/simulator/locate.ts";
import { thrownBy } from "../support/failure.ts";

const root = mkdtempSync(join(tmpdir(), "svc-locate-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

function place(directory: string, mode = 0o755): string {
  const path = join(root, directory, "svc-sim");
  mkdirSync(join(root, directory), { recursive: true });
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

const flag = place("flag");
const variable = place("variable");
const beside = place("beside");
const onPath = place("path");
const locked = place("locked", 0o644);
const nowhere: SimulatorPlaces = {
  simPath: null,
  environmentPath: null,
  executable: join(root, "empty", "svc"),
  searchPath: null,
};

const failureOf = (places: SimulatorPlaces) => thrownBy(() => locateSimulator(places));

describe("where svc-sim is looked for", () => {
  const executable = join(root, "beside", "svc");
  const searchPath = `${join(root, "empty")}:${join(root, "path")}`;
  const all = { simPath: flag, environmentPath: variable, executable, searchPath };

  test("the flag comes first, then the variable, then next to svc, then PATH", () => {
    expect(locateSimulator(all)).toBe(flag);
    expect(locateSimulator({ ...all, simPath: null })).toBe(variable);
    expect(locateSimulator({ ...all, simPath: null, environmentPath: null })).toBe(beside);
    expect(locateSimulator({ ...nowhere, searchPath })).toBe(onPath);
  });

  test("the error names every place that was tried and how to help", () => {
    const error = failureOf({ ...nowhere, searchPath: `${join(root, "a")}:${join(root, "b")}` });
    expect(error.code).toBe("SIMULATOR_NOT_FOUND");
    expect(error.message).toContain("PATH: no svc-sim in its 2 directories");
    for (const directory of ["empty"]) {
      expect(error.message).toContain(join(root, directory, "svc-sim"));
    }
    expect(error.remedy).toContain("SVC_SIM_PATH");
    expect(error.remedy).toContain("--sim-path");
  });

  test("a place that was named is the only one tried", () => {
    const wrong = join(root, "no", "svc-sim");
    expect(failureOf({ ...all, simPath: wrong }).message).toContain(`--sim-path: ${wrong}`);
    const error = failureOf({ ...all, simPath: null, environmentPath: wrong });
    expect(error.message).toContain(`SVC_SIM_PATH: ${wrong}`);
  });

  test("a directory and a file without permission are reported as such", () => {
    expect(failureOf({ ...nowhere, simPath: root }).message).toContain("not a file");
    if (process.getuid?.() !== 0) {
      expect(failureOf({ ...nowhere, simPath: locked }).message).toContain("not executable");
    }
  });

  test("an empty element of PATH does not mean the working directory", () => {
    expect(failureOf({ ...nowhere, searchPath: "::" }).details.tried).toHaveLength(1);
  });
});
