// Creates and checks ad-hoc code signatures of macOS programs, on any machine. macOS starts no
// arm64 program without a signature, and kills a program whose pages do not match it. Bun leaves
// the signature of its own executable in programs for x64. This is not notarization: the signature
// does not name a publisher, and Gatekeeper still asks about a program that a browser downloaded.
//
// A signature is at the end of the last segment, __LINKEDIT, and LC_CODE_SIGNATURE has its
// offset. It is a SuperBlob with one CodeDirectory (version 0x20400), which has the SHA-256 of each
// 4 KiB page of all bytes before the signature. The blobs are big-endian, the file itself is
// little-endian (xnu, osfmk/kern/cs_blobs.h).

const MAGIC_64 = 0xfeedfacf;
const HEADER_SIZE = 32;
const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const SIGNATURE_COMMAND_SIZE = 16;
const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
const SUPER_BLOB_SIZE = 20;
const CODE_DIRECTORY_SIZE = 88;
/**
 * The flags say that a linker created an ad-hoc signature, which has no requirements and no
 * certificates.
 */
const FLAGS = 0x20002;
const SHA256 = { type: 2, size: 32 };
const PAGE_BITS = 12;
const PAGE = 1 << PAGE_BITS;

interface Segment {
  readonly offset: number;
  readonly fileOffset: number;
  readonly fileSize: number;
}

interface Layout {
  readonly segments: ReadonlyMap<string, Segment>;
  /** The end of the load commands. The first section starts at `firstSection`. */
  readonly commandsEnd: number;
  readonly firstSection: number;
  /** The offset of LC_CODE_SIGNATURE, or null if there is none. */
  readonly signature: number | null;
}

/** Returns the program with an ad-hoc signature, which replaces an existing one. */
export function signAdHoc(program: Buffer, identifier: string): Buffer {
  const layout = readLayout(program);
  const command = layout.signature ?? layout.commandsEnd;
  const linkEdit = segment(layout, "__LINKEDIT");
  const codeEnd =
    layout.signature === null ? align(program.length, 16) : program.readUInt32LE(command + 8);
  const size = signatureSize(codeEnd, identifier);
  const signed = Buffer.alloc(codeEnd + size);
  program.copy(signed, 0, 0, Math.min(codeEnd, program.length));
  if (layout.signature === null) addSignatureCommand(signed, layout);
  signed.writeUInt32LE(codeEnd, command + 8);
  signed.writeUInt32LE(size, command + 12);
  const linkEditSize = codeEnd + size - linkEdit.fileOffset;
  signed.writeBigUInt64LE(BigInt(align(linkEditSize, 0x4000)), linkEdit.offset + 32);
  signed.writeBigUInt64LE(BigInt(linkEditSize), linkEdit.offset + 48);
  writeSignature(signed, codeEnd, identifier, segment(layout, "__TEXT"));
  return signed;
}

/**
 * Throws unless the program's CodeDirectory covers every byte before it, with a hash that matches
 * each page.
 */
export function checkSignature(program: Buffer): void {
  const { signature } = readLayout(program);
  if (signature === null) throw new Error("the program has no code signature");
  const start = program.readUInt32LE(signature + 8);
  if (start + program.readUInt32LE(signature + 12) !== program.length)
    throw new Error("the signature is not the end of the file");
  const blob = program.subarray(start);
  const directory = blob.subarray(blob.readUInt32BE(16));
  if (blob.readUInt32BE(0) !== SUPER_BLOB || directory.readUInt32BE(0) !== CODE_DIRECTORY)
    throw new Error("the signature does not begin with a CodeDirectory");
  const [hashes, pages, limit] = [16, 28, 32].map((at) => directory.readUInt32BE(at)) as [
    number,
    number,
    number,
  ];
  if (limit !== start || pages !== Math.ceil(limit / PAGE))
    throw new Error(`the signature covers ${limit} of ${start} bytes`);
  for (let page = 0; page < pages; page += 1) {
    const held = directory.subarray(hashes + page * SHA256.size).subarray(0, SHA256.size);
    if (!pageHash(program, page, limit).equals(held))
      throw new Error(`page ${page} of ${pages} does not match the signature`);
  }
}

function readLayout(program: Buffer): Layout {
  if (program.readUInt32LE(0) !== MAGIC_64) throw new Error("not a 64-bit Mach-O program");
  const segments = new Map<string, Segment>();
  let [offset, firstSection] = [HEADER_SIZE, program.length];
  let signature: number | null = null;
  for (let left = program.readUInt32LE(16); left > 0; left -= 1) {
    const command = program.readUInt32LE(offset);
    if (command === LC_CODE_SIGNATURE) signature = offset;
    if (command === LC_SEGMENT_64) {
      segments.set(program.toString("latin1", offset + 8, offset + 24).replace(/\0.*/, ""), {
        offset,
        fileOffset: Number(program.readBigUInt64LE(offset + 40)),
        fileSize: Number(program.readBigUInt64LE(offset + 48)),
      });
      for (let section = program.readUInt32LE(offset + 64) - 1; section >= 0; section -= 1) {
        const begins = program.readUInt32LE(offset + 72 + section * 80 + 48);
        if (begins > 0) firstSection = Math.min(firstSection, begins);
      }
    }
    offset += program.readUInt32LE(offset + 4);
  }
  return { segments, commandsEnd: offset, firstSection, signature };
}

function addSignatureCommand(program: Buffer, { commandsEnd, firstSection }: Layout): void {
  if (commandsEnd + SIGNATURE_COMMAND_SIZE > firstSection)
    throw new Error("no room for a signature among the load commands");
  program.writeUInt32LE(LC_CODE_SIGNATURE, commandsEnd);
  program.writeUInt32LE(SIGNATURE_COMMAND_SIZE, commandsEnd + 4);
  program.writeUInt32LE(program.readUInt32LE(16) + 1, 16);
  program.writeUInt32LE(program.readUInt32LE(20) + SIGNATURE_COMMAND_SIZE, 20);
}

function writeSignature(program: Buffer, start: number, identifier: string, text: Segment): void {
  const hashes = CODE_DIRECTORY_SIZE + identifier.length + 1;
  const pages = Math.ceil(start / PAGE);
  const length = hashes + pages * SHA256.size;
  const blob = program.subarray(start);
  for (const [index, value] of [
    SUPER_BLOB,
    SUPER_BLOB_SIZE + length,
    1,
    0,
    SUPER_BLOB_SIZE,
  ].entries())
    blob.writeUInt32BE(value, index * 4);
  const directory = blob.subarray(SUPER_BLOB_SIZE);
  const head = [
    CODE_DIRECTORY,
    length,
    0x20400,
    FLAGS,
    hashes,
    CODE_DIRECTORY_SIZE,
    0,
    pages,
    start,
  ];
  for (const [index, value] of head.entries()) directory.writeUInt32BE(value, index * 4);
  directory.set([SHA256.size, SHA256.type, 0, PAGE_BITS], 36);
  // The next fields are the start and length of the executable segment, and the flag of a main program.
  directory.writeBigUInt64BE(BigInt(text.fileOffset), 64);
  directory.writeBigUInt64BE(BigInt(text.fileSize), 72);
  directory.writeBigUInt64BE(1n, 80);
  directory.write(`${identifier}\0`, CODE_DIRECTORY_SIZE, "latin1");
  for (let page = 0; page < pages; page += 1)
    directory.set(pageHash(program, page, start), hashes + page * SHA256.size);
}

function signatureSize(codeEnd: number, identifier: string): number {
  const directory = CODE_DIRECTORY_SIZE + identifier.length + 1;
  return align(SUPER_BLOB_SIZE + directory + Math.ceil(codeEnd / PAGE) * SHA256.size, 16);
}

function pageHash(program: Buffer, page: number, limit: number): Buffer {
  const bytes = program.subarray(page * PAGE, Math.min((page + 1) * PAGE, limit));
  return new Bun.CryptoHasher("sha256").update(bytes).digest();
}

function segment({ segments }: Layout, name: string): Segment {
  const found = segments.get(name);
  if (found === undefined) throw new Error(`the program has no segment ${name}`);
  return found;
}

function align(value: number, to: number): number {
  return Math.ceil(value / to) * to;
}
