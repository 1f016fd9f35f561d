// The daemon follows a chain: what it verifies is in its metrics, what fails is at the sinks, and
// readiness says whether it keeps up.

import { beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { resolveFollowConfig } from "../../src/follow/follow-settings.ts";
import { openFollowStore } from "../../src/follow/follow-store.ts";
import { fakeSimulator } from "../simulator/fake-simulator.ts";
import { openDaemon, scrape, type TestDaemon } from "../support/daemon.ts";
import { failureOf } from "../support/failure.ts";
import { openLongChain } from "../support/long-chain.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { until } from "../support/until.ts";

beforeAll(ensureBuilt, 900_000);

function openReceiver() {
  const received: Readonly<Record<string, unknown>>[] = [];
  const state = { status: 200 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const event = (await request.json()) as Readonly<Record<string, unknown>>;
      if (state.status === 200) received.push(event);
      return new Response("", { status: state.status });
    },
  });
  const url = `http://127.0.0.1:${server.port}/`;
  return { url, received, state, [Symbol.asyncDispose]: () => server.stop(true) };
}

function followConfig(section: Readonly<Record<string, unknown>>, directory: string) {
  return resolveFollowConfig({
    file: { path: "svc.json", settings: { follow: section } },
    state: directory,
    environment: {},
    workingDirectory: directory,
  });
}

const ledgersOf = async (daemon: TestDaemon) =>
  (await scrape(daemon)).get('svc_follow_ledgers_total{outcome="verified"}') ?? 0;

describe("svc daemon --follow", () => {
  test("verifies, counts, alerts, and goes on where it stopped", async () => {
    await using loopback = openLoopback();
    await using chain = openLongChain({ successes: 2, failures: 3 });
    await using receiver = openReceiver();
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    chain.tip = chain.first + 5;
    const watched = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";
    const follow = followConfig(
      {
        behindLedgers: 3,
        watch: [{ address: watched, label: "kitchen" }],
        sinks: [
          { kind: "webhook", name: "team", url: receiver.url },
          { kind: "ndjson", name: "file", file: "events.ndjson" },
          { kind: "ndjson", name: "out" },
        ],
      },
      directory,
    );
    const written: string[] = [];
    const following = {
      follow,
      write: async (text: string) => {
        written.push(text);
      },
    };
    {
      await using daemon = await openDaemon(loopback, { following, rpcUrl: chain.url });
      await until(async () => (await ledgersOf(daemon)) === 4);
      chain.tip += 4;
      await until(async () => (await ledgersOf(daemon)) === 8);
      const samples = await scrape(daemon);
      const sample = (name: string) => samples.get(name);
      expect(sample('svc_follow_transactions_total{verdict="exact"}')).toBe(40);
      expect(sample('svc_follow_transactions_total{verdict="diverged"}')).toBe(0);
      expect(sample('svc_follow_state_mismatches_total{kind="restored"}')).toBe(0);
      expect(sample('svc_follow_failures_total{watched="kitchen",cause="contract-panic"}')).toBe(
        24,
      );
      expect(sample("svc_follow_last_ledger")).toBe(chain.tip);
      expect(sample("svc_follow_lag_ledgers")).toBe(0);
      expect(sample("svc_follow_lag_seconds")).toBeGreaterThan(0);
      // The nodes are asked by this part of the daemon too.
      expect([...samples.keys()].some((key) => key.startsWith("remote_node_response_total"))).toBe(
        true,
      );
      await until(async () => receiver.received.length === 1);
      expect(receiver.received[0]).toMatchObject({ kind: "failure", watched: ["kitchen"] });
      await until(() => written.join("").split("\n").length === 25);
      expect((await daemon.get("/ready")).status).toBe(200);
    }
    // While nobody follows, the chain goes on.
    chain.tip += 2;
    await using again = await openDaemon(loopback, { following, rpcUrl: chain.url });
    await until(async () => (await ledgersOf(again)) === 2);
    const ids = async () =>
      (await Bun.file(join(directory, "events.ndjson")).text())
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { id: string }).id);
    await until(async () => (await ids()).length >= 30);
    expect(new Set(await ids()).size).toBe(30);
    // The group's window is open: nobody is told twice.
    expect(receiver.received).toHaveLength(1);
  }, 60_000);

  test("goes on with another svc-sim where its own is killed, and loses and repeats no ledger", async () => {
    await using loopback = openLoopback();
    await using chain = openLongChain({ successes: 2, failures: 1 });
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    const record = `case "$1" in engine) echo $$ > "$0.pid";; esac; exec "${SIMULATOR_BINARY}" "$@"`;
    using recorded = fakeSimulator("", { engine: false, shell: record });
    chain.tip = chain.first + 5;
    const sinks = [{ kind: "ndjson", name: "file", file: "events.ndjson" }];
    const following = {
      follow: followConfig({ behindLedgers: 3, sinks }, directory),
      write: async () => {},
    };
    const { path: simulatorPath } = recorded;
    const options = { following, rpcUrl: chain.url, simulatorPath };
    await using daemon = await openDaemon(loopback, options);
    await until(async () => (await ledgersOf(daemon)) === 4);
    for (const kills of [1, 2, 3]) {
      process.kill(Number(readFileSync(`${simulatorPath}.pid`, "utf8")), "SIGKILL");
      chain.tip += 4;
      await until(async () => (await ledgersOf(daemon)) === 4 + 4 * kills);
    }
    const samples = await scrape(daemon);
    expect(samples.get('svc_follow_transactions_total{verdict="exact"}')).toBe(16 * 3);
    expect(samples.get("svc_workers_lost_total")).toBe(3);
    const again = daemon.log.filter(({ message }) => message === "svc-sim is started again");
    expect(again).toHaveLength(3);
    expect(daemon.log.filter(({ message }) => message === "following")).toHaveLength(1);
    const file = join(directory, "events.ndjson");
    await until(async () => (await Bun.file(file).text()).trimEnd().split("\n").length === 16);
    const lines = (await Bun.file(file).text()).trimEnd().split("\n");
    expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(16);
  }, 60_000);

  test("a sink that refuses holds up nothing, and the log has what it refused", async () => {
    await using loopback = openLoopback();
    await using chain = openLongChain({ successes: 0, failures: 1 });
    await using receiver = openReceiver();
    receiver.state.status = 400;
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    chain.tip = chain.first + 3;
    const sinks = [{ kind: "webhook", name: "team", url: receiver.url }];
    const follow = followConfig({ behindLedgers: 1, sinks }, directory);
    const following = { follow, write: async () => {} };
    await using daemon = await openDaemon(loopback, { following, rpcUrl: chain.url });
    await until(async () => (await ledgersOf(daemon)) === 2);
    const refused = 'svc_alerts_total{sink="team",outcome="refused"}';
    await until(async () => (await scrape(daemon)).get(refused) === 1);
    const logged = (message: string) => daemon.log.filter((line) => line.message === message);
    // The log is written in pieces.
    await until(() => logged("event dropped").length > 0);
    expect(daemon.log).toContainEqual(
      expect.objectContaining({
        level: "error",
        message: "event dropped",
        sink: "team",
        event: expect.stringContaining('"kind":"failure"'),
      }),
    );
    await until(async () => (await scrape(daemon)).get('svc_alerts_waiting{sink="team"}') === 0);
  }, 60_000);

  test("is not ready before its first ledger, and ends when following cannot go on", async () => {
    await using loopback = openLoopback();
    await using chain = openLongChain({ successes: 1, failures: 0 });
    chain.tip = chain.first + 50;
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    const backlog = { limit: 5, policy: "stop" };
    const follow = followConfig({ behindLedgers: 40, backlog }, directory);
    const following = { follow, write: async () => {} };
    const daemon = await openDaemon(loopback, { following, rpcUrl: chain.url });
    const ready = await daemon.get("/ready").catch(() => null);
    if (ready !== null) expect(ready.status).toBe(503);
    await expect(daemon.ended).rejects.toMatchObject({ code: "FOLLOW_BEHIND" });
  }, 60_000);

  test("waits for nodes that are down, at its first start and later, and says so", async () => {
    await using loopback = openLoopback();
    await using chain = openLongChain({ successes: 2, failures: 1 });
    chain.tip = chain.first + 5;
    chain.down = true;
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    const follow = followConfig({ behindLedgers: 3 }, directory);
    const following = { follow, write: async () => {} };
    const whyNotReady = async (daemon: TestDaemon) => {
      const answer = await daemon.get("/ready");
      const { error } = (await answer.json()) as { error?: { code: string; message: string } };
      return error === undefined ? null : `${error.code}: ${error.message}`;
    };
    const messages = ({ log }: TestDaemon) => log.map(({ message }) => message);
    {
      await using daemon = await openDaemon(loopback, { following, rpcUrl: chain.url });
      await until(() => messages(daemon).includes("the node failed"));
      expect(await whyNotReady(daemon)).toMatch(
        /^FOLLOW_BEHIND: No source has shown its latest ledger since \S+Z\. No ledger is verified yet\.$/,
      );
      expect(messages(daemon)).toContain("no sink is set: events are only counted");
      expect(messages(daemon)).not.toContain("following");
      chain.down = false;
      await until(async () => (await ledgersOf(daemon)) === 4);
      await until(async () => (await whyNotReady(daemon)) === null);
      expect(daemon.log).toContainEqual(
        expect.objectContaining({
          ...{ message: "following", ledger: chain.first + 2 },
          ...{ state: directory, sinks: "", watched: 0 },
        }),
      );
    }
    chain.down = true;
    await using again = await openDaemon(loopback, { following, rpcUrl: chain.url });
    await until(() => messages(again).includes("the node failed"));
    expect(await whyNotReady(again)).toContain(`The last verified ledger is ${chain.tip}.`);
    const samples = await scrape(again);
    expect(samples.get("svc_follow_last_ledger")).toBe(chain.tip);
    expect(samples.get("svc_follow_lag_seconds")).toBeGreaterThan(0);
    expect(samples.has("svc_follow_lag_ledgers")).toBe(false);
    chain.down = false;
    await until(async () => (await whyNotReady(again)) === null);
    chain.tip += 2;
    await until(async () => (await ledgersOf(again)) === 2);
    const exact = 'svc_follow_transactions_total{verdict="exact"}';
    expect((await scrape(again)).get(exact)).toBe(6);
    expect((await scrape(again)).get("svc_follow_lag_ledgers")).toBe(0);
  }, 60_000);

  test("the log has what waited for a sink that was renamed", async () => {
    await using loopback = openLoopback();
    await using chain = openLongChain({ successes: 0, failures: 2, varied: true });
    await using receiver = openReceiver();
    receiver.state.status = 500;
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    chain.tip = chain.first + 3;
    const run = (name: string) => {
      const sinks = [{ kind: "webhook", name, url: receiver.url }];
      const follow = followConfig({ behindLedgers: 1, sinks }, directory);
      const following = { follow, write: async () => {} };
      return openDaemon(loopback, { following, rpcUrl: chain.url });
    };
    let alerts = 0;
    {
      await using daemon = await run("old");
      await until(async () => (await ledgersOf(daemon)) === 2);
      alerts = (await scrape(daemon)).get('svc_alerts_waiting{sink="old"}') ?? 0;
    }
    expect(alerts).toBeGreaterThan(0);
    await using daemon = await run("new");
    await until(() => daemon.log.some(({ message }) => message === "sink removed"));
    const removed = { level: "warn", message: "sink removed", sink: "old", events: alerts };
    expect(daemon.log).toContainEqual(expect.objectContaining(removed));
    expect(daemon.log.filter(({ message }) => message === "event dropped")).toHaveLength(alerts);
  }, 60_000);

  test("a daemon that cannot listen does not go on to follow", async () => {
    await using loopback = openLoopback();
    await using chain = openLongChain({ successes: 1, failures: 0 });
    await using receiver = openReceiver();
    const directory = mkdtempSync(join(tmpdir(), "svc-"));
    const following = { follow: followConfig({}, directory), write: async () => {} };
    const daemon = { port: Number(new URL(receiver.url).port) };
    const failure = await failureOf(openDaemon(loopback, { daemon, following, rpcUrl: chain.url }));
    expect(failure).toMatchObject({ code: "ADDRESS_UNAVAILABLE" });
    // The state is free again.
    openFollowStore(directory, loopback.network.passphrase, null)[Symbol.dispose]();
  }, 60_000);
});
