// A front or a product is its folder and its rows: without them, svc still compiles.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");
/** The files with the rows of fronts and products. */
const ROWS = [
  "src/cli/commands.ts",
  "src/cli/lent.ts",
  "src/cli/lent-settings.ts",
  "src/error-catalogue.ts",
];
const TSC = join(ROOT, "node_modules/.bin/tsc");

let copy = "";
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), "svc-products-"));
  const isRust = (path: string) => path.includes("/svc-sim/") && !path.includes("/schema");
  cpSync(join(ROOT, "src"), join(copy, "src"), {
    recursive: true,
    filter: (path) => !isRust(path),
  });
  for (const name of ["package.json", "tsconfig.json", "node_modules", "dist", "examples"])
    symlinkSync(join(ROOT, name), join(copy, name));
});
afterAll(() => rmSync(copy, { recursive: true }));

/** The rows without those of the product: the import, and each line that has a name of it. */
function withoutRows(text: string, product: string): string {
  const imports = new RegExp(`^import \\{ (\\w+) \\} from "\\.{1,2}/${product}/.*";\\n`, "gm");
  const names = [...text.matchAll(imports)].map(([, name = ""]) => name);
  const isRow = (line: string) =>
    names.some((name) => new RegExp(`\\b${name}\\b`).test(line)) ||
    line.includes(`import("../${product}/`);
  return text
    .replace(imports, "")
    .split("\n")
    .filter((line) => !isRow(line))
    .join("\n");
}

async function compile(): Promise<string> {
  const options = { extends: "./tsconfig.json", include: ["src"], exclude: ["src/svc-sim"] };
  writeFileSync(join(copy, "tsconfig.copy.json"), JSON.stringify(options));
  const process = Bun.spawn([TSC, "--noEmit", "-p", "tsconfig.copy.json"], {
    cwd: copy,
    stdout: "pipe",
    stderr: "pipe",
  });
  return new Response(process.stdout).text();
}

const FRONTS = ["daemon", "mcp", "dap", "stepper"];
const PRODUCTS = ["fork", "follow", "verification", "rehearsal", "signing"];

for (const product of [...FRONTS, ...PRODUCTS])
  test(`svc compiles without ${product} and its rows`, async () => {
    rmSync(join(copy, "src", product), { recursive: true });
    try {
      for (const name of ROWS) {
        const text = await Bun.file(join(ROOT, name)).text();
        const without = withoutRows(text, product);
        if (text.includes(`/${product}/`)) expect(without).not.toBe(text);
        writeFileSync(join(copy, name), without);
      }
      expect(await compile()).toBe("");
    } finally {
      cpSync(join(ROOT, "src", product), join(copy, "src", product), { recursive: true });
      for (const name of ROWS) cpSync(join(ROOT, name), join(copy, name));
    }
  }, 240_000);
