// Reads how much memory is in use, and its limit: of the control group that is nearest to its
// limit, or of the machine. The pages of files that the kernel can free at once do not count.

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ifVisible } from "../../base/files/read-file.ts";

export interface Memory {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

export interface MemoryPlaces {
  readonly proc: string;
  readonly controlGroups: string;
}

const PLACES: MemoryPlaces = { proc: "/proc", controlGroups: "/sys/fs/cgroup" };
const KIBIBYTE = 1024;

/** The files of a control group, by the version of control groups. */
const VERSIONS = [
  {
    membership: /^0::(\/.*)$/m,
    mount: ".",
    limit: "memory.max",
    usage: "memory.current",
    cache: /^inactive_file (\d+)$/m,
  },
  {
    membership: /^\d+:(?:[\w,]+,)?memory(?:,[\w,]+)?:(\/.*)$/m,
    mount: "memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cache: /^total_inactive_file (\d+)$/m,
  },
] as const;

/** Null if the system shows neither. */
export function readMemory({ proc, controlGroups }: MemoryPlaces = PLACES): Memory | null {
  const membership = read(join(proc, "self/cgroup")) ?? "";
  const groups = VERSIONS.flatMap((version) => {
    const group = version.membership.exec(membership)?.[1];
    const mount = join(controlGroups, version.mount);
    const paths = group === undefined ? [] : [...ancestors(group)];
    return paths.flatMap((each) => groupMemory(join(mount, each), version) ?? []);
  });
  const machine = machineMemory(proc);
  // The first version has a limit of about 2^63 bytes instead of none.
  const limited = groups.filter(({ limitBytes }) => limitBytes < (machine?.limitBytes ?? 2 ** 60));
  const all = machine === null ? limited : [...limited, machine];
  const share = ({ usedBytes, limitBytes }: Memory) => usedBytes / limitBytes;
  return all.reduce<Memory | null>(
    (most, each) => (most === null || share(each) > share(most) ? each : most),
    null,
  );
}

/** The groups from that of the process up to the root, which is that of a container. */
function* ancestors(group: string): Generator<string> {
  for (let each = group; ; each = dirname(each)) {
    yield each;
    if (each === "/") return;
  }
}

function groupMemory(
  directory: string,
  { limit, usage, cache }: (typeof VERSIONS)[number],
): Memory | null {
  const limitBytes = Number.parseInt(read(join(directory, limit)) ?? "", 10);
  const used = Number.parseInt(read(join(directory, usage)) ?? "", 10);
  // "max" means that there is no limit.
  if (!(limitBytes > 0 && used >= 0)) return null;
  const [, inactive] = cache.exec(read(join(directory, "memory.stat")) ?? "") ?? [];
  return { usedBytes: Math.max(0, used - Number(inactive ?? 0)), limitBytes };
}

function machineMemory(proc: string): Memory | null {
  const text = read(join(proc, "meminfo")) ?? "";
  const kibibytes = (name: string) =>
    Number(new RegExp(`^${name}: +(\\d+) kB$`, "m").exec(text)?.[1] ?? Number.NaN);
  const total = kibibytes("MemTotal");
  const usedKibibytes = total - kibibytes("MemAvailable");
  if (Number.isNaN(usedKibibytes)) return null;
  return { usedBytes: usedKibibytes * KIBIBYTE, limitBytes: total * KIBIBYTE };
}

function read(path: string): string | null {
  return ifVisible(() => readFileSync(path, "utf8"));
}
