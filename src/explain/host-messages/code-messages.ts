// What the host says about code, cryptography, deployment and delegated authorization.

import { type HostMessage, row } from "./host-message.ts";

const CHECK_CRYPTO = "Check key, message and signature; sign exactly the bytes that are verified.";
const CHECK_POINT = "Check how the points and scalars are encoded, their length and order.";
const REBUILD = "Build it for the target wasm32v1-none with an SDK of this network's protocol.";

export const CODE_MESSAGES: readonly HostMessage[] = [
  // Cryptography.
  row(
    /^(failed (ED25519|secp256[a-z0-9]*) verification|ECDSA-secp256k1 signature recovery failed)$/i,
    "signature-invalid",
    "a signature did not verify: it does not fit the public key and the message",
    CHECK_CRYPTO,
  ),
  row(
    /^(invalid (ed25519 public key|length of ed25519 public key|ECDSA)|ECDSA signature )/,
    "signature-input",
    "a public key or signature is malformed ({said})",
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
    "a cryptographic function was given what it cannot take ({said})",
    CHECK_POINT,
  ),
  // Contract code.
  row(
    /^contract calls a host function not yet supported by current protocol$/,
    "protocol-too-old",
    "its code needs a host function of a later protocol than it declares or the network runs",
    REBUILD,
  ),
  row(
    /^contract calls a host function no longer supported/,
    "protocol-too-new",
    "its code needs a host function that this protocol no longer has",
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
    "the code was built for another protocol, or does not say for which ({said})",
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
    "the code is not wasm that the host accepts ({said})",
    REBUILD,
  ),
  row(
    /^(Wasm code is too large|contract code size)/,
    "wasm-invalid",
    "the code is larger than the host accepts ({said})",
    "Make the code smaller.",
  ),
  row(
    /^out-of-bounds access to WASM linear memory/,
    "memory-out-of-bounds",
    "it gave a host function memory that lies outside its own",
    null,
  ),
  // Assets and deployment.
  row(
    /^asset code/,
    "asset-invalid",
    "the asset to make a contract of is not valid ({said})",
    "Give an asset code of 1 to 12 letters and digits.",
  ),
  row(
    /^(address|asset) preimage is not allowed/,
    "deployment-invalid",
    "a contract of that kind cannot be created in this way ({said})",
    null,
  ),
  // Authorization that account contracts hand on (CAP-71).
  row(
    /^(delegated signer|delegate_account_auth|no delegated signers)/,
    "authorization-delegate",
    "a delegated signature is missing, given twice or out of order ({said})",
    "Let every delegate sign, once each, in the order of their addresses.",
  ),
  row(
    /^signature expiration is too late$/,
    "authorization-expiration",
    "an authorization of {0} is good until ledger {2}, later than the last possible one, {1}",
    "Sign it again with an earlier expiration ledger.",
  ),
];
