// svc sign auth on the compiled binary, with a real SoftHSM token.

import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  Account,
  Address,
  Contract,
  hash,
  Keypair,
  Networks,
  nativeToScVal,
  Operation,
  TransactionBuilder,
} from "@stellar/stellar-sdk";
import {
  HashIdPreimage,
  HashIdPreimageSorobanAuthorization,
  HostFunction,
  InvokeContractArgs,
  ScVal,
  SorobanAddressCredentials,
  SorobanAuthorizationEntry,
  SorobanAuthorizedFunction,
  SorobanAuthorizedInvocation,
  SorobanCredentials,
} from "@stellar/stellar-sdk/xdr";
import { grouped } from "../../src/base/text/grouped.ts";
import { needs } from "../support/needs.ts";
import { openAnywhere } from "../support/opened.ts";
import { HAS_SOFTHSM, openTreasury, PIN, type SoftHsm } from "../support/softhsm.ts";
import { type Finished, svc } from "./run-svc.ts";

const CONTRACT = "CBBUDP6VSLFXH32DJF67KVDOMLVYBW3VTM6LS4FTHSZU54LFNWB6PT2J";
const OTHER = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 7)).publicKey();
const NONCE = 9007199254740993n;
const UNTIL = 123456;

let hsm: SoftHsm;
let address: string;

beforeAll(async () => {
  if (!HAS_SOFTHSM) return;
  hsm = openTreasury();
  address = JSON.parse((await run(["hsm", "test", "--json"])).stdout).signer;
}, 60_000);

afterAll(() => hsm?.[Symbol.dispose]());

const softhsm = needs("softhsm2 and opensc", HAS_SOFTHSM);

softhsm.describe("svc sign auth", () => {
  test("an entry by itself: shown, signed until the ledger that is given", async () => {
    const entry = entryFor(address, 0).toXdr("base64");
    const words = ["sign", "auth", entry, "--valid-until-ledger", String(UNTIL)];
    const { stdout, stderr, exitCode } = await run(words);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("Test SDF Network ; September 2015 (testnet)");
    expect(stderr).toContain(`${address}, valid until ledger\n    ${grouped(UNTIL)}`);
    expect(stderr).toContain("pay(7_u32)");
    const signed = SorobanAuthorizationEntry.fromXdr(stdout.trim(), "base64");
    expect(holds(signed)).toBe(true);
  });

  test("an envelope: only what is for the key, and the transaction's own signatures go", async () => {
    const envelope = envelopeWith([entryFor(OTHER, UNTIL), entryFor(address, UNTIL)]);
    const { stdout, stderr } = await run(["sign", "auth", "-", "--offline"], envelope);
    expect(stderr).toContain(`1 signed by ${address}.`);
    const facts = openAnywhere(stdout.trim()).authorizations;
    expect(facts.map((each) => [each.address, each.signed])).toEqual([
      [OTHER, false],
      [address, true],
    ]);
    expect(TransactionBuilder.fromXDR(stdout.trim(), Networks.TESTNET).signatures).toEqual([]);
  });

  test("an account of several keys: --for names it", async () => {
    const entry = entryFor(OTHER, UNTIL).toXdr("base64");
    const refused = await run(["sign", "auth", entry]);
    expect([refused.exitCode, refused.stdout]).toEqual([7, ""]);
    expect(refused.stderr).toContain("[SIGNER_UNEXPECTED]");
    const { stdout } = await run(["sign", "auth", entry, "--for", OTHER, "--json"]);
    const document = JSON.parse(stdout);
    expect(document).toMatchObject({ signer: address, signedEntries: 1 });
    expect(holds(SorobanAuthorizationEntry.fromXdr(document.xdr, "base64"))).toBe(true);
  });

  test("entries of others keep their ledger, and what signing changes is said with its condition", async () => {
    const envelope = envelopeWith([entryFor(OTHER, UNTIL), entryFor(address, UNTIL)]);
    const words = ["sign", "auth", "-", "--offline", "--valid-until-ledger", String(UNTIL + 9)];
    const oneLine = (text: string) => text.replaceAll(/\s+/g, " ");
    const unnamed = oneLine((await run(words, envelope)).stderr);
    expect(unnamed).toContain(
      `${address}, valid until ledger ${grouped(UNTIL + 9)}, if its own key signs (now ledger ${grouped(UNTIL)}, not signed)`,
    );
    const named = await run([...words, "--for", address], envelope);
    const shown = oneLine(named.stderr);
    expect(shown).toContain(`${OTHER}, valid until ledger ${grouped(UNTIL)}, not signed`);
    expect(shown).toContain(
      `${address}, valid until ledger ${grouped(UNTIL + 9)} (now ledger ${grouped(UNTIL)}, `,
    );
    const [other, own] = openAnywhere(named.stdout.trim()).authorizations;
    expect([other?.expirationLedger, own?.expirationLedger]).toEqual([UNTIL, UNTIL + 9]);
  });

  test("a signature that does not hold on this network is called invalid", async () => {
    const signed = await run(["sign", "auth", entryFor(address, UNTIL).toXdr("base64")]);
    const here = await run(["sign", "auth", signed.stdout.trim()]);
    expect(here.stderr).toMatch(new RegExp(`not signed|signed by\\s+${address}`));
    expect(here.stderr).not.toContain("INVALID");
    const elsewhere = ["sign", "auth", signed.stdout.trim(), "--network", "mainnet", "--offline"];
    const { stderr } = await run(elsewhere);
    expect(stderr.replaceAll(/\s+/g, " ")).toContain(
      `its signature by ${address} is INVALID on this network`,
    );
  });

  test("what cannot be signed is refused before the token is asked", async () => {
    const unlimited = await run(["sign", "auth", entryFor(address, 0).toXdr("base64")]);
    expect([unlimited.exitCode, unlimited.stderr.includes("--valid-until-ledger")]).toEqual([
      2,
      true,
    ]);
    const garbage = await run(["sign", "auth", "AAAAAAAAAAAAAAAAAAAAAAAA"]);
    expect([garbage.exitCode, garbage.stderr.includes("[FILE_INVALID]")]).toEqual([2, true]);
    const ledger = await run(["sign", "auth", "-", "--valid-until-ledger", "soon"]);
    expect(ledger.exitCode).toBe(2);
  });
});

function run(words: readonly string[], stdin?: string): Promise<Finished> {
  const environment = { ...hsm.environment, SVC_PKCS11_PIN: PIN };
  return svc(words, { environment, ...(stdin !== undefined && { stdin }) });
}

/** Verified with the SDK's own computation of the signed data. */
function holds(entry: SorobanAuthorizationEntry): boolean {
  const { credentials, rootInvocation } = entry;
  if (credentials.type !== "sorobanCredentialsAddress") return false;
  const { nonce, signatureExpirationLedger, signature } = credentials.address;
  if (signatureExpirationLedger !== UNTIL) return false;
  const preimage = HashIdPreimage.envelopeTypeSorobanAuthorization(
    new HashIdPreimageSorobanAuthorization({
      networkId: hash(Networks.TESTNET),
      nonce,
      signatureExpirationLedger,
      invocation: rootInvocation,
    }),
  );
  const made = JSON.parse(JSON.stringify(signature.toJson())).vec[0].map;
  const bytes = Buffer.from(made[1].val.bytes, "hex");
  return Keypair.fromPublicKey(address).verify(hash(preimage.toXdr()), bytes);
}

function entryFor(account: string, until: number): SorobanAuthorizationEntry {
  return new SorobanAuthorizationEntry({
    credentials: SorobanCredentials.sorobanCredentialsAddress(
      new SorobanAddressCredentials({
        address: new Address(account).toScAddress(),
        nonce: NONCE,
        signatureExpirationLedger: until,
        signature: ScVal.scvVoid(),
      }),
    ),
    rootInvocation: new SorobanAuthorizedInvocation({
      function: SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(called()),
      subInvocations: [],
    }),
  });
}

function called(): InvokeContractArgs {
  return new InvokeContractArgs({
    contractAddress: new Contract(CONTRACT).address().toScAddress(),
    functionName: "pay",
    args: [nativeToScVal(7, { type: "u32" })],
  });
}

function envelopeWith(auth: SorobanAuthorizationEntry[]): string {
  const source = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 9));
  const transaction = new TransactionBuilder(new Account(source.publicKey(), "1"), {
    fee: "100",
    networkPassphrase: Networks.TESTNET,
  })
    .addOperation(
      Operation.invokeHostFunction({
        func: HostFunction.hostFunctionTypeInvokeContract(called()),
        auth,
      }),
    )
    .setTimeout(0)
    .build();
  transaction.sign(source);
  return transaction.toXDR();
}
