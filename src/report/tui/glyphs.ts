// The signs that are drawn, for terminals with and without Unicode.

export interface Glyphs {
  readonly selected: string;
  readonly open: string;
  readonly folded: string;
  readonly failed: string;
  readonly rule: string;
  /** The sign at the end of a text that was cut. */
  readonly more: string;
}

// All signs are one column wide, except the ASCII `more`.
const UNICODE: Glyphs = {
  selected: "▌",
  open: "▾",
  folded: "▸",
  failed: "✗",
  rule: "─",
  more: "…",
};

const ASCII: Glyphs = {
  selected: ">",
  open: "-",
  folded: "+",
  failed: "!",
  rule: "-",
  more: "...",
};

export function glyphsOf(unicode: boolean): Glyphs {
  return unicode ? UNICODE : ASCII;
}
