// Everything that installs a release finds the archive of its platform among the names of a whole release.
// The release is made here: the names are the real ones, and each program says for which platform it is.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { type Choice, chooseArchives } from "../../acceptance/installers.ts";
import { makeKey, sign } from "../../acceptance/signed-release.ts";
import { version } from "../../package.json";
import { archiveNames } from "../../scripts/release/file-names.ts";
import { platformFile } from "../../scripts/release/npm-packages.ts";
import { renderManifests } from "../../scripts/release/package-manifests.ts";
import { sha256 } from "../../scripts/release/provenance.ts";
import { releaseFiles } from "../../scripts/release/release-files.ts";
import { scriptsWithKeys } from "../../scripts/release/signing-keys.ts";
import { TARGETS } from "../../scripts/release/targets.ts";
import { writeTarGz, writeZip } from "../../scripts/release/write-archive.ts";
import { SETTINGS_FILE } from "../../src/base/settings/config-file.ts";
import { OTHER_FILES, PROGRAMS } from "../support/archive-names.ts";
import { needs } from "../support/needs.ts";

// Each installer is a shell with a dozen programs.
setDefaultTimeout(120_000);

const SCRATCH = mkdtempSync(join(tmpdir(), "svc-release-files-"));
const RELEASE = join(SCRATCH, "release");
const KEY = join(SCRATCH, "key");
const NOON = Date.UTC(2026, 0, 2, 12) / 1000;
const NAMES = releaseFiles(version, TARGETS);
const tools = needs(
  "sh, curl, unzip and ssh-keygen",
  ["sh", "bash", "curl", "unzip", "ssh-keygen"].every((name) => Bun.which(name) !== null),
);

let server: ReturnType<typeof Bun.serve>;
const asked: string[] = [];

beforeAll(() => {
  writeRelease();
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      asked.push(new URL(url).pathname);
      return new Response(Bun.file(join(RELEASE, basename(new URL(url).pathname))));
    },
  });
});

afterAll(async () => {
  await server.stop(true);
  rmSync(SCRATCH, { recursive: true });
});

test("svc starts in the directory of a release: no file there is one that it reads as its settings", () => {
  expect(NAMES).not.toContain(SETTINGS_FILE);
});

test("a release has each name once, and every platform its archive and its npm package", () => {
  expect(new Set(NAMES).size).toBe(NAMES.length);
  for (const target of TARGETS)
    expect(NAMES).toEqual(
      expect.arrayContaining([
        archiveNames(version, target).archive,
        platformFile(version, target),
      ]),
    );
  // These are the names that once made install.sh find two archives.
  expect(NAMES).toEqual(
    expect.arrayContaining([
      `svc-${version}-rootfs-linux-x64.tar.gz`,
      `svc-${version}-rootfs-linux-arm64.tar.gz`,
    ]),
  );
});

tools.test(
  "install.sh, the Action and install.ps1 find one archive on every platform",
  async () => {
    const scripts = scriptsWithKeys([makeKey(KEY)]);
    sign(RELEASE, KEY);
    const text = (name: string) =>
      scripts.get(resolve(import.meta.dir, "../../release", name)) ?? "";
    const installers = {
      script: text("install.sh"),
      action: text("github-action/action.yml"),
      windows: text("install.ps1"),
    };
    const takeAsked = () => asked.splice(0);
    const served = { directory: RELEASE, url: server.url.origin, version, takeAsked };
    const choices = await chooseArchives(installers, served, join(SCRATCH, "platforms"));
    const rows = (of: (choice: Choice) => readonly string[]) =>
      choices.map((choice) => [choice.title, ...of(choice)]);
    expect(rows(({ chosen }) => chosen)).toEqual(rows(({ expected }) => [expected]));
    for (const { name, platform } of TARGETS) {
      if (platform === "win32") continue;
      const program = join(SCRATCH, "platforms", name, ".local/bin/svc");
      expect(Bun.spawnSync([program]).stdout.toString()).toBe(`svc for ${name}\n`);
    }
  },
);

test("the manifests of package managers name archives of the release, with their checksums", () => {
  const bytes = (name: string) => readFileSync(join(RELEASE, name));
  const archives = new Map(NAMES.map((name) => [name, bytes(name)]));
  const manifests = renderManifests(archives, "https://example.org/svc");
  expect([...manifests.keys()].every((name) => NAMES.includes(name))).toBe(true);
  for (const [manifest, text] of manifests)
    for (const [, name = ""] of text.matchAll(/https:\/\/example\.org\/svc\/([^"]+)"/g)) {
      const sum = sha256(bytes(name));
      const hash = manifest === "flake.nix" ? Buffer.from(sum, "hex").toString("base64") : sum;
      expect([manifest, name, text.includes(hash)]).toEqual([manifest, name, true]);
    }
});

/** Archives with programs that name their platform; the content of every other file is its name. */
function writeRelease(): void {
  mkdirSync(RELEASE);
  for (const name of NAMES) writeFileSync(join(RELEASE, name), name);
  for (const target of TARGETS) {
    const { folder, archive } = archiveNames(version, target);
    const script = Buffer.from(`#!/bin/sh\necho svc for ${target.name}\n`);
    const files = [...PROGRAMS.map((path) => `${path}${target.suffix}`), ...OTHER_FILES].map(
      (path) => ({
        path: `${folder}/${path}`,
        bytes: script,
        executable: !OTHER_FILES.includes(path),
      }),
    );
    const write = target.archive === "zip" ? writeZip : writeTarGz;
    writeFileSync(join(RELEASE, archive), write(files, NOON));
  }
  const sums = NAMES.map((name) => `${sha256(readFileSync(join(RELEASE, name)))}  ${name}\n`);
  writeFileSync(join(RELEASE, "SHA256SUMS"), sums.join(""));
}
