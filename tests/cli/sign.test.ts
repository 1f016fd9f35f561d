// svc sign and svc hsm on the compiled binary, with a real SoftHSM token: the output, and the
// signatures, which third-party code verifies (stellar-sdk, node:crypto).

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  Account,
  Asset,
  FeeBumpTransaction,
  Keypair,
  Memo,
  Networks,
  Operation,
  type Transaction,
  TransactionBuilder,
} from "@stellar/stellar-sdk";
import { needs } from "../support/needs.ts";
import { HAS_SOFTHSM, openTreasury, PIN, type SoftHsm } from "../support/softhsm.ts";
import { type Finished, inTemporaryDirectory, svc } from "./run-svc.ts";

const CAPSULE = resolve(import.meta.dir, "../../examples/overflow-in-callee.capsule.json");
const STANDALONE = "Standalone Network ; February 2017";
const ENVELOPE: string = JSON.parse(readFileSync(CAPSULE, "utf8")).record.envelopeXdr;

let hsm: SoftHsm;
let address: string;

beforeAll(async () => {
  if (!HAS_SOFTHSM) return;
  hsm = openTreasury();
  const { stdout } = await sign(["hsm", "list", "--json"]);
  const [{ token }] = JSON.parse(stdout).module.slots;
  address = token.privateKeys[0].address;
}, 60_000);

afterAll(() => hsm?.[Symbol.dispose]());

const softhsm = needs("softhsm2 and opensc", HAS_SOFTHSM);

softhsm.describe("svc hsm", () => {
  test("list: module, slots, tokens, mechanisms, keys with their addresses", async () => {
    const { stdout, exitCode } = await sign(["hsm", "list"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Module ${hsm.module}`);
    expect(stdout).toMatch(/mechanisms {2}\d+, with CKM_EDDSA/);
    expect(stdout).toContain(`"first" ID 01, Ed25519\n      ${address}`);
    expect(stdout).toContain("a blank token, not initialized");
  });

  test("list without a PIN: only public keys, with a hint", async () => {
    const { stdout } = await sign(["hsm", "list"], { SVC_PKCS11_PIN: "" });
    expect(stdout).toContain("public keys");
    expect(stdout).toContain(address);
    expect(stdout).toContain("private keys: to list them, set the PIN");
  });

  test("test: a random challenge is signed and the signature is valid", async () => {
    const { stdout, exitCode } = await sign(["hsm", "test", "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ signer: address, verified: true });
  });
});

softhsm.describe("svc sign", () => {
  test("a contract call: shown with its names, signed, nothing else on stdout", async () => {
    const words = ["sign", ENVELOPE, "--from", CAPSULE, "--network-passphrase", STANDALONE];
    const { stdout, stderr, exitCode } = await sign(words);
    expect(exitCode).toBe(0);
    expect(stderr).toContain(`network      ${STANDALONE}`);
    expect(stderr).toContain("add_with(x: 2147483647_i32, y: 4_i32,");
    expect(stderr).toContain("at most 520,716 stroops, including 255,358 for resources");
    expect(stderr).toContain(
      "signed by    GBBVQL7M2PWJGTIKY45VD32I67RQ77PZYCBWTCUMZTBVFWYRTVNHTKO4\n",
    );
    expect(stderr).toContain("is not an account in the transaction");
    const signed = transactionOf(stdout, STANDALONE);
    expect(holdsFor(signed)).toBe(true);
    expect(signed.signatures.length).toBe(2);
  });

  test("a transaction whose time bounds have passed is signed with a warning", async () => {
    const timed = (maxTime: number) => {
      const builder = new TransactionBuilder(new Account(address, "1"), {
        fee: "100",
        networkPassphrase: Networks.TESTNET,
        timebounds: { minTime: 0, maxTime },
      });
      return builder
        .addOperation(Operation.bumpSequence({ bumpTo: "2" }))
        .build()
        .toXDR();
    };
    const passed = await sign(["sign", timed(1_700_000_000)]);
    expect(passed.exitCode).toBe(0);
    expect(passed.stderr).toContain("time bounds of the transaction passed at 2023-11-14T22:13:20");
    for (const maxTime of [0, 4_102_444_800]) {
      const { stderr, exitCode } = await sign(["sign", timed(maxTime)]);
      expect([exitCode, stderr.includes("time bounds of the transaction passed")]).toEqual([
        0,
        false,
      ]);
    }
  });

  test("a payment and its like: every field is shown, hostile text as what it is", async () => {
    const transaction = new TransactionBuilder(new Account(address, "41"), {
      fee: "100",
      networkPassphrase: Networks.TESTNET,
      memo: Memo.text("\u001b[31mhi"),
    })
      .addOperation(
        Operation.payment({
          destination: address,
          asset: new Asset("USD", address),
          amount: "10.5",
        }),
      )
      .addOperation(Operation.setOptions({ homeDomain: "a\u202eb.example" }))
      .addOperation(Operation.manageData({ name: "key", value: null }))
      .setTimeout(0)
      .build();
    const { stdout, stderr } = await sign(["sign", transaction.toXDR(), "--offline"]);
    expect(stderr).toContain("Test SDF Network ; September 2015 (testnet)");
    expect(stderr).toContain("10.5000000 (105,000,000 stroops)");
    expect(stderr).toContain(`USD:${address}`);
    expect(stderr).toContain("at most 300 stroops");
    expect(stderr).toContain("a\\xe2\\x80\\xaeb.example");
    // An absent value is shown only where its absence has a meaning.
    expect(stderr).toMatch(/data_name +key\n +data_value +\(none\)/);
    expect(stderr).not.toContain("set_flags");
    expect(stderr).not.toContain("\u001b");
    expect(stderr).not.toContain("\u202e");
    expect(holdsFor(transactionOf(stdout, Networks.TESTNET))).toBe(true);
  });

  test("a fee-bump: the outer hash is signed, the inner transaction stays as it is", async () => {
    const owner = Keypair.random();
    const inner = new TransactionBuilder(new Account(owner.publicKey(), "1"), {
      fee: "100",
      networkPassphrase: Networks.PUBLIC,
    })
      .addOperation(Operation.inflation({}))
      .setTimeout(0)
      .build();
    inner.sign(owner);
    const bump = TransactionBuilder.buildFeeBumpTransaction(address, "400", inner, Networks.PUBLIC);
    const words = ["sign", "-", "--network", "mainnet", "--offline"];
    const { stdout, stderr } = await sign(words, {}, bump.toXDR());
    expect(stderr).toContain("fee source");
    expect(stderr).toContain(owner.publicKey());
    const signed = transactionOf(stdout, Networks.PUBLIC) as unknown as FeeBumpTransaction;
    expect(signed).toBeInstanceOf(FeeBumpTransaction);
    expect(holdsFor(signed)).toBe(true);
    expect(signed.innerTransaction.signatures.length).toBe(1);
  });

  test("on another network, existing signatures are shown as invalid", async () => {
    const { stderr } = await sign(["sign", ENVELOPE, "--offline"]);
    expect(stderr).toMatch(/a key with the hint 119d5a79: INVALID on this\s+network/);
  });

  test("twice: the second time nothing is added", async () => {
    const words = ["sign", ENVELOPE, "--offline"];
    const once = await sign(words);
    const twice = await sign(["sign", once.stdout.trim(), "--offline"]);
    expect(twice.stdout).toBe(once.stdout);
    expect(twice.stderr).toContain("nothing was added");
  });

  test("from a file, as JSON", async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, "envelope");
      writeFileSync(file, `${ENVELOPE.slice(0, 76)}\n${ENVELOPE.slice(76)}\n`);
      const { stdout } = await sign(["sign", file, "--offline", "--json"]);
      const document = JSON.parse(stdout);
      expect(document).toMatchObject({ format: 1, signer: address, added: true });
      expect(holdsFor(transactionOf(document.envelopeXdr, Networks.TESTNET))).toBe(true);
    });
  });

  test("another key than the expected one signs nothing: exit code 7", async () => {
    const other = Keypair.random().publicKey();
    const refused = await sign(["sign", ENVELOPE, "--offline", "--expect-signer", other]);
    expect([refused.exitCode, refused.stdout]).toEqual([7, ""]);
    expect(refused.stderr).toContain("[SIGNER_UNEXPECTED]");
    const { exitCode } = await sign(["sign", ENVELOPE, "--offline", "--expect-signer", address]);
    expect(exitCode).toBe(0);
  });

  test("a node that cannot be asked costs the names, not the signature", async () => {
    const words = ["sign", ENVELOPE, "--rpc-url", "http://127.0.0.1:1"];
    const { stderr, exitCode } = await sign(words);
    expect(exitCode).toBe(0);
    expect(stderr).toContain("shown without names");
    expect(stderr).toContain("add_with(2147483647_i32, 4_i32,");
  });

  test("input that is not an envelope is refused before the token is used", async () => {
    const { exitCode, stderr } = await sign(["sign", "AAAAAgAAAABDWC/s0+yTTQrH"], {
      SVC_PKCS11_MODULE: "",
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain("[FILE_INVALID]");
    const neither = await sign(["sign"]);
    expect([neither.exitCode, neither.stderr.includes("--payload FILE")]).toEqual([2, true]);
  });

  test("--payload: any bytes, with their SHA-256 and the public key", async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, "release.tar");
      const bytes = Buffer.from("any bytes\u0000at all, and more of them");
      writeFileSync(file, bytes);
      const { stdout, stderr } = await sign(["sign", "--payload", file]);
      const document = JSON.parse(stdout);
      const sha256 = createHash("sha256").update(bytes).digest("hex");
      expect(document).toMatchObject({ payloadSha256: sha256, signer: address });
      expect(stderr).toContain(sha256);
      const signature = Buffer.from(document.signature, "base64");
      expect(Keypair.fromPublicKey(address).verify(bytes, signature)).toBe(true);
    });
  });

  test("--payload of 32 bytes could be a transaction's hash, and is refused", async () => {
    await inTemporaryDirectory(async (directory) => {
      const file = join(directory, "hash");
      writeFileSync(file, new Uint8Array(32));
      const { exitCode, stderr } = await sign(["sign", "--payload", file]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain("may be the hash of a transaction");
    });
  });
});

function sign(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  stdin?: string,
): Promise<Finished> {
  return svc(words, {
    environment: { ...hsm.environment, SVC_PKCS11_PIN: PIN, ...environment },
    ...(stdin !== undefined && { stdin }),
  });
}

function transactionOf(envelopeXdr: string, passphrase: string): Transaction {
  return TransactionBuilder.fromXDR(envelopeXdr.trim(), passphrase) as Transaction;
}

/** The SDK accepts its last signature. */
function holdsFor(transaction: Pick<Transaction, "hash" | "signatures">): boolean {
  const last = transaction.signatures.at(-1);
  if (last === undefined) return false;
  const key = Keypair.fromPublicKey(address);
  return (
    Buffer.compare(key.signatureHint(), last.hint.toXdr()) === 0 &&
    key.verify(transaction.hash(), last.signature)
  );
}
