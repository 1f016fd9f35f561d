// The values of a flag that can be repeated: citty keeps only the last one.

/** In the order typed. `rawArgs` has passed `checkArguments`. */
export function repeatedFlag(rawArgs: readonly string[], name: string): string[] {
  const flag = `--${name}`;
  const end = rawArgs.indexOf("--");
  const words = end === -1 ? rawArgs : rawArgs.slice(0, end);
  return words.flatMap((word, i) => {
    if (word.startsWith(`${flag}=`)) return word.slice(flag.length + 1);
    return word === flag ? (words[i + 1] ?? []) : [];
  });
}
