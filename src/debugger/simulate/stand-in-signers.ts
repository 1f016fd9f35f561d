// Authorizes the calls of a simulation in the name of several accounts, and of accounts that are
// contracts. A simulation records authorizations and checks none. A run that checks them needs
// signatures that nobody has made. So the run has a state of its own: each account has one more
// key, with which svc signs, and a contract that only has to approve has code that always approves.
// Contracts cannot see the keys, and see only the hash of that code (CAP-68). A run that ends in
// another way than the simulation shows nothing. Nothing of such a run is sent.

import { utf8Bytes } from "../../base/bytes.ts";
import { crypto } from "../../base/crypto.ts";
import { isAccountAddress } from "../../base/text/strkey.ts";
import type { CallNode } from "../../model/execution.ts";
import type { Provenance } from "../../model/provenance.ts";
import type { Snapshot, SnapshotEntry } from "../../model/snapshot.ts";
import { CHECK_AUTH } from "../../xdr/contract/reserved-functions.ts";
import { CREDENTIALS } from "../../xdr/envelope/authorizations.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { withAuthorizations, withFootprint } from "../../xdr/envelope/patch-envelope.ts";
import { signAuthorization } from "../../xdr/envelope/sign-authorization.ts";
import { scAddressOf } from "../../xdr/reader/from-json.ts";
import { sha256 } from "../../xdr/reader/hash.ts";
import { accountKeyOf, ENTRY_TYPE } from "../../xdr/reader/keys.ts";
import { SCV } from "../../xdr/reader/scval-type.ts";
import { decode, encode, type Value } from "../../xdr/reader/value.ts";
import { instanceKeyOfContract } from "../../xdr/values/value-parts.ts";

export type AllowedCall = Value<"SorobanAuthorizedInvocation">;

/** An address, and the calls that it has to authorize, each with those below it. */
export interface Signed {
  readonly signer: string;
  readonly roots: readonly AllowedCall[];
}

/** The LedgerKey of the account, or of the contract's instance. */
export function signerKeyOf(signer: string): string {
  return isAccountAddress(signer) ? accountKeyOf(signer) : (instanceKeyOfContract(signer) ?? "");
}

interface StoodIn {
  readonly envelope: Envelope;
  readonly snapshot: Snapshot;
}

/** The number of ledgers for which a signature is valid. */
const VALID_LEDGERS = 100;
const FIRST_NONCE = 7_000_000_000n;

/**
 * Returns the envelope with all authorizations, and the state that it runs on. Null if an account
 * does not exist, if a contract's own code runs, too, or if the runtime cannot sign. `tree` has the
 * calls of an earlier run.
 */
export function standIn(
  { envelope, snapshot }: StoodIn,
  all: readonly Signed[],
  tree: CallNode,
  ledger: number,
): StoodIn | null {
  const seed = sha256(utf8Bytes("svc stand-in"));
  const { ed25519PublicKey, signEd25519 } = crypto();
  if (signEd25519 === null) return null;
  const key = {
    publicKey: ed25519PublicKey(seed),
    sign: (message: Uint8Array) => signEd25519(seed, message),
  };
  const entries = new Map(snapshot.entries.map((entry) => [entry.keyXdr, entry]));
  const authorizationsXdr: string[] = [];
  const nonceKeys: string[] = [];
  const until = ledger + VALID_LEDGERS;
  for (const { signer, roots } of all) {
    const address = scAddressOf(signer);
    const isAccount = isAccountAddress(signer);
    const known = entries.get(signerKeyOf(signer));
    const stood = isAccount ? accountWithKey(known, key.publicKey) : approving(known, signer, tree);
    if (address === null || stood === null) return null;
    for (const entry of stood) entries.set(entry.keyXdr, entry);
    for (const rootInvocation of roots) {
      const nonce = FIRST_NONCE + BigInt(authorizationsXdr.length);
      const keyXdr = encode("LedgerKey", {
        type: ENTRY_TYPE.contractData,
        contractData: {
          contract: address,
          key: { type: SCV.nonceKey, nonceKey: { nonce } },
          durability: TEMPORARY,
        },
      });
      nonceKeys.push(keyXdr);
      entries.set(keyXdr, { ...ABSENT, keyXdr });
      const unsigned = encode("SorobanAuthorizationEntry", {
        credentials: {
          type: CREDENTIALS.address,
          address: {
            address,
            nonce,
            signatureExpirationLedger: until,
            signature: { type: SCV.void },
          },
        },
        rootInvocation,
      });
      const { networkPassphrase } = envelope;
      const terms = { networkPassphrase, address: signer, validUntilLedger: until };
      const signed = isAccount ? signAuthorization(unsigned, terms, key) : unsigned;
      if (signed === null) return null;
      authorizationsXdr.push(signed);
    }
  }
  const { readOnly = [], readWrite = [] } = envelope.soroban?.footprint ?? {};
  const footprint = {
    readOnly,
    readWrite: [...new Set([...readWrite, ...nonceKeys, ...entries.keys()])].filter(
      (each) => !readOnly.includes(each),
    ),
  };
  return {
    envelope: withAuthorizations(withFootprint(envelope, footprint), authorizationsXdr),
    snapshot: { ...snapshot, entries: [...entries.values()] },
  };
}

const TEMPORARY = 0;
const MADE: Provenance = { kind: "assumed", detail: "svc stands in for the signer" };
const ABSENT = {
  entryXdr: null,
  liveUntilLedger: null,
  archived: false,
  codeCached: null,
  provenance: MADE,
  ttlProvenance: null,
};
/** A signer with it reaches every threshold. */
const WEIGHT = 255;
const ED25519_SIGNER = 0;

function accountWithKey(
  entry: SnapshotEntry | undefined,
  ed25519: Uint8Array,
): SnapshotEntry[] | null {
  const known = entry?.entryXdr ? decode("LedgerEntry", entry.entryXdr) : null;
  if (entry === undefined || known?.data.type !== ENTRY_TYPE.account) return null;
  const { account } = known.data;
  const signer = { key: { type: ED25519_SIGNER, ed25519 }, weight: WEIGHT } as const;
  const data = { ...known.data, account: { ...account, signers: [...account.signers, signer] } };
  return [{ ...entry, entryXdr: encode("LedgerEntry", { ...known, data }) }];
}

/** The contract with code that approves of everything; null if its own code runs besides. */
function approving(
  entry: SnapshotEntry | undefined,
  contract: string,
  tree: CallNode,
): SnapshotEntry[] | null {
  const known = entry?.entryXdr ? decode("LedgerEntry", entry.entryXdr) : null;
  if (entry === undefined || known?.data.type !== ENTRY_TYPE.contractData) return null;
  const { contractData } = known.data;
  if (contractData.val.type !== SCV.instance || runsCodeOf(contract, tree)) return null;
  const hash = sha256(APPROVING);
  const executable = { type: WASM_EXECUTABLE, wasmHash: hash } as const;
  const instance = { ...contractData.val.instance, executable };
  const val = { ...contractData.val, instance };
  const data = { ...known.data, contractData: { ...contractData, val } };
  const contractCode = { ext: { v: 0 }, hash, code: APPROVING } as const;
  const code = { type: ENTRY_TYPE.contractCode, contractCode } as const;
  return [
    { ...entry, entryXdr: encode("LedgerEntry", { ...known, data }) },
    {
      ...entry,
      keyXdr: encode("LedgerKey", { type: ENTRY_TYPE.contractCode, contractCode: { hash } }),
      entryXdr: encode("LedgerEntry", { ...known, data: code }),
    },
  ];
}

const WASM_EXECUTABLE = 0;

function runsCodeOf(contract: string, { calls, ...node }: CallNode): boolean {
  const isOwn = node.contract === contract && node.function !== CHECK_AUTH;
  return isOwn || calls.some((call) => runsCodeOf(contract, call));
}

/** `(module (func (export "__check_auth") (param i64 i64 i64) (result i64) (i64.const 2)))` of protocol 20. */
const APPROVING = Uint8Array.fromHex(
  [
    "0061736d01000000",
    "01080160037e7e7e017e",
    "03020100",
    `0710010c${utf8Bytes(CHECK_AUTH).toHex()}0000`,
    "0a0601040042020b",
    `001e11${utf8Bytes("contractenvmetav0").toHex()}000000000000001400000000`,
  ].join(""),
);
