// The extension for Visual Studio Code, read by a third party's zip and XML readers.

import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeVsix } from "../../scripts/release/write-vsix.ts";
import { needs } from "../support/needs.ts";
import { findTool, runTool } from "../support/tools.ts";

const PYTHON = findTool("python3") ?? "";
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-vsix-"));
afterAll(() => rmSync(SCRATCH, { recursive: true }));
const UNIX_SECONDS = 1_767_357_040;

const READ = `
import json, sys, xml.etree.ElementTree as tree, zipfile
vsix = zipfile.ZipFile(sys.argv[1])
assert vsix.testzip() is None
names = vsix.namelist()
manifest = tree.fromstring(vsix.read("extension.vsixmanifest"))
space = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
identity = manifest.find(f".//{space}Identity")
assets = [asset.get("Path") for asset in manifest.iter(f"{space}Asset")]
types = tree.fromstring(vsix.read("[Content_Types].xml"))
print(json.dumps({
    "names": sorted(names),
    "identity": [identity.get("Publisher"), identity.get("Id"), identity.get("Version")],
    "missing": [path for path in assets if path not in names],
    "suffixes": [kind.get("Extension") for kind in types],
    "package": json.loads(vsix.read("extension/package.json")),
}))`;

const python = needs("python3", PYTHON !== "");

python.test("the archive has what its manifest and its package name", () => {
  const path = join(SCRATCH, "svc.vsix");
  writeFileSync(path, writeVsix(UNIX_SECONDS));
  const { exitCode, text } = runTool([PYTHON, "-c", READ, path]);
  expect(exitCode).toBe(0);
  const { names, identity, missing, suffixes, package: described } = JSON.parse(text);
  expect(missing).toEqual([]);
  expect(identity).toEqual([described.publisher, described.name, described.version]);
  expect(names).toContain(join("extension", described.main));
  const typed = names.filter((name: string) => name !== "[Content_Types].xml");
  for (const name of typed) expect(suffixes).toContain(`.${name.split(".").at(-1)}`);
});

test("the same files give the same bytes", () => {
  expect(writeVsix(UNIX_SECONDS).equals(writeVsix(UNIX_SECONDS))).toBe(true);
});
