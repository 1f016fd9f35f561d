// Trustlines: ChangeTrust and SetTrustLineFlags (stellar-core: ChangeTrustOpFrame,
// SetTrustLineFlagsOpFrame, TrustFlagsOpFrameBase; the rules of protocol 20 on). Shares of
// liquidity pools are not among them, nor is the revocation of what offers and pools still hold.

import { isValidAsset } from "../../explain/validity/declared-rules.ts";
import { accountOf } from "../../xdr/envelope/envelope-terms.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import { assetText } from "../../xdr/values/value-text.ts";
import { forkUnsupported } from "../errors.ts";
import {
  type Asset,
  accountIdOf,
  addressOf,
  issuerOf,
  liabilitiesOf,
  loadAccount,
  loadTrustline,
  peekAccount,
  removeSubEntry,
  setAccount,
  setTrustline,
  type Trustline,
  trustlineKey,
  withAddedToLine,
  withSubEntry,
} from "./accounts.ts";
import { partyOf } from "./asset-events.ts";
import type { BodyOf, OperationContext, OperationRules } from "./operation.ts";

const FLAG = { authorized: 1, maintain: 2, clawback: 4 } as const;
const AUTHORIZATIONS = FLAG.authorized | FLAG.maintain;
const ALL_FLAGS = AUTHORIZATIONS | FLAG.clawback;
const ACCOUNT_FLAG = { required: 1, revocable: 2, clawback: 8 } as const;

/** Null for shares of a liquidity pool. */
export function assetOfLine({ changeTrustOp: { line } }: BodyOf<6>): Asset | null {
  return line.type === 3 ? null : line;
}

export const CHANGE_TRUST: OperationRules<BodyOf<6>> = {
  keys(body, source) {
    const asset = assetOfLine(body);
    const issuer = asset && issuerOf(asset);
    if (asset === null || issuer === null) return [];
    return [accountKeyOf(issuer), trustlineKey(source, asset)];
  },
  freezable: (body, source) => CHANGE_TRUST.keys(body, source).slice(1),
  flaw(body, source) {
    const asset = assetOfLine(body);
    const isMalformed =
      body.changeTrustOp.limit < 0n ||
      asset === null ||
      asset.type === 0 ||
      !isValidAsset(asset) ||
      issuerOf(asset) === source;
    return isMalformed ? "changeTrustMalformed" : null;
  },
  apply(context, body) {
    const asset = assetOfLine(body);
    if (asset === null || asset.type === 0) return "changeTrustMalformed";
    const { limit } = body.changeTrustOp;
    const line = loadTrustline(context.layer, context.source, asset);
    return line === null ? addLine(context, asset, limit) : changeLine(context, asset, line, limit);
  },
};

function changeLine(
  { layer, source }: OperationContext,
  asset: Asset,
  line: Trustline,
  limit: bigint,
): string {
  if (limit < line.balance + liabilitiesOf(line).buying) return "changeTrustInvalidLimit";
  if (limit > 0n) {
    if (peekAccount(layer, issuerOf(asset) ?? "") === null) return "changeTrustNoIssuer";
    setTrustline(layer, { ...line, limit });
    return "changeTrustSuccess";
  }
  if (poolUses(line) !== 0) return "changeTrustCannotDelete";
  removeSubEntry(layer, trustlineKey(source, asset), source);
  return "changeTrustSuccess";
}

function addLine(
  context: OperationContext,
  asset: Exclude<Asset, { type: 0 }>,
  limit: bigint,
): string {
  const { layer, source } = context;
  if (limit === 0n) return "changeTrustInvalidLimit";
  const issuer = peekAccount(layer, issuerOf(asset) ?? "");
  if (issuer === null) return "changeTrustNoIssuer";
  const account = loadAccount(layer, source);
  if (account === null) return "opNoAccount";
  const grown = withSubEntry(account, context);
  if (grown === "lowReserve") return "changeTrustLowReserve";
  if (grown === "tooMany") return "opTooManySubentries";
  setAccount(layer, grown.account);
  const isOpen = (issuer.flags & ACCOUNT_FLAG.required) === 0;
  const isClawedBack = (issuer.flags & ACCOUNT_FLAG.clawback) !== 0;
  const line: Trustline = {
    accountId: accountIdOf(source),
    asset,
    balance: 0n,
    limit,
    ext: { v: 0 },
    flags: (isOpen ? FLAG.authorized : 0) | (isClawedBack ? FLAG.clawback : 0),
  };
  setTrustline(layer, line, grown.sponsor);
  return "changeTrustSuccess";
}

function poolUses({ ext }: Trustline): number {
  return ext.v === 1 && ext.v1.ext.v === 2 ? ext.v1.ext.v2.liquidityPoolUseCount : 0;
}

export const SET_TRUST_LINE_FLAGS: OperationRules<BodyOf<21>> = {
  keys: ({ setTrustLineFlagsOp: { trustor, asset } }) =>
    asset.type === 0 ? [] : [trustlineKey(addressOf(trustor), asset)],
  flaw({ setTrustLineFlagsOp }, source) {
    const { trustor, asset, setFlags, clearFlags } = setTrustLineFlagsOp;
    const isMalformed =
      issuerOf(asset) !== source ||
      !isValidAsset(asset) ||
      addressOf(trustor) === source ||
      (setFlags & clearFlags) !== 0 ||
      (setFlags & ~AUTHORIZATIONS) !== 0 ||
      (setFlags & AUTHORIZATIONS) === AUTHORIZATIONS ||
      (clearFlags & ~ALL_FLAGS) !== 0;
    return isMalformed ? "setTrustLineFlagsMalformed" : null;
  },
  apply(context, { setTrustLineFlagsOp }) {
    const { trustor, asset, setFlags, clearFlags } = setTrustLineFlagsOp;
    const revokes = (clearFlags & AUTHORIZATIONS) !== 0 && (setFlags & FLAG.authorized) === 0;
    if (revokes && !isRevocable(context)) return "setTrustLineFlagsCantRevoke";
    const line = loadTrustline(context.layer, addressOf(trustor), asset);
    if (line === null) return "setTrustLineFlagsNoTrustLine";
    const flags = (line.flags & ~clearFlags) | setFlags;
    if ((flags & AUTHORIZATIONS) === AUTHORIZATIONS) return "setTrustLineFlagsInvalidState";
    setFlagsOf(context, line, flags, asset);
    return "setTrustLineFlagsSuccess";
  },
};

/** Says whether the issuer may take an authorization back. */
function isRevocable({ layer, source }: OperationContext): boolean {
  return ((peekAccount(layer, source)?.flags ?? 0) & ACCOUNT_FLAG.revocable) !== 0;
}

function setFlagsOf(
  { layer, events }: OperationContext,
  line: Trustline,
  flags: number,
  asset: Asset,
): void {
  const address = addressOf(line.accountId);
  const isRevoked = (line.flags & AUTHORIZATIONS) !== 0 && (flags & AUTHORIZATIONS) === 0;
  if (isRevoked && isHeld(line))
    throw forkUnsupported(
      `to revoke ${assetText(asset)} of ${address}, which offers or pools hold`,
    );
  events.authorized(asset, partyOf(address), (flags & FLAG.authorized) !== 0);
  setTrustline(layer, { ...line, flags });
}

/** Offers have liabilities, and pools are counted: stellar-core would remove both. */
function isHeld(line: Trustline): boolean {
  const { buying, selling } = liabilitiesOf(line);
  return buying > 0n || selling > 0n || poolUses(line) > 0;
}

export const ALLOW_TRUST: OperationRules<BodyOf<7>> = {
  keys: ({ allowTrustOp }, source) => [
    trustlineKey(addressOf(allowTrustOp.trustor), allowedAsset(allowTrustOp, source)),
  ],
  flaw({ allowTrustOp }, source) {
    const isMalformed =
      allowTrustOp.authorize > FLAG.maintain ||
      !isValidAsset(allowedAsset(allowTrustOp, source)) ||
      addressOf(allowTrustOp.trustor) === source;
    return isMalformed ? "allowTrustMalformed" : null;
  },
  apply(context, { allowTrustOp }) {
    const { authorize, trustor } = allowTrustOp;
    const asset = allowedAsset(allowTrustOp, context.source);
    const canRevoke = isRevocable(context);
    if (!canRevoke && authorize === 0) return "allowTrustCantRevoke";
    const line = loadTrustline(context.layer, addressOf(trustor), asset);
    if (line === null) return "allowTrustNoTrustLine";
    const flags = (line.flags & ~AUTHORIZATIONS) | authorize;
    const isReduced = (line.flags & FLAG.authorized) !== 0 && (flags & FLAG.maintain) !== 0;
    if (!canRevoke && isReduced) return "allowTrustCantRevoke";
    setFlagsOf(context, line, flags, asset);
    return "allowTrustSuccess";
  },
};

/** The source's own asset of that code. */
function allowedAsset({ asset }: BodyOf<7>["allowTrustOp"], source: string): Asset {
  const issuer = accountIdOf(source);
  return asset.type === 1
    ? { type: 1, alphaNum4: { assetCode: asset.assetCode4, issuer } }
    : { type: 2, alphaNum12: { assetCode: asset.assetCode12, issuer } };
}

export const CLAWBACK: OperationRules<BodyOf<19>> = {
  keys: ({ clawbackOp: { asset, from } }) =>
    asset.type === 0 ? [] : [trustlineKey(accountOf(from), asset)],
  flaw({ clawbackOp: { asset, from, amount } }, source) {
    const isOfItself = from.type === 0 && accountOf(from) === source;
    const isMalformed =
      isOfItself || amount < 1n || !isValidAsset(asset) || issuerOf(asset) !== source;
    return isMalformed ? "clawbackMalformed" : null;
  },
  apply({ layer, events }, { clawbackOp: { asset, from, amount } }) {
    const line = loadTrustline(layer, accountOf(from), asset);
    if (line === null) return "clawbackNoTrust";
    if ((line.flags & FLAG.clawback) === 0) return "clawbackNotClawbackEnabled";
    const poorer = withAddedToLine(line, -amount);
    if (poorer === null) return "clawbackUnderfunded";
    setTrustline(layer, poorer);
    events.clawedBack(asset, from, amount);
    return "clawbackSuccess";
  },
};
