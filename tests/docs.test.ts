// The generated pages are what the source makes of them, and every link of a page leads somewhere.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { generateCommandPages } from "../scripts/command-pages.ts";
import { documentsWithExamples } from "../scripts/document-examples.ts";
import { ERRORS_PAGE, renderErrorsPage } from "../scripts/generate-docs.ts";
import { generateJsonSchemas } from "../scripts/json-schemas.ts";
import { readDocuments } from "../scripts/release/documents.ts";
import { generateSettingDocuments } from "../scripts/setting-documents.ts";
import { CALL } from "../src/cli/arguments/call-settings.ts";
import { arrangeCall } from "../src/cli/arguments/call-words.ts";
import { readCommandPages } from "../src/cli/commands.ts";
import { flagsOf } from "../src/command/command.ts";

test("docs/errors.md is current; `npm run docs` makes it", async () => {
  expect(await Bun.file(ERRORS_PAGE).text()).toBe(renderErrorsPage());
});

for (const [path, text] of generateJsonSchemas())
  test(`${path} is current; \`npm run docs\` makes it`, async () => {
    expect(await Bun.file(path).text()).toBe(text);
  });

for (const [path, text] of await generateSettingDocuments())
  test(`the settings of ${path} are current; \`npm run docs\` makes them`, async () => {
    expect(await Bun.file(path).text()).toBe(text);
  });

test("docs/commands/ and docs/llms.txt are current; `npm run docs` makes them", async () => {
  const pages = await generateCommandPages();
  for (const [path, text] of pages)
    expect([path, await Bun.file(path).text()]).toEqual([path, text]);
  const folder = join(ROOT, "docs/commands");
  for (const name of new Bun.Glob("*.md").scanSync(folder))
    expect(pages.has(join(folder, name))).toBe(true);
});

test("docs/llms.txt names every page, and its links lead somewhere", () => {
  const text = readFileSync(join(ROOT, "docs/llms.txt"), "utf8");
  for (const page of new Bun.Glob("**/*.md").scanSync(join(ROOT, "docs")))
    if (page !== "commands/README.md") expect(text).toContain(`](${page})`);
  const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
  for (const path of links)
    expect([path, existsSync(join(ROOT, "docs", path))]).toEqual([path, true]);
});

test("the documents show what svc prints; `npm run docs` puts it in", async () => {
  const documents = await documentsWithExamples();
  expect(documents.size).toBeGreaterThan(2);
  for (const [path, text] of documents) expect(await Bun.file(path).text()).toBe(text);
});

const ROOT = resolve(import.meta.dir, "..");
const SHIPPED = new Map(
  [
    ...readDocuments(),
    ...[["README.md", "release/archive/README.md"] as const, ["CHANGELOG.md", "CHANGELOG.md"]].map(
      ([path = "", source = ""]) => ({ path, bytes: readFileSync(join(ROOT, source)) }),
    ),
  ].map(({ path, bytes }) => [path, bytes.toString("utf8")]),
);

test("every link of the documents leads somewhere, in the repository", async () => {
  const pages = documents();
  const read = (path: string) =>
    existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile()
      ? readFileSync(join(ROOT, path), "utf8")
      : existsSync(join(ROOT, path)) && "";
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.flatMap((path) => deadLinks(path, read))).toEqual([]);
});

test("no document and no recipe names what was taken out of svc", async () => {
  const taken = /dead letter|aws batch|aws_batch|cloud[ _]run/i;
  const paths = [
    ...new Bun.Glob("{docs,release,src}/**/*.{md,ts,yaml,yml,json,sh}").scanSync(ROOT),
  ];
  expect(paths.length).toBeGreaterThan(900);
  const naming = paths.filter((path) => taken.test(readFileSync(join(ROOT, path), "utf8")));
  expect(naming).toEqual([]);
});

test("every link of the documents leads somewhere, in an archive and where install.sh puts them", () => {
  // The script copies these as they are, next to each other.
  const [, copied = ""] =
    /^for each in (.*); do$/m.exec(readFileSync(join(ROOT, "release/install.sh"), "utf8")) ?? [];
  const beginnings = new Set([...SHIPPED.keys()].map((path) => path.split("/")[0] ?? ""));
  for (const each of beginnings) expect(copied.split(" ")).toContain(each);
  const folders = new Set([...SHIPPED.keys()].map((path) => `${dirname(path)}`));
  const read = (path: string) => SHIPPED.get(path) ?? (folders.has(path) && "");
  const pages = [...SHIPPED.keys()].filter((path) => path.endsWith(".md"));
  expect(pages.flatMap((path) => deadLinks(path, read))).toEqual([]);
});

test("every page that svc names is in an archive", () => {
  const sources = [...new Bun.Glob("src/**/*.ts").scanSync(ROOT), "release/vscode/README.md"];
  const named = sources.flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(/\bdocs\/[\w/-]+\.md/g)].map(
      ([page]) => page,
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  for (const page of named) expect([...SHIPPED.keys()]).toContain(page);
});

test("every command and flag in the documents is one of svc", async () => {
  const pages = await readCommandPages();
  const flags = new Map(
    pages.map(({ name, settings }) => [
      name,
      new Set(flagsOf(settings).flatMap(({ flag, alias }) => [flag, alias ?? flag])),
    ]),
  );
  const wrong = documents().flatMap((path) => {
    const text = readFileSync(join(ROOT, path), "utf8").replaceAll("\\\n", " ");
    const spans = [...text.matchAll(/`((?:dist\/)?svc [^`]*)`|^ {4}(?:\$ )?(.*\bsvc .*)$/gm)];
    const lines = spans.flatMap(([, span, line]) => [span ?? line ?? ""]);
    return lines.flatMap((line) =>
      commandsIn(line).flatMap((words) => {
        const name = [words.slice(0, 2).join(" "), words[0] ?? ""].find((each) => flags.has(each));
        if (name === undefined) return isCommandWord(words[0]) ? [`${path}: svc ${words[0]}`] : [];
        // What follows the function is its own, unless it is a flag of svc.
        const own = name === "call" ? arrangeCall(CALL, words.slice(1)) : words;
        const end = own.indexOf("--");
        const used = own
          .slice(0, end === -1 ? own.length : end)
          .flatMap((word) => /^(--?[a-z][\w-]*)/.exec(word)?.[1] ?? []);
        const unknown = used.filter((flag) => !flags.get(name)?.has(flag) && !/^-v+$/.test(flag));
        return unknown.map((flag) => `${path}: svc ${name} ${flag}`);
      }),
    );
  });
  expect(wrong).toEqual([]);
});

/** Each command that a page shows → the test that runs it, or a page that tests/tutorial.test.ts runs. */
const RUN_BY: Readonly<Record<string, string>> = {
  call: "tests/cli/call.test.ts",
  capture: "tests/cli/files-and-streams.test.ts",
  completion: "tests/release/completions.test.ts",
  daemon: "tests/cli/daemon.test.ts",
  dap: "tests/dap/session.test.ts",
  debug: "docs/tutorial.md",
  demo: "tests/cli/demo.test.ts",
  doctor: "tests/cli/nodes.test.ts",
  explain: "tests/cli/files-and-streams.test.ts",
  fork: "tests/cli/fork.test.ts",
  "fork follow": "tests/fork/follow.test.ts",
  "fork impersonate": "docs/tutorial.md",
  "fork send": "docs/tutorial.md",
  "hsm list": "tests/cli/sign.test.ts",
  "hsm test": "tests/cli/sign.test.ts",
  mcp: "tests/mcp/tools.test.ts",
  rehearse: "tests/rehearsal/rehearse.test.ts",
  sign: "tests/cli/sign.test.ts",
  "sign auth": "tests/cli/sign-auth.test.ts",
  "sign document": "tests/cli/sign-verify.test.ts",
  simulate: "tests/cli/strict-validation.test.ts",
  state: "tests/cli/state.test.ts",
  "state diff": "tests/cli/state.test.ts",
  verify: "tests/cli/verify-inputs.test.ts",
  "rehearse merge": "tests/rehearsal/pieces.test.ts",
  "verify merge": "tests/cli/verify-shards.test.ts",
  "verify plan": "tests/cli/verify-shards.test.ts",
  version: "tests/cli/later-protocol.test.ts",
  watch: "tests/cli/watch.test.ts",
};

test("every command in a block of a page is run by a test", async () => {
  const names = new Set((await readCommandPages()).map(({ name }) => name));
  const shown = documents()
    .filter((path) => /^(README\.md|docs\/[\w-]+\.md)$/.test(path))
    .flatMap((path) => {
      const text = readFileSync(join(ROOT, path), "utf8").replaceAll("\\\n", " ");
      const lines = [...text.matchAll(/^ {4}(?:\$ )?(.*\bsvc .*)$/gm)].map(([, line = ""]) => line);
      return lines.flatMap(commandsIn);
    })
    .flatMap(
      (words) =>
        [words.slice(0, 2).join(" "), words[0] ?? ""].find((each) => names.has(each)) ?? [],
    );
  expect([...new Set(shown)].filter((name) => RUN_BY[name] === undefined)).toEqual([]);
  for (const name of new Set(shown)) {
    const runs = readFileSync(join(ROOT, RUN_BY[name] ?? ""), "utf8");
    const isRun = runs.includes(`"${name.replace(" ", '", "')}"`) || runs.includes(`svc ${name}`);
    expect([name, RUN_BY[name], isRun]).toEqual([name, RUN_BY[name], true]);
  }
});

test("every flag of the build in the documents is one of the build", () => {
  const build = readFileSync(join(ROOT, "scripts/build-binaries.ts"), "utf8");
  const flags = new Set(
    [...build.matchAll(/^ {2}"?([\w-]+)"?: \{ type: "(?:boolean|string)"/gm)].map(
      ([, name]) => `--${name}`,
    ),
  );
  const texts = documents().map((path) => [path, readFileSync(join(ROOT, path), "utf8")] as const);
  const used = texts.flatMap(([path, text]) =>
    [...text.matchAll(/(?:npm run build --|build-binaries\.ts)(( --?[a-z-]+)+)/g)].flatMap(
      ([, words = ""]) =>
        words
          .trim()
          .split(" ")
          .map((word) => `${path}: ${word}`),
    ),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((each) => !flags.has(each.split(": ")[1] ?? ""))).toEqual([]);
});

/** Of each svc in a line of a shell: its words, without comments, quoted values and what it is piped into. */
function commandsIn(line: string): string[][] {
  return line
    .replace(/ {2,}#.*| # .*/, "")
    .replaceAll(/'[^']*'|"[^"]*"/g, "x")
    .split(/\||&&|;|>/)
    .flatMap((part) => {
      const [, command] = /\bsvc (.*)/.exec(part) ?? [];
      return command === undefined ? [] : [command.trim().split(/\s+/)];
    });
}

/** Not a flag, a placeholder, or words that are none of a shell. */
function isCommandWord(word = ""): boolean {
  return /^[a-z]+$/.test(word) && !["help", "signed", "command"].includes(word);
}

test("the index names every page of the guide", () => {
  const index = readFileSync(join(ROOT, "docs/README.md"), "utf8");
  for (const folder of ["", "internals/"])
    for (const page of new Bun.Glob("*.md").scanSync(join(ROOT, "docs", folder)))
      if (page !== "README.md") expect(index).toContain(`](${folder}${page})`);
});

test("docs/agents.md lists the tools", () => {
  const page = readFileSync(join(ROOT, "docs/agents.md"), "utf8");
  const source = readFileSync(join(ROOT, "src/mcp/tools.ts"), "utf8");
  const names = (text: string, pattern: RegExp) =>
    [...text.matchAll(pattern)].map(([, name]) => name);
  const tools = names(source, /^ +name: "(\w+)",$/gm);
  expect(tools.length).toBeGreaterThan(5);
  const [, table = ""] = /^\| tool \|.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
  expect(names(table, /^\| `(\w+)`/gm)).toEqual(tools);
});

function documents(): string[] {
  const command = ["git", "ls-files", "*.md", ":!tests", ":!release/archive"];
  return Bun.spawnSync(command, { cwd: ROOT }).stdout.toString().trim().split("\n");
}

/** `read`: the text of a file, empty for a folder, false where there is none. */
function deadLinks(page: string, read: (path: string) => string | false): string[] {
  const text = (read(page) || "").replaceAll(/^( {4,}|```[\s\S]*?^```).*$/gm, "");
  const links = [...text.matchAll(/(?:\]\(|src(?:set)?=")([^)"\s]+)[)"]/g)].map(([, link]) => link);
  return links.flatMap((link = "") => {
    const [path = "", anchor] = link.split("#");
    if (/^\w+:/.test(link)) return [];
    const target = path === "" ? page : join(dirname(page), path).replace(/\/$/, "");
    const found = read(target);
    const headings = (found || "").match(/^#+ .*$/gm)?.map(anchorOf) ?? [];
    const isDead = found === false || (anchor !== undefined && !headings.includes(anchor));
    return isDead ? [`${page}: ${link}`] : [];
  });
}

/** As GitHub makes it of a heading. */
function anchorOf(heading: string): string {
  const words = heading.replace(/^#+ /, "").toLowerCase();
  return words.replace(/[^\w\- ]/g, "").replaceAll(" ", "-");
}
