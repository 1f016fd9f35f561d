// Writes the package for Debian and its relatives, from the files of an archive: control files and a
// tree of files in an `ar` archive (deb(5)). It runs no script when it is installed.

import packageFile from "../../package.json";
import { imageArchitecture } from "./build-image.ts";
import type { Target } from "./targets.ts";
import { type ArchivedFile, writeTarGz } from "./write-archive.ts";

/** Debian has a package `svc` no more than svc has a place in Debian; the name says what this one is. */
const NAME = "svc-debugger";
const PROGRAMS = `usr/lib/${NAME}`;
const DOCUMENTS = `usr/share/doc/${NAME}`;
const PLACES: Readonly<Record<string, string>> = {
  LICENSE: `${DOCUMENTS}/copyright`,
  "man/svc.1": "usr/share/man/man1/svc.1",
  "completions/svc.bash": "usr/share/bash-completion/completions/svc",
  "completions/_svc": "usr/share/zsh/vendor-completions/_svc",
  "completions/svc.fish": "usr/share/fish/vendor_completions.d/svc.fish",
};
/** The programs, and what svc searches next to itself. */
const IS_PROGRAM = /^(svc|svc-sim|svc-sim-recording|pkcs11\.node|svc\.html)$/;
/** Files for other systems, and files that this module makes anew. */
const IS_LEFT_OUT = /^(stellar-svc|completions\/.*)$/;
const NO_BYTES = Buffer.alloc(0);

/** Names the package of a platform; null for a platform that is not Linux with glibc. */
export function debianFile(version: string, target: Target): string | null {
  const architecture = imageArchitecture(target);
  return architecture === null ? null : `${NAME}_${version}_${architecture}.deb`;
}

/** Writes the package of a platform for which `debianFile` has a name, from the files of its archive. */
export function writeDebianPackage(
  target: Target,
  archived: readonly ArchivedFile[],
  unixSeconds: number,
): Buffer {
  const files = archived.flatMap((file) => {
    const path = placeOf(file.path);
    return path === null ? [] : [{ ...file, path }];
  });
  const link = (path: string): ArchivedFile => ({
    path,
    bytes: NO_BYTES,
    executable: true,
    linkTo: `../lib/${NAME}/svc`,
  });
  const all = [...files, link("usr/bin/svc"), link("usr/bin/stellar-svc")];
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const control = controlFile(imageArchitecture(target) ?? "", Math.ceil(bytes / 1024));
  const text = (path: string, content: string) => ({
    path: `./${path}`,
    bytes: Buffer.from(content),
    executable: false,
  });
  return archiveOf(
    [
      ["debian-binary", Buffer.from("2.0\n")],
      [
        "control.tar.gz",
        writeTarGz([text("control", control), text("md5sums", checksums(files))], unixSeconds),
      ],
      ["data.tar.gz", writeTarGz(withFolders(all), unixSeconds)],
    ],
    unixSeconds,
  );
}

function placeOf(path: string): string | null {
  if (IS_PROGRAM.test(path)) return `${PROGRAMS}/${path}`;
  const place = PLACES[path];
  if (place !== undefined) return place;
  return IS_LEFT_OUT.test(path) ? null : `${DOCUMENTS}/${path}`;
}

function controlFile(architecture: string, kibibytes: number): string {
  const { version, description } = packageFile;
  return [
    `Package: ${NAME}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    // dpkg requires a name and an address. There is no address yet.
    "Maintainer: the builders of svc <svc@localhost.invalid>",
    `Installed-Size: ${kibibytes}`,
    "Depends: libc6 (>= 2.17)",
    // These packages have a program /usr/bin/svc, too.
    "Conflicts: daemontools, daemontools-encore",
    "Section: devel",
    "Priority: optional",
    "Description: debugger for Stellar smart-contract (Soroban) transactions",
    ` ${description}`,
    "",
  ].join("\n");
}

/** `dpkg --verify` compares the installed files with these. */
function checksums(files: readonly ArchivedFile[]): string {
  const line = ({ path, bytes }: ArchivedFile) =>
    `${new Bun.CryptoHasher("md5").update(bytes).digest("hex")}  ${path}\n`;
  return files.map(line).join("");
}

/** dpkg makes only the directories that the archive names. */
function withFolders(files: readonly ArchivedFile[]): ArchivedFile[] {
  const folders = new Set(["./"]);
  for (const { path } of files)
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1))
      folders.add(`./${path.slice(0, end + 1)}`);
  return [
    ...[...folders].map((path) => ({ path, bytes: NO_BYTES, executable: true })),
    ...files.map((file) => ({ ...file, path: `./${file.path}` })),
  ];
}

/** An `ar` archive: a header of 60 bytes before each member, which has an even length. */
function archiveOf(members: readonly (readonly [string, Buffer])[], unixSeconds: number): Buffer {
  const parts = members.flatMap(([name, bytes]) => [
    Buffer.from(
      [
        name.padEnd(16),
        String(unixSeconds).padEnd(12),
        "0".padEnd(6),
        "0".padEnd(6),
        "100644".padEnd(8),
        String(bytes.length).padEnd(10),
        "`\n",
      ].join(""),
    ),
    bytes,
    Buffer.alloc(bytes.length % 2, "\n"),
  ]);
  return Buffer.concat([Buffer.from("!<arch>\n"), ...parts]);
}
