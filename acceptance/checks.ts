// What a bench has to see: waiting until it is so, and one line for each.

/** False when it is not so in time. */
export async function until(
  seconds: number,
  holds: () => boolean | Promise<boolean>,
): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    if (await holds()) return true;
    await Bun.sleep(200);
  }
  return false;
}

export function report(what: string, holds: boolean, seen: string): void {
  if (!holds) process.exitCode = 1;
  process.stdout.write(`${holds ? "ok    " : "FAILED"}  ${what}: ${seen}\n`);
}
