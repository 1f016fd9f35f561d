// The daemon in the place of a Stellar RPC node: stellar-sdk's own calls and flows run unchanged,
// and pages of allowed origins may make them in a browser.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  type Account,
  BASE_FEE,
  Contract,
  contract,
  Keypair,
  nativeToScVal,
  rpc,
  type Transaction,
  TransactionBuilder,
} from "@stellar/stellar-sdk";
import { openDaemon, type TestDaemon } from "../support/daemon.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";

/** The recorded transaction that the flows build again. */
const NAME = "same ledger: inc main #3";

let loopback: Loopback;
let daemon: TestDaemon;
/** What was recorded just before that transaction. */
let tip: string;
let account: string;
let contractId: string;
beforeAll(async () => {
  loopback = openLoopback();
  const recorded = loopback.network.transactions.find(({ name }) => name === NAME);
  if (recorded === undefined) throw new Error(`no transaction is named ${NAME}`);
  const { simulation, rpcGetTransaction } = loopback.network.file(recorded);
  tip = `tip=${simulation?.latestLedger}`;
  const envelope = String(rpcGetTransaction.result.envelopeXdr);
  const transaction = TransactionBuilder.fromXdr(envelope, loopback.network.passphrase);
  account = (transaction as Transaction).source;
  contractId = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
  daemon = await openDaemon(loopback, { rpc: tip });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await loopback[Symbol.asyncDispose]();
});

const url = () => `${daemon.url}/rpc`;
const throughDaemon = () => new rpc.Server(url(), { allowHttp: true });
const direct = () => new rpc.Server(loopback.url("rpc", tip), { allowHttp: true });

const READS: Readonly<Record<string, (server: rpc.Server) => Promise<unknown>>> = {
  getAccount: (server) => server.getAccount(account),
  getAccountEntry: (server) => server.getAccountEntry(account),
  getContractData: (server) =>
    server.getContractData(contractId, nativeToScVal(["Count", "main"], { type: "symbol" })),
  getContractInstance: (server) => server.getContractInstance(contractId),
  getContractMethods: (server) => server.getContractMethods(contractId),
  getContractWasmByContractId: (server) => server.getContractWasmByContractId(contractId),
  getEvents: (server) => server.getEvents({ startLedger: 400, filters: [] }),
  getFeeStats: (server) => server.getFeeStats(),
  getHealth: (server) => server.getHealth(),
  getLatestLedger: (server) => server.getLatestLedger(),
  getLedgerEntries: (server) => server.getLedgerEntries(new Contract(contractId).getFootprint()),
  getLedgers: (server) => server.getLedgers({ startLedger: 408, pagination: { limit: 1 } }),
  getNetwork: (server) => server.getNetwork(),
  getTransaction: (server) => server.getTransaction("ab".repeat(32)),
  "getTransaction of one that is there": (server) =>
    server.getTransaction(loopback.network.transactions[0]?.hash ?? ""),
  getTransactions: (server) => server.getTransactions({ startLedger: 420 }),
  getVersionInfo: (server) => server.getVersionInfo(),
};

describe("stellar-sdk's rpc.Server gets from the daemon what it gets from the node", () => {
  test.each(Object.keys(READS))("%s", async (name) => {
    const read = READS[name] as (server: rpc.Server) => Promise<unknown>;
    expect(await read(throughDaemon())).toEqual(await read(direct()));
  });
});

describe("what a node refuses", () => {
  const refused = async (call: Promise<unknown>) => {
    const thrown = await call.then(
      () => null,
      (error: unknown) => error,
    );
    return thrown as { readonly code: number; readonly message: string };
  };

  test("is refused with the node's own code and words", async () => {
    const ask = (server: rpc.Server) => refused(server.getLedgers({ startLedger: 7 }));
    const { code, message } = await ask(direct());
    expect(await ask(throughDaemon())).toMatchObject({ code, message });
  });

  test("because it does not have the method, names the method", async () => {
    await using without = await openDaemon(loopback, { rpc: "no-ledgers" });
    const server = new rpc.Server(`${without.url}/rpc`, { allowHttp: true });
    const { code, message } = await refused(server.getLedgers({ startLedger: 408 }));
    expect([code, message]).toEqual([-32601, expect.stringContaining("refused getLedgers")]);
  });

  test("a method that is none is named in the message, with those that there are", async () => {
    const answer = await daemon.post("/rpc", { jsonrpc: "2.0", id: 1, method: "getAcount\u202e" });
    const { error } = (await answer.json()) as { error: { code: number; message: string } };
    expect(error.code).toBe(-32601);
    expect(error.message).toStartWith('This server does not have the method "getAcount\\u{202e}".');
    for (const method of ["debugTransaction", "getLedgerEntries", "sendTransaction"])
      expect(error.message).toContain(method);
  });
});

describe("a flow of stellar-sdk", () => {
  const networkPassphrase = () => loopback.network.passphrase;
  const build = (source: Account) =>
    new TransactionBuilder(source, { fee: BASE_FEE, networkPassphrase: networkPassphrase() })
      .addOperation(new Contract(contractId).call("inc", nativeToScVal("main", { type: "symbol" })))
      .setTimeout(300)
      .build();

  test("getAccount → prepareTransaction → sendTransaction → pollTransaction", async () => {
    const server = throughDaemon();
    const prepared = await server.prepareTransaction(build(await server.getAccount(account)));
    prepared.sign(Keypair.random());
    const before = loopback.requests.filter((method) => method === "sendTransaction").length;
    const sent = await server.sendTransaction(prepared);
    expect(sent.status).toBe("PENDING");
    const polls: number[] = [];
    const sleepStrategy = (attempt: number) => {
      polls.push(attempt);
      return 1;
    };
    const done = await server.pollTransaction(sent.hash, { attempts: 5, sleepStrategy });
    expect(done.status).toBe(rpc.Api.GetTransactionStatus.SUCCESS);
    expect(polls.length).toBeGreaterThan(0);
    const sends = loopback.requests.filter((method) => method === "sendTransaction").length;
    expect(sends - before).toBe(1);
  });

  test("contract.Client.from → simulated call → signAndSend", async () => {
    const keypair = Keypair.random();
    const client = await contract.Client.from<{
      inc: (args: { key: string }) => Promise<contract.AssembledTransaction<number>>;
    }>({
      contractId,
      networkPassphrase: networkPassphrase(),
      rpcUrl: url(),
      allowHttp: true,
      publicKey: account,
      ...contract.basicNodeSigner(keypair, networkPassphrase()),
    });
    const [name = ""] = client.spec.getFunc("inc").inputs.map((input) => String(input.name));
    const assembled = await client.inc({ [name]: "main" } as { key: string });
    expect(Number(assembled.result)).toBeGreaterThan(0);
    const sent = await assembled.signAndSend();
    expect(sent.getTransactionResponse?.status).toBe(rpc.Api.GetTransactionStatus.SUCCESS);
  });
});

describe("a browser", () => {
  const ORIGIN = "https://app.example";
  const preflight = (to: string, origin: string) =>
    fetch(`${to}/rpc`, {
      method: "OPTIONS",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-client-name",
      },
    });
  const body = { jsonrpc: "2.0", id: 1, method: "getNetwork" };
  const allowed = (answer: Response) => answer.headers.get("access-control-allow-origin");

  test("keeps pages of other origins out, and those of all origins by default", async () => {
    expect(allowed(await preflight(daemon.url, ORIGIN))).toBeNull();
    expect(allowed(await daemon.post("/rpc", body, { origin: ORIGIN }))).toBeNull();
    const options = { daemon: { allowedOrigins: `${ORIGIN},http://localhost:3000` } };
    await using open = await openDaemon(loopback, options);
    expect(allowed(await preflight(open.url, "https://evil.example"))).toBeNull();
    expect(allowed(await open.post("/rpc", body, { origin: "null" }))).toBeNull();
  });

  test("lets pages of allowed origins in, also with a token and after an error", async () => {
    const environment = { SVC_DAEMON_TOKEN: "correct-horse-battery-staple" };
    const options = { environment, daemon: { allowedOrigins: `${ORIGIN},http://localhost:3000` } };
    await using open = await openDaemon(loopback, options);
    const answer = await preflight(open.url, ORIGIN);
    expect([answer.status, allowed(answer)]).toEqual([204, ORIGIN]);
    expect(answer.headers.get("access-control-allow-headers")).toContain("authorization");
    expect(answer.headers.get("access-control-allow-methods")).toContain("POST");
    const refused = await open.post("/rpc", body, { origin: ORIGIN });
    expect([refused.status, allowed(refused)]).toEqual([401, ORIGIN]);
    const authorization = `Bearer ${environment.SVC_DAEMON_TOKEN}`;
    const answered = await open.post("/rpc", body, { origin: ORIGIN, authorization });
    expect([answered.status, allowed(answered)]).toEqual([200, ORIGIN]);
    expect(answered.headers.get("access-control-expose-headers")).toContain("x-request-id");
  });

  test("lets every page in with *", async () => {
    await using open = await openDaemon(loopback, { daemon: { allowedOrigins: "*" } });
    expect(allowed(await preflight(open.url, "https://any.example"))).toBe("*");
    expect(allowed(await open.post("/rpc", body, { origin: "null" }))).toBe("*");
  });
});
