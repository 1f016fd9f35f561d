// Finds the steps that continue an investigation. Each of them can work. A step goes into commands,
// so it contains only plain words of a contract's author.

import { CAUSES } from "../model/cause-kinds.ts";
import type { Execution } from "../model/execution.ts";
import type { DecidingTerm, Explanation, NextStep } from "../model/explanation.ts";
import type { Fix } from "../model/fix.ts";
import type { Investigation, OwnReference } from "../model/investigation.ts";
import { isReproduced, isRunOfChain, type Verdict } from "../model/verdict.ts";
import { ownCall } from "../xdr/envelope/created-contracts.ts";
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

const SEE_ALL = "See the calls with their storage, events and errors";
/** `reference`: how the user named the transaction and its nodes (default: by its hash). */
export function nextSteps(debugged: Debugged, reference?: OwnReference): NextStep[] {
  const { explanation, fix, verdict } = debugged;
  const isFixed = fix !== null && fix.envelopeXdr !== null;
  const steps = [
    ...(isFixed ? [printFix(fix)] : []),
    ...(explanation.success || isFixed ? [] : stepsToCause(debugged)),
    ...(explanation.cause?.kind === "contract-error" ? errorName(debugged) : []),
    ...(verdict === null ? [] : stepsToVerdict(debugged, verdict, reference?.namesRpc ?? false)),
  ];
  const isAdvised = explanation.success || explanation.remedy !== null || steps.length > 0;
  return isAdvised ? steps : [{ kind: "trace", purpose: SEE_ALL }];
}

function printFix({ proof }: Fix): NextStep {
  const printed =
    proof?.outcome === "recorded" ? "the authorizations and the envelope" : "the envelope";
  return { kind: "print-fix", purpose: `Print ${printed} to sign and send` };
}

function stepsToCause(debugged: Debugged): NextStep[] {
  const { snapshot, execution, verdict, explanation } = debugged;
  const { deciding = null } = debugged;
  const traits = explanation.cause && CAUSES[explanation.cause.kind];
  // If the replay is not the chain's run, a run with a change shows nothing.
  if (snapshot === null || verdict === null || !isRunOfChain(verdict)) return [];
  if (traits?.isCost && execution?.profile) return [];
  if (traits?.isCost)
    return [{ kind: "profile", purpose: "See what each call and function costs, as a flamegraph" }];
  const failure = failureIn({ ...debugged, snapshot });
  const { call, lookup } = failure;
  const contract = call?.contract ?? null;
  // The asset contract and a contract that does not exist have no code of their own.
  const proven = provenStep(explanation);
  if (!traits?.inCode || !lookup(contract)?.wasmHash) return proven;
  return [
    ...proven,
    ...sourceLine(execution),
    ...argumentSteps(explanation, failure, deciding),
    ...(traits.argument === "decides" ? [] : [otherBuild(`${contract}`)]),
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
): NextStep[] {
  const advised = remedy !== null && !(cause && CAUSES[cause.kind].isOwnError);
  if (decidedBy?.proof) return [];
  if (deciding !== null) {
    const { name, value } = deciding;
    const override = { kind: "argument", name, value } as const;
    return [{ kind: "what-if-argument", override, purpose: COMPARE_WITH_RUN }];
  }
  if (decidedBy === null || decidedBy.end === "refused") return withOtherArgument(failure, advised);
  const invoked = failure.envelope && ownCall(failure.envelope);
  if (!invoked) return [];
  const isOwn = invoked.contract === decidedBy.contract && invoked.function === decidedBy.function;
  const [at] = decidedBy.conditions.flatMap(({ terms }) => argumentsAmong(terms, isOwn));
  if (at === undefined) return isOwn ? [] : mistyped(failure);
  const spec = failure.lookup(invoked.contract)?.spec;
  const name = spec?.functions.get(invoked.function)?.inputs[at]?.name;
  return name === undefined || !PLAIN_NAME.test(name) ? [] : [otherValue(name)];
}

/** The evidence names the run. */
const COMPARE_WITH_RUN = "Compare with that run";

/** The run that shows again what the value decided. */
function provenStep({ decidedBy }: Explanation): NextStep[] {
  // An override changes the value, but no authorization.
  if (!decidedBy?.proof || decidedBy.proof.recorded !== null) return [];
  const { kind, outcome, override } = decidedBy.proof;
  // The summary of the deciding value names that run.
  const purpose = outcome === "succeeds" ? COMPARE_WITH_RUN : "See what comes next in that run";
  const isArgument = kind === "argument";
  return [{ kind: isArgument ? "what-if-argument" : "what-if-state", override, purpose }];
}

/**
 * Returns the positions of the arguments of the transaction's own call, the nearest to the
 * condition first: an argument that was compared, or added, decides more than one in a storage key.
 */
function argumentsAmong(terms: readonly DecidingTerm[], isOwn: boolean): number[] {
  const positions: number[] = [];
  let level = terms.map((term) => ({ term, isOwn }));
  while (level.length > 0) {
    const isArgument = (each: (typeof level)[number]) =>
      each.term.kind === "argument" && each.isOwn;
    positions.push(...level.filter(isArgument).map(({ term }) => term.index ?? 0));
    level = level
      .filter((each) => !isArgument(each))
      .flatMap(({ term: { of, givenBy }, isOwn: isOfOwn }) =>
        givenBy === undefined
          ? of.map((term) => ({ term, isOwn: isOfOwn }))
          : [{ term: givenBy.term, isOwn: givenBy.outermost }],
      );
  }
  return positions;
}

function otherValue(name: string): NextStep {
  const purpose = `See how the call ends with another value of \`${name}\``;
  const override = { kind: "argument", name, value: "VALUE" } as const;
  return { kind: "what-if-argument", override, isOpen: true, purpose };
}

function otherBuild(contract: string): NextStep {
  const purpose = "Run the transaction with your changed build of the contract";
  return { kind: "what-if-code", override: { kind: "code", contract }, purpose };
}

/** The step that finds the source line, if only the place in the code is known. */
function sourceLine(execution: Execution | null): NextStep[] {
  const location = execution?.location;
  if (location?.kind !== "known" || location.linesFrom !== null) return [];
  if (location.frames.every(({ address }) => address === null)) return [];
  const purpose = "For the source line, pass a build with debug information";
  return [{ kind: "source-line", purpose }];
}

/** The contract may exist today, although no source has its code of that ledger. */
function errorName(debugged: Debugged): NextStep[] {
  const { snapshot } = debugged;
  if (snapshot === null) return [];
  const { error, origin, call, lookup } = failureIn({ ...debugged, snapshot });
  const contract = origin?.contract ?? call?.contract ?? null;
  const code = error?.contractCode ?? null;
  if (contract === null || code === null || lookup(contract)?.spec) return [];
  const text = `Error(Contract, #${code})`;
  const purpose = "See the contract's own name for the error";
  return [{ kind: "error-name", text, contract, purpose }];
}

/** The step for a user's choice, if nothing shows which argument decides. */
function withOtherArgument(failure: Failure, advised: boolean): NextStep[] {
  const named = mistyped(failure);
  if (named.length > 0 || advised || !takesArguments(failure)) return named;
  const purpose = "See how the call ends with another argument";
  const override = { kind: "argument", name: "NAME", value: "VALUE" } as const;
  return [{ kind: "what-if-argument", override, isOpen: true, purpose }];
}

function mistyped(failure: Failure): NextStep[] {
  const name = mistypedArgument(failure);
  return name === null ? [] : [otherValue(name)];
}

function stepsToVerdict(
  { snapshot }: Debugged,
  { kind, caveats }: Verdict,
  namesRpc: boolean,
): NextStep[] {
  if (isReproduced(kind)) return [];
  const lacked = [
    ...(snapshot?.unknown ?? []),
    ...caveats.filter((caveat) => caveat.kind === "unknown"),
  ].flatMap(({ keyXdr }) => keyXdr ?? []);
  const steps: NextStep[] = [];
  if (kind === "diverged")
    steps.push({
      kind: "comparisons",
      purpose: "See every comparison of the replay with the chain",
    });
  const isCode = (key: string) => typeOfKey(key) === ENTRY_TYPE.contractCode;
  if (lacked.length > 0 && lacked.every(isCode))
    steps.push({
      kind: "other-sources",
      source: "code",
      purpose: "Supply the contract code that no source has, as *.wasm files",
    });
  else if (namesRpc)
    steps.push({
      kind: "other-sources",
      source: "second-node",
      purpose: "Ask a second node, too, for the state before the transaction",
    });
  else
    steps.push({
      kind: "other-sources",
      source: "node",
      purpose: "Ask another node for the state before the transaction",
    });
  return steps;
}
