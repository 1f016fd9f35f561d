// Files that are no regular files, and standard streams in the place of files.

import { expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { type Finished, inTemporaryDirectory, shellLine, svc, svcBinary } from "./run-svc.ts";

const EXAMPLE = join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const HEADLINE = "`add_with()` failed in ledger 340.";
const READING_FLAGS = ["--from", "--override", "--expect", "--wasm", "--ledger-file"] as const;

/** A directory with a FIFO that nobody opens. */
function withFifo(action: (directory: string) => Promise<void>): Promise<void> {
  return inTemporaryDirectory((directory) => {
    expect(Bun.spawnSync(["mkfifo", join(directory, "fifo")]).exitCode).toBe(0);
    return action(directory);
  });
}

function expectUnreadable({ exitCode, stderr }: Finished): void {
  expect(stderr).toContain("it had not ended when the time limit was reached");
  expect([exitCode, stderr.includes("[FILE_UNREADABLE]")]).toEqual([2, true]);
}

test("--from - is standard input, --save - standard output: the same capsule comes out", async () => {
  const line = `svc debug --from - --save - < ${EXAMPLE} | svc debug --from - --json`;
  const { stdout, stderr } = await shellLine(line);
  expect(JSON.parse(stdout).verdict.kind).toBe("exact");
  expect(stderr).toStartWith(HEADLINE);
});

test("--save - leaves no place for the report's JSON on standard output", async () => {
  const { stdout, stderr } = await svc(["debug", "--from", EXAMPLE, "--save", "-", "--json"]);
  expect(JSON.parse(stdout).kind).toBe("svc-capsule");
  expect(JSON.parse(stderr).verdict.kind).toBe("exact");
  const capture = await svc(["capture", "ab".repeat(32), "--save", "-", "--json"]);
  expect([capture.exitCode, capture.stdout.includes('"USAGE"')]).toEqual([2, true]);
});

test("capture --output - is standard output, and no other directory is called -", async () => {
  await inTemporaryDirectory(async (directory) => {
    const recorded = new RecordedNetwork();
    const { hash, ledger } = recorded.named("classic payment underfunded");
    const file = join(directory, "ledger.xdr");
    writeFileSync(file, recorded.ledgerBytes(ledger) as Buffer);
    const nodes = ["--horizon-url", "http://127.0.0.1:1", "--rpc-url", "http://127.0.0.1:1"];
    const network = ["--network-passphrase", recorded.passphrase, ...nodes];
    const words = ["capture", hash, "--ledger-file", file, ...network, "--output", "-"];
    const { exitCode, stdout } = await svc(words, { directory });
    expect([exitCode, JSON.parse(stdout).kind]).toEqual([0, "svc-capsule"]);
    for (const other of ["--json", "--save=tx.json"]) {
      const refused = await svc([...words, other], { directory });
      expect([refused.exitCode, `${refused.stdout}${refused.stderr}`]).toEqual([
        2,
        expect.stringContaining("USAGE"),
      ]);
    }
    for (const given of [
      ["debug", "--from", EXAMPLE, "--profile", "--output", "-"],
      ["debug", hash, "--code", "-"],
      ["watch", "--state", "-"],
      ["mcp", "--allow-directory", "-"],
      ["daemon", "--follow", "--state", "-"],
      ["debug", hash, "--prove", "--archive-cache", "-"],
    ]) {
      const refused = await svc(given, { directory });
      expect([given, refused.exitCode]).toEqual([given, expect.any(Number)]);
      expect(refused.exitCode).not.toBe(0);
      expect(refused.stderr).toContain("is a directory, and - is standard output");
    }
    expect(existsSync(join(directory, "-"))).toBe(false);
  });
});

test("/dev/stdout that is a file has the capsule and the report", async () => {
  await inTemporaryDirectory(async (directory) => {
    const line = `svc debug --from ${EXAMPLE} --save /dev/stdout > both`;
    await shellLine(line, { directory });
    const both = readFileSync(join(directory, "both"), "utf8");
    expect(both).toStartWith('{\n "kind": "svc-capsule"');
    expect(both).toContain(`}\n${HEADLINE}`);
  });
});

test("a device that a capsule is saved to stays a device", async () => {
  const words = ["debug", "--from", EXAMPLE, "--save"];
  expect((await svc([...words, "/dev/null"])).exitCode).toBe(0);
  const { rdev } = lstatSync("/dev/null");
  expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true);
  expect(rdev).toBe(statSync("/dev/null").rdev);
  expect((await svc([...words, "/dev/full"])).stderr).toContain("Cannot write /dev/full (ENOSPC).");
});

test("a FIFO that a capsule is saved to gives it to its reader, and stays a FIFO", async () => {
  await withFifo(async (directory) => {
    const line = `svc debug --from ${EXAMPLE} --save fifo > report & cat fifo; wait`;
    const { stdout } = await shellLine(line, { directory });
    expect(JSON.parse(stdout).kind).toBe("svc-capsule");
    expect(lstatSync(join(directory, "fifo")).isFIFO()).toBe(true);
  });
});

test("a FIFO that no process reads is refused", async () => {
  await withFifo(async (directory) => {
    const words = ["debug", "--from", EXAMPLE, "--save", "fifo"];
    const { exitCode, stderr } = await svc(words, { directory });
    expect(stderr).toContain("fifo (ENXIO). [OUTPUT_UNWRITABLE]");
    expect(exitCode).toBe(3);
  });
});

test("a capsule is saved through a link, and keeps the mode of the file", async () => {
  await inTemporaryDirectory(async (directory) => {
    const file = join(directory, "private");
    writeFileSync(file, "old");
    chmodSync(file, 0o600);
    symlinkSync("private", join(directory, "link"));
    expect(
      (await svc(["debug", "--from", EXAMPLE, "--save", "link"], { directory })).exitCode,
    ).toBe(0);
    expect(lstatSync(join(directory, "link")).isSymbolicLink()).toBe(true);
    expect([statSync(file).mode & 0o777, readFileSync(file, "utf8")[0]]).toEqual([0o600, "{"]);
  });
});

for (const flag of READING_FLAGS)
  test(`a FIFO in ${flag} that nobody writes is given up at --timeout`, async () => {
    await withFifo(async (directory) => {
      const subject = flag === "--from" ? [] : ["--from", EXAMPLE];
      const nodes = ["--rpc-url", "http://127.0.0.1:1", "--network-passphrase", "x"];
      const given = flag === "--ledger-file" ? ["ab".repeat(32), ...nodes] : subject;
      const words = ["debug", ...given, flag, "fifo", "--timeout", "1s"];
      expectUnreadable(await svc(words, { directory }));
    });
  });

test("standard input that says nothing is given up at --timeout", async () => {
  await withFifo(async (directory) => {
    for (const words of ["debug -", "debug --from -", "simulate -"]) {
      // Opened for both, it neither has bytes nor ends.
      const { stdout, stderr } = await shellLine(`svc ${words} --timeout 1s <> fifo; echo $?`, {
        directory,
      });
      expectUnreadable({ exitCode: Number(stdout), stdout, stderr });
    }
  });
});

test("a FIFO is explained within the time limit, and not verified", async () => {
  await withFifo(async (directory) => {
    expectUnreadable(await svc(["explain", "fifo", "--timeout", "1s"], { directory }));
    const { exitCode, stderr } = await svc(["verify", "fifo"], { directory });
    expect([exitCode, stderr.includes("is not a regular file")]).toEqual([2, true]);
  });
});

test("a FIFO that says nothing is given up when svc is terminated", async () => {
  await withFifo(async (directory) => {
    // Bash opens it when svc has opened it.
    const line =
      "svc debug --from fifo & pid=$!; exec 3> fifo; kill -TERM $pid; wait $pid; echo $?";
    const { stdout, stderr } = await shellLine(line, { directory });
    expect([stdout, stderr.includes("Interrupted by SIGTERM.")]).toEqual(["130\n", true]);
  });
});

test("a device without an end is read to the limit", async () => {
  for (const words of [
    "debug --from /dev/zero",
    "debug --from - < /dev/zero",
    "debug - < /dev/zero",
  ]) {
    const { stderr } = await shellLine(`svc ${words}`);
    expect(stderr).toMatch(/larger than \d+ (MiB|bytes)/);
  }
});

test("settings may come from another program", async () => {
  const line = `svc version --json --config <(echo '{"network":"mainnet","simPath":"/none"}')`;
  const { stdout, stderr } = await shellLine(line);
  expect([stderr, stdout.includes("/none")]).toEqual(["", true]);
});

test("a standard output that is closed is an error; /dev/null is none", async () => {
  for (const words of ["version", "--help", `debug --from ${EXAMPLE}`]) {
    const { stdout, stderr } = await shellLine(`(exec >&-; svc ${words}); echo $?`);
    expect(stdout).toBe("3\n");
    expect(stderr).toContain("it was closed when svc began. [OUTPUT_UNWRITABLE]");
    expect(await shellLine(`svc ${words} > /dev/null; echo $?`)).toMatchObject({ stdout: "0\n" });
    // As programs open it for those that they start.
    expect(await shellLine(`svc ${words} 1<> /dev/null; echo $?`)).toMatchObject({ stdout: "0\n" });
  }
});

test("a standard error that takes nothing loses its text, and not the exit code", async () => {
  for (const [words, exitCode] of [
    ["no-such-command", 2],
    [`debug --from ${EXAMPLE} --json -v`, 0],
  ] as const)
    for (const full of ["2> /dev/full", "2> >(true)"])
      expect([words, (await shellLine(`svc ${words} ${full}`)).exitCode]).toEqual([
        ...[words, exitCode],
      ]);
});

test("a fork that cannot say where it listens ends, and does not serve", async () => {
  const { exitCode, stderr } = await shellLine("exec svc fork --empty --port 0 > /dev/full");
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining("[OUTPUT_UNWRITABLE]")]);
});

test("--code takes regular files alone: a FIFO and a directory are not waited for", async () => {
  await inTemporaryDirectory(async (directory) => {
    await Bun.$`mkfifo ${join(directory, "endless.wasm")} && mkdir ${join(directory, "d.wasm")}`;
    writeFileSync(join(directory, "other.wasm"), "no wasm at all");
    const { exitCode, stderr } = await svc(["debug", "--from", EXAMPLE, "--code", directory]);
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: --code had no effect on .*\n$/),
    ]);
    const missing = await svc(["debug", "--from", EXAMPLE, "--code", join(directory, "none")]);
    expect(missing.exitCode).toBe(2);
    expect(missing.stderr).toContain("[FILE_UNREADABLE]");
  });
});

test("a path through a file, a circle of links and a name that is too long are errors of the catalogue", async () => {
  await inTemporaryDirectory(async (directory) => {
    writeFileSync(join(directory, "file"), "");
    symlinkSync("circle", join(directory, "circle"));
    const commands: readonly (readonly [words: readonly string[], codes: RegExp])[] = [
      [["debug", "--from", EXAMPLE, "--sim-path"], /SIMULATOR_NOT_FOUND/],
      [["debug", "--from"], /FILE_UNREADABLE/],
      [["debug"], /HASH_INVALID/],
      [["verify"], /FILE_UNREADABLE/],
      [["verify", "64", "--archive", "--history-archive"], /ARCHIVE_LACKS|FILE_UNREADABLE/],
      [["fork", "--empty", "--port", "0", "--state"], /OUTPUT_UNWRITABLE/],
      [["daemon", "--unix-socket"], /ADDRESS_UNAVAILABLE/],
      [["mcp", "--allow-directory"], /FILE_UNREADABLE/],
    ];
    const { stderr } = await svc(["mcp", "--allow-directory", "file"], { directory });
    expect(stderr).toContain("The allowed directory is not a directory. [FILE_UNREADABLE]");
    for (const path of ["file/below", "circle", "n".repeat(300)])
      for (const [words, codes] of commands) {
        const { exitCode, stderr } = await svc([...words, path], { directory });
        expect([path, words, exitCode === 70, stderr]).toEqual([
          ...[path, words, false],
          expect.stringMatching(codes),
        ]);
      }
  });
}, 60_000);

test("a PATH that names a file is searched to its end", async () => {
  await inTemporaryDirectory(async (directory) => {
    const binary = join(directory, "svc");
    copyFileSync(svcBinary(), binary);
    const environment = { PATH: `${binary}:${join(svcBinary(), "..")}` };
    const { stdout } = await svc(["debug", "--from", EXAMPLE], { directory, binary, environment });
    expect(stdout).toStartWith(HEADLINE);
  });
});
