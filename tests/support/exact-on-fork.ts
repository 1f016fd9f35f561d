// Calls of contracts on a fork, and svc's own replay of each, which has to be exact.

import { expect } from "bun:test";
import { Address, Asset, Contract, nativeToScVal, Operation, type xdr } from "@stellar/stellar-sdk";
import { svc } from "../cli/run-svc.ts";
import type { TestFork } from "./fork.ts";

/** A transfer of the contract of lumens. */
export function transfer({ networkPassphrase, ...fork }: TestFork): xdr.Operation {
  const [from, to] = [fork.keypair(0), fork.keypair(1)];
  const lumens = new Contract(Asset.native().contractId(networkPassphrase));
  const parties = [from, to].map((each) => new Address(each.publicKey()).toScVal());
  return lumens.call("transfer", ...parties, nativeToScVal(5n, { type: "i128" }));
}

/** A new contract, whose entries pay rent. */
export function deployment(fork: TestFork, code: string): xdr.Operation {
  const asset = new Asset(code, fork.keypair(0).publicKey());
  return Operation.createStellarAssetContract({ asset });
}

/** Returns what the call has cost, in stroops. `kind`: of the verdict. */
export async function expectReplayed(
  fork: TestFork,
  operation: xdr.Operation,
  { kind = "exact", isSigned = true } = {},
): Promise<number> {
  const source = fork.keypair(0);
  const built = await fork.node.prepareTransaction(await fork.build(source.publicKey(), operation));
  if (isSigned) built.sign(source);
  const { hash } = await fork.node.sendTransaction(built);
  expect((await fork.node.getTransaction(hash)).status).toBe("SUCCESS" as never);
  const node = ["--rpc-url", fork.url, "--network-passphrase", fork.networkPassphrase];
  const { stdout, stderr } = await svc(["debug", hash, ...node, "--json"]);
  const { verdict, fees } = JSON.parse(stdout);
  expect([verdict, stderr]).toMatchObject([{ kind }, ""]);
  return Number(fees.chargedStroops);
}
