// The few signs that are drawn, for terminals that take Unicode and for those that do not.

export interface Glyphs {
  readonly selected: string;
  readonly open: string;
  readonly folded: string;
  readonly failed: string;
  readonly rule: string;
  /** At the end of what was cut. */
  readonly more: string;
}

// All are one column wide but for the ASCII `more`.
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
