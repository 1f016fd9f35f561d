// Writes a log line with fields as a sentence, for commands whose work logs as a daemon does.

export function logSentence(message: string, fields: Readonly<Record<string, unknown>>): string {
  const { source, problem, behind, ledger, ...others } = fields;
  if (behind !== undefined) return `${behind} ledgers behind the network (now at ${ledger})`;
  const about = source === undefined ? message : `${source}: ${message}`;
  const values = Object.entries({ ...(ledger === undefined ? {} : { ledger }), ...others });
  const shown = values.map(([name, value]) => `${name} ${value}`).join(", ");
  return [
    about,
    ...(problem === undefined ? [] : [problem]),
    ...(shown === "" ? [] : [shown]),
  ].join(": ");
}
