// The meaning of messages in the sources of stellar-cli, of Stellar RPC and of SDKs, for the rows
// of tool-sources.json that tool-words.ts has no words for.

import { phrase, svc, type Wording } from "../../base/phrase.ts";
import type { TOOL_MESSAGES } from "../../xdr/outcome/tool-messages.ts";
import type { SourceRow } from "../../xdr/outcome/tool-sources.ts";

export interface ToolWords {
  /** `{argument}` stands for the fact with that name, and `{line}` for the message. */
  readonly meaning: string;
  readonly remedy: Wording;
  /** The words for each fact (default: the fact as the message has it). */
  readonly factInWords?: (fact: string) => string;
}

export const INTERFACE_HELP =
  "`stellar contract invoke --id C… -- --help` lists the functions, and `-- FUNCTION --help` the " +
  "arguments of one with an example of each.";

type OwnRow = Exclude<SourceRow, keyof typeof TOOL_MESSAGES>;

export const SOURCE_WORDS: Readonly<Record<OwnRow, ToolWords>> = {
  "account-not-found-by-sdk": {
    meaning: "The SDK could not read the sequence number of the source account.",
    remedy:
      "Check that the account exists on that network, and that the node answers: the rest of the " +
      "message says which.",
  },
  "answer-unexpected": {
    meaning: "The answer of the node, or a part of it, is not what the tool expects.",
    remedy:
      "Check that the URL is of the right kind of node (Stellar RPC and Horizon differ), and that the " +
      "tool and the node are releases of the network's protocol.",
  },
  "authorization-entry-unfit": {
    meaning:
      "An authorization entry, its credentials or its signature do not have the form that the tool needs.",
    remedy: phrase`Take the entries from the simulation of this very call, and sign each with the address that it names. ${svc("explain ENTRY")} shows what is in one.`,
  },
  "bindings-elsewhere": {
    meaning: "stellar-cli makes no bindings for this language itself.",
    remedy: "Use the tool that the message names.",
  },
  "bounds-invalid": {
    meaning:
      "The time or ledger bounds of the transaction are set wrongly: negative, backwards, twice, or not at all.",
    remedy:
      "Set the bounds once, as Unix seconds or ledger numbers, for example with a timeout of 30 to 300 seconds.",
  },
  "build-failed": {
    meaning: "The contract could not be built: the message names the step that failed.",
    remedy:
      "Run `stellar contract build` in the folder of the contract, with the Rust target " +
      "wasm32v1-none installed. The compiler's output above the message has the reason.",
  },
  "build-not-attested": {
    meaning: "Nothing proves which source this contract was built from.",
    remedy:
      "Build it with a workflow that records its source, or decide by other means whether to trust it.",
  },
  "client-options-missing": {
    meaning: "The contract client was made without the node's URL or the contract's address.",
    remedy: "Pass `rpcUrl`, `networkPassphrase` and `contractId`.",
  },
  "container-failed": {
    meaning: "The container of the local network could not be started, stopped or read.",
    remedy: "Check that Docker runs (`docker ps`), and that no container of that name is left.",
  },
  "contract-source-refused": {
    meaning:
      "The crate soroban-sdk does not accept the source of the contract, or how it is built: {line}.",
    remedy:
      "Change the place that the compiler shows with its arrow. `stellar contract build` builds for the target " +
      "that contracts need, wasm32v1-none.",
  },
  "contract-error-named": {
    meaning: "The contract refused the call with an error of its own, which the message names.",
    remedy:
      "Read what the contract's author documents for this error. It depends on the state or on the arguments.",
  },
  "envelope-of-other-kind": {
    meaning:
      "The program passed an envelope of another kind: the function takes only some of V0, V1 and fee-bump, or " +
      "only one with a certain operation.",
    remedy: phrase`Pass the transaction that it asks for: the inner one of a fee-bump, or the one for this contract and method. ${svc("explain ENVELOPE")} shows what it is.`,
  },
  "event-filter-invalid": {
    meaning:
      "A filter, a cursor or a file of events does not have the form that the command needs.",
    remedy: "`stellar events --help` shows the form of each.",
  },
  "event-unlike-interface": {
    meaning:
      "An event does not have the form that the contract's interface declares, so the interface cannot " +
      "decode it.",
    remedy: "Decode it with the interface of the version of the contract that emitted it.",
  },
  "failed-without-result": {
    meaning: "The transaction failed, and the SDK could read no result value from it.",
    remedy: phrase`${svc("debug HASH", "Run")}: it shows why it failed.`,
  },
  "fee-invalid": {
    meaning:
      "The fee that the program set is missing, below the minimum, or too large for its field.",
    remedy:
      "Set the inclusion fee for one operation in stroops, 100 or more. The fee for resources comes " +
      "from the simulation.",
  },
  "function-not-in-contract-of-sdk": {
    meaning: "The interface of the contract has no such function: {line}.",
    remedy: "Check the spelling, the contract's address and the network.",
  },
  "hash-unreadable": {
    meaning: "The text is not the hash of a transaction, which has 64 hexadecimal digits.",
    remedy: "Copy the whole hash.",
  },
  "http-status-only": {
    meaning:
      "The node answered with the HTTP status of a failure. The reason is in the body of its answer.",
    remedy: "Print the body of the answer, and pass it.",
  },
  "key-cannot-sign": {
    meaning: "The chosen key cannot sign this, or no key was chosen.",
    remedy:
      "Choose a key that has a secret key (`--sign-with-key NAME`). `stellar keys ls` lists those that " +
      "stellar-cli has.",
  },
  "key-or-signature-unfit": {
    meaning:
      "A key, a signature or a passphrase is not in the form that the SDK needs, or the key object has " +
      "no secret key.",
    remedy:
      "Make the key object that signs from the secret (S…), and pass the passphrase of the network.",
  },
  "ledger-entry-not-found": {
    meaning:
      "The node returned no ledger entry for this key: the entry does not exist, or it is archived.",
    remedy: phrase`Check the key and the network. ${svc("state")} shows an entry as a ledger left it.`,
  },
  "memo-invalid": {
    meaning:
      "The memo does not fit its kind: a text has up to 28 bytes, a hash 32, and an id is an unsigned number.",
    remedy: "Shorten the memo, or choose the kind that fits.",
  },
  "name-taken-or-invalid": {
    meaning: "The name is taken, reserved, or has characters that are not allowed.",
    remedy:
      "Choose another name of letters, digits, `-` and `_`, or remove the one that exists first.",
  },
  "node-data": {
    meaning: "The node could not read, decode or write its own data while it answered.",
    remedy:
      "Ask another node. If the node is yours, look at its log, and update it to the network's protocol.",
  },
  "node-not-ready": {
    meaning: "The node has no ledgers yet, or cannot tell its latest one.",
    remedy: "Wait until its getHealth says healthy, or ask another node.",
  },
  "node-overloaded": {
    meaning: "The node has too many requests at once, or this one took too long, so it stopped.",
    remedy: "Try again after a moment, ask for less at once, or use another node.",
  },
  "not-signed-yet": {
    meaning: "The program sends, or signs over, something that must be signed first.",
    remedy: "Sign the authorization entries first, then the transaction, then send it.",
  },
  "options-conflict": {
    meaning: "Options of the command exclude each other, or one that is needed is missing.",
    remedy: "Change the options as the message says. `--help` lists the options that go together.",
  },
  "parameters-of-query": {
    meaning: "The program passes parameters to Horizon that exclude each other, or leaves one out.",
    remedy: "Send exactly the parameters that this request takes; the message names them.",
  },
  "relayer-refused": {
    meaning:
      "The service that sends the transaction, a relayer, refused it or failed before it sent it: {line}.",
    remedy:
      "Change the transaction as the message says: a relayer takes only some kinds of transactions, within its limits.",
  },
  "sdk-value-refused": {
    meaning: "The SDK refuses a value of the program: {line}.",
    remedy:
      "Correct the value in the program. The documentation of the function has its type and range.",
  },
  "sending-refused": {
    meaning: "The program sent the transaction, and the node's answer was not a success.",
    remedy: "Pass that whole answer: its errorResultXdr and diagnosticEventsXdr have the reason.",
  },
  "signer-answered-wrongly": {
    meaning:
      "The signing program or device answered with a signature of another key, or with something else.",
    remedy: "Choose the account on the device that the key was saved for, or save the key again.",
  },
  "signing-device": {
    meaning:
      "The Ledger device could not be reached or used: it is not connected, is locked, or its Stellar " +
      "app is not open.",
    remedy: "Connect and unlock it, open the Stellar app, and close other programs that use it.",
  },
  "simulation-failed-elsewhere": {
    meaning: "The SDK simulated the transaction, and the simulation failed.",
    remedy: "Pass the simulation's answer: its `error` has the reason and the log.",
  },
  "simulation-parameters": {
    meaning:
      "A simulation takes a transaction with one operation of the contract host (to invoke a host " +
      "function, to extend TTLs, or to restore), and an authorization mode only for the first.",
    remedy: "Simulate that operation alone, and send classic operations without a simulation.",
  },
  "snapshot-failed": {
    meaning: "The snapshot of a ledger could not be made from the history archive, or be read.",
    remedy:
      "Choose the ledger of a published checkpoint, and check `--archive-url` and the free disk.",
  },
  "tool-download-failed": {
    meaning: "The tool could not download something of its own.",
    remedy: "Check the connection, and try again.",
  },
  "tool-files": {
    meaning: "The tool could not find, read or write a file: the message names it.",
    remedy:
      "Check the path and its permissions. stellar-cli keeps its own below `~/.config/stellar`, or " +
      "in the directory that STELLAR_CONFIG_HOME names.",
  },
  "tool-program-failed": {
    meaning: "The tool itself failed, or lacks a part that it needs: {line}.",
    remedy: "Install what it names, or update it. If it fails again, report it to its authors.",
  },
  "too-many-operations": {
    meaning: "A transaction has at most 100 operations.",
    remedy: "Divide them over several transactions.",
  },
  "url-insecure": {
    meaning: "The SDK refuses a URL without TLS (http://).",
    remedy: "Use https://, or pass `allowHttp: true` for a local node.",
  },
  "url-invalid": {
    meaning: "A URL, a part of one, or a header has the wrong form.",
    remedy: "Write the URL with its scheme (https://…), and a header as `key:value`.",
  },
  "value-not-parsed": {
    meaning: "A value is not written as the tool needs it: {line}.",
    remedy:
      "Write it in the form that the message names. The option `--help` or the documentation has examples.",
  },
  "value-set-twice": {
    meaning: "A part of the transaction was set before, and the SDK does not overwrite it.",
    remedy: "Set it once, and build a new transaction for another value.",
  },
  "value-unfit": {
    meaning:
      "A value cannot be converted: it is not of the type that the contract's interface declares, or it is " +
      "outside the range of its number type.",
    remedy: `Compare the argument with the interface. ${INTERFACE_HELP}`,
  },
  "wallet-answered-wrongly": {
    meaning: "The wallet's answer has no address, or has a form that the SDK does not know.",
    remedy: "Update the wallet, and the library through which the page asks it.",
  },
  "wallet-lacks-function": {
    meaning: "The wallet cannot do what the page asks for: {line}.",
    remedy:
      "Use a wallet that can, or another way that does not need it. A page can ask the wallets' library which " +
      "functions a wallet has.",
  },
  "wasm-unreadable": {
    meaning:
      "The code of the contract, or the interface in it, could not be found or read. The built-in " +
      "contract of an asset has none.",
    remedy:
      "Check the file, the hash or the contract's address and network. `stellar contract build` makes " +
      "a file with its interface.",
  },
  "xdr-value-wrong": {
    meaning: "A value does not fit the XDR type that it is written as or read from: {line}.",
    remedy:
      "Compare the value with the type: its kind, its range, its length and the format of the text.",
  },
};
