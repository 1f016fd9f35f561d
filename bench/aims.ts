// The lines that benchmarks print: a figure, its ratio to another of the same run, and the aim
// beside it, with OVER where it is missed. A missed aim is the exit code 1.

export interface Ratio {
  readonly value: number;
  /** What it is measured in: `of` "host" prints `1.50 × host`. */
  readonly of: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

const WHAT_WIDTH = 46;

export function line(what: string, value: number, unit: string, ratio?: Ratio): void {
  const amount = value >= 100 ? value.toFixed(0) : value.toFixed(3);
  const beside = ratio === undefined ? "" : `   ${describe(ratio)}`;
  process.stdout.write(`${what.padEnd(WHAT_WIDTH)} ${amount.padStart(9)} ${unit}${beside}\n`);
}

function describe({ value, of, atMost, atLeast }: Ratio): string {
  const text = `${value.toFixed(2)} × ${of}`;
  if (atMost === undefined && atLeast === undefined) return text;
  const aim = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  // NaN is missed too.
  const isMet = atMost === undefined ? value >= (atLeast as number) : value <= atMost;
  if (!isMet) process.exitCode = 1;
  return `${text} (aim: ${aim})${isMet ? "" : " OVER"}`;
}
