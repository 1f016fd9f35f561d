// Writes the condition of a branch in a disassembly as one expression behind the branch, from the
// values that a straight run of instructions pushed. If any part of it is unknown, the branch gets
// no comment.

const OPERATORS: Readonly<Record<string, string>> = {
  add: "+",
  sub: "-",
  mul: "*",
  and: "&",
  or: "|",
  xor: "^",
  shl: "<<",
  eq: "==",
  ne: "!=",
  lt_s: "<",
  gt_s: ">",
  le_s: "<=",
  ge_s: ">=",
  lt_u: "<",
  gt_u: ">",
  le_u: "<=",
  ge_u: ">=",
  shr_s: ">>",
  shr_u: ">>>",
};
const CONVERSIONS: Readonly<Record<string, string>> = {
  wrap_i64: "low32",
  extend_i32_u: "unsigned",
  extend_i32_s: "signed",
};
const COMPARED: ReadonlySet<string> = new Set(["==", "!=", "<", ">", "<=", ">="]);
const LOGICAL: ReadonlySet<string> = new Set(["&", "|"]);
const LOW_BYTE = "255";
/** The low byte of the host's values (CAP-46-1). */
const TAGS: Readonly<Record<number, string>> = {
  0: "false",
  1: "true",
  2: "void",
  3: "an error",
  4: "a u32",
  5: "an i32",
  6: "a small u64",
  7: "a small i64",
  10: "a small u128",
  11: "a small i128",
  14: "a short symbol",
  64: "a u64",
  65: "an i64",
  68: "a u128",
  69: "an i128",
  72: "bytes",
  73: "a string",
  74: "a symbol",
  75: "a vec",
  76: "a map",
  77: "an address",
};
const LONGEST = 120;

interface FoldedValue {
  /** Null if the value is unknown. */
  readonly text: string | null;
  readonly kind: "simple" | "number" | "condition";
  /** The locals and globals that it was computed from, as the text names them. */
  readonly of: readonly string[];
  /** True if only the low byte is left, which is the tag of a value of the host. */
  readonly isTag?: true;
}
const UNKNOWN: FoldedValue = { text: null, kind: "simple", of: [] };
const simple = (text: string, of: readonly string[] = []): FoldedValue => ({
  text,
  kind: "simple",
  of,
});
const INTEGER: ReadonlySet<string> = new Set(["i32", "i64"]);

/** A line of a disassembly. */
interface Instruction {
  readonly text: string;
  /** Such as `local.set`. */
  readonly opcode: string;
  /** The local, the global, the function or the label that it names. */
  readonly index?: number;
  /** The number that a constant pushes. */
  readonly constant?: string;
}

/** Returns the texts of the same lines, some with a comment. */
export function withConditions(lines: readonly Instruction[]): string[] {
  let stack: FoldedValue[] = [];
  const pop = () => stack.pop() ?? UNKNOWN;
  return lines.map(({ text: line, opcode, index = 0, constant }) => {
    const [family = "", operation = ""] = opcode.split(".");
    const [operator, conversion] = [OPERATORS[operation], CONVERSIONS[operation]];
    const isVariable = family === "local" || family === "global";
    const name = `${family} ${index}`;
    if (opcode === "br_if" || opcode === "if") {
      const { text } = pop();
      if (opcode === "if") stack = [];
      return text === null || text.length > LONGEST ? line : `${line} ;; if ${text}`;
    }
    if (isVariable && operation === "get") stack.push(simple(name, [name]));
    else if (constant !== undefined) stack.push(simple(constant));
    else if (isVariable && (operation === "set" || operation === "tee")) {
      pop();
      // A value that was pushed before keeps the local's old content, so its text is no longer
      // right.
      stack = stack.map((value) => (value.of.includes(name) ? UNKNOWN : value));
      if (operation === "tee") stack.push(simple(name, [name]));
    } else if (operator !== undefined && INTEGER.has(family)) {
      const [other, current] = [pop(), pop()];
      stack.push(joined(current, operator, other, operation.endsWith("_u")));
    } else if (operation === "eqz") stack.push(negated(pop()));
    else if (opcode === "drop") pop();
    else if (conversion !== undefined) {
      const { text, of } = pop();
      stack.push(text === null ? UNKNOWN : simple(`${conversion}(${text})`, of));
    } else stack = [];
    return line;
  });
}

function joined(
  left: FoldedValue,
  operator: string,
  right: FoldedValue,
  isUnsigned: boolean,
): FoldedValue {
  if (left.text === null || right.text === null) return UNKNOWN;
  const part = ({ text, kind }: FoldedValue) => (kind === "simple" ? text : `(${text})`);
  const isEquality = operator === "==" || operator === "!=";
  const tag = isEquality && left.isTag ? TAGS[Number(right.text)] : undefined;
  const unsigned = isUnsigned && operator !== ">>>" ? " (unsigned)" : "";
  const meaning = tag === undefined ? unsigned : ` (the tag of ${tag})`;
  const areConditions = left.kind === "condition" && right.kind === "condition";
  const isCondition = COMPARED.has(operator) || (areConditions && LOGICAL.has(operator));
  return {
    text: `${part(left)} ${operator} ${part(right)}${meaning}`,
    kind: isCondition ? "condition" : "number",
    of: [...left.of, ...right.of],
    ...(operator === "&" && right.text === LOW_BYTE && { isTag: true }),
  };
}

function negated(value: FoldedValue): FoldedValue {
  if (value.text === null) return UNKNOWN;
  if (value.kind !== "condition") return joined(value, "==", simple("0"), false);
  return { text: `not (${value.text})`, kind: "condition", of: value.of };
}
