// A network of its own: a genesis ledger with the settings that public networks have.

import { BASE_FEE_STROOPS, BASE_RESERVE_STROOPS } from "../../model/networks.ts";
import {
  type CostParameters,
  initialCostParameters,
} from "../../snapshot/settings/initial-cost-parameters.ts";
import { GENESIS_LEDGER, genesisAccount, TOTAL_STROOPS } from "../../xdr/ledger/genesis.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { keyOfEntry } from "../../xdr/reader/keys.ts";
import { encode, encodeBytes, type Value } from "../../xdr/reader/value.ts";
import type { ForkBase } from "../ledger/chain.ts";
import { type OpenedBase, ReadEntries, withKeptAnswers } from "./opened-base.ts";

export interface EmptyNetwork {
  readonly networkPassphrase: string;
  readonly protocolVersion: number;
  readonly closeTimeUnixSeconds: bigint;
}

const NO_HASH = new Uint8Array(32);

export function openEmptyBase(network: EmptyNetwork): OpenedBase {
  const { networkPassphrase, protocolVersion, closeTimeUnixSeconds } = network;
  const header = encodeBytes("LedgerHeader", {
    ledgerVersion: protocolVersion,
    previousLedgerHash: NO_HASH,
    scpValue: {
      txSetHash: NO_HASH,
      closeTime: closeTimeUnixSeconds,
      upgrades: [],
      ext: { v: 0 },
    },
    txSetResultHash: NO_HASH,
    bucketListHash: NO_HASH,
    ledgerSeq: GENESIS_LEDGER,
    totalCoins: TOTAL_STROOPS,
    feePool: 0n,
    inflationSeq: 0,
    idPool: 0n,
    baseFee: BASE_FEE_STROOPS,
    baseReserve: BASE_RESERVE_STROOPS,
    maxTxSetSize: 1000,
    skipList: [NO_HASH, NO_HASH, NO_HASH, NO_HASH],
    ext: { v: 0 },
  });
  const genesis = genesisAccount(networkPassphrase).toBase64();
  const genesisKey = keyOfEntry(genesis);
  const entry = { entryXdr: genesis, liveUntilLedger: null, archived: false, provenance: null };
  const base: ForkBase = {
    networkPassphrase,
    headerXdr: header.toBase64(),
    ledgerHash: sha256(header).toHex(),
    settingsXdr: usualSettings(protocolVersion),
    rentFeePer1KbStroops: null,
    async entries(keysXdr) {
      return new Map(keysXdr.map((key) => [key, key === genesisKey ? entry : null]));
    },
  };
  const read = new ReadEntries();
  return {
    base: withKeptAnswers(base, read),
    name: "an empty network",
    first: null,
    followed: null,
    overlay: null,
    passphrase: null,
    read,
  };
}

type ConfigSetting = Value<"ConfigSettingEntry">;

/** CONFIG_SETTING LedgerEntries with the limits and fees of public networks. */
function usualSettings(protocol: number): string[] {
  const costs = initialCostParameters(protocol);
  const settings: ConfigSetting[] = [
    { configSettingID: 0, contractMaxSizeBytes: 131_072 },
    {
      configSettingID: 1,
      contractCompute: {
        ledgerMaxInstructions: 500_000_000n,
        txMaxInstructions: 100_000_000n,
        feeRatePerInstructionsIncrement: 25n,
        txMemoryLimit: 41_943_040,
      },
    },
    {
      configSettingID: 2,
      contractLedgerCost: {
        ledgerMaxDiskReadEntries: 500,
        ledgerMaxDiskReadBytes: 3_500_000,
        ledgerMaxWriteLedgerEntries: 250,
        ledgerMaxWriteBytes: 143_360,
        txMaxDiskReadEntries: 100,
        txMaxDiskReadBytes: 200_000,
        txMaxWriteLedgerEntries: 50,
        txMaxWriteBytes: 132_096,
        feeDiskReadLedgerEntry: 6250n,
        feeWriteLedgerEntry: 10_000n,
        feeDiskRead1Kb: 1786n,
        sorobanStateTargetSizeBytes: 3_000_000_000n,
        rentFee1KbSorobanStateSizeLow: -17_000n,
        rentFee1KbSorobanStateSizeHigh: 10_000n,
        sorobanStateRentFeeGrowthFactor: 5000,
      },
    },
    { configSettingID: 3, contractHistoricalData: { feeHistorical1Kb: 16_235n } },
    {
      configSettingID: 4,
      contractEvents: { txMaxContractEventsSizeBytes: 16_384, feeContractEvents1Kb: 10_000n },
    },
    {
      configSettingID: 5,
      contractBandwidth: {
        ledgerMaxTxsSizeBytes: 133_120,
        txMaxSizeBytes: 132_096,
        feeTxSize1Kb: 1624n,
      },
    },
    { configSettingID: 6, contractCostParamsCpuInsns: costTerms(costs.cpu) },
    { configSettingID: 7, contractCostParamsMemBytes: costTerms(costs.memory) },
    { configSettingID: 8, contractDataKeySizeBytes: 250 },
    { configSettingID: 9, contractDataEntrySizeBytes: 65_536 },
    {
      configSettingID: 10,
      stateArchivalSettings: {
        maxEntryTtl: 3_110_400,
        minTemporaryTtl: 720,
        minPersistentTtl: 120_960,
        persistentRentRateDenominator: 1215n,
        tempRentRateDenominator: 2430n,
        maxEntriesToArchive: 1000,
        liveSorobanStateSizeWindowSampleSize: 30,
        liveSorobanStateSizeWindowSamplePeriod: 64,
        evictionScanSize: 500_000,
        startingEvictionScanLevel: 7,
      },
    },
    { configSettingID: 11, contractExecutionLanes: { ledgerMaxTxCount: 100 } },
    { configSettingID: 12, liveSorobanStateSizeWindow: Array.from({ length: 30 }, () => 0n) },
    {
      configSettingID: 13,
      evictionIterator: { bucketListLevel: 7, isCurrBucket: true, bucketFileOffset: 0n },
    },
  ];
  if (protocol >= 23)
    settings.push(
      { configSettingID: 14, contractParallelCompute: { ledgerMaxDependentTxClusters: 1 } },
      {
        configSettingID: 15,
        contractLedgerCostExt: { txMaxFootprintEntries: 100, feeWrite1Kb: 3500n },
      },
      {
        configSettingID: 16,
        contractScpTiming: {
          ledgerTargetCloseTimeMilliseconds: 5000,
          nominationTimeoutInitialMilliseconds: 1000,
          nominationTimeoutIncrementMilliseconds: 1000,
          ballotTimeoutInitialMilliseconds: 1000,
          ballotTimeoutIncrementMilliseconds: 1000,
        },
      },
    );
  if (protocol >= 26)
    settings.push(
      { configSettingID: 17, frozenLedgerKeys: { keys: [] } },
      { configSettingID: 19, freezeBypassTxs: { txHashes: [] } },
    );
  return settings.map((configSetting) =>
    encode("LedgerEntry", {
      lastModifiedLedgerSeq: GENESIS_LEDGER,
      data: { type: 8, configSetting },
      ext: { v: 0 },
    }),
  );
}

function costTerms(parameters: CostParameters) {
  return parameters.map(([constant, linear]) => ({
    ext: { v: 0 as const },
    constTerm: BigInt(constant),
    linearTerm: BigInt(linear),
  }));
}
