// Failures of a recorded network for authorizations that somebody has to sign: what is recorded for
// them is signed, with a key that the signer's account is given for it, and then passes the host that
// checks.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { LedgerEntry } from "@stellar/stellar-sdk/xdr";
import { RECORDING_BINARY, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { debugTransaction } from "../../src/debugger/debug-transaction.ts";
import { runVariant } from "../../src/debugger/run-variant.ts";
import type { NamedInvocation } from "../../src/model/explanation.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import {
  openRecordingOneShot,
  type RecordingSimulator,
} from "../../src/simulator/recording-simulator.ts";
import { takeEntries } from "../../src/snapshot/take-snapshot.ts";
import { decodeBase64 } from "../../src/xdr/cursor.ts";
import { readSorobanFacts } from "../../src/xdr/envelope.ts";
import { withAuthorizations, withResources } from "../../src/xdr/patch-envelope.ts";
import { readSendingFacts } from "../../src/xdr/sending-facts.ts";
import { authorizationEntries, signAuthorization } from "../../src/xdr/sign-authorization.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { corpusPath, hasCorpus } from "../support/corpus.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { FIXTURE_NETWORK, type RecordedTransaction } from "../support/recorded-network.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { softwareSigner } from "../support/software-signer.ts";

const BUILD_MILLISECONDS = 900_000;
// The part of it in the repository has no such failure.
const MISSING = !existsSync(RECORDING_BINARY) || !hasCorpus("network");
const root = hasCorpus("network") ? corpusPath("network") : FIXTURE_NETWORK;
const signal = NEVER_ABORTED;
/** Of a Signer in an AccountEntry. */
const SIGNER_BYTES = 40;
const KEY = softwareSigner("whoever has to sign");

/** What each signer has to allow: calls as they were made. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "admin_set, entry not signed": ["admin_set(main, 1002)"],
  "admin_set, no auth entries": ["admin_set(main, 1002)"],
  "admin_set, signed by the wrong key": ["admin_set(main, 1003)"],
  "admin_set, signature expired": ["admin_set(main, 1004)"],
  "admin_set, args differ from signed": ["admin_set(main, 1005)"],
  "auth entry replayed (nonce exists)": ["admin_set(main, 1010)"],
  "auth tree: one signer missing": ["tree_fn() > tree_fn()", "tree_fn()"],
};

describe.skipIf(MISSING)("authorizations that others have to sign", () => {
  const loopback = openLoopback({ root });
  const { network } = loopback;
  const simulator = openTestSimulator();
  let recorder: RecordingSimulator;
  beforeAll(() => {
    recorder = openRecordingOneShot(RECORDING_BINARY);
  }, BUILD_MILLISECONDS);
  afterAll(() => loopback[Symbol.asyncDispose]());

  function walkOf(transaction: RecordedTransaction) {
    const before = network.file(transaction).preEntries?.result?.latestLedger;
    return openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
  }

  /** The proposed envelope, its entries signed by KEY, which then signs for every account. */
  async function runSigned(transaction: RecordedTransaction, found: Investigation) {
    const { recording, snapshot, mend } = found;
    if (snapshot === null || !mend?.envelopeXdr) throw new Error("nothing is proposed");
    const { networkPassphrase, ledger } = recording;
    const signedXdr = authorizationEntries(mend.envelopeXdr).map((entryXdr) =>
      mend.signers.reduce((xdr, address) => {
        const terms = { networkPassphrase, address, validUntilLedger: ledger.sequence + 10 };
        return signAuthorization(xdr, terms, KEY) ?? xdr;
      }, entryXdr),
    );
    const facts = readSorobanFacts(decodeBase64(mend.envelopeXdr, "envelope"));
    if (facts === null) throw new Error("not a Soroban transaction");
    // The key that is added makes the accounts' entries larger.
    const diskReadBytes = facts.diskReadBytes + SIGNER_BYTES * mend.signers.length;
    const declared = withResources(mend.envelopeXdr, { diskReadBytes });
    const envelopeXdr = withAuthorizations(declared, signedXdr);
    const keys = [...facts.footprint.readOnly, ...facts.footprint.readWrite];
    const { entries } = await takeEntries(walkOf(transaction), recording, keys, { signal });
    const known = entries.map((entry) => {
      const entryXdr = entry.entryXdr && withSigner(entry.entryXdr);
      return [entry.keyXdr, { ...entry, entryXdr }] as const;
    });
    const variant = { envelopeXdr, entries: new Map(known) };
    return runVariant({ simulator }, { recording, snapshot }, variant, { signal });
  }

  for (const transaction of network.transactions) {
    const required = REQUIRED[transaction.name];
    if (required === undefined) continue;
    test(transaction.name, async () => {
      const walk = { ...walkOf(transaction), simulator, recorder, progress: () => {} };
      const found = await debugTransaction(walk, transaction.hash, { signal });
      const { mend } = found;
      if (mend?.proof?.outcome !== "recorded") throw new Error(mend?.summary);
      const { authorizations } = mend.proof;
      expect(authorizations.map(({ invocation }) => inWords(invocation))).toEqual([...required]);
      expect(authorizations.some(({ signed }) => signed)).toBe(false);
      expect(mend.kinds).toContain("authorization");
      const signers = authorizations.flatMap(({ signer }) => signer ?? []);
      expect(mend.authorizationSigners).toEqual([...new Set(signers)]);
      const { signers: ofTransaction } = readSendingFacts(mend.envelopeXdr ?? "");
      expect(mend.transactionSigners).toEqual(ofTransaction);
      expect(mend.summary).toContain("Sign it with svc sign auth");
      expect(authorizationEntries(mend.envelopeXdr ?? "")).toEqual(
        authorizations.map(({ entryXdr }) => entryXdr),
      );
      expect((await runSigned(transaction, found)).outcome).toEqual({ kind: "success" });
    });
  }

  for (const transaction of network.transactions) {
    if (transaction.name !== "custom account bad signature") continue;
    test("a contract's own check is said not to be part of it", async () => {
      const walk = { ...walkOf(transaction), simulator, recorder, progress: () => {} };
      const { mend } = await debugTransaction(walk, transaction.hash, { signal });
      expect(mend?.proof?.outcome).toBe("recorded");
      expect(mend?.summary).toContain("simulate the signed envelope too");
      // Its __check_auth decides what a signature is: svc sign auth knows those of accounts alone.
      expect(mend?.summary).toContain(`${mend?.authorizationSigners[0]} is a contract`);
      expect(mend?.summary).not.toContain("Sign it with svc sign auth");
    });
  }

  test("what cannot be recorded is told beside what is missing", async () => {
    const transaction = network.transactions.find(({ name }) => name in REQUIRED);
    if (transaction === undefined) throw new Error("the network has no such failure");
    const broken = { ...walkOf(transaction), simulator, progress: () => {} };
    // It answers as the build that replays.
    const wrong = openRecordingOneShot(SIMULATOR_BINARY);
    const deps = { ...broken, recorder: wrong };
    const { mend } = await debugTransaction(deps, transaction.hash, { signal });
    expect(mend?.proof?.outcome).toBe("unproven");
    expect(mend?.summary).toContain("What has to be signed could not be recorded.");
    expect(mend?.envelopeXdr).toBeNull();
  });
});

function inWords({ function: name, arguments: values, calls }: NamedInvocation): string {
  const call = `${name}(${values.join(", ")})`;
  return [call, ...calls.map(inWords)].join(" > ");
}

/** Of an account; any other entry stays. */
function withSigner(entryXdr: string): string {
  if (LedgerEntry.fromXdr(entryXdr, "base64").data.type !== "account") return entryXdr;
  return changedXdr(LedgerEntry, entryXdr, ({ data: { account } }) => {
    account.signers = [{ key: KEY.address, weight: 255 }];
  });
}
