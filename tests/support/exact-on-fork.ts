// A call of a contract on a fork, and svc's own replay of it, which has to be exact.

import { expect } from "bun:test";
import { Address, Asset, Contract, nativeToScVal } from "@stellar/stellar-sdk";
import { svc } from "../cli/run-svc.ts";
import type { TestFork } from "./fork.ts";

/** Sends a transfer of the contract of lumens, and returns its hash. */
export async function transferred({ networkPassphrase, ...fork }: TestFork): Promise<string> {
  const [from, to] = [fork.keypair(0), fork.keypair(1)];
  const lumens = new Contract(Asset.native().contractId(networkPassphrase));
  const parties = [from, to].map((each) => new Address(each.publicKey()).toScVal());
  const call = lumens.call("transfer", ...parties, nativeToScVal(5n, { type: "i128" }));
  const { hash } = await fork.node.sendTransaction(await fork.signed(from, call));
  expect((await fork.node.getTransaction(hash)).status).toBe("SUCCESS" as never);
  return hash;
}

/** Returns what the call has cost, in stroops. */
export async function expectExact(fork: TestFork, passphrase: string): Promise<number> {
  const hash = await transferred(fork);
  const words = ["debug", hash, "--rpc-url", fork.url, "--network-passphrase", passphrase];
  const { stdout, stderr } = await svc([...words, "--json"]);
  const { verdict, fees } = JSON.parse(stdout);
  expect([verdict, stderr]).toMatchObject([{ kind: "exact" }, ""]);
  return Number(fees.chargedStroops);
}
