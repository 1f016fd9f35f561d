// The accounts of calls on a fork: each can sign and pay, with a key of the fork. An account of the
// network gets the fork's first key as a signer, which no contract can see.

import { usageError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { addressHint, decodeAccountKey } from "../base/text/strkey.ts";
import type { CallPreparation } from "../model/investigation.ts";
import { signAuthorization } from "../xdr/envelope/sign-authorization.ts";
import { readAccount } from "../xdr/ledger/account.ts";
import { modifiedIn } from "../xdr/ledger/patch-entry.ts";
import { accountKeyOf, ENTRY_TYPE } from "../xdr/reader/keys.ts";
import { decode, encode, type Value } from "../xdr/reader/value.ts";
import {
  accountEntry,
  type ForkAccount,
  forkAccount,
  fundedEntry,
  GIVEN_STROOPS,
} from "./accounts.ts";
import type { Fork } from "./fork.ts";
import type { ReadContext } from "./ledger/chain.ts";

/** An account that calls, whose signature the fork can make. */
export interface CallAccount {
  readonly address: string;
  readonly publicKey: Uint8Array;
  /** The key with which the fork signs for it. */
  readonly key: ForkAccount;
}

const ACCOUNTS = 10;
/**
 * The number of ledgers for which the signatures of the fork are valid. The call is in the next
 * ledger.
 */
const SIGNED_LEDGERS = 100;

/** A signer with it can sign for everything, whatever the thresholds of the account are. */
const FULL_WEIGHT = 255;

export class CallAccounts {
  readonly preparations: CallPreparation[] = [];
  /** The accounts that have the signer of the fork. */
  private readonly signing = new Set<string>();
  /** The accounts of the fork that the state is known not to have. */
  private readonly absent = new Set<string>();

  constructor(
    private readonly fork: Fork,
    private readonly context: ReadContext,
  ) {}

  /**
   * Writes the fork's accounts as if they had always been there. No ledger closes for them. Those
   * of `mayExist` that the state has keep what they have, and sign with their own keys.
   */
  async fund(mayExist: ReadonlySet<string>): Promise<void> {
    const { chain } = this.fork;
    const { sequence } = chain.latest;
    const accounts = this.numberedAccounts();
    const possible = accounts.filter(({ address }) => mayExist.has(address));
    const keys = possible.map(({ address }) => accountKeyOf(address));
    const state = keys.length === 0 ? null : await chain.read(keys, this.context);
    for (const account of accounts) {
      this.signing.add(account.address);
      const known = state?.get(accountKeyOf(account.address)) ?? null;
      if (known === null) chain.put(fundedEntry(account, GIVEN_STROOPS, sequence));
      else chain.put({ entryXdr: modifiedIn(signedAlone(known.entryXdr), sequence) });
      if (known === null && mayExist.has(account.address)) this.absent.add(account.address);
    }
  }

  numberedAccounts(): readonly ForkAccount[] {
    return Array.from({ length: ACCOUNTS }, (_, number) => this.numbered(number));
  }

  /** The account of the fork with this number. */
  numbered(number: number): ForkAccount {
    return forkAccount(this.fork.chain.networkPassphrase, String(number));
  }

  /** The account that the user named as the caller. Throws USAGE for another address. */
  async namedCaller(address: string): Promise<CallAccount> {
    const caller = await this.callerOf(address);
    if (this.absent.delete(address)) this.noteCreated(address);
    return caller;
  }

  /** The account as a caller, for which the fork can sign. Throws USAGE for another address. */
  async callerOf(address: string): Promise<CallAccount> {
    const publicKey = decodeAccountKey(address);
    if (publicKey === null)
      throw usageError(
        `${neutralise(address)} is not an account (G…)${addressHint(address)}.`,
        "Name the account that calls.",
      );
    await this.letSign(address, publicKey);
    return { address, publicKey, key: this.keyOf(address) };
  }

  /**
   * Lets the fork sign for an account: its first key becomes a signer, which contracts cannot see.
   * An account that does not exist is created.
   */
  private async letSign(address: string, publicKey: Uint8Array): Promise<void> {
    if (this.signing.has(address)) return;
    this.signing.add(address);
    const { chain } = this.fork;
    const keyXdr = accountKeyOf(address);
    const forkEntry = (await chain.read([keyXdr], this.context)).get(keyXdr) ?? null;
    if (forkEntry === null) this.noteCreated(address);
    const { sequence } = chain.latest;
    const entryXdr = forkEntry?.entryXdr ?? accountEntry(publicKey, GIVEN_STROOPS, sequence);
    const signer = this.numbered(0).publicKey;
    const changed = withAccount(entryXdr, (account) => ({
      ...account,
      signers: [{ key: { type: 0, ed25519: signer }, weight: FULL_WEIGHT }],
    }));
    chain.put({ entryXdr: modifiedIn(changed, sequence) });
  }

  private noteCreated(address: string): void {
    const balanceStroops = String(GIVEN_STROOPS);
    this.preparations.push({ kind: "account-created", address, balanceStroops });
  }

  /** Raises the balance of an account that could not pay the fee. */
  async letPay(address: string, stroops: bigint): Promise<void> {
    const { chain } = this.fork;
    const keyXdr = accountKeyOf(address);
    const accountEntry = (await chain.read([keyXdr], this.context)).get(keyXdr) ?? null;
    const account = accountEntry === null ? null : readAccount(accountEntry.entryXdr);
    if (accountEntry === null || account === null) return;
    const { balanceStroops, reserves, sellingLiabilitiesStroops } = account;
    const kept = reserves * BigInt(chain.latest.baseReserveStroops) + sellingLiabilitiesStroops;
    if (balanceStroops - kept >= stroops) return;
    const balance = kept + stroops;
    const changed = withAccount(accountEntry.entryXdr, (each) => ({ ...each, balance }));
    chain.put({ entryXdr: modifiedIn(changed, chain.latest.sequence) });
    this.preparations.push({
      kind: "balance-raised",
      address,
      balanceStroops: String(balance),
    });
  }

  /** The entries. The fork signs those of accounts. */
  async signed(addresses: readonly string[], entriesXdr: readonly string[]): Promise<string[]> {
    const { networkPassphrase, latest } = this.fork.chain;
    const validUntilLedger = latest.sequence + SIGNED_LEDGERS;
    let signed = [...entriesXdr];
    for (const address of addresses) {
      const publicKey = decodeAccountKey(address);
      if (publicKey === null) continue;
      await this.letSign(address, publicKey);
      const key = this.keyOf(address);
      const terms = { networkPassphrase, address, validUntilLedger };
      signed = signed.map((entryXdr) => signAuthorization(entryXdr, terms, key) ?? entryXdr);
    }
    return signed;
  }

  /** The key with which the fork signs for an account: its own if it is the fork's. */
  private keyOf(address: string): ForkAccount {
    const own = this.numberedAccounts().find((account) => account.address === address);
    return own ?? this.numbered(0);
  }
}

/** The account, for which its own key alone signs. */
function signedAlone(entryXdr: string): string {
  return withAccount(entryXdr, (account) => {
    const thresholds = Uint8Array.from(account.thresholds);
    thresholds[0] = FULL_WEIGHT;
    return { ...account, thresholds, signers: [] };
  });
}

type AccountEntry = Extract<Value<"LedgerEntry">["data"], { type: 0 }>["account"];

function withAccount(entryXdr: string, change: (account: AccountEntry) => AccountEntry): string {
  const entry = decode("LedgerEntry", entryXdr);
  if (entry.data.type !== ENTRY_TYPE.account) return entryXdr;
  return encode("LedgerEntry", {
    ...entry,
    data: { type: 0, account: change(entry.data.account) },
  });
}
