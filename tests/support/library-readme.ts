// The snippets of the library's README as programs: each with values in the place of what an app
// has, and with the package as it is published.

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Modules } from "../../scripts/release/build-module.ts";
import { buildPackage } from "../../scripts/release/build-package.ts";
import { ROOT } from "../../scripts/release/paths.ts";

export interface Snippet {
  readonly language: string;
  readonly code: string;
}

/** The code blocks of the README, in order. */
export function snippetsOfReadme(): Snippet[] {
  const readme = readFileSync(join(ROOT, "release/library/README.md"), "utf8");
  return [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = "", code = ""]) => ({
      language,
      code,
    }),
  );
}

/** The snippet with these words in it. */
export function snippetWith(words: string): string {
  const found = snippetsOfReadme().filter(({ code }) => code.includes(words));
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`${found.length} have: ${words}`);
  return only.code;
}

/** Values that the snippets use, and what a snippet shows: a line of JSON for each call. */
const SURROUNDINGS = `
const show = (...said) => console.log(JSON.stringify(said));
`;

/** A program of plain ESM. `values` are constants that are written before the snippet. */
export function programOf(
  snippet: string,
  values: Readonly<Record<string, unknown>>,
  preamble = "",
): string {
  const constants = Object.entries(values).map(
    ([name, value]) => `const ${name} = ${JSON.stringify(value)};`,
  );
  return [preamble, SURROUNDINGS, ...constants, snippet].join("\n");
}

/** Builds the package in a directory in which programs find it and stellar-sdk. */
export async function installLibrary(directory: string, modules: Modules): Promise<string> {
  const installed = join(directory, "node_modules");
  const library = join(installed, "@svc-debugger/library");
  mkdirSync(library, { recursive: true });
  await buildPackage(library, modules);
  symlinkSync(join(ROOT, "node_modules/@stellar"), join(installed, "@stellar"));
  return library;
}
