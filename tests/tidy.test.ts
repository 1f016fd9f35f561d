// The rules of the code base that are worth having, as tests: who may import whom, where a package
// lives, what only one file may touch, how files are named and begin.

import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import { CATALOGUE } from "../src/error-catalogue.ts";
import * as hostMessages from "../src/xdr/outcome/host-messages.ts";
import * as toolMessages from "../src/xdr/outcome/tool-messages.ts";

const ROOT = resolve(import.meta.dir, "..");

interface Home {
  /** Folders, or single files, that may be imported. */
  readonly folders: readonly string[];
  readonly packages: readonly string[];
  /** The folder's rooms: each may import from those before it. All share the files beside them. */
  readonly rooms?: readonly string[];
}

/** Fronts and products: each stands by itself, and only these files outside it import it. */
const STANDING = [
  ...["daemon", "mcp", "dap", "stepper"],
  ...["fork", "follow", "verification", "rehearsal", "signing"],
] as const;
const ROWS_OF_STANDING = [
  ...STANDING.filter((folder) => folder !== "stepper").map((folder) => `${folder}/commands.ts`),
  ...["fork/commands/make-calls.ts", "follow/commands/choose-following.ts"],
  ...["signing/commands/use-token.ts", "signing/token-settings.ts"],
  ...["mcp/http-route.ts", "stepper/step-through.ts"],
];
const IMPORTERS_OF_STANDING = [
  "src/cli/commands.ts",
  "src/cli/lent.ts",
  "src/cli/lent-settings.ts",
  "src/error-catalogue.ts",
];

// Imports go downwards only. A folder may always import from itself and from Node and Bun.
const TABLE: Readonly<Record<string, Home>> = {
  base: {
    rooms: ["text", "errors", "files", "http", "settings", "terminal", "store"],
    folders: [],
    packages: ["consola", "ofetch", "valibot"],
  },
  model: { rooms: ["state", "verification"], folders: ["base"], packages: ["valibot"] },
  xdr: {
    rooms: ["reader", "values", "outcome", "contract", "envelope", "ledger"],
    folders: ["base", "model"],
    packages: ["@stellar/stellar-sdk"],
  },
  sources: {
    rooms: ["files", "nodes"],
    folders: ["base", "model", "xdr"],
    packages: ["valibot"],
  },
  "history-archive": { folders: ["base", "model", "xdr"], packages: ["valibot"] },
  ledgers: { rooms: ["feed"], folders: ["base", "model", "xdr", "sources"], packages: [] },
  snapshot: {
    rooms: ["settings", "stream", "gather"],
    folders: [
      "base",
      "model",
      "xdr",
      "sources/source.ts",
      "sources/ask-for-entries.ts",
      "sources/check-transaction.ts",
      "sources/files/ledger-stream.ts",
      "ledgers",
      "simulator",
    ],
    packages: [],
  },
  simulator: { rooms: ["module"], folders: ["base", "model"], packages: ["valibot"] },
  verdict: { folders: ["base", "model", "xdr"], packages: [] },
  explain: {
    rooms: ["validity", "naming", "host-messages", "words", "causes"],
    folders: ["base", "model", "xdr"],
    packages: [],
  },
  fix: { folders: ["base", "model", "xdr"], packages: [] },
  expect: { folders: ["base", "model"], packages: ["valibot"] },
  overrides: { folders: ["base", "model", "xdr"], packages: ["valibot"] },
  report: {
    rooms: ["document", "text", "formats", "otlp", "profile", "html", "tui"],
    folders: ["base", "model"],
    packages: ["@opentelemetry", "hono", "pprof-format"],
  },
  mcp: {
    rooms: ["commands"],
    folders: [
      "base",
      "model",
      "overrides",
      "report",
      "sources",
      "debugger",
      "tools",
      "history-archive",
      "error-catalogue.ts",
      "command",
      "http-server",
    ],
    packages: ["@modelcontextprotocol/server", "@valibot/to-json-schema", "valibot"],
  },
  signing: {
    rooms: ["commands"],
    // The addon is built from the sources of pkcs11js.
    folders: ["base", "model", "sources", "debugger", "report", "command", "dist/pkcs11.node"],
    packages: ["bun:ffi", "valibot"],
  },
  "time-travel": { folders: ["base", "model", "xdr", "simulator"], packages: [] },
  stepping: { folders: ["base", "time-travel"], packages: ["@vscode/debugprotocol"] },
  stepper: {
    folders: ["base", "report", "stepping", "time-travel", "command"],
    packages: ["@vscode/debugprotocol"],
  },
  dap: {
    rooms: ["commands"],
    folders: [
      "base",
      "sources",
      "history-archive",
      "time-travel",
      "debugger",
      "tools",
      "stepping",
      "command",
    ],
    packages: ["@vscode/debugprotocol", "valibot"],
  },
  debugger: {
    rooms: ["run", "fix", "what-if", "walk", "travel", "simulate", "setup", "sign"],
    folders: [
      "base",
      "model",
      "xdr",
      "sources",
      "history-archive",
      "ledgers",
      "snapshot",
      "simulator",
      "verdict",
      "explain",
      "fix",
      "time-travel",
      "error-catalogue.ts",
    ],
    packages: [],
  },
  verify: {
    folders: [
      "base",
      "model",
      "xdr",
      "sources",
      "history-archive",
      "ledgers",
      "snapshot",
      "simulator",
      "verdict",
      "explain",
      "debugger",
    ],
    packages: ["valibot"],
  },
  rehearsal: {
    rooms: ["commands"],
    folders: [
      "base",
      "model",
      "xdr",
      "sources",
      "history-archive",
      "fix",
      "simulator",
      "debugger",
      "report",
      "verify",
      "tools",
      "command",
    ],
    packages: ["valibot"],
  },
  verification: {
    rooms: ["pieces", "commands"],
    folders: [
      "base",
      "model",
      "xdr",
      "sources",
      "history-archive",
      "ledgers",
      "simulator",
      "debugger",
      "report",
      "verify",
      "tools",
      "command",
    ],
    packages: ["valibot"],
  },
  follow: {
    rooms: ["sinks", "commands"],
    folders: [
      "base",
      "model",
      "xdr",
      "sources",
      "ledgers",
      "snapshot",
      "simulator",
      "explain",
      "debugger",
      "verify",
      "tools",
      "report",
      "command",
    ],
    packages: ["bun:sqlite", "prom-client", "valibot"],
  },
  fork: {
    rooms: ["ledger", "base", "rpc", "cheats", "commands"],
    folders: [
      "base",
      "model",
      "xdr",
      "sources",
      "history-archive",
      "ledgers",
      "snapshot",
      "simulator",
      "explain",
      "report",
      "debugger",
      "tools",
      "http-server",
      "command",
    ],
    packages: ["bun:sqlite", "valibot"],
  },
  tools: {
    folders: [
      "base",
      "model",
      "xdr",
      "sources",
      "simulator",
      "explain",
      "time-travel",
      "debugger",
      "verify",
      "error-catalogue.ts",
    ],
    packages: [],
  },
  daemon: {
    rooms: ["commands"],
    folders: ["base", "sources", "history-archive", "http-server", "cli/lent.ts", "command"],
    packages: [],
  },
  "http-server": {
    rooms: ["limits", "routes", "page"],
    folders: [
      "tools",
      "debugger",
      "overrides",
      "report",
      "sources",
      "model",
      "base",
      "svc-sim/schema",
      "error-catalogue.ts",
    ],
    packages: ["bun:ffi", "hono", "prom-client", "valibot"],
  },
  library: {
    folders: [
      "tools",
      "explain",
      "debugger",
      "ledgers",
      "stepping",
      "overrides",
      "simulator",
      "report",
      "sources",
      "xdr",
      "model",
      "base",
    ],
    packages: ["@noble", "fzstd"],
  },
  browser: { folders: ["library", "report", "model", "base"], packages: [] },
  // What every command has: its settings, its shell, what it reads, and how its errors look.
  command: {
    folders: [
      "base",
      "model",
      "sources",
      "history-archive",
      "report",
      "verify",
      "stepping",
      "time-travel",
      "debugger",
      "xdr",
      "tools",
      "http-server",
      "error-catalogue.ts",
    ],
    packages: ["valibot"],
  },
  cli: {
    rooms: ["arguments", "present", "commands"],
    folders: [
      ...ROWS_OF_STANDING,
      "command",
      "verify",
      "tools",
      "debugger",
      "time-travel/recording.ts",
      "expect",
      "overrides",
      "report",
      "history-archive",
      "sources",
      "xdr",
      "model",
      "base",
      "error-catalogue.ts",
    ],
    packages: ["citty", "valibot"],
  },
  // Rows of codes only: each folder has its own in its errors.ts.
  "error-catalogue.ts": {
    folders: [
      "base",
      ...[
        "xdr",
        "sources",
        "simulator",
        "debugger",
        "history-archive",
        "ledgers",
        "command",
        "follow",
        "fork",
        "http-server",
        "daemon",
        "mcp",
        "dap",
        "cli",
        "signing",
      ].map((folder) => `${folder}/errors.ts`),
    ],
    packages: [],
  },
  "main.ts": { folders: ["cli", "base"], packages: [] },
};

// One file each, so that what they guard cannot be gone around.
const ONLY_IMPORTERS: Readonly<Record<string, string>> = {
  "consola/core": "src/base/terminal/log.ts",
  ofetch: "src/base/http/http.ts",
  "pprof-format": "src/report/profile/pprof.ts",
};

// The SDK knows earlier protocols than the network: it reads JSON that a person wrote, and nothing
// of the chain, no address and no specification.
const READER_OF_WRITTEN_JSON = "src/xdr/reader/written.ts";
const WRITTEN_BY_PEOPLE: readonly string[] = [
  "src/debugger/what-if/written-argument.ts",
  "src/fork/cheats/cheats.ts",
  "src/history-archive/state-key.ts",
  "src/overrides/written-entry.ts",
  "src/tools/xdr-of-json.ts",
];

const BANNED: readonly { pattern: RegExp; allowedIn: readonly string[] }[] = [
  { pattern: /\bconsole\s*\./, allowedIn: [] },
  { pattern: /\bprocess\.exit\s*\(/, allowedIn: ["src/main.ts"] },
  { pattern: /\bprocess\.(env|argv|exitCode|cwd|execPath)\b/, allowedIn: ["src/main.ts"] },
  { pattern: /\bBun\.(env|argv)\b/, allowedIn: [] },
  { pattern: /\bBun\.stdout\b/, allowedIn: ["src/base/terminal/output.ts"] },
  { pattern: /\bprocess\.stdout\b/, allowedIn: ["src/main.ts"] },
  { pattern: /\bprocess\.stderr\b/, allowedIn: ["src/main.ts"] },
  // The fields of requests to svc-sim are written in one file; two others have their schemas, and two
  // more name entries and read deadlines.
  {
    pattern:
      /\b(ledger_entries|entry_xdr|live_until_ledger|base_prng_seed|deadline_milliseconds)\??:/,
    allowedIn: [
      ...["requests", "wire-schema", "recording-schema", "sent-entries", "simulator"].map(
        (name) => `src/simulator/${name}.ts`,
      ),
      // soroban-sdk calls its entries so too.
      "src/xdr/ledger/sdk-snapshot.ts",
    ],
  },
];

// Codes that no test can reach yet, each with the reason. Keep it short and honest.
const NOT_YET_THROWN_IN_A_TEST: readonly string[] = [];

/** More, and a newcomer reads names instead of a sentence. */
const MOST_SIBLINGS = 30;

/** More, and a type that only its file sees needs a name of its own all the same. */
const MOST_PRIVATE_LINES = 6;
/** The lazy imports of `src/cli/commands.ts` and of the products' rows read it by this name. */
const EXPORTED_BY_EACH_COMMAND = "command";

/** Participles and pronouns. Many values are given, asked for or found: a name says which one it is. */
const VAGUE_NAMES: ReadonlySet<string> = new Set([
  ...["given", "asked", "wanted", "told", "found"],
  ...["those", "what", "one", "rest", "it"],
]);

const SOURCES = files("src/**/*.ts");
const SCRIPTS = files("{tests,scripts,bench,acceptance}/**/*.ts");
const RUST = files("**/*.rs");
const TEXTS = files(
  "{src,tests,scripts,bench,acceptance,docs,release,.ci}/**/*.{ts,rs,md,json,toml,sh,yaml,yml}",
)
  .concat(files("*.{md,json,toml}"), files(".ci/*"))
  .filter((path) => !path.includes("/fixtures/") && path !== "tests/tidy.test.ts");

test("each folder imports only what the table allows", async () => {
  const offences: string[] = [];
  for (const path of SOURCES) {
    const folder = folderOf(path);
    const home = TABLE[folder];
    if (home === undefined) {
      offences.push(`${path}: the folder ${folder} is not in the table`);
      continue;
    }
    for (const name of await importsOf(path)) {
      if (name.startsWith("node:") || name === "bun") continue;
      const allowed = name.startsWith(".")
        ? mayImport(home, folder, target(path, name))
        : home.packages.some((held) => name === held || name.startsWith(`${held}/`));
      if (!allowed) offences.push(`${path} imports ${name}`);
    }
  }
  expect(offences).toEqual([]);
});

test("nothing but a row imports a front or a product, and none another", async () => {
  const offences: string[] = [];
  for (const path of SOURCES) {
    if (IMPORTERS_OF_STANDING.includes(path)) continue;
    for (const name of await importsOf(path)) {
      const [other = ""] = name.startsWith(".") ? target(path, name).split("/") : [];
      const isStanding = STANDING.some((each) => each === other);
      if (isStanding && other !== folderOf(path)) offences.push(`${path} imports ${name}`);
    }
  }
  expect(offences).toEqual([]);
});

test("a room imports only from those before it", async () => {
  const offences: string[] = [];
  for (const path of SOURCES) {
    const folder = folderOf(path);
    const { rooms = [] } = TABLE[folder] ?? {};
    const room = roomOf(path.replace(/^src\//, ""));
    if (room !== null && rooms.length > 0 && !rooms.includes(room))
      offences.push(`${path}: the room ${room} is not in the table`);
    for (const name of await importsOf(path)) {
      const to = name.startsWith(".") ? target(path, name) : "";
      const other = roomOf(to);
      if (room === null || other === null || to.split("/")[0] !== folder) continue;
      if (rooms.indexOf(other) > rooms.indexOf(room)) offences.push(`${path} imports ${name}`);
    }
  }
  expect(offences).toEqual([]);
});

test("ARCHITECTURE.md has the same table, and the files that it names exist", async () => {
  const text = await Bun.file(join(ROOT, "ARCHITECTURE.md")).text();
  const rows = new Map(
    [...text.matchAll(/^\| `src\/([^`]+?)\/?` \|[^|]*\| ([^|]+) \| ([^|]+) \|$/gm)].map(
      ([, folder = "", mayImport = "", rooms = ""]) => [folder, { mayImport, rooms }],
    ),
  );
  for (const [folder, { folders, rooms = [] }] of Object.entries(TABLE)) {
    const row = rows.get(folder);
    expect([folder, row?.rooms]).toEqual([folder, rooms.length === 0 ? "–" : rooms.join(", ")]);
    const whole = folders.filter((name) => !/[./]/.test(name));
    const named = row?.mayImport.split(", ").filter((name) => /^[a-z-]+$/.test(name)) ?? [];
    expect([folder, named.sort()]).toEqual([folder, whole.sort()]);
  }
  const paths = [...text.matchAll(/`(?:src\/)?((?:[a-z-]+\/)+[a-z-]+\.(?:ts|rs|toml|md))`/g)];
  for (const [, path = ""] of paths) {
    const places = [path, `src/${path}`, path.replace(/^src\//, "")].map((each) =>
      join(ROOT, each),
    );
    const exists = await Promise.all(places.map((place) => Bun.file(place).exists()));
    expect([path, exists.includes(true)]).toEqual([path, true]);
  }
});

test("ARCHITECTURE.md draws each folder once, above all that it imports", async () => {
  const architecture = await text("ARCHITECTURE.md");
  const drawing = /\n {4}main\.ts\n(?: {4}.*\n)+/.exec(architecture)?.[0] ?? "";
  const floors = drawing.trim().split("\n");
  const floorOf = new Map<string, number>();
  for (const [floor, line] of floors.entries())
    for (const name of line.match(/[a-z-]+(?:\.ts)?/g) ?? []) floorOf.set(name, floor);
  const names = floors.flatMap((line) => line.match(/[a-z-]+(?:\.ts)?/g) ?? []);
  // The catalogue takes rows from all floors, and is read on all of them.
  const drawn = Object.keys(TABLE).filter((folder) => folder !== "error-catalogue.ts");
  expect(names.toSorted()).toEqual(drawn.toSorted());
  const offences: string[] = [];
  for (const path of SOURCES)
    for (const name of await importsOf(path)) {
      const [other = ""] = name.startsWith(".") ? target(path, name).split("/") : [];
      const above = floorOf.get(folderOf(path));
      const below = floorOf.get(other);
      if (above === undefined || below === undefined || other === folderOf(path)) continue;
      if (above >= below) offences.push(`${path} imports ${name}`);
    }
  expect(offences).toEqual([]);
});

test("ARCHITECTURE.md says how large each large folder is, and why", async () => {
  const lines = new Map<string, number>();
  for (const path of [...SOURCES, ...RUST.filter((each) => each.startsWith("src/"))]) {
    const count = (await text(path)).split("\n").length - 1;
    lines.set(folderOf(path), (lines.get(folderOf(path)) ?? 0) + count);
  }
  const rows = /\| folder \| size \| why \|\n(?:\|.*\n)+/.exec(await text("ARCHITECTURE.md"))?.[0];
  const said = new Map(
    [...(rows ?? "").matchAll(/^\| `src\/(.+?)\/` \| (\d+) \| \S.* \|$/gm)].map(
      ([, folder = "", size]) => [folder, Number(size)],
    ),
  );
  const large = [...lines].filter(([folder, count]) => count > 3_500 || said.has(folder));
  expect(large.map(([folder]) => folder).sort()).toEqual([...said.keys()].sort());
  for (const [folder, count] of large) {
    const size = said.get(folder) ?? 0;
    // Rounded, and true for a while.
    expect([folder, count, Math.abs(count / 1000 - size) <= 0.6 + size / 10]).toEqual([
      folder,
      count,
      true,
    ]);
  }
});

test("a folder of more than thirty files has rooms", () => {
  const siblings = new Map<string, number>();
  for (const path of SOURCES) {
    const folder = path.slice(0, path.lastIndexOf("/"));
    siblings.set(folder, (siblings.get(folder) ?? 0) + 1);
  }
  expect([...siblings].filter(([, count]) => count > MOST_SIBLINGS)).toEqual([]);
});

test("base names no feature, in no file name and in no line of code", async () => {
  const feature = /daemon|pkcs11|\bhsm|sink|lake|shard|\b(dap|mcp)\b|\bfollowing/i;
  const offences: string[] = [];
  for (const path of SOURCES.filter((each) => each.startsWith("src/base/"))) {
    if (feature.test(path)) offences.push(path);
    for (const line of withoutComments(await text(path)).split("\n"))
      if (feature.test(line)) offences.push(`${path}: ${line.trim()}`);
  }
  expect(offences).toEqual([]);
});

test("consola and ofetch have one importer each", async () => {
  const offences: string[] = [];
  for (const path of SOURCES)
    for (const name of await importsOf(path)) {
      const only = ONLY_IMPORTERS[name];
      if (only !== undefined && only !== path) offences.push(`${path} imports ${name}`);
    }
  expect(offences).toEqual([]);
});

test("engines, nodes and proofs are opened in one place, and every command has a name", async () => {
  const opening = /\b(?:openEngines|openCapture|openProofs|openPools|findProgram)\(|\bopenTools\(/;
  const homes = ["src/tools/", "src/debugger/setup/"];
  const offences: string[] = [];
  for (const path of SOURCES) {
    const code = withoutComments(await text(path));
    if (opening.test(code) && !homes.some((home) => path.startsWith(home)))
      offences.push(`${path} opens its work itself`);
    if (/\bdefineCommand\(\s*[^,]+,\s*async\b/.test(code)) offences.push(`${path}: no name`);
  }
  expect(offences).toEqual([]);
});

test("the SDK reads only what a person wrote, and no other file knows what an address looks like", async () => {
  const offences: string[] = [];
  for (const path of SOURCES) {
    for (const name of await importsOf(path)) {
      const isSdk = name.startsWith("@stellar/");
      const isReader =
        name.startsWith(".") && `src/${target(path, name)}` === READER_OF_WRITTEN_JSON;
      if (isSdk && path !== READER_OF_WRITTEN_JSON) offences.push(`${path} imports ${name}`);
      if (isReader && !WRITTEN_BY_PEOPLE.includes(path)) offences.push(`${path} imports ${name}`);
    }
    const hasPattern = /A-Z2-7/.test(withoutComments(await text(path)));
    if (hasPattern && path !== "src/base/text/strkey.ts") offences.push(`${path} has a pattern`);
  }
  expect(offences).toEqual([]);
});

test("one file finds things in a text by their form, and one reads the marks around code", async () => {
  const offences: string[] = [];
  const forms = /\bstrkeyPattern\(|\bSHORT_ADDRESS\b|0x\[0-9a-f\]\{/;
  const marks =
    /\.(?:split|replace|replaceAll|indexOf|includes|startsWith|match)\(\s*(?:"`"|'`'|\/[^/\n]*`)|\[\^\\?`\]/;
  // Text of others is written without marks, and Markdown counts those that it fences in.
  const writers = ["text/neutralise", "naming/written-entry-json", "formats/markdown"];
  const owners = ["text/found-by-form", "text/strkey"];
  for (const path of SOURCES) {
    if (!/^src\/(?:base\/text|explain|fix|report|verdict|debugger|browser)\//.test(path)) continue;
    const code = withoutComments(await text(path));
    const isOf = (names: readonly string[]) => names.some((name) => path.endsWith(`${name}.ts`));
    if (!isOf(owners) && forms.test(code)) offences.push(`${path} looks for a form`);
    const isMessage = /\/tool-(?:words|messages)\.ts$/.test(path);
    if (!isOf([...writers, "text/code-marks"]) && !isMessage && marks.test(code))
      offences.push(`${path} reads marks: ${marks.exec(code)?.[0]}`);
  }
  expect(offences).toEqual([]);
});

test("nothing is imported in a circle", async () => {
  const graph = new Map<string, string[]>();
  for (const path of SOURCES) {
    const relative = (await importsOf(path)).filter((name) => name.startsWith("."));
    graph.set(
      path,
      relative.map((name) => `src/${target(path, name)}`),
    );
  }
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): string[] => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return [];
    done.add(path);
    for (const next of graph.get(path) ?? []) {
      const circle = visit(next, [...trail, path]);
      if (circle.length > 0) return circle;
    }
    return [];
  };
  expect(SOURCES.flatMap((path) => visit(path, []))).toEqual([]);
});

test("process, console and the streams are touched where they belong only", async () => {
  const offences: string[] = [];
  for (const path of SOURCES) {
    const code = withoutComments(await text(path));
    for (const { pattern, allowedIn } of BANNED)
      if (pattern.test(code) && !allowedIn.includes(path)) offences.push(`${path}: ${pattern}`);
  }
  expect(offences).toEqual([]);
});

test("Rust lives in src/svc-sim, TypeScript nowhere in it; contracts for tests apart", () => {
  const folders = ["src/svc-sim/", "tests/contracts/"];
  expect(RUST.filter((path) => !folders.some((folder) => path.startsWith(folder)))).toEqual([]);
  expect(SOURCES.filter((path) => path.startsWith("src/svc-sim/"))).toEqual([]);
});

test("tests await what they expect of promises, measure no time, and have a minute at least", async () => {
  // Biome finds other floating promises; the types of these say nothing of a promise.
  const checks =
    /(\w+\s+)?(expect\([^;]*?\)\.(?:not\.)?(?:rejects|resolves)\b|fc\.assert\(\s*fc\.async)/g;
  const clocks = /\b(performance\.now|Date\.now|Bun\.nanoseconds|process\.(hrtime|uptime))\b/;
  // `npm test` gives a minute: a machine of CI is busy, and what takes a second here takes longer there.
  const limits = /^\s*(?:\}, )?(\d+_\d{3})(?:,\n\s*)?\);$/gm;
  const offences: string[] = [];
  for (const path of SCRIPTS.filter((each) => each.endsWith(".test.ts"))) {
    if (path === "tests/tidy.test.ts") continue;
    const code = withoutComments(await text(path));
    for (const [whole, before = ""] of code.matchAll(checks))
      if (!/^(await|return)\s/.test(before)) offences.push(`${path}: ${whole}`);
    if (clocks.test(code)) offences.push(`${path} reads a clock`);
    for (const [, limit = ""] of code.matchAll(limits))
      if (Number(limit.replaceAll("_", "")) < 60_000) offences.push(`${path} has ${limit} ms`);
  }
  expect(offences).toEqual([]);
});

test("a type name is declared once, and no two files export one name", async () => {
  // Small types that no other file can import do not confuse: each is in sight of its uses.
  const types = new Map<string, { readonly path: string; readonly counts: boolean }[]>();
  const values = new Map<string, Set<string>>();
  for (const path of SOURCES) {
    const code = withoutComments(await text(path));
    const declared =
      /^(export )?(?:abstract )?(?:interface|type|class|enum) (\w+)\b.*(?:\n(?:[ })>|&].*)?)*/gm;
    for (const [whole, exported, name = ""] of code.matchAll(declared)) {
      const lines = whole.split("\n").filter((line) => line.trim() !== "");
      const counts = exported !== undefined || lines.length > MOST_PRIVATE_LINES;
      types.set(name, [...(types.get(name) ?? []), { path, counts }]);
    }
    const exports = /^export (?:async )?(?:function\*?|const|let) (\w+)/gm;
    for (const [, name = ""] of code.matchAll(exports))
      if (name !== EXPORTED_BY_EACH_COMMAND)
        values.set(name, (values.get(name) ?? new Set()).add(path));
  }
  expect(types.size).toBeGreaterThan(1_000);
  const twice = [...types].filter(([, all]) => all.length > 1 && all.some(({ counts }) => counts));
  expect(twice.map(([name, all]) => [name, ...all.map(({ path }) => path)])).toEqual([]);
  const shared = [...values].filter(([, paths]) => paths.size > 1);
  expect(shared.map(([name, paths]) => [name, ...paths])).toEqual([]);
});

test("a parameter is a noun: it says what it holds, not how it came", async () => {
  const offences: string[] = [];
  for (const path of SOURCES)
    for (const name of parametersIn(withoutComments(await text(path))))
      if (VAGUE_NAMES.has(name.replace(/^\.+/, ""))) offences.push(`${path}: ${name}`);
  expect(offences).toEqual([]);
  const code = "f(given); if (found) {} (a, other: B) => 0; x((rest, ...more) => g(what));";
  expect(parametersIn(code)).toEqual(["a", "other", "rest", "...more"]);
});

test("a variable is a noun too", async () => {
  const offences: string[] = [];
  for (const path of SOURCES)
    for (const name of variablesIn(withoutComments(await text(path))))
      if (VAGUE_NAMES.has(name)) offences.push(`${path}: ${name}`);
  expect(offences).toEqual([]);
  const code =
    "const found = 1; let [what, one = 2, ...rest] = f({ it: 3 }); const { field, kept: told } = g;";
  // The name of a field is its owner's, and `...rest` in braces is the language's own word.
  expect(variablesIn(code)).toEqual(["found", "what", "one", "rest", "told"]);
});

test("no spread hides the fields of a literal", async () => {
  // `...{ a, b }` and `...["a", "b"],` are the fields and the elements themselves, on fewer lines.
  const hidden = /\.\.\.(?:\{[^{}]*\}|\[[^[\]]*\](?=\s*[,\]}]))/;
  const offences: string[] = [];
  for (const path of SOURCES) {
    const found = hidden.exec(withoutComments(await text(path)));
    if (found !== null) offences.push(`${path}: ${found[0]}`);
  }
  expect(offences).toEqual([]);
});

test("files are kebab-case and named for what they hold", () => {
  const name = /^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.bench|\.d\.txt)?\.ts$/;
  const vague = /^(index|utils?|helpers?|types|common|misc)\.ts$/;
  const offences = [...SOURCES, ...SCRIPTS].filter((path) => {
    const base = path.split("/").at(-1) ?? "";
    return !name.test(base) || vague.test(base);
  });
  expect(offences).toEqual([]);
});

test("every source file begins with a comment that says what it is", async () => {
  const offences: string[] = [];
  for (const path of [...SOURCES, ...files("scripts/*.ts"), ...RUST])
    if (!(await text(path)).startsWith("//")) offences.push(path);
  expect(offences).toEqual([]);
});

test("source files stay within 100 columns", async () => {
  const offences: string[] = [];
  for (const path of [...SOURCES, ...RUST]) {
    // The formatter breaks no strings, and a message is easier to find whole.
    const lines = (await text(path)).split("\n");
    const wide = lines.findIndex((line) => line.length > 100 && !/["'`]/.test(line));
    if (wide !== -1) offences.push(`${path}:${wide + 1}: ${lines[wide]?.length} columns`);
  }
  expect(offences).toEqual([]);
});

test("no meaning is read out of the spelling of a kind: traits are columns of its table", async () => {
  // Neither out of the sentence that a provenance has for people. A part of a sentence is a clause
  // where it is written, and no sentence becomes one by losing its full stop.
  const cut = /endsWith\("\."\) \? \w+\.slice\(0, -1\)/;
  const detail = /provenance\??\.detail\.|\bdetail\.(?:startsWith|endsWith|includes)\(/;
  const spelled =
    /\.test\(\s*(?:\w+\??\.)*(?:cause\??\.)?kind\b|\bcause\??\.kind\.(?:startsWith|endsWith|includes|match)/;
  const offences: string[] = [];
  for (const path of SOURCES) {
    if (path === "src/explain/codes-within.ts") continue;
    const source = await text(path);
    if ([spelled, detail, cut].some((form) => form.test(source))) offences.push(path);
  }
  expect(offences).toEqual([]);
});

test("one table knows what a message of the host and of stellar-core looks like, one those of tools", async () => {
  const partsOf = (table: object) => {
    const groups = Object.values(table).filter((each) => typeof each === "object");
    const rows = groups.flatMap((group) => Object.values<{ message: unknown }>(group));
    const patterns = rows.flatMap(({ message }) => [message].flat());
    return new Set(patterns.flatMap((pattern) => String(pattern).match(/[\w' -]{18,}/g) ?? []));
  };
  const ofHost = partsOf(hostMessages);
  const ofTools = partsOf(toolMessages);
  expect(ofHost.size).toBeGreaterThan(100);
  expect(ofTools.size).toBeGreaterThan(40);
  // A pattern, a comparison, or a key of a table of messages. Sentences of our own may say the same.
  const compared = /(?:===|!==|\(|\[) ?["`'/][^"`'\n]*$|\/\^?[^/\n]*$/;
  const offences: string[] = [];
  for (const path of SOURCES) {
    if (/\/(?:host|tool)-messages\.ts$/.test(path) || path.endsWith("-words.ts")) continue;
    const code = withoutComments(await text(path));
    // The RPC node of a fork answers in a node's words.
    const parts = path.startsWith("src/fork/rpc/") ? ofHost : ofHost.union(ofTools);
    for (const part of parts)
      for (let at = code.indexOf(part); at !== -1; at = code.indexOf(part, at + 1))
        if (compared.test(code.slice(Math.max(0, at - 60), at))) offences.push(`${path}: ${part}`);
  }
  expect(offences).toEqual([]);
});

test("no pattern names two groups alike, which Node 22 and browsers of 2024 refuse", async () => {
  const offences: string[] = [];
  for (const path of SOURCES)
    for (const line of (await text(path)).split("\n")) {
      const names = [...line.matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name);
      if (new Set(names).size < names.length) offences.push(`${path}: ${line.trim()}`);
    }
  expect(offences).toEqual([]);
});

test("every error code is thrown in a test, and docs/errors.md has it", async () => {
  const page = await text("docs/errors.md");
  const tests = (await Promise.all(files("tests/**/*.test.ts").map(text))).join("\n");
  const codes = Object.keys(CATALOGUE);
  expect(codes.filter((code) => !page.includes(`\n## ${code}\n`))).toEqual([]);
  const untested = codes.filter((code) => !new RegExp(`["'\`\\[]${code}["'\`\\]]`).test(tests));
  expect(untested).toEqual([...NOT_YET_THROWN_IN_A_TEST]);
});

test("no file names a package registry's host or a path of one machine", async () => {
  const hosts =
    /registry\.(npmjs|yarnpkg)\.|npm\.pkg\.github|static\.crates\.io|proxy\.golang\.org/;
  const machine = /(^|[\s"'`(=])\/(root|work|Users|home\/[a-z]+)\//m;
  const offences: string[] = [];
  for (const path of TEXTS) {
    const content = await text(path);
    if (hosts.test(content) || machine.test(content)) offences.push(path);
  }
  expect(offences).toEqual([]);
});

function files(pattern: string): string[] {
  const found = [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })];
  return found
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !/(^|\/)(node_modules|dist|target|\.git)\//.test(path))
    .sort();
}

function text(path: string): Promise<string> {
  return Bun.file(join(ROOT, path)).text();
}

/** `src/cli/run.ts` → `cli`; `src/main.ts` → `main.ts`. */
function folderOf(path: string): string {
  return path.split("/")[1] ?? "";
}

/** `explain/causes/cause.ts` → `causes`; null for a file that is in no room. */
function roomOf(path: string): string | null {
  const parts = path.split("/");
  return parts.length > 2 ? (parts[1] ?? null) : null;
}

/** Path below src of what `name` means in `path`. */
function target(path: string, name: string): string {
  return join(path, "..", name)
    .replaceAll("\\", "/")
    .replace(/^src\//, "");
}

function mayImport(home: Home, folder: string, path: string): boolean {
  if (path.split("/")[0] === folder) return true;
  // svc demo carries the examples.
  if (path.startsWith("examples/")) return folder === "command";
  return home.folders.some((allowed) => path === allowed || path.startsWith(`${allowed}/`));
}

/** Dynamic imports and types too: what names another file's types cannot be read without it. */
async function importsOf(path: string): Promise<string[]> {
  const code = withoutComments(await text(path));
  return [...code.matchAll(/\b(?:from\s+|import\s*\(?\s*)"([^"\n]+)"/g)].map(
    (found) => found[1] ?? "",
  );
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/**
 * The names of the parameters in formatted code, without those in patterns. A list in parentheses is
 * one of parameters if an arrow, a type or a body follows it, and it is no condition.
 */
function parametersIn(code: string): string[] {
  const names: string[] = [];
  for (const { index } of code.matchAll(/\(/g)) {
    if (
      /\b(?:if|while|for|switch|catch|return|await)\s*$/.test(
        code.slice(Math.max(0, index - 12), index),
      )
    )
      continue;
    let depth = 0;
    let end = index;
    for (; end < code.length; end += 1) {
      depth += "([{".includes(code[end] ?? "") ? 1 : ")]}".includes(code[end] ?? "") ? -1 : 0;
      if (depth === 0) break;
    }
    if (!/^\)(?::| =>| \{)/.test(code.slice(end, end + 4))) continue;
    names.push(...namesIn(code.slice(index + 1, end)));
  }
  return names;
}

/**
 * The names that declarations give: not those of fields that keep their own, as `{ what }` does.
 */
function variablesIn(code: string): string[] {
  const named = [...code.matchAll(/\b(?:const|let) (\w+)\b/g)].map(([, name = ""]) => name);
  const lists = [...code.matchAll(/\b(?:const|let) \[([^[\]]*)\]/g)].flatMap(([, list = ""]) =>
    list
      .replace(/\{[^{}]*\}/g, "")
      .split(",")
      .flatMap((part) => /^\s*(?:\.\.\.)?(\w+)/.exec(part)?.[1] ?? []),
  );
  const renamed = [...code.matchAll(/\b(?:const|let) \{([^{}]*)\} =/g)].flatMap(([, list = ""]) =>
    [...list.matchAll(/\w+: (\w+)/g)].map(([, name = ""]) => name),
  );
  return [...named, ...lists, ...renamed];
}

/** The names at the beginning of the parts of a list of parameters. */
function namesIn(list: string): string[] {
  let depth = 0;
  const parts = [""];
  for (const character of list) {
    depth += "([{".includes(character) ? 1 : ")]}".includes(character) ? -1 : 0;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.flatMap((part) => {
    const modifiers =
      /^\s*(?:(?:private|readonly|public|override) )*((?:\.\.\.)?\w+)\??(?=[:=,\s]|$)/;
    return modifiers.exec(part)?.[1] ?? [];
  });
}

/** These read the words of SQLite and of valibot. */
const OF_OTHERS: ReadonlySet<string> = new Set([
  "src/follow/state-database.ts",
  "src/base/errors/field-problems.ts",
]);

/** Words and flags of other programs are said as these write them. */
const SAYS_TOOLS = "src/explain/host-messages/";
/** What words commands and flags for a shell, and what only a command line reads. */
const FOR_SHELL = [
  "src/base/phrase.ts",
  "src/base/errors/exit-codes.ts",
  "src/cli/",
  "src/command/",
  "src/report/document/",
  "src/report/tui/",
  "src/rehearsal/",
  "src/stepper/",
] as const;

test("a command and a flag of svc are holes of a phrase, and no sentence is rewritten for a reader", async () => {
  // In a text such as "Run `svc debug`" or "pass `--prove`".
  const command =
    /["'`\\ (]`svc (?:[a-z]+ <|debug|explain|simulate|state|capture|doctor|fork|sign|verify|watch)\b(?! \$\{name\}| document)/;
  const flag = /["'`\\ ]`--[a-z]/;
  // A pattern, wherever it stands, that reads a command or a flag out of a sentence.
  const rewritten =
    /(?:^|[[(,=:\s])\/(?![/*])[^/\n]*(?:`svc |`--|svc debug|--\[a-z)[^/\n]*\/[a-z]*\s*[,).\];]/m;
  const offences: string[] = [];
  for (const path of SOURCES) {
    if (!path.startsWith("src/") || FOR_SHELL.some((room) => path.startsWith(room))) continue;
    const code = withoutComments(await text(path));
    if (rewritten.test(code)) offences.push(`${path} reads a command out of a sentence`);
    if (/origins?(?:\.\w+|\[\w+\])?\??\.startsWith\(/.test(code))
      offences.push(`${path} reads an origin`);
    // Rows of settings and errors have words of the help, and a hole has the words of a shell.
    if (/(?:-settings|errors|commands\/[\w-]+|commands)\.ts$/.test(path)) continue;
    const said = code.replace(/atShell\((?:"[^"]*"|`(?:[^`\\]|\\.)*`)\)/g, "");
    // Whoever calls a fork has usually started it.
    if (path === "src/fork/cheats/cheats.ts") continue;
    if (command.test(said)) offences.push(`${path} names a command: ${command.exec(said)?.[0]}`);
    if (flag.test(said) && !path.startsWith(SAYS_TOOLS)) offences.push(`${path} names a flag`);
  }
  expect(offences).toEqual([]);
});

test("the finders of causes have no sentence, and no cause is compared by what is said of it", async () => {
  const offences: string[] = [];
  const sentences = new Set<string>();
  for (const path of SOURCES) {
    const code = withoutComments(await text(path));
    // A summary or a remedy of a cause is written where causes are said, and by the doors of explain.
    if (path.startsWith("src/explain/causes/")) {
      if (/\b(?:summary|remedy)\b/.test(code)) offences.push(`${path} words a cause`);
      for (const name of await importsOf(path))
        if (/\/words\/(?!(?:found-cause|found-evidence|call-name)\.ts$)/.test(name))
          offences.push(`${path} imports ${name}`);
    }
    if (/\bsummary\??\.(?:includes|replace|startsWith|endsWith)\(|\.summary [!=]==/.test(code))
      offences.push(`${path} reads a summary`);
    if (/\bremedy\??\.(?:includes|replace|startsWith|endsWith|match)\(/.test(code))
      offences.push(`${path} reads a remedy`);
    // Nor evidence, a purpose, a headline, a name for people, or the words of an error.
    const said =
      /\b(?:evidence|purpose|headline|detail|message|label|what|described|shown|whole|source)\??\.(?:startsWith|endsWith)\(/;
    if (OF_OTHERS.has(path)) continue;
    if (said.test(code)) offences.push(`${path} reads a sentence`);
    // Nor does anybody cut or patch them, or look for a pattern in them.
    const cut =
      /\b(?:evidence|purpose|headline|detail|described|what)\??\s*\.replace\(|\.test\((?:described|detail|purpose|headline|what)\)/;
    if (cut.test(code)) offences.push(`${path} cuts or patches a sentence`);
    // Neither does anybody read flags that were written for a command, or a family of error codes
    // out of their spelling. Messages of other programs are not ours.
    const spelled =
      /\bflags\.(?:startsWith|endsWith|includes)\("|\bmessage\.replace\(\/|\.test\((?:\w+\.)*(?:error|thrown|cause)\.code\)/;
    if (spelled.test(code)) offences.push(`${path} reads what svc spelled`);
    // A finished sentence is not put in other words, and nobody looks for its end: its parts are data.
    const patched = /\b(?:firstSentence|asPasted)\(|\[\.!\?\]\(\?=/;
    if (patched.test(code)) offences.push(`${path} finds the end of a sentence, or patches one`);
    // What kind of value it is, is data: a text can be spelled like a number, or like a word.
    const form = /=== "0"|\/\^\(?-\??\\d\+\$?|\/\^\[\\w-\]\+\$\//;
    if (/^src\/explain\/(?:naming|causes|words)\//.test(path) && form.test(code))
      offences.push(`${path} reads a number out of a text`);
    // A value that svc shortened is marked, and a number that it grouped is kept beside its text.
    const written = /\.includes\(["']…|\.replaceAll\(",", ""|\bvalue ===? UN[A-Z]+\b/;
    if (written.test(code)) offences.push(`${path} reads a value that svc wrote`);
    // Nor does anybody look for a part of a message of svc in it, or cut a hole out of a template.
    const looked = /\bmessage\.includes\((?!["'])|\bwords\.replace\((?!\/\\\{)/;
    if (looked.test(code)) offences.push(`${path} looks for words in a message`);
    // What is unknown is null until it is worded, and a quoted line is known by its position.
    if (/\["…", |\.(?:includes|indexOf)\((?:sentence|summary)\)|reported\.includes\(/.test(code))
      offences.push(`${path} reads a placeholder or a line`);
    // Words that lead somewhere are marked when they are made, and never looked for.
    if (/\bindexOf\((?:\w+\.)?words\)|=> text === each\b/.test(code))
      offences.push(`${path} looks for its own words`);
    // A singular is no plural without its last letters: a counted noun has both forms.
    if (/\.replace\(\/[^/\n]*(?:es|s)\$\//.test(code)) offences.push(`${path} makes a singular`);
    // The role of an entry, the type of a key, an absent limit and the words of a term are data.
    const named = /\.test\((?:key|type\.name)\)|\bwithin\.includes\(|=== "no limit"/;
    if (/^src\/(?:explain|report\/document)\//.test(path) && named.test(code))
      offences.push(`${path} reads a name`);
    // No room below the report phrases a sentence for an audience.
    if (
      /^src\/(?:explain|fix|verdict|snapshot|debugger)\//.test(path) &&
      /\bphraseFor\(/.test(code)
    )
      offences.push(`${path} phrases for an audience`);
    // Two sentences, one of them made for the comparison, are never equal by accident only.
    const made = /(?:===|!==) ?`[^`\n]*\}[^`\n]* [a-z]+ [^`\n]*`/;
    if (made.test(code)) offences.push(`${path} compares a sentence that it makes`);
    // svc-sim sends the opcodes of a disassembly beside its text.
    if (/\/[^/\n]*\b(?:local|global|i\(32\|64\))\)?\\{1,2}\.|`\^[^`\n]*local\\\\\./.test(code))
      offences.push(`${path} reads a disassembly`);
    if (/\b(?:code|kind)\.startsWith\("[A-Z]+_"\)|\bname\.startsWith\([A-Z_]+\)/.test(code))
      offences.push(`${path} reads what a name begins with`);
    // A sentence that is exported is written, and never compared.
    for (const [, name = ""] of code.matchAll(/^export const ([A-Z][A-Z_]+) =\s*["`][A-Z]\S* /gm))
      sentences.add(name);
  }
  const compared = new RegExp(
    `(?:===|!==|startsWith\\(|includes\\() ?(?:${[...sentences].join("|")})\\b`,
  );
  for (const path of SOURCES) {
    const found = compared.exec(withoutComments(await text(path)));
    if (found !== null) offences.push(`${path} compares a sentence: ${found[0]}`);
  }
  expect(offences).toEqual([]);
});
