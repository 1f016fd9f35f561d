// bun scripts/draw-folders.ts: the folders of src by floors. A folder stands one floor above the
// highest of those that it imports; beside it are its lines and its imports.

import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dir, "..");

interface Folder {
  lines: number;
  readonly imports: Set<string>;
}

/** `src/cli/run.ts` → `cli`. The two files beside the folders are folders of their own. */
const folderOf = (path: string) => path.split("/")[1] ?? "";

async function readFolders(): Promise<Map<string, Folder>> {
  const folders = new Map<string, Folder>();
  for (const path of new Bun.Glob("src/**/*.ts").scanSync({ cwd: ROOT })) {
    const name = folderOf(path);
    const folder = folders.get(name) ?? { lines: 0, imports: new Set() };
    folders.set(name, folder);
    const text = await Bun.file(join(ROOT, path)).text();
    folder.lines += text.split("\n").length - 1;
    for (const [, to = ""] of text.matchAll(/\b(?:from\s+|import\s*\(?\s*)"(\.[^"\n]+)"/g)) {
      const target = join(path, "..", to);
      const other = folderOf(target);
      if (target.startsWith("src/") && other !== name && other !== "svc-sim")
        folder.imports.add(other);
    }
  }
  return folders;
}

/** A circle of folders has no floor of its own: its folders are on the floor where it is met. */
function floorsOf(folders: ReadonlyMap<string, Folder>): Map<string, number> {
  const floors = new Map<string, number>();
  const floorOf = (name: string, trail: readonly string[]): number => {
    const known = floors.get(name);
    if (known !== undefined) return known;
    if (trail.includes(name)) return 0;
    const below = [...(folders.get(name)?.imports ?? [])];
    const floor = 1 + Math.max(-1, ...below.map((other) => floorOf(other, [...trail, name])));
    floors.set(name, floor);
    return floor;
  };
  for (const name of folders.keys()) floorOf(name, []);
  return floors;
}

const folders = await readFolders();
const floors = floorsOf(folders);
const highest = Math.max(...floors.values());
for (let floor = highest; floor >= 0; floor -= 1) {
  const names = [...folders.keys()].filter((name) => floors.get(name) === floor).sort();
  for (const [place, name] of names.entries()) {
    const { lines, imports } = folders.get(name) ?? { lines: 0, imports: new Set<string>() };
    const label = place === 0 ? String(floor + 1).padStart(2) : "  ";
    process.stdout.write(`${label}  ${name} (${lines}): ${[...imports].sort().join(", ")}\n`);
  }
}
