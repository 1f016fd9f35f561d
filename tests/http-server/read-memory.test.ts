// The memory of the daemon's control group, or of the machine.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readMemory } from "../../src/http-server/limits/read-memory.ts";

const SCRATCH = mkdtempSync(join(tmpdir(), "svc-memory-"));
afterAll(() => rmSync(SCRATCH, { recursive: true }));

let places = 0;
/** `files`: by their path below the directory that has both. */
function memoryOf(files: Readonly<Record<string, string>>) {
  places += 1;
  const root = join(SCRATCH, String(places));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return readMemory({ proc: join(root, "proc"), controlGroups: join(root, "cgroup") });
}

const MACHINE = {
  "proc/meminfo": "MemTotal:       1000 kB\nMemFree:        100 kB\nMemAvailable:        600 kB\n",
};
const machine = { usedBytes: 400 * 1024, limitBytes: 1000 * 1024 };

test("without control groups, and without a limit, the machine counts", () => {
  expect(memoryOf({})).toBeNull();
  expect(memoryOf(MACHINE)).toEqual(machine);
  const unlimited = { "cgroup/a/memory.max": "max\n", "cgroup/a/memory.current": "5\n" };
  expect(memoryOf({ ...MACHINE, ...unlimited, "proc/self/cgroup": "0::/a\n" })).toEqual(machine);
});

test("the group that is nearest to its limit counts, without what can be given back", () => {
  const memory = memoryOf({
    ...MACHINE,
    "proc/self/cgroup": "0::/slice/svc.service\n",
    "cgroup/slice/memory.max": "300000\n",
    "cgroup/slice/memory.current": "270000\n",
    "cgroup/slice/svc.service/memory.max": "200000\n",
    "cgroup/slice/svc.service/memory.current": "150000\n",
    "cgroup/slice/svc.service/memory.stat": "anon 1\ninactive_file 50000\nactive_file 7\n",
  });
  expect(memory).toEqual({ usedBytes: 270_000, limitBytes: 300_000 });
});

test("a container sees its own group as the root", () => {
  const memory = memoryOf({
    ...MACHINE,
    "proc/self/cgroup": "0::/\n",
    "cgroup/memory.max": "200000\n",
    "cgroup/memory.current": "190000\n",
  });
  expect(memory).toEqual({ usedBytes: 190_000, limitBytes: 200_000 });
});

test("the first version of control groups", () => {
  const group = { "proc/self/cgroup": "5:cpu:/\n4:memory:/docker/abc\n0::/\n" };
  const used = { "cgroup/memory/memory.usage_in_bytes": "190000\n" };
  const stat = { "cgroup/memory/memory.stat": "inactive_file 1\ntotal_inactive_file 40000\n" };
  const limited = { "cgroup/memory/memory.limit_in_bytes": "200000\n" };
  expect(memoryOf({ ...MACHINE, ...group, ...used, ...stat, ...limited })).toEqual({
    usedBytes: 150_000,
    limitBytes: 200_000,
  });
  const none = { "cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n" };
  expect(memoryOf({ ...MACHINE, ...group, ...used, ...none })).toEqual(machine);
});
