// Messages of the host about code, cryptography, deployment and delegated authorization.

import type { CauseKind } from "../../model/cause-kinds.ts";
import type { HostErrorWords } from "./host-errors.ts";

const CHECK_CRYPTO =
  "Check the key, the message and the signature. Sign exactly the bytes that are verified.";
const CHECK_POINT = "Check the encoding, length and order of the points and scalars.";
const REBUILD =
  "Build the code for the target wasm32v1-none with an SDK of this network's protocol.";

export const CODE_MESSAGES: readonly HostMessage[] = [
  // Cryptography.
  row(
    /^(failed (ED25519|secp256[a-z0-9]*) verification|ECDSA-secp256k1 signature recovery failed)$/i,
    "signature-invalid",
    "a signature is not valid for the public key and the message",
    CHECK_CRYPTO,
  ),
  // ML-DSA (CAP-87): the first value names the parameter set.
  row(
    /^failed verification$/,
    "signature-invalid",
    "a signature of {0} is not valid for the public key, the message and the context",
    "Check the key, the message, the context and the signature. Sign exactly the bytes that are verified.",
  ),
  row(
    /^invalid verifying key length$/,
    "signature-input",
    "a public key of {0} has {1} bytes, and {2} were given",
    "Pass the public key as FIPS 204 encodes it, and check that it is of the same parameter set.",
  ),
  row(
    /^invalid signature length$/,
    "signature-input",
    "a signature of {0} has {1} bytes, and {2} were given",
    "Pass the signature as FIPS 204 encodes it, and check that it is of the same parameter set.",
  ),
  row(
    /^malformed signature$/,
    "signature-input",
    "a signature of {0} is not encoded as FIPS 204 says",
    "Pass the signature as FIPS 204 encodes it.",
  ),
  row(
    /^context is too long$/,
    "signature-input",
    "the context of a signature of {0} has at most {1} bytes, and {2} were given",
    "Use a shorter context, or none.",
  ),
  row(
    /^(invalid (ed25519 public key|length of ed25519 public key|ECDSA)|ECDSA signature )/,
    "signature-input",
    "a public key or signature is malformed ({message})",
    CHECK_CRYPTO,
  ),
  row(
    [
      "bls12-381",
      "bn254",
      "field element",
      "scalar inversion",
      "final_exponentiation",
      "hash_to_curve",
      "multi-pairing",
      "pairing",
      "G1 msm",
      "G2 msm",
      "poseidon",
      "length mismatch between input array",
      "element must be U256Val",
    ],
    "crypto-input",
    "a cryptographic function was called with an invalid input ({message})",
    CHECK_POINT,
  ),
  // Contract code.
  row(
    /^contract calls a host function not yet supported by current protocol$/,
    "protocol-too-old",
    "the code needs a host function of a later protocol than it declares or the network runs",
    REBUILD,
  ),
  row(
    /^contract calls a host function no longer supported/,
    "protocol-too-new",
    "the code needs a host function that this protocol no longer has",
    REBUILD,
  ),
  row(
    [
      "contract protocol number is newer than host",
      "contract pre-release number",
      "contract missing environment interface version",
      "contract missing metadata section",
    ],
    "wasm-protocol",
    "the code was built for another protocol, or does not declare its protocol ({message})",
    REBUILD,
  ),
  row(
    [
      "Linker(",
      "Module(",
      "wasmi::Module",
      "unsupported complex Wasm",
      "unsupported non-core wasm",
      "Too many arguments",
      "Too many return values",
      "no linear memory",
      "trying to invoke Wasm export",
    ],
    "wasm-invalid",
    "the code is not wasm that the host accepts ({message})",
    REBUILD,
  ),
  row(
    /^(Wasm code is too large|contract code size)/,
    "wasm-invalid",
    "the code is larger than the host accepts ({message})",
    "Make the code smaller.",
  ),
  row(
    /^out-of-bounds access to WASM linear memory/,
    "memory-out-of-bounds",
    "the contract passed a host function memory outside its own",
    "Correct the contract: a pointer or a length that it passes is wrong.",
  ),
  // Assets and deployment.
  row(
    /^asset code/,
    "asset-invalid",
    "the asset of the contract to create is not valid ({message})",
    "Use an asset code of 1 to 12 letters and digits.",
  ),
  row(
    /^(address|asset) preimage is not allowed/,
    "deployment-invalid",
    "a contract of that kind cannot be created in this way ({message})",
    "Create a wasm contract from an address and a salt, and an asset's contract from the asset.",
  ),
  // Authorization that account contracts delegate (CAP-71).
  row(
    /^(delegated signer|delegate_account_auth|no delegated signers)/,
    "authorization-delegate",
    "a delegated signature is missing, duplicated or out of order ({message})",
    "Have every delegate sign once, in the order of their addresses.",
  ),
  row(
    /^signature expiration is too late$/,
    "authorization-expiration",
    "an authorization of {0} is valid until ledger {2}, which is later than the maximum, {1}",
    "Sign the authorization entry again with an earlier expiration ledger.",
  ),
];

/**
 * A message of the contract host when it refuses something. Messages are constants of
 * rs-soroban-env (soroban-env-host/src); the values that they are about follow them.
 */
export interface HostMessage extends HostErrorWords {
  /** A pattern, or prefixes of messages. */
  readonly message: RegExp | readonly string[];
  /**
   * A clause without a full stop that ends with a noun phrase, because the host function and the
   * call follow it. `{0}`, `{1}`, … are the values, `{message}` is the message with its values.
   */
  readonly words: string;
}

export function row(
  message: HostMessage["message"],
  kind: CauseKind,
  words: string,
  remedy: string | null,
): HostMessage {
  return { message, kind, words, remedy };
}
