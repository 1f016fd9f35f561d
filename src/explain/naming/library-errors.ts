// The numbers of errors that well-known libraries and protocols define, from their published error
// enums, because a number alone is often one of them. Nothing shows that a contract uses a library,
// so each is only stated with "if". Numbers below 100 are left out, because many contracts have
// them too. Read from OpenZeppelin/stellar-contracts (2026-07-24), blend-capital/blend-contracts-v2
// (2025-08-14), soroswap/core (2025-08-15), paltalabs/defindex (2026-05-28) and
// AquaToken/soroban-amm (2026-04-22).

/** A line for each enum, continued on indented lines: library, enum, numbers with their names. */
const TABLE = `
OpenZeppelin's Stellar contracts|AccessControlError|2000 Unauthorized 2001 AdminNotSet 2002
  IndexOutOfBounds 2003 AdminRoleNotFound 2004 RoleCountIsNotZero 2005 RoleNotFound 2006
  AdminAlreadySet 2007 RoleNotHeld 2008 RoleIsEmpty 2009 TransferInProgress 2010 MaxRolesExceeded
OpenZeppelin's Stellar contracts|OwnableError|2100 OwnerNotSet 2101 TransferInProgress 2102
  OwnerAlreadySet
OpenZeppelin's Stellar contracts|RoleTransferError|2200 NoPendingTransfer 2201
  InvalidLiveUntilLedger 2202 InvalidPendingAccount 2203 TransferExpired
OpenZeppelin's Stellar contracts|SimpleThresholdError|3200 SmartAccountNotInstalled 3201
  InvalidThreshold 3202 NotAllowed 3203 AlreadyInstalled
OpenZeppelin's Stellar contracts|SpendingLimitError|3220 SmartAccountNotInstalled 3221
  SpendingLimitExceeded 3222 InvalidLimitOrPeriod 3223 NotAllowed 3224 HistoryCapacityExceeded
  3225 AlreadyInstalled 3226 LessThanZero 3227 OnlyCallContractAllowed
OpenZeppelin's Stellar contracts|WeightedThresholdError|3210 SmartAccountNotInstalled 3211
  InvalidThreshold 3212 MathOverflow 3213 NotAllowed 3214 AlreadyInstalled
OpenZeppelin's Stellar contracts|SmartAccountError|3000 ContextRuleNotFound 3002
  UnvalidatedContext 3003 ExternalVerificationFailed 3004 NoSignersAndPolicies 3005 PastValidUntil
  3006 SignerNotFound 3007 DuplicateSigner 3008 PolicyNotFound 3009 DuplicatePolicy 3010
  TooManySigners 3011 TooManyPolicies 3012 MathOverflow 3013 KeyDataTooLarge 3014
  ContextRuleIdsLengthMismatch 3015 NameTooLong 3016 UnauthorizedSigner
OpenZeppelin's Stellar contracts|WebAuthnError|3110 SignaturePayloadInvalid 3111 ClientDataTooLong
  3112 JsonParseError 3113 TypeFieldInvalid 3114 ChallengeInvalid 3115 AuthDataFormatInvalid 3116
  PresentBitNotSet 3117 VerifiedBitNotSet 3118 BackupEligibilityAndStateNotSet 3119 KeyDataInvalid
OpenZeppelin's Stellar contracts|CryptoError|1400 MerkleProofOutOfBounds 1401
  MerkleIndexOutOfBounds 1402 HasherEmptyState 1403 InvalidPoint
OpenZeppelin's Stellar contracts|SorobanFixedPointError|1500 Overflow 1501 DivisionByZero 1502
  InvalidBase
OpenZeppelin's Stellar contracts|MerkleDistributorError|1300 RootNotSet 1301 IndexAlreadyClaimed
  1302 InvalidProof
OpenZeppelin's Stellar contracts|PausableError|1000 EnforcedPause 1001 ExpectedPause
OpenZeppelin's Stellar contracts|FeeAbstractionError|5000 FeeTokenNotAllowed 5001
  FeeTokenAlreadyAllowed 5002 TokenCountOverflow 5003 InvalidFeeBounds 5004 NoTokensToSweep 5005
  InvalidUser 5006 InvalidExpirationLedger
OpenZeppelin's Stellar contracts|GovernorError|5000 ProposalNotFound 5001 ProposalAlreadyExists
  5002 InsufficientProposerVotes 5003 EmptyProposal 5004 InvalidProposalLength 5005
  ProposalNotActive 5006 ProposalNotSuccessful 5007 ProposalNotQueued 5008 ProposalAlreadyExecuted
  5009 ProposalNotCancellable 5010 VotingDelayNotSet 5011 VotingPeriodNotSet 5012
  ProposalThresholdNotSet 5013 NameNotSet 5014 VersionNotSet 5015 MathOverflow 5016 AlreadyVoted
  5017 InvalidVoteType 5018 QuorumNotSet 5019 TokenContractAlreadySet 5020 TokenContractNotSet
  5021 DescriptionTooLong 5022 QueueNotEnabled
OpenZeppelin's Stellar contracts|TimelockError|4000 OperationAlreadyScheduled 4001
  InsufficientDelay 4002 InvalidOperationState 4003 UnexecutedPredecessor 4004 Unauthorized 4005
  MinDelayNotSet 4006 OperationNotScheduled
OpenZeppelin's Stellar contracts|VotesError|4100 FutureLookup 4101 MathOverflow 4102
  InsufficientVotingUnits 4103 SameDelegate 4104 CheckpointNotFound
OpenZeppelin's Stellar contracts|AuditorError|3300 AuditorAlreadyRegistered 3301
  AuditorNotRegistered 3302 IdentityPoint 3303 PointNotOnCurve
OpenZeppelin's Stellar contracts|ComplianceError|360 ModuleAlreadyRegistered 361
  ModuleNotRegistered 362 ModuleBoundExceeded 363 TokenNotBound 3600 NotConfigured 3601
  AccountFrozen 3602 NotAuthorizedByPolicy 3603 NotAuthorizedBySac
OpenZeppelin's Stellar contracts|ConfidentialTokenError|3500 AccountAlreadyRegistered 3501
  AccountNotRegistered 3502 NegativeAmount 3503 DelegationAlreadyExists 3504 DelegationNotFound
  3505 DelegationExpired 3506 InvalidProof 3507 InvalidData 3508 UnderlyingAssetNotSet 3509
  VerifierNotSet 3510 AuditorNotSet 3511 AddressAsFieldNotSet 3512 AddressAsFieldAlreadySet 3513
  UnderlyingAssetAlreadySet 3514 NonCanonicalEncoding
OpenZeppelin's Stellar contracts|VerifierError|3400 VerificationKeyAlreadyRegistered 3401
  VerificationKeyNotRegistered 3402 InvalidProof
OpenZeppelin's Stellar contracts|FungibleTokenError|100 InsufficientBalance 101
  InsufficientAllowance 102 InvalidLiveUntilLedger 103 LessThanZero 104 MathOverflow 105
  UnsetMetadata 106 ExceededCap 107 InvalidCap 108 CapNotSet 109 SACNotSet 110 SACAddressMismatch
  111 SACMissingFnParam 112 SACInvalidFnParam 113 UserNotAllowed 114 UserBlocked
OpenZeppelin's Stellar contracts|NonFungibleTokenError|200 NonExistentToken 201 IncorrectOwner 202
  InsufficientApproval 203 InvalidApprover 204 InvalidLiveUntilLedger 205 MathOverflow 206
  TokenIDsAreDepleted 207 InvalidAmount 208 TokenNotFoundInOwnerList 209 TokenNotFoundInGlobalList
  210 UnsetMetadata 211 BaseUriMaxLenExceeded 212 InvalidRoyaltyAmount 213 NameMaxLenExceeded 214
  SymbolMaxLenExceeded
OpenZeppelin's Stellar contracts|ComplianceModuleError|390 InvalidAmount 391 MathOverflow 392
  MathUnderflow 393 MaxBalanceExceeded 394 SupplyLimitExceeded 395 PresetAlreadyCompleted 396
  IdentityRegistryNotSet 397 BatchSizeMismatch 398 ComplianceNotSet 399
  InsufficientUnlockedBalance 401 TransferLimitExceeded 402 LimitBoundExceeded 403 LimitNotFound
  404 CountryNotAllowed 405 CountryRestricted 406 UserNotAllowed
OpenZeppelin's Stellar contracts|VaultTokenError|400 VaultAssetAddressNotSet 401
  VaultAssetAddressAlreadySet 402 VaultVirtualDecimalsOffsetAlreadySet 403
  VaultInvalidAssetsAmount 404 VaultInvalidSharesAmount 405 VaultExceededMaxDeposit 406
  VaultExceededMaxMint 407 VaultExceededMaxWithdraw 408 VaultExceededMaxRedeem 409
  VaultMaxDecimalsOffsetExceeded 410 MathOverflow
OpenZeppelin's Stellar contracts|DocumentError|380 DocumentNotFound 381 MaxDocumentsReached 382
  UriTooLong
OpenZeppelin's Stellar contracts|ClaimIssuerError|350 SigDataMismatch 351 KeyIsEmpty 352
  KeyAlreadyAllowed 353 KeyNotFound 354 NotAllowed 355 LimitExceeded 356 NoKeysForTopic 357
  InvalidClaimDataExpiration 358 Secp256k1RecoveryFailed 359 MathOverflow
OpenZeppelin's Stellar contracts|ClaimTopicsAndIssuersError|370 ClaimTopicDoesNotExist 371
  IssuerDoesNotExist 372 ClaimTopicAlreadyExists 373 IssuerAlreadyExists 374
  MaxClaimTopicsLimitReached 375 MaxIssuersLimitReached 376 ClaimTopicsSetCannotBeEmpty
OpenZeppelin's Stellar contracts|ClaimsError|340 ClaimNotFound 341 ClaimNotValid
OpenZeppelin's Stellar contracts|IRSError|320 IdentityOverwrite 321 IdentityNotFound 322
  CountryDataNotFound 323 EmptyCountryList 324 MaxCountryEntriesReached 325 AccountRecovered 326
  MetadataTooManyEntries 327 MetadataStringTooLong 328 AccountHasBalance
OpenZeppelin's Stellar contracts|RWAError|300 InsufficientBalance 301 LessThanZero 302
  AddressFrozen 303 InsufficientFreeTokens 304 IdentityVerificationFailed 307 ComplianceNotSet 308
  OnchainIdNotSet 309 VersionNotSet 310 ClaimTopicsAndIssuersNotSet 311
  IdentityRegistryStorageNotSet 312 IdentityVerifierNotSet 313 IdentityMismatch
OpenZeppelin's Stellar contracts|TokenBinderError|330 TokenNotFound 331 TokenAlreadyBound 332
  MaxTokensReached 334 BindBatchDuplicates
OpenZeppelin's Stellar contracts|DKIMRegistryError|6000 KeyHashRevoked 6001
  KeyHashAlreadyRegistered
Blend|BackstopError|1000 BadRequest 1001 NotExpired 1002 InvalidRewardZoneEntry 1003
  InsufficientFunds 1004 NotPool 1005 InvalidShareMintAmount 1006 InvalidTokenWithdrawAmount 1007
  TooManyQ4WEntries 1008 NotInRewardZone 1009 RewardZoneFull 1010 MaxBackfillEmissions 1011
  BadDebtExists
Blend|PoolFactoryError|1300 InvalidPoolInitArgs
Blend|PoolError|1200 BadRequest 1201 InvalidPoolConfigArgs 1202 InvalidReserveMetadata 1203
  InitNotUnlocked 1204 StatusNotAllowed 1205 InvalidHf 1206 InvalidPoolStatus 1207 InvalidUtilRate
  1208 MaxPositionsExceeded 1209 InternalReserveNotFound 1210 InvalidPrice 1211 InvalidLiquidation
  1212 AuctionInProgress 1213 InvalidLiqTooLarge 1214 InvalidLiqTooSmall 1215 InterestTooSmall
  1216 InvalidBTokenMintAmount 1217 InvalidBTokenBurnAmount 1218 InvalidDTokenMintAmount 1219
  InvalidDTokenBurnAmount 1220 ExceededSupplyCap 1221 InvalidBid 1222 InvalidLot 1223
  ReserveDisabled 1224 MinCollateralNotMet
Soroswap|FactoryError|201 NotInitialized 202 CreatePairIdenticalTokens 203 CreatePairAlreadyExists
  204 InitializeAlreadyInitialized 205 PairDoesNotExist 206 IndexDoesNotExist
Soroswap|PairError|901 CreatePairIdenticalTokens
Soroswap|SoroswapLibraryError|301 InsufficientAmount 302 InsufficientLiquidity 303
  InsufficientInputAmount 304 InsufficientOutputAmount 305 InvalidPath 306 SortIdenticalTokens
Soroswap|SoroswapPairError|101 InitializeAlreadyInitialized 102 NotInitialized 103
  InitializeTokenOrderInvalid 104 DepositInsufficientAmountToken0 105
  DepositInsufficientAmountToken1 106 DepositInsufficientFirstLiquidity 107
  DepositInsufficientLiquidityMinted 108 SwapInsufficientOutputAmount 109
  SwapNegativesOutNotSupported 110 SwapInsufficientLiquidity 111 SwapInvalidTo 112
  SwapInsufficientInputAmount 113 SwapNegativesInNotSupported 114 SwapKConstantNotMet 115
  WithdrawLiquidityNotInitialized 116 WithdrawInsufficientSentShares 117
  WithdrawInsufficientLiquidityBurned 118 UpdateOverflow
Soroswap|SoroswapRouterError|401 NotInitialized 402 NegativeNotAllowed 403 DeadlineExpired 404
  InitializeAlreadyInitialized 405 InsufficientAAmount 406 InsufficientBAmount 407
  InsufficientOutputAmount 408 ExcessiveInputAmount 409 PairDoesNotExist
Soroswap|CombinedRouterError|501 RouterNotInitialized 502 RouterNegativeNotAllowed 503
  RouterDeadlineExpired 504 RouterInitializeAlreadyInitialized 505 RouterInsufficientAAmount 506
  RouterInsufficientBAmount 507 RouterInsufficientOutputAmount 508 RouterExcessiveInputAmount 509
  RouterPairDoesNotExist 510 LibraryInsufficientAmount 511 LibraryInsufficientLiquidity 512
  LibraryInsufficientInputAmount 513 LibraryInsufficientOutputAmount 514 LibraryInvalidPath 515
  LibrarySortIdenticalTokens
DeFindex|FactoryError|401 NotInitialized 404 AssetLengthMismatch 405 IndexDoesNotExist 406
  FeeTooHigh
DeFindex|StrategyError|401 NotInitialized 410 NegativeNotAllowed 411 InvalidArgument 412
  InsufficientBalance 413 UnderflowOverflow 414 ArithmeticError 415 DivisionByZero 416
  InvalidSharesMinted 417 OnlyPositiveAmountAllowed 418 NotAuthorized 420 ProtocolAddressNotFound
  421 DeadlineExpired 422 ExternalError 423 SoroswapPairError 451 AmountBelowMinDust 452
  UnderlyingAmountBelowMin 453 BTokensAmountBelowMin 454 InternalSwapError 455 SupplyNotFound
DeFindex|ContractError|100 NotInitialized 101 InvalidRatio 102 StrategyDoesNotSupportAsset 103
  NoAssetAllocation 104 RolesIncomplete 105 MetadataIncomplete 106 MaximumFeeExceeded 107
  DuplicatedAsset 108 DuplicatedStrategy 110 AmountNotAllowed 111 InsufficientBalance 112
  WrongAmountsLength 113 WrongLockedFees 114 InsufficientManagedFunds 115 MissingInstructionData
  116 UnsupportedAsset 117 InsufficientAmount 118 NoOptimalAmounts 119 WrongInvestmentLength 120
  ArithmeticError 121 Overflow 122 WrongAssetAddress 123 WrongStrategiesLength 124
  AmountOverTotalSupply 125 NoInstructions 126 NotUpgradable 127 Underflow 128
  UnwindMoreThanAvailable 129 InsufficientFeesToRelease 130 Unauthorized 131 RoleNotFound 132
  ManagerNotInQueue 133 SetManagerBeforeTime 134 QueueEmpty 140 StrategyNotFound 141
  StrategyPausedOrNotFound 142 StrategyWithdrawError 143 StrategyInvestError 144 StrategyPaused
  150 AssetNotFound 151 NoAssetsProvided 160 InsufficientOutputAmount 161 ExcessiveInputAmount 162
  InvalidFeeBps 190 LibrarySortIdenticalTokens 200 SoroswapRouterError 201 SwapExactInError 202
  SwapExactOutError
Aquarius|AccessControlError|101 RoleNotFound 102 Unauthorized 103 AdminAlreadySet 104 BadRoleUsage
  2906 AnotherActionActive 2907 NoActionActive 2908 ActionNotReadyYet
Aquarius|GuardError|101 ResultsMismatch 102 UnsupportedType 103 InvalidValue 104 TypesMismatch
Aquarius|ConcentratedPoolError|102 Unauthorized 201 PoolAlreadyInitialized 202
  PlaneAlreadyInitialized 203 RewardsAlreadyInitialized 205 DepositKilled 206 SwapKilled 207
  ClaimKilled 2002 TokensNotSorted 2101 InvalidTickRange 2103 InvalidAmount 2104 InvalidSqrtPrice
  2106 InvalidTickSpacing 2107 TickOutOfBounds 2108 PriceOutOfBounds 2109 TickNotSpacedCorrectly
  2110 TickLowerNotLessThanUpper 2111 TickLowerTooLow 2112 TickUpperTooHigh 2113 InvalidPriceLimit
  2118 PositionNotFound 2119 TooManyPositions 2120 LiquidityAmountTooLarge 2121
  InsufficientLiquidity 2122 LiquidityOverflow 2123 LiquidityUnderflow
Aquarius|Error|102 Unauthorized 307 PathIsEmpty 2006 OutMinNotSatisfied 2020 InMaxNotSatisfied
  2904 FeeFractionTooHigh 2906 AnotherActionActive 2907 NoActionActive 2908 ActionNotReadyYet
Aquarius|GaugeError|102 Unauthorized 201 AlreadyInitialized 207 ClaimKilled 305 GaugesOverMax 401
  GaugeAlreadyExists 404 GaugeNotFound 3000 InvalidConfig 3001 ConfigNotExpiredYet 3002
  StartNotInFuture 3003 StartTooEarly 3004 TooManyConfigs 3005 InvalidRewardState
Aquarius|LiquidityPoolError|201 AlreadyInitialized 202 PlaneAlreadyInitialized 203
  RewardsAlreadyInitialized 204 InvariantDoesNotHold 205 PoolDepositKilled 206 PoolSwapKilled 207
  PoolClaimKilled 208 FutureShareIdNotSet 209 MaxIterationsReached 210 ZeroTokenNotAllowed 2902
  RampTooEarly 2903 RampTimeLessThanMinimum 2904 RampOverMax 2905 RampTooFast 2906
  AnotherActionActive 2907 NoActionActive 2908 ActionNotReadyYet
Aquarius|FeedError|201 AlreadyInitialized
Aquarius|StorageError|201 AlreadyInitialized 501 ValueNotInitialized 502 ValueMissing 503
  ValueConversionError
Aquarius|LiquidityPoolRouterError|301 PoolNotFound 302 BadFee 303 StableswapHashMissing 305
  PoolsOverMax 306 StableswapPoolsOverMax 307 PathIsEmpty 308 TokensAreNotForReward 309
  LiquidityNotFilled 310 LiquidityAlreadyFilled 311 VotingShareExceedsMax 312
  LiquidityCalculationError 313 RewardsNotConfigured 314 RewardsAlreadyConfigured 315
  DuplicatesNotAllowed 316 InvalidPoolType 317 RewardDurationTooShort 318 RewardAmountTooLow 319
  GaugeRewardsDisabledForPool 320 UnsupportedTokensNum 321 PathMustEndWithRewardToken 322
  ConcentratedPoolsOverMax 323 RewardTokenChangeWhileActive 324 SwapChainAmountIsZero 2002
  TokensNotSorted 2020 InMaxNotSatisfied
Aquarius|LiquidityPoolCalculatorError|209 MaxIterationsReached
Aquarius|LiquidityPoolValidationError|2001 WrongInputVecSize 2003 FeeOutOfBounds 2004
  AllCoinsRequired 2005 InMinNotSatisfied 2006 OutMinNotSatisfied 2007 CannotSwapSameToken 2008
  InTokenOutOfBounds 2009 OutTokenOutOfBounds 2010 EmptyPool 2011 InvalidDepositAmount 2012
  AdminFeeOutOfBounds 2013 UnknownPoolType 2014 ZeroSharesBurned 2015 TooManySharesBurned 2017
  CannotComparePools 2018 ZeroAmount 2019 InsufficientBalance 2020 InMaxNotSatisfied
Aquarius|PoolError|401 PoolAlreadyExists 404 PoolNotFound
Aquarius|RewardsError|701 PastTimeNotAllowed 702 SameRewardsConfig
Aquarius|TokenError|601 AlreadyInitialized 602 InsufficientBalance 603 InsufficientAllowance 604
  NegativeNotAllowed 605 DecimalTooLarge 606 PastTimeNotAllowed
Aquarius|MathError|510 NumberOverflow
`;

export interface LibraryError {
  readonly library: string;
  /** The enum that has the number. */
  readonly of: string;
  readonly name: string;
}

let byNumber: ReadonlyMap<number, readonly LibraryError[]> | null = null;

/** In the order of the table; empty if no library has the number. */
export function libraryErrors(number: number): readonly LibraryError[] {
  byNumber ??= readTable();
  return byNumber.get(number) ?? [];
}

const MOST_SHOWN = 4;

/** `If the contract uses Blend, it is InvalidHf (PoolError).`; null if no library has it. */
export function libraryErrorsInWords(number: number): string | null {
  const candidates = libraryErrors(number);
  if (candidates.length === 0) return null;
  const each = Map.groupBy(candidates.slice(0, MOST_SHOWN), ({ library }) => library);
  const words = [...each].map(
    ([library, errors]) =>
      `${library}, it is ${errors.map(({ of, name }) => `${name} (${of})`).join(" or ")}`,
  );
  return `If the contract uses ${words.join("; if it uses ")}.`;
}

function readTable(): Map<number, LibraryError[]> {
  const read = new Map<number, LibraryError[]>();
  for (const line of TABLE.trim().replaceAll("\n  ", " ").split("\n")) {
    const [library = "", of = "", numbers = ""] = line.split("|");
    for (const [, number = "", name = ""] of numbers.matchAll(/(\d+) (\w+)/g)) {
      const known = read.get(Number(number)) ?? [];
      read.set(Number(number), [...known, { library, of, name }]);
    }
  }
  return read;
}
