// The value that decided that a contract's code failed. svc-sim finds it in one more run.

import * as v from "valibot";
import { type Parsed, wireObject } from "../base/wire.ts";
import type { Overrides } from "./overrides.ts";

const text = v.string();
const uint32 = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffff_ffff));

const TERM_KINDS = [
  "argument",
  "storage",
  "written",
  "entry",
  "key",
  "ledger",
  "contract",
  "random",
  "result",
  "length",
  "field",
  "element",
  "constant",
  "computed",
  /** What the asset contract compared: a balance, an allowance or a limit. Only svc has these. */
  "token",
  "unnamed",
] as const;

/** A value: where it came from, and the values that it was made of. */
export interface Term {
  readonly kind: (typeof TERM_KINDS)[number];
  /** An ScVal. */
  readonly valueXdr?: string;
  /** A number that was compared or computed, in decimal. */
  readonly number?: string;
  /** The position of the argument or the element. */
  readonly index?: number;
  /** The name of the field, of the ledger's fact, or of the function that was called. */
  readonly name?: string;
  /** The key (ScVal) of an entry or in a map. */
  readonly keyXdr?: string;
  readonly durability?: string;
  /** The contract that was called. */
  readonly contract?: string;
  readonly operator?: string;
  /** The terms that contain it, from which it was computed, or of which its key was made. */
  readonly of?: readonly Term[];
  /** For an argument or a result: the same value in the contract call that passed it. */
  readonly origin?: Origin;
}

export interface Origin {
  readonly contract: string | null;
  readonly function: string;
  /** True for the transaction's own call. */
  readonly outermost: boolean;
  readonly term: Term;
}

const optionalText = v.exactOptional(text);
const decimal = v.pipe(text, v.regex(/^-?\d{1,78}$/));
const termSchema: v.GenericSchema<unknown, Term> = wireObject({
  kind: v.picklist(TERM_KINDS),
  value_xdr: optionalText,
  number: v.exactOptional(decimal),
  index: v.exactOptional(uint32),
  name: optionalText,
  key_xdr: optionalText,
  durability: optionalText,
  contract: optionalText,
  operator: optionalText,
  of: v.exactOptional(v.array(v.lazy(() => termSchema))),
  origin: v.exactOptional(
    v.object({
      contract: v.nullable(text),
      function: text,
      outermost: v.boolean(),
      term: v.lazy(() => termSchema),
    }),
  ),
}) as never;

const conditionSchema = wireObject({
  /** A relation that a later svc-sim may have is unknown here. */
  relation: text,
  terms: v.array(termSchema),
  type: v.exactOptional(text),
  values: v.exactOptional(v.array(text)),
  /** True if only a run of the transaction can show that this decided. */
  needs_run: v.exactOptional(v.boolean()),
});
export type WhyCondition = Parsed<typeof conditionSchema>;

/** A branch that may have decided that a call was made as it was. The fields are those of `Why`. */
const reasonSchema = wireObject({
  frame: uint32,
  contract: v.nullable(text),
  function: text,
  conditions: v.array(conditionSchema),
  code: text,
  address: uint32,
  count: v.nullable(v.pipe(v.number(), v.safeInteger())),
  taken: uint32,
});

/** The sources are `time`, `sequence`, `random`, `state` and `arguments`. */
const sources = v.array(text);
const refusedSchema = v.object({
  /** The name of the host function. */
  function: text,
  /** For a storage function, only an `entry`, with the terms of which its key was made. */
  arguments: v.array(termSchema),
  /** The arguments of the asset contract's function that a refused call ran, by position. */
  passed: v.exactOptional(v.array(termSchema)),
  /** The sources from which the arguments were computed. */
  values: sources,
  /** Other sources that may have decided that the call was made, and with these arguments. */
  control: sources,
  /** True if there are no other sources. */
  complete: v.boolean(),
  /** The reasons; those on the ledger come first. */
  reasons: v.array(reasonSchema),
});
export type Refused = Parsed<typeof refusedSchema>;
export type Reason = Refused["reasons"][number];

export const whySchema = wireObject({
  /** The number of the branch's contract call. */
  frame: uint32,
  contract: v.nullable(text),
  function: text,
  end: v.picklist(["stopped", "error", "returned", "refused"]),
  /** True if the code fails there with any arguments. */
  always: v.boolean(),
  /**
   * Conditions that were all met. For a refused call, only the asset contract's own rule: the
   * branches that led to the call are in `refused`.
   */
  conditions: v.array(conditionSchema),
  /** The reasons why a number that was compared is a default. */
  because: v.exactOptional(v.array(conditionSchema)),
  /** Conditions that also held. Runs show whether the call would have passed without each. */
  others: v.exactOptional(v.array(conditionSchema)),
  /** The branch that decided: hash of the code, address, and how often it had been executed. */
  code: text,
  address: uint32,
  /** Null if no branch decided alone. */
  count: v.nullable(v.pipe(v.number(), v.safeInteger())),
  /** The side that the branch went to. */
  taken: uint32,
  /** The line in the contract's own source, if its code has debug information. */
  line: v.exactOptional(v.object({ file: text, line: uint32 })),
  /** The call that the host refused. */
  refused: v.exactOptional(refusedSchema),
  /** The lookup of the entry whose absence decided. */
  missed: v.exactOptional(refusedSchema),
});
export type Why = Parsed<typeof whySchema>;

/** The last write of something stored that decided, as the meta of its ledger shows it. */
export interface FoundWrite {
  /** A stored value or a part of one, the entry itself, or a key or element of a stored value. */
  readonly of: "value" | "entry" | "element";
  readonly term: Term;
  /** The contract whose storage it is. */
  readonly contract: string;
  /** ScVals; null: there was none. For an entry or an element, any value means that it is there. */
  readonly beforeXdr: string | null;
  readonly afterXdr: string | null;
  /** The hash, hex. */
  readonly transactionHash: string;
  readonly ledger: number;
  /** Counted from 1. */
  readonly applicationOrder: number;
  /** The call of that transaction; null: none, or it is unknown. */
  readonly call: { readonly contract: string; readonly function: string } | null;
  /** What that call has in common with the failed transaction's: all, the function, or nothing. */
  readonly repeats: "call" | "function" | null;
}

/** Both bounds are inclusive. Null means no bound on that side. */
export interface NumberRange {
  readonly least: string | null;
  readonly most: string | null;
}

export interface RecordedProof {
  /** Other addresses than the source account that would have to sign. */
  readonly signers: readonly string[];
}

/** The length of a value, and what it counts. */
export interface ValueLength {
  readonly count: number;
  readonly unit: "byte" | "character" | "element";
}

/** The value that a run had in the place of another one. */
export type OtherValue =
  /** A number in decimal digits: what has a proof can be written as JSON. */
  | { readonly kind: "number"; readonly number: string }
  | { readonly kind: "truth"; readonly isTrue: boolean }
  /** An ScVal that is neither a number nor a truth value. */
  | { readonly kind: "value"; readonly valueXdr: string }
  /** A value of that length, of which nothing else is known. */
  | ({ readonly kind: "length" } & ValueLength)
  /** A balance that its issuer has authorized. */
  | { readonly kind: "authorized" }
  /** No value that could be shown: an entry was removed, or added with any content. */
  | { readonly kind: "none" };

/** Two runs: with one value the branch goes to its other side, with the next one it does not. */
export interface WhyProof {
  /** The value that was changed. */
  readonly term: Term;
  /** The nearest number with which the branch goes to its other side, or another value. */
  readonly other: OtherValue;
  /** What the run did with an entry that it added or removed. */
  readonly entry?: "added" | "removed";
  /**
   * The numbers that change the condition, of which only `other` was run. Null means any other
   * number.
   */
  readonly range: NumberRange | null;
  /** The changes that made that run. */
  readonly overrides: Overrides;
  /**
   * Both runs recorded their authorizations and footprint. Null if they used those that were sent.
   */
  readonly recorded: RecordedProof | null;
  /**
   * The error of that run. Null if it succeeded, and empty if it ended in a way that only the
   * change caused.
   */
  readonly error: string | null;
  /** True if it failed with the same error before. */
  readonly isSameError: boolean;
  /** The contract call that has the value, if it is another one. */
  readonly within?: Pick<Why, "contract" | "function">;
  /** For a refused call: the branch that decided that the call was made this way. */
  readonly reason?: Reason;
}
