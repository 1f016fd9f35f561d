// What makes a sentence about the value that decided certain. A proof changes an argument that
// somebody signed for: that signature is for the old one. Then runs that record the authorizations
// show which value decided.

import { expect, test } from "bun:test";
import { SorobanAuthorizationEntry } from "@stellar/stellar-sdk/xdr";
import { captureTransaction } from "../../src/debugger/walk/capture-transaction.ts";
import { replayCaptured } from "../../src/debugger/walk/replay-captured.ts";
import { provenRemedy } from "../../src/explain/naming/proven-remedy.ts";
import type { Provenance } from "../../src/model/provenance.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import { signAuthorization } from "../../src/xdr/envelope/sign-authorization.ts";
import { settingOfLimit, withNetworkLimit } from "../../src/xdr/ledger/settings.ts";
import { madeXdr } from "../support/changed-xdr.ts";
import { executeCall } from "../support/executed.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { i128, whyOf } from "../support/said-why.ts";
import { openTestRecorder, openTestSimulator } from "../support/simulator.ts";
import { softwareSigner } from "../support/software-signer.ts";
import { sowingOf } from "../support/sowing.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

type Json = ReturnType<typeof JSON.parse>;

const simulator = openTestSimulator();
const recorder = openTestRecorder();
const farmer = softwareSigner("the farmer");
const NONCE = "5";
const UNTIL = 90_000;

const address = (text: string): Json => ({ address: text });

/** `sow(farmer, amount)` of tests/contracts/keys: it requires the farmer's authorization first. */
async function sow(
  amount: bigint,
  by: RecordingSimulator | null,
  present: boolean,
  eventsBytes: number | null = null,
) {
  const { contract, code, pail, readWrite, ledger } = sowingOf(farmer.address);
  const given = [address(farmer.address), i128(amount)];
  const call = { contract_address: contract, function_name: "sow", args: given };
  const credentials = {
    ...{ address: farmer.address, nonce: NONCE },
    ...{ signature_expiration_ledger: UNTIL, signature: "void" },
  };
  const unsigned = madeXdr(SorobanAuthorizationEntry, {
    credentials: { address: credentials },
    root_invocation: { function: { contract_fn: call }, sub_invocations: [] },
  });
  const { networkPassphrase } = walkOf("contract-error").record;
  const terms = { networkPassphrase, address: farmer.address, validUntilLedger: UNTIL };
  const signed = signAuthorization(unsigned, terms, farmer) ?? "";
  const { ran, execution } = await executeCall(simulator, {
    ...{ contract, function: "sow", arguments: given },
    authorizations: [SorobanAuthorizationEntry.fromXdr(signed, "base64").toJson()],
    readOnly: [code, accountOf(farmer.address)],
    readWrite,
    absent: [
      ...(present ? [pail] : []),
      {
        contract_data: {
          ...{ contract: farmer.address, durability: "temporary" },
          key: { ledger_key_nonce: { nonce: NONCE } },
        },
      },
    ],
    ledger,
  });
  const settings = ran.snapshot.settings.map((setting) =>
    eventsBytes !== null && setting.name === settingOfLimit("eventsBytes")
      ? { ...setting, entryXdr: withNetworkLimit(setting.entryXdr, "eventsBytes", eventsBytes) }
      : setting,
  );
  const snapshot = { ...ran.snapshot, settings };
  const found = await whyOf(simulator, { ...ran, snapshot, execution }, true, by);
  if (found?.said == null) throw new Error("nothing is said");
  return { said: found.said, remedy: provenRemedy(found.said, ran.record.ledger), ran };
}

const accountOf = (id: string): Json => ({
  account: {
    ...{ account_id: id, balance: "1000000000", seq_num: "1", num_sub_entries: 0 },
    ...{ inflation_dest: null, flags: 0, home_domain: "", thresholds: "01000000" },
    ...{ signers: [], ext: "v0" },
  },
});

const HELD = "`sow` failed because `amount` (-3, argument 2) is less than 0.";

test("an argument that was signed for: proven by runs that record what has to be signed", async () => {
  const { said, remedy } = await sow(-3n, recorder, true);
  expect(said.summary).toBe(
    `${HELD} Run with \`amount\` 0 and newly recorded authorizations and footprint, it succeeds.`,
  );
  expect(said.confidence).toBe("known");
  expect(said.proof?.recorded).toEqual({ signers: [farmer.address] });
  expect(remedy).toBe(`Pass at least 0 as \`amount\`. Have ${farmer.address} authorize that call.`);
});

test("what was recorded is not offered as a run with flags, which change no authorization", async () => {
  const { ran } = await sow(-3n, recorder, true);
  const options = { signal: NEVER_ABORTED };
  const found = await replayCaptured({ simulator, recorder, progress: () => {} }, ran, options);
  expect(found.explanation.decidedBy?.proof?.outcome).toBe("succeeds");
  // The cause says so, and the fix does not say it again.
  expect(found.fix?.summary).not.toContain("it succeeds");
  expect(found.next.map(({ kind }) => kind)).not.toContain("what-if-argument");
});

test("without a recording simulator, an entry that is needed, or room in the limits: likely", async () => {
  for (const [by, present, eventsBytes] of [
    [null, true, null],
    [recorder, false, null],
    // The result alone is larger than the network allows here.
    [recorder, true, 3],
  ] as const) {
    const { said, remedy } = await sow(-3n, by, present, eventsBytes);
    expect(said.summary).toBe(`Likely, ${HELD}`);
    expect(said.proof).toBeNull();
    expect(remedy).toBeNull();
  }
});

test("what rests on an entry whose state was assumed is likely", async () => {
  await using loopback = openLoopback();
  const { hash, ledger } = loopback.network.named("auth entry replayed (nonce exists)");
  const walk = openWalk(loopback, { rpc: [`entries-at=${ledger}`] });
  const dependencies = { ...walk, progress: () => {} };
  const captured = await captureTransaction(dependencies, hash, { signal: NEVER_ABORTED });
  const confidence = async (provenance: Provenance) => {
    const { snapshot } = captured;
    const entries = snapshot?.entries.map((entry) => ({ ...entry, provenance })) ?? [];
    const assumed = { ...captured, snapshot: snapshot && { ...snapshot, entries } };
    const options = { signal: NEVER_ABORTED };
    const found = await replayCaptured({ simulator, progress: () => {} }, assumed, options);
    expect(found.explanation.decidedBy?.summary).toContain("required the authorization of Admin (");
    return found.explanation.decidedBy?.confidence;
  };
  expect(await confidence({ kind: "meta", detail: "" })).toBe("known");
  expect(await confidence({ kind: "rpc-unchanged", detail: "" })).toBe("likely");
  expect(await confidence({ kind: "assumed", detail: "some ledgers are missing" })).toBe("likely");
});
