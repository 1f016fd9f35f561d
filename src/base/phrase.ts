// A sentence with holes for the things that each audience has other names for: a flag, a command,
// the next try. It is phrased at the edge, once for each audience, and never rewritten as a text.

import { flagOf } from "./flag-name.ts";

export type Hole =
  | {
      readonly kind: "flag";
      readonly name: string;
      readonly value: string | null;
      readonly isBare: boolean;
    }
  | { readonly kind: "command"; readonly line: string }
  | { readonly kind: "again" }
  | { readonly kind: "at-shell"; readonly text: string };

export interface Phrase {
  readonly parts: readonly (string | Hole)[];
}

/** A sentence. A plain text is the same for each audience: it names no flag and no command. */
export type Wording = string | Phrase;

/** How somebody who reads the sentences of svc can act. */
export interface Audience {
  /** Names the setting of a flag, with a value if the sentence has one. */
  readonly flag: (name: string, value: string | null) => FlagName;
  /** Names a command, from its line without `svc`. */
  readonly command: (line: string) => string;
  /** The beginning of a sentence that asks for the next try. */
  readonly again: string;
  /** True if there is a command line, with its standard input. */
  readonly isShell: boolean;
}

export interface FlagName {
  /** The literal text, which sentences put in backticks. */
  readonly name: string;
  /** What follows it, such as where the setting is (default: nothing). */
  readonly place?: string;
}

/** A person with a command line. */
export const SHELL: Audience = {
  flag: (name, value) => ({ name: `${flagOf(name)}${value === null ? "" : ` ${value}`}` }),
  command: (line) => `\`svc ${line}\``,
  again: "Run the command again",
  isShell: true,
};

/** A client of the daemon, who sends requests and has no command line. */
export const HTTP: Audience = {
  flag: (name) => ({ name, place: " in the settings of the server" }),
  command: (line) => `\`${commandOf(line)}\` of svc on the server`,
  again: "Send the request again",
  isShell: false,
};

/** The name of the setting, such as `rpcUrl`, with the value that the sentence is about. */
export function flag(name: string, value: string | null = null): Hole {
  return { kind: "flag", name, value, isBare: false };
}

/** The setting at the beginning of a message, which has no backticks at the command line. */
export function bareFlag(name: string): Hole {
  return { kind: "flag", name, value: null, isBare: true };
}

/** The line of a command without `svc`, such as `debug HASH`. */
export function svc(line: string): Hole {
  return { kind: "command", line };
}

export const AGAIN: Hole = { kind: "again" };

/** A text only for those who have a command line. */
export function atShell(text: string): Hole {
  return { kind: "at-shell", text };
}

/** Makes a phrase from a template. Its values are holes, other phrases and plain values. */
export function phrase(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | bigint | Hole | Phrase)[]
): Phrase {
  const parts = texts.flatMap((text, i) => {
    const value = values[i];
    if (value === undefined) return [text];
    if (typeof value !== "object") return [text, String(value)];
    return "parts" in value ? [text, ...value.parts] : [text, value];
  });
  return { parts };
}

export function phraseFor(words: Wording, audience: Audience): string {
  if (typeof words === "string") return words;
  return words.parts
    .map((part) => (typeof part === "string" ? part : fill(part, audience)))
    .join("");
}

/** The name of a command without its arguments. */
export function commandOf(line: string): string {
  return line.split(" ", 1)[0] ?? line;
}

function fill(hole: Hole, audience: Audience): string {
  switch (hole.kind) {
    case "flag": {
      const { name, place = "" } = audience.flag(hole.name, hole.value);
      if (hole.isBare) return audience.isShell ? name : `\`${name}\``;
      return `\`${name}\`${place}`;
    }
    case "command":
      return audience.command(hole.line);
    case "again":
      return audience.again;
    case "at-shell":
      return audience.isShell ? hole.text : "";
  }
}
