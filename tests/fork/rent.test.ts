// The rent fee of a fork: what its ledgers report of the state's size is what its transactions paid
// for, so that svc's replay of each has the same fees.

import { beforeAll, expect, test } from "bun:test";
import { ensureBuilt } from "../../scripts/ensure-built.ts";
import { STATE_SIZE_WINDOW_ID, settingKeyOf } from "../../src/xdr/ledger/settings.ts";
import { decode, encode } from "../../src/xdr/reader/value.ts";
import { expectExact, transferred } from "../support/exact-on-fork.ts";
import { EMPTY_PASSPHRASE, openFork } from "../support/fork.ts";

beforeAll(ensureBuilt, 900_000);

/** Far above the size at which the rent fee begins to grow. */
const LARGE = 30_000_000_000n;
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
    const small = await expectExact(fork, EMPTY_PASSPHRASE);
    await setWindow(fork, [LARGE, LARGE + 1n, 7n]);
    const large = await expectExact(fork, EMPTY_PASSPHRASE);
    expect(large).toBeGreaterThan(small);
    await setWindow(fork, [0n]);
    expect(await transferred(fork)).toBeDefined();
  },
  60_000,
);
