// The contract of tests/contracts/sealed on a fork of protocol 30: what its calls take, and how they are
// sent. No SDK writes addresses of contracts with an id, so that the arguments are values of the reader.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Address, Contract, Operation, scValToNative, type xdr } from "@stellar/stellar-sdk";
import { type Envelope, openEnvelope } from "../../src/xdr/envelope/envelope.ts";
import {
  withArguments,
  withAuthorizations,
  withFee,
  withSignatures,
  withSorobanTransactionData,
} from "../../src/xdr/envelope/patch-envelope.ts";
import { encode, type Value } from "../../src/xdr/reader/value.ts";
import { openFork, type TestFork } from "./fork.ts";
import { ownContract } from "./other-code.ts";

export type Argument = Value<"ScVal">;

const read = JSON.parse(
  readFileSync(join(import.meta.dir, "..", "fixtures", "ml-dsa-44.json"), "utf8"),
) as Record<"publicKey" | "otherPublicKey" | "message" | "context" | "signature", string>;

/** Made by another implementation of FIPS 204 (cryptography 48 of PyPI, with OpenSSL). */
export const SIGNED = {
  publicKey: Uint8Array.fromBase64(read.publicKey),
  otherPublicKey: Uint8Array.fromBase64(read.otherPublicKey),
  message: Uint8Array.fromBase64(read.message),
  context: Uint8Array.fromBase64(read.context),
  signature: Uint8Array.fromBase64(read.signature),
};

export const bytes = (value: Uint8Array): Argument => ({ type: 13, bytes: value });
export const i128 = (lo: bigint): Argument => ({ type: 10, i128: { hi: 0n, lo } });
export const address = (value: Value<"ScAddress">): Argument => ({ type: 18, address: value });
export const muxedContract = (contractId: Uint8Array, id: bigint): Argument =>
  address({ type: 5, muxedContract: { id, contractId } });
export const muxedAccount = (ed25519: Uint8Array, id: bigint): Argument =>
  address({ type: 2, muxedAccount: { id, ed25519 } });
/** A contract of which no entry is read. */
export const CUSTOMER = new Uint8Array(32).fill(9);

export interface SealedFork extends TestFork {
  readonly contract: string;
  readonly contractId: Uint8Array;
  /** Signed; what it declares is what its simulation found, or that of another call. */
  readonly envelope: (
    name: string,
    given: readonly Argument[],
    like?: readonly Argument[],
  ) => Promise<Envelope>;
  /** Its hash, once a ledger has it. */
  readonly send: (envelope: Envelope) => Promise<string>;
}

/** With the contract deployed, and the asset contract of lumens. */
export async function openSealed(protocolVersion = 30): Promise<SealedFork> {
  const fork = await openFork({ choice: { empty: { protocolVersion } } });
  const source = fork.keypair(0);
  const invoke = async (operation: xdr.Operation) => {
    const sent = await fork.node.sendTransaction(await fork.signed(source, operation));
    const done = await fork.node.getTransaction(sent.hash);
    if (done.status !== "SUCCESS") throw new Error(JSON.stringify(done));
    return scValToNative(done.returnValue as xdr.ScVal);
  };
  const wasm = ownContract("sealed.wasm");
  const wasmHash = (await invoke(Operation.uploadContractWasm({ wasm }))) as Uint8Array;
  const deployer = new Address(source.publicKey());
  const salt = new Uint8Array(32);
  const contract = String(
    await invoke(Operation.createCustomContract({ address: deployer, wasmHash, salt })),
  );
  const simulated = async (envelope: Envelope) => {
    const answer = await fork.call<{
      readonly error?: string;
      readonly transactionData: string;
      readonly minResourceFee: string;
      readonly results: readonly { readonly auth: readonly string[] }[];
    }>("simulateTransaction", { transaction: envelope.xdr });
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer;
  };
  return {
    ...fork,
    [Symbol.asyncDispose]: () => fork[Symbol.asyncDispose](),
    contract,
    contractId: new Uint8Array(new Address(contract).toBuffer()),
    async envelope(name, given, like = given) {
      const call = new Contract(contract).call(name);
      const built = await fork.build(source.publicKey(), call);
      const plain = openEnvelope(built.toXDR(), fork.networkPassphrase);
      const of = (values: readonly Argument[]) =>
        withArguments(
          plain,
          values.map((value) => encode("ScVal", value)),
        );
      const { transactionData, minResourceFee, results } = await simulated(of(like));
      const declared = withSorobanTransactionData(of(given), transactionData);
      const authorized = withAuthorizations(declared, results[0]?.auth ?? []);
      const paid = withFee(authorized, BigInt(minResourceFee) + 1_000n);
      const signature = new Uint8Array(source.sign(Buffer.from(paid.hash, "hex")));
      const hint = new Uint8Array(source.signatureHint());
      return withSignatures(paid, [{ hint, signature }]);
    },
    async send(envelope) {
      const { hash, status } = await fork.call<{ hash: string; status: string }>(
        "sendTransaction",
        { transaction: envelope.xdr },
      );
      if (status !== "PENDING") throw new Error(`${hash}: ${status}`);
      return hash;
    },
  };
}
