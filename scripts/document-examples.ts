// Writes the examples in the documents, which show the output of the compiled svc. `npm run docs`
// writes the output below each command. A test fails if it differs from what svc prints. In
// Markdown:
//
//     <!-- output -->            or `<!-- output: 14 lines -->`, which cuts the rest
//     ```console
//     $ svc debug --from examples/….json
//     …
//     ```

import { join, resolve } from "node:path";
import { ensureBuilt, SVC_BINARY } from "./ensure-built.ts";

const ROOT = resolve(import.meta.dir, "..");
const BLOCK = /(<!-- output(?:: (\d+) lines)? -->\n```console\n\$ (.*)\n)[\s\S]*?(?=^```$)/gm;
/** A longer line, such as an envelope in base64, is cut after so many characters. */
const LONGEST_LINE = 100;
const CUT = "…";

/** Returns the text that each document with examples should have, by its path. */
export async function documentsWithExamples(): Promise<Map<string, string>> {
  ensureBuilt();
  const documents = new Map<string, string>();
  for (const name of ["README.md", ...new Bun.Glob("docs/*.md").scanSync(ROOT)]) {
    const path = join(ROOT, name);
    const current = await Bun.file(path).text();
    if (!current.includes("<!-- output")) continue;
    documents.set(
      path,
      current.replace(BLOCK, (_, head: string, lines: string | undefined, command: string) =>
        [head, ...shown(outputOf(command), Number(lines ?? Infinity))].join(""),
      ),
    );
  }
  return documents;
}

function outputOf(command: string): string {
  const [, ...words] = command.split(" ");
  const run = Bun.spawnSync([SVC_BINARY, ...words], { cwd: ROOT });
  if (run.exitCode !== 0) throw new Error(`${command} ended with ${run.exitCode}: ${run.stderr}`);
  return run.stdout.toString();
}

function shown(output: string, most: number): string[] {
  const lines = output.trimEnd().split("\n");
  const kept = lines.length <= most ? lines : [...lines.slice(0, most - 1), CUT];
  return kept.map((line) =>
    line.length <= LONGEST_LINE || line.includes(" ")
      ? `${line}\n`
      : `${line.slice(0, LONGEST_LINE - CUT.length)}${CUT}\n`,
  );
}
