// Writes a container image without a container engine. It has one layer and is an OCI image
// layout in a tar file (opencontainers/image-spec 1.1), which `docker load`, `podman load` and
// `skopeo copy oci-archive:` accept.

import { basename, join } from "node:path";
import packageFile from "../../package.json";
import { sha256 } from "./provenance.ts";
import { type ArchivedFile, secondName, writeTar, writeTarGz } from "./write-archive.ts";

export interface ImageSources {
  readonly architecture: ImageArchitecture;
  /**
   * The files of the archive. They contain at least `svc`, `svc-sim`, `svc-sim-recording`,
   * `pkcs11.node` and `LICENSE`.
   */
  readonly archived: readonly ArchivedFile[];
  /** The directories with the libraries of a glibc system. The first that has a library is used. */
  readonly libraries: readonly string[];
  /** The copyright files of the packages with the libraries. */
  readonly copyrights?: readonly ArchivedFile[];
  /** The bill of materials of the image, in CycloneDX. */
  readonly bill?: Buffer | undefined;
}

/** The name of the architecture in images. */
export type ImageArchitecture = "amd64" | "arm64";

/** The libraries that svc loads, and those that vendors' PKCS#11 modules usually load. */
const LIBRARIES = [
  ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1"],
  ["libresolv.so.2", "libnss_dns.so.2", "libnss_files.so.2", "libgcc_s.so.1", "libstdc++.so.6"],
].flat();
/** The directory of Debian's libraries, and the path at which programs search their loader. */
const PLACES = {
  amd64: { folder: "lib/x86_64-linux-gnu", loader: "lib64/ld-linux-x86-64.so.2" },
  arm64: { folder: "lib/aarch64-linux-gnu", loader: "lib/ld-linux-aarch64.so.1" },
} as const;
const PROGRAMS = ["svc", "svc-sim", "svc-sim-recording", "pkcs11.node"];

/** The user that distroless images call nonroot. */
export const USER = 65_532;

const CONFIG = {
  User: `${USER}:${USER}`,
  Entrypoint: ["/usr/bin/svc"],
  Cmd: ["--help"],
  Env: ["PATH=/usr/bin", "HOME=/home/svc"],
  WorkingDir: "/home/svc",
  Labels: {
    "org.opencontainers.image.title": "svc",
    "org.opencontainers.image.version": packageFile.version,
    "org.opencontainers.image.licenses": packageFile.license,
  },
};

/**
 * The guide and the examples are in the image: `docker run svc debug --from
 * /usr/share/doc/svc/examples/…`.
 */
const DOCUMENTS = /^(LICENSE$|THIRD-PARTY-LICENSES\.txt$|(docs|examples|schemas)\/)/;

const BILL = "usr/share/doc/svc/svc.cdx.json";

/** Returns all files of the image. It has no shell, and no program that could change it. */
export async function readImageFiles(sources: ImageSources): Promise<ArchivedFile[]> {
  const text = (path: string, content: string) => file(path, Buffer.from(content), false);
  const { folder, loader } = PLACES[sources.architecture];
  const libraries = [...LIBRARIES.map((name) => join(folder, name)), loader].map(async (path) =>
    file(path, await library(sources, basename(path)), true),
  );
  return [
    ...PROGRAMS.map((name) => ({ ...archived(sources, name), path: `usr/bin/${name}` })),
    // svc searches it next to itself.
    ...sources.archived
      .filter(({ path }) => path === "svc.html")
      .map((each) => ({ ...each, path: `usr/bin/${each.path}` })),
    secondName("tar.gz", "usr/bin/"),
    ...(await Promise.all(libraries)),
    ...sources.archived
      .filter(({ path }) => DOCUMENTS.test(path))
      .map((each) => ({ ...each, path: `usr/share/doc/svc/${each.path}` })),
    ...(sources.copyrights ?? []),
    ...(sources.bill === undefined ? [] : [file(BILL, sources.bill, false)]),
    text("etc/passwd", `svc:x:${USER}:${USER}::/home/svc:/nonexistent\n`),
    text("etc/group", `svc:x:${USER}:\n`),
    text("etc/nsswitch.conf", "hosts: files dns\n"),
    text("home/svc/.keep", ""),
  ];
}

export interface Image {
  /** The only layer, as a root file system for users who build with an engine. */
  readonly layer: Buffer;
  /** The OCI image layout. */
  readonly archive: Buffer;
}

export function writeOciImage(
  architecture: ImageArchitecture,
  files: readonly ArchivedFile[],
  unixSeconds: number,
): Image {
  const layer = writeTarGz(files, unixSeconds);
  const created = new Date(unixSeconds * 1000).toISOString();
  const config = json({
    created,
    architecture,
    os: "linux",
    config: CONFIG,
    rootfs: { type: "layers", diff_ids: [`sha256:${sha256(writeTar(files, unixSeconds))}`] },
    history: [{ created, created_by: "scripts/build-binaries.ts --release" }],
  });
  const manifest = json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.manifest.v1+json",
    config: descriptor("application/vnd.oci.image.config.v1+json", config),
    layers: [descriptor("application/vnd.oci.image.layer.v1.tar+gzip", layer)],
  });
  const name = `svc:${packageFile.version}`;
  const index = json({
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [
      {
        ...descriptor("application/vnd.oci.image.manifest.v1+json", manifest),
        platform: { architecture, os: "linux" },
        annotations: {
          "io.containerd.image.name": `docker.io/library/${name}`,
          "org.opencontainers.image.ref.name": packageFile.version,
        },
      },
    ],
  });
  const blobs = [config, manifest, layer].map((bytes) =>
    file(`blobs/sha256/${sha256(bytes)}`, bytes, false),
  );
  const layout = [
    file("oci-layout", json({ imageLayoutVersion: "1.0.0" }), false),
    file("index.json", index, false),
  ];
  return { layer, archive: writeTar([...layout, ...blobs], unixSeconds) };
}

async function library({ libraries }: ImageSources, name: string): Promise<Buffer> {
  for (const folder of libraries) {
    const path = join(folder, name);
    const bytes = Bun.file(path);
    if (await bytes.exists()) return Buffer.from(await bytes.arrayBuffer());
  }
  throw new Error(`${name} is not in ${libraries.join(", ")}`);
}

function archived({ archived: files }: ImageSources, name: string): ArchivedFile {
  const found = files.find(({ path }) => basename(path) === name);
  if (found === undefined) throw new Error(`an image needs ${name}`);
  return found;
}

function file(path: string, bytes: Buffer, executable: boolean): ArchivedFile {
  return { path, bytes, executable };
}

function descriptor(mediaType: string, bytes: Buffer) {
  return { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length };
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
