// The package for Debian: dpkg reads it, its files are where Debian has such files, and the program is
// found through the link in /usr/bin.

import { afterAll, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TARGETS, type Target } from "../../scripts/release/targets.ts";
import { type ArchivedFile, secondName } from "../../scripts/release/write-archive.ts";
import { debianFile, writeDebianPackage } from "../../scripts/release/write-deb.ts";
import { needs } from "../support/needs.ts";

const SCRATCH = mkdtempSync(join(tmpdir(), "svc-deb-"));
afterAll(() => rmSync(SCRATCH, { recursive: true }));

const dpkg = needs("dpkg-deb", Bun.which("dpkg-deb") !== null);
const TARGET = TARGETS[0] as Target;
const PROGRAM = '#!/bin/sh\necho "$(dirname "$(readlink -f "$0")"): $*"\n';

function file(path: string, text = "", executable = false): ArchivedFile {
  return { path, bytes: Buffer.from(text), executable };
}

const ARCHIVED = [
  file("svc", PROGRAM, true),
  file("svc-sim", "simulator", true),
  file("pkcs11.node", "addon"),
  secondName("tar.gz"),
  file("LICENSE", "license"),
  file("THIRD-PARTY-LICENSES.txt", "licenses"),
  file("man/svc.1", "manual"),
  ...["svc.bash", "_svc", "svc.fish", "svc.ps1"].map((name) => file(`completions/${name}`, name)),
  file("docs/commands/debug.md", "page"),
];

test("only Linux with glibc has a package, named as Debian names one", () => {
  const names = TARGETS.map((target) => debianFile("1.2.3", target));
  expect(names.filter((name) => name !== null)).toEqual([
    "svc-debugger_1.2.3_amd64.deb",
    "svc-debugger_1.2.3_arm64.deb",
  ]);
});

test("the same files give the same bytes", () => {
  const [one, other] = [0, 0].map(() => writeDebianPackage(TARGET, ARCHIVED, 1_700_000_000));
  expect(one?.equals(other ?? Buffer.alloc(0))).toBe(true);
});

dpkg.test("dpkg-deb unpacks it, and svc is started through the link", () => {
  const path = join(SCRATCH, "svc.deb");
  writeFileSync(path, writeDebianPackage(TARGET, ARCHIVED, 1_700_000_000));
  const run = (...words: string[]) => Bun.spawnSync(words).stdout.toString().trim();
  expect(run("dpkg-deb", "--field", path, "Package", "Architecture", "Depends", "Conflicts")).toBe(
    "Package: svc-debugger\nArchitecture: amd64\nDepends: libc6 (>= 2.17)\nConflicts: daemontools, daemontools-encore",
  );
  const root = join(SCRATCH, "root");
  expect(Bun.spawnSync(["dpkg-deb", "--extract", path, root]).exitCode).toBe(0);
  expect(readlinkSync(join(root, "usr/bin/stellar-svc"))).toBe("../lib/svc-debugger/svc");
  expect(run(join(root, "usr/bin/svc"), "demo")).toBe(`${root}/usr/lib/svc-debugger: demo`);
  for (const [place, text] of [
    ["usr/lib/svc-debugger/svc-sim", "simulator"],
    ["usr/lib/svc-debugger/pkcs11.node", "addon"],
    ["usr/share/doc/svc-debugger/copyright", "license"],
    ["usr/share/doc/svc-debugger/THIRD-PARTY-LICENSES.txt", "licenses"],
    ["usr/share/doc/svc-debugger/docs/commands/debug.md", "page"],
    ["usr/share/man/man1/svc.1", "manual"],
    ["usr/share/bash-completion/completions/svc", "svc.bash"],
    ["usr/share/zsh/vendor-completions/_svc", "_svc"],
    ["usr/share/fish/vendor_completions.d/svc.fish", "svc.fish"],
  ] as const)
    expect([place, readFileSync(join(root, place), "utf8")]).toEqual([place, text]);
  expect(existsSync(join(root, "usr/share/doc/svc-debugger/completions"))).toBe(false);
});

dpkg.test("it has the checksums with which dpkg --verify compares what is installed", () => {
  const path = join(SCRATCH, "sums.deb");
  writeFileSync(path, writeDebianPackage(TARGET, ARCHIVED, 1_700_000_000));
  const { stdout } = Bun.spawnSync(["dpkg-deb", "--info", path, "md5sums"]);
  const { bytes } = file("svc", PROGRAM);
  const sum = new Bun.CryptoHasher("md5").update(bytes).digest("hex");
  expect(stdout.toString()).toContain(`${sum}  usr/lib/svc-debugger/svc\n`);
});
