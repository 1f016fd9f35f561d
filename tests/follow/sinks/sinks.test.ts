import { afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { systemClock } from "../../../src/base/clock.ts";
import { openAlertmanager } from "../../../src/follow/sinks/alertmanager.ts";
import { openNdjsonFile } from "../../../src/follow/sinks/ndjson.ts";
import { openWebhook, sign } from "../../../src/follow/sinks/webhook.ts";
import { failureEvent } from "../../support/follow-events.ts";
import { NEVER_ABORTED } from "../../support/loopback-walk.ts";

interface Received {
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

function openReceiver(answer: () => Response = () => new Response("", { status: 204 })) {
  const received: Received[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { headers } = request;
      received.push({ path: new URL(request.url).pathname, headers, body: await request.text() });
      return answer();
    },
  });
  const url = `http://127.0.0.1:${server.port}/hooks/token-in-path`;
  return { url, received, [Symbol.asyncDispose]: () => server.stop(true) };
}

const webhook = {
  name: "team",
  secret: "a secret",
  template: "json",
  wantsAll: false,
  timeoutMilliseconds: 20_000,
} as const;

describe("a webhook", () => {
  test("sends the event with a signature over time and body", async () => {
    await using receiver = openReceiver();
    const sink = openWebhook({ ...webhook, url: receiver.url }, systemClock);
    const event = failureEvent(1);
    expect(await sink.deliver([event], NEVER_ABORTED)).toEqual({ kind: "delivered" });
    const [{ headers, body } = { headers: new Headers(), body: "" }] = receiver.received;
    expect(JSON.parse(body)).toEqual({ format: 1, ...event });
    expect(headers.get("svc-event-id")).toBe(event.id);
    const [, time = "", signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(
      headers.get("svc-signature") ?? "",
    ) as RegExpExecArray;
    expect(signature).toBe(sign(webhook.secret, Number(time), body));
    expect(signature).not.toBe(sign(webhook.secret, Number(time) + 1, body));
    expect(signature).not.toBe(sign("another", Number(time), body));
  });

  test("without a secret has no signature", async () => {
    await using receiver = openReceiver();
    const sink = openWebhook({ ...webhook, secret: null, url: receiver.url }, systemClock);
    await sink.deliver([failureEvent(1)], NEVER_ABORTED);
    expect(receiver.received[0]?.headers.has("svc-signature")).toBe(false);
  });

  test("in Slack's form has no markup from the chain", async () => {
    await using receiver = openReceiver();
    const sink = openWebhook({ ...webhook, template: "slack", url: receiver.url }, systemClock);
    await fc.assert(
      fc.asyncProperty(fc.string(), async (hostile) => {
        const summary = `<!channel> <https://evil.example|${hostile}>`;
        await sink.deliver([failureEvent(1, { summary, errorName: hostile })], NEVER_ABORTED);
        const { text } = JSON.parse(receiver.received.at(-1)?.body ?? "") as { text: string };
        expect(text).not.toMatch(/[<>]/);
        expect(text).toContain("&lt;!channel&gt;");
      }),
      { numRuns: 20 },
    );
  });

  for (const [status, kind] of [
    [200, "delivered"],
    [301, "refused"],
    [400, "refused"],
    [404, "refused"],
    [408, "failed"],
    [429, "failed"],
    [500, "failed"],
    [503, "failed"],
  ] as const) {
    test(`status ${status} is ${kind}, and the path of the URL stays secret`, async () => {
      const headers = { "retry-after": "7", location: "http://127.0.0.1:1/" };
      await using receiver = openReceiver(() => new Response("", { status, headers }));
      const sink = openWebhook({ ...webhook, url: receiver.url }, systemClock);
      const delivery = await sink.deliver([failureEvent(1)], NEVER_ABORTED);
      expect(delivery.kind).toBe(kind);
      if (delivery.kind === "failed") expect(delivery.waitMilliseconds).toBe(7000);
      expect(JSON.stringify(delivery)).not.toContain("token");
    });
  }

  test("what a short answer says is in the reason, unless it repeats the URL", async () => {
    for (const [body, reason] of [
      ["invalid_payload\n", "status 400: invalid_payload"],
      ["", "status 400"],
      ["x".repeat(100_000), "status 400"],
      ["no webhook token here", "status 400"],
    ] as const) {
      await using receiver = openReceiver(() => new Response(body, { status: 400 }));
      const url = new URL("/services/token", receiver.url).href;
      const sink = openWebhook({ ...webhook, url }, systemClock);
      const delivery = await sink.deliver([failureEvent(1)], NEVER_ABORTED);
      expect(delivery).toEqual({
        kind: "refused",
        reason: expect.stringMatching(new RegExp(`${reason}$`)),
      });
    }
  });

  test("an endpoint that is away, or silent, is a failure and no exception", async () => {
    const away = openReceiver();
    await away[Symbol.asyncDispose]();
    const sink = openWebhook({ ...webhook, url: away.url }, systemClock);
    expect((await sink.deliver([failureEvent(1)], NEVER_ABORTED)).kind).toBe("failed");
    const silent = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Promise(() => {}),
    });
    const url = `http://127.0.0.1:${silent.port}/`;
    const slow = openWebhook({ ...webhook, url, timeoutMilliseconds: 50 }, systemClock);
    expect(await slow.deliver([failureEvent(1)], NEVER_ABORTED)).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("within 50 ms"),
    });
    await silent.stop(true);
  });
});

describe("Alertmanager", () => {
  test("gets alerts of API v2, with labels to route by and an end", async () => {
    await using receiver = openReceiver(() => new Response("", { status: 200 }));
    const settings = { name: "am", timeoutMilliseconds: 20_000, activeMilliseconds: 3_600_000 };
    const sink = openAlertmanager({ ...settings, url: receiver.url }, systemClock);
    const events = [failureEvent(1), failureEvent(2)];
    expect(await sink.deliver(events, NEVER_ABORTED)).toEqual({ kind: "delivered" });
    const [{ path, body } = { path: "", body: "[]" }] = receiver.received;
    expect(path).toEndWith("/api/v2/alerts");
    const alerts = JSON.parse(body) as Record<string, Record<string, string>>[];
    expect(alerts).toHaveLength(2);
    expect(alerts[0]?.labels).toEqual({
      alertname: "SvcTransactionFailed",
      severity: "warning",
      network: "testnet",
      watched: "vault",
      contract: events[0]?.contract ?? "",
      function: "trap",
      cause: "contract-error",
      event_id: "failure:1",
    });
    for (const { startsAt, endsAt } of alerts) {
      expect(Date.parse(String(startsAt))).toBeLessThan(Date.parse(String(endsAt)));
    }
  });
});

describe("a file of NDJSON", () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-"));
  const path = join(directory, "logs", "events.ndjson");
  const settings = { name: "file", path };
  afterEach(() => rmSync(join(directory, "logs"), { recursive: true, force: true }));

  test("another program can move it between two events: no event is lost", async () => {
    const sink = openNdjsonFile(settings);
    for (let number = 1; number <= 40; number += 1) {
      await sink.deliver([failureEvent(number)], NEVER_ABORTED);
      if (number % 7 === 0) renameSync(path, `${path}.${number}`);
    }
    const counts = readdirSync(join(directory, "logs")).flatMap((name) =>
      readFileSync(join(directory, "logs", name), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => (JSON.parse(line) as { count: number }).count),
    );
    expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  });

  test("what a crash left of a line is cut off", async () => {
    const sink = openNdjsonFile(settings);
    await sink.deliver([failureEvent(1)], NEVER_ABORTED);
    writeFileSync(path, '{"kind":"fai', { flag: "a" });
    await sink.deliver([failureEvent(2)], NEVER_ABORTED);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { count: number }).count)).toEqual([1, 2]);
  });

  test("that cannot be written is a failure that can be tried again", async () => {
    writeFileSync(join(directory, "a-file"), "");
    const sink = openNdjsonFile({ ...settings, path: join(directory, "a-file", "events") });
    expect((await sink.deliver([failureEvent(1)], NEVER_ABORTED)).kind).toBe("failed");
  });
});
