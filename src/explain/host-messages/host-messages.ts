// What the host says about calls, values and storage, and which of its messages are known.

import { CODE_MESSAGES } from "./code-messages.ts";
import { type HostMessage, row } from "./host-message.ts";

const CHECK_STRUCT =
  "Give structs, tuples and enums exactly the fields that the contract's specification names; a " +
  "newer build of the contract, or of who calls it, may name others.";

const HOST_MESSAGES: readonly HostMessage[] = [
  // Calls and frames.
  row(
    /^Contract re-entry is not allowed$/,
    "contract-re-entry",
    "it called a contract that was running already, which the host forbids to enter again",
    "Make the contracts call each other in one direction only.",
  ),
  row(
    /^frame-exit with Ok\(Error\) carrying a non-ScErrorType::Contract Error$/,
    "contract-action",
    "it returned an error of the host's kinds, which only the host may give",
    "Return errors of the contract's own error enum.",
  ),
  row(
    /^contract attempted to fail with non-ContractError/,
    "contract-action",
    "it failed with {0}, an error that only the host may give",
    "Fail with errors of the contract's own error enum.",
  ),
  row(
    /^can't invoke a reserved function directly$/,
    "reserved-function",
    "it called {0}, which only the host itself calls",
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
    "it called an address that is an account's, not a contract's",
    "Give the address (C…) of the contract to be called.",
  ),
  row(
    /can only be called from within `__check_auth`/,
    "contract-action",
    "it called a host function that is for __check_auth alone",
    null,
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
    "the constructor of the contract to create returned {0}, and must return nothing",
    "Let the constructor return nothing.",
  ),
  row(
    /^(failed to convert host value to ScVal|LengthLimitExceeded|DepthLimitExceeded|DepthLimit.*)$/,
    "value-too-deep",
    "a value is nested too deep, or holds more than it says, to be read or written ({said})",
    "Make the value flatter or smaller.",
  ),
  // Vectors, maps, bytes and numbers.
  row(
    /^(object index out of bounds|bytes_\w+ out of bounds)$/,
    "index-out-of-bounds",
    "position {0} lies outside the vector or bytes that it looked in",
    "Check the length first, and the arguments that the position follows from.",
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
    "Check the amounts that were given.",
  ),
  row(
    /^(differing .* lengths?|key not found in map|keys are not in ascending order)/,
    "value-shape",
    "a map or vector has not the fields of the struct or tuple that the contract reads it as",
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
    "bytes have another length than is needed there ({said})",
    "Give bytes of exactly the length that the contract's specification names.",
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
    "a text is no symbol: those have at most 32 letters, digits and underscores ({said})",
    "Use a shorter text, or a string where any text must be possible.",
  ),
  row(
    /^symbol not found in/,
    "enum-case-unknown",
    "a value is no case of the enum that the contract reads it as ({said})",
    CHECK_STRUCT,
  ),
  row(
    /strkey/,
    "address-invalid",
    "a text is no address ({said})",
    "Give the whole address, a G…, C… or M… strkey.",
  ),
  row(
    [
      "encountered unsupported ScAddress type",
      "encountered ScAddress variant not supported",
      "muxed addresses should not be used",
    ],
    "address-kind",
    "an address is of a kind that cannot be used there, such as a muxed one ({said})",
    "Give an account's (G…) or a contract's (C…) address.",
  ),
  // Time to live and storage.
  row(
    /^threshold must be <= extend_to$/,
    "ttl-extension",
    "it asked to extend a time to live with a threshold of {0} ledgers, above the {1} to extend to",
    "Give a threshold that is not above the target.",
  ),
  row(
    /^max_extension must be >= min_extension$/,
    "ttl-extension",
    "it asked to extend a time to live with a largest extension below the smallest ({values})",
    "Give limits in their order.",
  ),
  row(
    /^trying to extend temporary entry past max TTL/,
    "ttl-extension",
    "it asked a temporary entry to live {0} ledgers more; the network allows {1}",
    "Extend temporary entries by less.",
  ),
  row(
    /^instance storage should be extended via/,
    "ttl-extension",
    "it extended instance storage by a function that is for other storage",
    "Extend the instance with its own function.",
  ),
  row(
    /^(Wasm does not exist|executable reference entry does not exist)$/,
    "code-missing",
    "the contract's code is not on the ledger ({said})",
    "Upload the code first, and put it into the footprint.",
  ),
  row(
    /^executable reference /,
    "executable-reference",
    "a reference to a contract's code cannot be used so ({said})",
    null,
  ),
  ...CODE_MESSAGES,
];

/** Null when it is not one that is known. */
export function knownMessage(message: string): HostMessage | null {
  const isOf = (pattern: HostMessage["message"]) =>
    pattern instanceof RegExp
      ? pattern.test(message)
      : pattern.some((begin) => message.startsWith(begin));
  return HOST_MESSAGES.find((each) => isOf(each.message)) ?? null;
}
