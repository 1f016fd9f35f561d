// The OpenAPI document: it has the existing routes, answers follow it, and schemathesis, which
// sends valid and invalid requests, finds no problem.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { openDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { needs } from "../support/needs.ts";
import { findTool } from "../support/tools.ts";

const SCHEMATHESIS = findTool("schemathesis") ?? "";
const MINUTES = 60_000;
const CONTRACT = "CDMLFMKMMD7MWZP3FKUBZPVHTUEDLSX4BYGYKH4GCESXYHS3IHQ4EIG4";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { security?: unknown }>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

let loopback: Loopback;
let daemon: TestDaemon;
beforeAll(async () => {
  loopback = openLoopback();
  daemon = await openDaemon(loopback);
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

const documentOf = async (from: TestDaemon) =>
  (await (await from.get("/openapi.json")).json()) as Document;

test("names every route of the daemon but /mcp, and says why", async () => {
  const { paths, info } = (await documentOf(daemon)) as Document & {
    info: { description: string };
  };
  const routes = await Bun.file(
    join(import.meta.dir, "../../src/http-server/route-table.ts"),
  ).text();
  const found = [...routes.matchAll(/(?:open|work)\(\s*"(\/[^"]*)"/g)].map(([, path = ""]) => path);
  expect(found.length).toBeGreaterThan(10);
  const described = Object.keys(paths).map((path) => path.replace(/\{(\w+)\}/, ":$1"));
  expect(found.filter((path) => !described.includes(path))).toEqual(["/mcp"]);
  expect(info.description).toContain("/mcp");
});

test("names the routes that there are, and each reference leads somewhere", async () => {
  const document = await documentOf(daemon);
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) {
      const url = `${daemon.url}${path.replace("{hash}", "0".repeat(64)).replace("{contract}", CONTRACT)}`;
      const answer = await fetch(url, { method: method.toUpperCase() });
      // Without a body a POST is refused for its type, not for its path or method.
      expect([path, answer.status]).toEqual([path, method === "get" ? 200 : 415]);
      const other = await fetch(url, { method: "DELETE" });
      expect([path, other.status]).toEqual([path, 405]);
    }
  for (const [, pointer = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer
      .split("/")
      .reduce<unknown>((at, name) => (at as Record<string, unknown>)?.[name], document);
    expect([pointer, typeof found]).toEqual([pointer, "object"]);
  }
});

test("states where a token is needed", async () => {
  const environment = { SVC_DAEMON_TOKEN: "correct-horse-battery-staple" };
  await using guarded = await openDaemon(loopback, { environment });
  const { paths, components } = await documentOf(guarded);
  for (const [path, { get, post }] of Object.entries(paths))
    expect([path, (get ?? post)?.security]).toEqual([path, post && [{ bearer: [] }]]);
  expect(components.securitySchemes).toEqual({ bearer: { type: "http", scheme: "bearer" } });
  expect((await documentOf(daemon)).components.securitySchemes).toBeUndefined();
});

const schemathesis = needs("schemathesis", SCHEMATHESIS !== "");

schemathesis.test(
  "schemathesis finds nothing",
  async () => {
    const run = Bun.spawn(
      [
        SCHEMATHESIS,
        "--config-file",
        join(import.meta.dir, "schemathesis.toml"),
        "run",
        `${daemon.url}/openapi.json`,
        "--checks=all",
        "--no-color",
        "--generation-database=none",
      ],
      { stdout: "pipe", stderr: "pipe", cwd: "/tmp" },
    );
    const [output, problems] = await Promise.all([
      new Response(run.stdout).text(),
      new Response(run.stderr).text(),
    ]);
    expect([await run.exited, problems + output.slice(output.indexOf("FAILURES"))]).toMatchObject([
      0,
      expect.any(String),
    ]);
    expect(output).toMatch(/[1-9]\d\d+ generated/);
    expect(daemon.log.filter(({ code }) => code === "INTERNAL")).toEqual([]);
  },
  5 * MINUTES,
);
