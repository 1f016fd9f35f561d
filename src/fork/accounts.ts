// The accounts of a new fork. Their keys follow from the passphrase, so that everybody knows them:
// they have no value elsewhere.

import { crypto } from "../base/crypto.ts";
import { encodeStrkey } from "../base/text/strkey.ts";
import { networkId, sha256 } from "../xdr/reader/hash.ts";
import { accountKeyOf } from "../xdr/reader/keys.ts";
import { encode } from "../xdr/reader/value.ts";

export interface ForkAccount {
  /** The strkeys G… and S…. */
  readonly address: string;
  readonly secret: string;
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** 10,000 XLM in stroops. */
export const GIVEN_STROOPS = 100_000_000_000n;

/** Makes an account. `name` is `0` to `9`, or `friendbot`. */
export function forkAccount(networkPassphrase: string, name: string): ForkAccount {
  const seed = sha256(networkId(networkPassphrase), Buffer.from(`svc fork ${name}`));
  const { ed25519PublicKey, signEd25519 } = crypto();
  if (signEd25519 === null) throw new Error("this runtime signs nothing");
  const publicKey = ed25519PublicKey(seed);
  return {
    address: encodeStrkey("account", publicKey),
    secret: encodeStrkey("seed", seed),
    publicKey,
    sign: (message) => signEd25519(seed, message),
  };
}

/** The account in its first state. */
export function fundedEntry({ address, publicKey }: ForkAccount, stroops: bigint, ledger: number) {
  return { keyXdr: accountKeyOf(address), entryXdr: accountEntry(publicKey, stroops, ledger) };
}

/** The LedgerEntry of an account that has only this balance. */
export function accountEntry(publicKey: Uint8Array, stroops: bigint, ledger: number): string {
  return encode("LedgerEntry", {
    lastModifiedLedgerSeq: ledger,
    data: {
      type: 0,
      account: {
        accountId: { type: 0, ed25519: publicKey },
        balance: stroops,
        // stellar-core gives an account that a ledger creates this first sequence number.
        seqNum: BigInt(ledger) << 32n,
        numSubEntries: 0,
        inflationDest: null,
        flags: 0,
        homeDomain: new Uint8Array(),
        thresholds: new Uint8Array([1, 0, 0, 0]),
        signers: [],
        ext: { v: 0 },
      },
    },
    ext: { v: 0 },
  });
}
