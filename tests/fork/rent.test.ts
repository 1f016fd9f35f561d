// The rent fee of a fork: what its ledgers report of the state's size is what its transactions paid
// for, so that svc's replay of each has the same fees.

import { beforeAll, expect, test } from "bun:test";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { STATE_SIZE_WINDOW_ID, settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { decode, encode } from "../../src/xdr/reader/value.ts";
import { deployment, expectReplayed } from "../support/exact-on-fork.ts";
import { openFork } from "../support/fork.ts";

beforeAll(ensureBuilt, 900_000);

/** Far above the size at which the rent fee begins to grow. */
const LARGE = 3_000_000_000n;
const WINDOW = settingKeyOf(STATE_SIZE_WINDOW_ID);

async function setWindow(fork: Awaited<ReturnType<typeof openFork>>, samples: readonly bigint[]) {
  const { entries } = await fork.call<{ entries: { xdr: string }[] }>("getLedgerEntries", {
    keys: [WINDOW],
  });
  const data = decode("LedgerEntryData", entries[0]?.xdr ?? "");
  const configSetting = {
    configSettingID: STATE_SIZE_WINDOW_ID,
    liveSorobanStateSizeWindow: samples,
  } as const;
  const entry = {
    ...{ lastModifiedLedgerSeq: 1, ext: { v: 0 } as const },
    data: { ...data, type: 8, configSetting } as const,
  };
  await fork.call("fork_setLedgerEntry", { entry: encode("LedgerEntry", entry) });
}

test.each([21, 22, 23, 27])(
  "of protocol %d, whatever the size of the state is",
  async (protocolVersion) => {
    await using fork = await openFork({ protocolVersion });
    const small = await expectReplayed(fork, deployment(fork, "SMALL"));
    await setWindow(fork, [LARGE, LARGE + 1n, 7n]);
    const large = await expectReplayed(fork, deployment(fork, "LARGE"));
    expect(large).toBeGreaterThan(small);
    await fork.call("fork_closeLedgers", { ledgers: 3 });
    expect(await expectReplayed(fork, deployment(fork, "LATER"))).toBe(large);
    await fork.call("fork_impersonate", { accounts: "all" });
    const unsigned = { kind: "equivalent", isSigned: false };
    expect(await expectReplayed(fork, deployment(fork, "WAIVE"), unsigned)).toBeLessThan(large);
  },
  60_000,
);
