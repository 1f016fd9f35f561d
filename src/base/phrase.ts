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
  | ({ readonly kind: "command" } & NamedCommand)
  | { readonly kind: "again" }
  | { readonly kind: "at-shell"; readonly text: string }
  | { readonly kind: "at-client"; readonly request: string; readonly form: string };

/** A command of svc that the reader may run. */
export interface NamedCommand {
  /** The line without `svc`, such as `debug HASH`. */
  readonly line: string;
  /** True if the command prints the fix of a transaction. */
  readonly isFix: boolean;
  /** The hash of the transaction that it is about; null if the line has none. */
  readonly hash: string | null;
  /** `Run`, or `run` within a sentence; null if the sentence has another verb. */
  readonly verb: "Run" | "run" | null;
}

export interface Phrase {
  readonly kind: "phrase";
  readonly parts: readonly (string | Hole)[];
}

/** A sentence. A plain text is the same for each audience: it names no flag and no command. */
export type Wording = string | Phrase;

/** How somebody who reads the sentences of svc can act. */
export interface Audience {
  /** Names the setting of a flag, with a value if the sentence has one. */
  readonly flag: (name: string, value: string | null) => FlagName;
  /** Names a command, after its verb if it has one. */
  readonly command: (command: NamedCommand) => string;
  /** The beginning of a sentence that asks for the next try. */
  readonly again: string;
  /** True if there is a command line, with its standard input. */
  readonly isShell: boolean;
  /** True for a person with a form, who sees no request and no header (default: false). */
  readonly hasForm?: boolean;
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
  command: ({ line, verb }) => withVerb(verb, `\`svc ${line}\``),
  again: "Run the command again",
  isShell: true,
};

/** Flags of `svc debug` that are fields of a request, too. */
const OF_REQUEST: ReadonlySet<string> = new Set(["ledger", "prove"]);

/** A client of the daemon, who sends requests and has no command line. */
export const HTTP: Audience = {
  flag: (name) => ({
    name,
    place: OF_REQUEST.has(name) ? " in the request" : " in the settings of the server",
  }),
  command({ line, isFix, verb }) {
    if (isFix) return "`fix` of the report";
    const name = commandOf(line);
    const path = REQUESTS[name];
    if (path !== undefined) return withVerb(inRequest(verb), `\`POST ${path}\``);
    const { shown, place } = PLACES[name]?.(line) ?? { shown: name, place: "" };
    return withVerb(verb, `\`${shown}\` of svc${place}`);
  },
  again: "Send the request again",
  isShell: false,
};

/** Commands that a client of the daemon makes as a request. */
const REQUESTS: Readonly<Record<string, string>> = {
  debug: "/v1/debug",
  simulate: "/v1/simulate",
};

/** Commands that only one machine can run, each as it is named there. */
const PLACES: Readonly<Record<string, (line: string) => { shown: string; place: string }>> = {
  doctor: () => ({ shown: "doctor", place: " on the server" }),
  sign: (line) => ({ shown: line, place: " on the machine with the token" }),
};

function inRequest(verb: NamedCommand["verb"]): string | null {
  return verb === null ? null : verb === "Run" ? "Send" : "send";
}

/** The fields and buttons that a web page has instead of a command line. */
export interface PageForm {
  /** The labels of its fields, by the settings that they stand for. */
  readonly fields: Readonly<Record<string, string>>;
  /** The labels of its buttons, by the commands that they stand for. */
  readonly buttons: Readonly<Record<string, string>>;
  /** Names a setting that no field of the page has. */
  readonly elsewhere: Audience["flag"];
  readonly again: string;
}

/** A person with a web page, whose forms have fields and buttons, and without a command line. */
export function formAudience({ fields, buttons, elsewhere, again }: PageForm): Audience {
  return {
    flag(name, value) {
      const label = fields[name];
      if (label === undefined) return elsewhere(name, value);
      return { name: label, place: ` of this page${value === null ? "" : ` (${value})`}` };
    },
    command({ line, isFix, verb }) {
      if (isFix) return "the fix in the report";
      const button = buttons[commandOf(line)];
      if (button === undefined) return withVerb(verb, `\`svc ${line}\` at a command line`);
      return withVerb(verb === null ? null : verb === "Run" ? "Press" : "press", `\`${button}\``);
    },
    again,
    isShell: false,
    hasForm: true,
  };
}

/** The name of the setting, such as `rpcUrl`, with the value that the sentence is about. */
export function flag(name: string, value: string | null = null): Hole {
  return { kind: "flag", name, value, isBare: false };
}

/** The setting at the beginning of a message, which has no backticks at the command line. */
export function bareFlag(name: string): Hole {
  return { kind: "flag", name, value: null, isBare: true };
}

type CommandHole = Extract<Hole, { kind: "command" }>;

/** A command, from its line without `svc`, such as `debug HASH`. */
export function svc(line: string, verb: NamedCommand["verb"] = null): CommandHole {
  return { kind: "command", line, isFix: false, hash: null, verb };
}

/** `svc debug` of a transaction, on a network if one is named. */
export function svcDebug(
  hash: string,
  network: string | null = null,
  verb: NamedCommand["verb"] = null,
): Hole {
  const on = network === null ? "" : ` --network ${network}`;
  return { ...svc(`debug ${hash}${on}`, verb), hash };
}

/** The command that prints the fix of a transaction. */
export const FIND_FIX: Hole = { ...svc("debug <hash> --fix"), isFix: true };

/** A command with its verb, if it has one. */
export function withVerb(verb: string | null, command: string): string {
  return verb === null ? command : `${verb} ${command}`;
}

export const AGAIN: Hole = { kind: "again" };

/** A text only for those who have a command line. */
export function atShell(text: string): Hole {
  return { kind: "at-shell", text };
}

/** A text for a program that sends requests, and one for a person with a form that sends them. */
export function atClient(request: string, form: string): Hole {
  return { kind: "at-client", request, form };
}

/**
 * Makes a sentence from a template. Its values are holes, other sentences and plain values. Without
 * a hole it is a plain text.
 */
export function phrase(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | bigint | Hole | Phrase)[]
): Wording {
  const parts = texts.flatMap((text, i) => {
    const value = values[i];
    if (value === undefined) return [text];
    if (typeof value !== "object") return [text, String(value)];
    return value.kind === "phrase" ? [text, ...value.parts] : [text, value];
  });
  return fromParts(parts);
}

function fromParts(parts: readonly (string | Hole)[]): Wording {
  return parts.every((part) => typeof part === "string")
    ? parts.join("")
    : { kind: "phrase", parts };
}

/** A value in which each wording is a text. */
export type Phrased<Value> = Value extends Phrase
  ? string
  : Value extends readonly (infer Item)[]
    ? readonly Phrased<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: Phrased<Value[Key]> }
      : Value;

/** The value with each wording in it phrased for the audience. Its values are plain data. */
export function phrased<Value>(value: Value, audience: Audience): Phrased<Value> {
  return phrasedAny(value, audience) as Phrased<Value>;
}

function phrasedAny(value: unknown, audience: Audience): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => phrasedAny(item, audience));
  if (isPhrase(value)) return phraseFor(value, audience);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, phrasedAny(item, audience)]),
  );
}

function isPhrase(value: object): value is Phrase {
  return "kind" in value && value.kind === "phrase" && "parts" in value;
}

export function phraseFor(words: Wording, audience: Audience): string {
  if (typeof words === "string") return words;
  return words.parts
    .map((part) => (typeof part === "string" ? part : fill(part, audience)))
    .join("");
}

/** The wording with each text in it changed; its holes stay. */
export function withTexts(words: Wording, change: (text: string) => string): Wording {
  if (typeof words === "string") return change(words);
  const parts = words.parts.map((part) => (typeof part === "string" ? change(part) : part));
  return { kind: "phrase", parts };
}

/** The wordings with a separator between them. */
export function joined(all: readonly Wording[], separator: string): Wording {
  const parts = all.flatMap((words, i) => [
    ...(i === 0 ? [] : [separator]),
    ...(typeof words === "string" ? [words] : words.parts),
  ]);
  return fromParts(parts);
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
      return audience.command(hole);
    case "again":
      return audience.again;
    case "at-shell":
      return audience.isShell ? hole.text : "";
    case "at-client":
      return audience.hasForm === true ? hole.form : hole.request;
  }
}
