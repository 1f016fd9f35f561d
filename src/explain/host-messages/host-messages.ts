// Messages of the host about calls, values and storage, and the lookup of all known messages.

import { CODE_MESSAGES, type HostMessage, row } from "./code-messages.ts";

const CHECK_STRUCT =
  "Use exactly the fields in the contract's specification for structs, tuples and enums. Another " +
  "build of the contract or of its caller may have different fields.";

const HOST_MESSAGES: readonly HostMessage[] = [
  // Calls and frames.
  row(
    /^Contract re-entry is not allowed$/,
    "contract-re-entry",
    "re-entry is not allowed: the contract called a contract that was already running",
    "Do not call a contract that is still running. A contract cannot call itself either.",
  ),
  row(
    /^frame-exit with Ok\(Error\) carrying a non-ScErrorType::Contract Error$/,
    "contract-action",
    "the contract returned an error of a type that only the host may return",
    "Return errors of the contract's own error enum.",
  ),
  row(
    /^contract attempted to fail with non-ContractError/,
    "contract-action",
    "the contract failed with {0}, an error that only the host may return",
    "Fail with errors of the contract's own error enum.",
  ),
  row(
    /^can't invoke a reserved function directly$/,
    "reserved-function",
    "the contract called {0}, which only the host may call",
    "Call a function of the contract's interface.",
  ),
  row(
    /^calling unknown contract function$/,
    "function-missing",
    "the asset contract has no function {0}",
    "Check the function's name.",
  ),
  row(
    /^(not a contract address|invoked address doesn't belong to a contract)$/,
    "not-a-contract",
    "the called address belongs to an account, not to a contract",
    "Use the address (C…) of the contract to call.",
  ),
  row(
    /can only be called from within `__check_auth`/,
    "contract-action",
    "the contract called a host function that is only for `__check_auth`",
    "Call it only in `__check_auth`.",
  ),
  row(
    /^trying to call non-default constructor/,
    "constructor-missing",
    "the contract to create has no constructor that takes arguments",
    "Create it without constructor arguments, or build it with a constructor.",
  ),
  row(
    /^constructor returned non-void value$/,
    "constructor-result",
    "the constructor of the contract to create returned {0}, but must return nothing",
    "Make the constructor return nothing.",
  ),
  row(
    /^(failed to convert host value to ScVal|LengthLimitExceeded|DepthLimitExceeded|DepthLimit.*)$/,
    "value-too-deep",
    "a value is nested too deeply or is too large to be read or written ({message})",
    "Make the value flatter or smaller.",
  ),
  // Vectors, maps, bytes and numbers.
  row(
    /^(object index out of bounds|bytes_\w+ out of bounds)$/,
    "index-out-of-bounds",
    "position {0} is outside the vector or bytes",
    "Check the length first, and the arguments that determine the position.",
  ),
  row(
    /^map key not found in map_(get|del)$/,
    "map-key-missing",
    "the map {0} has no key {1}",
    "Check the arguments or the stored map: the contract expects that key.",
  ),
  row(
    /^(overflow has occurred|arithmetic overflow)$/,
    "arithmetic-overflow",
    "an integer operation on {values} overflowed or divided by zero",
    "Check the amounts that were passed.",
  ),
  row(
    /^(differing .* lengths?|key not found in map|keys are not in ascending order)/,
    "value-shape",
    "a map or vector does not have the fields of the struct or tuple that the contract expects",
    CHECK_STRUCT,
  ),
  row(
    [
      "expected fixed-length bytes slice",
      "expected 32-byte BytesObject",
      "Bytes had unexpected size",
      "String had unexpected size",
      "Unexpected size of BytesObject",
    ],
    "bytes-length",
    "bytes have the wrong length ({message})",
    "Use exactly the length in the contract's specification.",
  ),
  row(
    /^ScMap was not sorted by key/,
    "value-invalid",
    "a map's keys are not in ascending order",
    "Sort the keys of every map and struct.",
  ),
  row(
    /^(byte is not allowed in Symbol|slice is too long to be represented as Symbol)/,
    "symbol-invalid",
    "a text is not a symbol, which has at most 32 letters, digits and underscores ({message})",
    "Use a shorter text, or a string if any text must be possible.",
  ),
  row(
    /^symbol not found in/,
    "enum-case-unknown",
    "a value is not a case of the enum that the contract expects ({message})",
    CHECK_STRUCT,
  ),
  row(
    /^(couldn't process the string as strkey|incorrect strkey type|strkey is not an? .+|unexpected strkey length|Unexpected ScAddress type for strkey encoding)$/,
    "address-invalid",
    "a text is not an address ({message})",
    "Use the full address: a G…, C…, M… or W… strkey.",
  ),
  row(
    [
      "encountered unsupported ScAddress type",
      "encountered ScAddress variant not supported",
      "muxed addresses should not be used",
    ],
    "address-kind",
    "an address is of a kind that is not allowed there, such as a muxed address ({message})",
    "Use an account's (G…) or a contract's (C…) address.",
  ),
  // TTL and storage.
  row(
    /^threshold must be <= extend_to$/,
    "ttl-extension",
    "the contract extended a TTL with a threshold of {0} ledgers, above the target of {1}",
    "Use a threshold that is not above the target.",
  ),
  row(
    /^max_extension must be >= min_extension$/,
    "ttl-extension",
    "the contract extended a TTL with a maximum extension below the minimum ({values})",
    "Use a maximum that is not below the minimum.",
  ),
  row(
    /^trying to extend temporary entry past max TTL/,
    "ttl-extension",
    "the contract extended a temporary entry to a TTL of {0} ledgers; the network allows {1}",
    "Extend temporary entries to a lower TTL.",
  ),
  row(
    /^instance storage should be extended via/,
    "ttl-extension",
    "the contract extended instance storage with a function for other storage",
    "Extend the instance with the function for instance storage.",
  ),
  row(
    /^Wasm does not exist$/,
    "code-missing",
    "the contract's code is not on the ledger ({message})",
    "Upload the code first, and add it to the footprint.",
  ),
  row(
    /^executable reference entry does not exist$/,
    "code-missing",
    "contract {0} has no executable with the tag {1}",
    "Use a tag for which that contract stored the hash of a wasm, and add its entry to the footprint.",
  ),
  row(
    /^executable reference /,
    "executable-reference",
    "a reference to a contract's code is used in a way that is not allowed ({message})",
    null,
  ),
  // Hosts of protocol 20 end these calls with an internal error of the VM.
  row(
    /^VM call failed: Func\(MismatchingParameterLen\)$/,
    "argument-count",
    "the function {0} was called with the wrong number of arguments",
    "Check the arguments against the contract's interface.",
  ),
  row(
    /^VM call failed: /,
    "wasm-error",
    "the VM could not call the function of the contract ({message})",
    null,
  ),
  ...CODE_MESSAGES,
];

/** Null when the message is unknown. */
export function knownMessage(message: string): HostMessage | null {
  const isOf = (pattern: HostMessage["message"]) =>
    pattern instanceof RegExp
      ? pattern.test(message)
      : pattern.some((begin) => message.startsWith(begin));
  return HOST_MESSAGES.find((each) => isOf(each.message)) ?? null;
}
