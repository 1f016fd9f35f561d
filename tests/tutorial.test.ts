// The tutorial and the pictures show what the program prints.

import { expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { inTemporaryDirectory, shellLine } from "./cli/run-svc.ts";
import { PICTURES, TERMINALS } from "./support/make-pictures.ts";
import { needs } from "./support/needs.ts";
import { TMUX } from "./support/tmux.ts";

const ROOT = resolve(import.meta.dir, "..");
const MOST_BYTES = 200_000;

test("what the tutorial types prints what the tutorial shows", async () => {
  const tutorial = await Bun.file(join(ROOT, "docs/tutorial.md")).text();
  const blocks = [...tutorial.matchAll(/```console\n\$ dist\/(.*)\n([\s\S]*?)```/g)];
  expect(blocks.length).toBe(4);
  await inTemporaryDirectory(async (directory) => {
    for (const [, command = "", shown = ""] of blocks) {
      const line = command.replace(/tests\/\S+json/, (path) => join(ROOT, path));
      const { exitCode, stdout } = await shellLine(line, { directory });
      expect([command, exitCode]).toEqual([command, 0]);
      let rest = stdout;
      for (const part of shown.split(/^…\n/m)) {
        expect(rest).toContain(part);
        rest = rest.slice(rest.indexOf(part) + part.length);
      }
    }
  });
});

const tmux = needs("tmux", TMUX !== null);

for (const [name, draw] of Object.entries(TERMINALS))
  tmux.test(
    `docs/pictures/${name} is what a terminal shows; make-pictures.ts makes it`,
    async () => {
      expect(await Bun.file(join(PICTURES, name)).text()).toBe(await draw());
    },
  );

test("the pictures are small, and each is shown", async () => {
  const names = readdirSync(PICTURES);
  const bytes = names.reduce((sum, name) => sum + statSync(join(PICTURES, name)).size, 0);
  expect(bytes).toBeLessThan(MOST_BYTES);
  const pages = await Promise.all(
    ["README.md", "docs/tutorial.md", "docs/time-travel.md"].map((path) =>
      Bun.file(join(ROOT, path)).text(),
    ),
  );
  for (const name of names) expect(pages.join("\n")).toContain(`pictures/${name}`);
});
