// A contract of protocol 30 on a fork of protocol 30: signatures of ML-DSA (CAP-87), made by another
// implementation, and contracts' addresses with an id (CAP-84). Each call is replayed exactly, and each
// failure has its cause, in every command that shows one.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt } from "../scripts/ensure-built.ts";
import { encodeStrkey } from "../src/base/text/strkey.ts";
import { encode } from "../src/xdr/reader/value.ts";
import { svc } from "./cli/run-svc.ts";
import { Session } from "./dap/debug-client.ts";
import {
  type Argument,
  address,
  bytes,
  CUSTOMER,
  i128,
  muxedAccount,
  muxedContract,
  openSealed,
  type SealedFork,
  SIGNED,
} from "./support/sealed-contract.ts";

let fork: SealedFork;
const directory = mkdtempSync(join(tmpdir(), "svc-sealed-"));
beforeAll(async () => {
  ensureBuilt();
  fork = await openSealed();
}, 900_000);
afterAll(async () => {
  await fork[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

const AMOUNT = i128(5n);
const FOR_SEVEN = muxedContract(CUSTOMER, 7n);
const PLAIN = address({ type: 1, contractId: CUSTOMER });
const seal = (other: Partial<typeof SIGNED> = {}) => {
  const { publicKey, message, signature, context } = { ...SIGNED, ...other };
  return [publicKey, message, signature, context].map(bytes);
};
const forged = SIGNED.signature.with(100, (SIGNED.signature[100] ?? 0) ^ 1);

const SUCCESSES: Readonly<Record<string, readonly [string, () => readonly Argument[]]>> = {
  "a signature": ["open", () => seal()],
  "a deposit for a contract's customer": ["deposit", () => [FOR_SEVEN, AMOUNT]],
  "a deposit for an account's customer": [
    "deposit",
    () => [muxedAccount(new Uint8Array(fork.keypair(1).rawPublicKey()), 8n), AMOUNT],
  ],
};

function strkeyOf(id: bigint): string {
  const payload = Buffer.concat([CUSTOMER, Buffer.alloc(8)]);
  payload.writeBigUInt64BE(id, 32);
  return encodeStrkey("muxed-contract", payload);
}

interface Failure {
  /** A simulation records the key before the host says what is wrong with it. */
  readonly simulatedAs?: string;
  readonly call: readonly [string, readonly Argument[], (readonly Argument[])?];
  readonly kind: string;
  readonly says: string;
}

const FAILURES: Readonly<Record<string, Failure>> = {
  "a forged signature": {
    call: ["open", seal({ signature: forged }), seal()],
    kind: "signature-invalid",
    says: "A signature of ML_DSA_44 is not valid for the public key, the message and the context",
  },
  "another key": {
    call: ["open", seal({ publicKey: SIGNED.otherPublicKey }), seal()],
    kind: "signature-invalid",
    says: "A signature of ML_DSA_44 is not valid",
  },
  "another context": {
    call: ["open", seal({ context: new Uint8Array() }), seal()],
    kind: "signature-invalid",
    says: "A signature of ML_DSA_44 is not valid",
  },
  "a short key, refused by the contract": {
    call: ["open", seal({ publicKey: SIGNED.publicKey.subarray(1) }), seal()],
    kind: "contract-panic",
    says: "`open` stopped because `key` (argument 1) has 1311 bytes, not 1312.",
  },
  "a short key, refused by the host": {
    call: ["open_any", seal({ publicKey: SIGNED.publicKey.subarray(1) }), seal()],
    kind: "signature-input",
    says: "A public key of ML_DSA_44 has 1312 bytes; the call passed 1311",
  },
  "a short signature": {
    call: ["open_any", seal({ signature: SIGNED.signature.subarray(1) }), seal()],
    kind: "signature-input",
    says: "A signature of ML_DSA_44 has 2420 bytes; the call passed 2419",
  },
  "a malformed signature": {
    call: ["open_any", seal({ signature: new Uint8Array(2420).fill(255) }), seal()],
    kind: "signature-input",
    says: "A signature of ML_DSA_44 is not encoded as FIPS 204 says",
  },
  "a long context": {
    call: ["open_any", seal({ context: new Uint8Array(256) }), seal()],
    kind: "signature-input",
    says: "The context of a signature of ML_DSA_44 has at most 255 bytes; the call passed 256",
  },
  "an unknown customer": {
    call: ["deposit", [muxedContract(CUSTOMER, 1000n), AMOUNT], [FOR_SEVEN, AMOUNT]],
    kind: "contract-error",
    says: 'returned sealed::Error::UnknownCustomer, "An id of another customer."',
  },
  "an address without an id": {
    call: ["deposit_for", [PLAIN, AMOUNT], [FOR_SEVEN, AMOUNT]],
    kind: "contract-error",
    says: "sealed::Error::IdMissing",
  },
  "an address with an id where the contract takes none": {
    call: ["plain", [FOR_SEVEN], [PLAIN]],
    kind: "argument-type",
    says: "`plain` stopped because `of` (argument 1) is a muxed address, not an address.",
  },
  "an address with an id in a key": {
    call: ["keep", [FOR_SEVEN, AMOUNT], [PLAIN, AMOUNT]],
    kind: "address-kind",
    says: "An address is of a kind that is not allowed there, such as a muxed address",
    simulatedAs: "An access to storage had an invalid input.",
  },
};

const nodes = () => ["--rpc-url", fork.url, "--network-passphrase", fork.networkPassphrase];
const json = async (...words: string[]) => {
  const { stdout, stderr } = await svc([...words, ...nodes(), "--json"], { directory });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
};
const flat = (text: string) => text.replace(/\s+/g, " ");

describe("what succeeds is exact:", () => {
  for (const [name, [called, given]] of Object.entries(SUCCESSES))
    test(name, async () => {
      const hash = await fork.send(await fork.envelope(called, given()));
      const { verdict, outcome } = await json("debug", hash);
      expect([verdict.kind, outcome.success]).toEqual(["exact", true]);
    }, 60_000);

  test("a deposit has the strkey of its recipient everywhere", async () => {
    const envelope = await fork.envelope("deposit", [FOR_SEVEN, AMOUNT]);
    const strkey = strkeyOf(7n);
    const hash = await fork.send(envelope);
    for (const words of [
      ["debug", hash, "--full-addresses", "-v", ...nodes()],
      ["explain", encode("ScVal", FOR_SEVEN)],
    ]) {
      const { stdout } = await svc(words, { directory });
      expect(stdout.replace(/\s+/g, "")).toContain(strkey);
    }
    const labelled = await svc(["debug", hash, ...nodes(), "--label", `${strkey}=customer`]);
    expect([labelled.exitCode, labelled.stdout]).toEqual([0, expect.stringContaining("customer")]);
  }, 60_000);
});

describe("what fails has its cause, in debug and in simulate:", () => {
  for (const [name, { call, kind, says, simulatedAs = says }] of Object.entries(FAILURES))
    test(name, async () => {
      const [called, given, like] = call;
      const envelope = await fork.envelope(called, given, like);
      const hash = await fork.send(envelope);
      const { verdict, outcome } = await json("debug", hash);
      expect([verdict.kind, outcome.success, outcome.cause.kind]).toEqual(["exact", false, kind]);
      const shown = await svc(["debug", hash, ...nodes()], { directory });
      expect(flat(shown.stdout)).toContain(says);
      const simulated = await svc(["simulate", envelope.xdr, ...nodes()], { directory });
      expect(flat(simulated.stdout)).toContain(simulatedAs);
    }, 60_000);
});

test("an argument of another id, and a capsule, are run as any", async () => {
  const { call } = FAILURES["an unknown customer"] as Failure;
  const hash = await fork.send(await fork.envelope(...call));
  const other = await json("debug", hash, "--override-argument", `to=${strkeyOf(6n)}`);
  expect(JSON.stringify(other)).toContain("succeed");
  const capsule = join(directory, "customer.capsule.json");
  const captured = await svc(["capture", hash, ...nodes(), "--save", capsule]);
  expect(captured.exitCode).toBe(0);
  const offline = await svc(["debug", "--from", capsule, "--json"]);
  const { verdict, outcome } = JSON.parse(offline.stdout);
  expect([verdict.kind, outcome.cause.kind]).toEqual(["exact", "contract-error"]);
}, 60_000);

test("its session stops where the signature is refused", async () => {
  const { call } = FAILURES["a forged signature"] as Failure;
  const hash = await fork.send(await fork.envelope(...call));
  await using session = new Session();
  await session.launch({
    ...{ hash, stopAt: "failure", rpcUrl: fork.url },
    networkPassphrase: fork.networkPassphrase,
  });
  const stop = await session.until("configurationDone", {});
  expect(stop.reason).toBe("exception");
}, 60_000);
