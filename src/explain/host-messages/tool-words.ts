// The meaning of each message of stellar-cli, an SDK, a node, a wallet or a relayer, and the
// remedy.

import { phrase, svc, type Wording, withTexts } from "../../base/phrase.ts";
import { cutVisibly, quotedText } from "../../base/text/neutralise.ts";
import { sentenceStart } from "../../base/text/sentence.ts";
import { messageIn } from "../../xdr/outcome/host-messages.ts";
import { TOOL_MESSAGES } from "../../xdr/outcome/tool-messages.ts";
import { isOfOthers, namesNothingOfStellar } from "../../xdr/outcome/tool-origins.ts";
import { messageOfSources, type SourceRow } from "../../xdr/outcome/tool-sources.ts";
import { REBUILD_WITHOUT_FEATURES } from "./refusal-words.ts";
import { INTERFACE_HELP, SOURCE_WORDS, type ToolWords } from "./source-words.ts";
import { tellingLines, withoutFrames } from "./telling-lines.ts";

type ToolRow = keyof typeof TOOL_MESSAGES | SourceRow;

const MESSAGE_WORDS: Readonly<Record<keyof typeof TOOL_MESSAGES, ToolWords>> = {
  "codes-not-shown": {
    meaning:
      "The console has shortened the answer: the codes that say what failed are behind [Array] or [Object].",
    remedy: "Print `JSON.stringify(error.response.data.extras.result_codes)`, and pass that.",
  },
  "result-not-shown": {
    meaning:
      "The console has shortened the answer: the result that says what failed is behind words in brackets, such as [Array].",
    remedy:
      'Print `answer.errorResult.toXDR("base64")` (or `resultXdr` of getTransaction), and pass that.',
  },
  "resource-fee-above-fee": {
    meaning:
      "A node refused the transaction before it ran: its resource fee is above its whole fee, which contains it.",
    remedy:
      "Set the fee to the resource fee of the simulation plus an inclusion fee for the operation; `assembleTransaction` " +
      "and `prepareTransaction` of SDKs do so.",
  },
  "resource-fee-too-low": {
    meaning:
      "A node refused the transaction before it ran: its resource fee does not pay for the resources that it declares.",
    remedy:
      "Simulate again, and send it with the simulated resource fee and transaction data unchanged.",
  },
  "footprint-key-twice": {
    meaning:
      "A node refused the transaction before it ran: its footprint names an entry twice, or as read-only and as read-write.",
    remedy:
      "Name each entry once: as read-write if the call writes it. A simulation returns such a footprint.",
  },
  "soroban-memo-or-muxed": {
    meaning:
      "A node refused the transaction before it ran: a contract's transaction with authorizations of its source may " +
      "not have a memo or a muxed source account.",
    remedy:
      "Remove the memo, and use the account's address (G…) as the source. What a contract needs to know goes into its arguments.",
  },
  "archived-entries-declared": {
    meaning:
      "A node refused the transaction before it ran: its list of archived entries to restore does not fit its footprint " +
      "or the network's protocol ({line}).",
    remedy: "Take the whole transaction data of a new simulation, without changing its footprint.",
  },
  "footprint-invalid": {
    meaning:
      "A node refused the transaction before it ran: its footprint or its TTL does not fit its operation ({line}).",
    remedy:
      "A restoration has its entries as read-write, an extension of a TTL has them as read-only. A simulation returns " +
      "the right footprint.",
  },
  "code-above-maximum": {
    meaning: "The wasm is larger than the network allows.",
    remedy:
      'Make it smaller: build with `--optimize`, `opt-level = "z"` and `lto = true`, leave out dependencies, or divide the contract.',
  },
  "target-unsupported": {
    meaning:
      "The crate soroban-sdk refuses to be built for wasm32-unknown-unknown with Rust 1.82 or later: that target turns features " +
      "of WebAssembly on that contract hosts do not accept.",
    remedy:
      "`rustup target add wasm32v1-none`, and build with `stellar contract build` or `--target wasm32v1-none`. A tool " +
      "that sets the other target has to be updated.",
  },
  "rust-version-unfit": {
    meaning: "Contracts cannot be built with this version of Rust.",
    remedy:
      "Install a later one (`rustup update stable`), and check rust-toolchain.toml for a version.",
  },
  "tool-panicked": {
    meaning:
      "The tool itself failed at {place}: it is a fault of the tool, not an answer of the network.",
    remedy:
      "Look above it first: if the transaction was sent, it can be in a ledger. Then update the tool, check how the " +
      "arguments are written, and report it to its authors.",
  },
  "type-not-convertible": {
    meaning:
      "The contract's code uses a type where only one that contracts can pass and store is possible: {bound} does not hold.",
    remedy:
      "Add `#[contracttype]` and `Clone` to your own type, and use those of soroban_sdk in place of String, Vec, usize or f64. " +
      "If both types look the same, two versions of soroban-sdk are in use (`cargo tree -d`).",
  },
  "dependency-not-compiled": {
    meaning:
      "A package that the contract depends on, {crate}, could not be compiled: its version does not fit the Rust compiler, the target or " +
      "the versions of other packages.",
    remedy:
      "Use a current release of soroban-sdk and Rust, the same version of it everywhere (`cargo tree -d`), and the target " +
      "wasm32v1-none. `cargo update` chooses later fitting packages; a pre-release needs exactly its own versions.",
  },
  "testutils-in-wasm": {
    meaning:
      "The feature `testutils` of soroban-sdk, which is only for tests, is on while the contract is built for Wasm.",
    remedy:
      'Name `features = ["testutils"]` only under `[dev-dependencies]`, also in the workspace and in other contracts that the contract depends on, and ' +
      'use `resolver = "2"`. Build with `stellar contract build`.',
  },
  "contract-crate-twice": {
    meaning:
      "Two packages bring the panic handler of a contract: {crate} is in the build twice, in two versions or from two places, or Rust's standard library is in it too.",
    remedy:
      "`cargo tree -d` shows who needs which version of it: use one everywhere, also for crates of OpenZeppelin and others. Write `#![no_std]` in the contract, and turn " +
      "off the default features of what needs `std`.",
  },
  "std-in-contract": {
    meaning:
      "A contract is built without Rust's standard library, and something in it needs that library.",
    remedy:
      "Write `#![no_std]` in the contract, turn off the default features of its dependencies, and use what needs `std` only " +
      "in tests. soroban-sdk brings the panic handler; its feature `alloc` brings an allocator.",
  },
  "cargo-edition": {
    meaning: "A package is of a later edition of Rust than this cargo knows.",
    remedy: "Update Rust (`rustup update stable`), or use an older version of that package.",
  },
  "cargo-not-resolved": {
    meaning: "Cargo finds no version of {crate} that fits all that need it, or cannot fetch it.",
    remedy:
      "Use one version of soroban-sdk for all packages, run `cargo update`, and check the name and the connection. A pre-release " +
      "has to be named in full (`=26.0.0-rc.1`).",
  },
  "cargo-manifest": {
    meaning: "Cargo cannot use the manifest (Cargo.toml) or the lock file of this folder.",
    remedy:
      "Run the command in the folder of the contract, or pass `--manifest-path`; list the package in `members` of the workspace; " +
      "leave `--locked` out once to write the lock file again.",
  },
  "linker-missing": {
    meaning: "This machine has no linker, {linker}, so Rust cannot build programs on it.",
    remedy:
      "Install the build tools of the system: `build-essential` on Debian, Xcode's command line tools on macOS, the C++ build tools " +
      "of Visual Studio on Windows.",
  },
  "system-library-missing": {
    meaning:
      "The program needs a library of the system, {library}, which is missing here or is too old.",
    remedy:
      "Install it (for stellar-cli: `libudev-dev`, `libdbus-1-dev` and `pkg-config` on Debian), or take a release that " +
      "was built for this system.",
  },
  "program-not-found": {
    meaning: "The shell finds no program {program}: it is not installed, or not in the PATH.",
    remedy:
      "Install it, and open a new shell. stellar-cli is one program, `stellar`; `soroban` was its name before 2024.",
  },
  "rust-arithmetic": {
    meaning:
      "The Rust code could not {operation}: the result does not fit the type, or the divisor is zero.",
    remedy:
      "Use `checked_add`, `checked_sub`, `checked_mul` or `checked_div`, and fail with an error of the contract. On a network this shows " +
      "only as a trap.",
  },
  "assertion-failed": {
    meaning:
      "A check in the Rust code (`assert!`) does not hold: the two values below it differ, or its condition is false.",
    remedy:
      "`left` is the first value of the check, `right` the second. Decide which of them is wrong: the contract or the test.",
  },
  "sdk-name-absent": {
    meaning:
      "The program uses {name}, which the installed release of the package does not have in that place.",
    remedy:
      "Compare the program with the release (`npm ls @stellar/stellar-sdk`). Names of the SDK have moved: `Server` is `Horizon.Server`, and " +
      "`SorobanRpc` is `rpc`.",
  },
  "package-is-module": {
    meaning:
      "A package is an ES module, and the program loads it in the other way, or the other way round.",
    remedy:
      'Use `import` with `"type": "module"` in package.json, `await import(…)`, or a release of the package for CommonJS.',
  },
  "npm-failed": {
    meaning: "npm could not install the packages ({code}).",
    remedy:
      "Read the lines above it: ERESOLVE means that packages want different versions of another, E404 and ETARGET that the name or the version " +
      "does not exist, EACCES that a folder is not writable.",
  },
  "runtime-lacks": {
    meaning: "The program uses {global}, which the runtime that it runs in does not have.",
    remedy:
      "`window`, `document` and `localStorage` exist only in browsers, so not while a server renders the page. Load a polyfill for the others, as in " +
      "React Native, or use a later Node.",
  },
  "bigint-mixed": {
    meaning: "The program computes with a bigint and another kind of value at once.",
    remedy:
      "Convert both to one kind: `BigInt(value)` of an integer or its text, without a fraction. Amounts of contracts are bigints.",
  },
  "certificate-refused": {
    meaning:
      "The connection was refused because the server's certificate is not trusted or has expired. Nothing was sent.",
    remedy:
      "Check the URL, the clock of this machine and its certificates; behind a proxy, trust the proxy's certificate.",
  },
  "port-in-use": {
    meaning: "Another program uses the port that this one needs, so it did not start.",
    remedy:
      "Stop the other (`docker ps`, `stellar container stop`), or choose another port, such as `docker run -p 8001:8000 …`.",
  },
  "docker-failed": {
    meaning: "Docker did not do what it was asked to, or does not run.",
    remedy:
      "Start Docker, check `docker ps` and the name of the image, and read the words behind the message.",
  },
  "key-store-failed": {
    meaning: "The system's store for secrets could not be used.",
    remedy:
      "Unlock it, or install one (a keyring with the Secret Service on Linux); or save the key without `--secure-store`.",
  },
  "core-command-not-started": {
    meaning:
      "stellar-core could not start a program that its configuration names, such as `curl` for a history archive: it is not installed where stellar-core runs, or the system allows no more processes.",
    remedy:
      "Run the command of the log by hand as the user of stellar-core. Install the program, or raise the limits of processes and memory; the messages after it follow from this one.",
  },
  "core-database-new": {
    meaning: "The database of stellar-core is empty: it was never set up.",
    remedy: "Run `stellar-core new-db` once with the same configuration, then start stellar-core.",
  },
  "archive-command-failed": {
    meaning:
      "A command that stellar-core runs for a history archive failed: the archive does not have the file (yet), or the command may not read or write it.",
    remedy:
      "Run the command by hand as the user of stellar-core, and correct `get` or `put` of the archive in its configuration. If only the newest checkpoint is missing, " +
      "stellar-core asks again or takes another archive.",
  },
  "node-database": {
    meaning:
      "The program's own database, such as that of a node, refused a request or is not in the state that the program expects.",
    remedy:
      "Check that it runs, that no other program has it open, its password and its free disk, and that its tables are those of this release (for Horizon, " +
      "`horizon db migrate up`).",
  },
  "node-stopped": {
    meaning:
      "A program of the node stopped by itself. A transaction is not the cause that this line shows.",
    remedy:
      "Read the log of that program just before it stopped, and check that its release knows the network's protocol, that its configuration is " +
      "right, and that disk and memory suffice. In the quickstart image, the logs are below /var/log.",
  },
  "relayer-credits": {
    meaning: "The account that pays for the relayer's transactions has no credits left.",
    remedy: "Ask the owner of the relayer for more credits, or use another token of it.",
  },
  "node-too-old": {
    meaning:
      "The release of stellar-core does not know the network's protocol, so it cannot go on.",
    remedy:
      "Update stellar-core, and with it the RPC node or Horizon that runs it (or the quickstart image).",
  },
  "node-not-in-sync": {
    meaning: "The node has not caught up with the network yet, or has lost it for the moment.",
    remedy:
      "Wait until it says that it is synced (getHealth says healthy). If it never does, check its peers, its archives and that its release knows " +
      "the network's protocol.",
  },
  "passkey-answer-refused": {
    meaning:
      "The server did not accept the passkey's answer: it was made for another challenge, origin or domain than the server expects.",
    remedy:
      "Compare the two values that the message has. A challenge serves one attempt, so a second attempt or tab replaces it; " +
      "the origin and `rpId` are those of the page.",
  },
  "passkey-declined": {
    meaning:
      "The browser or the device did not use the passkey: the user declined, waited too long, or the page may not use it.",
    remedy:
      "Ask again after a click of the user. A passkey belongs to the domain (`rpId`) that it was made for, and needs HTTPS.",
  },
  "walletconnect-session": {
    meaning:
      "The WalletConnect session between the page and the wallet was not made, has ended, or does not have the network or the method that is asked for.",
    remedy:
      "Disconnect in the wallet and on the page, and connect again for `stellar:pubnet` or `stellar:testnet`.",
  },
  "device-not-reached": {
    meaning: "The page or the program could not use the Ledger device. Nothing was signed.",
    remedy:
      "Connect and unlock it, open the Stellar app, and close Ledger Live and other pages that use it. A browser needs WebUSB or WebHID, as Chrome, " +
      "Edge and Brave have it, and HTTPS.",
  },
  "page-not-trusted": {
    meaning: "The wallet has not allowed this page to ask it, so it signed nothing.",
    remedy:
      "Connect the wallet to the page again, and allow the page in the settings of the wallet.",
  },
  "popup-blocked": {
    meaning:
      "The browser blocked a window that the page opened, such as that of a wallet: nothing was signed in it.",
    remedy: "Allow windows for this page, and ask the wallet directly after a click of the user.",
  },
  "passphrase-unexpected": {
    meaning:
      "Two programs are set to different networks: one expects {expected}, the other has {given}.",
    remedy: phrase`Set the same passphrase in both. A signature for one network is not valid on another; ${svc("explain ENVELOPE")} shows for which one an envelope was signed.`,
  },
  "sequence-too-old": {
    meaning:
      "The sequence number of the transaction is {given}, and its account has used {current} already.",
    remedy:
      "Load the account again, and build and sign the transaction again with the next number.",
  },
  "swift-xdr-decoder": {
    meaning:
      "The SDK for iOS and macOS could not read the XDR of an answer. If a transaction was being sent, it can be in a ledger all the same.",
    remedy:
      "Ask for the transaction's hash first. Then update the SDK: it is usually older than the network's protocol.",
  },
  "swift-error-number": {
    meaning:
      "An error of the SDK for iOS and macOS ({type}), of which Swift prints only the number, {number}: the reason is in its fields.",
    remedy:
      "Print the case with its message, such as with `StellarSDKLog.printHorizonRequestErrorMessage`, and pass that.",
  },
  "answer-cut-off": {
    meaning:
      "The HTTP client has cut the answer off: the codes that say what failed are behind “(truncated...)”.",
    remedy:
      "Print the whole body, such as `(string) $e->getResponse()->getBody()`, and pass it: `extras.result_codes` has the reason.",
  },
  "time-bounds-not-set": {
    meaning:
      "The program builds a transaction without a time bound, which the SDK does not allow. Nothing was sent.",
    remedy:
      "Set a timeout of 30 to 300 seconds when you build it (`setTimeout`), or the time bounds themselves.",
  },
  "submission-disabled": {
    meaning: "This Horizon takes no transactions: its owner has turned that off.",
    remedy: "Send the same envelope to another Horizon or to an RPC node.",
  },
  "node-wants-key": {
    meaning:
      "The server did not allow the request: it wants a key or a permission that the request does not have.",
    remedy: phrase`Pass the key as the provider says (in the URL or a header), and check that the plan includes the method. ${svc("doctor")} tries each node.`,
  },
  "anchor-wants-token": {
    meaning: "The server wants a token from a web authentication, and got none that is valid.",
    remedy:
      "Do the web authentication (SEP-10 or SEP-45) again, and send the new token as `Authorization: Bearer …`.",
  },
  "go-panic": {
    meaning: "The Go program itself failed: {problem}",
    remedy:
      "The first own function in the stack below it is the place. It is no answer of the network.",
  },
  "typescript-refused": {
    meaning:
      "The TypeScript compiler does not accept the program: its types or its syntax do not fit.",
    remedy:
      "Compare the types with the installed release of the SDK: a wallet, a contract's bindings and the program must use the same one (`npm ls @stellar/stellar-sdk`).",
  },
  "rust-not-compiled": {
    meaning:
      "The Rust compiler does not accept the code, so there is nothing to deploy or to test.",
    remedy:
      "The first error has the place and the reason; `rustc --explain CODE` explains a code such as E0277. If the code is not yours, " +
      "the versions of the packages do not fit each other.",
  },
  "tests-failed": {
    meaning: "A unit test failed. The lines above this one say which and why.",
    remedy: "Pass the part of the failed test (`---- NAME stdout ----`), with its log of events.",
  },
  "memo-required": {
    meaning: "The destination asks for a memo (SEP-29), and the transaction has none.",
    remedy:
      "Add the memo that the receiver, such as an exchange, gave you: without it, the receiver may not " +
      "know whose payment it is.",
  },
  "two-versions-of-crate": {
    meaning:
      "The program has two versions of {crate} at once: their types are different ones, even if they have the same name.",
    remedy:
      "Use one version everywhere: `cargo tree -d` shows who needs which. A library of contracts fixes the version of soroban-sdk that it was made for.",
  },
  "symbol-too-long": {
    meaning:
      "`symbol_short!` takes at most 9 letters, digits and underscores, and the text is longer.",
    remedy: "Shorten it, or use `Symbol::new(&env, …)`, which takes up to 32.",
  },
  "link-failed": {
    meaning:
      "The linker could not join the parts of the program: usually two of them define the same name, as when a contract " +
      "depends on the crate of another contract.",
    remedy:
      "Call another contract through `contractimport!` or a crate that only has its client, and read the linker's own lines for the name.",
  },
  "toolchain-missing": {
    meaning: "rustup does not have {part}, which the build asks for.",
    remedy:
      "Install it (`rustup toolchain install stable`, `rustup target add wasm32v1-none`), or correct rust-toolchain.toml.",
  },
  "budget-report": {
    meaning:
      "The costs of a test: {used} CPU instructions used, {limit} allowed by the budget of the test.",
    remedy:
      "If more is used than is allowed, make the call do less, or lift the limit of the test with `env.cost_estimate().budget().reset_unlimited()`. " +
      "A network has limits of its own (`stellar network settings`).",
  },
  "openssl-legacy": {
    meaning: "The bundler is too old for this Node: it uses a hash that OpenSSL 3 no longer has.",
    remedy:
      "Update the bundler (webpack 5, react-scripts 5), or set `NODE_OPTIONS=--openssl-legacy-provider` for the build.",
  },
  "bundler-warns": {
    meaning:
      "The bundler warns that it cannot follow a dependency that is chosen while the program runs. By itself it is no failure.",
    remedy:
      "Go on if the page works: the SDK works without `sodium-native`. To be rid of the warning, tell the bundler to leave it out, or update the SDK.",
  },
  "device-app-limits": {
    meaning:
      "The device cannot show or sign this transaction: it is too large for it, or newer than its app.",
    remedy:
      "Update the Stellar app of the device, and send fewer operations at once; or allow hash signing if you trust the transaction.",
  },
  "device-of-other-account": {
    meaning: "The device that is connected does not have the key of the account that should sign.",
    remedy:
      "Connect the device that the account was added from, only that one, and choose the same account on it.",
  },
  "walletconnect-project": {
    meaning: "WalletConnect does not know the page: its project id is missing or wrong.",
    remedy:
      "Make a project at WalletConnect (Reown), and pass its id as `projectId` to the wallets' library.",
  },
  "option-conflict": {
    meaning: "The command does not take {option} together with another option that was passed.",
    remedy: "Leave one of them out. `--help` lists the options that go together.",
  },
  "soroban-data-missing": {
    meaning:
      "The transaction calls a contract without a footprint and resources: it was not simulated and assembled before it was signed.",
    remedy:
      "Call `prepareTransaction` (or simulate and `assembleTransaction`) first, then sign the transaction that it returns.",
  },
  "core-own-fault": {
    meaning:
      "stellar-core failed in its own code: it read a part of a value that the value does not have. No transaction or setting is known to be the cause.",
    remedy:
      "Update stellar-core, and report it with the log to its authors (stellar/stellar-core).",
  },
  "horizon-state-invalid": {
    meaning:
      "Horizon compared its database with the ledger and found a difference, so its answers may be wrong. No transaction is the cause.",
    remedy:
      "Update Horizon to its latest release, and have Horizon build its state again, such as in a new database. Report it with this line.",
  },
  "reingest-overlaps": {
    meaning:
      "Horizon did not ingest the range again, because it overlaps with the ledgers that it ingests at the same time.",
    remedy:
      "End the range before the first ledger that the running Horizon has ingested, or pass `--force`, which blocks its ingestion until the command is done.",
  },
  "captive-core-ended": {
    meaning:
      "The stellar-core that this program runs (captive core) ended while the program read ledgers from it.",
    remedy:
      "Read its own lines above this one. Usual reasons are too little memory or disk, several of them at once, and a release that does not know the network's protocol. " +
      "Then run the range again, with fewer workers if memory was short.",
  },
  "horizon-settings": {
    meaning: "The program did not start, because its settings do not fit each other: {problem}.",
    remedy: "Set what the message asks for, or leave out the other setting that it names.",
  },
  "lake-storage": {
    meaning:
      "The store for ledger files (a bucket) could not be used: it does not exist, or the program may not write or read it.",
    remedy:
      "Check the name and the region of the bucket, and the permissions and keys of the account that the program runs as.",
  },
  "muxed-not-taken": {
    meaning:
      "A muxed address (M…) stands where only an address of an account (G…) or a contract (C…) is taken.",
    remedy: phrase`Pass the address in it: ${svc("explain M…")} shows it with its number. If the receiver needs the number, pass it as a memo.`,
  },
  "asset-not-authorized": {
    meaning:
      "The issuer of the asset has not authorized this account to hold it, or has frozen it.",
    remedy: "Ask the issuer to authorize the trustline; no other account can do it.",
  },
  "swap-refused": {
    meaning:
      "The swap was refused: the price moved beyond its limit, its time passed, or there is too little liquidity on its path.",
    remedy:
      "Get a new quote right before you send, allow more slippage or a later deadline, or swap a smaller amount.",
  },
  "position-unhealthy": {
    meaning:
      "A lending contract refused the request: with it, the debt of the account would not be covered by enough collateral.",
    remedy:
      "Add collateral or repay, or ask for a smaller amount. If a position of others is meant, it may be liquidated.",
  },
  "oracle-without-price": {
    meaning: "The oracle has no price for the asset, or only an old one.",
    remedy:
      "Check that this oracle has the asset under this name, and wait for its next update. Its operator has to act if none comes.",
  },
  "contract-paused": {
    meaning: "The contract's owner has paused it, so it refuses this call for now.",
    remedy: "Wait, or ask its operator. Some calls, such as withdrawals, may still be allowed.",
  },
  "signature-expired": {
    meaning: "The signature of an authorization was valid only up to a ledger that has passed.",
    remedy:
      "Simulate again, and sign the new authorization entry with a later expiration ledger; then send it immediately.",
  },
  "wasm-not-on-chain": {
    meaning:
      "The network has no code of a contract with this hash: it was not uploaded there, or is archived.",
    remedy:
      "Upload it first (`stellar contract upload --wasm FILE`) on the same network, or restore it.",
  },
  "request-too-large": {
    meaning: "The request is larger than the server takes.",
    remedy:
      "Send less at once. A wasm file of more than the network's limit for a transaction cannot be uploaded either.",
  },
  "anchor-wants-customer": {
    meaning: "The anchor needs information about the customer before it goes on (KYC, SEP-12).",
    remedy:
      "Send the fields that its answer names with SEP-12, or complete them in its window; then ask again.",
  },
  "json-unlike-type": {
    meaning:
      "The program could not read JSON, such as an answer: it does not have the form that the program expects.",
    remedy:
      "Print the answer as it was received: it may be an error, a web page, or of another release than the SDK.",
  },
  "file-missing": {
    meaning: "A file or a folder that the program needs is not there.",
    remedy:
      "Check the path and the folder in which the command runs. `stellar contract build` writes contracts to target/wasm32v1-none/release.",
  },
  "file-not-allowed": {
    meaning: "The program may not read or write a file, or use a device.",
    remedy:
      "Check who owns the file and its permissions. On Linux, a Ledger device needs its udev rules.",
  },
  "disk-full": {
    meaning: "The disk is full.",
    remedy:
      "Free some space: `cargo clean` and `docker system prune` remove what can be made again.",
  },
  "memory-full": {
    meaning: "The program had too little memory, so the system ended it, or it ended itself.",
    remedy:
      "Give it more memory (for Docker, in its settings), or do less at once (`cargo build -j 1`).",
  },
  "stack-overflow": {
    meaning: "The program called itself too deeply, until its stack was full.",
    remedy: "Look for a recursion without an end, or for a value that contains itself.",
  },
  "build-script-failed": {
    meaning:
      "The build script of the package {crate} failed, so nothing was compiled from there on.",
    remedy:
      "Read the lines below `--- stderr`: often a library or a tool of the system is missing.",
  },
  "unwrap-of-nothing": {
    meaning: "The Rust code expected a value, or an error, and got the other: it panicked.",
    remedy:
      "Look at the place that the message names. In a contract, an entry that is not stored is a usual reason; use `unwrap_or` or an error of the contract.",
  },
  "value-absent-in-program": {
    meaning:
      "The program uses {field} of a value that it does not have: an answer, a wallet or a setting was empty.",
    remedy:
      "Print that value just before. Often a request failed before, the wallet is not connected, or a setting of the environment is missing.",
  },
  "function-absent": {
    meaning:
      "The program calls {name}, which the value or the installed release of the package does not have.",
    remedy:
      "Print the value, and compare the name with the documentation of the installed release (`npm ls @stellar/stellar-sdk`).",
  },
  "name-undefined": {
    meaning: "The program uses the name {name}, which nothing in it defines.",
    remedy:
      "Import it, or check the spelling; in a page, check that the script which defines it is loaded before.",
  },
  "argument-count-in-test": {
    meaning:
      "A function of the contract was called with {given} arguments, and it takes {expected}.",
    remedy:
      "Compare the call in the test with the function: a client passes exactly its parameters, without `env`. Build the other contract again if its wasm is imported.",
  },
  "key-not-revealed": {
    meaning:
      "The key is in a device or in the system's secure store, which do not give it out, and this command needs the key itself.",
    remedy:
      "Build the transaction with `--build-only`, and sign it with `stellar tx sign --sign-with-ledger` or `--sign-with-key NAME`. Later releases of stellar-cli sign " +
      "with such keys in more commands.",
  },
  "sdk-method-absent": {
    meaning:
      "The installed release of soroban-sdk, or of a crate of it, has no {name} in that place.",
    remedy:
      "Compare the code with that release (`cargo tree -i soroban-sdk`): for example, `env.register` exists since version 22, and `env.register_contract` was before it. " +
      "`use soroban_sdk::testutils::…` brings the functions of tests.",
  },
  "image-of-other-platform": {
    meaning: "The image was made for another kind of processor than this machine has.",
    remedy:
      "Pull the image again for this machine, with a tag that has it, or run it with `--platform linux/amd64` if Docker can emulate that.",
  },
  "bigint-not-integer": {
    meaning: "The value has a fraction, so it cannot become a bigint.",
    remedy:
      "Turn the amount into the smallest unit of its token first: shift its decimal point in the text by the token's decimals (7 for most assets).",
  },
  "relayer-policy": {
    meaning: "The relayer's own rules do not allow this transaction ({line}).",
    remedy:
      "Change the transaction so that it fits the rules, such as a lower fee or another token, or ask the owner of the relayer.",
  },
  "wasm-tool-refused": {
    meaning:
      "wasm-opt does not accept the wasm: it has features that wasm-opt was not told of, or does not know.",
    remedy:
      "Build for the target wasm32v1-none, and let stellar-cli optimize it (`stellar contract build --optimize`) instead of a wasm-opt of your own.",
  },
  "setting-missing": {
    meaning: "The setting {name} of the environment is missing.",
    remedy:
      "Set it before the program starts (`export {name}=…`, or a line of the file `.env`), and check its spelling.",
  },
  "allowance-too-small": {
    meaning:
      "The owner of the tokens has not allowed the spender this amount, or the allowance has expired.",
    remedy: "Have the owner call `approve` with a sufficient amount and a later expiration ledger.",
  },
  "already-initialized": {
    meaning: "Something that can be set up (initialized) only once is set up already.",
    remedy:
      "Leave that call out, and look at the values that are stored. If they are wrong, a contract may have to be deployed again.",
  },
  "not-initialized": {
    meaning:
      "Something is used before it was set up (initialized): a contract, or an object of the program.",
    remedy:
      "Call its constructor or its function for that first, and check that the address is of the contract that was set up, on the same network.",
  },
  "amount-refused": {
    meaning:
      "The amount is not one that the contract or the program accepts: usually it must be above zero.",
    remedy:
      "Check the amount and its unit: contracts take whole numbers of the token's smallest unit.",
  },
  "caller-refused": {
    meaning:
      "The contract takes this call only from certain addresses, such as its admin, and another one made it.",
    remedy: "Make the call as that address, or have its admin allow yours.",
  },
  "arithmetic-named": {
    meaning: "A computation in the contract did not fit its number type, or divided by zero.",
    remedy:
      "Check the amounts that were passed, and the balances and prices that the contract computes with.",
  },
  "pool-absent": {
    meaning: "There is no pool for these two assets.",
    remedy:
      "Check both addresses and the network, choose a path over other assets, or create the pool.",
  },
  "limit-exceeded": {
    meaning:
      "The transaction needs more of a resource than it declares, or than the network allows.",
    remedy:
      "Simulate again, and send it with the simulated resources. If it declared as much already, do less in one transaction.",
  },
  "signatures-too-few": {
    meaning: "The signatures do not have the weight that the account asks for.",
    remedy:
      "Have more signers of the account sign the same envelope, until their weights reach its threshold.",
  },
  "signature-not-verified": {
    meaning: "The signature does not belong to this message and key.",
    remedy:
      "Check that the message is the same, byte for byte, and that the key belongs to the signer. A passkey's signature is DER, and " +
      "contracts check 64 bytes with a low s.",
  },
  "horizon-problem": {
    meaning: "Horizon did not do what the request asks for ({problem}).",
    remedy:
      "Read `title` and `detail` of its answer, and correct the request, or ask another Horizon.",
  },
  "command-failed": {
    meaning: "A command of the build ended with a failure. This line does not show why.",
    remedy: "Pass the lines above it: the first one that says `error` has the reason.",
  },
  "value-not-set": {
    meaning:
      "The program passed {value}: a variable or a setting has no value where the tool needs one.",
    remedy:
      "Find the variable, such as a setting of the environment that is not set, and give it its value before " +
      "the call.",
  },
  "account-for-contract": {
    meaning:
      "{account} is the address of an account (G…), and the program needs the address of a contract (C…).",
    remedy: "Pass the contract's address, or call the function that takes an account.",
  },
  "caller-not-named": {
    meaning:
      "The contract client does not know who calls, so it simulated with a placeholder as the source account.",
    remedy: "Pass `publicKey`, the address of the caller, in the options of the client.",
  },
  "signer-function-missing": {
    meaning: "The contract client has no function that signs the transaction.",
    remedy:
      "Pass `signTransaction` to `signAndSend` or to the client: that of the wallet, or the one that " +
      "`basicNodeSigner` makes from a key.",
  },
  "signature-not-valid": {
    meaning:
      "A signature is not valid for this transaction: another key made it, it is for another network, or the transaction was changed after it was signed.",
    remedy:
      "Check the network and the account in the wallet, and sign the final transaction again. Change nothing afterwards.",
  },
  "device-parameter": {
    meaning:
      "The page passed {parameter} to the Trezor library in another form than this release takes: it wants a {type}. Nothing was signed.",
    remedy:
      "The page has to be updated with the library (amounts are texts in stroops). As a user, try another wallet or page for the same account.",
  },
  "submission-unsure": {
    meaning:
      "The wallet sent the transaction and got no clear answer: it can be in a ledger, or not.",
    remedy: phrase`Look at the account's history, or for the transaction's hash (${svc("debug HASH")}), before you send again. Sending the same envelope again is safe, building a new one is not.`,
  },
  "wallet-failed": {
    meaning:
      "The wallet failed while it worked on the request of the page. The message does not show why.",
    remedy: phrase`Unlock the wallet, look at its own log, and try again; ${svc("explain ENVELOPE")} shows whether the transaction that it got is complete.`,
  },
  "funded-already": {
    meaning: "Friendbot did not create the account: it exists already, with its starting balance.",
    remedy:
      "Use the account as it is. A test network's reset removes it; then ask Friendbot again.",
  },
  "horizon-refused-because": {
    meaning: "The server does not accept the request: {reason}",
    remedy: "Correct the request as the reason says, and send it again.",
  },
  "bindings-without-type": {
    meaning: "The generator of bindings does not know a type in the contract's interface.",
    remedy: "Update stellar-cli (`stellar version`), and generate the bindings again.",
  },
  "interface-lacks": {
    meaning: "The contract's interface has no function or type {entry}.",
    remedy: `Check the spelling, the contract's address and the network. ${INTERFACE_HELP}`,
  },
  "rust-too-old": {
    meaning: "A package needs rustc {needed}, and this machine builds with {active}.",
    remedy:
      "Update Rust (`rustup update`), and raise or remove the version in rust-toolchain.toml if there is one.",
  },
  "crate-undeclared": {
    meaning: "The Rust code uses the crate {crate}, which is not a dependency of the package.",
    remedy: "Add it to the Cargo.toml of that package, such as with `cargo add {crate}`.",
  },
  "module-not-found": {
    meaning: "Node, or the bundler, finds no module {module}.",
    remedy:
      "Install it, or check the path and the exports of the package. If the SDK only uses it where it is present, as " +
      "`sodium-native`, tell the bundler to leave it out.",
  },
  "not-in-browsers": {
    meaning: "The program uses {global}, which Node has and browsers do not.",
    remedy:
      "Use the SDK's build for browsers, or have the bundler add {global}, such as with vite-plugin-node-polyfills.",
  },
  "option-value-wrong": {
    meaning: "The option {option} does not take the value {value}.",
    remedy: "`--help` shows the form of each option. An address must be whole: copy it again.",
  },
  "option-value-missing": {
    meaning: "The option {option} has no value.",
    remedy: "Write the value behind it. A variable of the shell that is not set is an empty text.",
  },
  "parameter-missing": {
    meaning: "The call lacks the parameter {parameter}.",
    remedy:
      "Pass it. If it comes from a setting of the environment, check that the setting has a value.",
  },
  "answer-absent": {
    meaning:
      "The program reads `{field}` of an answer that does not have it: the request failed before there was one, or " +
      "the answer has another form.",
    remedy: "Print the whole error, such as `error.response?.data ?? error`, and pass that.",
  },
  "answer-not-json": {
    meaning:
      "The answer is a web page and not JSON: the URL is not that of the node, or something in front of the node " +
      "answered.",
    remedy:
      "Check the URL (Stellar RPC and Horizon differ), and print the status and the text of the answer.",
  },
  "fee-too-low": {
    meaning: "The fee bid is below what the network, the node or the tool asks for.",
    remedy: "Bid a higher fee: getFeeStats of RPC, and fee_stats of Horizon, show what others pay.",
  },
  "trustline-not-found": {
    meaning: "The account has no trustline for this asset.",
    remedy: "Have the account trust the asset first (changeTrust).",
  },
  "settings-not-toml": {
    meaning: "A file that the tool reads is not valid TOML, at line {at}.",
    remedy:
      "Correct the line that the message shows. stellar-cli keeps networks, keys and names in such files, below " +
      "`~/.config/stellar` and in `.stellar` of the project.",
  },
  "test-did-not-panic": {
    meaning: "The test expects a panic (`should_panic`), and nothing in it failed.",
    remedy:
      "Check that the test makes the call that should fail. To expect an error of the contract, use " +
      "`client.try_…`, and compare what it returns.",
  },
  "blocked-by-browser": {
    meaning:
      "The browser kept a server's answer from the page: the server does not allow the page's origin, or it " +
      "answered with an error that lacks the header. Whether the request was carried out is not shown.",
    remedy:
      "Use a server (such as a node) that allows browsers, or ask it through a server of your own. If a transaction was being sent, " +
      "ask for its hash first.",
  },
  "text-not-base64": {
    meaning:
      "A text is not base64: it was cut off, or has a character that base64 lacks, such as a blank in place of a `+`.",
    remedy:
      "Copy the whole text. In a form or an address, write `+` as `%2B` (`encodeURIComponent` does).",
  },
  "time-ran-out": {
    meaning:
      "The tool gave the transaction up: its time bounds passed before it was in a ledger, or the tool's own " +
      "time limit did.",
    remedy: phrase`Ask for its hash first (${svc("debug HASH")}). If no ledger has it and its time bounds have passed, build it again with a later bound.`,
  },
  "funds-insufficient": {
    meaning:
      "The account lacks the amount with its fee, or XLM that it may spend. On public networks an account must " +
      "keep 1 XLM, and 0.5 XLM for each trustline, offer, further signer and data entry.",
    remedy:
      "Send less, or add XLM. A result code, such as op_underfunded, op_low_reserve or " +
      "tx_insufficient_balance, says which it is.",
  },
  "facilitator-refused": {
    meaning:
      "The x402 facilitator did not accept or send the payment ({reason}). This code does not show what the network said.",
    remedy:
      "Read the facilitator's own log: it has the answer of the node. Check that the payment is for the same network and asset, that the payer has a trustline and enough of it, and that the signed authorization has not expired; then pay again.",
  },
  "core-failed": {
    meaning:
      "The node's own stellar-core did not answer, or answered with a failure. This does not show " +
      "whether a transaction was passed on.",
    remedy:
      "Ask for the transaction's hash first. Then send the same envelope again, or to another node.",
  },
  "device-blind-signing": {
    meaning:
      "The device does not sign what it cannot show: hash signing (blind signing) is off in its Stellar app.",
    remedy: "Turn it on in the settings of the Stellar app, if you trust the transaction.",
  },
  "web-auth-challenge": {
    meaning:
      "The challenge of a web authentication (SEP-10 or SEP-45) is not valid, or does not have the required signatures.",
    remedy:
      "Fetch a new challenge from the server of the domain, check its network and its signer, sign it " +
      "with the account's keys, and send it back in time.",
  },
  "domain-lookup-failed": {
    meaning:
      "An address of the form name*domain, or the stellar.toml of a domain, could not be resolved.",
    remedy:
      "Check the name, and open https://DOMAIN/.well-known/stellar.toml; or use the account's address (G…).",
  },
  "argument-not-of-type": {
    meaning:
      "The argument {argument} does not have the form of the type {type}, which the contract's interface declares.",
    remedy: `Write it as that type; an address is G…, C… or the name of a key or a contract that stellar-cli knows. ${INTERFACE_HELP}`,
  },
  "argument-unfit": {
    meaning:
      "The argument {argument} does not fit the type that the contract's interface declares ({problem}).",
    remedy: INTERFACE_HELP,
  },
  "argument-type-mismatch": {
    meaning: "The argument {argument} must be {expected}, not {given}.",
    remedy: INTERFACE_HELP,
  },
  "address-in-argument": {
    meaning:
      "An address within the argument {argument} cannot be read: stellar-cli takes the names of saved keys and contracts only where the whole argument is an address.",
    remedy:
      "Write the address itself (G… or C…; `stellar keys address NAME` shows it) in lists and structs.",
  },
  "argument-unreadable": {
    meaning: "The argument {argument} cannot be read ({problem}).",
    remedy: INTERFACE_HELP,
  },
  "argument-required": {
    meaning: "The function needs the argument {argument}, of type {type}.",
    remedy: INTERFACE_HELP,
  },
  "argument-missing": {
    meaning: "The function needs the argument {argument}.",
    remedy: INTERFACE_HELP,
  },
  "argument-not-json": {
    meaning: "The argument {argument} is written as JSON that cannot be read.",
    remedy:
      "Put the JSON in single quotes of the shell, and texts in it in double quotes; or pass it as " +
      "`--{argument}-file-path FILE`.",
  },
  "function-not-in-contract": {
    meaning: "The contract has no function {function}.",
    remedy:
      "Check the spelling (stellar-cli also takes `-` for `_`), and that `--id` is the contract that " +
      `you mean on this network. ${INTERFACE_HELP}`,
  },
  "command-unknown": {
    meaning: "The tool has no command {command}.",
    remedy: "Its option `--help` lists the commands; an older release may lack one.",
  },
  "function-option-unexpected": {
    meaning: "The function of the contract takes no {option}. Its usage is {usage}.",
    remedy:
      "Pass exactly these. If the function should take more, the network has another build of the contract than your source.",
  },
  "command-option-unexpected": {
    meaning: "The command takes no {option}. Its usage is {usage}.",
    remedy:
      "What stands in [brackets] without `--` is passed without a name. Arguments of a contract's function stand behind `--`.",
  },
  "option-unexpected": {
    meaning: "The command, or the function of the contract, takes no {option}.",
    remedy: `Options of stellar-cli stand before \`--\`, arguments of the function behind it. ${INTERFACE_HELP}`,
  },
  "option-required": {
    meaning: "The command lacks options: {options}",
    remedy: "Add the options. `--help` explains each.",
  },
  "function-name-too-long": {
    meaning: "Names of functions have at most 32 characters.",
    remedy: INTERFACE_HELP,
  },
  "network-not-reached": {
    meaning: "No node answers at {url}, which stellar-cli has for the network {network}.",
    remedy:
      "If it is your own, start it (`stellar container start local`), and wait until it is ready. Otherwise choose another network (`stellar network use testnet`) or correct its URL.",
  },
  "java-class-differs": {
    meaning:
      "The program runs with another release of a Java library than it was compiled for ({error}): the class in the message does not have that part, or is missing.",
    remedy:
      "Find who brings which release (`gradle dependencies`, `mvn dependency:tree`), and use one. Old SDKs clash with what Android itself has: update the SDK.",
  },
  "connection-failed": {
    meaning: "The tool could not reach the node: nothing was sent.",
    remedy: phrase`Check the URL (\`stellar network ls --long\`, \`--rpc-url\`) and the connection; ${svc("doctor")} tries each node.`,
  },
  "network-without-node": {
    meaning:
      "stellar-cli has no public RPC node for this network: mainnet needs one of your own choice.",
    remedy:
      "Choose a provider (developers.stellar.org/docs/data/apis/rpc/providers), and pass its URL with " +
      "`--rpc-url`, or save it with `stellar network add`.",
  },
  "built-without-key-stores": {
    meaning:
      "This build of stellar-cli was made without the parts for the secure store and for Ledger devices.",
    remedy:
      "Install a release build, or `cargo install --locked stellar-cli --features additional-libs`; or use " +
      "a key without `--secure-store`.",
  },
  "asset-contract-not-deployed": {
    meaning:
      "The contract of this asset is not on the network yet: it has an address, but nobody has deployed it.",
    remedy:
      "Deploy the contract once, from any account: `stellar contract asset deploy --asset CODE:ISSUER`.",
  },
  "wasm-without-metadata": {
    meaning:
      "The contract is built into the network, or was built without metadata: it has none to show.",
    remedy:
      "For the built-in contract of an asset there is no wasm file; its functions are those of SEP-41.",
  },
  "contract-alias-unknown": {
    meaning:
      "stellar-cli knows no contract {alias} on this network: names of contracts are saved for each network.",
    remedy:
      "Pass its address (C…), or save it: `stellar contract alias add {alias} --id C… --network …`.",
  },
  "key-alias-unknown": {
    meaning: "stellar-cli knows no key {alias}.",
    remedy:
      "`stellar keys ls` lists them; make one with `stellar keys generate {alias}`, or pass G… or S….",
  },
  "network-alias-unknown": {
    meaning: "stellar-cli knows no network of that name.",
    remedy: "`stellar network ls` lists them; add one with `stellar network add`.",
  },
  "account-key-missing": {
    meaning: "The account {account} has to sign, and stellar-cli does not have its key.",
    remedy:
      "Sign with that key (`--sign-with-key`), or build the transaction and have its owner sign it.",
  },
  "secret-unreadable": {
    meaning: "The text for a key is neither a secret key (S…) nor a phrase of 12 or 24 words.",
    remedy: "Pass the name of a saved key (`stellar keys ls`), or the secret key itself.",
  },
  "contract-id-unreadable": {
    meaning:
      "{contract} is neither the address of a contract (C…) nor a name that stellar-cli knows.",
    remedy: "Copy the whole address, or look the name up with `stellar contract alias ls`.",
  },
  "asset-unreadable": {
    meaning: "{asset} is not an asset in the form that the tool reads.",
    remedy: "Write `native`, or `CODE:ISSUER` with the whole address of the issuer.",
  },
  "wasm-file-missing": {
    meaning: "The command found no wasm file.",
    remedy:
      "Build first (`stellar contract build`), and pass the file: `--wasm target/wasm32v1-none/release/NAME.wasm`.",
  },
  "workspace-without-contract": {
    meaning: 'No package of the workspace is a contract: none has `crate-type = ["cdylib"]`.',
    remedy: "Add it to `[lib]` in the Cargo.toml of the contract.",
  },
  "sdk-release-candidate": {
    meaning:
      "The wasm was built with a release candidate of the SDK ({version}), which is not meant for mainnet.",
    remedy: "Build it with a release of soroban-sdk.",
  },
  "ttl-above-maximum": {
    meaning: "The TTL cannot be extended by {requested} ledgers: the network allows {maximum}.",
    remedy: "Pass at most that many with `--ledgers-to-extend`.",
  },
  "fee-below-minimum": {
    meaning: "The fee is below the network's minimum, 100 stroops for each operation.",
    remedy: "Raise `--fee` or `--inclusion-fee`.",
  },
  "confirmation-needed": {
    meaning: "An authorization has to be confirmed by a person, and the program has no terminal.",
    remedy: "Run the program in a terminal, or pass `--auto-sign` if you trust the call.",
  },
  "read-call": {
    meaning:
      "The call changes nothing, so the simulation already has its result: there is nothing to send.",
    remedy:
      "Read `.result` of the assembled transaction; `signAndSend({ force: true })` sends it anyway.",
  },
  "signatures-required": {
    meaning: "{signers} must sign an authorization before the transaction can be sent.",
    remedy: "Have each of them sign with `signAuthEntries`, then sign and send the transaction.",
  },
  "restore-needed": {
    meaning: "Entries that the call needs are archived: their TTL has passed.",
    remedy: "Pass `restore: true`, or send the restorePreamble's transaction first.",
  },
  "not-simulated-yet": {
    meaning: "The program uses a result of the simulation before it has simulated.",
    remedy: "Await `simulate()` first, or build the transaction with the contract client.",
  },
  "wait-ended": {
    meaning: "The program stopped waiting. The transaction can still be in a ledger.",
    remedy: phrase`Ask for its hash until its time bounds have passed (${svc("debug HASH")}), before anything is sent again.`,
  },
  "transaction-of-other-sdk": {
    meaning:
      "An object of another copy of the SDK, or of another type, was passed as a transaction.",
    remedy:
      "Load the SDK once (`npm ls @stellar/stellar-sdk @stellar/stellar-base`), or pass the XDR.",
  },
  "address-unreadable": {
    meaning:
      "A text is not the address that the tool expects: a character is wrong or missing, or the address is of another kind.",
    remedy: phrase`Copy the whole address again. svc names the kind of a single one: ${svc("explain ADDRESS")}.`,
  },
  "envelope-not-decoded": {
    meaning:
      "The node could not decode the envelope: it is cut off or is not base64, or it was made for a newer " +
      "protocol than the node knows, or by an older SDK.",
    remedy: phrase`Update the SDK and the node to the network's protocol. ${svc("explain ENVELOPE")} shows whether the XDR is complete.`,
  },
  "asset-invalid": {
    meaning: "The asset does not have the form that the SDK needs.",
    remedy: "Pass the code (up to 12 letters and digits) and the whole address of its issuer.",
  },
  "sequence-mismatch": {
    meaning:
      "The sequence number is not the next one of the source account: another transaction used it, or is missing.",
    remedy:
      "Load the account again, and build the transaction again. Send one transaction after the other.",
  },
  "ledger-range": {
    meaning: "The node keeps the ledgers {oldest} to {latest} only.",
    remedy: "Begin within these ledgers, or ask a node or a ledger lake that keeps more.",
  },
  "too-many-keys": {
    meaning: "The request asks for {count} keys at once; the node takes {maximum}.",
    remedy: "Ask in several requests.",
  },
  "simulation-disabled": {
    meaning: "The node does not simulate.",
    remedy: "Use another RPC node.",
  },
  "token-without-wasm": {
    meaning:
      "The contract is an asset contract, which is built into the network: it has no code from which this old tool could read its functions.",
    remedy: "Use a current stellar-cli, which knows the functions of asset contracts.",
  },
  "xdr-arm-not-set": {
    meaning:
      "The program reads {arm} of an XDR value that is of another kind or version, so it has no {arm}.",
    remedy:
      "Look at the value's `switch()` first. Often the program or its SDK knows only older versions, such as the metas from before " +
      "protocol 23: update it.",
  },
  "contract-error-of-old-host": {
    meaning:
      "A contract refused the call with its own error number {number}, in the form of 2022 and 2023. Today's hosts write it as Error(Contract, #{number}).",
    remedy:
      "The contract's enum with `#[contracterror]` has the number's name. Update the tools and the SDK: this form is from before the first release of the contract host.",
  },
  "trap-of-old-host": {
    meaning:
      "A contract's code trapped ({trap}), in the form of 2022 and 2023: a panic, an overflow or a failed unwrap are usual reasons. The log names the function {function}.",
    remedy:
      "Look into that function and what it calls, and at its arguments. Update the tools and the SDK: this form is from before the first release of the contract host.",
  },
  "entry-of-old-host": {
    meaning:
      "The call needed a ledger entry that is not there, or that its footprint does not name ({code}), in the form of 2022 and 2023. Often it is an account that has to authorize the call and that the network, or the sandbox of the tool, does not have.",
    remedy:
      "Create the account or entry on that network first, and simulate again. Update the tools: this form is from before the first release of the contract host.",
  },
  "status-of-old-host": {
    meaning:
      "An error ({type}, {code}) in the form of 2022 and 2023, before the first release of the contract host. " +
      "Today's hosts write it as Error(…).",
    remedy: "Update the tools and the SDK, and build and call the contract again.",
  },
  "queue-full": {
    meaning:
      "The node did not accept the transaction: its queue is full, or it has another one of this account. The node passed nothing on.",
    remedy: "Send the same envelope again after a ledger; raise the fee if it happens often.",
  },
  "declined-by-user": {
    meaning: "The user declined the request of the wallet, so the wallet signed nothing.",
    remedy: "Ask again, and show the user what the wallet will sign.",
  },
  "wallet-absent": {
    meaning: "The page has no wallet that it may ask, so nothing was signed or sent.",
    remedy: "Connect or unlock the wallet, and allow the page to use it.",
  },
  "wallet-on-other-network": {
    meaning:
      "Two programs are set to different networks, such as the wallet and the page, or a tool and its node. A " +
      "signature for one network is not valid on another.",
    remedy: phrase`Choose the same network in both; ${svc("explain ENVELOPE")} shows for which network one was signed.`,
  },
  "wallet-stays-on-network": {
    meaning:
      "The wallet did not sign, although the transaction is for the network that the wallet is set to: a fault of old releases of Freighter.",
    remedy: "Update the wallet, or choose another network in it and this one again.",
  },
  "flagged-by-scanner": {
    meaning:
      "A scanner of the wallet warns about the transaction. The warning is the scanner's opinion, not a result of the network.",
    remedy: phrase`Look at the effects of the transaction before you sign: ${svc("simulate ENVELOPE")} shows every transfer and change.`,
  },
  "key-of-another-kind": {
    meaning: "The program passed {given} instead of {expected}.",
    remedy:
      "Pass a value of the expected kind, or call the function that takes the kind that you have.",
    // Both facts are version bytes of keys.
    factInWords: keyOfVersion,
  },
  "not-an-xdr-object": {
    meaning:
      "A value in the program is not the required XDR object: it is a native value that the program did not convert, or an object of a second copy of the SDK.",
    remedy:
      "Convert native values, such as with `nativeToScVal`, and load the SDK only once (`npm ls @stellar/stellar-sdk`).",
  },
  "number-unfit": {
    meaning:
      "A number in the program does not fit the integer type of its field: it is too large, is negative, has a fraction, or is not a number.",
    remedy:
      "Check the value and its type. A contract takes an amount in the smallest unit of its token, as an integer; pass an i128 as a bigint.",
  },
  "length-unfit": {
    meaning: "A value in the program has {given} bytes; its type takes {allowed}.",
    remedy:
      "Check where the value comes from: a hash or a raw key has 32 bytes. Decode hexadecimal text and addresses first.",
  },
  "xdr-of-another-type": {
    meaning:
      "The bytes are not a complete value of the type that the program reads: the text is cut off, is XDR of another type, or has values of a later protocol.",
    remedy: phrase`${svc("explain XDR")} says what the text is. Read it as that type, with an SDK of the network's protocol.`,
  },
  "amount-not-text": {
    meaning:
      "The SDK takes {argument} as text: a positive number with at most 7 digits after the point.",
    remedy: 'Pass it as a string, such as `"12.5"`, and round it to 7 digits before.',
  },
  "bigint-as-json": {
    meaning:
      "The program writes a value with a bigint, such as an i128, as JSON, which has no form for it. The network and the contract have no part in this.",
    remedy:
      'Turn each bigint into text: `JSON.stringify(value, (_, each) => typeof each === "bigint" ? each.toString() : each)`.',
  },
  "conversion-failed": {
    meaning:
      "A value could not be converted into the type that the Rust code expects, such as the return value of a call or an entry of the storage.",
    remedy: "Compare the type in the code with what the contract returns or has stored.",
  },
  "horizon-field-refused": {
    meaning: "Horizon does not accept the field {field} of the request: {reason}",
    remedy: "Correct that field of the request, and send it again.",
  },
  "horizon-request-refused": {
    meaning: "Horizon does not accept the request.",
    remedy: "`extras` of its answer names the field and the reason: pass the whole answer.",
  },
  "xdr-unreadable": {
    meaning:
      "The program could not read or write XDR: usually it is older than the network's protocol, or the text was not complete.",
    remedy:
      "Update the SDK or tool to a release of the network's protocol, and check that the XDR is complete.",
  },
  "account-not-found": {
    meaning: "The account does not exist on the network of the request.",
    remedy:
      "Check the network. Create the account with createAccount, or on a test network with Friendbot.",
  },
  "contract-not-found": {
    meaning:
      "The network of the request has no contract with this address, or the contract is archived.",
    remedy: "Check the address and the network; deploy the contract, or restore it.",
  },
  "entry-archived": {
    meaning: "An entry that the transaction needs is archived: its TTL has passed.",
    remedy:
      "Send a RestoreFootprint transaction first; a simulation returns it as restorePreamble.",
  },
  "timed-out": {
    meaning:
      "No answer came in time. If a transaction was being sent, it can still be in a ledger.",
    remedy:
      "Look for its hash until its time bounds have passed. The same envelope can be sent again without risk.",
  },
  "rate-limited": {
    meaning: "The node refuses more requests for now.",
    remedy: "Wait and try again, or use a node with a higher limit.",
  },
  "refused-without-reason": {
    meaning:
      "The node refused the request. The reason is in the body of its answer, not in this message.",
    remedy:
      "Print the body, and pass it: `extras.result_codes` in it has the reason (in JavaScript `error.response.data`, in Python the text " +
      "of the exception, in other SDKs the body or the problem of the exception).",
  },
  "signer-missing": {
    meaning:
      "An address other than the source account must sign an authorization, and the program does not have its key.",
    remedy: "Have that address sign its authorization entry, then send the transaction.",
  },
  "ledger-out-of-range": {
    meaning:
      "The node does not have the requested ledgers: they are older than those that it keeps, or have not closed.",
    remedy: "Begin within the node's range (getHealth shows it), or ask a node that keeps more.",
  },
  "horizon-missing": {
    meaning:
      "The node has nothing under this address: the account, the contract, the transaction or the asset does not exist on its network, " +
      "or is older than what it keeps. An account that nobody has funded does not exist.",
    remedy:
      "Check the hash or address, and that the node serves the right network. Fund a new account first.",
  },
  "envelope-malformed": {
    meaning:
      "Horizon could not decode the envelope: it is cut off, is not base64, or was not URL-encoded.",
    remedy: "Send it as the form field `tx`, with `+` encoded as `%2B`.",
  },
  "node-behind-gateway": {
    meaning:
      "The server in front of the node gets no answer from it: the node is starting, has stopped, or has too much to do.",
    remedy:
      "Wait a minute and try again, or ask another node. If the node is your own, its log shows whether it runs.",
  },
  "node-behind": {
    meaning: "The node is behind the network, or has too much to do.",
    remedy: "Try again later, or ask another node.",
  },
  "before-history": {
    meaning: "The node does not keep data of that age.",
    remedy: phrase`Ask a node with the whole history. ${svc("debug")} also asks ledger lakes.`,
  },
  "invoke-aborted": {
    meaning:
      "A called contract did not fail with an error of its own: it trapped, or the host ended the call.",
    remedy: "Call that contract alone, or pass the log of the failure: it has the host's error.",
  },
  "rust-panic": {
    meaning:
      "The Rust code panicked at {place}: a `panic!`, an `assert!`, an `unwrap` or an overflow.",
    remedy:
      "The message beside the place says what was wrong. A contract that panics on a network shows only `UnreachableCodeReached`, without place and message.",
  },
  "node-internal": {
    meaning: "The node failed while it worked on the request.",
    remedy: "Try again, or ask another node.",
  },
  "method-unknown": {
    meaning: "The node does not know this method: it is another kind of node, or an older release.",
    remedy: "Check the URL: Stellar RPC and Horizon are different nodes.",
  },
  "parameters-invalid": {
    meaning: "The node refused the request as invalid: its form, or one of its parameters.",
    remedy:
      "The message beside the number says what is wrong, if there is one. Check the names and types of the " +
      "parameters, and that XDR is complete base64.",
  },
  "node-unreachable": {
    meaning:
      "The node could not be reached, or the connection broke before its answer came. This does not " +
      "show whether a request arrived.",
    remedy: phrase`Check the node's URL and the connection; ${svc("doctor")} tries each node. If a transaction was being sent, ask for its hash before you build another one.`,
  },
  "base64-read-as-bytes": {
    meaning:
      "A text in base64 was read as if it were the bytes of XDR: 1094795585 is the letters AAAA.",
    remedy: 'Name the format: `fromXDR(text, "base64")`.',
  },
  "device-status": {
    meaning: "The Ledger device answered with the status {status}.",
    remedy:
      "Unlock the device, open its Stellar app, and update the app and the wallet. Check on its screen what " +
      "you sign.",
    factInWords: deviceStatus,
  },
  "target-not-installed": {
    meaning: "The Rust compiler has no standard library for the target {target}.",
    remedy: "Install it: `rustup target add wasm32v1-none`. Contracts are built for that target.",
  },
  "wasm-floating-point": {
    meaning: "The wasm computes with floating-point numbers, which contract hosts refuse.",
    remedy:
      "Compute with integers, such as an `i128` with a fixed number of decimals; look for `f32` and `f64` in the contract " +
      "and its dependencies.",
  },
  "wasm-feature-not-enabled": {
    meaning:
      "The wasm uses a feature ({feature}) that the program which checked it does not accept.",
    remedy: REBUILD_WITHOUT_FEATURES,
  },
  "answer-of-other-release": {
    meaning:
      "The tool could not read the node's answer: a part that this release of the tool expects is missing in it.",
    remedy:
      "Update the tool to a release of the network's protocol, and the node too if it is yours; check that the " +
      "URL is of a Stellar RPC node.",
  },
  "funding-failed": {
    meaning: "Friendbot did not fund the account.",
    remedy:
      "Only test networks have a Friendbot, and it creates an account once: check whether the account " +
      "exists already.",
  },
  "node-ingestion": {
    meaning:
      "The node cannot take in ledgers: captive core, the history archives or the data store that it " +
      "reads are missing, cannot be reached, or are not that far.",
    remedy:
      "Check the archives' URLs and the configuration of captive core. On a new local network, wait " +
      "until the first checkpoint (64 ledgers) is published.",
  },
  "relayer-busy": {
    meaning:
      "The relayer has no free channel for the transaction at the moment. This does not show whether an " +
      "earlier attempt was sent.",
    remedy: "Look for the transaction, or its effect, on the network first. Then try again later.",
  },
  "sdk-xdr-constructors": {
    meaning:
      "The SDK is of a release whose XDR types are not made with `new`, and the program is written for an " +
      "older one.",
    remedy: "Use the factories that the message names, or pin the older release of the SDK.",
  },
  "transaction-not-found": {
    meaning:
      "The node has no transaction with this hash: it was not sent there, is older than what the node " +
      "keeps, or is of another network.",
    remedy: phrase`Check the network. ${svc("debug HASH --network NAME")} also asks ledger lakes.`,
  },
  "xdr-object-absent": {
    meaning:
      "The program reads a part of an XDR object from another value: it is undefined, or an object " +
      "of another release or copy of the SDK.",
    remedy:
      "Find out which value it is, such as a field that an answer of the node or the wallet does not have, " +
      "and load the SDK only once (`npm ls @stellar/stellar-sdk`).",
  },
};

/** All words: those of the rows with a pattern, and those that only the sources have. */
export const TOOL_WORDS: Readonly<Record<ToolRow, ToolWords>> = {
  ...SOURCE_WORDS,
  ...MESSAGE_WORDS,
};

/** Status words of a device's system, and of its Stellar app (LedgerHQ/app-stellar, COMMANDS.md). */
const DEVICE_STATUSES: Readonly<Record<string, string>> = {
  "5515": "the device is locked",
  "6125": "the app could not write out the transaction",
  "6511": "the Stellar app is not open",
  "6985": "the user rejected it on the device",
  "6a87": "the length of the data is wrong",
  "6c24": "the app does not know an operation of the transaction",
  "6c25": "the app does not know this type of envelope",
  "6c66": "the app is set not to sign hashes, or calls of contracts that it does not know",
  "6c67": "the app is set not to sign calls of contracts that it does not know",
  "6d00": "another app is open, or the Stellar app is too old for the command",
  "6e00": "another app than Stellar's is open",
  "6e01": "another app than Stellar's is open",
  b004: "the length of the transaction is wrong for the app",
  b005: "the app could not read the transaction, which may be of a newer kind than the app knows",
};

function deviceStatus(status: string): string {
  return `0x${status} (${DEVICE_STATUSES[status.toLowerCase()] ?? "svc has no words for it"})`;
}

/** Kinds of keys by the letter that their text begins with (SEP-23). */
const KEYS: Readonly<Record<string, string>> = {
  B: "the id of a claimable balance (B…)",
  C: "the address of a contract (C…)",
  G: "the address of an account (G…)",
  L: "the id of a liquidity pool (L…)",
  M: "a muxed address (M…)",
  P: "a signed payload (P…)",
  S: "a secret key (S…)",
  T: "the hash of a transaction (T…)",
  W: "a muxed address of a contract (W…)",
  X: "a hash (X…)",
};

/** The kind of a key. `version` is its first byte, whose upper five bits are its letter. */
function keyOfVersion(version: string): string {
  const letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number(version) >> 3] ?? "";
  return KEYS[letter] ?? `something with the version byte ${version}`;
}

/** A tool's message in words: its known line, the meaning, and the remedy. */
export interface ToolMessage {
  readonly row: ToolRow;
  /** False: many messages have these words. */
  readonly isPrecise: boolean;
  readonly line: string;
  readonly meaning: string;
  readonly remedy: Wording;
}

/** Returns null if the message is unknown. A fact that the text does not have is shown as `…`. */
export function toolMessageInWords(pasted: string): ToolMessage | null {
  const text = tellingLines(withoutFrames(pasted));
  if (text === "") return null;
  const known = messageIn(TOOL_MESSAGES, text);
  const isPrecise = known !== null && !isGeneral(known.id);
  const isOther = isOfOthers(pasted);
  const ofSources = isPrecise || isOther ? null : messageOfSources(text);
  // A status with its number explains more than the statement that it is not a success.
  const isLess = known !== null && ofSources?.row === "http-status-only";
  if (ofSources !== null && !isLess) {
    const line = cutVisibly(ofSources.line.replace(/\.$/, ""), SHOWN_LINE);
    return inWords(ofSources.row, line, { line });
  }
  if (known === null) return null;
  if (isOfOtherProgram(known.id, pasted)) return null;
  const [line = ""] = known.text.split("\n");
  return inWords(known.id, line, { line, ...known.facts });
}

function isGeneral(row: ToolRow): boolean {
  return row in TOOL_MESSAGES && "isGeneral" in TOOL_MESSAGES[row as keyof typeof TOOL_MESSAGES];
}

/** True if what the row says of Stellar is not true of the text, which another program wrote. */
function isOfOtherProgram(id: keyof typeof TOOL_MESSAGES, text: string): boolean {
  const row = TOOL_MESSAGES[id];
  if ("isOfAny" in row) return false;
  return isGeneral(id) || "isShared" in row ? namesNothingOfStellar(text) : isOfOthers(text);
}

const SHOWN_LINE = 200;
/** A name, an option, a path or a version. Other words of others could be meant for an agent. */
const NAME = /^[\w<>|$.:/@+\-…]{1,120}$/;

function asName(fact: string): string {
  return NAME.test(fact) ? fact : quotedText(fact.replaceAll("`", "'"));
}

function inWords(
  row: ToolRow,
  line: string,
  facts: Readonly<Record<string, string | undefined>>,
): ToolMessage {
  const { meaning, remedy, factInWords = asName } = TOOL_WORDS[row];
  const filled = (words: string) =>
    words.replace(/\{(\w+)\}/g, (_, name: string) => {
      const fact = facts[name]?.trim();
      return fact === undefined ? "…" : factInWords(fact);
    });
  return {
    row,
    isPrecise: !isGeneral(row),
    line,
    meaning: sentenceStart(filled(meaning)),
    remedy: withTexts(remedy, filled),
  };
}
