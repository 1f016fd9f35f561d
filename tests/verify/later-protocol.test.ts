// svc verify where a network was upgraded to a protocol that svc does not know: what came before is
// verified, what follows is counted apart.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt, SIMULATOR_BINARY } from "../../scripts/ensure-built.ts";
import { systemClock } from "../../src/base/clock.ts";
import { openHttp } from "../../src/base/http/http.ts";
import { exitCodeOfVerification } from "../../src/command/exit-code.ts";
import type { Verification } from "../../src/model/verification.ts";
import { verificationDocument } from "../../src/report/document/verification.ts";
import { openSources } from "../../src/sources/open-source.ts";
import {
  type VerifyDependencies,
  verifyLedgerFiles,
  verifyRange,
} from "../../src/verify/verify-ledgers.ts";
import { LaterNetwork } from "../support/later-network.ts";
import {
  LATER_PARTS,
  LATER_PROTOCOL,
  type LaterPart,
  upgradedAt,
} from "../support/later-protocol.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { framed } from "../support/made-archive.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const BUILD_MILLISECONDS = 900_000;
const signal = new AbortController().signal;
const directory = mkdtempSync(join(tmpdir(), "svc-later-"));
afterAll(() => rmSync(directory, { recursive: true }));
beforeAll(ensureBuilt, BUILD_MILLISECONDS);

const network = new RecordedNetwork();
const [FIRST, SINCE, LAST] = [408, 414, 417];
const LEDGERS = network.sequences
  .filter((sequence) => sequence >= FIRST && sequence <= LAST)
  .map((sequence) => ({
    sequence,
    ledgerCloseMeta: network.ledgerBytes(sequence) as Uint8Array,
  }));

const dependencies: VerifyDependencies = {
  program: { path: SIMULATOR_BINARY },
  networkPassphrase: network.passphrase,
  jobs: 1,
  keepNotExact: 50,
  workerCommand: null,
  rehearseProtocol: null,
  progress: () => {},
};

function expectUnknown(found: Verification, unknown: { ledgers: number; source: string }) {
  expect(found.ledgers).toBe(SINCE - FIRST);
  expect(found.unknownProtocolLedgers).toBe(unknown.ledgers);
  expect(found.unknownProtocols).toEqual([
    { ledger: SINCE, protocolVersion: LATER_PROTOCOL, ...unknown },
  ]);
  expect(exitCodeOfVerification(found)).toBe(8);
  const document = JSON.stringify(verificationDocument(found, null));
  expect(document).toContain("PROTOCOL_UNKNOWN");
  expect(document).toContain(`Ledger ${SINCE} is of protocol ${LATER_PROTOCOL}`);
}

describe("ledger files of a network that was upgraded", () => {
  const write = (name: string, part: LaterPart, from = FIRST) => {
    const ledgers = upgradedAt(LEDGERS, SINCE, part).filter(({ sequence }) => sequence >= from);
    const path = join(directory, name);
    writeFileSync(path, framed(ledgers.map(({ ledgerCloseMeta }) => ledgerCloseMeta)));
    return path;
  };

  test("are verified up to the upgrade", async () => {
    for (const part of LATER_PARTS) {
      const path = write("stream.xdr", part);
      const found = await verifyLedgerFiles(dependencies, [path], { signal });
      expectUnknown(found, { ledgers: 1, source: path });
      expect(found.verdicts.diverged).toBe(0);
      expect(found.transactions).toBeGreaterThan(0);
    }
  }, 60_000);

  test("are counted where all of a file is of the later protocol, too", async () => {
    const path = write("later.xdr", "closing value", SINCE);
    const found = await verifyLedgerFiles(dependencies, [path], { signal });
    expect(found).toMatchObject({ ledgers: 0, transactions: 0, unknownProtocolLedgers: 1 });
    expect(exitCodeOfVerification(found)).toBe(8);
  });
});

describe("a range of ledgers of such a network", () => {
  const verify = async (part: LaterPart, range: { first: number; last: number }) => {
    await using loopback = openLoopback({ network: new LaterNetwork(SINCE, part) });
    const http = openHttp({ clock: systemClock, timeoutMilliseconds: 10_000, userAgent: "test" });
    const { sources } = openSources(
      { http, clock: systemClock },
      {
        network: "custom",
        networkPassphrase: network.passphrase,
        horizonUrls: [],
        rpcUrls: [loopback.url("rpc")],
        origins: {} as never,
      },
    );
    return await verifyRange(
      { ...dependencies, networkPassphrase: network.passphrase, sources },
      range,
      {
        signal,
      },
    );
  };

  test("is verified up to the upgrade, and the rest is counted", async () => {
    for (const part of LATER_PARTS) {
      const found = await verify(part, { first: FIRST, last: LAST });
      const ledgers = LAST - SINCE + 1;
      expectUnknown(found, { ledgers, source: `ledgers ${FIRST} to ${LAST}` });
    }
  }, 60_000);

  test("is counted where it begins after the upgrade", async () => {
    const found = await verify("nothing else", { first: SINCE, last: LAST });
    expect(found).toMatchObject({ ledgers: 0, unknownProtocolLedgers: LAST - SINCE + 1 });
    expect(exitCodeOfVerification(found)).toBe(8);
  });
});
