import { expect, test } from "bun:test";
import type { NotExact } from "../../src/model/verification.ts";
import { debugCommand } from "../../src/report/document/verification.ts";

const HASH = "ab".repeat(32);
const NONE = { networkPassphrase: null, rpcUrls: [], ledgerLakeUrls: [] };
const MAINNET = "Public Global Stellar Network ; September 2015";
const from = (source: string) => ({ hash: HASH, source }) as NotExact;

test("the command names the network and the nodes of the run, and no secret of an address", () => {
  expect(debugCommand(from("rpc https://rpc.example"), null)).toBe(`svc debug ${HASH}`);
  const mainnet = { ...NONE, networkPassphrase: MAINNET };
  expect(debugCommand(from("lake"), mainnet)).toBe(`svc debug ${HASH} --network mainnet`);
  const custom = {
    networkPassphrase: "It's ours",
    rpcUrls: ["https://one.example", "https://two.example:8000"],
    ledgerLakeUrls: "hidden",
  } as const;
  expect(debugCommand(from("lake"), custom)).toBe(
    `svc debug ${HASH} --network-passphrase 'It'\\''s ours' ` +
      "--rpc-url https://one.example,https://two.example:8000 " +
      '--ledger-lake-url "$SVC_LEDGER_LAKE_URL"',
  );
  expect(debugCommand(from("/data/my ledgers.xdr"), { ...custom, areFiles: true })).toBe(
    `svc debug ${HASH} --network-passphrase 'It'\\''s ours' --ledger-file '/data/my ledgers.xdr'`,
  );
  // A result is a file that anybody may have written: nothing of it reaches a shell unquoted.
  const hostile = {
    ...custom,
    networkPassphrase: null,
    rpcUrls: ["$(reboot)"],
    ledgerLakeUrls: [],
  };
  expect(debugCommand(from("lake"), hostile)).toBe(`svc debug ${HASH} --rpc-url '$(reboot)'`);
});
