// The closed table of the messages that stellar-cli, SDKs, nodes, wallets and relayers write around
// a failure, without a code of the network in them. The rows have no words for people:
// explain/host-messages/tool-words.ts has them, by the names of the rows. A fact is a named group.
// The rows of stellar-cli follow soroban-cli/src and soroban-spec-tools of 28.1.0, those of SDKs
// their published sources. No other file knows what a message of a tool looks like.

import { WASM_FEATURE } from "./host-messages.ts";
import { HIDDEN_CODES } from "./tool-origins.ts";

interface ToolMessageRow {
  readonly message: RegExp | readonly RegExp[];
  readonly isGeneral?: true;
}

/** A number is an HTTP status where something says so: others are amounts and ledgers. */
function httpStatus(number: string): RegExp {
  const named = String.raw`(?<=(?:status(?:[ _]?code)?|http(?:/[\d.]{1,3})?|error|code|responded)\W{1,6}|\[)${number}(?!\w)`;
  const reason = String.raw`(?<![\w.,])${number}(?=[ :-]{1,3}(?:bad gateway|service|gateway|too many))`;
  return new RegExp(String.raw`${named}|${reason}|^\W*${number}\W*$`, "i");
}

/**
 * The more precise ones come first. `isGeneral`: words that many messages have, so that a message
 * of tool-sources.json comes before them.
 */
export const TOOL_MESSAGES = {
  "codes-not-shown": { message: HIDDEN_CODES },
  "value-not-set": {
    message:
      /\b(?:invalid|bad|unsupported|cannot parse|unable to parse)[^\n:]{0,60}: ["'`]?(?<value>undefined|null|None|nil|NaN)\b/i,
  },
  "account-for-contract": {
    message: /invalid contract (?:address|id)\W{1,4}(?<account>G\w{20,55})/i,
  },
  "argument-not-of-type": {
    message:
      /parsing argument (?<argument>\w+): value is not parseable to (?:Some\(\s*)?(?<type>\w+)/,
  },
  "argument-unfit": { message: /parsing argument (?<argument>\w+): (?<problem>[^\n]{1,160})/ },
  "argument-type-mismatch": {
    message:
      /Type mismatch for argument '(?<argument>[^'\n]{1,60})': expected (?<expected>[^\n]{1,80}?), but got (?<given>[^\n]{1,80})/,
  },
  "argument-unreadable": {
    message: /Failed to parse argument '(?<argument>[^'\n]{1,60})': (?<problem>[^\n]{1,160})/,
  },
  "argument-required": {
    message: /Missing required argument '(?<argument>[^'\n]{1,60})' of type (?<type>[^\n]{1,80})/,
  },
  "argument-missing": { message: /Missing argument (?<argument>\w{1,60})/ },
  "argument-not-json": { message: /Invalid JSON in argument '(?<argument>[^'\n]{1,60})'/ },
  "function-not-in-contract": {
    message: [
      /unrecognized subcommand '(?<function>[^'\n]{1,80})'[\s\S]{0,400}contract invoke/,
      /function '(?<function>[^'\n]{1,80})' was not found in the contract/,
      /Missing Entry (?<function>\w{1,80})/,
    ],
  },
  "command-unknown": { message: /unrecognized subcommand '(?<command>[^'\n]{1,80})'/ },
  "option-unexpected": { message: /unexpected argument '(?<option>[^'\n]{1,80})' found/ },
  "option-required": {
    message:
      /the following required arguments? (?:was|were) not provided:?\s*(?<options>[^\n]{0,120})/,
  },
  "function-name-too-long": { message: /function name '(?<function>[^'\n]{1,120})' is too long/ },
  "connection-failed": {
    message: /client error \(Connect\)|tcp connect error|dns error|os error 111/i,
  },
  "network-without-node": { message: /Invalid URL Bring Your Own|Bring Your Own:/ },
  "built-without-key-stores": {
    message:
      /Secure Store keys are not allowed|must install with "additional-libs" feature|Ledger Device keys are not allowed/,
  },
  "asset-contract-not-deployed": {
    message:
      /sac_not_deployed|SAC(?: is)? not deployed|stellar asset contract .{0,60}not deployed/i,
  },
  "wasm-without-metadata": {
    message:
      /Stellar asset contract doesn't contain meta information|no meta present in provided WASM/i,
  },
  "contract-alias-unknown": { message: /no contract found with alias '(?<alias>[^'\n]{1,80})'/ },
  "key-alias-unknown": {
    message:
      /(?:Account alias|Failed to find config identity(?: for)?) "?(?<alias>[^"\s]{1,80})"?(?: not Found)?/i,
  },
  "network-alias-unknown": { message: /Failed to find config network|Failed to read network file/ },
  "account-key-missing": { message: /Missing signing key for account (?<account>[GM]\w{20,80})/ },
  "secret-unreadable": { message: /cannot parse secret \(S\) or seed phrase/ },
  "contract-id-unreadable": { message: /cannot parse contract ID (?<contract>[^:\n]{1,80})/ },
  "asset-unreadable": { message: /cannot parse asset: (?<asset>[^,\n]{1,80})/ },
  "wasm-file-missing": {
    message: /--wasm is required when not in a Cargo workspace|no WASM file specified/i,
  },
  "workspace-without-contract": { message: /no buildable contracts found in workspace/ },
  "sdk-release-candidate": {
    message: /built with Soroban Rust SDK v(?<version>[\w.-]{1,40}), a release candidate/,
  },
  "ttl-above-maximum": {
    message: /Ledgers to extend \((?<requested>\d+)\) exceeds network maximum \((?<maximum>\d+)\)/,
  },
  "fee-below-minimum": { message: /Fee amount must be at least 100 stroops/ },
  "confirmation-needed": { message: /An authorization entry requires confirmation/ },
  "read-call": { message: /This is a read call\. It requires no signature or sending/ },
  "signatures-required": {
    message: /Transaction requires signatures from (?<signers>[^.\n]{1,200})/,
  },
  "caller-not-named": { message: /constructed using a default account/ },
  "signer-function-missing": { message: /must provide a `?signTransaction`? function, either/i },
  "restore-needed": { message: /You need to restore some contract state/ },
  "not-simulated-yet": {
    message: /Transaction (?:has )?not yet (?:been )?(?:assembled|simulated)|call simulate first/i,
  },
  "wait-ended": { message: /Waited \d+ seconds? for transaction to complete, but it did not/i },
  "transaction-of-other-sdk": {
    message:
      /expected a (?:["']Transaction["']|Transaction), got|is not (?:a Transaction\b|an instance of Transaction)/,
  },
  "address-unreadable": {
    isGeneral: true,
    message: /(?:invalid|bad) (?:encoded string|checksum)|Unsupported address type|invalid strkey/i,
  },
  "envelope-not-decoded": {
    message: [/(?:could not|cannot) unmarshal/i, /unmarshall?ing .{0,60}(?:transaction|envelope)/i],
  },
  "asset-invalid": {
    isGeneral: true,
    message: /Unsupported[_ ]?Asset[_ ]?Type|asset (?:code|issuer) is invalid/i,
  },
  "sequence-mismatch": {
    isGeneral: true,
    message: [
      /(?:sequence number|seqnum).{0,40}(?:too (?:low|high)|mismatch|is not)/i,
      /bad (?:source account )?sequence number/i,
    ],
  },
  "ledger-range": {
    message: new RegExp(
      "startLedger must be (?:within|between) the (?:oldest|ledger range)" +
        String.raw`[^\d\n]{0,40}(?<oldest>\d+)\D{1,20}(?<latest>\d+)`,
      "i",
    ),
  },
  "too-many-keys": {
    message: /key count \((?<count>\d+)\) exceeds maximum supported \((?<maximum>\d+)\)/i,
  },
  "simulation-disabled": {
    message: /transaction simulation is currently disabled|simulation is disabled/i,
  },
  // Hosts of test networks before August 2023.
  "status-of-old-host": { message: /\bStatus\((?<type>\w{1,30})\((?<code>\w{1,40})\)\)/ },
  "queue-full": { message: /\bTRY_AGAIN_LATER\b/ },
  "declined-by-user": {
    message: [
      /user (?:rejected|declined|denied|cancell?ed)/i,
      /(?:rejected|declined|denied|cancell?ed|closed|aborted) by (?:the )?user/i,
      /user closed the (?:modal|popup|window)/i,
    ],
  },
  "wallet-absent": {
    message: /(?:wallet|freighter) (?:is )?(?:not (?:connected|installed)|locked)/i,
  },
  "wallet-on-other-network": {
    message: [
      /network mismatch|(?:wrong|different) network|Freighter is set to/i,
      /passphrase .{0,40}(?:differ|mismatch)/i,
      /transaction you['’]?re trying to sign is on/i,
    ],
  },
  "flagged-by-scanner": {
    message: [
      /flagged as (?:malicious|suspicious)/i,
      /transaction (?:was|has been) (?:flagged|found to be) (?:malicious|suspicious)/i,
    ],
  },
  "wallet-failed": { message: /wallet encountered an internal error/i },
  "device-blind-signing": {
    message: /(?:hash|blind)[ -]?signing (?:is )?not enabled|HashSigningNotEnabled/i,
  },
  "device-status": {
    message: /(?:UNKNOWN_ERROR|Ledger|APDU|TransportStatus)[^\n]{0,80}?0x(?<status>[0-9a-f]{4})\b/i,
  },
  "relayer-busy": {
    message: /Too many transactions queued|POOL_CAPACITY|no channel (?:is )?available/i,
  },
  "rust-too-old": {
    message:
      /requires rustc (?<needed>[\d.]{1,12}) or newer, while [^\n]{0,40} is (?<active>[\d.]{1,12})/,
  },
  "crate-undeclared": {
    message:
      /(?:undeclared crate or module|unresolved module or unlinked crate) `(?<crate>[\w-]{1,60})`/,
  },
  "module-not-found": {
    message: /(?:Can't resolve|Cannot find (?:module|package)) '(?<module>[^'\n]{1,120})'/,
  },
  "not-in-browsers": { message: /\b(?<global>Buffer|global|process) is not defined/ },
  "option-value-wrong": {
    message: /invalid value '(?<value>[^'\n]{0,80})' for '(?<option>[^'\n]{1,80})'/,
  },
  "option-value-missing": {
    message: /a value is required for '(?<option>[^'\n]{1,80})'/,
  },
  "parameter-missing": { message: /Missing required parameter:? ['"`]?(?<parameter>\w{1,60})/i },
  "settings-not-toml": { message: /TOML parse error at line (?<at>\d{1,6})/ },
  "test-did-not-panic": { message: /test did not panic as expected/ },
  "target-not-installed": {
    message: /the `(?<target>wasm32[\w-]{1,40})` target may not be installed/,
  },
  "wasm-floating-point": {
    message:
      /floating[ -]point (?:instruction|support)[^\n]{0,20}(?:disallowed|disabled|not enabled)/i,
  },
  "wasm-feature-not-enabled": { message: WASM_FEATURE },
  // Horizon's answers when it submits for a client that does not wait.
  "core-failed": {
    message:
      /transaction_submission_(?:failed|exception)|Transaction Submission (?:Failed|Exception)/,
  },
  "blocked-by-browser": {
    message: /blocked by CORS policy|Cross-Origin Request Blocked|Access-Control-Allow-Origin/i,
  },
  "answer-of-other-release": {
    message: /jsonrpc error: Parse error|missing field `\w{1,60}` at line \d+/i,
  },
  "funded-already": { message: /account already funded/i },
  "funding-failed": { message: /unable to fund account/i },
  "node-ingestion": {
    message: [
      /could not create captive core|No history archives provided/i,
      /CaptiveCore is unable to start|could not run ingestion|Error in ingestion state machine/,
      /error (?:opening ledger stream|preparing range|starting prepare range)/,
    ],
  },
  "base64-read-as-bytes": {
    message: [
      // The four letters AAAA, with which most XDR in base64 begins.
      /(?:for value|union switch:|unknown type|enum value:?) 1094795585\b/i,
    ],
  },
  "answer-absent": {
    message:
      /reading '(?<field>result_codes|extras|data|response|results?|retval|status|operations)'/,
  },
  "answer-not-json": {
    message: /Unexpected token '?<|<!DOCTYPE html/i,
  },
  "xdr-object-absent": {
    message: [
      /reading '(?:switch|toXDR|_attributes|_arm|_value)'/,
      /\b(?:switch|toXDR|_attributes|isValid) is not a function/,
    ],
  },
  "sdk-xdr-constructors": { message: /new xdr\.\w{1,80}\(\.{3}\) is not supported/ },
  "transaction-not-found": {
    message: /could not find (?:your |the |this )?transaction|transaction (?:was )?not found/i,
  },
  "key-of-another-kind": {
    message: /invalid version byte\. expected (?<expected>\d{1,3}), got (?<given>\d{1,3})/i,
  },
  "not-an-xdr-object": {
    message: [
      // js-xdr writes these, and its types repeat the second one without the prefix.
      /XDR Write Error:[^\n]{0,200} (?:is not an? \w+|has (?:union|struct|enum) name)/i,
      /\bis not an? (?:ScVal|ScAddress|(?:Unsigned)?Hyper)\b/i,
    ],
  },
  "number-unfit": {
    isGeneral: true,
    message: [
      /XDR Write Error: (?:not an? (?:number|integer)|invalid [iu]\d{1,3} value)/i,
      /value too large for \d{1,3} bits|out of range for [iu]\d{1,3}\b/i,
      /\b(?:is )?not in range for [iu]\d{1,3}\b|for [IU]\d{1,3} out of range/i,
    ],
  },
  "length-unfit": {
    message:
      /XDR Write Error: got (?<given>\d+) bytes, (?:expected|max allowed is) (?<allowed>\d+)/i,
  },
  "xdr-of-another-type": {
    message: [
      /XDR Read Error: (?:attempt to read outside|invalid XDR contract typecast)[^\n]{0,80}/i,
      /XDR Read Error: unknown \w{1,60} member for value[ -]{0,2}\w{0,20}/i,
    ],
  },
  "amount-not-text": {
    message: /(?<argument>\w{1,60}) argument must be of type String, represent a [^\n]{0,80}/i,
  },
  "bigint-as-json": {
    message: /Do not know how to serialize a BigInt|cannot serialize BigInt/i,
  },
  "interface-lacks": { message: /no such entry: (?<entry>[\w-]{1,80})/ },
  "conversion-failed": { message: /`Err` value: (?:\w{2,4}\()?ConversionError/ },
  "horizon-field-refused": {
    message: new RegExp(
      String.raw`horizon-errors\/bad_request(?=[\s\S]{0,900}?invalid_field\W{1,6}(?<field>\w{1,60})` +
        String.raw`[\s\S]{0,60}?reason["']?: ?["'](?<reason>[^"'\n]{1,200}))`,
    ),
  },
  // Horizon and Friendbot say the reason there if no field is wrong.
  "horizon-refused-because": {
    message:
      /horizon-errors\/bad_request(?=[\s\S]{0,900}?detail["']?: ?["'](?!The request you sent)(?<reason>[^"'\n]{1,200}))/,
  },
  "horizon-request-refused": { isGeneral: true, message: /horizon-errors\/bad_request/ },
  "web-auth-challenge": {
    isGeneral: true,
    message:
      /challenge(?: transaction)? (?:has |is )?(?:expired|not yet valid|invalid|not within)/i,
  },
  "domain-lookup-failed": {
    isGeneral: true,
    message: /federation (?:server|address|record|name)[^\n]{0,40}(?:not found|unknown|invalid)/i,
  },
  "text-not-base64": {
    isGeneral: true,
    message: /illegal base64|(?:invalid|incorrect|bad) base64|base64 decode error/i,
  },
  "xdr-unreadable": {
    isGeneral: true,
    message: [
      /bad union switch|XDR (?:Read|Write) Error|unknown (?:enum|discriminant)|xdr value invalid/i,
      /\b[A-Z]\w{2,60}: unknown (?:type|v|code|kind) -?\d{1,10}\b/,
    ],
  },
  "account-not-found": {
    isGeneral: true,
    message: [
      /account not found|account does not exist|could not (?:find|load) account/i,
      /account (?:is |was |has been )?not (?:yet )?(?:been )?(?:activated|funded|created)/i,
    ],
  },
  "contract-not-found": {
    isGeneral: true,
    message: /contract.{0,70}not found|missing contract/i,
  },
  "entry-archived": {
    isGeneral: true,
    message:
      /(?:restore|archived).{0,60}(?:contract|entr(y|ies)|state)|entr(y|ies).{0,30}archived/i,
  },
  "timed-out": {
    isGeneral: true,
    message: [/timed? ?out|timeout|gateway time/i, httpStatus("504")],
  },
  "rate-limited": {
    isGeneral: true,
    message: [/too many requests|rate limit/i, httpStatus("429")],
  },
  "refused-without-reason": {
    isGeneral: true,
    message: [
      /status code 400|400 bad request|\btransaction submission failed\b|^transaction[ _]failed$/i,
      /horizon-errors\/transaction_failed/,
    ],
  },
  "signer-missing": {
    isGeneral: true,
    message: /missing signing key|no signing key|needs? (?:to be signed|non-invoker signing)/i,
  },
  "ledger-out-of-range": {
    isGeneral: true,
    message: [
      /startledger|start ledger|ledger range/i,
      /start is (?:before oldest|after newest) ledger/i,
    ],
  },
  "horizon-missing": {
    isGeneral: true,
    message: /resource missing|horizon-errors\/not_found/i,
  },
  "envelope-malformed": {
    isGeneral: true,
    message: /transaction.malformed/i,
  },
  "node-behind": {
    isGeneral: true,
    message: [
      /stale_history|too stale|over capacity/i,
      httpStatus("50[23]"),
      /service unavailable|bad gateway/i,
    ],
  },
  "before-history": {
    isGeneral: true,
    message: /before_history|before recorded history/i,
  },
  "invoke-aborted": { message: /InvokeError::Abort|`Err` value: (?:Err\()?Abort\b\)?/ },
  "rust-panic": {
    isGeneral: true,
    message:
      /panicked at (?:'[^'\n]{0,160}', )?(?<place>[^\s:'][^\n:']{0,160}\.rs:\d{1,6}:\d{1,5})/,
  },
  "node-internal": {
    isGeneral: true,
    message: /internal error|-32603/i,
  },
  "method-unknown": {
    isGeneral: true,
    message: /method not found|-32601/i,
  },
  "parameters-invalid": {
    isGeneral: true,
    message: /invalid (param|request)|-32602|-32600/i,
  },
  "node-unreachable": {
    isGeneral: true,
    message: [
      /econnrefused|enotfound|fetch failed|network ?error|connection refused/i,
      // As browsers say it.
      /error sending request|failed to fetch\s*(?:$|[\n("'`,;}])|(?:^|: )load failed\s*(?:$|\n)/i,
    ],
  },
  "time-ran-out": {
    isGeneral: true,
    message: /transaction (?:has )?(?:been )?expired|expired transaction/i,
  },
  "fee-too-low": {
    isGeneral: true,
    message: /\bfee (?:is |was )?too (?:low|small)|insufficient fee/i,
  },
  "trustline-not-found": {
    isGeneral: true,
    message:
      /(?:does not|doesn['’]t|must) trust|(?:no|missing) trust ?line|trust ?line (?:is )?(?:missing|required|not found)/i,
  },
  "funds-insufficient": {
    isGeneral: true,
    message: /(?:insufficient|not enough) (?:funds|balance|xlm|lumens?|native)/i,
  },
} as const satisfies Readonly<Record<string, ToolMessageRow>>;
