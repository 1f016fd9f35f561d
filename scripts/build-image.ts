// Builds the container image for linux-x64 out of a release's archive and Debian's C library:
//
//   bun scripts/build-image.ts
//
// into dist/release/: an OCI image layout (…-image-linux-x64.tar) and its one layer as a root file
// system (…-rootfs-linux-x64.tar.gz), for release/container/Containerfile.

import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packageFile from "../package.json";
import { readImageFiles, writeOciImage } from "./release/oci-image.ts";
import { RELEASE_DIST, ROOT } from "./release/paths.ts";

const ARCHIVE = join(RELEASE_DIST, `svc-${packageFile.version}-linux-x64.tar.gz`);
const LIBRARIES = join("usr", "lib", "x86_64-linux-gnu");

const scratch = mkdtempSync(join(tmpdir(), "svc-image-"));
try {
  run(["tar", "-xzf", ARCHIVE, "-C", scratch]);
  const programs = join(scratch, readdirSync(scratch)[0] ?? "");
  const packages = ["libc6", "libgcc-s1", "libstdc++6"].map((name) =>
    run([join(ROOT, "release", "debian-package"), "amd64", name]).trim(),
  );
  const libraries = packages.map((folder) => join(folder, LIBRARIES));
  const files = await readImageFiles({ programs, libraries });
  const { layer, archive } = writeOciImage(
    files,
    Number(run(["git", "log", "-1", "--format=%ct"])),
  );
  put("image-linux-x64.tar", archive);
  put("rootfs-linux-x64.tar.gz", layer);
} finally {
  rmSync(scratch, { recursive: true });
}

function put(name: string, bytes: Buffer): void {
  const path = join(RELEASE_DIST, `svc-${packageFile.version}-${name}`);
  writeFileSync(path, bytes);
  process.stderr.write(`${path}: ${bytes.length} bytes\n`);
}

function run(command: readonly string[]): string {
  const { exitCode, stdout } = Bun.spawnSync([...command], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", 2],
  });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with exit code ${exitCode}`);
  return stdout.toString();
}
