// Conditions of breakpoints: comparisons of names, fields, storage keys and numbers, joined by &&
// and ||. Amounts are compared as integers of any size, everything else as text.

const QUOTED = /"[^"]*"|'[^']*'/.source;
/** `local 0`, `key.0`, `Balance(G…)`, `[Balance, G…].amount`. */
const NAME = /(?:(?:local|argument) \d+|[\w$.@:-]|\((?:[^()]|\([^()]*\))*\)|\[[^[\]]*\])+/.source;
const TOKEN = new RegExp(`\\s*(&&|\\|\\||==|!=|<=|>=|<|>|${QUOTED}|${NAME})`, "y");
const MAXIMUM_CHARACTERS = 1000;
const COMPARISONS = ["==", "!=", "<=", ">=", "<", ">"];

const OPERATORS = [...COMPARISONS, "&&", "||"];

export type Resolve = (name: string) => Promise<string | null>;

/** Null when it cannot be read. */
export function tokensOf(text: string): string[] | null {
  if (text.length > MAXIMUM_CHARACTERS) return null;
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text);
    if (found?.[1] === undefined) return null;
    tokens.push(found[1]);
  }
  return tokens;
}

/** It can be read, whatever its names are. */
export function isCondition(text: string): boolean {
  const tokens = tokensOf(text);
  const parts = tokens === null ? [] : split(tokens, "||").flatMap((part) => split(part, "&&"));
  const isOperand = (token = "") => token !== "" && !OPERATORS.includes(token);
  return (
    tokens !== null &&
    parts.every(
      ([left, comparison, right, ...more]) =>
        isOperand(left) &&
        more.length === 0 &&
        (comparison === undefined || (COMPARISONS.includes(comparison) && isOperand(right))),
    )
  );
}

/** Throws an Error with the reason when a name is unknown or the condition cannot be read. */
export async function holds(condition: string, resolve: Resolve): Promise<boolean> {
  const tokens = tokensOf(condition);
  if (tokens === null) throw new Error(`the condition cannot be read: ${condition}`);
  for (const alternative of split(tokens, "||")) {
    let all = true;
    for (const part of split(alternative, "&&")) all &&= await compares(part, resolve);
    if (all) return true;
  }
  return false;
}

function split(tokens: readonly string[], at: string): string[][] {
  const parts: string[][] = [[]];
  for (const token of tokens) {
    if (token === at) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

async function compares(tokens: readonly string[], resolve: Resolve): Promise<boolean> {
  const [left, comparison, right] = tokens;
  if (left !== undefined && tokens.length === 1) return (await operandOf(left, resolve)) === "true";
  if (left === undefined || right === undefined || tokens.length !== 3)
    throw new Error("a condition compares two values: amount > 100");
  if (!COMPARISONS.includes(comparison ?? "")) throw new Error(`unknown comparison ${comparison}`);
  const [one, other] = [await operandOf(left, resolve), await operandOf(right, resolve)];
  const numbers = [integer(one), integer(other)] as const;
  const order =
    numbers[0] !== null && numbers[1] !== null
      ? Number(numbers[0] > numbers[1]) - Number(numbers[0] < numbers[1])
      : Number(one > other) - Number(one < other);
  return {
    "==": order === 0,
    "!=": order !== 0,
    "<": order < 0,
    "<=": order <= 0,
    ">": order > 0,
    ">=": order >= 0,
  }[comparison as "=="];
}

function integer(text: string): bigint | null {
  return /^-?\d[\d_,]*$/.test(text) ? BigInt(text.replaceAll(/[_,]/g, "")) : null;
}

async function operandOf(token: string, resolve: Resolve): Promise<string> {
  const quoted = /^(["'])(.*)\1$/.exec(token);
  if (quoted?.[2] !== undefined) return quoted[2];
  if (integer(token) !== null || token === "true" || token === "false") return token;
  const value = await resolve(token);
  if (value === null) throw new Error(`${token} is not known here`);
  return value.replace(/^"(.*)"$/s, "$1");
}
