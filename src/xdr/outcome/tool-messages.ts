// The closed table of the messages that stellar-cli, SDKs, nodes, wallets and relayers write around
// a failure, without a code of the network in them. The rows have no words for people:
// explain/host-messages/tool-words.ts has them, by the names of the rows. A fact is a named group.
// The rows of stellar-cli follow soroban-cli/src and soroban-spec-tools of 28.1.0, those of SDKs
// their published sources. No other file knows what a message of a tool looks like.

import { WASM_FEATURE } from "./host-messages.ts";
import { HIDDEN_CODES, HIDDEN_RESULT } from "./tool-origins.ts";

interface ToolMessageRow {
  readonly message: RegExp | readonly RegExp[];
  readonly isGeneral?: true;
  readonly isShared?: true;
  readonly isOfAny?: true;
}

/** A number is an HTTP status where something says so: others are amounts and ledgers. */
function httpStatus(number: string): RegExp {
  const named = String.raw`(?<=(?:status(?:[ _]?code)?|http(?:/[\d.]{1,3})?|error|code|responded)\W{1,6}|\[)${number}(?!\w)`;
  const reason = String.raw`(?<![\w.,])${number}(?=[ :-]{1,3}(?:bad gateway|service|gateway|too many))`;
  return new RegExp(String.raw`${named}|${reason}|^\W*${number}\W*$`, "i");
}

/**
 * The more precise ones come first. `isGeneral`: words that many messages have, so that a message
 * of tool-sources.json comes before them. `isShared`: words that other programs write too. What a
 * general or shared row says is true only of texts about Stellar, except with `isOfAny`.
 */
export const TOOL_MESSAGES = {
  "codes-not-shown": { message: HIDDEN_CODES },
  "result-not-shown": { message: HIDDEN_RESULT },
  // stellar-core, TransactionFrame.cpp and the files of its operations: what they say of Soroban
  // data that no network accepts.
  "resource-fee-above-fee": {
    message: /sorobanData\.resourceFee[`'"]? is higher than the full transaction fee/,
  },
  "resource-fee-too-low": {
    message: /sorobanData\.resourceFee[`'"]? is lower than the actual Soroban resource fee/,
  },
  "footprint-key-twice": { message: /Found duplicate key in the Soroban footprint/ },
  "soroban-memo-or-muxed": {
    message: /Soroban transactions are not allowed to use memo or muxed source account/,
  },
  "archived-entries-declared": {
    message: [
      /archivedSorobanEntries (?:index |must be )/,
      /protocol version does not support Soroban\w+/,
    ],
  },
  "footprint-invalid": {
    message: [
      /read-(?:only|write) footprint must be empty for \w+/,
      /only (?:persistent Soroban entries can be restored|entries with TTL)/,
      /transaction footprint contains (?:invalid trustline asset|unsupported ledger key type)/,
      /TTL extension is too large: \d+/,
    ],
  },
  "code-above-maximum": {
    message: [
      /uploaded Wasm size exceeds network config maximum/,
      /wasm (?:file |code )?(?:is )?too large|Wasm size \d+ exceeds/i,
    ],
  },
  "target-not-installed": {
    isOfAny: true,
    message: /the `(?<target>wasm32[\w-]{1,40})` target may not be installed/,
  },
  "target-unsupported": { message: /is unsupported by the Soroban Environment/ },
  "rust-version-unfit": {
    message: [
      /use (?:a )?rust [^\n]{0,80}to build contracts/i,
      /rust version [\w.-]{1,20} cannot be used to build contracts/,
    ],
  },
  "tool-panicked": {
    message:
      /panicked at (?:'[^\n]{0,200}', )?(?<place>[^\s:'\n]{0,160}(?:(?:soroban|stellar)-cli-\d|stellar-rpc-client-\d|soroban-spec(?:-\w{1,20})?-\d|cmd\/(?:crates|soroban-cli|stellar-cli)\b)[^\s:'\n]{0,160}\.rs:\d{1,6}:\d{1,5})/,
  },
  "type-not-convertible": {
    message: [
      /the trait bound `(?<bound>[^`\n]{0,200}\b(?:Val|FromVal|IntoVal|TryFromVal|TryIntoVal|ScVal|ScSpecType\w{0,20}|SorobanArbitrary|IntoKey)\b[^`\n]{0,200})` is not satisfied/,
      /the trait `(?<bound>(?:TryFromVal|IntoVal|TryIntoVal|FromVal|IntoKey)\b[^`\n]{0,200})` is not implemented for/,
    ],
  },
  "testutils-in-wasm": {
    message: /'testutils' feature is not supported on 'wasm' target/,
  },
  "contract-crate-twice": {
    message: /duplicate lang item in crate `?(?<crate>soroban_sdk|stellar_\w{1,30})`?/,
  },
  "std-in-contract": {
    isShared: true,
    message: [
      /can't find crate for `std`/,
      /no global memory allocator found|`#\[panic_handler\]` function required|duplicate lang item|language item required, but not found/,
    ],
  },
  "cargo-edition": { isOfAny: true, message: /feature `edition20\d\d` is required/ },
  "cargo-not-resolved": {
    isOfAny: true,
    message: [
      /failed to select a version for (?:the requirement )?`(?<crate>[\w-]{1,60})/,
      /no matching package named `(?<crate>[\w-]{1,60})`/,
      /(?:failed to (?:load source for|get) (?:a )?dependency|failed to get) `(?<crate>[\w-]{1,60})`/,
    ],
  },
  "cargo-manifest": {
    isOfAny: true,
    message: [
      /could not find `Cargo\.toml`|failed to (?:parse|load|read) (?:the )?manifest|manifest path `[^`\n]{1,200}` does not exist/,
      /current package believes it's in a workspace|the lock file [^\n]{1,200} needs to be updated/,
    ],
  },
  "linker-missing": {
    isOfAny: true,
    message: [
      /linker `(?<linker>[\w.-]{1,40})` not found/,
      /the msvc targets depend on the msvc linker|`(?<linker>link\.exe)` (?:was )?not found/,
    ],
  },
  "system-library-missing": {
    isOfAny: true,
    message: [
      /The system library `(?<library>[\w.+-]{1,60})` required by crate/,
      /(?:Library not loaded: |error while loading shared libraries: )(?<library>[^\s:]{1,120})/,
      /version `(?<library>GLIBC_[\d.]{1,10})' not found/,
      /pkg-config (?:command |exited )?(?:could not be|has not been|was not) found/,
    ],
  },
  "program-not-found": {
    isOfAny: true,
    message: [
      /(?:^|[\s:])(?<program>stellar|soroban|stellar-core)(?:\.exe)?: (?:command )?not found/m,
      /(?:^|[\s:])(?<program>cargo|rustup|docker)(?:\.exe)?: (?:command )?not found/m,
      /command not found: (?<program>stellar|soroban|cargo|rustup|docker|stellar-core)\b/,
      /['"‘“](?<program>stellar|soroban|cargo|rustup|docker)['"’”] is not recognized/,
    ],
  },
  "rust-arithmetic": {
    isOfAny: true,
    message: [
      /attempt to (?<operation>add|subtract|multiply|negate|divide|shift \w{4,5}) with overflow/,
      /attempt to (?<operation>divide) by zero/,
      /attempt to (?<operation>calculate the remainder) with (?:a divisor of zero|overflow)/,
    ],
  },
  "assertion-failed": {
    isOfAny: true,
    message: [/assertion [`'"][^`'"\n]{1,40}[`'"] failed\b/, /assertion failed: [^\n]{1,160}/],
  },
  "sdk-name-absent": {
    isShared: true,
    message: [
      /does not provide an export named ['"](?<name>[\w$]{1,60})['"]/,
      /['"](?<name>[\w$]{1,60})['"] is not exported (?:by|from)\s/,
      /has no exported member (?:named )?['"](?<name>[\w$]{1,60})['"]/,
      /Package (?:subpath|path) '?(?<name>[^'\s]{1,80})'? is not (?:defined by "exports"|exported)/,
      /(?<name>[\w$.]{1,80}) is not a constructor/,
      /No matching export in "[^"\n]{1,200}" for import ["'](?<name>[\w$]{1,60})["']/,
      /Named export '(?<name>[\w$]{1,60})' not found/,
      /of undefined \(reading '(?<name>Server|Api|assembleTransaction)'\)/,
    ],
  },
  "package-is-module": {
    isOfAny: true,
    message:
      /ERR_REQUIRE_ESM|require\(\) of ES Module|Cannot use import statement outside a module/,
  },
  "npm-failed": {
    isOfAny: true,
    message: [
      /npm (?:ERR!|error) code (?<code>E[A-Z]{2,20}\d{0,3})/,
      /ERR_PNPM_(?<code>[A-Z_0-9]{3,40})/,
    ],
  },
  "runtime-lacks": {
    isOfAny: true,
    message: [
      /\b(?<global>fetch|TextEncoder|TextDecoder|crypto|URL|URLSearchParams) is not defined/,
      /\b(?<global>window|document|localStorage|navigator) is not defined/,
      /\b(?<global>EventSource|WebSocket) is not defined/,
      /Property '(?<global>\w{1,40})' doesn't exist/,
      /crypto\.(?<global>getRandomValues|subtle)\S{0,20} (?:is not a function|not supported)/,
      /crypto\.(?<global>getRandomValues|subtle)\S{0,20} must be defined/,
    ],
  },
  "argument-count-in-test": {
    message:
      /invalid number of input arguments: (?<expected>\d{1,3}) expected, got (?<given>\d{1,3})/,
  },
  "key-not-revealed": {
    message: /(?:cannot|can't|does not|doesn't) reveal (?:the |its )?(?:private|secret) keys?/i,
  },
  "bigint-not-integer": {
    message: [
      /Cannot convert -?\d*\.\d{1,40} to a BigInt/,
      /cannot be converted to a BigInt because it is not an integer/,
    ],
  },
  "bigint-mixed": {
    isOfAny: true,
    message: [
      /Cannot mix BigInt and other types/,
      /Cannot convert (?:[\w.+-]{1,40}|\[object \w{1,20}\]) to a BigInt/,
    ],
  },
  "certificate-refused": {
    isOfAny: true,
    message: [
      /self[- ]signed certificate|CERT_HAS_EXPIRED|certificate has expired/i,
      /unable to (?:verify the first|get local issuer) certificate/i,
      /CERTIFICATE_VERIFY_FAILED|ERR_CERT_\w+|x509: certificate|HandshakeException/i,
      /SSLHandshakeException/i,
    ],
  },
  "image-of-other-platform": {
    isOfAny: true,
    message: /exec format error|image's platform \([^)\n]{1,40}\) does not match/,
  },
  "port-in-use": {
    isOfAny: true,
    message: [
      /port is already allocated|address already in use|EADDRINUSE/i,
      /Only one usage of each socket address/i,
    ],
  },
  "docker-failed": {
    isOfAny: true,
    message: [
      /Cannot connect to the Docker daemon|error during connect: |docker daemon (?:is not|isn't) running|Is the docker daemon running/i,
      /Docker responded with status code \d{3}|Error response from daemon/,
      /driver failed programming external connectivity/,
      /no matching manifest for [\w/]{1,40}|pull access denied for/,
      /manifest for [^\s]{1,120} not found/,
    ],
  },
  // stellar-core, ProcessManagerImpl.cpp, GetRemoteFileWork.cpp and Database.cpp.
  "core-command-not-started": { message: /posix_spawn\(\) failed|Error starting process: / },
  "core-database-new": { message: /No DB schema version found|try stellar-core new-db/ },
  "archive-command-failed": {
    message: [
      /\[Process WARN(?:ING)? ?\] process \d+ exited \d{1,3}: (?<command>[^\n]{1,200})/,
      /Reached retry limit \d+ for (?<command>get-remote-file|get-history-archive-state)\b/,
    ],
  },
  "node-database": {
    isOfAny: true,
    message: [
      /pq: (?:relation|column|password|database|role|could not|duplicate)[^\n]{0,160}/i,
      /pq: (?:sorry|the database|canceling)[^\n]{0,160}/i,
      /database is locked/i,
      /(?:no such table|database disk image is malformed|db schema (?:is|version)[^\n]{0,60})/i,
      /(?:database|role|relation) "[^"\n]{1,60}" does not exist/,
    ],
  },
  "node-too-old": {
    message: [
      /cannot apply ledger with not supported version|unsupported ledger version/,
      /stellar-core must be upgraded/,
    ],
  },
  "relayer-credits": { message: /\bNo credits left\b|\binsufficient credits\b/i },
  "node-stopped": {
    isShared: true,
    message: [
      /stellar[- ]core (?:process )?(?:exited|has exited|terminated|died)(?: unexpectedly)?/i,
      /exited: (?:stellar-(?:core|rpc|friendbot)|soroban-rpc|horizon|friendbot)\b/,
      /exited: (?:postgresql|nginx|galexie|local-core)\b/,
      /ledger corrupted during close|Got an exception: [^\n]{0,120}|InvariantDoesNotHold/i,
      /invariant[^\n]{0,80}does not hold/i,
      /FATAL\s+Exited too quickly|entered FATAL state|txset mismatch/,
      /terminate called after throwing an instance/,
    ],
  },
  "walletconnect-session": {
    isShared: true,
    message: [
      /No matching key\.? (?:session|proposal|pairing|keychain|history)/i,
      /(?:proposal|session|pairing) (?:has )?expired|expirer: |session topic doesn't exist|Session not found/i,
      /Unsupported (?:chains?|namespaces?|methods?)\b/i,
      /Missing or invalid\. (?:request|emit|connect|approve|extend)\(\)|Non conforming namespaces/i,
      /failed to pair\b|pairing failed/i,
      /Failed to publish (?:custom )?payload|WebSocket connection (?:closed|failed|stalled)/,
    ],
  },
  "key-store-failed": {
    isOfAny: true,
    message: [
      /platform secure storage failure|org\.freedesktop\.secrets/i,
      /(?:secure store|keyring)[^\n]{0,60}(?:error|fail|not found|unavailable|locked|denied)/i,
      /keychain[^\n]{0,60}(?:error|fail|unavailable|locked|denied)/i,
      /keyring: no |no secret service/i,
    ],
  },
  "passkey-answer-refused": {
    message: [
      /Unexpected (?:registration|authentication) response (?:challenge|origin|type)/i,
      /Unexpected RP ID(?: hash)?\b|Custom challenge verifier returned false/i,
    ],
  },
  "passkey-declined": {
    isOfAny: true,
    message: [
      /The operation either timed out or was not allowed|NotAllowedError/,
      /The relying party ID is not/,
      /InvalidStateError[^\n]{0,80}(?:credential|authenticator|regist)/,
      /WebAuthn(?:Error)?[^\n]{0,60}(?:cancel|abort|not supported|failed)/,
      /PublicKeyCredential is not defined/,
    ],
  },
  "popup-blocked": {
    isOfAny: true,
    message: [
      /pop-?up (?:window )?(?:was |is |has been )?blocked/i,
      /failed to open (?:the )?(?:popup|window)/i,
    ],
  },
  "passphrase-unexpected": {
    message:
      /(?:network )?passphrase[^\n]{0,60}(?:expected|want(?:ed)?|should be)[^\n]{0,20}["'`](?<expected>[^"'`\n]{1,80})["'`][^\n]{0,20}(?:got|actual|received|but|found|given)[^\n]{0,12}["'`](?<given>[^"'`\n]{1,80})["'`]/i,
  },
  "sequence-too-old": {
    message:
      /sequence number (?<given>\d{1,20}) is too old\. Account's current sequence is (?<current>\d{1,20})/,
  },
  "swift-xdr-decoder": { message: /\(stellarsdk\.XDR(?:De|En)coder\.Error error \d{1,3}\.\)/ },
  "swift-error-number": {
    message: /\(stellarsdk\.(?<type>[\w.]{1,60}) error (?<number>\d{1,4})\.\)/,
  },
  "answer-cut-off": { message: /^ *\(truncated\.\.\.\)/m },
  "time-bounds-not-set": {
    message: [
      /TimeBounds has to be set or you must call setTimeout/i,
      /TimeBounds (?:must|has to|have to|need to) be (?:set|defined)/i,
      /must set (?:a )?(?:timeout|time ?bounds)/i,
    ],
  },
  "submission-disabled": {
    isShared: true,
    message:
      /transaction_submission_disabled|[Tt]ransaction [Ss]ubmission (?:has been )?[Dd]isabled/,
  },
  "anchor-wants-token": {
    isShared: true,
    message:
      /"type": ?"authentication_required"|endpoint requires authentication|jwt (?:expired|malformed|must be provided)|JWT (?:token )?(?:has )?expired/i,
  },
  "value-not-set": {
    isShared: true,
    message:
      /\b(?:invalid|bad|unsupported|cannot parse|unable to parse)[^\n:"',{}]{0,60}: ["'`]?(?<value>undefined|null|None|nil|NaN)\b/i,
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
  "address-in-argument": {
    message:
      /Failed to parse argument '(?<argument>[^'\n]{1,60})': value is not parseable to Some\(\s*(?<type>Muxed)?Address\b/,
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
  "command-unknown": {
    isShared: true,
    message: /unrecognized subcommand '(?<command>[^'\n]{1,80})'/,
  },
  "function-option-unexpected": {
    message:
      /unexpected argument '(?<option>--[\w-]{1,80})' found[\s\S]{0,200}?Usage: (?<usage>\w{1,32}(?: --\w{1,60} <[^>\n]{1,60}>){1,20})/,
  },
  "command-option-unexpected": {
    message:
      /unexpected argument '(?<option>--[\w-]{1,80})' found[\s\S]{0,200}?Usage: (?<usage>(?:stellar|soroban)(?:\.exe)? [^\n]{1,160})/,
  },
  "option-unexpected": {
    isShared: true,
    message: /unexpected argument '(?<option>[^'\n]{1,80})' found/,
  },
  "option-required": {
    isShared: true,
    message:
      /the following required arguments? (?:was|were) not provided:?\s*(?<options>[^\n]{0,120})/,
  },
  "function-name-too-long": { message: /function name '(?<function>[^'\n]{1,120})' is too long/ },
  "network-not-reached": {
    message: /network "(?<network>[^"\n]{1,60})" \((?<url>[^)\s]{1,120})\) is unreachable/,
  },
  "java-class-differs": {
    isOfAny: true,
    message: [
      /java\.lang\.(?<error>NoSuch(?:Field|Method)Error|NoClassDefFoundError)\b/,
      /java\.lang\.(?<error>AbstractMethodError|IncompatibleClassChangeError)\b/,
    ],
  },
  "connection-failed": {
    isShared: true,
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
  "network-alias-unknown": {
    isShared: true,
    message: [
      /Failed to find config network|Failed to read network file/,
      /Failed to find network\b/,
      /\bnetwork "[^"\n]{1,60}" not found/,
    ],
  },
  "account-key-missing": { message: /Missing signing key for account (?<account>[GM]\w{20,80})/ },
  "secret-unreadable": {
    message: [/cannot parse secret \(S\) or seed phrase/, /invalid secret (?:key|seed)\b/i],
  },
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
    isShared: true,
    message: [
      /(?<!json: )(?:could not|cannot) unmarshal/i,
      /Input buffer too short/,
      /unmarshall?ing .{0,60}(?:transaction|envelope)/i,
    ],
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
  "contract-error-of-old-host": { message: /\bStatus\(ContractError\((?<number>\d{1,10})\)\)/ },
  "trap-of-old-host": {
    message: [
      /\bStatus\(VmError\((?<trap>\w{1,40})\)\)(?=[\s\S]{0,2000}?caught panic from contract function '(?:Symbol\()?(?<function>\w{1,32}))/,
      /\bStatus\(VmError\((?<trap>Trap\w{1,40})\)\)/,
    ],
  },
  "entry-of-old-host": {
    message: /\bStatus\(HostStorageError\((?<code>AccessToUnknownEntry|MissingKeyInGet)\)\)/,
  },
  "status-of-old-host": { message: /\bStatus\((?<type>\w{1,30})\((?<code>\w{1,40})\)\)/ },
  "queue-full": {
    isShared: true,
    message: [/\bTRY_AGAIN_LATER\b/, /transaction queue is full/i],
  },
  "declined-by-user": {
    isShared: true,
    message: [
      /user (?:rejected|declined|denied|cancell?ed)/i,
      /(?:rejected|declined|denied|cancell?ed|closed|aborted) by (?:the )?user/i,
      /user closed the (?:modal|popup|window)/i,
      /pop-?up (?:window )?(?:was )?closed/i,
      /user refused|StellarUserRefused|request rejected on your device/i,
    ],
  },
  "wallet-absent": {
    isShared: true,
    message: [
      /(?:wallet|freighter|extension) (?:is |was )?not (?:connected|installed|found|detected)/i,
      /(?:wallet|freighter|extension) (?:is )?locked/i,
      /(?:please )?install freighter|failed to connect (?:to )?(?:the |your )?wallet/i,
      /no wallet (?:is |was )?(?:connected|found|selected|detected)/i,
      /is not currently connected to Freighter/i,
    ],
  },
  // Freighter, when it also names the network of the transaction.
  "wallet-stays-on-network": {
    message: [
      /Freighter is set to main ?net\b[\s\S]{0,99}\bon Public Global/i,
      /Freighter is set to test ?net\b[\s\S]{0,99}\bon Test SDF/i,
    ],
  },
  "wallet-on-other-network": {
    isShared: true,
    message: [
      /network mismatch|(?:wrong|different) network/i,
      /passphrase .{0,40}(?:differ|mismatch)/i,
      // Freighter also says this of a transaction of its own network, which it then names twice.
      /Freighter is set to(?! main ?net[\s\S]{0,99}Public| test ?net[\s\S]{0,99}Test SDF)/i,
      /(?<!Freighter is set to [\s\S]{0,60})transaction you['’]?re trying to sign is on/i,
    ],
  },
  "flagged-by-scanner": {
    isShared: true,
    message: [
      /flagged as (?:malicious|suspicious)/i,
      /transaction (?:was|has been) (?:flagged|found to be) (?:malicious|suspicious)/i,
    ],
  },
  "signature-not-valid": { isGeneral: true, message: /\binvalid transaction signature\b/i },
  "device-parameter": {
    message:
      /Trezor: Parameter "(?<parameter>\w{1,40})" has invalid type\. "(?<type>\w{1,20})" expected/,
  },
  "submission-unsure": {
    message: /not certain about its status: it could either succeed or fail/,
  },
  "wallet-failed": { message: /wallet encountered an internal error/i },
  "device-blind-signing": {
    message: /(?:hash|blind)[ -]?signing (?:is )?not enabled|HashSigningNotEnabled/i,
  },
  "device-status": {
    message: /(?:UNKNOWN_ERROR|Ledger|APDU|TransportStatus)[^\n]{0,80}?0x(?<status>[0-9a-f]{4})\b/i,
  },
  "device-not-reached": {
    message: [
      /U2F browser support|TransportOpenUserCancelled|TransportInterfaceNotAvailable/i,
      /TransportRaceCondition|LockedDeviceError|DisconnectedDevice\w{0,20}/i,
      /NoDevice(?:Found)?Error|No device selected|Unable to claim interface/i,
      /Failed to (?:open|claim)[^\n]{0,20}(?:device|interface)|device (?:is )?already open/i,
      /Access denied to use Ledger|navigator\.(?:usb|hid) is undefined|WebUSB|WebHID/i,
      /Ledger (?:connection|device)[^\n]{0,40}(?:error|failed|not (?:found|connected)|could not)/i,
      /could not connect to your Ledger/i,
    ],
  },
  "relayer-busy": {
    message: /Too many transactions queued|POOL_CAPACITY|no channel (?:is )?available/i,
  },
  "rust-too-old": {
    isOfAny: true,
    message:
      /requires rustc (?<needed>[\d.]{1,12}) or newer, while [^\n]{0,40} is (?<active>[\d.]{1,12})/,
  },
  "crate-undeclared": {
    isOfAny: true,
    message:
      /(?:undeclared crate or module|unresolved module or unlinked crate) `(?<crate>[\w-]{1,60})`/,
  },
  "module-not-found": {
    isOfAny: true,
    message: [
      /(?:Can't resolve|Cannot find (?:module|package)) ["'`](?<module>[^"'`\n]{1,120})["'`]/,
      /(?:[Ff]ailed to resolve import|[Cc]ould not resolve|[Uu]nable to resolve module|Failed to resolve entry for package|No module named) ["'`](?<module>[^"'`\n]{1,120})["'`]/,
    ],
  },
  "two-versions-of-crate": {
    isOfAny: true,
    message: [
      /(?:two|multiple) (?:different )?versions of crate `(?<crate>[\w-]{1,60})`/,
      /perhaps two different versions of crate `(?<crate>[\w-]{1,60})`/,
    ],
  },
  "symbol-too-long": { message: /symbol too long|short symbols are limited to/ },
  "link-failed": {
    isOfAny: true,
    message: [
      /linking with `[^`\n]{1,80}` failed|rust-lld: error: [^\n]{1,160}/,
      /symbol `[^`\n]{1,80}` (?:is already defined|multiply defined)|duplicate symbol/,
    ],
  },
  "toolchain-missing": {
    isOfAny: true,
    message: [
      /toolchain '(?<part>[^'\n]{1,80})' is not installed/,
      /component '(?<part>[^'\n]{1,80})'[^\n]{0,80} (?:is unavailable|not found)/,
    ],
  },
  "budget-report": {
    message: /Cpu limit: (?<limit>\d{1,15}); used: (?<used>\d{1,15})/,
  },
  "openssl-legacy": { isOfAny: true, message: /digital envelope routines::unsupported/ },
  "relayer-policy": {
    isShared: true,
    message: [
      /Policy violation: [^\n"]{1,160}|Token not allowed: [^\n"]{1,80}/,
      /Insufficient token payment: [^\n"]{1,120}|\bFEE_LIMIT_EXCEEDED\b/,
    ],
  },
  "wasm-tool-refused": {
    message: [
      /all used features should be allowed|wasm-validator error[^\n]{0,80}/,
      /wasm-opt[^\n]{0,40}(?:error|fail)/,
    ],
  },
  "setting-missing": {
    isOfAny: true,
    message: [
      /environment variable [`'"]?(?<name>\w{1,60})[`'"]? (?:is )?(?:not (?:defined|set|found)|missing)/i,
      /(?:missing|required) env(?:ironment)? var(?:iable)?:? [`'"]?(?<name>\w{1,60})/i,
      /\b(?<name>[A-Z][A-Z\d]{0,20}_[A-Z\d_]{1,50}) (?:is |was )?not set\b/,
    ],
  },
  "bundler-warns": { isOfAny: true, message: /the request of a dependency is an expression/ },
  "device-app-limits": {
    message: [
      /StellarData(?:TooLarge|ParsingFailed)Error/,
      /firmware (?:does not|doesn't) support|hardware wallet[^\n]{0,40}(?:not supported|unsupported)/i,
    ],
  },
  "device-of-other-account": {
    message:
      /connected device does not match|signature returned by your Ledger could not be verified/i,
  },
  "walletconnect-project": {
    message: [
      /Project not found|projectId (?:is )?(?:missing|required|invalid)/i,
      /project ?id[^\n]{0,20}not (?:set|found)/i,
    ],
  },
  "option-conflict": {
    isShared: true,
    message: /the argument '(?<option>[^'\n]{1,80})' cannot be used with/,
  },
  "soroban-data-missing": {
    message: [
      /(?:missing|without|no) (?:soroban ?data|Soroban(?:Transaction)?Data|footprint)\b/i,
      /(?:missing|without|no) soroban (?:transaction )?data\b/i,
      /(?:footprint|Soroban ?(?:Transaction)?Data) (?:has not been|is not|was not) set/i,
      /(?:footprint|Soroban(?:Transaction)?Data|soroban ?data) (?:is )?missing/i,
      /sorobanData accessed when not selected/,
    ],
  },
  "core-own-fault": { message: /\b_\w{1,20}: \w{1,40} accessed when not selected/ },
  "horizon-state-invalid": { message: /STATE IS INVALID|\bToStateVerifier failed/ },
  "reingest-overlaps": {
    message: /reingest range overlaps|overlaps with Horizon's most recently ingested/,
  },
  "captive-core-ended": {
    message: /error reading frame length|unmarshalling XDR frame header[^\n]{0,40}EOF/,
  },
  "horizon-settings": { isShared: true, message: /\bInvalid config: (?<problem>[^\n]{1,200})/ },
  "lake-storage": {
    isShared: true,
    message: [
      /storage\.objects\.|NoSuchBucket|InvalidAccessKeyId|The specified bucket does not exist/,
      /Error uploading ledger|datastore[^\n]{0,60}(?:does not exist|not found|denied|error)/i,
    ],
  },
  "muxed-not-taken": {
    message: /muxed address(?:es)? (?:is |are )?not supported|does not support muxed/i,
  },
  "asset-not-authorized": {
    isShared: true,
    message: [
      /trust ?line is not authorized|not authorized to hold|AUTH_REQUIRED\b/i,
      /issuer (?:requires authorization|has not authorized)|(?:account|trust ?line) is frozen/i,
    ],
  },
  "not-in-browsers": {
    isOfAny: true,
    message: /\b(?<global>Buffer|global|process) is not defined/,
  },
  "option-value-wrong": {
    isShared: true,
    message: /invalid value '(?<value>[^'\n]{0,80})' for '(?<option>[^'\n]{1,80})'/,
  },
  "option-value-missing": {
    isShared: true,
    message: /a value is required for '(?<option>[^'\n]{1,80})'/,
  },
  "parameter-missing": { message: /Missing required parameter:? ['"`]?(?<parameter>\w{1,60})/i },
  "settings-not-toml": { message: /TOML parse error at line (?<at>\d{1,6})/ },
  "test-did-not-panic": { isOfAny: true, message: /test did not panic as expected/ },
  "wasm-floating-point": {
    message:
      /floating[ -]point (?:instruction|support)[^\n]{0,20}(?:disallowed|disabled|not enabled)/i,
  },
  "wasm-feature-not-enabled": { message: WASM_FEATURE },
  // x402-foundation/x402, typescript/packages/mechanisms/stellar.
  "facilitator-refused": {
    message: /\b(?<reason>(?:invalid|settle)_exact_stellar_\w{3,60})/,
  },
  // Horizon's answers when it submits for a client that does not wait.
  "core-failed": {
    isShared: true,
    message:
      /transaction_submission_(?:failed|exception)|Transaction Submission (?:Failed|Exception)/,
  },
  "blocked-by-browser": {
    isOfAny: true,
    message: /blocked by CORS policy|Cross-Origin Request Blocked|Access-Control-Allow-Origin/i,
  },
  "answer-of-other-release": {
    message: /jsonrpc error: Parse error|missing field `\w{1,60}` at line \d+/i,
  },
  "funded-already": { message: /account already funded/i },
  "funding-failed": {
    message: [
      /unable to fund account/i,
      /friendbot (?:is )?not (?:available|supported|configured)|no friendbot\b/i,
    ],
  },
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
    isShared: true,
    message:
      /reading '(?<field>result_codes|extras|data|response|results?|retval|status|operations)'/,
  },
  "answer-not-json": {
    isShared: true,
    message: [
      /Unexpected token '?<|<!DOCTYPE html/i,
      /invalid character '<' looking for beginning of value/,
    ],
  },
  "xdr-object-absent": {
    message: [
      /reading '(?:switch|toXDR|_attributes|_arm|_value)'/,
      /\b(?:switch|toXDR|_attributes|isValid) is not a function/,
    ],
  },
  "sdk-xdr-constructors": { message: /new xdr\.\w{1,80}\(\.{3}\) is not supported/ },
  "transaction-not-found": {
    isShared: true,
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
    isOfAny: true,
    message: /Do not know how to serialize a BigInt|cannot serialize BigInt/i,
  },
  "bindings-without-type": { message: /could(?:n't| not) be parsed by \w{1,40}_to_ts\b/ },
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
  "token-without-wasm": { message: /contract code data type: [^\n]{0,40}ContractCode\(Token\)/ },
  "xdr-arm-not-set": {
    isGeneral: true,
    message: [
      /\bTypeError: (?<arm>[a-z]\w{0,40}) not set\b/,
      /(?<=^|: )(?<arm>v\d|contractFn|invokeContract|createContract\w*|results|tr) not set\b/m,
    ],
  },
  "xdr-unreadable": {
    isGeneral: true,
    message: [
      /bad union switch|XDR (?:Read|Write) Error|unknown (?:enum|discriminant)|xdr value invalid/i,
      /\b[A-Z]\w{2,60}: unknown (?:type|v|code|kind) -?\d{1,10}\b/,
      /xdr (?:value|padding) [a-z ]{3,40}|(?:depth|length) limit exceeded/i,
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
    // Of its interface, or of a file, something else is missing.
    message:
      /contract(?:(?! spec|interface|function|method|file).){0,70}not found|missing contract/i,
  },
  "entry-archived": {
    isGeneral: true,
    message: [
      /\b(?:restore|archived)\b.{0,60}(?:contract|entr(?:y|ies)|state)\b/i,
      /\bentr(?:y|ies)\b.{0,30}\barchived\b/i,
      /\b(?:entr(?:y|ies)|storage|instance) (?:ha[sv]e? |is |are |was )?(?:expired|archived)\b/i,
      /restorePreamble/,
    ],
  },
  "timed-out": {
    isGeneral: true,
    // `setTimeout` and `TIMEOUT_INFINITE` are names in programs.
    message: [
      /timed[ -]?out|(?<!set|TimeBounds[^\n]{0,60})(?<!_)timeout(?!_|\()|time out(?! of)/i,
      /gateway time/i,
      httpStatus("504"),
      /context deadline exceeded|DeadlineExceeded/,
    ],
  },
  "rate-limited": {
    isGeneral: true,
    message: [/too many requests|rate limit/i, httpStatus("429")],
  },
  "refused-without-reason": {
    isGeneral: true,
    message: [
      /network rejected (?:the|your) transaction|transaction was rejected by (?:the )?network/i,
      /\btransaction submission (?:failed|error)\b/i,
      /status code 400|400 bad request|^transaction[ _]failed$/i,
      /horizon-errors\/transaction_failed/,
      /responded with status 400|HttpResponseException: Bad Request/i,
      /horizon error: "(?:Bad Request|Transaction Failed)"/i,
      // The end of a trace whose message was left out.
      /\braise BadRequestError\(/,
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
    message: /resource missing|horizon-errors\/not_found|missing result in successful response/i,
  },
  "envelope-malformed": {
    isGeneral: true,
    message: /transaction.malformed/i,
  },
  "node-behind-gateway": { isGeneral: true, message: [httpStatus("502"), /bad gateway/i] },
  "node-behind": {
    isGeneral: true,
    message: [/stale_history|too stale|over capacity/i, httpStatus("503"), /service unavailable/i],
  },
  "before-history": {
    isGeneral: true,
    message: /before_history|before recorded history/i,
  },
  "invoke-aborted": { message: /InvokeError::Abort|`Err` value: (?:Err\()?Abort\b\)?/ },
  "page-not-trusted": {
    isGeneral: true,
    message: [
      /Untrusted (?:Transaction )?Domain/i,
      /(?:domain|site|page|dapp) (?:is )?not (?:on the allow ?list|trusted|allowed|authorized)/i,
      /(?:site|page|dapp) (?:is )?not connected/i,
      /not been (?:allow(?:ed|listed)|granted access)/i,
    ],
  },
  "node-wants-key": {
    isGeneral: true,
    message: [
      /(?:missing|invalid|no|wrong|unknown|expired)[ _-]?api[ _-]?key/i,
      /api key (?:is )?(?:missing|invalid|required|not valid)|status code 40[13]\b/i,
      /\b401 Unauthorized|\b403 Forbidden/i,
      /^\W*unauthorized\W*$|authentication (?:is )?required|not authenticated/i,
    ],
  },
  "dependency-not-compiled": {
    isGeneral: true,
    message:
      /could not compile `(?<crate>(?:soroban|stellar)-(?:env|sdk|spec|xdr|strkey|ledger|builtin|wasmi|cli)[\w-]{0,40}|ed25519-dalek|escape-bytes|crate-git-revision|ethnum|num-bigint|curve25519-dalek|generic-array|proc-macro2|serde_with|k256|p256|ark-[\w-]{1,40}|arbitrary|libudev-sys|hidapi|openssl-sys)`/,
  },
  "sdk-method-absent": {
    isGeneral: true,
    message: [
      /no (?:method|function or associated item|variant or associated item) named `(?<name>\w{1,60})` found for [^\n]{0,40}`[^`\n]{0,20}(?:soroban_|stellar_|Env\b|Address\b)/,
      /unresolved import `(?:soroban_sdk|stellar_xdr|soroban_env_\w{1,20}|stellar_\w{1,30})::(?<name>[\w:]{1,80})`/,
      /unresolved imports `(?:soroban_sdk|stellar_xdr|soroban_env_\w{1,20})::(?<name>[\w:]{1,80})`/,
      /no `(?<name>\w{1,60})` in the root/,
    ],
  },
  "node-not-in-sync": {
    isGeneral: true,
    message: [
      /Lost track of consensus|Lost sync, local LCL|Out of sync context/i,
      /\bwaiting for ready state\b|waiting for ingestion to catch up/i,
      /Catching up to ledger \d+|Joining SCP|awaiting checkpoint/i,
      /Waiting for trigger ledger|data stores are not initialized/i,
      /since last known ledger closed is too high/i,
    ],
  },
  "memo-required": {
    isGeneral: true,
    message: [
      /\brequires? (?:a |the )?memo\b|\bmemo (?:is )?(?:required|missing)\b/i,
      /\bmissing (?:a |the )?memo\b/i,
      /\bmemo requirements\b|requires the use of the memo/i,
    ],
  },
  "allowance-too-small": {
    isGeneral: true,
    message: /(?:insufficient|not enough|exceeds|low) ?allowance|\bAllowanceError\b/i,
  },
  "already-initialized": {
    isGeneral: true,
    message: /already[ -]?(?:been )?initiali[sz]ed/i,
  },
  "not-initialized": {
    isGeneral: true,
    message: /(?:not|un)[ -]?(?:been |yet )?initiali[sz]ed/i,
  },
  "amount-refused": {
    isGeneral: true,
    message: [
      /amount (?:must be|should be|is not|has to be) (?:positive|greater|above|more)/i,
      /negative ?amount|\bInvalidAmount\b|\bzero amount/i,
    ],
  },
  "caller-refused": {
    isGeneral: true,
    message: [
      /\bonly (?:the )?(?:admin|owner|issuer|operator)\b|caller is not (?:the |an )?\w{3,20}/i,
      /unauthorized ?(?:caller|error)\b|\bNot(?:Admin|Owner)\b|\bOnly(?:Admin|Owner)\b/i,
    ],
  },
  "arithmetic-named": {
    isGeneral: true,
    message: /\b(?:Math|Arithmetic)(?:Overflow|Underflow|Error)\b|\bDivisionByZero\b/,
  },
  "pool-absent": {
    isGeneral: true,
    message:
      /(?:pool|pair) (?:does not|doesn['’]t) exist|(?:pool|pair) ?(?:was )?not ?found|PairDoesNotExist/i,
  },
  "limit-exceeded": {
    isGeneral: true,
    message: [
      /(?:instructions?|cpu|memory|resource|read|write)(?: bytes)? limit (?:is |was )?exceeded/i,
      /(?:events?|entry|key|tx|transaction)(?: size)? limit (?:is |was )?exceeded/i,
      /too many (?:events|(?:read|write|footprint) entries)|ledger entry (?:is )?too large/i,
    ],
  },
  "signatures-too-few": {
    isGeneral: true,
    message: [
      /threshold (?:is |was )?not (?:met|reached)/i,
      /not enough sign(?:ers|atures)|too few signatures/i,
      /\b\d{1,2} of \d{1,2} signatures\b/i,
    ],
  },
  "signature-not-verified": {
    isGeneral: true,
    message: [
      /\b(?:bad|invalid|wrong) signature\b|signature (?:is )?(?:invalid|not valid)/i,
      /(?:Secp256[rk]1|Ed25519)(?:Verify(?:Failed|Error)|InvalidSignature|BadSignature)/,
      /secp256[rk]1 (?:signature )?verif(?:y|ication) failed/i,
    ],
  },
  "swap-refused": {
    isGeneral: true,
    message: [
      /slippage|price impact|insufficient[ _](?:output|input)[ _]amount|excessive input/i,
      /(?:swap|quote|trade|router)[^\n]{0,40}(?:deadline|expired)|quote has expired/i,
      /insufficient liquidity|liquidity pool is empty|\bno (?:route|path) (?:was )?found/i,
      /Insufficient(?:Output|Input|Liquidity)\w{0,20}|(?:Expired|Exceeded)Deadline/,
      /Deadline(?:Expired|Passed)\b/,
    ],
  },
  "position-unhealthy": {
    isGeneral: true,
    message:
      /health factor|position is unhealthy|under-?collaterali[sz]ed|insufficient collateral/i,
  },
  "oracle-without-price": {
    isGeneral: true,
    message: [
      /(?:oracle|price ?feed|reflector)[^\n]{0,60}(?:stale|none|not found|no price)/i,
      /(?:oracle|price ?feed|reflector)[^\n]{0,60}(?:outdated|too old)/i,
      /price (?:is )?(?:stale|too old|outdated)/i,
    ],
  },
  "contract-paused": {
    isGeneral: true,
    message: /(?:contract|pool|vault|protocol|market) is (?:paused|frozen)|EnforcedPause/i,
  },
  "signature-expired": {
    isGeneral: true,
    message:
      /signature (?:has )?expired|expired signature|authorization (?:entry )?(?:has )?expired/i,
  },
  "wasm-not-on-chain": {
    isGeneral: true,
    message: /wasm (?:hash |code )?(?:was )?not found|contract code not found/i,
  },
  "request-too-large": {
    isGeneral: true,
    message: [
      httpStatus("413"),
      /request (?:entity|body) too large|payload too large|413 Request/i,
    ],
  },
  "anchor-wants-customer": {
    isGeneral: true,
    message: /customer_info_(?:needed|status)|\bKYC\b[^\n]{0,40}(?:not|required|needed|pending)/i,
  },
  "json-unlike-type": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /Accessed J(?:Array|Object) values with invalid key/,
      /json: cannot unmarshal|JSONDecodeError|JsonSyntaxException|JsonException|FormatException: /,
      /type '[^'\n]{1,60}' is not a subtype of type|keyNotFound\(|typeMismatch\(|dataCorrupted\(/,
    ],
  },
  "file-missing": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /No such file or directory|The system cannot find the (?:file|path)|\bENOENT\b/,
      /FileNotFoundError|FileNotFoundException/,
    ],
  },
  "file-not-allowed": {
    isOfAny: true,
    isGeneral: true,
    message: /Permission denied \(os error 13\)|\bEACCES\b|Operation not permitted|PermissionError/,
  },
  "disk-full": {
    isOfAny: true,
    isGeneral: true,
    message: /No space left on device|\bENOSPC\b|disk quota exceeded/i,
  },
  "memory-full": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /memory\sallocation of \d+ bytes failed|OOMKilled|heap out of memory|Cannot allocate memory/,
      /signal: 9, SIGKILL|exit code:? 137\b/,
    ],
  },
  "stack-overflow": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /Maximum call stack size exceeded|overflowed its stack|RecursionError|StackOverflowError/,
      /fatal runtime error: stack overflow/,
    ],
  },
  "build-script-failed": {
    isOfAny: true,
    isGeneral: true,
    message: /failed to run custom build command for `(?<crate>[\w-]{1,60})/,
  },
  "unwrap-of-nothing": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /called `Option::(?:unwrap|expect)\(\)` on a `None` value/,
      /called `Result::unwrap_err\(\)` on an `Ok` value/,
    ],
  },
  "value-absent-in-program": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /Cannot (?:read|set) propert(?:y|ies) of (?:undefined|null) \((?:read|sett)ing '(?<field>[^'\n]{1,60})'\)/,
      /Cannot (?:read|destructure) property '(?<field>[^'\n]{1,60})' of/,
      /(?:undefined|null) is not an\sobject \(evaluating '(?<field>[^'\n]{1,80})'\)/,
      /'NoneType' object has no attribute '(?<field>[^'\n]{1,60})'/,
      /Call to a member function (?<field>\w{1,60})\(\) on null/,
      /undefined method [`'](?<field>\w{1,60})' for nil/,
      /\b[\w$.]{1,80}\.(?<field>\w{1,60}) is undefined\b/,
      /NullPointerException|Object reference not set|Null check operator used on a null value/,
      /unexpectedly found nil|nil pointer dereference/,
      /\b(?<field>\w{1,60}) cannot be null\s+Parameter name/,
    ],
  },
  "function-absent": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /(?<name>[\w$.()]{1,80}) is not a function\b/,
      /has no attribute '(?<name>\w{1,60})'/,
      /Call to undefined (?:method|function) (?<name>[\w:\\]{1,120})/,
    ],
  },
  "name-undefined": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /ReferenceError: (?<name>[\w$]{1,60}) is not defined/,
      /NameError: name '(?<name>\w{1,60})' is not defined/,
      /Can't find variable: (?<name>[\w$]{1,60})/,
    ],
  },
  "go-panic": {
    isOfAny: true,
    isGeneral: true,
    message: /(?:^|\n)panic: (?<problem>[^\n]{1,160})/,
  },
  "typescript-refused": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /\bTS(?<code>\d{4,5}): [^\n]{1,160}/,
      /\bts\((?<code>\d{4,5})\)/,
      /Cannot find name '\w{1,80}'|' is not assignable to (?:type|parameter of type) '/,
      /Property '\w{1,80}' does not exist on type|Object is possibly '(?:undefined|null)'/,
    ],
  },
  "rust-not-compiled": {
    isOfAny: true,
    isGeneral: true,
    message: [
      /error\[(?<code>E\d{4})\]: [^\n]{1,160}/,
      /error: could not compile `(?<crate>[\w-]{1,60})`/,
      /error: cannot find (?:macro|attribute|derive macro) `[^`\n]{1,60}`/,
      /error: [^\n]{1,200}\n\s{0,12}--> [^\n]{1,160}\.rs:\d{1,6}:\d{1,5}/,
    ],
  },
  "tests-failed": {
    isOfAny: true,
    isGeneral: true,
    message: /test result: FAILED|test failed, to rerun pass/,
  },
  "rust-panic": {
    isOfAny: true,
    isGeneral: true,
    message:
      /panicked at (?:'[^'\n]{0,160}', )?(?<place>[^\s:'][^\n:']{0,160}\.rs:\d{1,6}:\d{1,5})/,
  },
  "node-internal": {
    isGeneral: true,
    message: [
      /internal (?:server )?error|-32603|horizon-errors\/(?:internal_)?server_error/i,
      httpStatus("500"),
    ],
  },
  "method-unknown": {
    isGeneral: true,
    message: /method not found|-32601/i,
  },
  "parameters-invalid": {
    isGeneral: true,
    message: /invalid[ _](?:param|request)|-32602|-32600|-32700/i,
  },
  "node-unreachable": {
    isGeneral: true,
    message: [
      /econnrefused|enotfound|eai_again|econnreset|socket hang up|fetch failed/i,
      /network ?error|connection (?:refused|reset|aborted)|no such host/i,
      /name or service not known|Failed host lookup|UnknownHostException|NSURLErrorDomain/i,
      /Could not connect to the server|Max retries exceeded/i,
      // As browsers say it.
      /error sending request|failed to fetch\s*(?:$|[\n("'`,;}])|(?:^|: )load failed\s*(?:$|\n)/i,
      /unexpected EOF|: EOF\s*$|tls: handshake|upstream connect error|broken pipe/i,
      /ERR_(?:CONNECTION|NETWORK|NAME_NOT|INTERNET)\w{0,40}/,
      /Cannot connect to host|Temporary failure in name resolution|getaddrinfo failed/,
      /Failed to establish a new connection|nodename nor servname/,
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
    message: [
      /(?:does not|doesn['’]t|must) trust|(?:no|missing) trust ?line|trust ?line (?:is )?(?:missing|required|not found)/i,
      /needs? a trust ?line/i,
      /trust ?line\b[^\n]{0,90}\b(?:missing|required|not found|does not exist)/i,
      /(?:does not|doesn['’]t|must opt to) accept (?:this|the|that) asset/i,
    ],
  },
  "funds-insufficient": {
    isGeneral: true,
    message: [
      /(?:insufficient|not enough) (?:funds|balance|xlm|lumens?|native)/i,
      /(?:cannot|can['’]t|could not) afford|below (?:the )?minimum balance/i,
      /(?<!zero )balance is not sufficient(?! to spend)|not enough reserve|insufficient reserve/i,
      /(?:needs?|at least) [\d.]{1,12} XLM\b|maximum spendable|\bnot funded\b/i,
    ],
  },
  "horizon-problem": {
    isGeneral: true,
    message: /horizon-errors\/(?<problem>\w{3,60})/,
  },
  "command-failed": {
    isOfAny: true,
    isGeneral: true,
    message: /Process completed with exit code \d{1,3}|Command failed with exit code \d{1,3}/,
  },
} as const satisfies Readonly<Record<string, ToolMessageRow>>;
