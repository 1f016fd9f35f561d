// Failures of a recorded network for authorizations that others have to sign. The recorded entries
// are signed, with a key that is added to the signer's account, and then pass the host that checks
// them.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { LedgerEntry } from "@stellar/stellar-sdk/xdr";
import { RECORDING_BINARY, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { phraseFor, SHELL } from "../../src/base/phrase.ts";
import { runVariant } from "../../src/debugger/run/run-variant.ts";
import { debugTransaction } from "../../src/debugger/walk/debug-transaction.ts";
import type { NamedInvocation } from "../../src/model/authorizations.ts";
import type { Investigation } from "../../src/model/investigation.ts";
import { renderText } from "../../src/report/text/render-text.ts";
import { openRecordingOneShot } from "../../src/simulator/one-shot.ts";
import type { RecordingSimulator } from "../../src/simulator/recording-simulator.ts";
import { takeEntries } from "../../src/snapshot/gather/take-snapshot.ts";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { withAuthorizations, withResources } from "../../src/xdr/envelope/patch-envelope.ts";
import { signAuthorization } from "../../src/xdr/envelope/sign-authorization.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { openAnywhere, opened, sorobanOf } from "../support/opened.ts";
import type { RecordedTransaction } from "../support/recorded-network.ts";
import { said } from "../support/said.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { softwareSigner } from "../support/software-signer.ts";

const BUILD_MILLISECONDS = 900_000;
const signal = NEVER_ABORTED;
/** Size of a Signer in an AccountEntry. */
const SIGNER_BYTES = 40;
const KEY = softwareSigner("whoever has to sign");

/** The calls that each signer has to allow. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  "admin_set, entry not signed": ["admin_set(main, 1002)"],
  "admin_set, no auth entries": ["admin_set(main, 1002)"],
  "admin_set, signed by the wrong key": ["admin_set(main, 1003)"],
  "admin_set, signature expired": ["admin_set(main, 1004)"],
  "admin_set, args differ from signed": ["admin_set(main, 1005)"],
  "auth tree: one signer missing": ["tree_fn() > tree_fn()", "tree_fn()"],
};

describe("authorizations that others have to sign", () => {
  const loopback = openLoopback();
  const { network } = loopback;
  const simulator = openTestSimulator();
  let recorder: RecordingSimulator;
  beforeAll(() => {
    recorder = openRecordingOneShot({ path: RECORDING_BINARY });
  }, BUILD_MILLISECONDS);
  afterAll(() => loopback[Symbol.asyncDispose]());

  function walkOf(transaction: RecordedTransaction) {
    const before = network.file(transaction).preEntries?.result?.latestLedger;
    return openWalk(loopback, { rpc: [`entries-at=${before ?? transaction.ledger}`] });
  }

  /** The proposed envelope, its entries signed by KEY, which then signs for every account. */
  async function runSigned(transaction: RecordedTransaction, found: Investigation) {
    const { record, snapshot, fix } = found;
    if (snapshot === null || !fix?.envelopeXdr) throw new Error("nothing is proposed");
    const { networkPassphrase, ledger } = record;
    const proposed = openEnvelope(fix.envelopeXdr, networkPassphrase);
    const signedXdr = proposed.authorizationsXdr.map((entryXdr) =>
      fix.signers.reduce((xdr, address) => {
        const terms = { networkPassphrase, address, validUntilLedger: ledger.sequence + 10 };
        return signAuthorization(xdr, terms, KEY) ?? xdr;
      }, entryXdr),
    );
    const facts = sorobanOf(proposed);
    // The added key makes the accounts' entries larger.
    const diskReadBytes = facts.diskReadBytes + SIGNER_BYTES * fix.signers.length;
    const declared = withResources(proposed, { diskReadBytes });
    const envelope = withAuthorizations(declared, signedXdr);
    const captured = opened({ record, snapshot });
    const keys = [...facts.footprint.readOnly, ...facts.footprint.readWrite];
    const { entries } = await takeEntries(walkOf(transaction), captured, keys, { signal });
    const known = entries.map((entry) => {
      const entryXdr = entry.entryXdr && withSigner(entry.entryXdr);
      return [entry.keyXdr, { ...entry, entryXdr }] as const;
    });
    const variant = { envelope, entries: new Map(known) };
    return runVariant({ simulator }, captured, variant, { signal });
  }

  for (const [name, required] of Object.entries(REQUIRED)) {
    test(name, async () => {
      const transaction = network.named(name);
      const walk = { ...walkOf(transaction), simulator, recorder, progress: () => {} };
      const found = await debugTransaction(walk, transaction.hash, { signal });
      const { fix } = found;
      if (fix?.proof?.outcome !== "recorded")
        throw new Error(phraseFor(fix?.summary ?? "no fix", SHELL));
      const { authorizations } = fix.proof;
      expect(authorizations.map(({ invocation }) => inWords(invocation))).toEqual([...required]);
      const kept = authorizations.filter(({ signed }) => signed);
      // One of two signed for the same calls.
      expect(kept.length).toBe(name.includes("one signer missing") ? 1 : 0);
      for (const { signer } of kept)
        expect(phraseFor(fix.summary, SHELL)).toContain(
          `The entry that ${signer} signed stays unchanged. It is valid until ledger `,
        );
      expect(fix.kinds).toContain("authorization");
      expect(renderText(found, { color: false })).not.toContain("\nRemedy\n");
      const signers = authorizations.flatMap(({ signer, signed }) =>
        signer === null || signed ? [] : [signer],
      );
      expect(fix.authorizationSigners).toEqual([...new Set(signers)]);
      const proposed = openAnywhere(fix.envelopeXdr ?? "");
      expect(fix.transactionSigners).toEqual(proposed.terms.signers);
      expect(phraseFor(fix.summary, SHELL)).toContain(
        "Sign each authorization with `authorizeEntry` of",
      );
      expect(proposed.authorizationsXdr).toEqual(authorizations.map(({ entryXdr }) => entryXdr));
      expect((await runSigned(transaction, found)).outcome).toEqual({ kind: "success" });
    });
  }

  test("what an earlier transaction has done is not proposed to be signed again", async () => {
    const transaction = network.named("auth entry replayed (nonce exists)");
    const walk = { ...walkOf(transaction), simulator, recorder, progress: () => {} };
    const found = await debugTransaction(walk, transaction.hash, { signal });
    expect(found.fix).toMatchObject({ finding: "done", proof: null, envelopeXdr: null });
    const text = renderText(found, { color: false });
    expect(text).toContain("\nRemedy\n  Do not send this call again: ");
    expect(text).not.toMatch(/--fix|\nFix\n/);
  });

  test("the summary says that a contract's own check is not included", async () => {
    const transaction = network.named("custom account bad signature");
    const walk = { ...walkOf(transaction), simulator, recorder, progress: () => {} };
    const { fix } = await debugTransaction(walk, transaction.hash, { signal });
    expect(fix?.proof?.outcome).toBe("recorded");
    expect(said(fix?.summary)).toContain("Simulate the signed envelope with `svc simulate`");
    // Its __check_auth decides the form of a signature: what signs for accounts cannot create it.
    expect(said(fix?.summary)).toContain(`${fix?.authorizationSigners[0]} is a contract`);
    expect(said(fix?.summary)).not.toContain("`svc sign auth`");
  });

  test("a failed recording is reported together with what is missing", async () => {
    const transaction = network.named("admin_set, entry not signed");
    const broken = { ...walkOf(transaction), simulator, progress: () => {} };
    // It responds like the build that replays.
    const wrong = openRecordingOneShot({ path: SIMULATOR_BINARY });
    const deps = { ...broken, recorder: wrong };
    const { fix } = await debugTransaction(deps, transaction.hash, { signal });
    expect(fix?.proof?.outcome).toBe("unproven");
    expect(said(fix?.summary)).toContain("The required authorizations could not be recorded.");
    expect(fix?.envelopeXdr).toBeNull();
  });
});

function inWords({ function: name, arguments: values, calls }: NamedInvocation): string {
  const call = `${name}(${values.join(", ")})`;
  return [call, ...calls.map(inWords)].join(" > ");
}

/** Only for an account; any other entry does not change. */
function withSigner(entryXdr: string): string {
  if (LedgerEntry.fromXdr(entryXdr, "base64").data.type !== "account") return entryXdr;
  return changedXdr(LedgerEntry, entryXdr, ({ data: { account } }) => {
    account.signers = [{ key: KEY.address, weight: 255 }];
  });
}
