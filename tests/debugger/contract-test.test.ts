// A captured transaction as a test with soroban-sdk: the state, and the call.

import { expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { rustTestOf, sdkSnapshotOf } from "../../src/debugger/walk/contract-test.ts";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import { isSettingKey } from "../../src/xdr/reader/keys.ts";
import { escaped, toJson } from "../../src/xdr/reader/to-json.ts";
import { decode } from "../../src/xdr/reader/value.ts";
import { changed } from "../support/changed-envelope.ts";
import { failureOf } from "../support/failure.ts";

const FILE = join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const captured = openCapsule({ name: FILE, text: await Bun.file(FILE).text() }, null);

test("the state has the transaction's ledger, and each entry with its TTL", () => {
  const { record, snapshot } = captured;
  const state = JSON.parse(sdkSnapshotOf(captured));
  expect([state.sequence_number, state.timestamp, state.protocol_version]).toEqual([
    record.ledger.sequence,
    Number(record.ledger.closeTimeUnixSeconds),
    record.ledger.protocolVersion,
  ]);
  expect(state.network_id).toMatch(/^[0-9a-f]{64}$/);
  const found = new Map<string, [object, number | null]>(
    state.ledger_entries.map(([key, entry]: [object, [object, number | null]]) => [
      JSON.stringify(key),
      entry,
    ]),
  );
  const present = (snapshot?.entries ?? []).filter(({ entryXdr }) => entryXdr !== null);
  expect(found.size).toBe(present.length);
  for (const { keyXdr, entryXdr, liveUntilLedger, archived } of present) {
    expect(isSettingKey(keyXdr)).toBe(false);
    const [entry, liveUntil] = found.get(
      JSON.stringify(toJson("LedgerKey", decode("LedgerKey", keyXdr))),
    ) as [object, number | null];
    expect(entry).toEqual(toJson("LedgerEntry", decode("LedgerEntry", entryXdr ?? "")) as object);
    expect(liveUntil).toBe(archived ? 0 : liveUntilLedger);
  }
});

test("the test calls the same function with the same arguments", () => {
  const { hostFunction } = captured.envelope;
  if (hostFunction?.kind !== "invoke") throw new Error("the example calls a contract");
  const rust = rustTestOf(captured, "transaction_bb9cd617.snapshot.json");
  expect(rust).toContain(`const CONTRACT: &str = "${hostFunction.contract}";`);
  expect(rust).toContain(`Symbol::new(&env, "${hostFunction.function}")`);
  const [, bytes = ""] = /ARGUMENTS: &\[u8\] = &\[([^\]]*)\]/.exec(rust) ?? [];
  const given = bytes.split(",").flatMap((word) => (word.trim() === "" ? [] : Number(word)));
  const sent = decode("ScVal", Uint8Array.from(given).toBase64());
  expect(sent).toMatchObject({ type: 16 });
  expect("vec" in sent && sent.vec?.length).toBe(hostFunction.argumentsXdr.length);
  for (const line of rust.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
});

test("the test fails with the host's own error, and says what the network's was", () => {
  const rust = rustTestOf(captured, "state.json");
  // try_invoke_contract makes Error(Context, InvalidAction) of every trap.
  expect(rust).toContain("env.invoke_contract::<Val>(&contract, &function, arguments);");
  expect(rust).toContain("// Its result was invokeHostFunctionTrapped.\n");
});

test("a transaction that calls no contract makes none", async () => {
  const { code } = await failureOf((async () => sdkSnapshotOf({ ...captured, snapshot: null }))());
  expect(code).toBe("USAGE");
});

test("a function's name is one literal, whatever bytes it has", () => {
  const { envelope } = captured;
  const { hostFunction } = envelope;
  if (hostFunction?.kind !== "invoke") throw new Error("the example calls a contract");
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 32 }), (bytes) => {
      const named = { ...hostFunction, function: escaped(bytes) };
      const rust = rustTestOf({ ...captured, envelope: { ...envelope, hostFunction: named } }, "s");
      const [, literal = ""] = /let function = Symbol::new\(&env, (".*")\);\n/.exec(rust) ?? [];
      expect(literal).toMatch(/^"(?:[^"\\]|\\["\\])*"$/);
      expect(JSON.parse(literal)).toBe(escaped(bytes));
    }),
  );
});

test("a name that is not one cannot end the literal", () => {
  const hostile = new TextEncoder().encode('"),include!("/tmp/x"),("');
  const call = changed(captured.envelope, ({ operations: [operation, ...others] }) => {
    if (operation?.body.type !== 24) throw new Error("the example invokes a host function");
    const { invokeHostFunctionOp: invocation } = operation.body;
    if (invocation.hostFunction.type !== 0) throw new Error("the example calls a contract");
    const invokeContract = { ...invocation.hostFunction.invokeContract, functionName: hostile };
    const hostFunction = { ...invocation.hostFunction, invokeContract };
    const body = { ...operation.body, invokeHostFunctionOp: { ...invocation, hostFunction } };
    return { operations: [{ ...operation, body }, ...others] };
  });
  const rust = rustTestOf({ ...captured, envelope: call }, "s");
  expect(rust).toContain(String.raw`Symbol::new(&env, "\"),include!(\"/tmp/x\"),(\"");`);
});
