// Expressions of watches, conditions, hit counts and logpoints: names, integers of any size and
// text, with arithmetic, comparisons and logic. Nothing in them is run as code.

import { messageOf } from "../base/errors/system-code.ts";
import { isStrkeyForm } from "../base/text/strkey.ts";

export type PlainValue = bigint | boolean | string;
/** Returns the value of a name. Throws an Error with the reason if the name is unknown. */
export type Resolve = (name: string) => Promise<PlainValue>;

export type Expression = { readonly column: number } & (
  | { readonly kind: "literal"; readonly value: PlainValue }
  /** A name with its fields and indexes. `indexes` are those that must be computed. */
  | { readonly kind: "name"; readonly text: string; readonly indexes: readonly Index[] }
  | { readonly kind: "not" | "negative"; readonly operand: Expression }
  | {
      readonly kind: "binary";
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    }
);

/**
 * An index that must be computed. `begin` and `end` are the positions of its brackets in the name.
 */
interface Index {
  readonly begin: number;
  readonly end: number;
  readonly inside: Expression;
}

/** The binding strength of each operator. */
const OPERATORS = {
  "||": 1,
  "&&": 2,
  "==": 3,
  "!=": 3,
  "<=": 3,
  ">=": 3,
  "<": 3,
  ">": 3,
  "+": 4,
  "-": 4,
  "*": 5,
  "/": 5,
  "%": 5,
} as const;
type Operator = keyof typeof OPERATORS;
const [COMPARISON, UNARY] = [3, 6];

const MAXIMUM_CHARACTERS = 1000;
const OPERATOR = /&&|\|\||[=!<>]=|[-+*/%<>]/y;
/** Integers as Rust writes them, with or without a type. */
const NUMBER = /(0x_*[\da-f][\da-f_]*|\d[\d_]*?)(?:_?[iu](?:8|16|32|64|128|256|size))?(?![\w$])/iy;
const TEXT = /"([^"]*)"|'([^']*)'/y;
const ROOT = /(?:local|argument|global|operand) \d+|[\p{L}_$@][\w$@]*|(?=\[)/uy;
const FIELD = /\.(?:[\w$@]+|"[^"]*")/y;
const CLOSING: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** `column` counts from 1. */
class ExpressionError extends Error {
  constructor(message: string, column: number) {
    super(`${message} (column ${column})`);
  }
}

/** Throws an ExpressionError if the text cannot be read. */
export function parseExpression(text: string, firstColumn = 1): Expression {
  return new Parser(text, firstColumn).whole();
}

class Parser {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly firstColumn: number,
  ) {}

  whole(): Expression {
    if (this.text.length > MAXIMUM_CHARACTERS) throw this.error("the expression is too long");
    const expression = this.binary(0);
    if (this.at < this.text.length) throw this.error(`\`${this.text[this.at]}\` is unexpected`);
    return expression;
  }

  private error(message: string, at = this.at): ExpressionError {
    return new ExpressionError(message, at + this.firstColumn);
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text);
    if (match !== null) this.at = pattern.lastIndex;
    return match;
  }

  private skipSpace(): void {
    this.take(/\s*/y);
  }

  /** Reads operators that bind more strongly than `least`. */
  private binary(least: number): Expression {
    let left = this.operand();
    for (let last = 0; ; ) {
      this.skipSpace();
      const column = this.at + this.firstColumn;
      const begin = this.at;
      const operator = this.take(OPERATOR)?.[0] as Operator | undefined;
      const strength = operator === undefined ? 0 : OPERATORS[operator];
      if (operator === undefined || strength <= least) {
        this.at = begin;
        return left;
      }
      if (strength === COMPARISON && last === COMPARISON)
        throw this.error("join comparisons with &&", begin);
      last = strength;
      const right = this.binary(strength);
      left = { kind: "binary", column, operator, left, right };
    }
  }

  private operand(): Expression {
    this.skipSpace();
    const begin = this.at;
    const column = begin + this.firstColumn;
    const sign = this.take(/[-!](?!=)/y)?.[0];
    if (sign !== undefined) {
      const operand = this.binary(UNARY);
      return { kind: sign === "!" ? "not" : "negative", column, operand };
    }
    if (this.take(/\(/y) !== null) {
      const inside = this.binary(0);
      if (this.take(/\)/y) === null) throw this.error("`(` is not closed", begin);
      return inside;
    }
    const number = this.take(NUMBER)?.[1];
    if (number !== undefined)
      return { kind: "literal", column, value: BigInt(number.replaceAll("_", "")) };
    const text = this.take(TEXT);
    if (text !== null) return { kind: "literal", column, value: text[1] ?? text[2] ?? "" };
    return this.name(begin);
  }

  /** Reads `local 0`, `order.fee`, `Balance(G…).amount`, `[Balance, G…]` or `list[index + 1]`. */
  private name(begin: number): Expression {
    const column = begin + this.firstColumn;
    if (this.take(ROOT) === null)
      throw this.error(begin === this.text.length ? "a value is missing" : "a value is expected");
    const indexes: Index[] = [];
    for (;;) {
      const from = this.at;
      if (this.take(FIELD) !== null) continue;
      const opening = this.text[from];
      if (opening !== "(" && opening !== "[") break;
      this.at = this.closing(from);
      // A bracket at the beginning of a name encloses a key, and so does the bracket of a call.
      if (opening !== "[" || from === begin) continue;
      const inside = this.indexAt(from + 1, this.at - 1);
      if (inside !== null) indexes.push({ begin: from - begin, end: this.at - begin, inside });
    }
    const text = this.text.slice(begin, this.at);
    if (text === "true" || text === "false")
      return { kind: "literal", column, value: text === "true" };
    return { kind: "name", column, text, indexes };
  }

  /** Returns null if the index is a number, or the text of a key. */
  private indexAt(begin: number, end: number): Expression | null {
    try {
      const inside = parseExpression(this.text.slice(begin, end), begin + this.firstColumn);
      return inside.kind === "literal" ? null : inside;
    } catch {
      return null;
    }
  }

  /** Returns the position after the bracket that closes the one at `from`. */
  private closing(from: number): number {
    const open: string[] = [];
    for (let at = from; at < this.text.length; at += 1) {
      const letter = this.text[at] ?? "";
      if (letter === '"' || letter === "'") {
        at = this.text.indexOf(letter, at + 1);
        if (at === -1) break;
      } else if (CLOSING[letter] !== undefined) open.push(CLOSING[letter]);
      else if (letter === open.at(-1)) open.pop();
      if (open.length === 0) return at + 1;
    }
    throw this.error(`\`${this.text[from]}\` is not closed`, from);
  }
}

/** Throws an ExpressionError if a name is unknown, or its value does not fit the operator. */
export async function valueIn(expression: Expression, resolve: Resolve): Promise<PlainValue> {
  switch (expression.kind) {
    case "literal":
      return expression.value;
    case "name":
      return named(expression, resolve);
    case "not":
      return !(await holds(expression.operand, resolve));
    case "negative":
      return -(await integerIn(expression.operand, resolve));
    case "binary":
      return computed(expression, resolve);
  }
}

async function computed(
  { operator, left, right, column }: Extract<Expression, { kind: "binary" }>,
  resolve: Resolve,
): Promise<PlainValue> {
  if (operator === "&&" || operator === "||") {
    const first = await holds(left, resolve);
    return first === (operator === "||") ? first : holds(right, resolve);
  }
  if (operator === "==" || operator === "!=") {
    const isSame = (await valueIn(left, resolve)) === (await valueIn(right, resolve));
    return isSame === (operator === "==");
  }
  const [leftValue, rightValue] = [await integerIn(left, resolve), await integerIn(right, resolve)];
  if (rightValue === 0n && (operator === "/" || operator === "%"))
    throw new ExpressionError("division by zero", column);
  return ARITHMETIC[operator](leftValue, rightValue);
}

const ARITHMETIC = {
  "+": (left: bigint, right: bigint) => left + right,
  "-": (left: bigint, right: bigint) => left - right,
  "*": (left: bigint, right: bigint) => left * right,
  "/": (left: bigint, right: bigint) => left / right,
  "%": (left: bigint, right: bigint) => left % right,
  "<": (left: bigint, right: bigint) => left < right,
  "<=": (left: bigint, right: bigint) => left <= right,
  ">": (left: bigint, right: bigint) => left > right,
  ">=": (left: bigint, right: bigint) => left >= right,
};

async function named(
  { text, indexes, column }: Extract<Expression, { kind: "name" }>,
  resolve: Resolve,
): Promise<PlainValue> {
  let name = "";
  let end = 0;
  for (const index of indexes) {
    name += `${text.slice(end, index.begin)}[${await valueIn(index.inside, resolve)}]`;
    end = index.end;
  }
  try {
    return await resolve(name + text.slice(end));
  } catch (error) {
    // An address can be written as it is shown.
    if (isStrkeyForm(text)) return text;
    throw new ExpressionError(messageOf(error), column);
  }
}

/**
 * True if the condition is met. Throws an ExpressionError if its value is neither true nor false.
 */
export async function holds(expression: Expression, resolve: Resolve): Promise<boolean> {
  const value = await valueIn(expression, resolve);
  if (typeof value === "boolean") return value;
  throw new ExpressionError(`${value} is neither true nor false`, expression.column);
}

async function integerIn(expression: Expression, resolve: Resolve): Promise<bigint> {
  const value = await valueIn(expression, resolve);
  if (typeof value === "bigint") return value;
  throw new ExpressionError(`${value} is not an integer`, expression.column);
}

/** Parses `5`, `>= 5`, `% 5`, or an expression of `hits`. Throws an ExpressionError. */
export function parseHitCount(text: string): Expression {
  const begin = /^\s*(?:%|==?|[<>])/.exec(text)?.[0].trim();
  const own = begin === "=" ? `=${text.trim()}` : text.trim();
  const implied = begin === undefined ? "" : "hits ";
  const read = parseExpression(implied + own, 1 + text.length - own.length - implied.length);
  checkNames(read);
  if (begin !== "%") return read;
  // `% 5` means that nothing remains after the division.
  const { column } = read;
  const none: Expression = { kind: "literal", column, value: 0n };
  return { kind: "binary", column, operator: "==", left: read, right: none };
}

/** Splits a log message into texts and the expressions in braces. Throws an ExpressionError. */
export function parseLogMessage(text: string): (string | Expression)[] {
  const parts: (string | Expression)[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{([^{}]*)\}/g)) {
    parts.push(text.slice(end, match.index), parseExpression(match[1] ?? "", match.index + 2));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)];
}

/** `hits` is how often the breakpoint was reached, this time included. */
export async function isReached(expression: Expression, hits: number): Promise<boolean> {
  const value = await valueIn(expression, async () => BigInt(hits));
  if (typeof value === "string")
    throw new ExpressionError(`${value} is not a number of hits`, expression.column);
  return typeof value === "bigint" ? value === BigInt(hits) : value;
}

function checkNames(expression: Expression): void {
  if (expression.kind === "name" && expression.text !== "hits")
    throw new ExpressionError(
      `${expression.text} is not known in a hit count: only \`hits\` is`,
      expression.column,
    );
  if (expression.kind === "binary") checkNames(expression.left);
  if (expression.kind === "binary") checkNames(expression.right);
  if (expression.kind === "not" || expression.kind === "negative") checkNames(expression.operand);
}
