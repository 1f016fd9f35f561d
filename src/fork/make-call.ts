// Makes a call to debug it: a contract is deployed and called on a fork that only this process has.
// The last call is in a ledger whether it succeeds or fails.

import { systemClock } from "../base/clock.ts";
import { nearestWord } from "../base/errors/did-you-mean.ts";
import { usageError } from "../base/errors/errors.ts";
import { neutralise } from "../base/text/neutralise.ts";
import { addressHint, decodeContractId } from "../base/text/strkey.ts";
import type { LaunchedCall, LaunchedContract } from "../command/lending.ts";
import { openCurrentState } from "../debugger/simulate/current-state.ts";
import {
  type SimulateDependencies,
  simulateTransaction,
} from "../debugger/simulate/simulate-transaction.ts";
import { type Captured, captureTransaction } from "../debugger/walk/capture-transaction.ts";
import { scValOf } from "../debugger/what-if/written-argument.ts";
import { LedgerReader } from "../ledgers/ledger-reader.ts";
import { locateRecordingSimulator } from "../simulator/locate.ts";
import { openOneShot, openRecordingOneShot } from "../simulator/one-shot.ts";
import { openLedgerEngine } from "../simulator/open-processes.ts";
import type { SimulatorProgram } from "../simulator/simulator-program.ts";
import type { StartEngine } from "../snapshot/gather/gather-evidence.ts";
import { type ContractSpec, readContractSpec } from "../xdr/contract/contract-spec.ts";
import { contractLookup, wasmHashesInUse } from "../xdr/contract/contract-specs.ts";
import { showTyped } from "../xdr/contract/value-typed.ts";
import type { Envelope } from "../xdr/envelope/envelope.ts";
import {
  withAuthorizations,
  withFee,
  withSorobanTransactionData,
} from "../xdr/envelope/patch-envelope.ts";
import { addSignature } from "../xdr/envelope/signatures.ts";
import { withSourceAuthorization } from "../xdr/envelope/source-authorization.ts";
import { contractCodeKey } from "../xdr/ledger/patch-entry.ts";
import { readTransactionLimits } from "../xdr/ledger/transaction-limits.ts";
import { sha256 } from "../xdr/reader/hash.ts";
import { ENTRY_TYPE, keyOfEntry, typeOfKey } from "../xdr/reader/keys.ts";
import { decode, encode, type Value } from "../xdr/reader/value.ts";
import { instanceKeyOfContract } from "../xdr/values/value-parts.ts";
import { type ForkAccount, forkAccount, fundedEntry, GIVEN_STROOPS } from "./accounts.ts";
import type { OpenedBase } from "./base/opened-base.ts";
import { Fork } from "./fork.ts";
import { openForkSource } from "./fork-source.ts";
import type { ReadContext } from "./ledger/chain.ts";
import { openChain } from "./ledger/open-chain.ts";
import { unsigned } from "./rpc/friendbot.ts";

export interface MadeCallOptions extends ReadContext {
  readonly opened: OpenedBase;
  /** svc-sim. */
  readonly program: SimulatorProgram;
  readonly progress: (text: string) => void;
}

const ACCOUNTS = 10;
const INCLUSION_FEE_STROOPS = 100n;
/** The bid of a call whose simulation fails: far more than the most expensive call costs. */
const MOST_FEE_STROOPS = 1_000_000_000n;
const FUNCTION = { invoke: 0, upload: 2, create: 3 } as const;

/** Makes the call. Throws USAGE if it cannot be made, and the errors of nodes and the simulator. */
export async function makeCall(
  { opened, program, progress, ...context }: MadeCallOptions,
  deployment: LaunchedContract | null,
  calls: readonly LaunchedCall[],
): Promise<Captured> {
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
  const maker = new Maker(fork, { simulator, state, networkPassphrase }, context);
  await maker.fundAccounts();
  if (deployment !== null) progress(`deployed as contract ${await maker.deploy(deployment)}`);
  for (const call of calls.slice(0, -1)) await maker.call(call, true);
  const last = calls.at(-1);
  if (last === undefined)
    throw usageError("There is no call to make.", "Name a function in `invoke`.");
  const hash = await maker.call(last, false);
  progress(`called ${last.function}: transaction ${hash} of the fork`);
  const ledgers = new LedgerReader({ sources, networkPassphrase });
  const startEngine: StartEngine = (signal, { isRepeated }) =>
    openLedgerEngine({ ...program, isRepeated }, 1, [], signal);
  const nodes = { sources, ledgers, startEngine, networkPassphrase, progress };
  return captureTransaction(nodes, hash, context);
}

class Maker {
  private deployed: { readonly contract: string; readonly spec: ContractSpec | null } | null = null;

  constructor(
    private readonly fork: Fork,
    private readonly simulation: SimulateDependencies,
    private readonly context: ReadContext,
  ) {}

  async fundAccounts(): Promise<void> {
    const { sequence } = this.fork.chain.latest;
    const entries = Array.from({ length: ACCOUNTS }, (_, number) =>
      fundedEntry(this.account(number), GIVEN_STROOPS, sequence),
    );
    await this.fork.write(entries, this.context);
  }

  private account(number: number): ForkAccount {
    return forkAccount(this.fork.chain.networkPassphrase, String(number));
  }

  /** Deploys the contract, and returns its address. */
  async deploy({ wasm, arguments: written }: LaunchedContract): Promise<string> {
    const account = this.account(0);
    const spec = readContractSpec(wasm);
    await this.send(account, { type: FUNCTION.upload, wasm }, "The upload", true);
    const constructorArgs =
      written === undefined ? [] : this.argumentsOf(spec, "__constructor", written);
    const accountId = { type: 0, ed25519: account.publicKey } as const;
    const fromAddress = { address: { type: 0, accountId }, salt: sha256(wasm) } as const;
    const createContractV2 = {
      contractIdPreimage: { type: 0, fromAddress },
      executable: { type: 0, wasmHash: sha256(wasm) },
      constructorArgs,
    } as const;
    const function_ = { type: FUNCTION.create, createContractV2 } as const;
    const { returnValueXdr } = await this.send(account, function_, "The deployment", true);
    const contract = showTyped(returnValueXdr ?? "", null, null);
    this.deployed = { contract, spec };
    return contract;
  }

  /** Makes a call, and returns the transaction's hash. */
  async call(written: LaunchedCall, mustSucceed: boolean): Promise<string> {
    const { contract = this.deployed?.contract, function: name, account: number = 0 } = written;
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
    const args = this.argumentsOf(spec, name, written.arguments ?? []);
    const contractAddress = { type: 1, contractId } as const;
    const invokeContract = { contractAddress, functionName: Buffer.from(name), args };
    const function_ = { type: FUNCTION.invoke, invokeContract } as const;
    return (await this.send(this.account(number), function_, `The call of ${name}`, mustSucceed))
      .hash;
  }

  private async specOf(contract: string): Promise<ContractSpec | null> {
    const read = async (keys: readonly string[]) =>
      [...(await this.fork.chain.read(keys, this.context)).values()].flatMap(
        (entry) => entry?.entryXdr ?? [],
      );
    const instance = await read([instanceKeyOfContract(contract) ?? ""]);
    if (instance.length === 0)
      throw usageError(
        `The fork has no contract ${contract}.`,
        "Check the address, and the network in `fork`.",
      );
    const code = await read([...wasmHashesInUse(instance)].map(contractCodeKey));
    return contractLookup([...instance, ...code])(contract)?.spec ?? null;
  }

  private argumentsOf(spec: ContractSpec | null, name: string, written: unknown): Value<"ScVal">[] {
    const described = spec?.functions.get(name) ?? null;
    if (spec !== null && described === null) {
      const near = nearestWord(name, [...spec.functions.keys()]);
      throw usageError(
        `The contract has no function ${neutralise(name)}.`,
        near === null ? "Name one of its functions." : `Did you mean \`${near}\`?`,
      );
    }
    const inputs = described?.inputs ?? [];
    const isList = Array.isArray(written);
    const values: readonly unknown[] = isList
      ? written
      : inputs.map((input) => (written as Record<string, unknown>)[input.name]);
    const unknown = isList
      ? undefined
      : Object.keys(written as object).find((key) => !inputs.some((input) => input.name === key));
    if (unknown !== undefined || (described !== null && values.length !== inputs.length))
      throw usageError(
        unknown === undefined
          ? `${neutralise(name)} takes ${inputs.length} arguments, not ${values.length}.`
          : `${neutralise(name)} has no argument \`${neutralise(unknown)}\`.`,
        `Its arguments are: ${inputs.map((input) => neutralise(input.name)).join(", ") || "none"}.`,
      );
    return values.map((value, index) => {
      const input = inputs[index];
      const named = input?.name ?? String(index);
      const xdr = scValOf(this.filled(value), named, input?.type ?? null, spec);
      return decode("ScVal", xdr);
    });
  }

  /** `@0` to `@9` are the fork's accounts, and `@contract` the deployed contract. */
  private filled(value: unknown): unknown {
    if (value === "@contract") return this.deployed?.contract ?? value;
    if (typeof value === "string" && /^@\d$/.test(value))
      return this.account(Number(value[1])).address;
    if (Array.isArray(value)) return value.map((each) => this.filled(each));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.filled(each)]),
    );
  }

  private async send(
    account: ForkAccount,
    hostFunction: Value<"HostFunction">,
    purpose: string,
    mustSucceed: boolean,
  ) {
    const body = { type: 24, invokeHostFunctionOp: { hostFunction, auth: [] } } as const;
    const envelope = await unsigned(this.fork, account, body, this.context);
    const parameters = { transactionXdr: envelope.xdr };
    const { simulation, read } = await simulateTransaction(
      this.simulation,
      parameters,
      this.context,
    );
    const { error, transactionDataXdr, authorizationsXdr, returnValueXdr } = simulation;
    if (mustSucceed && error !== null)
      throw usageError(
        `${purpose} fails: ${neutralise(error.split("\n")[0] ?? "")}`,
        "Make it the last call of `invoke`, so that svc debugs it.",
      );
    const known = error === null ? transactionDataXdr : null;
    const touched = [...read.entriesXdr.map(keyOfEntry), ...read.absentKeysXdr];
    const fee = known === null ? MOST_FEE_STROOPS : BigInt(simulation.minResourceFeeStroops);
    const declared = withFee(
      withSorobanTransactionData(envelope, known ?? this.widest(touched)),
      INCLUSION_FEE_STROOPS + fee,
    );
    // A failed simulation may have recorded no authorization, so the caller at least allows the
    // call itself.
    const isAllowed = error === null || authorizationsXdr.length > 0;
    const authorized = isAllowed
      ? withAuthorizations(declared, authorizationsXdr)
      : allowed(declared);
    const sent = await this.fork.send(addSignature(authorized, account).envelopeXdr, this.context);
    if (sent.status === "ERROR")
      throw usageError(
        `${purpose} was refused: ${sent.refusal.code}. ${sent.refusal.problems.join(" ")}`,
        "Correct the launch configuration.",
      );
    if (this.fork.history.find(sent.hash) === null) await this.fork.close(this.context);
    return { hash: sent.hash, returnValueXdr };
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
      resourceFee: MOST_FEE_STROOPS,
    });
  }
}

const IN_FOOTPRINTS: ReadonlySet<number> = new Set([
  ENTRY_TYPE.account,
  ENTRY_TYPE.trustline,
  ENTRY_TYPE.contractData,
  ENTRY_TYPE.contractCode,
]);

function allowed(envelope: Envelope): Envelope {
  const call = envelope.hostFunction;
  return (call?.kind === "invoke" ? withSourceAuthorization(envelope, [call]) : null) ?? envelope;
}
