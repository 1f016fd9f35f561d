import { describe, expect, test } from "bun:test";
import { SvcError } from "../../src/base/errors/errors.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import type { Snapshot, SnapshotEntry } from "../../src/model/snapshot.ts";
import {
  checkRequest,
  preflightRequest,
  replayRequest,
  withEntryFields,
} from "../../src/simulator/requests.ts";

const record: ChainRecord = {
  requestedHash: "ab".repeat(32),
  hash: "ab".repeat(32),
  innerHash: null,
  networkPassphrase: "Standalone Network ; February 2017",
  envelopeXdr: "AAAA",
  resultXdr: "BBBB",
  resultMetaXdr: null,
  feeChangesXdr: null,
  refundChangesXdr: null,
  diagnosticEventsXdr: [],
  ledger: {
    sequence: 100,
    protocolVersion: 23,
    closeTimeUnixSeconds: "1700000000",
    baseFeeStroops: 100,
    baseReserveStroops: 5_000_000,
    transactionSetHash: "cd".repeat(32),
  },
  applicationOrder: 3,
  origins: {},
};

const entry = (keyXdr: string, more: Partial<SnapshotEntry>): SnapshotEntry => ({
  keyXdr,
  entryXdr: "EEEE",
  liveUntilLedger: null,
  archived: false,
  codeCached: null,
  provenance: { kind: "meta", detail: "" },
  ttlProvenance: null,
  ...more,
});

const snapshot: Snapshot = {
  entries: [
    entry("KEY0", { entryXdr: null }),
    entry("KEY1", { liveUntilLedger: 200, codeCached: false }),
    entry("KEY2", { archived: true }),
  ],
  settings: [{ name: "x", entryXdr: "SSSS", provenance: { kind: "meta", detail: "" } }],
  rentFeePer1KbStroops: "1000",
  unknown: [],
};

describe("what svc-sim is asked", () => {
  test("the record and the snapshot, nothing invented", () => {
    const options = { trace: true, diagnostics: false, feeTakenStroops: null };
    const request = replayRequest(record, snapshot, options);
    expect(request).toEqual({
      envelope_xdr: "AAAA",
      result_meta_xdr: "",
      ledger_entries: {
        KEY0: null,
        KEY1: { entry_xdr: "EEEE", live_until_ledger: 200, code_cached: false },
        KEY2: { entry_xdr: "EEEE", archived: true },
      },
      ledger: {
        protocol_version: 23,
        sequence: 100,
        close_time_unix_seconds: "1700000000",
        network_passphrase: "Standalone Network ; February 2017",
        base_reserve_stroops: 5_000_000,
        base_prng_seed: "cd".repeat(32),
        application_order: 3,
        settings: ["SSSS"],
        rent_fee_per_1kb_stroops: "1000",
      },
      options: { trace: true, diagnostics: false },
    });
    expect(checkRequest(request)).toEqual(request);
  });

  test("entries get the TTL that is given, and absent ones stay absent", () => {
    const options = { trace: true, diagnostics: false, feeTakenStroops: null };
    const request = replayRequest(record, snapshot, options);
    const { ledger_entries, ...rest } = withEntryFields(request, ["KEY0", "KEY1", "KEY9"], {
      liveUntilLedger: 100,
    });
    expect(ledger_entries).toEqual({
      KEY0: null,
      KEY1: { entry_xdr: "EEEE", live_until_ledger: 100, code_cached: false },
      KEY2: { entry_xdr: "EEEE", archived: true },
    });
    expect({ ...rest, ledger_entries: request.ledger_entries }).toEqual(request);
    const withMeta = { ...record, resultMetaXdr: "AAAA" };
    expect(replayRequest(withMeta, snapshot, options)).toEqual(request);
  });

  test("a preflight names its seed, and an archived entry is live until ledger 0", () => {
    const entries = [
      ["KEY0", null],
      ["KEY1", { entryXdr: "EEEE", liveUntilLedger: null, archived: false }],
      ["KEY2", { entryXdr: "EEEE", liveUntilLedger: null, archived: true }],
    ] as const;
    const { envelopeXdr, networkPassphrase, ledger, hash: seed } = record;
    const preflight = { envelopeXdr, networkPassphrase, ledger, entries, seed };
    const request = {
      simulation: { base_prng_seed: seed },
      envelope_xdr: "AAAA",
      ledger_entries: {
        KEY0: null,
        KEY1: { entry_xdr: "EEEE" },
        KEY2: { entry_xdr: "EEEE", live_until_ledger: 0 },
      },
      ledger: {
        protocol_version: 23,
        sequence: 100,
        close_time_unix_seconds: "1700000000",
        network_passphrase: "Standalone Network ; February 2017",
        base_reserve_stroops: 5_000_000,
      },
    };
    expect(preflightRequest(preflight)).toEqual(request);
    const wish = { authMode: "record", useUpgradedAuth: true, instructionLeeway: "5" };
    expect(preflightRequest({ ...preflight, ...wish }).simulation).toEqual({
      base_prng_seed: seed,
      auth_mode: "record",
      use_upgraded_auth: true,
      instruction_leeway: "5",
    });
  });

  test("strict validation names every field that is wrong", () => {
    let failure: unknown;
    try {
      const ledger_entries = { AAAA: { entry_xdr: "BBBB", live_until_ledger: -1 } };
      checkRequest({ result_meta_xdr: "not base64!", ledger_entries, surplus: 1 });
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(SvcError);
    const error = failure as SvcError;
    expect(error.code).toBe("REQUEST_INVALID");
    expect(error.remedy).toContain("envelope_xdr and result_meta_xdr are required");
    for (const field of [
      "envelope_xdr: is missing",
      "result_meta_xdr: must be ",
      "surplus: is not a known field",
      "ledger_entries.AAAA.live_until_ledger: must be ",
    ]) {
      expect(error.message).toContain(field);
    }
  });
});
