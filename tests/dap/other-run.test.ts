// What was replayed, or recorded, is not what happened: the session says so before anything else.

import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { changedCapsule } from "../support/changed-capsule.ts";
import { Session } from "./debug-client.ts";

const EXAMPLE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const directory = mkdtempSync(join(tmpdir(), "svc-dap-"));
afterAll(() => rmSync(directory, { recursive: true }));

function made(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

/** svc-sim whose answers `sed` changes on the way. */
function changedSimulator(name: string, script: string): string {
  const path = made(name, `#!/bin/sh\n'${SIMULATOR_BINARY}' "$@" | sed -u -e '${script}'\n`);
  chmodSync(path, 0o755);
  return path;
}

test("a replay that is not the chain's: the first line, and the thread's name", async () => {
  // The code of the operation's result: trapped → a resource limit was exceeded.
  const text = changedCapsule(readFileSync(EXAMPLE, "utf8"), ({ record, snapshot }) => {
    // Nothing of its state is a node's word.
    for (const { provenance } of [...snapshot.entries, ...snapshot.settings])
      provenance.kind = "ledger-scan";
    const result = Buffer.from(record.resultXdr, "base64");
    result.writeInt32BE(-3, result.length - 8);
    record.resultXdr = result.toString("base64");
  });
  await using session = new Session();
  await session.launch({ capsule: made("diverged.capsule.json", text) });
  expect(session.output[0]).toContain("DIVERGED: this replay is not what happened on chain");
  expect((await session.begin()).reason).toBe("exception");
  expect((await session.send("threads")).threads[0].name).toContain("DIVERGED");
});

test("a call whose code ran otherwise is shown by its host calls, and says so", async () => {
  const why = "it made another host call";
  const simPath = changedSimulator("unstepped", `s/"not_stepped":null/"not_stepped":"${why}"/2`);
  await using session = new Session();
  await session.launch({ capsule: EXAMPLE, simPath });
  expect(session.output.join("")).toContain(`is shown by its host calls only: ${why}`);
});

test("a recorded run that was not the replay is refused", async () => {
  const simPath = changedSimulator("unrecorded", `s/"record":{/"other":{/`);
  await using session = new Session();
  await session.client.initializeRequest({ adapterID: "svc" });
  const refused = session.send("launch", { capsule: EXAMPLE, simPath });
  expect(await refused.then(String, String)).toContain("differs from the replay");
});
