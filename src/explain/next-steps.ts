// The commands that continue an investigation: ready to type, and only those that can work. A
// command goes into a shell, so it contains only plain words of a contract's author.

import { CAUSES } from "../model/cause-kinds.ts";
import type { Execution } from "../model/execution.ts";
import type { DecidingTerm, Explanation, NextStep } from "../model/explanation.ts";
import type { Fix } from "../model/fix.ts";
import type { Investigation, ShellReference } from "../model/investigation.ts";
import { networkOfPassphrase } from "../model/networks.ts";
import { overrideFlag, type StatedOverride } from "../model/overrides.ts";
import { isRunOfChain, type Verdict } from "../model/verdict.ts";
import type { OpenedRecord } from "../xdr/envelope/opened-record.ts";
import { ENTRY_TYPE, typeOfKey } from "../xdr/reader/keys.ts";
import type { Failure } from "./causes/failure.ts";
import { PLAIN_NAME } from "./naming/term-names.ts";
import {
  type DecidingArgument,
  failureIn,
  mistypedArgument,
  takesArguments,
} from "./other-argument.ts";

export type Debugged = OpenedRecord &
  Pick<Investigation, "snapshot" | "execution" | "verdict" | "explanation" | "fix"> & {
    /**
     * An argument with another value with which a run succeeded; null or absent if none is known.
     */
    readonly deciding?: DecidingArgument | null;
  };

interface Commands {
  /** The command as the user typed it. */
  readonly again: string;
  /** The command with nodes to ask. */
  readonly online: string;
  /** As `online`, with a second node; null: the user named no RPC node. */
  readonly withOtherNode: string | null;
  /** The flags of the network, each after a blank. */
  readonly network: string;
}

function step(
  kind: NextStep["kind"],
  own: string,
  flags: string,
  purpose: string,
  isOther = false,
): NextStep {
  const command = `${own} ${flags}`;
  return { kind, command, flags: isOther ? null : flags, override: null, purpose };
}

/** A run with something different. */
function whatIf(
  kind: NextStep["kind"],
  own: string,
  override: StatedOverride,
  purpose: string,
): NextStep {
  return { ...step(kind, own, overrideFlag(override), purpose), override };
}

const SEE_ALL = "See the calls with their storage, events and errors";
const NODES_KNOW_IT: ShellReference = {
  from: null,
  flags: "",
  namesRpc: false,
};

export function nextSteps(debugged: Debugged, asked: ShellReference = NODES_KNOW_IT): NextStep[] {
  const { explanation, fix, verdict } = debugged;
  const commands = commandsOf(debugged, asked);
  const isFixed = fix !== null && fix.envelopeXdr !== null;
  const steps = [
    ...(isFixed ? [printFix(fix, commands)] : []),
    ...(explanation.success || isFixed ? [] : stepsToCause(debugged, commands)),
    ...(explanation.cause?.kind === "contract-error" ? errorName(debugged, commands) : []),
    ...(verdict === null ? [] : stepsToVerdict(debugged, verdict, commands)),
  ];
  const isAdvised = explanation.success || explanation.remedy !== null || steps.length > 0;
  return isAdvised ? steps : [step("trace", commands.again, "-v", SEE_ALL)];
}

function commandsOf(
  { record }: Debugged,
  { from, call, flags, namesRpc }: ShellReference,
): Commands {
  const name = networkOfPassphrase(record.networkPassphrase);
  const given = [...(name === null ? [] : [`--network ${name}`]), ...(flags === "" ? [] : [flags])];
  const named = given.map((words) => ` ${words}`).join("");
  const network = namesRpc ? `${named} --rpc-url URL` : named;
  const own = `svc debug ${record.requestedHash}`;
  const online = `${own}${network}`;
  if (call !== undefined) return { again: call, online: call, withOtherNode: null, network };
  return {
    again: from === null ? online : `svc debug --from ${from}`,
    online,
    withOtherNode: namesRpc ? `${own}${named} --rpc-url URL,OTHER_URL` : null,
    network,
  };
}

function printFix({ proof }: Fix, { again }: Commands): NextStep {
  const what =
    proof?.outcome === "recorded" ? "the authorizations and the envelope" : "the envelope";
  return step("print-fix", again, "--fix", `Print ${what} to sign and send`);
}

function stepsToCause(debugged: Debugged, { again }: Commands): NextStep[] {
  const { snapshot, execution, verdict, explanation } = debugged;
  const { deciding = null } = debugged;
  const traits = explanation.cause && CAUSES[explanation.cause.kind];
  // If the replay is not the chain's run, a run with a change shows nothing.
  if (snapshot === null || verdict === null || !isRunOfChain(verdict)) return [];
  if (traits?.isCost && execution?.profile) return [];
  if (traits?.isCost)
    return [
      step("profile", again, "--profile", "See what each call and function costs, as a flamegraph"),
    ];
  const failure = failureIn({ ...debugged, snapshot });
  const { call, lookup } = failure;
  const contract = call?.contract ?? null;
  // The asset contract and a contract that does not exist have no code of their own.
  const proven = provenStep(explanation, again);
  if (!traits?.inCode || !lookup(contract)?.wasmHash) return proven;
  return [
    ...proven,
    ...sourceLine(execution, again),
    ...argumentSteps(explanation, failure, deciding, again),
    ...(traits.argument === "decides" ? [] : [otherBuild(`${contract}`, again)]),
  ];
}

/**
 * The steps with another argument, if it may decide differently. None if no argument decided, or if
 * one is proven.
 */
function argumentSteps(
  { decidedBy, cause, remedy }: Explanation,
  failure: Failure,
  deciding: DecidingArgument | null,
  again: string,
): NextStep[] {
  const advised = remedy !== null && !(cause && CAUSES[cause.kind].isOwnError);
  if (decidedBy?.proof) return [];
  if (deciding !== null) {
    const { name, value } = deciding;
    const purpose = `Compare with a run where \`${name}\` is ${value}`;
    return [whatIf("what-if-argument", again, { kind: "argument", name, value }, purpose)];
  }
  if (decidedBy === null || decidedBy.end === "refused")
    return withOtherArgument(failure, advised, again);
  const invoked = failure.envelope?.hostFunction;
  if (invoked?.kind !== "invoke") return [];
  const isOwn = invoked.contract === decidedBy.contract && invoked.function === decidedBy.function;
  const [at] = decidedBy.conditions.flatMap(({ terms }) => argumentsAmong(terms, isOwn));
  if (at === undefined) return isOwn ? [] : mistyped(failure, again);
  const spec = failure.lookup(invoked.contract)?.spec;
  const name = spec?.functions.get(invoked.function)?.inputs[at]?.name;
  return name === undefined || !PLAIN_NAME.test(name) ? [] : [otherValue(name, again)];
}

/** The run that shows again what the value decided. */
function provenStep({ decidedBy }: Explanation, again: string): NextStep[] {
  // The flags change the value, but no authorization.
  if (!decidedBy?.proof || decidedBy.proof.recorded !== null) return [];
  const { name, function: within, value, kind, outcome, override } = decidedBy.proof;
  const of = kind !== "argument" || within === decidedBy.function ? "" : ` of \`${within}\``;
  const changed = `${name}${of} is ${value}`;
  const purpose =
    outcome === "succeeds"
      ? `Compare with a run where ${changed}`
      : `See what comes next where ${changed}`;
  const isArgument = kind === "argument";
  return [whatIf(isArgument ? "what-if-argument" : "what-if-state", again, override, purpose)];
}

/** Those of the transaction's own call. */
function argumentsAmong(terms: readonly DecidingTerm[], isOwn: boolean): number[] {
  return terms.flatMap(({ kind, index = 0, of, givenBy }) =>
    kind === "argument" && isOwn
      ? [index]
      : givenBy === undefined
        ? argumentsAmong(of, isOwn)
        : argumentsAmong([givenBy.term], givenBy.outermost),
  );
}

function otherValue(name: string, again: string): NextStep {
  const purpose = `See how the call ends with another value of \`${name}\``;
  const override = { kind: "argument", name, value: "VALUE" } as const;
  return whatIf("what-if-argument", again, override, purpose);
}

function otherBuild(contract: string, again: string): NextStep {
  const purpose = "Run the transaction with your changed build of the contract";
  return whatIf("what-if-code", again, { kind: "code", contract }, purpose);
}

/** The step that finds the source line, if only the place in the code is known. */
function sourceLine(execution: Execution | null, again: string): NextStep[] {
  const location = execution?.location;
  if (location?.kind !== "known" || location.linesFrom !== null) return [];
  if (location.frames.every(({ address }) => address === null)) return [];
  const purpose = "For the source line, pass a build with debug information";
  return [step("source-line", again, "--wasm FILE", purpose)];
}

/** The contract may exist today, although no source has its code of that ledger. */
function errorName(debugged: Debugged, { network }: Commands): NextStep[] {
  const { snapshot } = debugged;
  if (snapshot === null) return [];
  const { error, origin, call, lookup } = failureIn({ ...debugged, snapshot });
  const contract = origin?.contract ?? call?.contract ?? null;
  const code = error?.contractCode ?? null;
  if (contract === null || code === null || lookup(contract)?.spec) return [];
  const text = `Error(Contract, #${code})`;
  const named = step(
    "error-name",
    `svc explain '${text}'`,
    `--id ${contract}${network}`,
    "See the contract's own name of the error",
    true,
  );
  return [{ ...named, error: { text, contract } }];
}

/** The step for a user's choice, if nothing shows which argument decides. */
function withOtherArgument(failure: Failure, advised: boolean, again: string): NextStep[] {
  const named = mistyped(failure, again);
  if (named.length > 0 || advised || !takesArguments(failure)) return named;
  const purpose = "See how the call ends with another argument";
  const override = { kind: "argument", name: "NAME", value: "VALUE" } as const;
  return [whatIf("what-if-argument", again, override, purpose)];
}

function mistyped(failure: Failure, again: string): NextStep[] {
  const name = mistypedArgument(failure);
  return name === null ? [] : [otherValue(name, again)];
}

function stepsToVerdict(
  { snapshot }: Debugged,
  { kind, caveats }: Verdict,
  { again, online, withOtherNode }: Commands,
): NextStep[] {
  if (kind === "exact" || kind === "equivalent") return [];
  const lacked = [
    ...(snapshot?.unknown ?? []),
    ...caveats.filter((caveat) => caveat.kind === "unknown"),
  ].flatMap(({ keyXdr }) => keyXdr ?? []);
  const steps: NextStep[] = [];
  if (kind === "diverged")
    steps.push(
      step("comparisons", again, "-v", "See every comparison of the replay with the chain"),
    );
  const isCode = (key: string) => typeOfKey(key) === ENTRY_TYPE.contractCode;
  if (lacked.length > 0 && lacked.every(isCode))
    steps.push(
      step(
        "other-sources",
        again,
        "--code DIR",
        "Supply the contract code that no source has, as *.wasm files",
      ),
    );
  else if (withOtherNode !== null)
    steps.push({
      kind: "other-sources",
      command: withOtherNode,
      flags: null,
      override: null,
      purpose: "Ask a second node, too, for the state before the transaction",
    });
  else
    steps.push(
      step(
        "other-sources",
        online,
        "--rpc-url URL",
        "Ask another node for the state before the transaction",
        online !== again,
      ),
    );
  return steps;
}
