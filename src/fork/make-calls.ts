// Makes calls on a fork that only this process has. A contract is deployed or already there, and is
// called. The last call is in a ledger whether it succeeds or fails. If a step before it fails,
// that step is in a ledger too, and the work ends with it. No key is needed: if an account has to
// sign, the fork gives the account a signer of its own, which no contract can see.

import { systemClock } from "../base/clock.ts";
import { usageError } from "../base/errors/errors.ts";
import { flag, phrase } from "../base/phrase.ts";
import { counted } from "../base/text/counted.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { addressHint, decodeAccountKey, decodeContractId } from "../base/text/strkey.ts";
import type {
  CallArguments,
  DeployedContract,
  DescribedContract,
  MadeCalls,
  WantedCall,
} from "../command/lending.ts";
import { openCurrentState } from "../debugger/simulate/current-state.ts";
import {
  type SimulateDependencies,
  simulateTransaction,
} from "../debugger/simulate/simulate-transaction.ts";
import { captureTransaction } from "../debugger/walk/capture-transaction.ts";
import { LedgerReader } from "../ledgers/ledger-reader.ts";
import type { MadeAuthorization, MadeCall } from "../model/investigation.ts";
import { locateRecordingSimulator } from "../simulator/locate.ts";
import { openOneShot, openRecordingOneShot } from "../simulator/one-shot.ts";
import { openLedgerEngine } from "../simulator/open-processes.ts";
import { recordingModeOf } from "../simulator/requests.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { StartEngine } from "../snapshot/gather/gather-evidence.ts";
import { type ContractSpec, readContractSpec } from "../xdr/contract/contract-spec.ts";
import { contractLookup, wasmHashesInUse } from "../xdr/contract/contract-specs.ts";
import { isNonceKey } from "../xdr/contract/key-typed.ts";
import { CONSTRUCTOR } from "../xdr/contract/reserved-functions.ts";
import { showTyped } from "../xdr/contract/value-typed.ts";
import { addressCredentials } from "../xdr/envelope/authorizations.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import {
  withAuthorizations,
  withFee,
  withSorobanTransactionData,
} from "../xdr/envelope/patch-envelope.ts";
import { addSignature } from "../xdr/envelope/signatures.ts";
import { withSourceAuthorization } from "../xdr/envelope/source-authorization.ts";
import { contractCodeKey } from "../xdr/ledger/patch-entry.ts";
import {
  MOST_RESOURCE_FEE_STROOPS,
  readTransactionLimits,
} from "../xdr/ledger/transaction-limits.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { accountKeyOf, ENTRY_TYPE, keyOfEntry, typeOfKey } from "../xdr/reader/keys.ts";
import { addressText } from "../xdr/reader/to-json.ts";
import { decode, encode, type Value } from "../xdr/reader/value.ts";
import { instanceKeyOfContract, referenceKeyOf } from "../xdr/values/value-parts.ts";
import type { OpenedBase } from "./base/opened-base.ts";
import { type CallAccount, CallAccounts } from "./call-accounts.ts";
import { functionNamed, inputsInWords, readCallArguments } from "./call-arguments.ts";
import { Fork } from "./fork.ts";
import { openForkSource } from "./fork-source.ts";
import type { ReadContext } from "./ledger/chain.ts";
import { openChain } from "./ledger/open-chain.ts";
import { unsigned } from "./rpc/friendbot.ts";

export interface MakeCallOptions extends ReadContext {
  readonly opened: OpenedBase;
  readonly shownBy: MadeCall["shownBy"];
  /** svc-sim. */
  readonly program: SimulatorProgram;
  readonly progress: (text: string) => void;
}

const STOPPED = {
  "code-upload": "The upload of the code fails. svc debugs it, and makes no call.",
  "contract-deployment": "The deployment fails. svc debugs it, and makes no call.",
  "earlier-call": "This call fails. svc debugs it, and makes none of the later calls.",
} as const;
const INCLUSION_FEE_STROOPS = 100n;
const FUNCTION = { invoke: 0, upload: 2, create: 3 } as const;

/**
 * Makes the calls, and returns the last one, or the first step that fails. Throws USAGE if there is
 * no call or one cannot be made, and the errors of nodes and the simulator.
 */
export async function makeCallsOn(
  options: MakeCallOptions,
  deployed: DeployedContract | null,
  calls: readonly WantedCall[],
): Promise<MadeCalls> {
  const { shownBy, opened, program, progress, ...context } = options;
  const { maker, nodes } = openMaker(options);
  await maker.accounts.fund(accountsOfState(maker.accounts, options, calls));
  let step = deployed === null ? null : await maker.deploy(deployed);
  if (step?.fails === false) progress(`deployed as contract ${maker.deployedContract}`);
  for (const [index, call] of calls.entries()) {
    if (step?.fails === true) break;
    step = await maker.call(call, index === calls.length - 1);
    progress(`called ${call.function}: transaction ${step.hash} of the fork`);
  }
  if (step?.fails === true && step.step !== "call") progress(STOPPED[step.step]);
  if (step === null || calls.length === 0)
    throw usageError("There is no call to make.", "Name a function in `invoke`.");
  const { hash, fails: _, ...made } = step;
  const captured = await captureTransaction(nodes, hash, context);
  const countedAbsent = (captured.snapshot?.entries ?? []).flatMap(({ keyXdr, entryXdr }) =>
    entryXdr === null && opened.notInFile?.has(keyXdr) && !isNonceKey(keyXdr) ? [keyXdr] : [],
  );
  return { captured, call: { state: opened.name, shownBy, ...made, countedAbsent }, nodes };
}

/**
 * The accounts of the fork that the state may have. A running fork has them, and a saved fork those
 * that it changed. svc does not look for the others, unless the user names one as the caller.
 */
function accountsOfState(
  accounts: CallAccounts,
  { opened, shownBy }: Pick<MakeCallOptions, "opened" | "shownBy">,
  calls: readonly WantedCall[],
): ReadonlySet<string> {
  const changed = new Set(opened.overlay?.entries.map(({ keyXdr }) => keyXdr));
  const callers = new Set(calls.map(({ account }) => account));
  const all = accounts.numberedAccounts().map(({ address }) => address);
  return new Set(
    all.filter(
      (address) => shownBy === "fork" || changed.has(accountKeyOf(address)) || callers.has(address),
    ),
  );
}

/** Reads a contract of the fork. Throws USAGE if there is none. */
export async function describeContractOn(
  options: MakeCallOptions,
  contract: string,
): Promise<DescribedContract> {
  const spec = await openMaker(options).maker.specOf(contract);
  return { contract, state: options.opened.name, spec };
}

function openMaker({ opened, program, progress, shownBy, ...context }: MakeCallOptions) {
  const networkPassphrase = opened.passphrase ?? opened.base.networkPassphrase;
  const chain = openChain(
    { ...opened.base, networkPassphrase },
    openOneShot(program),
    opened.overlay === null ? {} : { overlay: opened.overlay },
  );
  // The ledger that a fork of a transaction repeats first is not needed, because the fork has its
  // own calls.
  const alone = { first: null, followed: null, changed: () => {}, failed: () => {} };
  const fork = new Fork(chain, { clock: systemClock, mining: "each", ...alone });
  const sources = [openForkSource(() => fork)];
  const state = openCurrentState({ sources, clock: systemClock, mayChange: true });
  const simulator = openRecordingOneShot(locateRecordingSimulator(program));
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  const startEngine: StartEngine = (signal, { isRepeated }) =>
    openLedgerEngine({ ...program, isRepeated }, 1, [], signal);
  return {
    maker: new Maker(fork, { simulator, state, networkPassphrase }, context),
    nodes: { sources, ledgers, startEngine, networkPassphrase, progress },
  };
}

interface SentCall extends Pick<MadeCall, "source" | "authorizations" | "envelopeXdr"> {
  readonly hash: string;
  readonly returnValueXdr: string | null;
  /** The transaction failed in the fork's ledger. */
  readonly fails: boolean;
}

/** A transaction of the fork, as a report names it. */
interface MadeStep extends Omit<MadeCall, "state" | "shownBy" | "countedAbsent"> {
  readonly hash: string;
  readonly fails: boolean;
}

class Maker {
  private deployed: { readonly contract: string; readonly spec: ContractSpec | null } | null = null;
  readonly accounts: CallAccounts;

  constructor(
    private readonly fork: Fork,
    private readonly simulation: SimulateDependencies,
    private readonly context: ReadContext,
  ) {
    this.accounts = new CallAccounts(fork, context);
  }

  /** The strkey of the contract that was deployed; null if there is none. */
  get deployedContract(): string | null {
    return this.deployed?.contract ?? null;
  }

  /** Deploys the contract. Returns the deployment, or the upload of the code if that fails. */
  async deploy({ wasm, arguments: written }: DeployedContract): Promise<MadeStep> {
    const account = this.accounts.numbered(0);
    const caller = { ...account, key: account };
    const spec = readContractSpec(wasm);
    const uploaded = await this.send(caller, { type: FUNCTION.upload, wasm }, "The upload");
    if (uploaded.fails) return this.stepOf("code-upload", uploaded, "own");
    const constructor_ = spec?.functions.get(CONSTRUCTOR);
    const takes = constructor_?.inputs ?? [];
    if (written === undefined && takes.length > 0)
      throw usageError(
        `The contract's constructor takes ${counted(takes.length, "argument")}: ${inputsInWords(takes)}.`,
        phrase`Pass them in ${flag("constructorArgs")}, by name or in order.`,
      );
    const constructorArgs =
      written === undefined ? [] : this.argumentsOf(spec, CONSTRUCTOR, written);
    const accountId = { type: 0, ed25519: account.publicKey } as const;
    const fromAddress = { address: { type: 0, accountId }, salt: sha256(wasm) } as const;
    const createContractV2 = {
      contractIdPreimage: { type: 0, fromAddress },
      executable: { type: 0, wasmHash: sha256(wasm) },
      constructorArgs,
    } as const;
    const function_ = { type: FUNCTION.create, createContractV2 } as const;
    const created = await this.send(caller, function_, "The deployment");
    if (!created.fails && created.returnValueXdr !== null) {
      const contract = showTyped(created.returnValueXdr, null, null);
      this.deployed = { contract, spec };
    }
    return this.stepOf("contract-deployment", created, "own");
  }

  private stepOf(
    step: MadeCall["step"],
    { returnValueXdr: _, ...sent }: SentCall,
    sourceIs: MadeCall["sourceIs"],
  ): MadeStep {
    return { ...sent, step, sourceIs, preparations: [...this.accounts.preparations] };
  }

  /** Makes a call, the last one or one before it. */
  async call(written: WantedCall, isLast: boolean): Promise<MadeStep> {
    const { contract = this.deployed?.contract, function: functionName, account } = written;
    const contractId = contract === undefined ? null : decodeContractId(contract);
    if (contract === undefined || contractId === null)
      throw usageError(
        contract === undefined
          ? "The call names no contract, and `deploy` is not set."
          : `${neutralise(contract)} is not the address of a contract${addressHint(contract)}.`,
        "Set `deploy` to a wasm file, or `contract` of `invoke` to an address.",
      );
    const spec =
      contract === this.deployed?.contract ? this.deployed.spec : await this.specOf(contract);
    const name = functionNamed(spec, functionName);
    const writtenArguments = written.arguments ?? { kind: "json", value: [] };
    const args = this.argumentsOf(spec, name, writtenArguments);
    const contractAddress = { type: 1, contractId } as const;
    const invokeContract = { contractAddress, functionName: Buffer.from(name), args };
    const function_ = { type: FUNCTION.invoke, invokeContract } as const;
    const chosen = typeof account === "string" ? await this.accounts.namedCaller(account) : null;
    const own = this.accounts.numbered(typeof account === "number" ? account : 0);
    const caller = chosen ?? { ...own, key: own };
    const isOpen = account === undefined;
    const sent = await this.send(caller, function_, `The call of ${name}`, isOpen);
    const sourceIs = sourceOf(sent.source, caller.address, chosen !== null);
    return this.stepOf(isLast ? "call" : "earlier-call", sent, sourceIs);
  }

  /** Reads the specification. Throws USAGE if the fork has no such contract. */
  async specOf(contract: string): Promise<ContractSpec | null> {
    const read = async (keys: readonly string[]) =>
      [...(await this.fork.chain.read(keys, this.context)).values()].flatMap(
        (entry) => entry?.entryXdr ?? [],
      );
    const instance = await read([instanceKeyOfContract(contract) ?? ""]);
    if (instance.length === 0)
      throw usageError(
        `The state has no contract ${contract}.`,
        "Check the address, and the network or the file with the state.",
      );
    const references = await read(instance.flatMap((entryXdr) => referenceKeyOf(entryXdr) ?? []));
    const known = [...instance, ...references];
    const code = await read([...wasmHashesInUse(known)].map(contractCodeKey));
    return contractLookup([...known, ...code])(contract)?.spec ?? null;
  }

  private argumentsOf(
    spec: ContractSpec | null,
    name: string,
    values: CallArguments,
  ): Value<"ScVal">[] {
    const argumentsXdr = readCallArguments(spec, name, values, (value) => this.filled(value));
    return argumentsXdr.map((xdr) => decode("ScVal", xdr));
  }

  /** `@0` to `@9` are the fork's accounts, and `@contract` the deployed contract. */
  private filled(value: unknown): unknown {
    if (value === "@contract") return this.deployed?.contract ?? value;
    if (typeof value === "string" && /^@\d$/.test(value))
      return this.accounts.numbered(Number(value[1])).address;
    if (Array.isArray(value)) return value.map((each) => this.filled(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.filled(each)]),
    );
  }

  /**
   * Sends a transaction to the fork. With `isOpen`, the account whose authorization is needed is
   * its source, if it is only one.
   */
  private async send(
    caller: CallAccount,
    hostFunction: Value<"HostFunction">,
    purpose: string,
    isOpen = false,
  ): Promise<SentCall> {
    const body = { type: 24, invokeHostFunctionOp: { hostFunction, auth: [] } } as const;
    const envelope = await unsigned(this.fork, caller, body, this.context);
    const { protocolVersion } = this.fork.chain.latest;
    const recorded = await this.simulate(envelope, recordingModeOf(protocolVersion));
    const { error, transactionDataXdr, authorizationsXdr, returnValueXdr } = recorded.simulation;
    const addresses = addressesOf(authorizationsXdr);
    const [only] = addresses;
    if (isOpen && only !== undefined && addresses.length === 1 && decodeAccountKey(only) !== null)
      return this.send(await this.accounts.callerOf(only), hostFunction, purpose);
    const complete = (simulated: SimulatedCall) => this.completed(envelope, simulated);
    const known = error === null && transactionDataXdr !== null ? complete(recorded) : null;
    const signed = await this.accounts.signed(addresses, authorizationsXdr);
    // The signatures are metered, so the resources are those of a run that checks them.
    const checked =
      known === null || addresses.length === 0
        ? recorded
        : await this.simulate(withAuthorizations(known, signed), "enforce");
    const sent = await this.close(withSigned(complete(checked), signed, checked), caller, purpose);
    const source = caller.address;
    const authorizations = authorizationsOf(source, authorizationsXdr);
    return {
      hash: sent,
      returnValueXdr,
      source,
      authorizations,
      envelopeXdr: known?.xdr ?? null,
      fails: this.fork.history.find(sent)?.transaction.isSuccess !== true,
    };
  }

  private simulate(envelope: Envelope, authMode: string): Promise<SimulatedCall> {
    const parameters = { transactionXdr: envelope.xdr, authMode };
    return simulateTransaction(this.simulation, parameters, this.context);
  }

  /**
   * The envelope with the resources of its simulation. If that failed, it declares all that the
   * call touched and the network's maximum, so that it fails for its own reason.
   */
  private completed(envelope: Envelope, { simulation, read }: SimulatedCall): Envelope {
    const { error, transactionDataXdr, authorizationsXdr, minResourceFeeStroops } = simulation;
    const known = error === null ? transactionDataXdr : null;
    const touched = [...read.entriesXdr.map(keyOfEntry), ...read.absentKeysXdr];
    const fee = known === null ? MOST_RESOURCE_FEE_STROOPS : BigInt(minResourceFeeStroops);
    const declared = withFee(
      withSorobanTransactionData(envelope, known ?? this.widest(touched)),
      INCLUSION_FEE_STROOPS + fee,
    );
    return withAuthorizations(declared, authorizationsXdr);
  }

  /** Closes the ledger with the transaction, and returns its hash. */
  private async close(envelope: Envelope, caller: CallAccount, purpose: string): Promise<string> {
    await this.accounts.letPay(caller.address, BigInt(envelope.feeBidStroops));
    const signed = addSignature(envelope, caller.key);
    const sent = await this.fork.send(signed.envelopeXdr, this.context);
    if (sent.status === "ERROR")
      throw usageError(
        `${purpose} was refused: ${sent.refusal.code}. ${sent.refusal.problems.join(" ")}`,
        "Correct the call.",
      );
    if (this.fork.history.find(sent.hash) === null) await this.fork.close(this.context);
    return sent.hash;
  }

  /**
   * The SorobanTransactionData with everything that the call read, and with the network's maximum.
   */
  private widest(keysXdr: readonly string[]): string {
    const { instructions, diskReadBytes, writeBytes } = readTransactionLimits(
      this.fork.chain.settingsXdr,
    );
    const ledgerKeys = [...new Set(keysXdr)].filter((key) => IN_FOOTPRINTS.has(typeOfKey(key)));
    const isCode = (key: string) => typeOfKey(key) === ENTRY_TYPE.contractCode;
    const decoded = (keys: readonly string[]) => keys.map((key) => decode("LedgerKey", key));
    return encode("SorobanTransactionData", {
      ext: { v: 0 },
      resources: {
        footprint: {
          readOnly: decoded(ledgerKeys.filter(isCode)),
          readWrite: decoded(ledgerKeys.filter((key) => !isCode(key))),
        },
        instructions: Number(instructions ?? 0),
        diskReadBytes: Number(diskReadBytes ?? 0),
        writeBytes: Number(writeBytes ?? 0),
      },
      resourceFee: MOST_RESOURCE_FEE_STROOPS,
    });
  }
}

const IN_FOOTPRINTS: ReadonlySet<number> = new Set([
  ENTRY_TYPE.account,
  ENTRY_TYPE.trustline,
  ENTRY_TYPE.contractData,
  ENTRY_TYPE.contractCode,
]);

type SimulatedCall = Awaited<ReturnType<typeof simulateTransaction>>;
/**
 * The envelope with signed authorizations. A failed simulation may have recorded none, so the
 * caller at least allows the call, or the creation of the contract, itself.
 */
function withSigned(
  envelope: Envelope,
  signedXdr: readonly string[],
  { simulation }: SimulatedCall,
): Envelope {
  if (signedXdr.length > 0 || simulation.error === null)
    return withAuthorizations(envelope, signedXdr);
  const call = envelope.hostFunction;
  return withSourceAuthorization(envelope, call?.kind === "invoke" ? [call] : []) ?? envelope;
}

/** The addresses that authorize with entries of their own. The transaction's source has none. */
function addressesOf(entriesXdr: readonly string[]): string[] {
  const addresses = entriesXdr.flatMap((entryXdr) => {
    const { credentials } = decode("SorobanAuthorizationEntry", entryXdr);
    const address = addressCredentials(credentials)?.address;
    return address === undefined ? [] : addressText(address);
  });
  return [...new Set(addresses)];
}

function authorizationsOf(source: string, entriesXdr: readonly string[]): MadeAuthorization[] {
  const addresses = addressesOf(entriesXdr);
  const isOfSource = (entryXdr: string) =>
    addressCredentials(decode("SorobanAuthorizationEntry", entryXdr).credentials) === null;
  const ofSource = entriesXdr.some(isOfSource)
    ? [{ address: source, signed: "source" } as const]
    : [];
  return [
    ...ofSource,
    ...addresses.map((address) => ({
      address,
      signed: decodeAccountKey(address) === null ? ("none" as const) : ("fork" as const),
    })),
  ];
}

function sourceOf(source: string, account: string, isGiven: boolean): MadeCall["sourceIs"] {
  if (isGiven) return "given";
  return source === account ? "own" : "authorizer";
}
