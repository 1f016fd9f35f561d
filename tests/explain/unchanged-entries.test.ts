// An entry that a transaction wrote with the value that it had: only the ledger of its last change
// differs. A short report leaves it out, and a long one says it.

import { expect, test } from "bun:test";
import { nameChanges } from "../../src/explain/naming/named-values.ts";
import type { LedgerChange } from "../../src/model/execution.ts";
import { changeItem, changesBlock } from "../../src/report/document/changes.ts";

const EXAMPLES = ["contract-error", "missing-trustline", "overflow-in-callee", "stale-footprint"];

async function entriesOf(name: string): Promise<{ keyXdr: string; entryXdr: string }[]> {
  const file = Bun.file(`${import.meta.dir}/../../examples/${name}.capsule.json`);
  const { snapshot } = await file.json();
  return snapshot.entries.filter(({ entryXdr }: { entryXdr: string | null }) => entryXdr !== null);
}

/** The entry as another ledger wrote it. */
function writtenAgain(entryXdr: string): string {
  const bytes = Uint8Array.fromBase64(entryXdr);
  new DataView(bytes.buffer).setUint32(0, 4711);
  return bytes.toBase64();
}

const changeOf = (keyXdr: string, beforeXdr: string, afterXdr: string): LedgerChange => ({
  kind: "updated",
  keyXdr,
  beforeXdr,
  afterXdr,
});

test("an entry with its own value is unchanged, and one with another entry's is not", async () => {
  const entries = (await Promise.all(EXAMPLES.map(entriesOf))).flat();
  expect(entries.length).toBeGreaterThan(8);
  for (const [i, { keyXdr, entryXdr }] of entries.entries()) {
    const other = entries[(i + 1) % entries.length]?.entryXdr ?? "";
    const [same, different] = nameChanges(
      [
        changeOf(keyXdr, entryXdr, writtenAgain(entryXdr)),
        changeOf(keyXdr, entryXdr, writtenAgain(other)),
      ],
      (key) => key,
    );
    expect(same?.isUnchanged).toBe(true);
    expect(different?.isUnchanged).toBeUndefined();
    if (same === undefined || different === undefined) throw new Error("a change is missing");
    expect(changeItem(same).rows?.[0]?.values).toEqual(["with the value that it had"]);
    const shown = JSON.stringify(changesBlock([different, same]));
    expect(shown.match(/"detail":"full"/g)?.length).toBe(1);
    // Nothing else changed, so it is shown.
    expect(JSON.stringify(changesBlock([same]))).not.toContain('"detail":"full"');
  }
});
