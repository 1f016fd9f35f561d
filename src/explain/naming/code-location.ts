// Describes the location in a contract's code at which a transaction failed: names of functions,
// with files and lines if there is debug information. The text comes from wasm and may be hostile.

import { neutralise, quotedText, SHOWN_QUOTE } from "../../base/text/neutralise.ts";
import type { CodeFrame, CodeLocation } from "../../model/execution.ts";

const SHOWN_PLACES = 8;
const SHOWN_CHARACTERS = 120;

/** Empty without source lines and without names of functions below the `called` one. */
export function locationInWords(
  location: CodeLocation | undefined,
  called: string | null,
): string[] {
  if (location?.kind !== "known" || !namesPlaces(location, called)) return [];
  return [stoppedIn(location)];
}

/** Describes how the location is known, and the location itself if only offsets identify it. */
export function locationDetails(
  location: CodeLocation | undefined,
  called: string | null,
  trapped: boolean,
): string[] {
  if (location?.kind === "unknown" && trapped)
    return [`The location in the code is unknown: ${neutralise(location.reason)}.`];
  if (location?.kind !== "known" || !showsMoreNames(location.frames, trapped)) return [];
  return [
    ...(namesPlaces(location, called) ? [] : [stoppedIn(location)]),
    "The code was run again on what the host had recorded to find this location: it made the same host " +
      `calls with the same fuel, and stopped there.${BY_SOURCE[location.linesFrom ?? "nothing"]}`,
  ];
}

type KnownLocation = Extract<CodeLocation, { kind: "known" }>;

function namesPlaces({ frames, linesFrom }: KnownLocation, called: string | null): boolean {
  if (linesFrom !== null) return true;
  // Compilers merge equal functions, so a single name can be another function's.
  return frames.length > 1 && frames.some((frame) => (frame.function ?? called) !== called);
}

function stoppedIn({ frames, framesLeftOut }: KnownLocation): string {
  const all = frames.flatMap(placesOf);
  const below = Math.max(
    0,
    all.findIndex((place) => !isForeign(place)),
  );
  const places = all.slice(below, below + SHOWN_PLACES).map(showPlace);
  const left = all.length - below - places.length + framesLeftOut;
  if (below > 0) places.unshift("code of the Rust library or of a package");
  if (left > 0) places.push(`${left} more`);
  return `The code stopped in ${places.join(", called by ")}.`;
}

/**
 * The innermost place in the contract's own code whose function has a name. Null if there is none,
 * or if only the called function is known.
 */
export function placeInWords(location: CodeLocation | undefined): string | null {
  if (location?.kind !== "known") return null;
  if (location.frames.length === 1 && location.linesFrom === null) return null;
  const known = location.frames.flatMap(placesOf).filter((place) => place.function !== null);
  const own = known.find((place) => !isForeign(place));
  return own === undefined ? null : showPlace(own);
}

const BY_SOURCE = {
  contract: "",
  given_wasm:
    " The source lines come from the wasm file that was passed, whose code section is the same as " +
    "the contract's.",
  nothing: "",
} as const;

/** True when the frames show more than the name of the called function. */
function showsMoreNames(frames: readonly CodeFrame[], trapped: boolean): boolean {
  if (frames.length > 1) return true;
  return frames.some(({ address, sources }) => (trapped && address !== null) || sources.length > 0);
}

interface CodePlace {
  readonly function: string | null;
  /** The number of the function, which is shown if it has no name. */
  readonly index: number;
  readonly file: string | null;
  readonly line: string;
}

/**
 * The places of a function, after those of the functions that are inlined into it, the innermost
 * first.
 */
function placesOf({
  sources,
  functionIndex: index,
  function: name,
  address,
}: CodeFrame): CodePlace[] {
  if (sources.length === 0) {
    const line = address === null ? "" : `code offset 0x${address.toString(16)}`;
    return [{ function: name, index, file: null, line }];
  }
  return sources.map((source, i) => ({
    function: source.function ?? (i === sources.length - 1 ? name : null),
    index,
    file: source.file,
    line: [source.line, source.column].filter((part) => part !== null).join(":"),
  }));
}

/** Files of Rust's library and of packages. */
const FOREIGN_FILE = /(?:^|\/)(?:rustc\/|library\/(?:core|alloc|std)\/|registry\/src\/)/;
const FOREIGN_NAME =
  /^(?:core|alloc|std|compiler_builtins|__rustc|soroban_\w+)::|^rust_begin_unwind$/;

function isForeign({ function: name, file }: CodePlace): boolean {
  if (file !== null) return FOREIGN_FILE.test(file);
  return name !== null && FOREIGN_NAME.test(name);
}

function showPlace({ function: name, index, file, line }: CodePlace): string {
  const shown = name === null ? `function #${index}` : shorten(name);
  const at = [...(file === null ? [] : [shorten(file)]), ...(line === "" ? [] : [line])].join(":");
  return at === "" ? shown : `${shown} (${at})`;
}

/** Paths and names as Rust writes them. Several words are not such a name. */
const RUST =
  /^(?:[^\s"`\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]| as (?=[\w:]+(?:<|>))|(?<=,) |(?<=&)mut )+$/u;

function shorten(text: string): string {
  const end = text.length <= SHOWN_CHARACTERS ? text : `…${text.slice(-SHOWN_CHARACTERS)}`;
  return RUST.test(end) ? end : quotedText(end, SHOWN_QUOTE);
}
