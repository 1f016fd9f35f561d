// Events of classic operations (CAP-67; stellar-core, EventManager.cpp): those that the asset's
// contract would have emitted. Nodes emit them from protocol 23 on if they are configured to, as
// nodes of Stellar RPC are.

import { accountOf } from "../../xdr/envelope/envelope-terms.ts";
import { encodeBytes, type Value } from "../../xdr/reader/value.ts";
import { assetContractId } from "../../xdr/values/asset-contract.ts";
import { assetText } from "../../xdr/values/value-text.ts";
import { type Asset, accountIdOf, issuerOf } from "./accounts.ts";

type ScVal = Value<"ScVal">;
type Party = Value<"MuxedAccount">;

const CONTRACT = 1;
const EVENTS_SINCE = 23;

export class AssetEvents {
  /** ContractEvents. */
  readonly emitted: Uint8Array[] = [];

  constructor(
    private readonly ledger: {
      readonly networkPassphrase: string;
      readonly protocolVersion: number;
    },
    private readonly memo: Value<"Memo">,
  ) {}

  /** Notes a payment. From or to the asset's issuer, it is a mint or a burn. */
  moved(asset: Asset, from: Party, to: Party, amount: bigint): void {
    const issuer = issuerOf(asset);
    const [isFromIssuer, isToIssuer] = [accountOf(from) === issuer, accountOf(to) === issuer];
    if (isFromIssuer === isToIssuer) this.transferred(asset, from, to, amount);
    else if (isFromIssuer) this.emit(asset, "mint", [to], this.amountTo(to, amount));
    else this.emit(asset, "burn", [from], i128(amount));
  }

  transferred(asset: Asset, from: Party, to: Party, amount: bigint): void {
    this.emit(asset, "transfer", [from, to], this.amountTo(to, amount));
  }

  clawedBack(asset: Asset, from: Party, amount: bigint): void {
    this.emit(asset, "clawback", [from], i128(amount));
  }

  authorized(asset: Asset, trustor: Party, isAuthorized: boolean): void {
    this.emit(asset, "set_authorized", [trustor], { type: 0, b: isAuthorized });
  }

  /** The amount, with the recipient's multiplexed id or the memo if the account is shared. */
  private amountTo(to: Party, amount: bigint): ScVal {
    const id: ScVal | null =
      to.type === 256 ? { type: 5, u64: to.med25519.id } : memoValue(this.memo);
    if (id === null) return i128(amount);
    const map = [
      { key: symbol("amount"), val: i128(amount) },
      { key: symbol("to_muxed_id"), val: id },
    ];
    return { type: 17, map };
  }

  private emit(asset: Asset, name: string, parties: readonly Party[], data: ScVal): void {
    if (this.ledger.protocolVersion < EVENTS_SINCE) return;
    const contractId = assetContractId(encodeBytes("Asset", asset), this.ledger.networkPassphrase);
    const text = asset.type === 0 ? "native" : assetText(asset);
    const topics = [symbol(name), ...parties.map(address), { type: 14, str: Buffer.from(text) }];
    const event = {
      ext: { v: 0 },
      contractId,
      type: CONTRACT,
      body: { v: 0, v0: { topics, data } },
    } as Value<"ContractEvent">;
    this.emitted.push(encodeBytes("ContractEvent", event));
  }
}

/** The party of an account without a multiplexed id. */
export function partyOf(account: string): Party {
  return { type: 0, ed25519: accountIdOf(account).ed25519 };
}

function address(party: Party): ScVal {
  return { type: 18, address: { type: 0, accountId: accountIdOf(accountOf(party)) } };
}

function symbol(text: string): ScVal {
  return { type: 15, sym: Buffer.from(text) };
}

function i128(value: bigint): ScVal {
  return { type: 10, i128: { hi: value >> 64n, lo: BigInt.asUintN(64, value) } };
}

function memoValue(memo: Value<"Memo">): ScVal | null {
  switch (memo.type) {
    case 0:
      return null;
    case 1:
      return { type: 14, str: memo.text };
    case 2:
      return { type: 5, u64: memo.id };
    case 3:
      return { type: 13, bytes: memo.hash };
    case 4:
      return { type: 13, bytes: memo.retHash };
  }
}
