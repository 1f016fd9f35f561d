// The functions that older runtimes get are those of the standard.

import { expect, test } from "bun:test";
import fc from "fast-check";

const BYTES = fc.uint8Array({ maxLength: 10_000 });
const MISSING = ["fromHex", "fromBase64", "toHex", "toBase64", "setFromBase64", "escape"];

/** The module in a runtime that has none of the functions. Returns what it defines. */
async function defined() {
  const program = `
    for (const place of [Uint8Array, Uint8Array.prototype, RegExp])
      for (const name of ${JSON.stringify(MISSING)}) delete place[name];
    await import(${JSON.stringify(import.meta.resolve("../../src/library/standard.ts"))});
    const lines = require("fs").readFileSync(0, "utf8").trim().split("\\n");
    for (const line of lines) {
      const bytes = Uint8Array.from(JSON.parse(line));
      const [hex, base64] = [bytes.toHex(), bytes.toBase64()];
      const into = new Uint8Array(bytes.length);
      const { written } = into.setFromBase64(base64);
      const back = [Uint8Array.fromHex(hex), Uint8Array.fromBase64(base64), into];
      console.log(JSON.stringify({ hex, base64, written, back: back.map((each) => [...each]) }));
    }
    console.log(RegExp.escape("a.b[c]"));
  `;
  return (input: string) =>
    Bun.spawnSync([process.execPath, "-e", program], {
      stdin: Buffer.from(input),
    }).stdout.toString();
}

test("bytes become text and come back as by the runtime", async () => {
  const run = await defined();
  const samples = fc.sample(BYTES, 50);
  const printed = run(`${samples.map((each) => JSON.stringify([...each])).join("\n")}\n`)
    .trim()
    .split("\n");
  const escaped = printed.pop() ?? "";
  expect(new RegExp(`^${escaped}$`).test("a.b[c]")).toBe(true);
  expect(printed.length).toBe(samples.length);
  for (const [index, bytes] of samples.entries()) {
    const { hex, base64, written, back } = JSON.parse(printed[index] ?? "");
    expect([hex, base64, written]).toEqual([bytes.toHex(), bytes.toBase64(), bytes.length]);
    for (const each of back) expect(each).toEqual([...bytes]);
  }
});
