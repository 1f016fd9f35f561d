// The types of decoded XDR values, which `npm run docs` writes from the definitions of the newest
// protocol. src/xdr/reader/value.ts says how each kind of type is decoded.

export interface XdrValues {
  readonly AccountEntry: {
    readonly accountId: XdrValues["PublicKey"];
    readonly balance: bigint;
    readonly seqNum: bigint;
    readonly numSubEntries: number;
    readonly inflationDest: XdrValues["PublicKey"] | null;
    readonly flags: number;
    readonly homeDomain: Uint8Array;
    readonly thresholds: XdrValues["Thresholds"];
    readonly signers: readonly XdrValues["Signer"][];
    readonly ext: XdrValues["AccountEntryExt"];
  };
  readonly AccountEntryExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly v1: XdrValues["AccountEntryExtensionV1"] };
  readonly AccountEntryExtensionV1: {
    readonly liabilities: XdrValues["Liabilities"];
    readonly ext: XdrValues["AccountEntryExtensionV1Ext"];
  };
  readonly AccountEntryExtensionV1Ext:
    | { readonly v: 0 }
    | { readonly v: 2; readonly v2: XdrValues["AccountEntryExtensionV2"] };
  readonly AccountEntryExtensionV2: {
    readonly numSponsored: number;
    readonly numSponsoring: number;
    readonly signerSponsoringIDs: readonly (XdrValues["PublicKey"] | null)[];
    readonly ext: XdrValues["AccountEntryExtensionV2Ext"];
  };
  readonly AccountEntryExtensionV2Ext:
    | { readonly v: 0 }
    | { readonly v: 3; readonly v3: XdrValues["AccountEntryExtensionV3"] };
  readonly AccountEntryExtensionV3: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly seqLedger: number;
    readonly seqTime: bigint;
  };
  readonly AccountFlags: number;
  readonly AccountMergeResult:
    | { readonly code: 0; readonly sourceAccountBalance: bigint }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 };
  readonly AccountMergeResultCode: number;
  readonly AllowTrustOp: {
    readonly trustor: XdrValues["PublicKey"];
    readonly asset: XdrValues["AssetCode"];
    readonly authorize: number;
  };
  readonly AllowTrustResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 };
  readonly AllowTrustResultCode: number;
  readonly AlphaNum12: {
    readonly assetCode: XdrValues["AssetCode12"];
    readonly issuer: XdrValues["PublicKey"];
  };
  readonly AlphaNum4: {
    readonly assetCode: XdrValues["AssetCode4"];
    readonly issuer: XdrValues["PublicKey"];
  };
  readonly Asset:
    | { readonly type: 0 }
    | { readonly type: 1; readonly alphaNum4: XdrValues["AlphaNum4"] }
    | { readonly type: 2; readonly alphaNum12: XdrValues["AlphaNum12"] };
  readonly AssetCode12: Uint8Array;
  readonly AssetCode4: Uint8Array;
  readonly AssetCode:
    | { readonly type: 1; readonly assetCode4: XdrValues["AssetCode4"] }
    | { readonly type: 2; readonly assetCode12: XdrValues["AssetCode12"] };
  readonly AssetType: number;
  readonly Auth: { readonly flags: number };
  readonly AuthCert: {
    readonly pubkey: XdrValues["Curve25519Public"];
    readonly expiration: bigint;
    readonly sig: XdrValues["Signature"];
  };
  readonly AuthenticatedMessage: {
    readonly v: 0;
    readonly v0: XdrValues["AuthenticatedMessageV0"];
  };
  readonly AuthenticatedMessageV0: {
    readonly sequence: bigint;
    readonly message: XdrValues["StellarMessage"];
    readonly mac: XdrValues["HmacSha256Mac"];
  };
  readonly BeginSponsoringFutureReservesOp: { readonly sponsoredId: XdrValues["PublicKey"] };
  readonly BeginSponsoringFutureReservesResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 };
  readonly BeginSponsoringFutureReservesResultCode: number;
  readonly BinaryFuseFilterType: number;
  readonly BucketEntry:
    | { readonly type: 0; readonly liveEntry: XdrValues["LedgerEntry"] }
    | { readonly type: 2; readonly liveEntry: XdrValues["LedgerEntry"] }
    | { readonly type: 1; readonly deadEntry: XdrValues["LedgerKey"] }
    | { readonly type: -1; readonly metaEntry: XdrValues["BucketMetadata"] };
  readonly BucketEntryType: number;
  readonly BucketListType: number;
  readonly BucketMetadata: {
    readonly ledgerVersion: number;
    readonly ext: XdrValues["BucketMetadataExt"];
  };
  readonly BucketMetadataExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly bucketListType: XdrValues["BucketListType"] };
  readonly BumpSequenceOp: { readonly bumpTo: bigint };
  readonly BumpSequenceResult: { readonly code: 0 } | { readonly code: -1 };
  readonly BumpSequenceResultCode: number;
  readonly ChangeTrustAsset:
    | { readonly type: 0 }
    | { readonly type: 1; readonly alphaNum4: XdrValues["AlphaNum4"] }
    | { readonly type: 2; readonly alphaNum12: XdrValues["AlphaNum12"] }
    | { readonly type: 3; readonly liquidityPool: XdrValues["LiquidityPoolParameters"] };
  readonly ChangeTrustOp: { readonly line: XdrValues["ChangeTrustAsset"]; readonly limit: bigint };
  readonly ChangeTrustResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 };
  readonly ChangeTrustResultCode: number;
  readonly ClaimAtom:
    | { readonly type: 0; readonly v0: XdrValues["ClaimOfferAtomV0"] }
    | { readonly type: 1; readonly orderBook: XdrValues["ClaimOfferAtom"] }
    | { readonly type: 2; readonly liquidityPool: XdrValues["ClaimLiquidityAtom"] };
  readonly ClaimAtomType: number;
  readonly ClaimClaimableBalanceOp: { readonly balanceId: XdrValues["ClaimableBalanceId"] };
  readonly ClaimClaimableBalanceResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 };
  readonly ClaimClaimableBalanceResultCode: number;
  readonly ClaimLiquidityAtom: {
    readonly liquidityPoolId: XdrValues["PoolId"];
    readonly assetSold: XdrValues["Asset"];
    readonly amountSold: bigint;
    readonly assetBought: XdrValues["Asset"];
    readonly amountBought: bigint;
  };
  readonly ClaimOfferAtom: {
    readonly sellerId: XdrValues["PublicKey"];
    readonly offerId: bigint;
    readonly assetSold: XdrValues["Asset"];
    readonly amountSold: bigint;
    readonly assetBought: XdrValues["Asset"];
    readonly amountBought: bigint;
  };
  readonly ClaimOfferAtomV0: {
    readonly sellerEd25519: XdrValues["Uint256"];
    readonly offerId: bigint;
    readonly assetSold: XdrValues["Asset"];
    readonly amountSold: bigint;
    readonly assetBought: XdrValues["Asset"];
    readonly amountBought: bigint;
  };
  readonly ClaimPredicate:
    | { readonly type: 0 }
    | { readonly type: 1; readonly andPredicates: readonly XdrValues["ClaimPredicate"][] }
    | { readonly type: 2; readonly orPredicates: readonly XdrValues["ClaimPredicate"][] }
    | { readonly type: 3; readonly notPredicate: XdrValues["ClaimPredicate"] | null }
    | { readonly type: 4; readonly absBefore: bigint }
    | { readonly type: 5; readonly relBefore: bigint };
  readonly ClaimPredicateType: number;
  readonly ClaimableBalanceEntry: {
    readonly balanceId: XdrValues["ClaimableBalanceId"];
    readonly claimants: readonly XdrValues["Claimant"][];
    readonly asset: XdrValues["Asset"];
    readonly amount: bigint;
    readonly ext: XdrValues["ClaimableBalanceEntryExt"];
  };
  readonly ClaimableBalanceEntryExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly v1: XdrValues["ClaimableBalanceEntryExtensionV1"] };
  readonly ClaimableBalanceEntryExtensionV1: {
    readonly ext: XdrValues["ClaimableBalanceEntryExtensionV1Ext"];
    readonly flags: number;
  };
  readonly ClaimableBalanceEntryExtensionV1Ext: { readonly v: 0 };
  readonly ClaimableBalanceFlags: number;
  readonly ClaimableBalanceId: { readonly type: 0; readonly v0: XdrValues["Hash"] };
  readonly ClaimableBalanceIdType: number;
  readonly Claimant: { readonly type: 0; readonly v0: XdrValues["ClaimantV0"] };
  readonly ClaimantType: number;
  readonly ClaimantV0: {
    readonly destination: XdrValues["PublicKey"];
    readonly predicate: XdrValues["ClaimPredicate"];
  };
  readonly ClawbackClaimableBalanceOp: { readonly balanceId: XdrValues["ClaimableBalanceId"] };
  readonly ClawbackClaimableBalanceResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 };
  readonly ClawbackClaimableBalanceResultCode: number;
  readonly ClawbackOp: {
    readonly asset: XdrValues["Asset"];
    readonly from: XdrValues["MuxedAccount"];
    readonly amount: bigint;
  };
  readonly ClawbackResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 };
  readonly ClawbackResultCode: number;
  readonly ConfigSettingContractBandwidthV0: {
    readonly ledgerMaxTxsSizeBytes: number;
    readonly txMaxSizeBytes: number;
    readonly feeTxSize1Kb: bigint;
  };
  readonly ConfigSettingContractComputeV0: {
    readonly ledgerMaxInstructions: bigint;
    readonly txMaxInstructions: bigint;
    readonly feeRatePerInstructionsIncrement: bigint;
    readonly txMemoryLimit: number;
  };
  readonly ConfigSettingContractEventsV0: {
    readonly txMaxContractEventsSizeBytes: number;
    readonly feeContractEvents1Kb: bigint;
  };
  readonly ConfigSettingContractExecutionLanesV0: { readonly ledgerMaxTxCount: number };
  readonly ConfigSettingContractHistoricalDataV0: { readonly feeHistorical1Kb: bigint };
  readonly ConfigSettingContractLedgerCostExtV0: {
    readonly txMaxFootprintEntries: number;
    readonly feeWrite1Kb: bigint;
  };
  readonly ConfigSettingContractLedgerCostV0: {
    readonly ledgerMaxDiskReadEntries: number;
    readonly ledgerMaxDiskReadBytes: number;
    readonly ledgerMaxWriteLedgerEntries: number;
    readonly ledgerMaxWriteBytes: number;
    readonly txMaxDiskReadEntries: number;
    readonly txMaxDiskReadBytes: number;
    readonly txMaxWriteLedgerEntries: number;
    readonly txMaxWriteBytes: number;
    readonly feeDiskReadLedgerEntry: bigint;
    readonly feeWriteLedgerEntry: bigint;
    readonly feeDiskRead1Kb: bigint;
    readonly sorobanStateTargetSizeBytes: bigint;
    readonly rentFee1KbSorobanStateSizeLow: bigint;
    readonly rentFee1KbSorobanStateSizeHigh: bigint;
    readonly sorobanStateRentFeeGrowthFactor: number;
  };
  readonly ConfigSettingContractParallelComputeV0: {
    readonly ledgerMaxDependentTxClusters: number;
  };
  readonly ConfigSettingEntry:
    | { readonly configSettingID: 0; readonly contractMaxSizeBytes: number }
    | {
        readonly configSettingID: 1;
        readonly contractCompute: XdrValues["ConfigSettingContractComputeV0"];
      }
    | {
        readonly configSettingID: 2;
        readonly contractLedgerCost: XdrValues["ConfigSettingContractLedgerCostV0"];
      }
    | {
        readonly configSettingID: 3;
        readonly contractHistoricalData: XdrValues["ConfigSettingContractHistoricalDataV0"];
      }
    | {
        readonly configSettingID: 4;
        readonly contractEvents: XdrValues["ConfigSettingContractEventsV0"];
      }
    | {
        readonly configSettingID: 5;
        readonly contractBandwidth: XdrValues["ConfigSettingContractBandwidthV0"];
      }
    | {
        readonly configSettingID: 6;
        readonly contractCostParamsCpuInsns: readonly XdrValues["ContractCostParamEntry"][];
      }
    | {
        readonly configSettingID: 7;
        readonly contractCostParamsMemBytes: readonly XdrValues["ContractCostParamEntry"][];
      }
    | { readonly configSettingID: 8; readonly contractDataKeySizeBytes: number }
    | { readonly configSettingID: 9; readonly contractDataEntrySizeBytes: number }
    | {
        readonly configSettingID: 10;
        readonly stateArchivalSettings: XdrValues["StateArchivalSettings"];
      }
    | {
        readonly configSettingID: 11;
        readonly contractExecutionLanes: XdrValues["ConfigSettingContractExecutionLanesV0"];
      }
    | { readonly configSettingID: 12; readonly liveSorobanStateSizeWindow: readonly bigint[] }
    | { readonly configSettingID: 13; readonly evictionIterator: XdrValues["EvictionIterator"] }
    | {
        readonly configSettingID: 14;
        readonly contractParallelCompute: XdrValues["ConfigSettingContractParallelComputeV0"];
      }
    | {
        readonly configSettingID: 15;
        readonly contractLedgerCostExt: XdrValues["ConfigSettingContractLedgerCostExtV0"];
      }
    | {
        readonly configSettingID: 16;
        readonly contractScpTiming: XdrValues["ConfigSettingScpTiming"];
      }
    | { readonly configSettingID: 17; readonly frozenLedgerKeys: XdrValues["FrozenLedgerKeys"] }
    | {
        readonly configSettingID: 18;
        readonly frozenLedgerKeysDelta: XdrValues["FrozenLedgerKeysDelta"];
      }
    | { readonly configSettingID: 19; readonly freezeBypassTxs: XdrValues["FreezeBypassTxs"] }
    | {
        readonly configSettingID: 20;
        readonly freezeBypassTxsDelta: XdrValues["FreezeBypassTxsDelta"];
      };
  readonly ConfigSettingId: number;
  readonly ConfigSettingScpTiming: {
    readonly ledgerTargetCloseTimeMilliseconds: number;
    readonly nominationTimeoutInitialMilliseconds: number;
    readonly nominationTimeoutIncrementMilliseconds: number;
    readonly ballotTimeoutInitialMilliseconds: number;
    readonly ballotTimeoutIncrementMilliseconds: number;
  };
  readonly ConfigUpgradeSet: { readonly updatedEntry: readonly XdrValues["ConfigSettingEntry"][] };
  readonly ConfigUpgradeSetKey: {
    readonly contractId: XdrValues["ContractId"];
    readonly contentHash: XdrValues["Hash"];
  };
  readonly ContractCodeCostInputs: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly nInstructions: number;
    readonly nFunctions: number;
    readonly nGlobals: number;
    readonly nTableEntries: number;
    readonly nTypes: number;
    readonly nDataSegments: number;
    readonly nElemSegments: number;
    readonly nImports: number;
    readonly nExports: number;
    readonly nDataSegmentBytes: number;
  };
  readonly ContractCodeEntry: {
    readonly ext: XdrValues["ContractCodeEntryExt"];
    readonly hash: XdrValues["Hash"];
    readonly code: Uint8Array;
  };
  readonly ContractCodeEntryExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly v1: XdrValues["ContractCodeEntryV1"] };
  readonly ContractCodeEntryV1: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly costInputs: XdrValues["ContractCodeCostInputs"];
  };
  readonly ContractCostParamEntry: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly constTerm: bigint;
    readonly linearTerm: bigint;
  };
  readonly ContractCostType: number;
  readonly ContractDataDurability: number;
  readonly ContractDataEntry: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly contract: XdrValues["ScAddress"];
    readonly key: XdrValues["ScVal"];
    readonly durability: XdrValues["ContractDataDurability"];
    readonly val: XdrValues["ScVal"];
  };
  readonly ContractEvent: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly contractId: XdrValues["ContractId"] | null;
    readonly type: XdrValues["ContractEventType"];
    readonly body: XdrValues["ContractEventBody"];
  };
  readonly ContractEventBody: { readonly v: 0; readonly v0: XdrValues["ContractEventV0"] };
  readonly ContractEventType: number;
  readonly ContractEventV0: {
    readonly topics: readonly XdrValues["ScVal"][];
    readonly data: XdrValues["ScVal"];
  };
  readonly ContractExecutable:
    | { readonly type: 0; readonly wasmHash: XdrValues["Hash"] }
    | { readonly type: 1 }
    | { readonly type: 2; readonly externalRef: XdrValues["ContractExecutableExternalRef"] };
  readonly ContractExecutableExternalRef: {
    readonly executableOwner: XdrValues["ScAddress"];
    readonly tag: Uint8Array;
  };
  readonly ContractExecutableType: number;
  readonly ContractId: XdrValues["Hash"];
  readonly ContractIdPreimage:
    | { readonly type: 0; readonly fromAddress: XdrValues["ContractIdPreimageFromAddress"] }
    | { readonly type: 1; readonly fromAsset: XdrValues["Asset"] };
  readonly ContractIdPreimageFromAddress: {
    readonly address: XdrValues["ScAddress"];
    readonly salt: XdrValues["Uint256"];
  };
  readonly ContractIdPreimageType: number;
  readonly CreateAccountOp: {
    readonly destination: XdrValues["PublicKey"];
    readonly startingBalance: bigint;
  };
  readonly CreateAccountResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 };
  readonly CreateAccountResultCode: number;
  readonly CreateClaimableBalanceOp: {
    readonly asset: XdrValues["Asset"];
    readonly amount: bigint;
    readonly claimants: readonly XdrValues["Claimant"][];
  };
  readonly CreateClaimableBalanceResult:
    | { readonly code: 0; readonly balanceId: XdrValues["ClaimableBalanceId"] }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 };
  readonly CreateClaimableBalanceResultCode: number;
  readonly CreateContractArgs: {
    readonly contractIdPreimage: XdrValues["ContractIdPreimage"];
    readonly executable: XdrValues["ContractExecutable"];
  };
  readonly CreateContractArgsV2: {
    readonly contractIdPreimage: XdrValues["ContractIdPreimage"];
    readonly executable: XdrValues["ContractExecutable"];
    readonly constructorArgs: readonly XdrValues["ScVal"][];
  };
  readonly CreatePassiveSellOfferOp: {
    readonly selling: XdrValues["Asset"];
    readonly buying: XdrValues["Asset"];
    readonly amount: bigint;
    readonly price: XdrValues["Price"];
  };
  readonly CryptoKeyType: number;
  readonly Curve25519Public: { readonly key: Uint8Array };
  readonly Curve25519Secret: { readonly key: Uint8Array };
  readonly DataEntry: {
    readonly accountId: XdrValues["PublicKey"];
    readonly dataName: Uint8Array;
    readonly dataValue: XdrValues["DataValue"];
    readonly ext: XdrValues["DataEntryExt"];
  };
  readonly DataEntryExt: { readonly v: 0 };
  readonly DataValue: Uint8Array;
  readonly DecoratedSignature: {
    readonly hint: XdrValues["SignatureHint"];
    readonly signature: XdrValues["Signature"];
  };
  readonly DiagnosticEvent: {
    readonly inSuccessfulContractCall: boolean;
    readonly event: XdrValues["ContractEvent"];
  };
  readonly DontHave: {
    readonly type: XdrValues["MessageType"];
    readonly reqHash: XdrValues["Uint256"];
  };
  readonly EncodedLedgerKey: Uint8Array;
  readonly EncryptedBody: Uint8Array;
  readonly EndSponsoringFutureReservesResult: { readonly code: 0 } | { readonly code: -1 };
  readonly EndSponsoringFutureReservesResultCode: number;
  readonly EnvelopeType: number;
  readonly Error: { readonly code: XdrValues["ErrorCode"]; readonly msg: Uint8Array };
  readonly ErrorCode: number;
  readonly EvictionIterator: {
    readonly bucketListLevel: number;
    readonly isCurrBucket: boolean;
    readonly bucketFileOffset: bigint;
  };
  readonly ExtendFootprintTtlOp: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly extendTo: number;
  };
  readonly ExtendFootprintTtlResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 };
  readonly ExtendFootprintTtlResultCode: number;
  readonly ExtensionPoint: { readonly v: 0 };
  readonly FeeBumpTransaction: {
    readonly feeSource: XdrValues["MuxedAccount"];
    readonly fee: bigint;
    readonly innerTx: XdrValues["FeeBumpTransactionInnerTx"];
    readonly ext: XdrValues["FeeBumpTransactionExt"];
  };
  readonly FeeBumpTransactionEnvelope: {
    readonly tx: XdrValues["FeeBumpTransaction"];
    readonly signatures: readonly XdrValues["DecoratedSignature"][];
  };
  readonly FeeBumpTransactionExt: { readonly v: 0 };
  readonly FeeBumpTransactionInnerTx: {
    readonly type: 2;
    readonly v1: XdrValues["TransactionV1Envelope"];
  };
  readonly FloodAdvert: { readonly txHashes: readonly XdrValues["Hash"][] };
  readonly FloodDemand: { readonly txHashes: readonly XdrValues["Hash"][] };
  readonly FreezeBypassTxs: { readonly txHashes: readonly XdrValues["Hash"][] };
  readonly FreezeBypassTxsDelta: {
    readonly addTxs: readonly XdrValues["Hash"][];
    readonly removeTxs: readonly XdrValues["Hash"][];
  };
  readonly FrozenLedgerKeys: { readonly keys: readonly XdrValues["EncodedLedgerKey"][] };
  readonly FrozenLedgerKeysDelta: {
    readonly keysToFreeze: readonly XdrValues["EncodedLedgerKey"][];
    readonly keysToUnfreeze: readonly XdrValues["EncodedLedgerKey"][];
  };
  readonly GeneralizedTransactionSet: {
    readonly v: 1;
    readonly v1TxSet: XdrValues["TransactionSetV1"];
  };
  readonly Hash: Uint8Array;
  readonly HashIdPreimage:
    | { readonly type: 6; readonly operationId: XdrValues["HashIdPreimageOperationId"] }
    | { readonly type: 7; readonly revokeId: XdrValues["HashIdPreimageRevokeId"] }
    | { readonly type: 8; readonly contractId: XdrValues["HashIdPreimageContractId"] }
    | {
        readonly type: 9;
        readonly sorobanAuthorization: XdrValues["HashIdPreimageSorobanAuthorization"];
      }
    | {
        readonly type: 10;
        readonly sorobanAuthorizationWithAddress: XdrValues["HashIdPreimageSorobanAuthorizationWithAddress"];
      };
  readonly HashIdPreimageContractId: {
    readonly networkId: XdrValues["Hash"];
    readonly contractIdPreimage: XdrValues["ContractIdPreimage"];
  };
  readonly HashIdPreimageOperationId: {
    readonly sourceAccount: XdrValues["PublicKey"];
    readonly seqNum: bigint;
    readonly opNum: number;
  };
  readonly HashIdPreimageRevokeId: {
    readonly sourceAccount: XdrValues["PublicKey"];
    readonly seqNum: bigint;
    readonly opNum: number;
    readonly liquidityPoolId: XdrValues["PoolId"];
    readonly asset: XdrValues["Asset"];
  };
  readonly HashIdPreimageSorobanAuthorization: {
    readonly networkId: XdrValues["Hash"];
    readonly nonce: bigint;
    readonly signatureExpirationLedger: number;
    readonly invocation: XdrValues["SorobanAuthorizedInvocation"];
  };
  readonly HashIdPreimageSorobanAuthorizationWithAddress: {
    readonly networkId: XdrValues["Hash"];
    readonly nonce: bigint;
    readonly signatureExpirationLedger: number;
    readonly address: XdrValues["ScAddress"];
    readonly invocation: XdrValues["SorobanAuthorizedInvocation"];
  };
  readonly Hello: {
    readonly ledgerVersion: number;
    readonly overlayVersion: number;
    readonly overlayMinVersion: number;
    readonly networkId: XdrValues["Hash"];
    readonly versionStr: Uint8Array;
    readonly listeningPort: number;
    readonly peerId: XdrValues["PublicKey"];
    readonly cert: XdrValues["AuthCert"];
    readonly nonce: XdrValues["Uint256"];
  };
  readonly HmacSha256Key: { readonly key: Uint8Array };
  readonly HmacSha256Mac: { readonly mac: Uint8Array };
  readonly HostFunction:
    | { readonly type: 0; readonly invokeContract: XdrValues["InvokeContractArgs"] }
    | { readonly type: 1; readonly createContract: XdrValues["CreateContractArgs"] }
    | { readonly type: 2; readonly wasm: Uint8Array }
    | { readonly type: 3; readonly createContractV2: XdrValues["CreateContractArgsV2"] };
  readonly HostFunctionType: number;
  readonly HotArchiveBucketEntry:
    | { readonly type: 0; readonly archivedEntry: XdrValues["LedgerEntry"] }
    | { readonly type: 1; readonly key: XdrValues["LedgerKey"] }
    | { readonly type: -1; readonly metaEntry: XdrValues["BucketMetadata"] };
  readonly HotArchiveBucketEntryType: number;
  readonly InflationPayout: {
    readonly destination: XdrValues["PublicKey"];
    readonly amount: bigint;
  };
  readonly InflationResult:
    | { readonly code: 0; readonly payouts: readonly XdrValues["InflationPayout"][] }
    | { readonly code: -1 };
  readonly InflationResultCode: number;
  readonly InnerTransactionResult: {
    readonly feeCharged: bigint;
    readonly result: XdrValues["InnerTransactionResultResult"];
    readonly ext: XdrValues["InnerTransactionResultExt"];
  };
  readonly InnerTransactionResultExt: { readonly v: 0 };
  readonly InnerTransactionResultPair: {
    readonly transactionHash: XdrValues["Hash"];
    readonly result: XdrValues["InnerTransactionResult"];
  };
  readonly InnerTransactionResultResult:
    | { readonly code: 0; readonly results: readonly XdrValues["OperationResult"][] }
    | { readonly code: -1; readonly results: readonly XdrValues["OperationResult"][] }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 }
    | { readonly code: -9 }
    | { readonly code: -10 }
    | { readonly code: -11 }
    | { readonly code: -12 }
    | { readonly code: -14 }
    | { readonly code: -15 }
    | { readonly code: -16 }
    | { readonly code: -17 }
    | { readonly code: -18 };
  readonly Int128Parts: { readonly hi: bigint; readonly lo: bigint };
  readonly Int256Parts: {
    readonly hiHi: bigint;
    readonly hiLo: bigint;
    readonly loHi: bigint;
    readonly loLo: bigint;
  };
  readonly InvokeContractArgs: {
    readonly contractAddress: XdrValues["ScAddress"];
    readonly functionName: Uint8Array;
    readonly args: readonly XdrValues["ScVal"][];
  };
  readonly InvokeHostFunctionOp: {
    readonly hostFunction: XdrValues["HostFunction"];
    readonly auth: readonly XdrValues["SorobanAuthorizationEntry"][];
  };
  readonly InvokeHostFunctionResult:
    | { readonly code: 0; readonly success: XdrValues["Hash"] }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 };
  readonly InvokeHostFunctionResultCode: number;
  readonly InvokeHostFunctionSuccessPreImage: {
    readonly returnValue: XdrValues["ScVal"];
    readonly events: readonly XdrValues["ContractEvent"][];
  };
  readonly IpAddrType: number;
  readonly LedgerBounds: { readonly minLedger: number; readonly maxLedger: number };
  readonly LedgerCloseMeta:
    | { readonly v: 0; readonly v0: XdrValues["LedgerCloseMetaV0"] }
    | { readonly v: 1; readonly v1: XdrValues["LedgerCloseMetaV1"] }
    | { readonly v: 2; readonly v2: XdrValues["LedgerCloseMetaV2"] };
  readonly LedgerCloseMetaBatch: {
    readonly startSequence: number;
    readonly endSequence: number;
    readonly ledgerCloseMetas: readonly XdrValues["LedgerCloseMeta"][];
  };
  readonly LedgerCloseMetaExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly v1: XdrValues["LedgerCloseMetaExtV1"] };
  readonly LedgerCloseMetaExtV1: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly sorobanFeeWrite1Kb: bigint;
  };
  readonly LedgerCloseMetaV0: {
    readonly ledgerHeader: XdrValues["LedgerHeaderHistoryEntry"];
    readonly txSet: XdrValues["TransactionSet"];
    readonly txProcessing: readonly XdrValues["TransactionResultMeta"][];
    readonly upgradesProcessing: readonly XdrValues["UpgradeEntryMeta"][];
    readonly scpInfo: readonly XdrValues["ScpHistoryEntry"][];
  };
  readonly LedgerCloseMetaV1: {
    readonly ext: XdrValues["LedgerCloseMetaExt"];
    readonly ledgerHeader: XdrValues["LedgerHeaderHistoryEntry"];
    readonly txSet: XdrValues["GeneralizedTransactionSet"];
    readonly txProcessing: readonly XdrValues["TransactionResultMeta"][];
    readonly upgradesProcessing: readonly XdrValues["UpgradeEntryMeta"][];
    readonly scpInfo: readonly XdrValues["ScpHistoryEntry"][];
    readonly totalByteSizeOfLiveSorobanState: bigint;
    readonly evictedKeys: readonly XdrValues["LedgerKey"][];
    readonly unused: readonly XdrValues["LedgerEntry"][];
  };
  readonly LedgerCloseMetaV2: {
    readonly ext: XdrValues["LedgerCloseMetaExt"];
    readonly ledgerHeader: XdrValues["LedgerHeaderHistoryEntry"];
    readonly txSet: XdrValues["GeneralizedTransactionSet"];
    readonly txProcessing: readonly XdrValues["TransactionResultMetaV1"][];
    readonly upgradesProcessing: readonly XdrValues["UpgradeEntryMeta"][];
    readonly scpInfo: readonly XdrValues["ScpHistoryEntry"][];
    readonly totalByteSizeOfLiveSorobanState: bigint;
    readonly evictedKeys: readonly XdrValues["LedgerKey"][];
  };
  readonly LedgerCloseValueSignature: {
    readonly nodeId: XdrValues["PublicKey"];
    readonly signature: XdrValues["Signature"];
  };
  readonly LedgerEntry: {
    readonly lastModifiedLedgerSeq: number;
    readonly data: XdrValues["LedgerEntryData"];
    readonly ext: XdrValues["LedgerEntryExt"];
  };
  readonly LedgerEntryChange:
    | { readonly type: 0; readonly created: XdrValues["LedgerEntry"] }
    | { readonly type: 1; readonly updated: XdrValues["LedgerEntry"] }
    | { readonly type: 2; readonly removed: XdrValues["LedgerKey"] }
    | { readonly type: 3; readonly state: XdrValues["LedgerEntry"] }
    | { readonly type: 4; readonly restored: XdrValues["LedgerEntry"] };
  readonly LedgerEntryChangeType: number;
  readonly LedgerEntryData:
    | { readonly type: 0; readonly account: XdrValues["AccountEntry"] }
    | { readonly type: 1; readonly trustLine: XdrValues["TrustLineEntry"] }
    | { readonly type: 2; readonly offer: XdrValues["OfferEntry"] }
    | { readonly type: 3; readonly data: XdrValues["DataEntry"] }
    | { readonly type: 4; readonly claimableBalance: XdrValues["ClaimableBalanceEntry"] }
    | { readonly type: 5; readonly liquidityPool: XdrValues["LiquidityPoolEntry"] }
    | { readonly type: 6; readonly contractData: XdrValues["ContractDataEntry"] }
    | { readonly type: 7; readonly contractCode: XdrValues["ContractCodeEntry"] }
    | { readonly type: 8; readonly configSetting: XdrValues["ConfigSettingEntry"] }
    | { readonly type: 9; readonly ttl: XdrValues["TtlEntry"] };
  readonly LedgerEntryExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly v1: XdrValues["LedgerEntryExtensionV1"] };
  readonly LedgerEntryExtensionV1: {
    readonly sponsoringId: XdrValues["PublicKey"] | null;
    readonly ext: XdrValues["LedgerEntryExtensionV1Ext"];
  };
  readonly LedgerEntryExtensionV1Ext: { readonly v: 0 };
  readonly LedgerEntryType: number;
  readonly LedgerFootprint: {
    readonly readOnly: readonly XdrValues["LedgerKey"][];
    readonly readWrite: readonly XdrValues["LedgerKey"][];
  };
  readonly LedgerHeader: {
    readonly ledgerVersion: number;
    readonly previousLedgerHash: XdrValues["Hash"];
    readonly scpValue: XdrValues["StellarValue"];
    readonly txSetResultHash: XdrValues["Hash"];
    readonly bucketListHash: XdrValues["Hash"];
    readonly ledgerSeq: number;
    readonly totalCoins: bigint;
    readonly feePool: bigint;
    readonly inflationSeq: number;
    readonly idPool: bigint;
    readonly baseFee: number;
    readonly baseReserve: number;
    readonly maxTxSetSize: number;
    readonly skipList: readonly XdrValues["Hash"][];
    readonly ext: XdrValues["LedgerHeaderExt"];
  };
  readonly LedgerHeaderExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly v1: XdrValues["LedgerHeaderExtensionV1"] };
  readonly LedgerHeaderExtensionV1: {
    readonly flags: number;
    readonly ext: XdrValues["LedgerHeaderExtensionV1Ext"];
  };
  readonly LedgerHeaderExtensionV1Ext: { readonly v: 0 };
  readonly LedgerHeaderFlags: number;
  readonly LedgerHeaderHistoryEntry: {
    readonly hash: XdrValues["Hash"];
    readonly header: XdrValues["LedgerHeader"];
    readonly ext: XdrValues["LedgerHeaderHistoryEntryExt"];
  };
  readonly LedgerHeaderHistoryEntryExt: { readonly v: 0 };
  readonly LedgerKey:
    | { readonly type: 0; readonly account: XdrValues["LedgerKeyAccount"] }
    | { readonly type: 1; readonly trustLine: XdrValues["LedgerKeyTrustLine"] }
    | { readonly type: 2; readonly offer: XdrValues["LedgerKeyOffer"] }
    | { readonly type: 3; readonly data: XdrValues["LedgerKeyData"] }
    | { readonly type: 4; readonly claimableBalance: XdrValues["LedgerKeyClaimableBalance"] }
    | { readonly type: 5; readonly liquidityPool: XdrValues["LedgerKeyLiquidityPool"] }
    | { readonly type: 6; readonly contractData: XdrValues["LedgerKeyContractData"] }
    | { readonly type: 7; readonly contractCode: XdrValues["LedgerKeyContractCode"] }
    | { readonly type: 8; readonly configSetting: XdrValues["LedgerKeyConfigSetting"] }
    | { readonly type: 9; readonly ttl: XdrValues["LedgerKeyTtl"] };
  readonly LedgerKeyAccount: { readonly accountId: XdrValues["PublicKey"] };
  readonly LedgerKeyClaimableBalance: { readonly balanceId: XdrValues["ClaimableBalanceId"] };
  readonly LedgerKeyConfigSetting: { readonly configSettingId: XdrValues["ConfigSettingId"] };
  readonly LedgerKeyContractCode: { readonly hash: XdrValues["Hash"] };
  readonly LedgerKeyContractData: {
    readonly contract: XdrValues["ScAddress"];
    readonly key: XdrValues["ScVal"];
    readonly durability: XdrValues["ContractDataDurability"];
  };
  readonly LedgerKeyData: {
    readonly accountId: XdrValues["PublicKey"];
    readonly dataName: Uint8Array;
  };
  readonly LedgerKeyLiquidityPool: { readonly liquidityPoolId: XdrValues["PoolId"] };
  readonly LedgerKeyOffer: { readonly sellerId: XdrValues["PublicKey"]; readonly offerId: bigint };
  readonly LedgerKeyTrustLine: {
    readonly accountId: XdrValues["PublicKey"];
    readonly asset: XdrValues["TrustLineAsset"];
  };
  readonly LedgerKeyTtl: { readonly keyHash: XdrValues["Hash"] };
  readonly LedgerScpMessages: {
    readonly ledgerSeq: number;
    readonly messages: readonly XdrValues["ScpEnvelope"][];
  };
  readonly LedgerUpgrade:
    | { readonly type: 1; readonly newLedgerVersion: number }
    | { readonly type: 2; readonly newBaseFee: number }
    | { readonly type: 3; readonly newMaxTxSetSize: number }
    | { readonly type: 4; readonly newBaseReserve: number }
    | { readonly type: 5; readonly newFlags: number }
    | { readonly type: 6; readonly newConfig: XdrValues["ConfigUpgradeSetKey"] }
    | { readonly type: 7; readonly newMaxSorobanTxSetSize: number };
  readonly LedgerUpgradeType: number;
  readonly Liabilities: { readonly buying: bigint; readonly selling: bigint };
  readonly LiquidityPoolConstantProductParameters: {
    readonly assetA: XdrValues["Asset"];
    readonly assetB: XdrValues["Asset"];
    readonly fee: number;
  };
  readonly LiquidityPoolDepositOp: {
    readonly liquidityPoolId: XdrValues["PoolId"];
    readonly maxAmountA: bigint;
    readonly maxAmountB: bigint;
    readonly minPrice: XdrValues["Price"];
    readonly maxPrice: XdrValues["Price"];
  };
  readonly LiquidityPoolDepositResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 };
  readonly LiquidityPoolDepositResultCode: number;
  readonly LiquidityPoolEntry: {
    readonly liquidityPoolId: XdrValues["PoolId"];
    readonly body: XdrValues["LiquidityPoolEntryBody"];
  };
  readonly LiquidityPoolEntryBody: {
    readonly type: 0;
    readonly constantProduct: XdrValues["LiquidityPoolEntryConstantProduct"];
  };
  readonly LiquidityPoolEntryConstantProduct: {
    readonly params: XdrValues["LiquidityPoolConstantProductParameters"];
    readonly reserveA: bigint;
    readonly reserveB: bigint;
    readonly totalPoolShares: bigint;
    readonly poolSharesTrustLineCount: bigint;
  };
  readonly LiquidityPoolParameters: {
    readonly type: 0;
    readonly constantProduct: XdrValues["LiquidityPoolConstantProductParameters"];
  };
  readonly LiquidityPoolType: number;
  readonly LiquidityPoolWithdrawOp: {
    readonly liquidityPoolId: XdrValues["PoolId"];
    readonly amount: bigint;
    readonly minAmountA: bigint;
    readonly minAmountB: bigint;
  };
  readonly LiquidityPoolWithdrawResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 };
  readonly LiquidityPoolWithdrawResultCode: number;
  readonly ManageBuyOfferOp: {
    readonly selling: XdrValues["Asset"];
    readonly buying: XdrValues["Asset"];
    readonly buyAmount: bigint;
    readonly price: XdrValues["Price"];
    readonly offerId: bigint;
  };
  readonly ManageBuyOfferResult:
    | { readonly code: 0; readonly success: XdrValues["ManageOfferSuccessResult"] }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 }
    | { readonly code: -9 }
    | { readonly code: -10 }
    | { readonly code: -11 }
    | { readonly code: -12 };
  readonly ManageBuyOfferResultCode: number;
  readonly ManageDataOp: {
    readonly dataName: Uint8Array;
    readonly dataValue: XdrValues["DataValue"] | null;
  };
  readonly ManageDataResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 };
  readonly ManageDataResultCode: number;
  readonly ManageOfferEffect: number;
  readonly ManageOfferSuccessResult: {
    readonly offersClaimed: readonly XdrValues["ClaimAtom"][];
    readonly offer: XdrValues["ManageOfferSuccessResultOffer"];
  };
  readonly ManageOfferSuccessResultOffer:
    | { readonly effect: 0; readonly offer: XdrValues["OfferEntry"] }
    | { readonly effect: 1; readonly offer: XdrValues["OfferEntry"] }
    | { readonly effect: 2 };
  readonly ManageSellOfferOp: {
    readonly selling: XdrValues["Asset"];
    readonly buying: XdrValues["Asset"];
    readonly amount: bigint;
    readonly price: XdrValues["Price"];
    readonly offerId: bigint;
  };
  readonly ManageSellOfferResult:
    | { readonly code: 0; readonly success: XdrValues["ManageOfferSuccessResult"] }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 }
    | { readonly code: -9 }
    | { readonly code: -10 }
    | { readonly code: -11 }
    | { readonly code: -12 };
  readonly ManageSellOfferResultCode: number;
  readonly Memo:
    | { readonly type: 0 }
    | { readonly type: 1; readonly text: Uint8Array }
    | { readonly type: 2; readonly id: bigint }
    | { readonly type: 3; readonly hash: XdrValues["Hash"] }
    | { readonly type: 4; readonly retHash: XdrValues["Hash"] };
  readonly MemoType: number;
  readonly MessageType: number;
  readonly MuxedAccount:
    | { readonly type: 0; readonly ed25519: XdrValues["Uint256"] }
    | { readonly type: 256; readonly med25519: XdrValues["MuxedAccountMed25519"] };
  readonly MuxedAccountMed25519: { readonly id: bigint; readonly ed25519: XdrValues["Uint256"] };
  readonly MuxedContract: { readonly id: bigint; readonly contractId: XdrValues["ContractId"] };
  readonly MuxedEd25519Account: { readonly id: bigint; readonly ed25519: XdrValues["Uint256"] };
  readonly OfferEntry: {
    readonly sellerId: XdrValues["PublicKey"];
    readonly offerId: bigint;
    readonly selling: XdrValues["Asset"];
    readonly buying: XdrValues["Asset"];
    readonly amount: bigint;
    readonly price: XdrValues["Price"];
    readonly flags: number;
    readonly ext: XdrValues["OfferEntryExt"];
  };
  readonly OfferEntryExt: { readonly v: 0 };
  readonly OfferEntryFlags: number;
  readonly Operation: {
    readonly sourceAccount: XdrValues["MuxedAccount"] | null;
    readonly body: XdrValues["OperationBody"];
  };
  readonly OperationBody:
    | { readonly type: 0; readonly createAccountOp: XdrValues["CreateAccountOp"] }
    | { readonly type: 1; readonly paymentOp: XdrValues["PaymentOp"] }
    | {
        readonly type: 2;
        readonly pathPaymentStrictReceiveOp: XdrValues["PathPaymentStrictReceiveOp"];
      }
    | { readonly type: 3; readonly manageSellOfferOp: XdrValues["ManageSellOfferOp"] }
    | { readonly type: 4; readonly createPassiveSellOfferOp: XdrValues["CreatePassiveSellOfferOp"] }
    | { readonly type: 5; readonly setOptionsOp: XdrValues["SetOptionsOp"] }
    | { readonly type: 6; readonly changeTrustOp: XdrValues["ChangeTrustOp"] }
    | { readonly type: 7; readonly allowTrustOp: XdrValues["AllowTrustOp"] }
    | { readonly type: 8; readonly destination: XdrValues["MuxedAccount"] }
    | { readonly type: 9 }
    | { readonly type: 10; readonly manageDataOp: XdrValues["ManageDataOp"] }
    | { readonly type: 11; readonly bumpSequenceOp: XdrValues["BumpSequenceOp"] }
    | { readonly type: 12; readonly manageBuyOfferOp: XdrValues["ManageBuyOfferOp"] }
    | { readonly type: 13; readonly pathPaymentStrictSendOp: XdrValues["PathPaymentStrictSendOp"] }
    | {
        readonly type: 14;
        readonly createClaimableBalanceOp: XdrValues["CreateClaimableBalanceOp"];
      }
    | { readonly type: 15; readonly claimClaimableBalanceOp: XdrValues["ClaimClaimableBalanceOp"] }
    | {
        readonly type: 16;
        readonly beginSponsoringFutureReservesOp: XdrValues["BeginSponsoringFutureReservesOp"];
      }
    | { readonly type: 17 }
    | { readonly type: 18; readonly revokeSponsorshipOp: XdrValues["RevokeSponsorshipOp"] }
    | { readonly type: 19; readonly clawbackOp: XdrValues["ClawbackOp"] }
    | {
        readonly type: 20;
        readonly clawbackClaimableBalanceOp: XdrValues["ClawbackClaimableBalanceOp"];
      }
    | { readonly type: 21; readonly setTrustLineFlagsOp: XdrValues["SetTrustLineFlagsOp"] }
    | { readonly type: 22; readonly liquidityPoolDepositOp: XdrValues["LiquidityPoolDepositOp"] }
    | { readonly type: 23; readonly liquidityPoolWithdrawOp: XdrValues["LiquidityPoolWithdrawOp"] }
    | { readonly type: 24; readonly invokeHostFunctionOp: XdrValues["InvokeHostFunctionOp"] }
    | { readonly type: 25; readonly extendFootprintTtlOp: XdrValues["ExtendFootprintTtlOp"] }
    | { readonly type: 26; readonly restoreFootprintOp: XdrValues["RestoreFootprintOp"] };
  readonly OperationMeta: { readonly changes: readonly XdrValues["LedgerEntryChange"][] };
  readonly OperationMetaV2: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly changes: readonly XdrValues["LedgerEntryChange"][];
    readonly events: readonly XdrValues["ContractEvent"][];
  };
  readonly OperationResult:
    | { readonly code: 0; readonly tr: XdrValues["OperationResultTr"] }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 };
  readonly OperationResultCode: number;
  readonly OperationResultTr:
    | { readonly type: 0; readonly createAccountResult: XdrValues["CreateAccountResult"] }
    | { readonly type: 1; readonly paymentResult: XdrValues["PaymentResult"] }
    | {
        readonly type: 2;
        readonly pathPaymentStrictReceiveResult: XdrValues["PathPaymentStrictReceiveResult"];
      }
    | { readonly type: 3; readonly manageSellOfferResult: XdrValues["ManageSellOfferResult"] }
    | {
        readonly type: 4;
        readonly createPassiveSellOfferResult: XdrValues["ManageSellOfferResult"];
      }
    | { readonly type: 5; readonly setOptionsResult: XdrValues["SetOptionsResult"] }
    | { readonly type: 6; readonly changeTrustResult: XdrValues["ChangeTrustResult"] }
    | { readonly type: 7; readonly allowTrustResult: XdrValues["AllowTrustResult"] }
    | { readonly type: 8; readonly accountMergeResult: XdrValues["AccountMergeResult"] }
    | { readonly type: 9; readonly inflationResult: XdrValues["InflationResult"] }
    | { readonly type: 10; readonly manageDataResult: XdrValues["ManageDataResult"] }
    | { readonly type: 11; readonly bumpSeqResult: XdrValues["BumpSequenceResult"] }
    | { readonly type: 12; readonly manageBuyOfferResult: XdrValues["ManageBuyOfferResult"] }
    | {
        readonly type: 13;
        readonly pathPaymentStrictSendResult: XdrValues["PathPaymentStrictSendResult"];
      }
    | {
        readonly type: 14;
        readonly createClaimableBalanceResult: XdrValues["CreateClaimableBalanceResult"];
      }
    | {
        readonly type: 15;
        readonly claimClaimableBalanceResult: XdrValues["ClaimClaimableBalanceResult"];
      }
    | {
        readonly type: 16;
        readonly beginSponsoringFutureReservesResult: XdrValues["BeginSponsoringFutureReservesResult"];
      }
    | {
        readonly type: 17;
        readonly endSponsoringFutureReservesResult: XdrValues["EndSponsoringFutureReservesResult"];
      }
    | { readonly type: 18; readonly revokeSponsorshipResult: XdrValues["RevokeSponsorshipResult"] }
    | { readonly type: 19; readonly clawbackResult: XdrValues["ClawbackResult"] }
    | {
        readonly type: 20;
        readonly clawbackClaimableBalanceResult: XdrValues["ClawbackClaimableBalanceResult"];
      }
    | { readonly type: 21; readonly setTrustLineFlagsResult: XdrValues["SetTrustLineFlagsResult"] }
    | {
        readonly type: 22;
        readonly liquidityPoolDepositResult: XdrValues["LiquidityPoolDepositResult"];
      }
    | {
        readonly type: 23;
        readonly liquidityPoolWithdrawResult: XdrValues["LiquidityPoolWithdrawResult"];
      }
    | {
        readonly type: 24;
        readonly invokeHostFunctionResult: XdrValues["InvokeHostFunctionResult"];
      }
    | {
        readonly type: 25;
        readonly extendFootprintTtlResult: XdrValues["ExtendFootprintTtlResult"];
      }
    | { readonly type: 26; readonly restoreFootprintResult: XdrValues["RestoreFootprintResult"] };
  readonly OperationType: number;
  readonly ParallelTxsComponent: {
    readonly baseFee: bigint | null;
    readonly executionStages: readonly (readonly (readonly XdrValues["TransactionEnvelope"][])[])[];
  };
  readonly PathPaymentStrictReceiveOp: {
    readonly sendAsset: XdrValues["Asset"];
    readonly sendMax: bigint;
    readonly destination: XdrValues["MuxedAccount"];
    readonly destAsset: XdrValues["Asset"];
    readonly destAmount: bigint;
    readonly path: readonly XdrValues["Asset"][];
  };
  readonly PathPaymentStrictReceiveResult:
    | { readonly code: 0; readonly success: XdrValues["PathPaymentStrictReceiveResultSuccess"] }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 }
    | { readonly code: -9; readonly noIssuer: XdrValues["Asset"] }
    | { readonly code: -10 }
    | { readonly code: -11 }
    | { readonly code: -12 };
  readonly PathPaymentStrictReceiveResultCode: number;
  readonly PathPaymentStrictReceiveResultSuccess: {
    readonly offers: readonly XdrValues["ClaimAtom"][];
    readonly last: XdrValues["SimplePaymentResult"];
  };
  readonly PathPaymentStrictSendOp: {
    readonly sendAsset: XdrValues["Asset"];
    readonly sendAmount: bigint;
    readonly destination: XdrValues["MuxedAccount"];
    readonly destAsset: XdrValues["Asset"];
    readonly destMin: bigint;
    readonly path: readonly XdrValues["Asset"][];
  };
  readonly PathPaymentStrictSendResult:
    | { readonly code: 0; readonly success: XdrValues["PathPaymentStrictSendResultSuccess"] }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 }
    | { readonly code: -9; readonly noIssuer: XdrValues["Asset"] }
    | { readonly code: -10 }
    | { readonly code: -11 }
    | { readonly code: -12 };
  readonly PathPaymentStrictSendResultCode: number;
  readonly PathPaymentStrictSendResultSuccess: {
    readonly offers: readonly XdrValues["ClaimAtom"][];
    readonly last: XdrValues["SimplePaymentResult"];
  };
  readonly PaymentOp: {
    readonly destination: XdrValues["MuxedAccount"];
    readonly asset: XdrValues["Asset"];
    readonly amount: bigint;
  };
  readonly PaymentResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 }
    | { readonly code: -9 };
  readonly PaymentResultCode: number;
  readonly PeerAddress: {
    readonly ip: XdrValues["PeerAddressIp"];
    readonly port: number;
    readonly numFailures: number;
  };
  readonly PeerAddressIp:
    | { readonly type: 0; readonly ipv4: Uint8Array }
    | { readonly type: 1; readonly ipv6: Uint8Array };
  readonly PeerStats: {
    readonly id: XdrValues["PublicKey"];
    readonly versionStr: Uint8Array;
    readonly messagesRead: bigint;
    readonly messagesWritten: bigint;
    readonly bytesRead: bigint;
    readonly bytesWritten: bigint;
    readonly secondsConnected: bigint;
    readonly uniqueFloodBytesRecv: bigint;
    readonly duplicateFloodBytesRecv: bigint;
    readonly uniqueFetchBytesRecv: bigint;
    readonly duplicateFetchBytesRecv: bigint;
    readonly uniqueFloodMessageRecv: bigint;
    readonly duplicateFloodMessageRecv: bigint;
    readonly uniqueFetchMessageRecv: bigint;
    readonly duplicateFetchMessageRecv: bigint;
  };
  readonly PersistedScpState:
    | { readonly v: 0; readonly v0: XdrValues["PersistedScpStateV0"] }
    | { readonly v: 1; readonly v1: XdrValues["PersistedScpStateV1"] };
  readonly PersistedScpStateV0: {
    readonly scpEnvelopes: readonly XdrValues["ScpEnvelope"][];
    readonly quorumSets: readonly XdrValues["ScpQuorumSet"][];
    readonly txSets: readonly XdrValues["StoredTransactionSet"][];
  };
  readonly PersistedScpStateV1: {
    readonly scpEnvelopes: readonly XdrValues["ScpEnvelope"][];
    readonly quorumSets: readonly XdrValues["ScpQuorumSet"][];
  };
  readonly PoolId: XdrValues["Hash"];
  readonly PreconditionType: number;
  readonly Preconditions:
    | { readonly type: 0 }
    | { readonly type: 1; readonly timeBounds: XdrValues["TimeBounds"] }
    | { readonly type: 2; readonly v2: XdrValues["PreconditionsV2"] };
  readonly PreconditionsV2: {
    readonly timeBounds: XdrValues["TimeBounds"] | null;
    readonly ledgerBounds: XdrValues["LedgerBounds"] | null;
    readonly minSeqNum: bigint | null;
    readonly minSeqAge: bigint;
    readonly minSeqLedgerGap: number;
    readonly extraSigners: readonly XdrValues["SignerKey"][];
  };
  readonly Price: { readonly n: number; readonly d: number };
  readonly PublicKey: { readonly type: 0; readonly ed25519: XdrValues["Uint256"] };
  readonly PublicKeyType: number;
  readonly RestoreFootprintOp: { readonly ext: XdrValues["ExtensionPoint"] };
  readonly RestoreFootprintResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 };
  readonly RestoreFootprintResultCode: number;
  readonly RevokeSponsorshipOp:
    | { readonly type: 0; readonly ledgerKey: XdrValues["LedgerKey"] }
    | { readonly type: 1; readonly signer: XdrValues["RevokeSponsorshipOpSigner"] };
  readonly RevokeSponsorshipOpSigner: {
    readonly accountId: XdrValues["PublicKey"];
    readonly signerKey: XdrValues["SignerKey"];
  };
  readonly RevokeSponsorshipResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 };
  readonly RevokeSponsorshipResultCode: number;
  readonly RevokeSponsorshipType: number;
  readonly ScAddress:
    | { readonly type: 0; readonly accountId: XdrValues["PublicKey"] }
    | { readonly type: 1; readonly contractId: XdrValues["ContractId"] }
    | { readonly type: 2; readonly muxedAccount: XdrValues["MuxedEd25519Account"] }
    | { readonly type: 3; readonly claimableBalanceId: XdrValues["ClaimableBalanceId"] }
    | { readonly type: 4; readonly liquidityPoolId: XdrValues["PoolId"] }
    | { readonly type: 5; readonly muxedContract: XdrValues["MuxedContract"] };
  readonly ScAddressType: number;
  readonly ScBytes: Uint8Array;
  readonly ScContractInstance: {
    readonly executable: XdrValues["ContractExecutable"];
    readonly storage: readonly XdrValues["ScMapEntry"][] | null;
  };
  readonly ScEnvMetaEntry: {
    readonly kind: 0;
    readonly interfaceVersion: XdrValues["ScEnvMetaEntryInterfaceVersion"];
  };
  readonly ScEnvMetaEntryInterfaceVersion: {
    readonly protocol: number;
    readonly preRelease: number;
  };
  readonly ScEnvMetaKind: number;
  readonly ScError:
    | { readonly type: 0; readonly contractCode: number }
    | { readonly type: 1; readonly code: XdrValues["ScErrorCode"] }
    | { readonly type: 2; readonly code: XdrValues["ScErrorCode"] }
    | { readonly type: 3; readonly code: XdrValues["ScErrorCode"] }
    | { readonly type: 4; readonly code: XdrValues["ScErrorCode"] }
    | { readonly type: 5; readonly code: XdrValues["ScErrorCode"] }
    | { readonly type: 6; readonly code: XdrValues["ScErrorCode"] }
    | { readonly type: 7; readonly code: XdrValues["ScErrorCode"] }
    | { readonly type: 8; readonly code: XdrValues["ScErrorCode"] }
    | { readonly type: 9; readonly code: XdrValues["ScErrorCode"] };
  readonly ScErrorCode: number;
  readonly ScErrorType: number;
  readonly ScMapEntry: { readonly key: XdrValues["ScVal"]; readonly val: XdrValues["ScVal"] };
  readonly ScMetaEntry: { readonly kind: 0; readonly v0: XdrValues["ScMetaV0"] };
  readonly ScMetaKind: number;
  readonly ScMetaV0: { readonly key: Uint8Array; readonly val: Uint8Array };
  readonly ScNonceKey: { readonly nonce: bigint };
  readonly ScSpecEntry:
    | { readonly kind: 0; readonly functionV0: XdrValues["ScSpecFunctionV0"] }
    | { readonly kind: 1; readonly udtStructV0: XdrValues["ScSpecUdtStructV0"] }
    | { readonly kind: 2; readonly udtUnionV0: XdrValues["ScSpecUdtUnionV0"] }
    | { readonly kind: 3; readonly udtEnumV0: XdrValues["ScSpecUdtEnumV0"] }
    | { readonly kind: 4; readonly udtErrorEnumV0: XdrValues["ScSpecUdtErrorEnumV0"] }
    | { readonly kind: 5; readonly eventV0: XdrValues["ScSpecEventV0"] };
  readonly ScSpecEntryKind: number;
  readonly ScSpecEventDataFormat: number;
  readonly ScSpecEventParamLocationV0: number;
  readonly ScSpecEventParamV0: {
    readonly doc: Uint8Array;
    readonly name: Uint8Array;
    readonly type: XdrValues["ScSpecTypeDef"];
    readonly location: XdrValues["ScSpecEventParamLocationV0"];
  };
  readonly ScSpecEventV0: {
    readonly doc: Uint8Array;
    readonly lib: Uint8Array;
    readonly name: Uint8Array;
    readonly prefixTopics: readonly Uint8Array[];
    readonly params: readonly XdrValues["ScSpecEventParamV0"][];
    readonly dataFormat: XdrValues["ScSpecEventDataFormat"];
  };
  readonly ScSpecFunctionInputV0: {
    readonly doc: Uint8Array;
    readonly name: Uint8Array;
    readonly type: XdrValues["ScSpecTypeDef"];
  };
  readonly ScSpecFunctionV0: {
    readonly doc: Uint8Array;
    readonly name: Uint8Array;
    readonly inputs: readonly XdrValues["ScSpecFunctionInputV0"][];
    readonly outputs: readonly XdrValues["ScSpecTypeDef"][];
  };
  readonly ScSpecType: number;
  readonly ScSpecTypeBytesN: { readonly n: number };
  readonly ScSpecTypeDef:
    | { readonly type: 0 }
    | { readonly type: 1 }
    | { readonly type: 2 }
    | { readonly type: 3 }
    | { readonly type: 4 }
    | { readonly type: 5 }
    | { readonly type: 6 }
    | { readonly type: 7 }
    | { readonly type: 8 }
    | { readonly type: 9 }
    | { readonly type: 10 }
    | { readonly type: 11 }
    | { readonly type: 12 }
    | { readonly type: 13 }
    | { readonly type: 14 }
    | { readonly type: 16 }
    | { readonly type: 17 }
    | { readonly type: 19 }
    | { readonly type: 20 }
    | { readonly type: 1000; readonly option: XdrValues["ScSpecTypeOption"] }
    | { readonly type: 1001; readonly result: XdrValues["ScSpecTypeResult"] }
    | { readonly type: 1002; readonly vec: XdrValues["ScSpecTypeVec"] }
    | { readonly type: 1004; readonly map: XdrValues["ScSpecTypeMap"] }
    | { readonly type: 1005; readonly tuple: XdrValues["ScSpecTypeTuple"] }
    | { readonly type: 1006; readonly bytesN: XdrValues["ScSpecTypeBytesN"] }
    | { readonly type: 2000; readonly udt: XdrValues["ScSpecTypeUdt"] };
  readonly ScSpecTypeMap: {
    readonly keyType: XdrValues["ScSpecTypeDef"];
    readonly valueType: XdrValues["ScSpecTypeDef"];
  };
  readonly ScSpecTypeOption: { readonly valueType: XdrValues["ScSpecTypeDef"] };
  readonly ScSpecTypeResult: {
    readonly okType: XdrValues["ScSpecTypeDef"];
    readonly errorType: XdrValues["ScSpecTypeDef"];
  };
  readonly ScSpecTypeTuple: { readonly valueTypes: readonly XdrValues["ScSpecTypeDef"][] };
  readonly ScSpecTypeUdt: { readonly name: Uint8Array };
  readonly ScSpecTypeVec: { readonly elementType: XdrValues["ScSpecTypeDef"] };
  readonly ScSpecUdtEnumCaseV0: {
    readonly doc: Uint8Array;
    readonly name: Uint8Array;
    readonly value: number;
  };
  readonly ScSpecUdtEnumV0: {
    readonly doc: Uint8Array;
    readonly lib: Uint8Array;
    readonly name: Uint8Array;
    readonly cases: readonly XdrValues["ScSpecUdtEnumCaseV0"][];
  };
  readonly ScSpecUdtErrorEnumCaseV0: {
    readonly doc: Uint8Array;
    readonly name: Uint8Array;
    readonly value: number;
  };
  readonly ScSpecUdtErrorEnumV0: {
    readonly doc: Uint8Array;
    readonly lib: Uint8Array;
    readonly name: Uint8Array;
    readonly cases: readonly XdrValues["ScSpecUdtErrorEnumCaseV0"][];
  };
  readonly ScSpecUdtStructFieldV0: {
    readonly doc: Uint8Array;
    readonly name: Uint8Array;
    readonly type: XdrValues["ScSpecTypeDef"];
  };
  readonly ScSpecUdtStructV0: {
    readonly doc: Uint8Array;
    readonly lib: Uint8Array;
    readonly name: Uint8Array;
    readonly fields: readonly XdrValues["ScSpecUdtStructFieldV0"][];
  };
  readonly ScSpecUdtUnionCaseTupleV0: {
    readonly doc: Uint8Array;
    readonly name: Uint8Array;
    readonly type: readonly XdrValues["ScSpecTypeDef"][];
  };
  readonly ScSpecUdtUnionCaseV0:
    | { readonly kind: 0; readonly voidCase: XdrValues["ScSpecUdtUnionCaseVoidV0"] }
    | { readonly kind: 1; readonly tupleCase: XdrValues["ScSpecUdtUnionCaseTupleV0"] };
  readonly ScSpecUdtUnionCaseV0Kind: number;
  readonly ScSpecUdtUnionCaseVoidV0: { readonly doc: Uint8Array; readonly name: Uint8Array };
  readonly ScSpecUdtUnionV0: {
    readonly doc: Uint8Array;
    readonly lib: Uint8Array;
    readonly name: Uint8Array;
    readonly cases: readonly XdrValues["ScSpecUdtUnionCaseV0"][];
  };
  readonly ScVal:
    | { readonly type: 0; readonly b: boolean }
    | { readonly type: 1 }
    | { readonly type: 2; readonly error: XdrValues["ScError"] }
    | { readonly type: 3; readonly u32: number }
    | { readonly type: 4; readonly i32: number }
    | { readonly type: 5; readonly u64: bigint }
    | { readonly type: 6; readonly i64: bigint }
    | { readonly type: 7; readonly timepoint: bigint }
    | { readonly type: 8; readonly duration: bigint }
    | { readonly type: 9; readonly u128: XdrValues["UInt128Parts"] }
    | { readonly type: 10; readonly i128: XdrValues["Int128Parts"] }
    | { readonly type: 11; readonly u256: XdrValues["UInt256Parts"] }
    | { readonly type: 12; readonly i256: XdrValues["Int256Parts"] }
    | { readonly type: 13; readonly bytes: XdrValues["ScBytes"] }
    | { readonly type: 14; readonly str: Uint8Array }
    | { readonly type: 15; readonly sym: Uint8Array }
    | { readonly type: 16; readonly vec: readonly XdrValues["ScVal"][] | null }
    | { readonly type: 17; readonly map: readonly XdrValues["ScMapEntry"][] | null }
    | { readonly type: 18; readonly address: XdrValues["ScAddress"] }
    | { readonly type: 19; readonly instance: XdrValues["ScContractInstance"] }
    | { readonly type: 20 }
    | { readonly type: 21; readonly nonceKey: XdrValues["ScNonceKey"] }
    | { readonly type: 22; readonly executableTag: Uint8Array };
  readonly ScValType: number;
  readonly ScpBallot: { readonly counter: number; readonly value: XdrValues["Value"] };
  readonly ScpEnvelope: {
    readonly statement: XdrValues["ScpStatement"];
    readonly signature: XdrValues["Signature"];
  };
  readonly ScpHistoryEntry: { readonly v: 0; readonly v0: XdrValues["ScpHistoryEntryV0"] };
  readonly ScpHistoryEntryV0: {
    readonly quorumSets: readonly XdrValues["ScpQuorumSet"][];
    readonly ledgerMessages: XdrValues["LedgerScpMessages"];
  };
  readonly ScpNomination: {
    readonly quorumSetHash: XdrValues["Hash"];
    readonly votes: readonly XdrValues["Value"][];
    readonly accepted: readonly XdrValues["Value"][];
  };
  readonly ScpQuorumSet: {
    readonly threshold: number;
    readonly validators: readonly XdrValues["PublicKey"][];
    readonly innerSets: readonly XdrValues["ScpQuorumSet"][];
  };
  readonly ScpStatement: {
    readonly nodeId: XdrValues["PublicKey"];
    readonly slotIndex: bigint;
    readonly pledges: XdrValues["ScpStatementPledges"];
  };
  readonly ScpStatementConfirm: {
    readonly ballot: XdrValues["ScpBallot"];
    readonly nPrepared: number;
    readonly nCommit: number;
    readonly nH: number;
    readonly quorumSetHash: XdrValues["Hash"];
  };
  readonly ScpStatementExternalize: {
    readonly commit: XdrValues["ScpBallot"];
    readonly nH: number;
    readonly commitQuorumSetHash: XdrValues["Hash"];
  };
  readonly ScpStatementPledges:
    | { readonly type: 0; readonly prepare: XdrValues["ScpStatementPrepare"] }
    | { readonly type: 1; readonly confirm: XdrValues["ScpStatementConfirm"] }
    | { readonly type: 2; readonly externalize: XdrValues["ScpStatementExternalize"] }
    | { readonly type: 3; readonly nominate: XdrValues["ScpNomination"] };
  readonly ScpStatementPrepare: {
    readonly quorumSetHash: XdrValues["Hash"];
    readonly ballot: XdrValues["ScpBallot"];
    readonly prepared: XdrValues["ScpBallot"] | null;
    readonly preparedPrime: XdrValues["ScpBallot"] | null;
    readonly nC: number;
    readonly nH: number;
  };
  readonly ScpStatementType: number;
  readonly SendMore: { readonly numMessages: number };
  readonly SendMoreExtended: { readonly numMessages: number; readonly numBytes: number };
  readonly SerializedBinaryFuseFilter: {
    readonly type: XdrValues["BinaryFuseFilterType"];
    readonly inputHashSeed: XdrValues["ShortHashSeed"];
    readonly filterSeed: XdrValues["ShortHashSeed"];
    readonly segmentLength: number;
    readonly segementLengthMask: number;
    readonly segmentCount: number;
    readonly segmentCountLength: number;
    readonly fingerprintLength: number;
    readonly fingerprints: Uint8Array;
  };
  readonly SetOptionsOp: {
    readonly inflationDest: XdrValues["PublicKey"] | null;
    readonly clearFlags: number | null;
    readonly setFlags: number | null;
    readonly masterWeight: number | null;
    readonly lowThreshold: number | null;
    readonly medThreshold: number | null;
    readonly highThreshold: number | null;
    readonly homeDomain: Uint8Array | null;
    readonly signer: XdrValues["Signer"] | null;
  };
  readonly SetOptionsResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 }
    | { readonly code: -9 }
    | { readonly code: -10 };
  readonly SetOptionsResultCode: number;
  readonly SetTrustLineFlagsOp: {
    readonly trustor: XdrValues["PublicKey"];
    readonly asset: XdrValues["Asset"];
    readonly clearFlags: number;
    readonly setFlags: number;
  };
  readonly SetTrustLineFlagsResult:
    | { readonly code: 0 }
    | { readonly code: -1 }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 };
  readonly SetTrustLineFlagsResultCode: number;
  readonly ShortHashSeed: { readonly seed: Uint8Array };
  readonly Signature: Uint8Array;
  readonly SignatureHint: Uint8Array;
  readonly SignedTimeSlicedSurveyRequestMessage: {
    readonly requestSignature: XdrValues["Signature"];
    readonly request: XdrValues["TimeSlicedSurveyRequestMessage"];
  };
  readonly SignedTimeSlicedSurveyResponseMessage: {
    readonly responseSignature: XdrValues["Signature"];
    readonly response: XdrValues["TimeSlicedSurveyResponseMessage"];
  };
  readonly SignedTimeSlicedSurveyStartCollectingMessage: {
    readonly signature: XdrValues["Signature"];
    readonly startCollecting: XdrValues["TimeSlicedSurveyStartCollectingMessage"];
  };
  readonly SignedTimeSlicedSurveyStopCollectingMessage: {
    readonly signature: XdrValues["Signature"];
    readonly stopCollecting: XdrValues["TimeSlicedSurveyStopCollectingMessage"];
  };
  readonly Signer: { readonly key: XdrValues["SignerKey"]; readonly weight: number };
  readonly SignerKey:
    | { readonly type: 0; readonly ed25519: XdrValues["Uint256"] }
    | { readonly type: 1; readonly preAuthTx: XdrValues["Uint256"] }
    | { readonly type: 2; readonly hashX: XdrValues["Uint256"] }
    | {
        readonly type: 3;
        readonly ed25519SignedPayload: XdrValues["SignerKeyEd25519SignedPayload"];
      };
  readonly SignerKeyEd25519SignedPayload: {
    readonly ed25519: XdrValues["Uint256"];
    readonly payload: Uint8Array;
  };
  readonly SignerKeyType: number;
  readonly SimplePaymentResult: {
    readonly destination: XdrValues["PublicKey"];
    readonly asset: XdrValues["Asset"];
    readonly amount: bigint;
  };
  readonly SorobanAddressCredentials: {
    readonly address: XdrValues["ScAddress"];
    readonly nonce: bigint;
    readonly signatureExpirationLedger: number;
    readonly signature: XdrValues["ScVal"];
  };
  readonly SorobanAddressCredentialsWithDelegates: {
    readonly addressCredentials: XdrValues["SorobanAddressCredentials"];
    readonly delegates: readonly XdrValues["SorobanDelegateSignature"][];
  };
  readonly SorobanAuthorizationEntry: {
    readonly credentials: XdrValues["SorobanCredentials"];
    readonly rootInvocation: XdrValues["SorobanAuthorizedInvocation"];
  };
  readonly SorobanAuthorizedFunction:
    | { readonly type: 0; readonly contractFn: XdrValues["InvokeContractArgs"] }
    | { readonly type: 1; readonly createContractHostFn: XdrValues["CreateContractArgs"] }
    | { readonly type: 2; readonly createContractV2HostFn: XdrValues["CreateContractArgsV2"] };
  readonly SorobanAuthorizedFunctionType: number;
  readonly SorobanAuthorizedInvocation: {
    readonly function: XdrValues["SorobanAuthorizedFunction"];
    readonly subInvocations: readonly XdrValues["SorobanAuthorizedInvocation"][];
  };
  readonly SorobanCredentials:
    | { readonly type: 0 }
    | { readonly type: 1; readonly address: XdrValues["SorobanAddressCredentials"] }
    | { readonly type: 2; readonly addressV2: XdrValues["SorobanAddressCredentials"] }
    | {
        readonly type: 3;
        readonly addressWithDelegates: XdrValues["SorobanAddressCredentialsWithDelegates"];
      };
  readonly SorobanCredentialsType: number;
  readonly SorobanDelegateSignature: {
    readonly address: XdrValues["ScAddress"];
    readonly signature: XdrValues["ScVal"];
    readonly nestedDelegates: readonly XdrValues["SorobanDelegateSignature"][];
  };
  readonly SorobanResources: {
    readonly footprint: XdrValues["LedgerFootprint"];
    readonly instructions: number;
    readonly diskReadBytes: number;
    readonly writeBytes: number;
  };
  readonly SorobanResourcesExtV0: { readonly archivedSorobanEntries: readonly number[] };
  readonly SorobanTransactionData: {
    readonly ext: XdrValues["SorobanTransactionDataExt"];
    readonly resources: XdrValues["SorobanResources"];
    readonly resourceFee: bigint;
  };
  readonly SorobanTransactionDataExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly resourceExt: XdrValues["SorobanResourcesExtV0"] };
  readonly SorobanTransactionMeta: {
    readonly ext: XdrValues["SorobanTransactionMetaExt"];
    readonly events: readonly XdrValues["ContractEvent"][];
    readonly returnValue: XdrValues["ScVal"];
    readonly diagnosticEvents: readonly XdrValues["DiagnosticEvent"][];
  };
  readonly SorobanTransactionMetaExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly v1: XdrValues["SorobanTransactionMetaExtV1"] };
  readonly SorobanTransactionMetaExtV1: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly totalNonRefundableResourceFeeCharged: bigint;
    readonly totalRefundableResourceFeeCharged: bigint;
    readonly rentFeeCharged: bigint;
  };
  readonly SorobanTransactionMetaV2: {
    readonly ext: XdrValues["SorobanTransactionMetaExt"];
    readonly returnValue: XdrValues["ScVal"] | null;
  };
  readonly StateArchivalSettings: {
    readonly maxEntryTtl: number;
    readonly minTemporaryTtl: number;
    readonly minPersistentTtl: number;
    readonly persistentRentRateDenominator: bigint;
    readonly tempRentRateDenominator: bigint;
    readonly maxEntriesToArchive: number;
    readonly liveSorobanStateSizeWindowSampleSize: number;
    readonly liveSorobanStateSizeWindowSamplePeriod: number;
    readonly evictionScanSize: number;
    readonly startingEvictionScanLevel: number;
  };
  readonly StellarMessage:
    | { readonly type: 0; readonly error: XdrValues["Error"] }
    | { readonly type: 13; readonly hello: XdrValues["Hello"] }
    | { readonly type: 2; readonly auth: XdrValues["Auth"] }
    | { readonly type: 3; readonly dontHave: XdrValues["DontHave"] }
    | { readonly type: 5; readonly peers: readonly XdrValues["PeerAddress"][] }
    | { readonly type: 6; readonly txSetHash: XdrValues["Uint256"] }
    | { readonly type: 7; readonly txSet: XdrValues["TransactionSet"] }
    | { readonly type: 17; readonly generalizedTxSet: XdrValues["GeneralizedTransactionSet"] }
    | { readonly type: 8; readonly transaction: XdrValues["TransactionEnvelope"] }
    | {
        readonly type: 21;
        readonly signedTimeSlicedSurveyRequestMessage: XdrValues["SignedTimeSlicedSurveyRequestMessage"];
      }
    | {
        readonly type: 22;
        readonly signedTimeSlicedSurveyResponseMessage: XdrValues["SignedTimeSlicedSurveyResponseMessage"];
      }
    | {
        readonly type: 23;
        readonly signedTimeSlicedSurveyStartCollectingMessage: XdrValues["SignedTimeSlicedSurveyStartCollectingMessage"];
      }
    | {
        readonly type: 24;
        readonly signedTimeSlicedSurveyStopCollectingMessage: XdrValues["SignedTimeSlicedSurveyStopCollectingMessage"];
      }
    | { readonly type: 9; readonly qSetHash: XdrValues["Uint256"] }
    | { readonly type: 10; readonly qSet: XdrValues["ScpQuorumSet"] }
    | { readonly type: 11; readonly envelope: XdrValues["ScpEnvelope"] }
    | { readonly type: 12; readonly getScpLedgerSeq: number }
    | { readonly type: 16; readonly sendMoreMessage: XdrValues["SendMore"] }
    | { readonly type: 20; readonly sendMoreExtendedMessage: XdrValues["SendMoreExtended"] }
    | { readonly type: 18; readonly floodAdvert: XdrValues["FloodAdvert"] }
    | { readonly type: 19; readonly floodDemand: XdrValues["FloodDemand"] };
  readonly StellarValue: {
    readonly txSetHash: XdrValues["Hash"];
    readonly closeTime: bigint;
    readonly upgrades: readonly XdrValues["UpgradeType"][];
    readonly ext: XdrValues["StellarValueExt"];
  };
  readonly StellarValueExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly lcValueSignature: XdrValues["LedgerCloseValueSignature"] }
    | { readonly v: 2; readonly proposedValue: XdrValues["StellarValueProposedValue"] }
    | { readonly v: 3; readonly signedMsValue: XdrValues["StellarValueSignedMsValue"] }
    | { readonly v: 4; readonly proposedMsValue: XdrValues["StellarValueProposedMsValue"] };
  readonly StellarValueProposedMsValue: {
    readonly closeTimeMs: bigint;
    readonly txSetHash: XdrValues["Hash"];
    readonly previousLedgerHash: XdrValues["Hash"];
    readonly previousLedgerVersion: number;
    readonly lcValueSignature: XdrValues["LedgerCloseValueSignature"];
  };
  readonly StellarValueProposedValue: {
    readonly txSetHash: XdrValues["Hash"];
    readonly previousLedgerHash: XdrValues["Hash"];
    readonly previousLedgerVersion: number;
    readonly lcValueSignature: XdrValues["LedgerCloseValueSignature"];
  };
  readonly StellarValueSignedMsValue: {
    readonly closeTimeMs: bigint;
    readonly lcValueSignature: XdrValues["LedgerCloseValueSignature"];
  };
  readonly StellarValueType: number;
  readonly StoredDebugTransactionSet: {
    readonly txSet: XdrValues["StoredTransactionSet"];
    readonly ledgerSeq: number;
    readonly scpValue: XdrValues["StellarValue"];
  };
  readonly StoredTransactionSet:
    | { readonly v: 0; readonly txSet: XdrValues["TransactionSet"] }
    | { readonly v: 1; readonly generalizedTxSet: XdrValues["GeneralizedTransactionSet"] };
  readonly SurveyMessageCommandType: number;
  readonly SurveyMessageResponseType: number;
  readonly SurveyRequestMessage: {
    readonly surveyorPeerId: XdrValues["PublicKey"];
    readonly surveyedPeerId: XdrValues["PublicKey"];
    readonly ledgerNum: number;
    readonly encryptionKey: XdrValues["Curve25519Public"];
    readonly commandType: XdrValues["SurveyMessageCommandType"];
  };
  readonly SurveyResponseBody: {
    readonly type: 2;
    readonly topologyResponseBodyV2: XdrValues["TopologyResponseBodyV2"];
  };
  readonly SurveyResponseMessage: {
    readonly surveyorPeerId: XdrValues["PublicKey"];
    readonly surveyedPeerId: XdrValues["PublicKey"];
    readonly ledgerNum: number;
    readonly commandType: XdrValues["SurveyMessageCommandType"];
    readonly encryptedBody: XdrValues["EncryptedBody"];
  };
  readonly ThresholdIndexes: number;
  readonly Thresholds: Uint8Array;
  readonly TimeBounds: { readonly minTime: bigint; readonly maxTime: bigint };
  readonly TimeSlicedNodeData: {
    readonly addedAuthenticatedPeers: number;
    readonly droppedAuthenticatedPeers: number;
    readonly totalInboundPeerCount: number;
    readonly totalOutboundPeerCount: number;
    readonly p75ScpFirstToSelfLatencyMs: number;
    readonly p75ScpSelfToOtherLatencyMs: number;
    readonly lostSyncCount: number;
    readonly isValidator: boolean;
    readonly maxInboundPeerCount: number;
    readonly maxOutboundPeerCount: number;
  };
  readonly TimeSlicedPeerData: {
    readonly peerStats: XdrValues["PeerStats"];
    readonly averageLatencyMs: number;
  };
  readonly TimeSlicedSurveyRequestMessage: {
    readonly request: XdrValues["SurveyRequestMessage"];
    readonly nonce: number;
    readonly inboundPeersIndex: number;
    readonly outboundPeersIndex: number;
  };
  readonly TimeSlicedSurveyResponseMessage: {
    readonly response: XdrValues["SurveyResponseMessage"];
    readonly nonce: number;
  };
  readonly TimeSlicedSurveyStartCollectingMessage: {
    readonly surveyorId: XdrValues["PublicKey"];
    readonly nonce: number;
    readonly ledgerNum: number;
  };
  readonly TimeSlicedSurveyStopCollectingMessage: {
    readonly surveyorId: XdrValues["PublicKey"];
    readonly nonce: number;
    readonly ledgerNum: number;
  };
  readonly TopologyResponseBodyV2: {
    readonly inboundPeers: readonly XdrValues["TimeSlicedPeerData"][];
    readonly outboundPeers: readonly XdrValues["TimeSlicedPeerData"][];
    readonly nodeData: XdrValues["TimeSlicedNodeData"];
  };
  readonly Transaction: {
    readonly sourceAccount: XdrValues["MuxedAccount"];
    readonly fee: number;
    readonly seqNum: bigint;
    readonly cond: XdrValues["Preconditions"];
    readonly memo: XdrValues["Memo"];
    readonly operations: readonly XdrValues["Operation"][];
    readonly ext: XdrValues["TransactionExt"];
  };
  readonly TransactionEnvelope:
    | { readonly type: 0; readonly v0: XdrValues["TransactionV0Envelope"] }
    | { readonly type: 2; readonly v1: XdrValues["TransactionV1Envelope"] }
    | { readonly type: 5; readonly feeBump: XdrValues["FeeBumpTransactionEnvelope"] };
  readonly TransactionEvent: {
    readonly stage: XdrValues["TransactionEventStage"];
    readonly event: XdrValues["ContractEvent"];
  };
  readonly TransactionEventStage: number;
  readonly TransactionExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly sorobanData: XdrValues["SorobanTransactionData"] };
  readonly TransactionHistoryEntry: {
    readonly ledgerSeq: number;
    readonly txSet: XdrValues["TransactionSet"];
    readonly ext: XdrValues["TransactionHistoryEntryExt"];
  };
  readonly TransactionHistoryEntryExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly generalizedTxSet: XdrValues["GeneralizedTransactionSet"] };
  readonly TransactionHistoryResultEntry: {
    readonly ledgerSeq: number;
    readonly txResultSet: XdrValues["TransactionResultSet"];
    readonly ext: XdrValues["TransactionHistoryResultEntryExt"];
  };
  readonly TransactionHistoryResultEntryExt: { readonly v: 0 };
  readonly TransactionMeta:
    | { readonly v: 0; readonly operations: readonly XdrValues["OperationMeta"][] }
    | { readonly v: 1; readonly v1: XdrValues["TransactionMetaV1"] }
    | { readonly v: 2; readonly v2: XdrValues["TransactionMetaV2"] }
    | { readonly v: 3; readonly v3: XdrValues["TransactionMetaV3"] }
    | { readonly v: 4; readonly v4: XdrValues["TransactionMetaV4"] };
  readonly TransactionMetaV1: {
    readonly txChanges: readonly XdrValues["LedgerEntryChange"][];
    readonly operations: readonly XdrValues["OperationMeta"][];
  };
  readonly TransactionMetaV2: {
    readonly txChangesBefore: readonly XdrValues["LedgerEntryChange"][];
    readonly operations: readonly XdrValues["OperationMeta"][];
    readonly txChangesAfter: readonly XdrValues["LedgerEntryChange"][];
  };
  readonly TransactionMetaV3: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly txChangesBefore: readonly XdrValues["LedgerEntryChange"][];
    readonly operations: readonly XdrValues["OperationMeta"][];
    readonly txChangesAfter: readonly XdrValues["LedgerEntryChange"][];
    readonly sorobanMeta: XdrValues["SorobanTransactionMeta"] | null;
  };
  readonly TransactionMetaV4: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly txChangesBefore: readonly XdrValues["LedgerEntryChange"][];
    readonly operations: readonly XdrValues["OperationMetaV2"][];
    readonly txChangesAfter: readonly XdrValues["LedgerEntryChange"][];
    readonly sorobanMeta: XdrValues["SorobanTransactionMetaV2"] | null;
    readonly events: readonly XdrValues["TransactionEvent"][];
    readonly diagnosticEvents: readonly XdrValues["DiagnosticEvent"][];
  };
  readonly TransactionPhase:
    | { readonly v: 0; readonly v0Components: readonly XdrValues["TxSetComponent"][] }
    | { readonly v: 1; readonly parallelTxsComponent: XdrValues["ParallelTxsComponent"] };
  readonly TransactionResult: {
    readonly feeCharged: bigint;
    readonly result: XdrValues["TransactionResultResult"];
    readonly ext: XdrValues["TransactionResultExt"];
  };
  readonly TransactionResultCode: number;
  readonly TransactionResultExt: { readonly v: 0 };
  readonly TransactionResultMeta: {
    readonly result: XdrValues["TransactionResultPair"];
    readonly feeProcessing: readonly XdrValues["LedgerEntryChange"][];
    readonly txApplyProcessing: XdrValues["TransactionMeta"];
  };
  readonly TransactionResultMetaV1: {
    readonly ext: XdrValues["ExtensionPoint"];
    readonly result: XdrValues["TransactionResultPair"];
    readonly feeProcessing: readonly XdrValues["LedgerEntryChange"][];
    readonly txApplyProcessing: XdrValues["TransactionMeta"];
    readonly postTxApplyFeeProcessing: readonly XdrValues["LedgerEntryChange"][];
  };
  readonly TransactionResultPair: {
    readonly transactionHash: XdrValues["Hash"];
    readonly result: XdrValues["TransactionResult"];
  };
  readonly TransactionResultResult:
    | { readonly code: 1; readonly innerResultPair: XdrValues["InnerTransactionResultPair"] }
    | { readonly code: -13; readonly innerResultPair: XdrValues["InnerTransactionResultPair"] }
    | { readonly code: 0; readonly results: readonly XdrValues["OperationResult"][] }
    | { readonly code: -1; readonly results: readonly XdrValues["OperationResult"][] }
    | { readonly code: -2 }
    | { readonly code: -3 }
    | { readonly code: -4 }
    | { readonly code: -5 }
    | { readonly code: -6 }
    | { readonly code: -7 }
    | { readonly code: -8 }
    | { readonly code: -9 }
    | { readonly code: -10 }
    | { readonly code: -11 }
    | { readonly code: -12 }
    | { readonly code: -14 }
    | { readonly code: -15 }
    | { readonly code: -16 }
    | { readonly code: -17 }
    | { readonly code: -18 };
  readonly TransactionResultSet: {
    readonly results: readonly XdrValues["TransactionResultPair"][];
  };
  readonly TransactionSet: {
    readonly previousLedgerHash: XdrValues["Hash"];
    readonly txs: readonly XdrValues["TransactionEnvelope"][];
  };
  readonly TransactionSetV1: {
    readonly previousLedgerHash: XdrValues["Hash"];
    readonly phases: readonly XdrValues["TransactionPhase"][];
  };
  readonly TransactionSignaturePayload: {
    readonly networkId: XdrValues["Hash"];
    readonly taggedTransaction: XdrValues["TransactionSignaturePayloadTaggedTransaction"];
  };
  readonly TransactionSignaturePayloadTaggedTransaction:
    | { readonly type: 2; readonly tx: XdrValues["Transaction"] }
    | { readonly type: 5; readonly feeBump: XdrValues["FeeBumpTransaction"] };
  readonly TransactionV0: {
    readonly sourceAccountEd25519: XdrValues["Uint256"];
    readonly fee: number;
    readonly seqNum: bigint;
    readonly timeBounds: XdrValues["TimeBounds"] | null;
    readonly memo: XdrValues["Memo"];
    readonly operations: readonly XdrValues["Operation"][];
    readonly ext: XdrValues["TransactionV0Ext"];
  };
  readonly TransactionV0Envelope: {
    readonly tx: XdrValues["TransactionV0"];
    readonly signatures: readonly XdrValues["DecoratedSignature"][];
  };
  readonly TransactionV0Ext: { readonly v: 0 };
  readonly TransactionV1Envelope: {
    readonly tx: XdrValues["Transaction"];
    readonly signatures: readonly XdrValues["DecoratedSignature"][];
  };
  readonly TrustLineAsset:
    | { readonly type: 0 }
    | { readonly type: 1; readonly alphaNum4: XdrValues["AlphaNum4"] }
    | { readonly type: 2; readonly alphaNum12: XdrValues["AlphaNum12"] }
    | { readonly type: 3; readonly liquidityPoolId: XdrValues["PoolId"] };
  readonly TrustLineEntry: {
    readonly accountId: XdrValues["PublicKey"];
    readonly asset: XdrValues["TrustLineAsset"];
    readonly balance: bigint;
    readonly limit: bigint;
    readonly flags: number;
    readonly ext: XdrValues["TrustLineEntryExt"];
  };
  readonly TrustLineEntryExt:
    | { readonly v: 0 }
    | { readonly v: 1; readonly v1: XdrValues["TrustLineEntryV1"] };
  readonly TrustLineEntryExtensionV2: {
    readonly liquidityPoolUseCount: number;
    readonly ext: XdrValues["TrustLineEntryExtensionV2Ext"];
  };
  readonly TrustLineEntryExtensionV2Ext: { readonly v: 0 };
  readonly TrustLineEntryV1: {
    readonly liabilities: XdrValues["Liabilities"];
    readonly ext: XdrValues["TrustLineEntryV1Ext"];
  };
  readonly TrustLineEntryV1Ext:
    | { readonly v: 0 }
    | { readonly v: 2; readonly v2: XdrValues["TrustLineEntryExtensionV2"] };
  readonly TrustLineFlags: number;
  readonly TtlEntry: { readonly keyHash: XdrValues["Hash"]; readonly liveUntilLedgerSeq: number };
  readonly TxSetComponent: {
    readonly type: 0;
    readonly txsMaybeDiscountedFee: XdrValues["TxSetComponentTxsMaybeDiscountedFee"];
  };
  readonly TxSetComponentTxsMaybeDiscountedFee: {
    readonly baseFee: bigint | null;
    readonly txs: readonly XdrValues["TransactionEnvelope"][];
  };
  readonly TxSetComponentType: number;
  readonly UInt128Parts: { readonly hi: bigint; readonly lo: bigint };
  readonly UInt256Parts: {
    readonly hiHi: bigint;
    readonly hiLo: bigint;
    readonly loHi: bigint;
    readonly loLo: bigint;
  };
  readonly Uint256: Uint8Array;
  readonly UpgradeEntryMeta: {
    readonly upgrade: XdrValues["LedgerUpgrade"];
    readonly changes: readonly XdrValues["LedgerEntryChange"][];
  };
  readonly UpgradeType: Uint8Array;
  readonly Value: Uint8Array;
}
