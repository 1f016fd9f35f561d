// Trustlines: ChangeTrust and SetTrustLineFlags (stellar-core: ChangeTrustOpFrame,
// SetTrustLineFlagsOpFrame, TrustFlagsOpFrameBase; the rules of protocol 20 on). Shares of
// liquidity pools are not among them, nor is the revocation of what offers and pools still hold.

import { isValidAsset } from "../../explain/validity/declared-rules.ts";
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
  { layer, terms, source }: OperationContext,
  asset: Exclude<Asset, { type: 0 }>,
  limit: bigint,
): string {
  if (limit === 0n) return "changeTrustInvalidLimit";
  const issuer = peekAccount(layer, issuerOf(asset) ?? "");
  if (issuer === null) return "changeTrustNoIssuer";
  const account = loadAccount(layer, source);
  if (account === null) return "opNoAccount";
  const grown = withSubEntry(account, terms);
  if (grown === "lowReserve") return "changeTrustLowReserve";
  if (grown === "tooMany") return "opTooManySubentries";
  setAccount(layer, grown);
  const isOpen = (issuer.flags & ACCOUNT_FLAG.required) === 0;
  const isClawedBack = (issuer.flags & ACCOUNT_FLAG.clawback) !== 0;
  setTrustline(layer, {
    ...{ accountId: accountIdOf(source), asset, balance: 0n, limit, ext: { v: 0 } },
    flags: (isOpen ? FLAG.authorized : 0) | (isClawedBack ? FLAG.clawback : 0),
  });
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
  apply({ layer, source, events }, { setTrustLineFlagsOp }) {
    const { trustor, asset, setFlags, clearFlags } = setTrustLineFlagsOp;
    const address = addressOf(trustor);
    const issuer = peekAccount(layer, source);
    const revokes = (clearFlags & AUTHORIZATIONS) !== 0 && (setFlags & FLAG.authorized) === 0;
    if (revokes && ((issuer?.flags ?? 0) & ACCOUNT_FLAG.revocable) === 0)
      return "setTrustLineFlagsCantRevoke";
    const line = loadTrustline(layer, address, asset);
    if (line === null) return "setTrustLineFlagsNoTrustLine";
    const flags = (line.flags & ~clearFlags) | setFlags;
    if ((flags & AUTHORIZATIONS) === AUTHORIZATIONS) return "setTrustLineFlagsInvalidState";
    const isRevoked = (line.flags & AUTHORIZATIONS) !== 0 && (flags & AUTHORIZATIONS) === 0;
    if (isRevoked && isHeld(line))
      throw forkUnsupported(
        `to revoke ${assetText(asset)} of ${address}, which offers or pools hold`,
      );
    events.authorized(asset, partyOf(address), (flags & FLAG.authorized) !== 0);
    setTrustline(layer, { ...line, flags });
    return "setTrustLineFlagsSuccess";
  },
};

/** Offers have liabilities, and pools are counted: stellar-core would remove both. */
function isHeld(line: Trustline): boolean {
  const { buying, selling } = liabilitiesOf(line);
  return buying > 0n || selling > 0n || poolUses(line) > 0;
}
