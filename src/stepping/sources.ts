// The sources that frames show: files of a build with debug information, or the disassembly of a
// wasm function.

import type { DebugProtocol } from "@vscode/debugprotocol";
import { wasmFunctions } from "../time-travel/breakpoints.ts";
import type { Recording } from "../time-travel/recording.ts";
import { withConditions } from "./folded.ts";
import { Handles } from "./handles.ts";
import type { SourceFiles } from "./source-files.ts";

interface Disassembly {
  readonly code: string;
  readonly index: number;
  readonly name: string;
  readonly text: string;
  /** The address of each line. The first line is the function itself. */
  readonly addresses: readonly number[];
}

/**
 * The bits of a pointer above an instruction's address. They hold the index of the code plus one.
 */
const CODE_SHIFT = 32n;

export class Sources {
  /** The pairs of the source map, the longest beginning first. */
  private readonly map: readonly (readonly [from: string, to: string])[];
  private readonly disassemblies = new Map<string, Promise<Disassembly>>();
  private readonly references = new Handles<string>();
  private readonly referenceOf = new Map<string, number>();

  /** `remedy` tells the user how to say where the files of a build directory are. */
  constructor(
    private readonly recording: Recording,
    readonly files: SourceFiles,
    map: Readonly<Record<string, string>>,
    private readonly remedy: (directory: string) => string = () => "set sourceMap",
  ) {
    this.map = Object.entries(map).toSorted(([left], [right]) => right.length - left.length);
  }

  /** Maps a file of the debug information to a path of the source files. */
  path(file: string): string {
    for (const [from, to] of this.map) {
      const pathBelow = file.slice(from.length);
      // `/build` is not a directory above `/builder/lib.rs`.
      const whole = /[/\\]$|^$/.test(from) || /^([/\\]|$)/.test(pathBelow);
      if (file.startsWith(from) && whole) return this.files.join(to, pathBelow);
    }
    return file;
  }

  file(file: string): DebugProtocol.Source {
    const path = this.path(file);
    const name = path.split(/[/\\]/).at(-1) ?? path;
    if (this.files.has(path)) return { name, path };
    // If a source has no path, editors go to the first frame that they can show.
    const directory = file.replace(/[/\\]?[^/\\]*$/, "");
    const origin = `${path} is not on this machine: ${this.remedy(directory)}`;
    return { name, origin, presentationHint: "deemphasize" };
  }

  async disassembled(code: string, index: number): Promise<DebugProtocol.Source> {
    const { name } = await this.disassembly(code, index);
    const id = `${code} ${index}`;
    const known = this.referenceOf.get(id) ?? this.references.add(id);
    this.referenceOf.set(id, known);
    const path = `${code.slice(0, 8)}/${name.replaceAll(/[^\w.<>[\]:-]/g, "_")}.wat`;
    return { name: path, sourceReference: known, origin: "disassembly of the contract's wasm" };
  }

  /**
   * Finds the instruction in the disassembly of its function. Returns null if the pointer is
   * outside every function.
   */
  async disassembledAt(pointer: string) {
    const at = this.pointedTo(pointer);
    if (at === null) return null;
    const { code, address } = at;
    const functions = await wasmFunctions(this.recording, code);
    const index = functions.find(({ end }) => end >= address)?.index;
    if (index === undefined) return null;
    const source = await this.disassembled(code, index);
    return { source, line: await this.line(code, index, address) };
  }

  disassembly(code: string, index: number): Promise<Disassembly> {
    const id = `${code} ${index}`;
    const known = this.disassemblies.get(id);
    if (known !== undefined) return known;
    const read = this.recording
      .travel("disassembly", { code, function: index })
      .then(({ name, header, lines }) => {
        const text = [header, ...withConditions(lines)].join("\n");
        const addresses = [lines[0]?.address ?? 0, ...lines.map((line) => line.address)];
        return { code, index, name, text, addresses };
      });
    this.disassemblies.set(id, read);
    return read;
  }

  referred(reference: number): Promise<Disassembly> | null {
    const [code, index] = this.references.get(reference)?.split(" ") ?? [];
    return code === undefined ? null : this.disassembly(code, Number(index));
  }

  /** Lines count from 1. */
  async line(code: string, index: number, address: number): Promise<number> {
    const { addresses } = await this.disassembly(code, index);
    return Math.max(addresses.indexOf(address, 1), 0) + 1;
  }

  pointer(code: string, address: number): string {
    const number = this.recording.trace.codes.findIndex(({ hash }) => hash === code) + 1;
    return `0x${((BigInt(number) << CODE_SHIFT) + BigInt(address)).toString(16)}`;
  }

  /** Returns null if the pointer is outside the transaction's code. */
  pointedTo(
    pointer: string,
    offset = 0,
  ): { readonly code: string; readonly address: number } | null {
    if (!/^0x[0-9a-f]{1,14}$/i.test(pointer)) return null;
    const value = BigInt(pointer) + BigInt(offset);
    const code = this.recording.trace.codes[Number(value >> CODE_SHIFT) - 1]?.hash;
    return code === undefined ? null : { code, address: Number(value & 0xffff_ffffn) };
  }

  /** Returns the instructions around a pointer, exactly as many as the client wants. */
  async instructions(
    pointer: string,
    { offset = 0, instructionOffset = 0, instructionCount }: DebugProtocol.DisassembleArguments,
  ): Promise<DebugProtocol.DisassembledInstruction[]> {
    const at = this.pointedTo(pointer, offset);
    if (at === null) return invalid(0n, instructionCount);
    const functions = await wasmFunctions(this.recording, at.code);
    const own = Math.max(
      functions.findLastIndex(({ address }) => address <= at.address),
      0,
    );
    const ofFunction = async (position: number) => {
      const neighbor = functions[position];
      if (neighbor === undefined) return [];
      const { addresses, text, name } = await this.disassembly(at.code, neighbor.index);
      const lines = text.split("\n");
      return addresses.slice(1).map((address, line) => ({
        address: this.pointer(at.code, address),
        instruction: (lines[line + 1] ?? "").trim(),
        ...(line === 0 && { symbol: name }),
      }));
    };
    const list = await ofFunction(own);
    const here = BigInt(this.pointer(at.code, at.address));
    const reached = list.findLastIndex(({ address }) => BigInt(address) <= here);
    // The last instruction is an `end` of one byte, so an address behind it is outside the list.
    const isBehind = BigInt(list.at(-1)?.address ?? 0) < here;
    const position = isBehind ? list.length : Math.max(reached, 0);
    let start = position + instructionOffset;
    for (let before = own - 1; start < 0 && before >= 0; before--) {
      const earlier = await ofFunction(before);
      list.unshift(...earlier);
      start += earlier.length;
    }
    for (let after = own + 1; list.length < start + instructionCount; after++) {
      const later = await ofFunction(after);
      if (after >= functions.length) break;
      list.push(...later);
    }
    const shownInstructions = list.slice(Math.max(start, 0), Math.max(start + instructionCount, 0));
    const before = Math.min(Math.max(-start, 0), instructionCount);
    const after = instructionCount - before - shownInstructions.length;
    const first = BigInt(shownInstructions[0]?.address ?? here) - BigInt(before);
    const next = BigInt(shownInstructions.at(-1)?.address ?? here) + 1n;
    return [...invalid(first, before), ...shownInstructions, ...invalid(next, after)];
  }
}

/** Makes placeholders for addresses without code, one for each. */
function invalid(from: bigint, count: number): DebugProtocol.DisassembledInstruction[] {
  return Array.from({ length: count }, (_, index) => ({
    address: `0x${(from + BigInt(index)).toString(16)}`,
    instruction: "",
    presentationHint: "invalid" as const,
  }));
}
