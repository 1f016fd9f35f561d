// svc debug --format html on the compiled binary: whoever gets the page can run it again.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { renderPage } from "../../src/report/html/page.ts";
import { findingsOf } from "../report/findings-of.ts";
import { type Finished, inTemporaryDirectory, svc } from "./run-svc.ts";

const CAPSULES = [
  "examples/overflow-in-callee",
  "tests/fixtures/capsules/too-many-events",
  "examples/write-bytes-too-low",
].map((name) => resolve(import.meta.dir, `../../${name}.capsule.json`));

for (const capsule of CAPSULES)
  test(`${capsule.split("/").at(-1)}: the page gives the verdict of the capsule`, async () => {
    await inTemporaryDirectory(async (directory) => {
      const page = await svc(["debug", "--from", capsule, "--format", "html"]);
      expect([page.exitCode, page.stderr]).toEqual([0, ""]);
      expect(page.stdout).toStartWith("<!doctype html>\n");
      writeFileSync(join(directory, "page.html"), page.stdout);
      const again = await svc(["debug", "--from", "page.html", "--json"], { directory });
      const before = await svc(["debug", "--from", capsule, "--json"]);
      expect(documentOf(again)).toBe(documentOf(before));
      const text = await svc(["debug", "--from", "page.html"], { directory });
      expect(text.stdout).toBe((await svc(["debug", "--from", capsule])).stdout);
      const second = await svc(["debug", "--from", "page.html", "--format", "html"], { directory });
      expect(compared(second.stdout)).toBe(compared(page.stdout));
    });
  });

test("of a page with several transactions, the hash chooses one", async () => {
  await inTemporaryDirectory(async (directory) => {
    const [one, two] = await Promise.all(
      CAPSULES.slice(0, 2).map((capsule) => svc(["debug", "--from", capsule, "--format", "html"])),
    );
    const other = /<script [^>]*class="svc-capsule"[^>]*>[^<]*<.script>/.exec(two?.stdout ?? "");
    const page = one?.stdout.replace("</article>", () => `${other?.[0]}</article>`) ?? "";
    writeFileSync(join(directory, "page.html"), page);
    const [first = "", second = ""] = [one, two].map(
      (each) => /data-file="([0-9a-f]{64})/.exec(each?.stdout ?? "")?.[1],
    );
    const chosen = await svc(["debug", second, "--from", "page.html", "--json"], { directory });
    expect(JSON.parse(chosen.stdout).hash).toBe(second);
    for (const words of [[], ["0".repeat(64)]]) {
      const none = await svc(["debug", ...words, "--from", "page.html"], { directory });
      expect([none.exitCode, none.stderr.includes("[USAGE]")]).toEqual([2, true]);
      for (const hash of [first, second]) expect(none.stderr).toContain(hash);
    }
  });
});

test("a page without a capsule: FILE_INVALID", async () => {
  await inTemporaryDirectory(async (directory) => {
    writeFileSync(join(directory, "page.html"), renderPage(findingsOf([])));
    const { exitCode, stderr } = await svc(["debug", "--from", "page.html"], { directory });
    expect([exitCode, stderr.includes("[FILE_INVALID]")]).toEqual([2, true]);
    expect(stderr).toContain("contains no capsule");
  });
});

test("a transaction that cannot be investigated has a page too", async () => {
  const words = ["debug", "ab".repeat(32), "--rpc-url", "http://127.0.0.1:1", "--format", "html"];
  const { exitCode, stdout } = await svc([...words, "--horizon-url", "http://127.0.0.1:1"]);
  expect(exitCode).toBe(4);
  expect(stdout).toContain("<h1>Not investigated: ");
});

/** Without how long the host took. */
/** Without times, and without the file in the commands that lead on. */
function compared(text: string): string {
  return text.replace(/"hostNanoseconds":\s*\d+|--from [^\s<"]+/g, "");
}

function documentOf({ stdout }: Finished): string {
  JSON.parse(stdout);
  return compared(stdout);
}
