// Accounts and trustlines as the classic operations change them: balances within reserves and
// liabilities, sub-entries and the reserves that others pay for them (stellar-core:
// TransactionUtils.cpp, SponsorshipUtils.cpp). Entries have no last-modified ledger here, because a
// layer writes it.

import { encodeStrkey } from "../../base/text/strkey.ts";
import { accountKeyOf, ENTRY_TYPE } from "../../xdr/reader/keys.ts";
import { encode, type Value } from "../../xdr/reader/value.ts";
import type { ForkTip } from "./chain.ts";
import type { Entry, Layer } from "./layers.ts";

export type Account = Value<"AccountEntry">;
export type Trustline = Value<"TrustLineEntry">;
export type Asset = Value<"Asset">;

/** The parts of the ledger's header on which operations depend. */
export interface LedgerTerms
  extends Pick<ForkTip, "protocolVersion" | "sequence" | "baseFeeStroops" | "baseReserveStroops"> {
  readonly closeTimeUnixSeconds: bigint;
}

export const MOST_STROOPS = 2n ** 63n - 1n;
const MOST_SUB_ENTRIES = 1000;
const NO_LIABILITIES = { buying: 0n, selling: 0n };

/** The account; null if it does not exist. */
export function loadAccount(layer: Layer, address: string): Account | null {
  return accountOf(layer.load(accountKeyOf(address)));
}

export function peekAccount(layer: Layer, address: string): Account | null {
  return accountOf(layer.peek(accountKeyOf(address)));
}

function accountOf(entry: Entry | null): Account | null {
  return entry?.data.type === ENTRY_TYPE.account ? entry.data.account : null;
}

/** Writes an account. `sponsor` is that of a new entry; an existing one keeps its own. */
export function setAccount(layer: Layer, account: Account, sponsor: string | null = null): void {
  const keyXdr = accountKeyOf(addressOf(account.accountId));
  setData(layer, keyXdr, { type: ENTRY_TYPE.account, account }, sponsor);
}

export function loadTrustline(layer: Layer, address: string, asset: Asset): Trustline | null {
  const entry = layer.load(trustlineKey(address, asset));
  return entry?.data.type === ENTRY_TYPE.trustline ? entry.data.trustLine : null;
}

export function setTrustline(
  layer: Layer,
  trustLine: Trustline,
  sponsor: string | null = null,
): void {
  const { accountId, asset } = trustLine;
  const keyXdr = encode("LedgerKey", {
    type: ENTRY_TYPE.trustline,
    trustLine: { accountId, asset },
  });
  setData(layer, keyXdr, { type: ENTRY_TYPE.trustline, trustLine }, sponsor);
}

export function setData(
  layer: Layer,
  keyXdr: string,
  data: Value<"LedgerEntryData">,
  sponsor: string | null,
): void {
  const sponsoringId = sponsor === null ? null : accountIdOf(sponsor);
  const made: Entry["ext"] =
    sponsoringId === null ? { v: 0 } : { v: 1, v1: { sponsoringId, ext: { v: 0 } } };
  layer.set(keyXdr, { lastModifiedLedgerSeq: 0, data, ext: layer.peek(keyXdr)?.ext ?? made });
}

export function addressOf(accountId: Value<"PublicKey">): string {
  return encodeStrkey("account", accountId.ed25519);
}

export function trustlineKey(address: string, asset: Asset): string {
  if (asset.type === 0) throw new Error("no trustline is for lumens");
  const trustLine = { accountId: accountIdOf(address), asset };
  return encode("LedgerKey", { type: ENTRY_TYPE.trustline, trustLine });
}

export function accountIdOf(address: string): Value<"PublicKey"> {
  const key = Uint8Array.fromBase64(accountKeyOf(address)).subarray(-32);
  return { type: 0, ed25519: key };
}

/** The issuer of an asset; null for lumens. */
export function issuerOf(asset: Asset): string | null {
  if (asset.type === 0) return null;
  return addressOf((asset.type === 1 ? asset.alphaNum4 : asset.alphaNum12).issuer);
}

export function liabilitiesOf(entry: Account | Trustline): Value<"Liabilities"> {
  return entry.ext.v === 1 ? entry.ext.v1.liabilities : NO_LIABILITIES;
}

function sponsorshipOf({ ext }: Account): Value<"AccountEntryExtensionV2"> | null {
  return ext.v === 1 && ext.v1.ext.v === 2 ? ext.v1.ext.v2 : null;
}

export function sponsoringOf(account: Account): number {
  return sponsorshipOf(account)?.numSponsoring ?? 0;
}

/** The account with the extension that has these sponsorship counts. */
function withSponsorship(
  account: Account,
  change: (v2: Value<"AccountEntryExtensionV2">) => Partial<Value<"AccountEntryExtensionV2">>,
): Account {
  const v2 = sponsorshipOf(account) ?? {
    numSponsored: 0,
    numSponsoring: 0,
    signerSponsoringIDs: account.signers.map(() => null),
    ext: { v: 0 },
  };
  const v1 = {
    liabilities: liabilitiesOf(account),
    ext: { v: 2, v2: { ...v2, ...change(v2) } } as const,
  };
  return { ...account, ext: { v: 1, v1 } };
}

/** The account with the time and ledger of the last use of its sequence number (CAP-21). */
export function withSequenceUsed(account: Account, terms: LedgerTerms): Account {
  const v3 = {
    ext: { v: 0 },
    seqLedger: terms.sequence,
    seqTime: terms.closeTimeUnixSeconds,
  } as const;
  return withSponsorship(account, () => ({ ext: { v: 3, v3 } }));
}

export function leastBalance(account: Account, { baseReserveStroops }: LedgerTerms): bigint {
  const { numSponsoring = 0, numSponsored = 0 } = sponsorshipOf(account) ?? {};
  const reserves = 2 + account.numSubEntries + numSponsoring - numSponsored;
  return BigInt(reserves) * BigInt(baseReserveStroops);
}

/** The amount that an account can spend, in stroops. */
export function availableBalance(account: Account, terms: LedgerTerms): bigint {
  return account.balance - leastBalance(account, terms) - liabilitiesOf(account).selling;
}

/** Null if its reserve and liabilities do not allow it. */
export function withAdded(account: Account, stroops: bigint, terms: LedgerTerms): Account | null {
  if (stroops === 0n) return account;
  const balance = account.balance + stroops;
  const { buying, selling } = liabilitiesOf(account);
  if (balance < 0n || balance > MOST_STROOPS - buying) return null;
  if (stroops < 0n && balance - leastBalance(account, terms) < selling) return null;
  return { ...account, balance };
}

/** Null if its limit, balance or liabilities do not allow it. */
export function withAddedToLine(line: Trustline, amount: bigint): Trustline | null {
  const balance = line.balance + amount;
  const { buying, selling } = liabilitiesOf(line);
  return balance < selling || balance > line.limit - buying ? null : { ...line, balance };
}

/** The parts of an operation that decide who pays for what it creates. */
export interface Reserving {
  readonly layer: Layer;
  readonly terms: LedgerTerms;
  readonly sponsors: ReadonlyMap<string, string>;
}

export interface Reserved {
  readonly account: Account;
  /** Null if the account pays itself. */
  readonly sponsor: string | null;
}

/**
 * Adds a sub-entry to the account, which the caller then writes. `lowReserve` and `tooMany` have
 * the names of SponsorshipResult.
 */
export function withSubEntry(account: Account, of: Reserving): Reserved | "lowReserve" | "tooMany" {
  if (account.numSubEntries >= MOST_SUB_ENTRIES) return "tooMany";
  const grown = { ...account, numSubEntries: account.numSubEntries + 1 };
  const sponsor = of.sponsors.get(addressOf(account.accountId)) ?? null;
  if (sponsor !== null) {
    const sponsored = withReservesPaid(grown, sponsor, 1, of);
    return sponsored === null ? "lowReserve" : { account: sponsored, sponsor };
  }
  const free = availableBalance(account, of.terms);
  return free < BigInt(of.terms.baseReserveStroops) ? "lowReserve" : { account: grown, sponsor };
}

/**
 * The account with reserves that the sponsor pays, if the sponsor can pay them; the sponsor is
 * written.
 */
export function withReservesPaid(
  account: Account,
  sponsor: string,
  reserves: number,
  { layer, terms }: Reserving,
): Account | null {
  const paying = loadAccount(layer, sponsor);
  if (paying === null) throw new Error("a sponsor without an account");
  if (availableBalance(paying, terms) < BigInt(terms.baseReserveStroops * reserves)) return null;
  setAccount(
    layer,
    withSponsorship(paying, ({ numSponsoring }) => ({ numSponsoring: numSponsoring + reserves })),
  );
  return lessSponsored(account, -reserves);
}

/** Erases a sub-entry of the account, and frees the reserve of the account that paid it. */
export function removeSubEntry(layer: Layer, keyXdr: string, owner: string): void {
  const sponsor = sponsorOf(layer.peek(keyXdr));
  const account = loadAccount(layer, owner);
  if (account === null) throw new Error("a sub-entry without its account");
  const left = { ...account, numSubEntries: account.numSubEntries - 1 };
  setAccount(layer, sponsor === null ? left : lessSponsored(left, 1));
  if (sponsor !== null) freeSponsor(layer, sponsor, 1);
  layer.write(keyXdr, null);
}

/** Null if each account pays its own reserve. */
export function sponsorOf(entry: Entry | null): string | null {
  const id = entry?.ext.v === 1 ? entry.ext.v1.sponsoringId : null;
  return id === null ? null : addressOf(id);
}

export function freeSponsor(layer: Layer, sponsor: string, reserves: number): void {
  const account = loadAccount(layer, sponsor);
  if (account === null) throw new Error("a sponsor without an account");
  setAccount(
    layer,
    withSponsorship(account, ({ numSponsoring }) => ({ numSponsoring: numSponsoring - reserves })),
  );
}

function lessSponsored(account: Account, reserves: number): Account {
  return withSponsorship(account, ({ numSponsored }) => ({
    numSponsored: numSponsored - reserves,
  }));
}

/**
 * The account without the signer at this index. The reserve is freed for the account that paid it.
 */
export function removeSigner(layer: Layer, account: Account, at: number): Account {
  const sponsorId = sponsorshipOf(account)?.signerSponsoringIDs[at] ?? null;
  let left: Account = {
    ...account,
    numSubEntries: account.numSubEntries - 1,
    signers: account.signers.toSpliced(at, 1),
  };
  if (sponsorshipOf(left) !== null)
    left = withSponsorship(left, ({ signerSponsoringIDs }) => ({
      signerSponsoringIDs: signerSponsoringIDs.toSpliced(at, 1),
    }));
  if (sponsorId === null) return left;
  freeSponsor(layer, addressOf(sponsorId), 1);
  return lessSponsored(left, 1);
}

/** The account with a signer at this index. */
export function insertSigner(
  { account, sponsor }: Reserved,
  at: number,
  signer: Value<"Signer">,
): Account {
  const grown = { ...account, signers: account.signers.toSpliced(at, 0, signer) };
  const ids = sponsorshipOf(account)?.signerSponsoringIDs;
  if (ids === undefined) return grown;
  const id = sponsor === null ? null : accountIdOf(sponsor);
  return withSponsorship(grown, () => ({ signerSponsoringIDs: ids.toSpliced(at, 0, id) }));
}
