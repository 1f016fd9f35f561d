// The words for each message of the contract host, and the remedy.

import { phrase, svc, type Wording } from "../../base/phrase.ts";
import { type KnownMessage, messageIn, REFUSALS } from "../../xdr/outcome/host-messages.ts";

type RefusalName = keyof typeof REFUSALS;

interface RefusalWords {
  /**
   * A clause without a full stop that ends with a noun phrase, because the host function and the
   * call follow it. `{position}` is the value or the named group with that name, and `{values}` are
   * all values.
   */
  readonly words: string;
  /** True if the message with its values follows the clause in brackets. */
  readonly quotesMessage?: true;
  readonly remedy: Wording | null;
}

const CHECK_STRUCT =
  "Use exactly the fields in the contract's specification for structs, tuples and enums. Another " +
  "build of the contract or of its caller may have different fields.";
const CHECK_CRYPTO =
  "Check the key, the message and the signature. Sign exactly the bytes that are verified.";
const REBUILD =
  "Build the code for the target wasm32v1-none with an SDK of this network's protocol.";

/** The remedy for code with a feature of WebAssembly that a validator does not accept. */
export const REBUILD_WITHOUT_FEATURES =
  "Build it for the target wasm32v1-none, as `stellar contract build` does; wasm32-unknown-unknown of Rust 1.82 " +
  "and later turns such features on.";

const WORDS: Readonly<Record<RefusalName, RefusalWords>> = {
  "nothing-recorded": {
    words:
      "the simulation could record no authorizations, because the run had ended with another error " +
      "before, which is the cause",
    remedy: phrase`Look for the other error: in the log below this one, or with ${svc("simulate")} and the envelope. No authorization is missing because of this message.`,
  },
  "re-entry": {
    words: "re-entry is not allowed: the contract called a contract that was already running",
    remedy: "Do not call a contract that is still running. A contract cannot call itself either.",
  },
  "outside-a-contract": {
    words:
      "a function of the host that belongs to a contract, such as its storage, was used outside of a running contract",
    remedy:
      "In a unit test, read and write a contract's storage within `env.as_contract(&contract_id, || …)`.",
  },
  "object-of-other-host": {
    words: "a value was used that another host made, such as one of another `Env`",
    remedy: "Use one `Env` in a test, also for its addresses, clients and tokens.",
  },
  "ledger-protocol-old": {
    words: "the ledger is of protocol {protocol}, which is older than the host takes",
    remedy:
      "In a unit test, give its ledger the protocol of soroban-sdk as `protocol_version`. Otherwise use an SDK of the network's protocol.",
  },
  "ledger-protocol-new": {
    words: "the ledger is of protocol {protocol}, which is newer than the host knows",
    remedy: "Use an SDK of the network's protocol.",
  },
  "required-twice": {
    words: "the contract required the authorization of one address twice in one call",
    remedy:
      "Call `require_auth` once for each address in a call: not in the function and in what it calls within the contract.",
  },
  "returned-host-error": {
    words: "the contract returned an error of a type that only the host may return",
    remedy: "Return errors of the contract's own error enum.",
  },
  "failed-with-host-error": {
    words: "the contract failed with {error}, an error that only the host may return",
    remedy: "Fail with errors of the contract's own error enum.",
  },
  "reserved-function": {
    words: "the contract called {function}, which only the host may call",
    remedy: "Call a function of the contract's interface.",
  },
  "asset-function-unknown": {
    words: "the asset contract has no function {function}",
    remedy: "Check the function's name.",
  },
  "not-a-contract": {
    words: "the called address belongs to an account, not to a contract",
    remedy: "Use the address (C…) of the contract to call.",
  },
  "only-in-check-auth": {
    words: "the contract called a host function that is only for `__check_auth`",
    remedy: "Call it only in `__check_auth`.",
  },
  "no-constructor": {
    words: "the contract to create has no constructor that takes arguments",
    remedy: "Create it without constructor arguments, or build it with a constructor.",
  },
  "constructor-returned": {
    words: "the constructor of the contract to create returned {value}, but must return nothing",
    remedy: "Make the constructor return nothing.",
  },
  "value-too-deep": {
    words: "a value is nested too deeply or is too large to be read or written",
    quotesMessage: true,
    remedy: "Make the value flatter or smaller.",
  },
  "index-out-of-bounds": {
    words: "position {position} is outside the vector or bytes",
    remedy: "Check the length first, and the arguments that determine the position.",
  },
  "slice-backwards": {
    words: "the start of a slice is after its end",
    remedy: "Check the start, the end and the length before the slice is taken.",
  },
  "vector-too-long": {
    words: "a vector is longer than the host allows",
    remedy: "Store less in one vector.",
  },
  "map-key-not-found": {
    words: "the map {map} has no key {key}",
    remedy: "Check the arguments or the stored map: the contract expects that key.",
  },
  "integer-overflow": {
    words: "an integer operation on {values} overflowed or divided by zero",
    remedy: "Check the amounts that were passed.",
  },
  "fields-differ": {
    words:
      "a map or vector does not have the fields of the struct or tuple that the contract expects",
    remedy: CHECK_STRUCT,
  },
  "bytes-length": {
    words: "bytes have the wrong length",
    quotesMessage: true,
    remedy: "Use exactly the length in the contract's specification.",
  },
  "map-not-sorted": {
    words: "a map's keys are not in ascending order",
    remedy: "Sort the keys of every map and struct.",
  },
  "symbol-invalid": {
    words: "a text is not a symbol, which has at most 32 letters, digits and underscores",
    quotesMessage: true,
    remedy: "Use a shorter text, or a string if any text must be possible.",
  },
  "case-unknown": {
    words: "a value is not a case of the enum that the contract expects",
    quotesMessage: true,
    remedy: CHECK_STRUCT,
  },
  "address-invalid": {
    words: "a text is not an address",
    quotesMessage: true,
    remedy: "Use the full address: a G…, C…, M… or W… strkey.",
  },
  "address-kind": {
    words: "an address is of a kind that is not allowed there, such as a muxed address",
    quotesMessage: true,
    remedy: "Use an account's (G…) or a contract's (C…) address.",
  },
  "extension-threshold": {
    words:
      "the contract extended a TTL with a threshold of {threshold} ledgers, above the target of {target}",
    remedy: "Use a threshold that is not above the target.",
  },
  "extension-maximum": {
    words: "the contract extended a TTL with a maximum extension below the minimum ({values})",
    remedy: "Use a maximum that is not below the minimum.",
  },
  "extension-temporary": {
    words:
      "the contract extended a temporary entry to a TTL of {wanted} ledgers; the network allows {allowed}",
    remedy: "Extend temporary entries to a lower TTL.",
  },
  "extension-instance": {
    words: "the contract extended instance storage with a function for other storage",
    remedy: "Extend the instance with the function for instance storage.",
  },
  "code-not-uploaded": {
    words: "the contract's code is not on the ledger",
    quotesMessage: true,
    remedy: "Upload the code first, and add it to the footprint.",
  },
  "executable-missing": {
    words: "contract {contract} has no executable with the tag {tag}",
    remedy:
      "Use a tag for which that contract stored the hash of a wasm, and add its entry to the footprint.",
  },
  "executable-reference": {
    words: "a reference to a contract's code is used in a way that is not allowed",
    quotesMessage: true,
    remedy: null,
  },
  "vm-argument-count": {
    words: "the function {function} was called with the wrong number of arguments",
    remedy: "Check the arguments against the contract's interface.",
  },
  "vm-call-failed": {
    words: "the VM could not call the function of the contract",
    quotesMessage: true,
    remedy: null,
  },
  "signature-not-verified": {
    words: "a signature is not valid for the public key and the message",
    remedy: CHECK_CRYPTO,
  },
  "ml-dsa-not-verified": {
    words: "a signature of {set} is not valid for the public key, the message and the context",
    remedy:
      "Check the key, the message, the context and the signature. Sign exactly the bytes that are verified.",
  },
  "ml-dsa-key-length": {
    words: "a public key of {set} has {length} bytes; the call passed {given}",
    remedy:
      "Pass the public key as FIPS 204 encodes it, and check that it is of the same parameter set.",
  },
  "ml-dsa-signature-length": {
    words: "a signature of {set} has {length} bytes; the call passed {given}",
    remedy:
      "Pass the signature as FIPS 204 encodes it, and check that it is of the same parameter set.",
  },
  "ml-dsa-signature-malformed": {
    words: "a signature of {set} is not encoded as FIPS 204 says",
    remedy: "Pass the signature as FIPS 204 encodes it.",
  },
  "ml-dsa-context-length": {
    words: "the context of a signature of {set} has at most {most} bytes; the call passed {given}",
    remedy: "Use a shorter context, or none.",
  },
  "key-malformed": {
    words: "a public key or signature is malformed",
    quotesMessage: true,
    remedy: CHECK_CRYPTO,
  },
  "crypto-input": {
    words: "a cryptographic function was called with an invalid input",
    quotesMessage: true,
    remedy: "Check the encoding, length and order of the points and scalars.",
  },
  "function-too-new": {
    words:
      "the code needs a host function of a later protocol than it declares or the network runs",
    remedy: REBUILD,
  },
  "function-withdrawn": {
    words: "the code needs a host function that this protocol no longer has",
    remedy: REBUILD,
  },
  "code-protocol": {
    words: "the code was built for another protocol, or does not declare its protocol",
    quotesMessage: true,
    remedy: REBUILD,
  },
  "code-feature": {
    words: "the code uses a feature of WebAssembly that the host does not accept: {feature}",
    remedy: REBUILD_WITHOUT_FEATURES,
  },
  "code-invalid": {
    words: "the code is not wasm that the host accepts",
    quotesMessage: true,
    remedy: REBUILD,
  },
  "code-too-large": {
    words: "the code is larger than the host accepts",
    quotesMessage: true,
    remedy: "Make the code smaller.",
  },
  "memory-out-of-bounds": {
    words: "the contract passed a host function memory outside its own",
    remedy: "Correct the contract: a pointer or a length that it passes is wrong.",
  },
  "asset-code": {
    words: "the asset of the contract to create is not valid",
    quotesMessage: true,
    remedy: "Use an asset code of 1 to 12 letters and digits.",
  },
  "preimage-not-allowed": {
    words: "a contract of that kind cannot be created in this way",
    quotesMessage: true,
    remedy:
      "Create a wasm contract from an address and a salt, and an asset's contract from the asset.",
  },
  delegate: {
    words: "a delegated signature is missing, duplicated or out of order",
    quotesMessage: true,
    remedy: "Have every delegate sign once, in the order of their addresses.",
  },
  "expiration-too-late": {
    words:
      "an authorization of {address} is valid until ledger {asked}, which is later than the maximum, {latest}",
    remedy: "Sign the authorization entry again with an earlier expiration ledger.",
  },
};

export function refusalInWords(id: RefusalName): RefusalWords {
  return WORDS[id];
}

/** Null if the message is unknown. */
export function namedRefusal(message: string): (RefusalWords & KnownMessage<RefusalName>) | null {
  const known = messageIn(REFUSALS, message);
  return known && { ...known, ...WORDS[known.id] };
}
