// Compares the messages of tools that svc knows (src/xdr/outcome/tool-sources.json) with the tools'
// own sources, where these are present: messages that the table lacks, and messages that are gone.
//
//   bun scripts/tool-messages.ts stellar-cli=DIR stellar-rpc=DIR …     each DIR is a checkout
//
// The exit code is 1 if anything differs. stellar-sdk is read from node_modules without a DIR.

import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import SOURCES from "../src/xdr/outcome/tool-sources.json" with { type: "json" };
import COMMON from "./common-messages.json" with { type: "json" };

/** File → its messages, each once; `{}` stands for a part that differs. */
export type MessagesOfTool = Readonly<Record<string, readonly string[]>>;

interface Language {
  readonly messages: RegExp;
  /** Makes the template of a text between quotes. */
  readonly template: (text: string, quote: string) => string;
  /** The operator that joins texts (default: joined texts are not looked for). */
  readonly joins?: string;
}

const HOLE = "{}";
/** Fewer letters could be any words. */
const FEWEST_LETTERS = 10;
const QUOTED = String.raw`"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"}`;

const unescaped = (text: string) =>
  text
    .replace(/\\\r?\n\s*/g, "")
    .replace(/\\(u\{?[0-9a-f]{4}\}?|.)/gi, (_, mark: string) =>
      mark === "n" ? "\n" : mark.length > 1 ? "" : mark,
    );

/** `${…}` and `{…}` may hold further braces. */
function withHoles(text: string, opening: RegExp): string {
  let made = "";
  for (let at = 0; at < text.length; ) {
    opening.lastIndex = at;
    const open = opening.exec(text);
    if (open?.index !== at) {
      made += text[at];
      at += 1;
      continue;
    }
    let depth = 1;
    at += open[0].length;
    for (; at < text.length && depth > 0; at += 1) {
      if (text[at] === "{") depth += 1;
      if (text[at] === "}") depth -= 1;
    }
    made += HOLE;
  }
  return made;
}

const LANGUAGES = {
  rust: {
    messages: new RegExp(String.raw`#\[error\(\s*(${QUOTED})`, "g"),
    template: (text) => withHoles(unescaped(text), /\{/y),
  },
  javascript: {
    messages: new RegExp(String.raw`new\s+[\w.]*(?:Error|Exception)\w*\(\s*(${QUOTED})`, "g"),
    template: (text, quote) => unescaped(quote === "`" ? withHoles(text, /\$\{/y) : text),
  },
  python: {
    messages: new RegExp(String.raw`raise\s+\w+\(\s*f?(${QUOTED})`, "g"),
    template: (text) => withHoles(unescaped(text), /\{/y).replace(/%\w/g, HOLE),
  },
  go: {
    messages: new RegExp(
      String.raw`(?:errors\.(?:New|Errorf|Wrapf?)|fmt\.Errorf|Message:|Message: fmt\.Sprintf)\s*\(?(?:\s*(?:err|decodeError),)?\s*(${QUOTED})`,
      "g",
    ),
    template: (text) => unescaped(text).replace(/%[+#]?\w/g, HOLE),
  },
  java: {
    messages: new RegExp(
      String.raw`(?:new\s+[\w.]*(?:Error|Exception)\w*|String\.format)\(\s*(?:String\.format\(\s*)?(${QUOTED})`,
      "g",
    ),
    template: (text) => unescaped(text).replace(/%[.\d]*\w/g, HOLE),
    joins: "+",
  },
  csharp: {
    messages: new RegExp(String.raw`new\s+\w*(?:Error|Exception)\w*\(\s*\$?@?(${QUOTED})`, "g"),
    template: (text) => withHoles(unescaped(text), /\{/y),
    joins: "+",
  },
  kotlin: {
    messages: new RegExp(
      String.raw`(?:\w*(?:Error|Exception)\w*\(|\berror\(|\b(?:require|check)\([^\n]{1,200}\)\s*\{)\s*(${QUOTED})`,
      "g",
    ),
    template: (text) => withHoles(unescaped(text), /\$\{/y).replace(/\$[\w.]+/g, HOLE),
    joins: "+",
  },
  dart: {
    messages: new RegExp(
      String.raw`\b\w*(?:Error|Exception)(?:\.\w+)?\(\s*(?:message:\s*)?(${QUOTED})`,
      "g",
    ),
    template: (text) => withHoles(unescaped(text), /\$\{/y).replace(/\$\w+/g, HOLE),
    joins: "+",
  },
  php: {
    messages: new RegExp(
      String.raw`new\s+\\?[\w\\]*(?:Error|Exception)\w*\(\s*(?:message:\s*)?(?:sprintf\(\s*)?(${QUOTED})`,
      "g",
    ),
    template: (text, quote) =>
      (quote === '"'
        ? withHoles(unescaped(text), /\{(?=\$)/y).replace(/\$\w+(?:->\w+)?/g, HOLE)
        : unescaped(text)
      ).replace(/%\w/g, HOLE),
    joins: ".",
  },
  swift: {
    messages: new RegExp(
      String.raw`\.\w*(?:[eE]rror|[fF]ail\w*|[iI]nvalid|[eE]xception)\w*\(\s*(?:message|reason|details?)\s*:\s*(${QUOTED})`,
      "g",
    ),
    template: (text) => text.replace(/\\\([^)]*\)+/g, HOLE),
    joins: "+",
  },
  // Wallets throw objects and texts, too.
  typescript: {
    messages: new RegExp(
      String.raw`(?:new\s+[\w.]*(?:Error|Exception)\w*\(|\bmessage:|\bthrow)\s*(${QUOTED})`,
      "g",
    ),
    template: (text, quote) => unescaped(quote === "`" ? withHoles(text, /\$\{/y) : text),
  },
  // Macros, and panics of a library.
  "rust-library": {
    messages: new RegExp(
      String.raw`(?:Error::new(?:_spanned)?\([^"]{0,120}|compile_error!\(\s*|\bpanic!\(\s*|#\[error\(\s*|\.expect\(\s*)(${QUOTED})`,
      "g",
    ),
    template: (text) => withHoles(unescaped(text), /\{/y),
  },
} as const satisfies Record<string, Language>;

export interface ToolSource {
  readonly language: keyof typeof LANGUAGES;
  /** Glob patterns in a checkout of the tool. */
  readonly files: readonly string[];
  readonly without: readonly string[];
}

const QUOTED_HERE = new RegExp(QUOTED, "y");
const MOST_JOINED = 8;

/** The texts that are joined to a text which ends there; what is no text is a hole. */
function joinedTo(
  source: string,
  from: number,
  template: Language["template"],
  operator: string,
): string {
  let made = "";
  let at = from;
  for (let count = 0; count < MOST_JOINED; count += 1) {
    const [gap = ""] = /^\s*/.exec(source.slice(at, at + 200)) ?? [];
    if (source[at + gap.length] !== operator) return made;
    at += gap.length + 1;
    at += /^\s*/.exec(source.slice(at, at + 200))?.[0].length ?? 0;
    QUOTED_HERE.lastIndex = at;
    const [quoted] = QUOTED_HERE.exec(source) ?? [];
    if (quoted === undefined) return `${made}${HOLE}`;
    made += template(quoted.slice(1, -1), quoted[0] ?? "");
    at += quoted.length;
  }
  return made;
}

/** The messages of the sources below a folder. */
export function messagesBelow(
  folder: string,
  { language, files, without }: ToolSource,
): MessagesOfTool {
  const { messages, template, joins }: Language = LANGUAGES[language];
  const seen = new Set<string>();
  const paths = files.flatMap((pattern) => globSync(pattern, { cwd: folder })).toSorted();
  const found = paths.flatMap((path) => {
    if (without.some((part) => path.includes(part))) return [];
    const source = readFileSync(join(folder, path), "utf8");
    const own = [...source.matchAll(messages)].flatMap(({ 0: all, 1: quoted = "", index }) => {
      const first = template(quoted.slice(1, -1), quoted[0] ?? "");
      const rest = joins === undefined ? "" : joinedTo(source, index + all.length, template, joins);
      const made = `${first}${rest}`.trim();
      const letters = made.replaceAll(HOLE, "").replace(/[^a-z]/gi, "").length;
      if (letters < FEWEST_LETTERS || seen.has(made)) return [];
      seen.add(made);
      return [made];
    });
    return own.length === 0 ? [] : [[path, own] as const];
  });
  return Object.fromEntries(found);
}

/**
 * The messages of a tool that other programs print, too, so that nothing may be concluded from them
 * (common-messages.json).
 */
export function commonOf(tool: string): readonly string[] {
  return (COMMON as Readonly<Record<string, readonly string[]>>)[tool] ?? [];
}

/** The directory of the installed stellar-sdk. */
export const INSTALLED_SDK = resolve(import.meta.dir, "../node_modules/@stellar/stellar-sdk");

if (import.meta.main) {
  const folders = new Map(
    process.argv.slice(2).map((word) => [word.split("=")[0] ?? "", word.split("=")[1] ?? ""]),
  );
  if (!folders.has("stellar-sdk") && existsSync(INSTALLED_SDK))
    folders.set("stellar-sdk", INSTALLED_SDK);
  let differs = false;
  for (const [tool, source] of Object.entries(SOURCES)) {
    const folder = folders.get(tool);
    if (folder === undefined) {
      console.log(`${tool}: no sources given`);
      continue;
    }
    const own = new Set(Object.values(messagesBelow(folder, source as ToolSource)).flat());
    const known = new Set(
      [...Object.values(source.messages), source.unknown, commonOf(tool)].flat(),
    );
    const [missing, gone] = [own.difference(known), known.difference(own)];
    console.log(
      `${tool}: ${own.size} messages, ${missing.size} not in the table, ${gone.size} gone`,
    );
    for (const message of missing) console.log(`  + ${JSON.stringify(message)}`);
    for (const message of gone) console.log(`  - ${JSON.stringify(message)}`);
    differs ||= missing.size + gone.size > 0;
  }
  process.exitCode = differs ? 1 : 0;
}
