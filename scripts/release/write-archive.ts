// Writes archives whose bytes depend only on the files: names are sorted, there are no owners,
// and all files have the same time. Systems with tar get ustar in gzip, Windows gets zip.

import { crc32, deflateRawSync, gzipSync } from "node:zlib";

export interface ArchivedFile {
  /** The path with slashes, below the archive's only directory. In a tar archive, one that ends in a slash is a directory. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly executable: boolean;
  /** The target of a symbolic link, which has no bytes. Only tar archives have links. */
  readonly linkTo?: string;
}

/**
 * Returns the second name of svc, because stellar-cli runs `stellar svc` as the program
 * `stellar-svc`.
 */
export function secondName(archive: "tar.gz" | "zip", folder = ""): ArchivedFile {
  const executable = true;
  if (archive === "tar.gz")
    return { path: `${folder}stellar-svc`, bytes: Buffer.alloc(0), executable, linkTo: "svc" };
  const bytes = Buffer.from('@"%~dp0svc.exe" %*\r\n');
  return { path: `${folder}stellar-svc.cmd`, bytes, executable };
}

const TAR_BLOCK = 512;
/** zlib's best level takes twice as long as its default and saves 1 %. */
const LEVEL = 6;
const UNIX = 3;

/**
 * Writes the files to an archive. `unixSeconds` is the time of every file, usually that of the
 * commit.
 */
export function writeTarGz(files: readonly ArchivedFile[], unixSeconds: number): Buffer {
  const packed = gzipSync(writeTar(files, unixSeconds), { level: LEVEL });
  // The tenth byte is the system that created the file. 255 stands for an unknown system.
  packed[9] = 255;
  return packed;
}

export function writeTar(files: readonly ArchivedFile[], unixSeconds: number): Buffer {
  const blocks = sorted(files).flatMap((file) => [
    tarHeader(file, unixSeconds),
    file.bytes,
    Buffer.alloc((TAR_BLOCK - (file.bytes.length % TAR_BLOCK)) % TAR_BLOCK),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * TAR_BLOCK)]);
}

export function writeZip(files: readonly ArchivedFile[], unixSeconds: number): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const file of sorted(files)) {
    const packed = deflateRawSync(file.bytes, { level: LEVEL });
    const name = Buffer.from(file.path);
    const common = zipCommon(file, packed.length, name.length, unixSeconds);
    parts.push(Buffer.concat([u32(0x04034b50), common, name]), packed);
    const attributes = (0o100000 | mode(file)) << 16;
    directory.push(
      Buffer.concat([
        Buffer.concat([u32(0x02014b50), u16((UNIX << 8) | 20), common]),
        Buffer.concat([u16(0), u16(0), u16(0), u32(attributes >>> 0), u32(offset), name]),
      ]),
    );
    offset += 30 + name.length + packed.length;
  }
  const size = directory.reduce((sum, entry) => sum + entry.length, 0);
  const count = u16(directory.length);
  const end = [u32(0x06054b50), u16(0), u16(0), count, count, u32(size), u32(offset), u16(0)];
  return Buffer.concat([...parts, ...directory, ...end]);
}

function tarHeader(file: ArchivedFile, unixSeconds: number): Buffer {
  const header = Buffer.alloc(TAR_BLOCK);
  if (Buffer.byteLength(file.path) > 100) throw new Error(`${file.path} is too long for ustar`);
  header.write(file.path, 0);
  const number = (value: number, at: number, width: number) =>
    header.write(`${value.toString(8).padStart(width - 1, "0")}\0`, at);
  number(mode(file), 100, 8);
  number(0, 108, 8);
  number(0, 116, 8);
  number(file.bytes.length, 124, 12);
  number(unixSeconds, 136, 12);
  header.write(`        ${typeOf(file)}${file.linkTo ?? ""}`, 148);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** The type of a file, a symbolic link or a directory in ustar. */
function typeOf({ path, linkTo }: ArchivedFile): string {
  if (linkTo !== undefined) return "2";
  return path.endsWith("/") ? "5" : "0";
}

/** Returns the part that a file's header and its entry in the directory have in common. */
function zipCommon(file: ArchivedFile, packed: number, name: number, unixSeconds: number): Buffer {
  const time = new Date(unixSeconds * 1000);
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5);
  const year = time.getUTCFullYear() - 1980;
  const day = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate();
  const sizes = [u32(crc32(file.bytes)), u32(packed), u32(file.bytes.length)];
  // 20 is version 2.0. 0x0800 says that names are UTF-8. 8 says that the bytes are deflated.
  const flags = [u16(20), u16(0x0800), u16(8), u16(clock | (time.getUTCSeconds() >> 1)), u16(day)];
  return Buffer.concat([...flags, ...sizes, u16(name), u16(0)]);
}

function sorted(files: readonly ArchivedFile[]): ArchivedFile[] {
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

function mode({ executable }: ArchivedFile): number {
  return executable ? 0o755 : 0o644;
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
