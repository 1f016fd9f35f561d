import { expect, test } from "bun:test";
import { LedgerEntryData } from "@stellar/stellar-sdk/xdr";
import { readTransactionLimits } from "../../src/xdr/ledger/transaction-limits.ts";
import { recordedSettings } from "../support/recorded-network.ts";

test("each limit is the field of its setting that the SDK reads", () => {
  const entries = recordedSettings();
  const setting: Record<string, number | bigint> = {};
  for (const { xdr } of entries) {
    const data = LedgerEntryData.schema.decode(Uint8Array.fromBase64(xdr));
    if (data.type !== 8) throw new Error("no setting");
    Object.assign(setting, data.configSetting);
    for (const part of Object.values(data.configSetting))
      if (typeof part === "object" && !Array.isArray(part)) Object.assign(setting, part);
  }
  // LedgerEntry: the ledger of the last change before the data, an extension after it.
  const whole = entries.map(({ xdr }) =>
    Buffer.concat([Buffer.alloc(4), Buffer.from(xdr, "base64"), Buffer.alloc(4)]).toString(
      "base64",
    ),
  );
  const limits = readTransactionLimits(whole);
  expect(limits).toEqual({
    instructions: String(setting.txMaxInstructions),
    memoryBytes: String(setting.txMemoryLimit),
    diskReadEntries: String(setting.txMaxDiskReadEntries),
    diskReadBytes: String(setting.txMaxDiskReadBytes),
    writeEntries: String(setting.txMaxWriteLedgerEntries),
    writeBytes: String(setting.txMaxWriteBytes),
    eventsBytes: String(setting.txMaxContractEventsSizeBytes),
    sizeBytes: String(setting.txMaxSizeBytes),
    footprintEntries: String(setting.txMaxFootprintEntries),
    dataEntryBytes: String(setting.contractDataEntrySizeBytes),
    codeBytes: String(setting.contractMaxSizeBytes),
    keyBytes: String(setting.contractDataKeySizeBytes),
    entryTtl: String(setting.maxEntryTtl),
    newPersistentTtl: String(setting.minPersistentTtl),
    newTemporaryTtl: String(setting.minTemporaryTtl),
  });
  expect(Object.values(limits)).not.toContain("undefined");
});
