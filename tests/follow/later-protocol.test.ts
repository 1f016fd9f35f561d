// What following does at a ledger of a protocol that svc does not know: an own state, with a metric,
// and not a fault of the node.

import { expect, test } from "bun:test";
import { Registry } from "prom-client";
import { openFollowMetrics } from "../../src/follow/follow-metrics.ts";
import { openPosition } from "../../src/follow/follow-position.ts";
import { NEWEST_PROTOCOL, protocolUnknown } from "../../src/model/protocols.ts";
import {
  openProtocolNotes,
  UNKNOWN_PROTOCOL_SEEN,
  UPGRADE_EXPECTED,
} from "../../src/sources/protocol-notes.ts";
import { LATER_PROTOCOL } from "../support/later-protocol.ts";
import { TestClock } from "../support/test-clock.ts";

const MESSAGE = `Ledger 101 is of protocol ${LATER_PROTOCOL}; this svc knows protocols up to ${NEWEST_PROTOCOL}.`;

test("it is not ready while it does not know the protocol, and a metric says so", async () => {
  const clock = new TestClock({ grantedUpTo: Number.POSITIVE_INFINITY });
  const position = openPosition(clock, { ledger: 100, closeTimeUnixSeconds: 1_800_000_000 }, 10);
  const registry = new Registry();
  const options = { clock, sinks: [], rehearseProtocol: null, waiting: () => 0, position };
  openFollowMetrics(registry, options);
  const metric = async () =>
    /^svc_follow_unknown_protocol (\d+)$/m.exec(await registry.metrics())?.[1];
  position.noteLatest(101);
  expect([position.whyNotReady(), await metric()]).toEqual([null, "0"]);
  position.noteUnknownProtocol(protocolUnknown({ protocolVersion: LATER_PROTOCOL, ledger: 101 }));
  const why = position.whyNotReady();
  expect(why?.code).toBe("PROTOCOL_UNKNOWN");
  expect(why?.message).toBe(`${MESSAGE} The last verified ledger is 100.`);
  expect(why?.remedy).toStartWith("Update svc:");
  expect(await metric()).toBe(String(LATER_PROTOCOL));
  position.noteVerified({ ledger: 101, closeTimeUnixSeconds: 1_800_000_005 });
  expect([position.whyNotReady(), await metric()]).toEqual([null, "0"]);
});

test("what nodes say of later protocols is noted once each", () => {
  const noted: [string, string, unknown][] = [];
  const note = openProtocolNotes((level, message, { protocol }) =>
    noted.push([level, message, protocol]),
  );
  const said = (protocolVersion: number | null, supportedProtocol: number | null = null) => {
    for (const node of ["horizon a", "rpc b"]) note(node, { protocolVersion, supportedProtocol });
  };
  said(null);
  said(NEWEST_PROTOCOL, NEWEST_PROTOCOL);
  expect(noted).toEqual([]);
  said(NEWEST_PROTOCOL, LATER_PROTOCOL);
  expect(noted).toEqual([["warn", UPGRADE_EXPECTED, LATER_PROTOCOL]]);
  said(LATER_PROTOCOL, LATER_PROTOCOL);
  expect(noted.slice(1)).toEqual([["error", UNKNOWN_PROTOCOL_SEEN, LATER_PROTOCOL]]);
});
