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
const COMPARED = /^(?:[=!]=|[<>]=?)$/;
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
}
const UNKNOWN: FoldedValue = { text: null, kind: "simple" };
const simple = (text: string): FoldedValue => ({ text, kind: "simple" });

/** Returns the same lines, some with a comment. */
export function withConditions(lines: readonly string[]): string[] {
  let stack: FoldedValue[] = [];
  const pop = () => stack.pop() ?? UNKNOWN;
  return lines.map((line) => {
    const [, mnemonic = "", rest = ""] = /^\s*(\S+)\s*(.*?)(?:\s*;;.*)?$/.exec(line) ?? [];
    const operation = mnemonic.split(".")[1] ?? "";
    const [operator, conversion] = [OPERATORS[operation], CONVERSIONS[operation]];
    if (mnemonic === "br_if" || mnemonic === "if") {
      const { text } = pop();
      if (mnemonic === "if") stack = [];
      return text === null || text.length > LONGEST ? line : `${line} ;; if ${text}`;
    }
    if (mnemonic === "local.get" || mnemonic === "global.get")
      stack.push(simple(`${mnemonic.split(".")[0]} ${rest}`));
    else if (/^i(32|64)\.const$/.test(mnemonic)) stack.push(simple(rest));
    else if (/^(local|global)\.(set|tee)$/.test(mnemonic)) {
      const name = `${mnemonic.split(".")[0]} ${rest}`;
      pop();
      // A value that was pushed before keeps the local's old content, so its text is no longer
      // right.
      const names = new RegExp(`\\b${name}\\b`);
      stack = stack.map((value) => (names.test(value.text ?? "") ? UNKNOWN : value));
      if (operation === "tee") stack.push(simple(name));
    } else if (operator !== undefined && /^i(32|64)\./.test(mnemonic)) {
      const [other, one] = [pop(), pop()];
      stack.push(joined(one, operator, other, operation.endsWith("_u")));
    } else if (operation === "eqz") stack.push(negated(pop()));
    else if (mnemonic === "drop") pop();
    else if (conversion !== undefined) {
      const { text } = pop();
      stack.push(text === null ? UNKNOWN : simple(`${conversion}(${text})`));
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
  const isTag = / & 255$/.test(left.text) && /^[!=]=$/.test(operator);
  const tag = isTag ? TAGS[Number(right.text)] : undefined;
  const unsigned = isUnsigned && operator !== ">>>" ? " (unsigned)" : "";
  const meaning = tag === undefined ? unsigned : ` (the tag of ${tag})`;
  const areConditions = left.kind === "condition" && right.kind === "condition";
  const isCondition = COMPARED.test(operator) || (areConditions && /[&|]/.test(operator));
  const kind = isCondition ? "condition" : "number";
  return { text: `${part(left)} ${operator} ${part(right)}${meaning}`, kind };
}

function negated(value: FoldedValue): FoldedValue {
  if (value.text === null) return UNKNOWN;
  if (value.kind !== "condition") return joined(value, "==", simple("0"), false);
  return { text: `not (${value.text})`, kind: "condition" };
}
