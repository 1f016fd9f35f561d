// A network that was upgraded to a protocol that svc does not know: every command refuses it by
// name. A command that is not in the table fails the test.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { NEWEST_PROTOCOL } from "../../src/model/protocols.ts";
import { Session } from "../dap/debug-client.ts";
import { openFork } from "../support/fork.ts";
import { LaterNetwork } from "../support/later-network.ts";
import { LATER_PARTS, LATER_PROTOCOL, type LaterPart } from "../support/later-protocol.ts";
import { type Loopback, openLoopback } from "../support/loopback-server.ts";
import { madeArchive, PASSPHRASE, VALIDATOR } from "../support/made-archive.ts";
import { connectStdio, nodeFlags } from "../support/mcp-client.ts";
import { svc, svcBinary } from "./run-svc.ts";

const BUILD_MILLISECONDS = 900_000;
const SINCE = 414;
const OUTDATED = 8;

const directory = mkdtempSync(join(tmpdir(), "svc-later-"));
const networks = new Map<LaterPart, Loopback>();
beforeAll(() => void svcBinary(), BUILD_MILLISECONDS);
afterAll(async () => {
  rmSync(directory, { recursive: true });
  for (const each of networks.values()) await each[Symbol.asyncDispose]();
});

function networkWith(part: LaterPart): Loopback {
  const known = networks.get(part) ?? openLoopback({ network: new LaterNetwork(SINCE, part) });
  networks.set(part, known);
  return known;
}

/** The nodes are variables: not every command has the flag of each. */
function environmentOf(part: LaterPart): Readonly<Record<string, string>> {
  const loopback = networkWith(part);
  return {
    SVC_HORIZON_URL: loopback.url("horizon"),
    SVC_RPC_URL: loopback.url("rpc"),
    SVC_NETWORK_PASSPHRASE: loopback.network.passphrase,
  };
}

const { network } = networkWith("nothing else");
const [transaction] = network.transactions.filter(({ ledger }) => ledger === SINCE);
const HASH = transaction?.hash ?? "";
const ENVELOPE = String(
  transaction && network.file(transaction).rpcGetTransaction.result.envelopeXdr,
);

/** What reads the chain: its words. Everything else: why it meets no ledger of a network. */
const TABLE: Readonly<Record<string, readonly string[] | string>> = {
  debug: ["debug", HASH],
  capture: ["capture", HASH, "--output", directory],
  simulate: ["simulate", ENVELOPE],
  verify: ["verify", `${SINCE}-${SINCE + 2}`],
  watch: ["watch", "--from-ledger", `${SINCE}`],
  fork: ["fork", "--port", "0"],
  doctor: ["doctor"],
  state: "an archive, below",
  "state diff": "an archive, below",
  dap: "a session, below",
  mcp: "a session, below; tests/daemon/later-protocol.test.ts has all of its tools",
  daemon: "it serves: tests/daemon/later-protocol.test.ts",
  "verify plan": "reads no ledger of a range",
  "verify merge": "reads results of other runs",
  "rehearse merge": "reads results of other runs",
  "verify-worker": "reads what `verify` gives it",
  "fork follow": "asks a running fork, which `fork` refuses to begin",
  explain: "reads what is on the screen: tests/tools/explain-unknown.test.ts",
  sign: "reads an envelope of the user's",
  "sign auth": "reads entries of the user's",
  "sign document": "reads a document of svc's",
  "sign verify": "reads what was signed",
  "hsm list": "asks a token",
  "hsm test": "asks a token",
  demo: "reads what svc carries",
  call: "makes its own transaction, which `simulate` runs",
  rehearse: "reads ledgers as `verify` does",
  version: "reads nothing",
  completion: "reads nothing",
  ...Object.fromEntries(
    [...COMMANDS.keys()]
      .filter((name) => /^fork (?!follow)/.test(name))
      .map((name) => [name, "asks a running fork, which `fork` refuses to begin"]),
  ),
};

test("each command has its row", () => {
  expect(Object.keys(TABLE).sort()).toEqual([...COMMANDS.keys()].sort());
});

test("an older transaction is debugged, and svc says once a day that it is too old", async () => {
  const before = network.transactions.find(({ ledger }) => ledger < SINCE && ledger > 140);
  const words = ["debug", before?.hash ?? ""];
  const environment = { ...environmentOf("nothing else"), XDG_CACHE_HOME: directory };
  const runs = [];
  for (let run = 0; run < 2; run += 1) runs.push(await svc(words, { directory, environment }));
  const warning = `A node reports that the network runs protocol ${LATER_PROTOCOL}; this svc knows protocols up to ${NEWEST_PROTOCOL}.`;
  expect(
    runs.map(({ exitCode, stderr }) => [exitCode, stderr.replace(/\s+/g, " ").includes(warning)]),
  ).toEqual([
    [0, true],
    [0, false],
  ]);
}, 60_000);

describe("a ledger of a later protocol", () => {
  for (const [name, words] of Object.entries(TABLE)) {
    if (typeof words === "string") continue;
    test(`is refused by svc ${name}, by name`, async () => {
      const environment = environmentOf("nothing else");
      const done = await svc(words, { directory, environment });
      const said = `${done.stdout}${done.stderr}`;
      expect({ exitCode: done.exitCode, said }).toMatchObject({
        exitCode: OUTDATED,
        said: expect.stringContaining("PROTOCOL_UNKNOWN"),
      });
      expect(said).toContain(`protocol ${LATER_PROTOCOL}`);
      expect(said).toContain(`up to ${NEWEST_PROTOCOL}`);
      expect(said.replace(/\s+/g, " ")).toContain("Update svc: install a release");
    }, 60_000);
  }

  test("is refused by svc debug whatever else it has, with what decodes", async () => {
    for (const part of LATER_PARTS) {
      const done = await svc(["debug", HASH], { directory, environment: environmentOf(part) });
      expect({ part, exitCode: done.exitCode }).toEqual({ part, exitCode: OUTDATED });
      expect(done.stderr).toContain(
        `Ledger ${SINCE} is of protocol ${LATER_PROTOCOL}; this svc knows protocols up to ` +
          `${NEWEST_PROTOCOL}. [PROTOCOL_UNKNOWN]`,
      );
      expect(done.stdout).toContain(`The transaction succeeded in ledger ${SINCE}.`);
      expect(done.stdout).toContain(HASH);
      expect(done.stdout).toContain("invoke_host_function");
      const codes = part === "result code" ? "this svc cannot decode it" : "txSuccess";
      expect(done.stdout.replace(/\s+/g, " ")).toContain(`result codes ${codes}`);
    }
  }, 120_000);
});

test("watch verifies up to the upgrade, and ends there with its name", async () => {
  const words = ["watch", "--from-ledger", `${SINCE - 3}`, "--json"];
  const environment = environmentOf("nothing else");
  const { exitCode, stdout } = await svc(words, { directory, environment });
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(exitCode).toBe(OUTDATED);
  expect(events.at(-1)).toMatchObject({
    kind: "error",
    error: { code: "PROTOCOL_UNKNOWN", details: { ledger: SINCE } },
  });
}, 60_000);

test("a fork that runs when the upgrade comes follows up to it, and goes on with what it has", async () => {
  const later = networkWith("nothing else");
  // The nodes of the fork had all that it needs before the upgrade.
  await using before = openLoopback();
  const { passphrase: networkPassphrase } = later.network;
  const choice = { ledger: SINCE - 3 };
  const rpcUrl = before.url("rpc");
  await using fork = await openFork({ networkPassphrase, rpcUrl, mining: "never", choice });
  const words = ["fork", "follow", "--url", fork.url, "--until-ledger", String(SINCE + 2)];
  const node = ["--rpc-url", later.url("rpc"), "--network-passphrase", networkPassphrase];
  const { exitCode, stdout, stderr } = await svc([...words, ...node]);
  expect({ exitCode, stderr, last: stdout.match(/^ledger \d+/gm)?.at(-1) }).toEqual({
    exitCode: OUTDATED,
    stderr: expect.stringContaining(`Ledger ${SINCE} is of protocol ${LATER_PROTOCOL}`),
    last: `ledger ${SINCE - 1}`,
  });
  expect((await fork.node.getLatestLedger()).sequence).toBeGreaterThanOrEqual(SINCE - 1);
}, 60_000);

test("sessions of an editor and of an agent are refused by name", async () => {
  const loopback = networkWith("nothing else");
  const { passphrase: networkPassphrase } = loopback.network;
  await using session = new Session();
  const launched = session.launch({
    ...{ hash: HASH, stopAt: "entry", networkPassphrase },
    ...{ rpcUrl: loopback.url("rpc"), horizonUrl: loopback.url("horizon") },
  });
  const { message } = await launched.then(
    () => ({ message: "it began" }),
    (error: Error) => error,
  );
  expect(message).toContain(`Ledger ${SINCE} is of protocol ${LATER_PROTOCOL}`);
  await using agent = await connectStdio([...nodeFlags(loopback), "--allow-directory", directory]);
  for (const name of ["debug_transaction", "capture_transaction"])
    expect((await agent.fail(name, { hash: HASH })).code).toBe("PROTOCOL_UNKNOWN");
  const verified = await agent.call("verify_ledgers", { first: SINCE - 2, last: SINCE + 2 });
  expect([verified.ledgers, JSON.stringify(verified)]).toEqual([
    ...[2, expect.stringContaining("unknownProtocols")],
  ] as never);
}, 60_000);

test("an archive of such a network is refused by name, by all that read one", async () => {
  const none = { live: [] };
  const made = madeArchive({
    states: { 7: none, 15: none, 23: none },
    protocolVersion: (ledger) => (ledger < 12 ? 23 : LATER_PROTOCOL),
  });
  const root = join(directory, "archive");
  for (const name of made.names) await Bun.write(join(root, name), made.read(name));
  const archive = [
    ...["--history-archive", root, "--validators", VALIDATOR, "--network-passphrase", PASSPHRASE],
    ...["--archive-cache", join(directory, "kept")],
  ];
  const contract = encodeStrkey("contract", new Uint8Array(32).fill(7));
  for (const words of [
    ["state", contract, "--ledger", "14"],
    ["state", "diff", contract, "--since", "7", "--ledger", "14"],
    ["debug", HASH, "--prove", "--ledger", "14", "--rpc-url", "http://127.0.0.1:9"],
    ["verify", "9-15", "--archive"],
  ]) {
    const { exitCode, stdout, stderr } = await svc([...words, ...archive], { directory });
    expect({ words, exitCode, said: stdout + stderr }).toMatchObject({
      exitCode: OUTDATED,
      said: expect.stringContaining("PROTOCOL_UNKNOWN"),
    });
    expect(stdout).not.toContain("after it");
  }
}, 60_000);

test("svc version prints the latest protocol", async () => {
  expect((await svc(["version"])).stdout).toContain(`latest protocol: ${NEWEST_PROTOCOL}`);
});
