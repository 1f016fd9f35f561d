// What-if runs of real transactions with the built svc-sim. The overrides decide the result, the
// replay keeps its verdict, and the report states what cannot be known.

import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openCapsule } from "../../src/debugger/walk/open-capsule.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import type { Overrides } from "../../src/model/overrides.ts";
import type { WhatIf } from "../../src/model/what-if.ts";
import { readOverrides } from "../../src/overrides/read-overrides.ts";
import { describeKey } from "../../src/xdr/values/value.ts";
import { capsuleAt } from "../support/capsule-at.ts";
import { failureOf } from "../support/failure.ts";
import { NEVER_ABORTED as signal } from "../support/loopback-walk.ts";
import { opened } from "../support/opened.ts";
import { captureRecorded, type RecordedWalk } from "../support/recorded-walks.ts";
import { openTestSimulator } from "../support/simulator.ts";

const OUT_OF_INSTRUCTIONS = "cpu budget too low in resources";
const TRANSFER = "SAC transfer alice -> bob";
const OVERFLOW = "overflow-in-callee";
const ADDER = "CARMABI77YBQPFUXOF227XIUXLT3GILPIWWJ2ESXRCYRFEC4L7BJJDFF";
const OUTER = "CBBUDP6VSLFXH32DJF67KVDOMLVYBW3VTM6LS4FTHSZU54LFNWB6PT2J";

const simulator = openTestSimulator();
let walks: RecordedWalk[];
beforeAll(async () => {
  const example = join(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
  walks = [
    ...(await captureRecorded()),
    { name: OVERFLOW, ...openCapsule(capsuleAt(example), null) },
  ];
}, 900_000);

function walkOf(name: string): RecordedWalk {
  const walk = walks.find((each) => each.name === name);
  if (walk === undefined) throw new Error(`no transaction is called ${name}`);
  return walk;
}

function overridesOf(document: object, wasm: Overrides["wasm"] = new Map()): Overrides {
  const read = readOverrides({ format: 1, ...document });
  if ("problems" in read) throw new Error(read.problems.join("\n"));
  return { ...read, wasm };
}

function investigate(walk: RecordedWalk, overrides: Overrides): Promise<Investigation> {
  return replayCaptured({ simulator, progress: () => {} }, walk, { signal, overrides });
}

async function ask(name: string, document: object, wasm?: Overrides["wasm"]): Promise<WhatIf> {
  const { whatIf, verdict } = await investigate(walkOf(name), overridesOf(document, wasm));
  if (whatIf === undefined) throw new Error("nothing was run again");
  expect(verdict?.kind).toBe("exact");
  return whatIf;
}

async function refusalOf(name: string, document: object, wasm?: Overrides["wasm"]) {
  const error = await failureOf(investigate(walkOf(name), overridesOf(document, wasm)));
  expect(error.code).toBe("OVERRIDE_IMPOSSIBLE");
  return error.message;
}

/** LedgerKey of the first footprint entry that is described so. */
function keyOf(name: string, described: RegExp): string {
  const found = walkOf(name).snapshot?.entries.find(({ keyXdr }) =>
    described.test(describeKey(keyXdr)),
  );
  if (found === undefined) throw new Error(`nothing of ${name} is called ${described}`);
  return found.keyXdr;
}

function resourceFeeOf(name: string): bigint {
  return BigInt(walkOf(name).envelope.soroban?.resourceFeeStroops ?? "");
}

describe("limits", () => {
  test("more instructions and their fee: the failure is a success, and all of it is shown", async () => {
    const resourceFeeStroops = String(resourceFeeOf(OUT_OF_INSTRUCTIONS) + 1_000_000n);
    const limits = { instructions: 50_000_000, resourceFeeStroops };
    const found = await ask(OUT_OF_INSTRUCTIONS, { limits });
    expect(found.headline).toBe(
      "With the overrides the transaction succeeds; without them, it failed " +
        "(invokeHostFunctionResourceLimitExceeded).",
    );
    expect(found.changed.map(({ what, after }) => [what, after])).toEqual([
      ["CPU instructions declared", "50000000"],
      ["resource fee declared, in stroops", resourceFeeStroops],
      ["fee bid (adjusted), in stroops", expect.any(String)],
    ]);
    expect(found.explanation.cause).toBeNull();
    expect([found.refusals, found.remarks]).toEqual([[], []]);
    const { resources, fees, calls } = found.difference;
    const cpu = resources.find(({ name }) => name === "CPU");
    expect(BigInt(cpu?.after ?? 0)).toBeGreaterThan(BigInt(cpu?.before ?? 0));
    expect(fees.find(({ name }) => name === "charged")?.after).toMatch(/^\d+$/);
    expect(calls?.alignment).toBe("different");
  });

  test("more than the fee covers, or than the network allows, would be refused", async () => {
    const fewer = await ask(OUT_OF_INSTRUCTIONS, { limits: { instructions: 4_000_000_000 } });
    expect(fewer.refusals.join("\n")).toMatch(
      /would refuse this transaction: it declares 4,000,000,000 CPU instructions; the network allows [\d,]+ per transaction\./,
    );
    expect(fewer.refusals.join("\n")).toMatch(
      /its declared resources cost [\d,]+ stroops, but its resource fee is /,
    );
  });

  test("a fee-bump's inner fee includes the resource fee too, up to its maximum", async () => {
    const resourceFeeStroops = String(resourceFeeOf("fee bump soroban") + 5n);
    const found = await ask("fee bump soroban", { limits: { resourceFeeStroops } });
    expect(
      found.changed.map(({ what, before, after }) => [what, Number(after) - Number(before)]),
    ).toEqual([
      ["resource fee declared, in stroops", 5],
      ["fee bid (adjusted), in stroops", 5],
      ["fee of the inner transaction (adjusted), in stroops", 5],
    ]);
    const charged = found.difference.fees.find(({ name }) => name === "charged");
    expect(charged?.after).toBe(charged?.before ?? "");
    for (const name of ["fee bump soroban", TRANSFER]) {
      const much = { limits: { resourceFeeStroops: "4294967296" } };
      expect(await refusalOf(name, much)).toContain("the maximum is 4,294,967,295.");
    }
  });

  test("less of each fails by that", async () => {
    const cases: readonly [object, string][] = [
      [{ instructions: 100_000 }, "cpu-exceeded"],
      [{ memoryBytes: 1000 }, "memory-exceeded"],
      [{ resourceFeeStroops: 1 }, "insufficient-refundable-fee"],
    ];
    for (const [limits, kind] of cases) {
      const found = await ask(TRANSFER, { limits });
      expect([kind, found.success]).toEqual([kind, false]);
      expect(found.explanation.cause?.kind).toStartWith(kind);
    }
    // The fee for the declared resources alone is more than that of the transaction.
    const { explanation: unpaid } = await ask(TRANSFER, { limits: { resourceFeeStroops: 1 } });
    expect(unpaid.cause?.summary).toMatch(/none available, since the declared resources cost \d/);
    expect(unpaid.remedy).toMatch(/^Raise the resource fee by at least [\d,]+ stroops?\b/);
    const { success, explanation } = await ask(TRANSFER, { limits: { eventsBytes: 1 } });
    expect(success).toBe(false);
    expect(explanation.cause?.summary).toContain("1");
  });
});

describe("arguments", () => {
  test("by name: the call that overflowed returns, its callee with it", async () => {
    const found = await ask(OVERFLOW, { arguments: { x: 5 } });
    expect(found.changed).toEqual([
      { kind: "argument", what: "argument x of add_with", before: "2147483647", after: "5" },
    ]);
    expect(found.difference.returnValue).toEqual({ before: null, after: "9" });
    const outer = found.difference.calls?.calls[0]?.calls[0];
    expect(outer?.differs).toEqual(["arguments", "outcome"]);
    expect(outer?.calls[0]).toMatchObject({ alignment: "different", after: { result: "9" } });
    expect(found.difference.events.map(({ alignment }) => alignment)).toEqual(["new", "new"]);
  });

  test("by place, as SEP-51 and as base64: the same run", async () => {
    const byName = await ask(OVERFLOW, { arguments: { x: "5" } });
    for (const written of [5, { scval: { i32: 5 } }, { xdr: "AAAABAAAAAU=" }]) {
      const byPlace = await ask(OVERFLOW, { arguments: { 0: written } });
      expect(byPlace.envelopeXdr).toBe(byName.envelopeXdr);
      expect(byPlace.execution.transactionHash).toBe(byName.execution.transactionHash);
    }
  });

  test("the source account's authorization follows them", async () => {
    const found = await ask(TRANSFER, { arguments: { amount: "1" } });
    expect(found.success).toBe(true);
    const [change] = found.difference.changes.filter(({ alignment }) => alignment !== "same");
    expect(change?.before?.after).not.toBe(change?.after?.after);
  });

  test("what the call does not take is refused by name", async () => {
    const says = async (written: object) => refusalOf(OVERFLOW, { arguments: written });
    expect(await says({ xx: 5 })).toBe("add_with has no argument `xx`.");
    expect(await says({ 3: 5 })).toBe("add_with has no argument `3`.");
    expect(await says({ x: "five" })).toBe(
      "Argument `x` has type i32 and must be a whole number, or its digits as text.",
    );
    expect(await says({ x: 2 ** 31 })).toBe("Argument `x` has type i32; 2147483648 is too large.");
    expect(await says({ contract_id: "CARM" })).toContain("must be an address");
  });
});

describe("ledger entries", () => {
  const accounts = /^trustline of/;

  test("a lower balance: the token's own failure", async () => {
    const [from] = (await ask(TRANSFER, { ledger: {} })).explanation.calls?.calls[0]?.calls ?? [];
    const account = from?.arguments[0];
    const trustline = walkOf(TRANSFER).snapshot?.entries.find(
      ({ keyXdr }) =>
        accounts.test(describeKey(keyXdr)) && describeKey(keyXdr).includes(`${account}`),
    );
    const asset = describeKey(trustline?.keyXdr ?? "").split(" for ")[1];
    const found = await ask(TRANSFER, { entries: [{ account, asset, balance: 0 }] });
    expect(found.success).toBe(false);
    expect(found.explanation.cause?.summary).toContain("BalanceError");
    expect(found.changed[0]?.what).toBe(`trustline of ${account} for ${asset}`);
    expect(found.changed[0]?.after).toContain("balance 0");
  });

  test("removed: the cause names what is missing", async () => {
    const ledgerKey = keyOf(TRANSFER, accounts);
    const found = await ask(TRANSFER, { entries: [{ ledgerKey, remove: true }] });
    expect(found.success).toBe(false);
    expect(found.explanation.cause?.summary).toMatch(/[Tt]rustline/);
    expect(JSON.stringify(found.explanation)).not.toMatch(/[Tt]he node|another node/);
    expect(found.changed[0]?.after).toBe("absent");
  });

  test("archived, or past its time to live", async () => {
    const ledgerKey = keyOf(TRANSFER, /^instance of contract/);
    for (const different of [{ archived: true }, { liveUntilLedger: 5 }]) {
      const found = await ask(TRANSFER, { entries: [{ ledgerKey, ...different }] });
      expect(found.difference.outcome.after).toBe("INVOKE_HOST_FUNCTION_ENTRY_ARCHIVED");
      expect(found.explanation.cause?.kind).toBe("entry-archived");
    }
  });

  test("one value of an instance's storage changes alone; one that is not there cannot be removed", async () => {
    const of = { contract: ADDER, key: { symbol: "Limit" }, durability: "instance" };
    const set = await ask(OVERFLOW, { entries: [{ ...of, value: { u32: 7 } }] });
    expect(set.changed).toEqual([
      {
        kind: "entry",
        what: `data Limit in the instance of contract ${ADDER}`,
        before: "absent",
        after: "7",
      },
    ]);
    expect(set.success).toBe(false);
    expect(await refusalOf(OVERFLOW, { entries: [{ ...of, remove: true }] })).toContain(
      `the storage of instance of contract ${ADDER} has no such key`,
    );
  });

  test("an entry outside the footprint is not read, and a remark says so", async () => {
    const contract = ADDER;
    const entries = [{ contract, key: { symbol: "Elsewhere" }, value: { u32: 1 } }];
    const found = await ask(TRANSFER, { entries });
    expect(found.success).toBe(true);
    expect(found.changed[0]).toMatchObject({ before: "unknown" });
    expect(found.remarks.join("\n")).toContain("is not in the footprint: nothing reads it.");
  });

  test("a network setting is an entry too", async () => {
    const settings = walkOf(TRANSFER).snapshot?.settings ?? [];
    const events = settings.find(({ name }) => name === "CONFIG_SETTING_CONTRACT_EVENTS_V0");
    const entry = Buffer.from(events?.entryXdr ?? "", "base64");
    entry.writeUInt32BE(1, 12);
    const ledgerKey = { config_setting: { config_setting_id: "contract_events_v0" } };
    const whole = { ledgerKey, entry: entry.toString("base64") };
    const found = await ask(TRANSFER, { entries: [whole] });
    const asLimit = await ask(TRANSFER, { limits: { eventsBytes: 1 } });
    expect(found.difference.outcome).toEqual(asLimit.difference.outcome);
    expect(await refusalOf(TRANSFER, { entries: [{ ledgerKey, remove: true }] })).toBe(
      "entries.0: a network setting needs a complete entry.",
    );
  });

  test("what cannot be different is refused", async () => {
    const says = async (entry: object) => refusalOf(TRANSFER, { entries: [entry] });
    const stranger = "GDQOE23CFSUMSVQK4Y5JHPPYK73VYCNHZHA7ENKCV37P6SUEO6XQBKPP";
    expect(await says({ account: stranger, balance: 5 })).toBe(
      `entries.0: the state of account ${stranger} is unknown; pass its complete entry.`,
    );
    const trustline = keyOf(TRANSFER, accounts);
    expect(await says({ ledgerKey: trustline, liveUntilLedger: 5 })).toContain("has no TTL");
    const ttl = { ttl: { key_hash: "00".repeat(32) } };
    expect(await says({ ledgerKey: ttl, remove: true })).toContain(
      "a TTL is overridden with `liveUntilLedger` of its entry",
    );
  });
});

describe("the ledger", () => {
  test("each protocol since 20 runs it in its own host", async () => {
    const version = { resourceFeeStroops: 50_000_000, diskReadBytes: 100_000 };
    for (const protocolVersion of [20, 21, 22, 23, 25, 26, 27, 28]) {
      const document = { ledger: { protocolVersion }, limits: version, arguments: { x: 5 } };
      const { success, execution } = await ask(OVERFLOW, document);
      expect([protocolVersion, success]).toEqual([protocolVersion, true]);
      // One host serves 20 and 21.
      expect(execution.host.protocol).toBe(Math.max(protocolVersion, 21));
    }
  });

  test("a later close time ends what is valid until then", async () => {
    const late = await ask(OVERFLOW, { ledger: { closeTime: "2100-01-01T00:00:00Z" } });
    expect(late.changed[0]?.after).toBe("2100-01-01 00:00:00 UTC (4102444800)");
    expect([late.refusals, late.remarks]).toEqual([
      ["The network would refuse this transaction: its time or ledger bounds have already ended."],
      [],
    ]);
    expect(late.headline).toBe(
      "The transaction fails with and without the overrides (invokeHostFunctionTrapped), " +
        "for the same reason.",
    );
    // What never runs does not succeed.
    const ledger = { closeTime: "2100-01-01T00:00:00Z" };
    const other = await ask(OVERFLOW, { ledger, arguments: { x: 5 } });
    expect([other.success, other.headline]).toEqual([
      true,
      "With the overrides the call succeeds, but the network would refuse the transaction; " +
        "without them, it failed (invokeHostFunctionTrapped).",
    ]);
  });

  test("an absent entry that runs prove to decide is the same reason", async () => {
    const ledger = { closeTime: "2100-01-01T00:00:00Z" };
    const { headline } = await ask("get of missing key -> contract error", { ledger });
    expect(headline).toBe(
      "The transaction fails with and without the overrides (invokeHostFunctionTrapped), " +
        "for the same reason.",
    );
  });

  test("no host for a protocol is an error of its own", async () => {
    const overrides = overridesOf({ ledger: { protocolVersion: 19 } });
    const error = await failureOf(investigate(walkOf(OVERFLOW), overrides));
    expect(error.code).toBe("PROTOCOL_UNSUPPORTED");
  });
});

describe("a contract's code", () => {
  /** Of the contract code in that transaction's state. */
  function codeOf(name: string): Uint8Array {
    const entries = walkOf(name).snapshot?.entries ?? [];
    for (const { entryXdr } of entries) {
      const bytes = Buffer.from(entryXdr ?? "", "base64");
      const at = bytes.indexOf(Buffer.from("\0asm"));
      if (at > 4) return bytes.subarray(at, at + bytes.readUInt32BE(at - 4));
    }
    throw new Error(`${name} runs no code`);
  }
  const files = (contract: string, bytes: Uint8Array): Overrides["wasm"] =>
    new Map([[contract, { file: "other.wasm", bytes }]]);

  test("that of another contract: its functions are gone, and who shared it keeps its own", async () => {
    const found = await ask(OVERFLOW, {}, files(ADDER, codeOf(OUT_OF_INSTRUCTIONS)));
    expect(found.changed[0]?.what).toBe(`code of contract ${ADDER}`);
    expect(found.changed[0]?.after).toMatch(/^[0-9a-f]{64} \(other.wasm, [\d,]+ bytes\)$/);
    const [outer] = found.explanation.calls?.calls[0]?.calls ?? [];
    expect(outer?.contract).toBe(OUTER);
    expect(found.explanation.cause?.summary).toMatch(/add\b/);
    const entries = found.difference.resources.find(({ name }) => name === "footprint");
    expect([entries?.before, entries?.after]).toEqual(["3", "4"]);
  });

  test("its own code again is the same run", async () => {
    const found = await ask(OVERFLOW, {}, files(OUTER, codeOf(OVERFLOW)));
    expect(found.difference.calls?.alignment).toBe("same");
    for (const { name, before, after } of found.difference.resources)
      expect([name, after]).toEqual([name, before]);
  });

  test("the only one that ran it: the footprint names the new code instead", async () => {
    const kitchen = walkOf(OUT_OF_INSTRUCTIONS);
    const [call] = (await ask(OUT_OF_INSTRUCTIONS, {})).explanation.calls?.calls ?? [];
    const contract = call?.calls[0]?.contract ?? call?.contract ?? "";
    const found = await ask(OUT_OF_INSTRUCTIONS, {}, files(contract, codeOf(OVERFLOW)));
    const entries = found.difference.resources.find(({ name }) => name === "footprint");
    expect(entries?.after).toBe(String(kitchen.snapshot?.entries.length));
    expect(found.success).toBe(false);
  });

  test("a file that is not contract code is refused, with the host's own reason", async () => {
    const text = new TextEncoder().encode("hello");
    expect(await refusalOf(OVERFLOW, {}, files(ADDER, text))).toBe(
      `wasm.${ADDER}: other.wasm is not a WebAssembly file.`,
    );
    const broken = codeOf(OVERFLOW).slice(0, 400);
    expect(await refusalOf(OVERFLOW, {}, files(ADDER, broken))).toContain(
      "the host does not accept other.wasm as contract code. The code to upload is not wasm ",
    );
    expect(await refusalOf(TRANSFER, {}, files(OUTER, codeOf(OVERFLOW)))).toBe(
      `wasm.${OUTER}: the state of the contract's instance is unknown.`,
    );
  });
});

describe("which value decides that a run with overrides fails", () => {
  test("a failure for another reason than without them", async () => {
    const found = await ask("contract error Err(NotFound)", { arguments: { code: 418 } });
    expect(found.headline).toEndWith(", for another reason.");
    const sentence =
      "`fail` failed because `code` (argument 1) is 418. Run with `code` 419, it succeeds.";
    expect(found.explanation.decidedBy?.summary).toBe(sentence);
    expect(found.explanation.evidence[0]).toBe(sentence);
    expect(found.explanation.remedy).toBe("Pass a value other than 418, such as 419, as `code`.");
  });

  test("without a search for it, none is said", async () => {
    const walk = walkOf("contract error Err(NotFound)");
    const overrides = overridesOf({ arguments: { code: 418 } });
    const dependencies = { simulator, progress: () => {} };
    const options = { signal, overrides, fast: true };
    const { whatIf: found } = await replayCaptured(dependencies, walk, options);
    expect(found?.headline).toEndWith(
      "fails with and without the overrides (invokeHostFunctionTrapped).",
    );
    expect(found?.explanation.decidedBy).toBeNull();
  });
});

describe("what a what-if run is worth", () => {
  test("on a replay that differs from the chain, nothing is said of the transaction", async () => {
    const walk = walkOf(TRANSFER);
    const { resultXdr } = walkOf(OVERFLOW).record;
    const spoiled = opened({ ...walk, name: "spoiled", record: { ...walk.record, resultXdr } });
    const { verdict, whatIf } = await investigate(spoiled, overridesOf({ limits: {} }));
    expect(verdict?.kind).toBe("diverged");
    expect(whatIf?.unknown).toEqual([
      "The verdict on the replay without overrides is diverged, so what the network would do with " +
        "them is unknown.",
    ]);
    expect(whatIf?.headline).toBe(
      "The replay succeeds with and without the overrides. On chain the transaction failed.",
    );
  });

  test("the cause of a run on such a replay is likely at most", async () => {
    const walk = walkOf(OVERFLOW);
    const { resultXdr } = walkOf(TRANSFER).record;
    const spoiled = opened({ ...walk, name: "spoiled", record: { ...walk.record, resultXdr } });
    const { whatIf } = await investigate(spoiled, overridesOf({ limits: {} }));
    expect(whatIf?.headline).toEndWith("On chain the transaction succeeded.");
    expect(whatIf?.explanation.cause?.confidence).toBe("likely");
    const certain = await investigate(walk, overridesOf({ limits: {} }));
    expect(certain.whatIf?.explanation.cause?.confidence).toBe("known");
    expect(certain.whatIf?.unknown).toEqual([]);
  });

  test("a fee that does not pay for the resources has no refund", async () => {
    const overrides = overridesOf({ limits: { resourceFeeStroops: "1" } });
    const { whatIf } = await investigate(walkOf(TRANSFER), overrides);
    expect(whatIf?.explanation.fees).toMatchObject({ refundStroops: null, chargedStroops: null });
  });

  test("a transaction that ran nothing in the host cannot be run with overrides", async () => {
    const message = await refusalOf("classic payment underfunded", { limits: {} });
    expect(message).toContain("This transaction ran nothing in the contract host");
  });

  test("overrides that change nothing lead to no difference", async () => {
    for (const walk of walks.filter(({ snapshot }) => snapshot !== null)) {
      const { sequence, protocolVersion, closeTimeUnixSeconds } = walk.record.ledger;
      const ledger = { sequence, protocolVersion, closeTime: closeTimeUnixSeconds };
      const { whatIf } = await investigate(walk, overridesOf({ ledger }));
      if (whatIf === undefined) throw new Error(`${walk.name} was not run again`);
      const { outcome, changes, events, resources, fees } = whatIf.difference;
      expect(outcome.after).toBe(outcome.before);
      for (const { alignment } of [...changes, ...events]) expect(alignment).toBe("same");
      for (const { before, after } of [...resources, ...fees]) expect(after).toBe(before);
    }
  }, 120_000);
});

describe("transactions under another protocol", () => {
  test("an archived entry has only expired where nothing is evicted", async () => {
    const restoring = walks.find(({ name }) => name === "auto-restore by invocation (p2)");
    if (restoring === undefined) throw new Error("the network has no such transaction");
    const limits = { diskReadBytes: 100_000, resourceFeeStroops: 9_000_000 };
    const older = overridesOf({ ledger: { protocolVersion: 22 }, limits });
    const { whatIf } = await investigate(restoring, older);
    expect(whatIf?.difference.outcome).toEqual({
      before: "success",
      after: "INVOKE_HOST_FUNCTION_ENTRY_ARCHIVED",
    });
    expect(whatIf?.remarks.join("\n")).toContain("protocol 22 does not evict entries");
  });

  test("every transaction runs under the protocols beside its own, with no error of ours", async () => {
    for (const walk of walks) {
      if (walk.snapshot === null) continue;
      const overrides = overridesOf({
        ledger: { protocolVersion: 27 },
        limits: { instructions: 100_000_000 },
      });
      const { whatIf } = await investigate(walk, overrides);
      const outcome = whatIf?.execution.outcome;
      expect([walk.name, outcome?.kind]).not.toEqual([walk.name, "internal_error"]);
    }
  }, 300_000);
});
