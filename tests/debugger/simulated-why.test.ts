// Which value decides that a simulated call fails, although its authorizations are recorded and the
// run that finds it checks them: those of another account than the source, of several accounts, of
// a contract, and those that calls below require.

import { expect, test } from "bun:test";
import { LedgerEntry, TransactionEnvelope } from "@stellar/stellar-sdk/xdr";
import type { Replayable } from "../../src/debugger/run/run-variant.ts";
import type { CurrentState } from "../../src/debugger/simulate/current-state.ts";
import { reportSimulation } from "../../src/debugger/simulate/report-simulation.ts";
import { isSorobanKey, keyOfEntry } from "../../src/xdr/reader/keys.ts";
import { ASSET, account, asset, ISSUER, trustline } from "../support/asset-entries.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { contractEntries, executeCall, executeCreation, SOURCE } from "../support/executed.ts";
import { NEVER_ABORTED } from "../support/loopback-walk.ts";
import { ownContract } from "../support/other-code.ts";
import { address, i128, key, map, symbol, u32 } from "../support/said-why.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";
import { softwareSigner } from "../support/software-signer.ts";
import { sowingOf } from "../support/sowing.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

type Json = ReturnType<typeof JSON.parse>;
type Made = Parameters<typeof executeCall>[1];

const replayer = openTestSimulator();
const simulator = openTestRecorder();
const farmer = softwareSigner("the farmer").address;

/** The report of a call, which no authorization comes with, on the entries that are made for it. */
async function simulated(made: Made) {
  return simulatedAgain((await executeCall(replayer, made)).ran);
}

async function simulatedAgain({ record, snapshot }: Replayable) {
  const transactionXdr = changedXdr(TransactionEnvelope, record.envelopeXdr, ({ tx: { tx } }) => {
    tx.ext = "v0";
    tx.operations[0].body.invoke_host_function.auth = [];
  });
  const known = new Map([
    ...snapshot.entries.map(({ keyXdr, entryXdr }) => [keyXdr, entryXdr] as const),
    ...snapshot.settings.map(({ entryXdr }) => [keyOfEntry(entryXdr), entryXdr] as const),
  ]);
  const { ledger } = record;
  const tip = { ...ledger, sequence: ledger.sequence - 1 };
  const entries = new Map();
  const state: CurrentState = {
    latest: async () => ({ tip, entries }),
    withKeys: async (latest, keys) => {
      for (const keyXdr of keys) {
        const entryXdr = known.get(keyXdr) ?? null;
        const isClassic = !isSorobanKey(keyXdr);
        entries.set(
          keyXdr,
          entryXdr && {
            ...{ keyXdr, entryXdr, lastModifiedLedger: 1, archived: false },
            liveUntilLedger: isClassic ? null : 100_000,
          },
        );
      }
      return latest;
    },
  };
  const { networkPassphrase } = record;
  const dependencies = { simulator, replayer, state, networkPassphrase };
  const options = { signal: NEVER_ABORTED, name: "test" };
  return reportSimulation(
    dependencies,
    { transactionXdr, authMode: "record_allow_nonroot" },
    options,
  );
}

/** `sow(who, -3)` of tests/contracts/keys, which requires the authorization of `who`. */
function sowing(who: string) {
  const { contract, code, pail, readWrite, ledger } = sowingOf(who);
  return {
    ...{ contract, function: "sow", arguments: [{ address: who }, i128(-3)] },
    ...{ readOnly: [code], readWrite, absent: [pail], ledger },
  };
}

const SAID = "`sow` failed because `amount` (-3, argument 2) is less than 0";

test("another account than the source has to authorize the call", async () => {
  const { explanation } = await simulated(sowing(farmer));
  expect(explanation.evidence).toEqual([`${SAID}. Run with \`amount\` 0, it gets past this.`]);
});

/** `fwd(other, function, arguments)` of tests/contracts/kitchen calls any function. */
test("a call below the first one requires the authorization of the source", async () => {
  const call = sowing(SOURCE);
  const codes = walkOf("contract-error").snapshot.entries.flatMap(({ entryXdr }) => {
    const { data } = LedgerEntry.fromXdr(entryXdr ?? "", "base64").toJson() as Json;
    return data.contract_code === undefined ? [] : [Buffer.from(data.contract_code.code, "hex")];
  });
  const { contract, entries } = contractEntries(codes[0] as Uint8Array, 12);
  const given = [{ address: call.contract }, symbol(call.function), { vec: call.arguments }];
  const { explanation } = await simulated({
    ...{ ...call, contract, function: "fwd", arguments: given },
    readOnly: [...call.readOnly, ...(entries as Json[])],
  });
  expect(explanation.evidence[0]).toBe(
    `Likely, ${SAID}; \`amount\` is \`args[1]\` (argument 3) of \`fwd\`.`,
  );
});

/** The constructor of tests/contracts/founded requires the owner's authorization for `how` 8. */
test("a constructor decides as a call does", async () => {
  for (const [how, amount, said] of [
    [1, -5n, "`amount` (-5, argument 2) is less than 0. Run with `amount` 0, it succeeds."],
    [8, 501n, "`amount` (501, argument 2) is greater than 500."],
  ] as const) {
    const { ran } = await executeCreation(replayer, {
      wasm: ownContract("founded-z.wasm"),
      arguments: [u32(how), i128(amount), u32(9), address],
    });
    const { explanation } = await simulatedAgain(ran);
    expect(explanation.evidence[0]).toContain(`\`__constructor\` failed because ${said}`);
  }
});

const LAB = 100_000_000n;
const [A, B] = ["one", "other"].map((name) => softwareSigner(name).address) as [string, string];

/** `swap(one, other, …)` of tests/contracts/founded requires both, and both again below it. */
function swapping(one: string, other: string, amount: bigint, back: bigint) {
  const { contract, entries } = contractEntries(ownContract("founded-z.wasm"), 7);
  const ofContract = (holder: string): Json => ({
    contract_data: {
      ...{ ext: "v0", contract: ASSET, durability: "persistent" },
      key: key("Balance", { address: holder }),
      val: map({ amount: i128(LAB), authorized: { bool: true }, clawback: { bool: false } }),
    },
  });
  const people = [one, other].flatMap((each): Json[] =>
    each.startsWith("C")
      ? [ofContract(each)]
      : [account(each, `${LAB}`), trustline(each, `${LAB}`)],
  );
  return {
    ...{ contract, function: "swap" },
    arguments: [{ address: ASSET }, { address: one }, { address: other }, i128(amount), i128(back)],
    readOnly: [...(entries as Json[]), asset(), account(ISSUER, `${LAB}`)],
    readWrite: [...people, ...(contractEntries(SEALED, 9).entries as Json[])],
  };
}

/** A contract whose own code would approve of nothing. */
const SEALED = ownContract("sealed.wasm");
const WALLET = contractEntries(SEALED, 9).contract;

test.each([
  ["two accounts", A, B],
  ["the source and another account", SOURCE, B],
  ["an account and a contract", A, WALLET],
])("%s have to authorize the calls", async (_, one, other) => {
  const { explanation } = await simulated(swapping(one, other, 5n, 7n));
  expect(explanation.evidence[0]).toBe(
    "`swap` failed because `back` (7, argument 5) is greater than `amount` (5, argument 4). Run " +
      "with `back` 5 and newly recorded authorizations and footprint, it succeeds.",
  );
  // No proof: with a smaller amount the call goes on to entries that the simulation did not read.
  const { explanation: spent } = await simulated(swapping(one, other, 200_000_000n, 7n));
  expect(spent.evidence[0]).toContain(
    "`amount` (200000000, 20 LAB, argument 4) is greater than the amount that ",
  );
});

test("a contract whose own code runs besides gives no approval that svc makes up", async () => {
  const called = swapping(A, contractEntries(SEALED, 7).contract, 5n, 7n);
  const { explanation } = await simulated(called);
  expect(explanation.cause?.summary).toContain("FoundedError::FeeOutOfRange");
  expect(explanation.evidence).toEqual([]);
});
