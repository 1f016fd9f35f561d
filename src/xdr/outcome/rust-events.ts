// Diagnostic events as Rust prints them (`{:?}`, `{:#?}` of DiagnosticEvent): old releases of
// stellar-cli, relayers and nodes do. The types' names are taken away, and what is left is read as the
// log of the contract host.

import { encodeStrkey } from "../../base/text/strkey.ts";

const LONGEST_TEXT = 1024 * 1024;
/** What Rust writes between two closing brackets. */
const END = String.raw`\s*,?\s*\)`;
const HEX = "([0-9a-f]{64})";
/** A text without a list in it. */
const ITEM = String.raw`((?:(?!ScMapEntry|VecM\().)*?)`;
const LIST = String.raw`\[${ITEM}\]`;
const DEEPEST = 20;

/** A value in the notation of Rust → in that of the host. The innermost come first. */
const VALUES: readonly (readonly [pattern: RegExp, shown: (...groups: string[]) => string])[] = [
  [rust("Symbol", "ScSymbol", "StringM", `([^()"]*)`), (_, text = "") => text],
  [
    rust("String", "ScString", "StringM", `((?:(?!${END}${END}).)*)`),
    (_, text = "") => `"${text.trim()}"`,
  ],
  [rust("Bytes", "ScBytes", "BytesM", "([0-9a-f]*)"), (_, hex = "") => `Bytes(${hex})`],
  [
    rust("Address", "Account", "AccountId", "PublicKeyTypeEd25519", "Uint256", HEX),
    (_, hex = "") => encodeStrkey("account", Uint8Array.fromHex(hex)),
  ],
  [rust("Address", "Contract", "ContractId", "Hash", HEX), contractOf],
  [rust("Address", "Contract", "Hash", HEX), contractOf],
  [
    rust("Error", "Contract", String.raw`(\d{1,10})`),
    (_, code = "") => `Error(Contract, #${code})`,
  ],
  [
    rust("Error", String.raw`(\w+)\(\s*(\w+)`, ""),
    (_, type = "", code = "") => `Error(${type}, ${code})`,
  ],
  [
    /\b[IU]128\(\s*U?Int128Parts\s*\{\s*hi:\s*(-?\d+),\s*lo:\s*(\d+)\s*,?\s*\}\s*,?\s*\)/g,
    (_, high = "0", low = "0") => String((BigInt(high) << 64n) + BigInt(low)),
  ],
  [
    rust("(?:Timepoint|Duration)", "(?:TimePoint|Duration)", String.raw`(\d+)`),
    (_, number = "") => number,
  ],
  [rust("(?:U32|I32|U64|I64)", String.raw`(-?\d+)`), (_, number = "") => number],
  [rust("Bool", "(true|false)"), (_, value = "") => value],
];

/** Lists, of which the innermost is read first: what is in it is no list any more. */
const LISTS: readonly (readonly [pattern: RegExp, shown: (...groups: string[]) => string])[] = [
  [
    new RegExp(String.raw`\bScMapEntry\s*\{\s*key:\s*${ITEM},\s*val:\s*${ITEM}\s*,?\s*\}`, "gs"),
    (_, key = "", value = "") => `${key}: ${value}`,
  ],
  [rust("Map", "Some", "ScMap", "VecM", LIST), (_, list = "") => `{${inList(list)}}`],
  [rust("Vec", "Some", "ScVec", "VecM", LIST), (_, list = "") => `[${inList(list)}]`],
];

/** The id of the contract, the kind, the topics and the data. */
const EVENT = new RegExp(
  [
    String.raw`contract_id:\s*(?:None\s*,|Some\([\sA-Za-z(]{0,120}([0-9a-f]{64})[\s),]{0,200})`,
    String.raw`\s*type_:\s*(\w+),\s*body:\s*V0\(\s*ContractEventV0\s*\{`,
    String.raw`\s*topics:\s*VecM\(\s*\[(.*?)\]\s*,?\s*\),`,
    String.raw`\s*data:\s*(.*?)\s*,?\s*\}\s*,?\s*\)`,
  ].join(""),
  "gs",
);

/** The same events as a log of the host, the newest first; null when there are none. */
export function logOfRustEvents(text: string): string | null {
  if (!text.includes("ContractEventV0")) return null;
  let values = replaced(text.slice(0, LONGEST_TEXT), VALUES);
  for (let depth = 0; depth < DEEPEST; depth += 1) {
    const before = values;
    values = replaced(values, LISTS);
    if (values === before) break;
  }
  const lines = [...values.matchAll(EVENT)].map(
    ([, id, kind = "", topics = "", data = ""], index) =>
      `${index}: [${kind} Event] ${id === undefined ? "" : `contract:${id}, `}` +
      `topics:[${inList(topics)}], data:${inList(data)}`,
  );
  return lines.length === 0 ? null : lines.reverse().join("\n");
}

function replaced(text: string, rules: typeof VALUES): string {
  return rules.reduce((read, [pattern, shown]) => read.replace(pattern, shown as never), text);
}

/** `Outer(Inner(content))`, where brackets can stand on lines of their own. */
function rust(...parts: readonly string[]): RegExp {
  const content = parts.at(-1) ?? "";
  const names = parts.slice(0, -1);
  const begin = names.map((name) => String.raw`${name}(?:\(\s*)?`).join("");
  return new RegExp(String.raw`\b${begin}${content}${END.repeat(names.length)}`, "gs");
}

function contractOf(_: string, hex = ""): string {
  return encodeStrkey("contract", Uint8Array.fromHex(hex));
}

/** One line, as the host writes a list. */
function inList(text: string): string {
  return text
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replace(/,\s*$/, "");
}
