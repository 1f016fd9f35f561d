import { describe, expect, test } from "bun:test";
import { Account, MuxedAccount } from "@stellar/stellar-sdk";
import { nameEvents } from "../../src/explain/naming/named-events.ts";
import { ASSET_SPEC } from "../../src/xdr/contract/asset-spec.ts";
import type { ContractSpec } from "../../src/xdr/contract/contract-spec.ts";
import { symbolMapOf, voidValue } from "../../src/xdr/values/value-parts.ts";
import { investigate } from "../report/investigations.ts";
import { ASSET, asset, trustline } from "../support/asset-entries.ts";
import { executeCall, SOURCE } from "../support/executed.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

const simulator = openTestSimulator();

async function transferToMuxed() {
  const other = "GAKPTYIOT7MPZA4SON3FOLORIRQABUZUBP3PBDVZA62RVL3AMQAZL4AT";
  const address = new MuxedAccount(new Account(other, "0"), "77").accountId();
  const { execution } = await executeCall(simulator, {
    contract: ASSET,
    function: "transfer",
    arguments: [{ address: SOURCE }, { address }, { i128: "5" }],
    readOnly: [asset()],
    readWrite: [trustline(SOURCE, "50"), trustline(other, "7")],
  });
  return execution;
}

describe("events of a real transfer", () => {
  const { execution } = walkOf("sac-transfer");

  test("by the asset contract's own specification", () => {
    const [event] = investigate("sac-transfer").explanation.events;
    expect(event?.name).toBe("transfer");
    expect(event?.fields?.map(({ name }) => name)).toEqual(["from", "to", "asset", "amount"]);
    expect(event?.fields?.at(-1)?.value).toBe("1234");
    expect(event?.topics[0]).toBe("transfer");
  });

  test("an event that does not fit, or of an unknown contract, has no name", () => {
    expect(nameEvents(execution.eventsXdr, () => null)[0]).toMatchObject({
      name: null,
      fields: null,
      data: "1234",
    });
    const one = { name: "x", type: { kind: "plain", name: "val" } } as const;
    const described = (prefix: string[], topics: number, format: "vec" | "map" | "single") => ({
      ...{ name: "Moved", prefix, topics: Array(topics).fill(one), data: [one], format },
    });
    const nameOf = (...events: ContractSpec["events"]) => {
      const spec: ContractSpec = { functions: new Map(), types: new Map(), errors: [], events };
      const facts = { wasmHash: null, spec, requiresOwnArguments: true, token: null };
      return nameEvents(execution.eventsXdr, () => facts)[0]?.name;
    };
    expect(nameOf(described(["transfer"], 3, "single"))).toBe("Moved");
    expect(nameOf(described(["transfer"], 2, "single"))).toBeNull();
    expect(nameOf(described(["other"], 3, "single"))).toBeNull();
    expect(nameOf(described(["transfer"], 3, "vec"))).toBeNull();
    expect(nameOf(described(["transfer"], 3, "map"))).toBeNull();
    // Of another type, or of several events of the specification.
    const moved = described(["transfer"], 3, "single");
    const typed = (name: string) => ({
      ...moved,
      data: [{ name: "x", type: { kind: "plain", name } } as const],
    });
    expect(nameOf(typed("i128"))).toBe("Moved");
    expect(nameOf(typed("address"))).toBeNull();
    expect(nameOf(moved, { ...moved, name: "Sent" })).toBeNull();
    expect(nameOf(moved, moved)).toBe("Moved");
  });

  test("to a multiplexed address, its id is a field of its own", async () => {
    const { eventsXdr } = await transferToMuxed();
    const facts = { wasmHash: null, spec: ASSET_SPEC, requiresOwnArguments: true, token: null };
    const [event] = nameEvents(eventsXdr, () => facts);
    expect(event?.name).toBe("transfer");
    expect(event?.fields?.slice(-2)).toEqual([
      { name: "amount", value: "5" },
      { name: "to_muxed_id", value: "77" },
    ]);
  });
});

test("storage keys are written as the contract's own type of key", () => {
  const { keyNames } = investigate("auto-restore-and-write").explanation;
  expect(Object.values(keyNames).join("\n")).toMatch(/persistent data p3 of contract C/);
  const kitchen = investigate("write-bytes-exceeded").explanation;
  expect(Object.values(kitchen.keyNames).join("\n")).toMatch(/data Blob\(3\) of contract C/);
});

test("a map has symbols for keys or is none", () => {
  // {a: void}, {void: void}
  const symbol = "AAAAEQAAAAEAAAABAAAADwAAAAFhAAAAAAAAAQ==";
  expect(symbolMapOf(symbol)).toEqual(new Map([["a", voidValue()]]));
  expect(symbolMapOf("AAAAEQAAAAEAAAABAAAAAQAAAAE=")).toBeNull();
  expect(symbolMapOf(voidValue())).toBeNull();
});
