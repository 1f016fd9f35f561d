// install.sh with a directory and a real HTTP server, with correct and damaged releases. The
// programs in them are shell scripts: the tests check what is installed, and when nothing is.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeKey, sign } from "../../acceptance/signed-release.ts";
import { sha256 } from "../../scripts/release/provenance.ts";
import { releaseFiles } from "../../scripts/release/release-files.ts";
import { scriptsWithKeys } from "../../scripts/release/signing-keys.ts";
import { TARGETS, targetOfThisMachine } from "../../scripts/release/targets.ts";
import { writeTarGz } from "../../scripts/release/write-archive.ts";
import { OTHER_FILES } from "../support/archive-names.ts";

const SCRIPT = resolve(import.meta.dir, "../../release/install.sh");
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-install-"));
const RELEASE = join(SCRATCH, "release");
const TARGET = targetOfThisMachine()?.name ?? "";
const ARCHIVE = `svc-9.8.7-${TARGET}.tar.gz`;

let server: ReturnType<typeof Bun.serve>;

beforeAll(() => {
  writeRelease(RELEASE);
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      const file = Bun.file(join(RELEASE, new URL(url).pathname));
      return existsSync(file.name ?? "") ? new Response(file) : new Response(null, { status: 404 });
    },
  });
});

afterAll(async () => {
  await server.stop(true);
  rmSync(SCRATCH, { recursive: true });
});

describe("a complete release", () => {
  test("is installed from a folder, with its manual page and completions", async () => {
    const home = join(SCRATCH, "home-folder");
    const run = await install(home, ["--from", RELEASE]);
    expect(run).toEqual({
      exitCode: 0,
      text: expect.stringContaining("svc 9.8.7\nThe guide is in "),
    });
    const bin = join(home, ".local/bin");
    expect(run.text).toContain(`\n\n  export PATH="${bin}:$PATH"\n\nBegin with: svc demo\n`);
    expect(statSync(join(home, ".local/bin/svc")).mode & 0o777).toBe(0o755);
    expect(readlinkSync(join(home, ".local/bin/stellar-svc"))).toBe("svc");
    for (const path of [
      "bin/svc-sim",
      "bin/svc-sim-recording",
      "bin/pkcs11.node",
      "share/man/man1/svc.1",
      "share/bash-completion/completions/svc",
      "share/zsh/site-functions/_svc",
      "share/fish/vendor_completions.d/svc.fish",
      "share/doc/svc/docs/ci.md",
    ])
      expect(existsSync(join(home, ".local", path))).toBe(true);
  });

  test("is installed from a server, and over an older one", async () => {
    const home = join(SCRATCH, "home-server");
    const to = join(home, "programs");
    await Bun.write(join(to, "svc"), "older");
    await Bun.write(join(home, "share/doc/svc/docs/older.md"), "");
    const run = await install(home, ["--from", server.url.origin, "--to", to]);
    expect(existsSync(join(home, "share/doc/svc/docs/older.md"))).toBe(false);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(to, "svc"), "utf8")).toContain("svc 9.8.7");
  });

  test("needs no arguments next to the script", async () => {
    const home = join(SCRATCH, "home-beside");
    cpSync(SCRIPT, join(RELEASE, "install.sh"));
    expect(await install(home, [], join(RELEASE, "install.sh"))).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(home, ".local/bin/svc"))).toBe(true);
  });
});

describe("nothing is installed", () => {
  test.each([
    ["a byte of the archive has changed", spoilArchive, "does not match SHA256SUMS"],
    ["the sums have no archive for this machine", forgetArchive, "has no archive for"],
    ["the sums have two archives", doubleArchive, "has several archives"],
    ["there is no archive", loseArchive, "cannot get"],
    ["svc does not start", breakProgram, "does not run on this machine"],
  ] as const)("when %s", async (_, spoil, message) => {
    const release = mkdtempSync(join(SCRATCH, "spoilt-"));
    writeRelease(release);
    spoil(release);
    const home = mkdtempSync(join(SCRATCH, "home-"));
    const run = await install(home, ["--from", release]);
    expect(run).toEqual({ exitCode: 1, text: expect.stringContaining(message) });
    expect(existsSync(join(home, ".local"))).toBe(false);
  });

  test.each([
    [["--from", "http://example.org/releases"], "is not https"],
    [["--from", "http://127.0.0.1.example.org/releases"], "is not https"],
    [["--from", "http://localhost.example.org/releases"], "is not https"],
    [["--from", "http://localhost@example.org/releases"], "is not https"],
    [["--from", "http://127.0.0.1:80@example.org/releases"], "is not https"],
    [["--from", "http://127.0.0.1:80.example.org/releases"], "is not https"],
    [["--from", "http://localhost%2f.example.org/releases"], "is not https"],
    [["--from", "http://2130706433.example.org?127.0.0.1"], "is not https"],
    [["--from"], "--from needs a value"],
    [["--frm", "x"], "unknown argument --frm"],
  ])("with %p", async (words, message) => {
    const home = mkdtempSync(join(SCRATCH, "home-"));
    const run = await install(home, words);
    expect(run).toEqual({ exitCode: 1, text: expect.stringContaining(message) });
    expect(existsSync(join(home, ".local"))).toBe(false);
  });

  test("from a server that redirects to plain HTTP", async () => {
    await using elsewhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => Response.redirect(new URL(new URL(url).pathname, server.url).href),
    });
    const home = mkdtempSync(join(SCRATCH, "home-"));
    const run = await install(home, ["--from", elsewhere.url.origin]);
    expect(run).toEqual({ exitCode: 1, text: expect.stringContaining("cannot get") });
    expect(existsSync(join(home, ".local"))).toBe(false);
  });

  test("over https by anything but https", async () => {
    const home = mkdtempSync(join(SCRATCH, "home-"));
    const programs = join(home, "programs");
    await Bun.write(join(programs, "curl"), `#!/bin/sh\necho "$@" >"${home}/curl"\nexit 1\n`);
    chmodSync(join(programs, "curl"), 0o755);
    const path = `${programs}:${process.env.PATH}`;
    const run = await install(home, ["--from", "https://example.org/releases"], SCRIPT, path);
    expect(run).toEqual({ exitCode: 1, text: expect.stringContaining("cannot get") });
    expect(readFileSync(join(home, "curl"), "utf8")).toContain(
      "--proto =https --proto-redir =https",
    );
  });

  test("where the server does not have it", async () => {
    const home = mkdtempSync(join(SCRATCH, "home-"));
    const run = await install(home, ["--from", `${server.url.origin}/elsewhere`]);
    expect(run).toEqual({ exitCode: 1, text: expect.stringContaining("cannot get") });
  });
});

/** The programs that check signatures; every other one is there in each of the two. */
const CHECKERS = ["ssh-keygen", "openssl"] as const;

describe("a script that carries a key", () => {
  const key = join(SCRATCH, "key");
  const script = join(SCRATCH, "signed-install.sh");
  const hasCheckers = CHECKERS.every((name) => Bun.which(name) !== null);

  beforeAll(() => {
    const text = scriptsWithKeys([makeKey(join(SCRATCH, "next")), makeKey(key)]).get(SCRIPT);
    writeFileSync(script, text ?? "");
  });

  function signedRelease(): string {
    const release = mkdtempSync(join(SCRATCH, "signed-"));
    writeRelease(release);
    sign(release, key);
    return release;
  }

  async function installWith(release: string, tools: readonly string[], ...words: string[]) {
    const home = mkdtempSync(join(SCRATCH, "home-"));
    const run = await install(home, ["--from", release, ...words], script, pathWith(tools));
    return { ...run, isInstalled: existsSync(join(home, ".local/bin/svc")) };
  }

  test.skipIf(!hasCheckers)("installs a signed release, whichever program checks it", async () => {
    for (const tool of CHECKERS) {
      const run = await installWith(signedRelease(), [tool], "--signed");
      expect([tool, run.text.includes("warning"), run.exitCode]).toEqual([tool, false, 0]);
    }
  });

  test("says that nothing here checks signatures, and stops with --signed", async () => {
    const run = await installWith(signedRelease(), []);
    expect([run.exitCode, run.isInstalled]).toEqual([0, true]);
    expect(run.text).toContain("warning: the signature was not checked: this machine has neither");
    const strict = await installWith(signedRelease(), [], "--signed");
    expect([strict.exitCode, strict.isInstalled]).toEqual([1, false]);
    expect(strict.text).toContain("the signature cannot be checked");
  });

  test.skipIf(!hasCheckers).each([
    [
      "a missing signature",
      (release: string) => rmSync(join(release, "SHA256SUMS.sig")),
      "must have a signature",
    ],
    [
      "another key",
      (release: string) => sign(release, otherKey(release)),
      "is signed with another key",
    ],
    [
      "a changed line of SHA256SUMS",
      (release: string) => doubleArchive(release),
      "does not match its signature",
    ],
    [
      "a file that is not a signature",
      (release: string) => writeFileSync(join(release, "SHA256SUMS.sig"), "-\n"),
      "is not a signature",
    ],
  ] as const)("refuses %s by name", async (_, spoil, says) => {
    for (const tool of CHECKERS) {
      const release = signedRelease();
      spoil(release);
      const { text, ...run } = await installWith(release, [tool]);
      expect([tool, run, text]).toEqual([
        tool,
        { exitCode: 1, isInstalled: false },
        expect.stringContaining(says),
      ]);
    }
  });

  test("a script without a key says that it carries none", async () => {
    const run = await install(mkdtempSync(join(SCRATCH, "home-")), ["--from", RELEASE]);
    expect(run.text).toContain("the signature was not checked: this script carries no key");
  });
});

test("the scripts carry the keys of release/signing-keys; `npm run docs` writes them", () => {
  for (const [path, text] of scriptsWithKeys())
    expect([path, readFileSync(path, "utf8")]).toEqual([path, text]);
});

function otherKey(release: string): string {
  const path = `${release}-key`;
  makeKey(path);
  return path;
}

/** A directory with all programs that the script uses, and of those that check only these. */
function pathWith(tools: readonly string[]): string {
  const folder = mkdtempSync(join(SCRATCH, "path-"));
  for (const name of [...USED, ...tools]) {
    const path = Bun.which(name);
    if (path !== null) symlinkSync(path, join(folder, name));
  }
  return folder;
}
const USED =
  "sh uname mktemp cp mv rm mkdir ln dirname sed grep tr dd tail wc base64 sha256sum shasum tar gzip ldd cat curl".split(
    " ",
  );

function writeRelease(folder: string, program = "#!/bin/sh\necho svc 9.8.7\n"): void {
  const root = `svc-9.8.7-${TARGET}`;
  const file = (path: string, text: string, executable = false) => ({
    path: `${root}/${path}`,
    bytes: Buffer.from(text),
    executable,
  });
  const archive = writeTarGz(
    [
      file("svc", program, true),
      file("svc-sim", "#!/bin/sh\n", true),
      file("svc-sim-recording", "#!/bin/sh\n", true),
      ...OTHER_FILES.map((path) => file(path, path)),
    ],
    0,
  );
  Bun.spawnSync(["mkdir", "-p", folder]);
  writeFileSync(join(folder, ARCHIVE), archive);
  const names = releaseFiles("9.8.7", TARGETS).filter((name) => name !== ARCHIVE);
  const sums = names.map((name) => `${"0".repeat(64)}  ${name}\n`);
  const own = `${sha256(archive)}  ${ARCHIVE}\n`;
  writeFileSync(join(folder, "SHA256SUMS"), [own, ...sums].join(""));
}

function spoilArchive(folder: string): void {
  const archive = readFileSync(join(folder, ARCHIVE));
  archive[archive.length - 1] = (archive.at(-1) ?? 0) ^ 1;
  writeFileSync(join(folder, ARCHIVE), archive);
}

function forgetArchive(folder: string): void {
  const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8");
  writeFileSync(join(folder, "SHA256SUMS"), sums.split("\n").slice(1).join("\n"));
}

function doubleArchive(folder: string): void {
  const sums = readFileSync(join(folder, "SHA256SUMS"), "utf8");
  writeFileSync(join(folder, "SHA256SUMS"), sums + sums.replaceAll("9.8.7", "9.9.0"));
}

function loseArchive(folder: string): void {
  rmSync(join(folder, ARCHIVE));
}

function breakProgram(folder: string): void {
  writeRelease(folder, "#!/bin/sh\nexit 1\n");
}

/** Not synchronously: the server answers from this process. */
async function install(
  home: string,
  words: readonly string[],
  script = SCRIPT,
  searchPath = process.env.PATH,
) {
  const child = Bun.spawn(["sh", script, ...words], {
    env: { PATH: searchPath, HOME: home },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, text: out + error };
}
