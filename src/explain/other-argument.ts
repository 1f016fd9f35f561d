// Finds other values for the arguments of the transaction's own call, among those that the failed
// call also has and that often make code panic. Only a run shows whether one of them decides.

import type { Execution } from "../model/execution.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { SpecFunction } from "../xdr/contract/contract-spec.ts";
import { lookupIn } from "../xdr/contract/lookup-in.ts";
import { mayBe } from "../xdr/contract/value-kind.ts";
import { ownCall } from "../xdr/envelope/created-contracts.ts";
import type { OpenedRecord } from "../xdr/envelope/opened-record.ts";
import { endOf } from "../xdr/outcome/result.ts";
import { showValue } from "../xdr/values/value.ts";
import { integerValue } from "../xdr/values/value-parts.ts";
import { type Failure, failureInConstructor, readFailure } from "./causes/failure.ts";
import { suspiciousArguments } from "./causes/suspicious-arguments.ts";
import { PLAIN_NAME } from "./naming/term-names.ts";

export interface Failed extends OpenedRecord {
  readonly snapshot: Snapshot;
  /** Null if the replay is not the chain's run. */
  readonly execution: Execution | null;
}

/** The failed call of a transaction that ended in the contract host. */
export function failureIn({ record, envelope, chain, snapshot, execution }: Failed): Failure {
  const result = endOf(chain.result);
  const facts = { result, envelope, snapshot, execution };
  const lookup = lookupIn(snapshot.entries);
  return failureInConstructor(readFailure({ record, chain }, { ...facts, lookup }));
}

/** An argument with a value with which a run succeeded. */
export interface DecidingArgument {
  readonly name: string;
  /** The value as a user writes it. */
  readonly value: string;
}

export interface ArgumentToTry extends DecidingArgument {
  /** All arguments of the call, ScVals. */
  readonly argumentsXdr: readonly string[];
}

/** The suspicious arguments that have a plain word as a name, and an integer of their type. */
export function argumentsToTry(failure: Failure): readonly ArgumentToTry[] {
  const invoked = invokedBy(failure);
  if (invoked === null) return [];
  const { argumentsXdr: passedXdr, inputs } = invoked;
  return suspiciousArguments(failure).flatMap((suspect): ArgumentToTry[] => {
    const at = passedXdr.indexOf(suspect);
    const input = inputs[at];
    if (input === undefined || !PLAIN_NAME.test(input.name)) return [];
    const typeName = input.type.kind === "plain" ? input.type.name : "";
    const value = showValue(passedXdr[at] ?? "") === "1" ? 2n : 1n;
    const valueXdr = /^[ui]/.test(typeName) ? integerValue(typeName, value) : null;
    if (valueXdr === null) return [];
    const argumentsXdr = passedXdr.map((each, i) => (i === at ? valueXdr : each));
    return [{ name: input.name, value: String(value), argumentsXdr }];
  });
}

/**
 * The name of the argument whose type differs from the specification; null if there is none, or if
 * it is not a word.
 */
export function mistypedArgument(failure: Failure): string | null {
  const invoked = invokedBy(failure);
  const spec = failure.lookup(invoked?.contract ?? null)?.spec ?? null;
  const mistypedInput = invoked?.inputs.find(
    ({ name, type }, at) =>
      !mayBe(invoked.argumentsXdr[at] ?? "", type, spec) && PLAIN_NAME.test(name),
  );
  return mistypedInput?.name ?? null;
}

/** The transaction's own call takes arguments. */
export function takesArguments(failure: Failure): boolean {
  return (invokedBy(failure)?.argumentsXdr.length ?? 0) > 0;
}

interface Invoked {
  readonly contract: string;
  readonly argumentsXdr: readonly string[];
  readonly inputs: SpecFunction["inputs"];
}

/** Null if its specification does not have the arguments. */
function invokedBy({ envelope, lookup }: Failure): Invoked | null {
  const invoked = envelope && ownCall(envelope);
  if (!invoked || invoked.contract === null) return null;
  const spec = lookup(invoked.contract)?.spec ?? null;
  const inputs = spec?.functions.get(invoked.function)?.inputs ?? [];
  if (inputs.length !== invoked.argumentsXdr.length) return null;
  return { contract: invoked.contract, argumentsXdr: invoked.argumentsXdr, inputs };
}
