// The container image without a container engine: its layout follows the specification, and its
// only layer runs as in a container: in a read-only root, as an unprivileged user, with nodes on
// loopback. The programs and the C library are those of this machine.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { RECORDING_BINARY, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { readImageFiles, USER, writeOciImage } from "../../scripts/release/oci-image.ts";
import { sha256 } from "../../scripts/release/provenance.ts";
import { targetOfThisMachine } from "../../scripts/release/targets.ts";
import { svcBinary } from "../cli/run-svc.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";
import { runTool } from "../support/tools.ts";

interface Descriptor {
  readonly digest: string;
  readonly size: number;
}

const ROOT = resolve(import.meta.dir, "../..");
const SCRATCH = mkdtempSync(join(tmpdir(), "svc-image-"));
const CONTAINER = join(SCRATCH, "container");
const PASSPHRASE = "Standalone Network ; February 2017";
const LIBRARIES = ["/lib/x86_64-linux-gnu", "/lib64"];
// Another root directory needs root or user namespaces.
const ENTER = ["unshare", ...(process.getuid?.() === 0 ? [] : ["--map-root-user"]), "--mount"];
const EXAMPLE = "examples/write-bytes-too-low.capsule.json";
const RUNS =
  targetOfThisMachine()?.name === "linux-x64" &&
  existsSync(join(LIBRARIES[0] ?? "", "libc.so.6")) &&
  runTool([...ENTER, "true"]).exitCode === 0;

let loopback: Loopback;
let hash: string;

setDefaultTimeout(300_000);

beforeAll(async () => {
  loopback = openLoopback();
  hash = loopback.network.named("SAC transfer alice -> bob").hash;
  if (!RUNS) return;
  const program = svcBinary();
  // Nothing here runs the parts that may not have been built: svc-sim is in their place.
  const orOther = (path: string) => (existsSync(path) ? path : SIMULATOR_BINARY);
  const sources = [
    ["svc", program],
    ["svc-sim", SIMULATOR_BINARY],
    ["svc-sim-recording", orOther(RECORDING_BINARY)],
    ["pkcs11.node", orOther(join(ROOT, "dist", "pkcs11.node"))],
    ["LICENSE", join(ROOT, "LICENSE")],
    ["docs/ci.md", join(ROOT, "docs/ci.md")],
    ["examples/write-bytes-too-low.capsule.json", join(ROOT, EXAMPLE)],
  ] as const;
  const archived = sources.map(([path, source]) => ({
    path,
    bytes: readFileSync(source),
    executable: !/^(LICENSE|docs|examples)/.test(path),
  }));
  const copyright = {
    path: "usr/share/doc/libc6/copyright",
    bytes: Buffer.from("copyright"),
    executable: false,
  };
  const files = await readImageFiles({
    ...{ architecture: "amd64", archived, libraries: LIBRARIES },
    copyrights: [copyright],
    bill: Buffer.from("{}"),
  });
  const paths = files.map(({ path }) => path);
  for (const path of [
    copyright.path,
    "usr/share/doc/svc/svc.cdx.json",
    "usr/share/doc/svc/LICENSE",
  ])
    expect(paths).toContain(path);
  writeFileSync(join(SCRATCH, "image.tar"), writeOciImage("amd64", files, 1_700_000_000).archive);
  mkdirSync(join(SCRATCH, "image"));
  mkdirSync(CONTAINER);
  runTool(["tar", "-xf", join(SCRATCH, "image.tar"), "-C", join(SCRATCH, "image")]);
});

afterAll(async () => {
  await loopback[Symbol.asyncDispose]();
  rmSync(SCRATCH, { recursive: true });
});

const chroot = needs("Linux with glibc and chroot", RUNS);

chroot.describe("the image", () => {
  test("names each of its parts by its digest, from the index down to the layer", async () => {
    const index = await blob(join(SCRATCH, "image", "index.json"));
    const manifest = await blob(pathOf(index.manifests[0]));
    const config = await blob(pathOf(manifest.config));
    const [layer] = manifest.layers as [Descriptor];
    for (const part of [index.manifests[0], manifest.config, layer]) {
      const bytes = Buffer.from(await Bun.file(pathOf(part)).arrayBuffer());
      expect(part).toMatchObject({ digest: `sha256:${sha256(bytes)}`, size: bytes.length });
    }
    const unpacked = Bun.gunzipSync(await Bun.file(pathOf(layer)).bytes());
    expect(config.rootfs.diff_ids).toEqual([`sha256:${sha256(Buffer.from(unpacked))}`]);
    expect(config.config).toMatchObject({ User: "65532:65532", Entrypoint: ["/usr/bin/svc"] });
    expect(runTool(["tar", "-xzf", pathOf(layer), "-C", CONTAINER]).exitCode).toBe(0);
  });

  test("has svc, svc-sim and libraries, and no shell", () => {
    expect(existsSync(join(CONTAINER, "usr/bin/svc"))).toBe(true);
    expect(existsSync(join(CONTAINER, "bin"))).toBe(false);
  });

  test("runs: svc-sim is found, and is of the same release", async () => {
    const run = await inContainer(["version"]);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain("svc-sim 0.1.0 (/usr/bin/svc-sim)");
  });

  test("has the guide, and the examples for a first run without a network", async () => {
    expect(existsSync(join(CONTAINER, "usr/share/doc/svc/docs/ci.md"))).toBe(true);
    const run = await inContainer(["debug", "--from", `/usr/share/doc/svc/${EXAMPLE}`]);
    expect(run).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("8,288") });
  });

  test("debugs a transaction that nodes on loopback know", async () => {
    const run = await inContainer(["debug", hash, ...nodes()]);
    expect(run).toMatchObject({ exitCode: 0 });
    expect(run.stdout).toContain("Verdict: exact.");
    expect(loopback.requests.length).toBeGreaterThan(1);
  });

  test("cannot write into itself", async () => {
    const run = await inContainer(["capture", hash, ...nodes(), "--output", "/home/svc"]);
    expect(run).toMatchObject({ exitCode: 3, stderr: expect.stringContaining("(EROFS)") });
  });
});

function nodes(): string[] {
  const addresses = ["--horizon-url", loopback.url("horizon"), "--rpc-url", loopback.url("rpc")];
  return [...addresses, "--network-passphrase", PASSPHRASE];
}

/** Read-only, with /proc and only /dev/null, as an unprivileged user. */
async function inContainer(words: readonly string[]) {
  const script = `
    root=$1; shift
    mkdir -p "$root/proc" "$root/dev" && touch "$root/dev/null"
    mount --bind "$root" "$root" && mount --bind /dev/null "$root/dev/null" &&
      mount -t proc proc "$root/proc" && mount -o remount,bind,ro "$root" &&
      exec chroot --userspec=${USER}:${USER} "$root" /usr/bin/svc "$@"`;
  const child = Bun.spawn(
    [...ENTER, "--pid", "--fork", "sh", "-c", script, "sh", CONTAINER, ...words],
    {
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/home/svc" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { exitCode: await child.exited, stdout, stderr };
}

// biome-ignore lint/suspicious/noExplicitAny: its parts are held against what they name.
async function blob(path: string): Promise<any> {
  return Bun.file(path).json();
}

function pathOf({ digest }: Descriptor): string {
  return join(SCRATCH, "image", "blobs", digest.replace(":", "/"));
}
