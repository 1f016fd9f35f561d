// Compares signed authorizations with those of stellar-sdk: the same bytes for every kind of
// credentials.

import { expect, onTestFinished, test } from "bun:test";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { authorizeEntry, Keypair, Networks, StrKey } from "@stellar/stellar-sdk";
import {
  InvokeContractArgs,
  ScAddress,
  ScVal,
  SorobanAddressCredentials,
  SorobanAddressCredentialsWithDelegates,
  SorobanAuthorizationEntry,
  SorobanAuthorizedFunction,
  SorobanAuthorizedInvocation,
  SorobanCredentials,
} from "@stellar/stellar-sdk/xdr";
import { openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import { withAuthorizations } from "../../src/xdr/envelope/patch-envelope.ts";
import { signAuthorization } from "../../src/xdr/envelope/sign-authorization.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";
import { softwareSigner } from "../support/software-signer.ts";

const ALICE = softwareSigner("alice");
const BOB = softwareSigner("bob");
const seed = createHash("sha256").update("a key for tests: alice").digest();
const ALICE_KEYPAIR = Keypair.fromSecret(StrKey.encodeEd25519SecretSeed(seed));
const UNTIL = 4321;
const TERMS = { networkPassphrase: Networks.TESTNET, address: ALICE.address };

const KINDS: Readonly<Record<string, (given: SorobanAddressCredentials) => SorobanCredentials>> = {
  address: SorobanCredentials.sorobanCredentialsAddress,
  "address, version 2": SorobanCredentials.sorobanCredentialsAddressV2,
  "address with delegates": (addressCredentials) =>
    SorobanCredentials.sorobanCredentialsAddressWithDelegates(
      new SorobanAddressCredentialsWithDelegates({ addressCredentials, delegates: [] }),
    ),
};

test("the key is the same in both libraries", () => {
  expect(ALICE_KEYPAIR.publicKey()).toBe(ALICE.address);
});

for (const [kind, credentials] of Object.entries(KINDS)) {
  test(`${kind}: as stellar-sdk signs it`, async () => {
    const entry = entryOf(credentials, 0);
    const terms = { ...TERMS, validUntilLedger: UNTIL };
    const theirs = await authorizeEntry(entry, ALICE_KEYPAIR, UNTIL, Networks.TESTNET);
    expect(signAuthorization(entry.toXdr("base64"), terms, ALICE)).toBe(theirs.toXdr("base64"));
  });

  test(`${kind}: several keys of one account are sorted, without duplicates`, () => {
    const terms = { ...TERMS, validUntilLedger: null };
    const sign = (xdr: string | null, signer: typeof ALICE) =>
      signAuthorization(xdr ?? "", terms, signer);
    const entry = entryOf(credentials, UNTIL).toXdr("base64");
    const aliceFirst = sign(sign(entry, ALICE), BOB);
    const bobFirst = sign(sign(sign(entry, BOB), ALICE), BOB);
    expect(aliceFirst).toBe(bobFirst as string);
    expect(aliceFirst).not.toBe(sign(entry, BOB));
  });
}

test("another expiration ledger removes signatures that are no longer valid", () => {
  const entry = entryOf(SorobanCredentials.sorobanCredentialsAddress, UNTIL).toXdr("base64");
  const byBob = signAuthorization(entry, { ...TERMS, validUntilLedger: null }, BOB) ?? "";
  const later = { ...TERMS, validUntilLedger: UNTIL + 1 };
  expect(signAuthorization(byBob, later, ALICE)).toBe(signAuthorization(entry, later, ALICE));
});

test("an entry for another address, or for the source account, is not signed", () => {
  const entry = entryOf(SorobanCredentials.sorobanCredentialsAddress, UNTIL);
  const terms = { ...TERMS, validUntilLedger: null };
  const other = { ...terms, address: BOB.address };
  expect(signAuthorization(entry.toXdr("base64"), other, BOB)).toBeNull();
  const { rootInvocation } = entry;
  const source = new SorobanAuthorizationEntry({
    credentials: SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation,
  });
  expect(signAuthorization(source.toXdr("base64"), terms, ALICE)).toBeNull();
});

test("the program in docs/fix.md signs the entries of its own key, and no others", async () => {
  const guide = await Bun.file(join(import.meta.dir, "../../docs/fix.md")).text();
  const [, code = ""] = /```js\n(.*?)```/s.exec(guide) ?? [];
  // It stands next to the package that it imports.
  const path = join(import.meta.dir, "../../node_modules", `.sign-auth-${process.pid}.mjs`);
  await Bun.write(path, code);
  onTestFinished(() => rmSync(path));
  const own = entryOf(SorobanCredentials.sorobanCredentialsAddress, 0);
  const ofBob = changedXdr(SorobanAuthorizationEntry, own.toXdr("base64"), ({ credentials }) => {
    credentials.address.address = BOB.address;
  });
  const network = new RecordedNetwork();
  const { envelopeXdr } = network.file(network.named("admin_set, no auth entries"))
    .rpcGetTransaction.result;
  const asked = openEnvelope(String(envelopeXdr), Networks.TESTNET);
  const unsigned = withAuthorizations(asked, [ofBob, own.toXdr("base64")]);
  const run = Bun.spawnSync({
    cmd: [process.execPath, path, unsigned.xdr, String(UNTIL), Networks.TESTNET],
    env: { ...process.env, SECRET: ALICE_KEYPAIR.secret() },
  });
  const signed = await authorizeEntry(own, ALICE_KEYPAIR, UNTIL, Networks.TESTNET);
  expect(run.stderr.toString()).toBe("");
  const { authorizationsXdr } = openEnvelope(run.stdout.toString().trim(), Networks.TESTNET);
  expect(authorizationsXdr).toEqual([ofBob, signed.toXdr("base64")]);
});

function entryOf(
  credentials: (given: SorobanAddressCredentials) => SorobanCredentials,
  signatureExpirationLedger: number,
): SorobanAuthorizationEntry {
  const contractAddress = ScAddress.fromXdr(Buffer.from(`00000001${"ab".repeat(32)}`, "hex"));
  const called = new InvokeContractArgs({
    contractAddress,
    functionName: "pay",
    args: [ScVal.scvU32(7)],
  });
  return new SorobanAuthorizationEntry({
    credentials: credentials(
      new SorobanAddressCredentials({
        address: ScAddress.fromXdr(Buffer.concat([Buffer.alloc(8), Buffer.from(ALICE.publicKey)])),
        nonce: 9007199254740993n,
        signatureExpirationLedger,
        signature: ScVal.scvVoid(),
      }),
    ),
    rootInvocation: new SorobanAuthorizedInvocation({
      function: SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(called),
      subInvocations: [],
    }),
  });
}
