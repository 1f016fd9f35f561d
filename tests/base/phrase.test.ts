// A sentence names what its audience can use: flags at the command line, and settings elsewhere.

import { describe, expect, test } from "bun:test";
import { Glob } from "bun";
import {
  AGAIN,
  type Audience,
  atShell,
  bareFlag,
  FIND_FIX,
  flag,
  formAudience,
  HTTP,
  phrase,
  phraseFor,
  SHELL,
  svc,
} from "../../src/base/phrase.ts";
import { archiveSource } from "../../src/debugger/setup/archive-source.ts";
import { CATALOGUE } from "../../src/error-catalogue.ts";
import { transactionNotFound } from "../../src/ledgers/transaction-not-found.ts";
import { AGENT, AGENT_WITH_ARCHIVE } from "../../src/mcp/for-agents.ts";

const ROOT = `${import.meta.dir}/../..`;
/** The name of a flag, or a command with backticks. */
const AT_SHELL = /(?:^|[^-\w])--[a-z]|`svc /;

const PAGE = formAudience({
  fields: { rpcUrl: "Stellar RPC" },
  buttons: { debug: "Explain" },
  elsewhere: (name) => ({ name, place: " elsewhere" }),
  again: "Press Explain again",
});

const SENTENCE = phrase`Set ${flag("rpcUrl", "URL")}, or run ${FIND_FIX}. ${AGAIN}.${atShell(" `-` is standard input.")}`;

test.each<[string, Audience, string]>([
  [
    "a person at a command line",
    SHELL,
    "Set `--rpc-url URL`, or run `svc debug <hash> --fix`. Run the command again. `-` is standard input.",
  ],
  [
    "a client over HTTP",
    HTTP,
    "Set `rpcUrl` in the settings of the server, or run `fix` of the report. Send the request again.",
  ],
  [
    "an agent",
    AGENT,
    "Set `rpcUrl` in the settings of this server, or run `fix_transaction`. Call the tool again.",
  ],
  [
    "a person with a page",
    PAGE,
    "Set `Stellar RPC` of this page (URL), or run the fix in the report. Press Explain again.",
  ],
])("a sentence for %s", (_, audience, text) => {
  expect(phraseFor(SENTENCE, audience)).toBe(text);
});

test("a command is a request or a button, or is run where it can be", () => {
  const debug = phrase`${svc("debug", "Run")} with its hash.`;
  expect(phraseFor(debug, HTTP)).toBe("Send `POST /v1/debug` with its hash.");
  expect(phraseFor(debug, PAGE)).toBe("Press `Explain` with its hash.");
  const sign = phrase`Sign it, or with ${svc("sign auth")}.`;
  expect(phraseFor(sign, HTTP)).toBe(
    "Sign it, or with `sign auth` of svc on the machine with the token.",
  );
  expect(phraseFor(sign, PAGE)).toBe("Sign it, or with `svc sign auth` at a command line.");
  expect(phraseFor(phrase`${svc("doctor")} checks it.`, HTTP)).toBe(
    "`doctor` of svc on the server checks it.",
  );
});

test.each([
  ["src/browser/worker.ts", "src/browser/page.ts", 8],
  ["src/http-server/page/page-audience.ts", "src/http-server/page/home-page.ts", 2],
] as const)("%s names fields and buttons as %s has them", async (path, page, count) => {
  const [phrasing, markup] = await Promise.all(
    [path, page].map((each) => Bun.file(`${ROOT}/${each}`).text()),
  );
  const lists = [...(phrasing ?? "").matchAll(/\b(?:fields|buttons): \{([^}]*)\}/g)];
  const labels = lists.flatMap(([, list = ""]) => [...list.matchAll(/: "([^"]+)"/g)]);
  expect(labels.length).toBe(count);
  // The worker has the form for names of errors itself.
  const forms = `${markup}${phrasing}`;
  for (const [, label = ""] of labels) expect(forms).toMatch(new RegExp(`>${label}\\s*<`));
});

test("a setting that a page has no field for is named where it is", () => {
  expect(phraseFor(phrase`Set ${flag("archive")}.`, PAGE)).toBe("Set `archive` elsewhere.");
});

test("an agent without an archive reads which server proves", () => {
  const check = phrase`${flag("prove")} checks them`;
  expect(phraseFor(check, AGENT_WITH_ARCHIVE)).toBe("`prove` checks them");
  expect(phraseFor(check, AGENT)).toBe("`prove` of a server with a history archive checks them");
});

test("a phrase within a phrase keeps its holes, and a text is the same for everybody", () => {
  const outer = phrase`${bareFlag("network")} "x" is unknown. ${phrase`Pass ${flag("network", "mainnet")}.`}`;
  expect(phraseFor(outer, SHELL)).toBe('--network "x" is unknown. Pass `--network mainnet`.');
  expect(phraseFor(outer, AGENT)).toBe('`network` "x" is unknown. Pass `network` mainnet.');
  expect(phraseFor("Wait.", AGENT)).toBe("Wait.");
});

test("a value that looks like a flag stays as it is", () => {
  expect(phraseFor(phrase`There is no file ${"`--rpc-url`"}.`, AGENT)).toBe(
    "There is no file `--rpc-url`.",
  );
});

test("what a source lacks is named for an agent by the argument of the tool", async () => {
  const source = archiveSource(() => Promise.reject(new Error("not opened")), null, "");
  const context = { signal: new AbortController().signal };
  const { message, words } = await transactionNotFound("ab".repeat(32), [source], [], context);
  expect(message).toContain("history archive (which needs the transaction's ledger: `--ledger N`)");
  expect(phraseFor(words.message, AGENT)).toContain("the transaction's ledger: `ledger` N)");
});

const OF_REQUESTS = /\b(?:GET|POST|[Rr]equest|[Hh]eader|X-Request-Id|Content-Type)\b|_milliseconds/;

describe("the advice of the catalogue", () => {
  for (const [code, { advice, httpAdvice }] of Object.entries(CATALOGUE))
    test(`of ${code} names no flag to a client or an agent`, () => {
      for (const audience of [HTTP, AGENT, AGENT_WITH_ARCHIVE])
        expect(phraseFor(advice, audience)).not.toMatch(AT_SHELL);
      expect(phraseFor(httpAdvice ?? "", HTTP)).not.toMatch(AT_SHELL);
      // Somebody with a form sees no request and no header.
      expect(phraseFor(httpAdvice ?? advice, PAGE)).not.toMatch(OF_REQUESTS);
    });
});

test("no error has a flag or a command of svc in a plain text", async () => {
  const found: string[] = [];
  for await (const path of new Glob("src/**/*.ts").scan(ROOT)) {
    const text = await Bun.file(`${ROOT}/${path}`).text();
    // The options of other programs are no flags of svc.
    const fields =
      /\b(?:advice|remedy):\s*["`](?![^\n]*softhsm2-util)[^\n]*?(?:(?:^|[^-\w])--[a-z]|\\?`svc )/g;
    const errors = /new SvcError\([^;]*?;|usageError\([^;]*?;|configInvalid\([^;]*?;/g;
    const parts = path.endsWith("errors.ts") ? [text] : (text.match(errors) ?? []);
    for (const part of parts)
      for (const [match] of part.matchAll(fields)) found.push(`${path}: ${match}`);
  }
  expect(found).toEqual([]);
});
