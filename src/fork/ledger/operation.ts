// The rules of a classic operation: the entries that it needs, its form, and its effects. Results
// are OperationResults as bytes, made by the names of their codes.

import { memberNames, resolved, schemaNamed } from "../../xdr/reader/schema.ts";
import type { Value } from "../../xdr/reader/value.ts";
import { uint32s } from "../../xdr/reader/words.ts";
import type { LedgerTerms } from "./accounts.ts";
import type { AssetEvents } from "./asset-events.ts";
import type { Layer } from "./layers.ts";

export type Body = Value<"OperationBody">;
export type BodyOf<Type extends Body["type"]> = Extract<Body, { readonly type: Type }>;

export interface OperationContext {
  /** The changes of this operation alone. */
  readonly layer: Layer;
  readonly terms: LedgerTerms;
  /** The account (G…), and the name that the operation gives it. */
  readonly source: string;
  readonly sourceAccount: Value<"MuxedAccount">;
  readonly events: AssetEvents;
  /**
   * The accounts that pay the reserves of what another account creates, as long as the transaction
   * says so.
   */
  readonly sponsors: Map<string, string>;
  /** The highest sequence number that each account uses in a ledger which merges accounts. */
  readonly usedSequences: ReadonlyMap<string, bigint>;
}

export interface OperationOutcome {
  readonly success: boolean;
  /** OperationResult. */
  readonly result: Uint8Array;
}

export interface OperationRules<Of extends Body> {
  /** The LedgerKeys besides that of the source account. */
  readonly keys: (body: Of, source: string) => readonly string[];
  /** The keys that the network can have frozen (CAP-77); absent for all keys. */
  readonly freezable?: (body: Of, source: string) => readonly string[];
  /** The name of the result's code if the operation is malformed. */
  readonly flaw: (body: Of, source: string) => string | null;
  /** Applies the operation. Returns the name of the code, or the whole result. */
  readonly apply: (context: OperationContext, body: Of) => string | OperationOutcome;
}

const SUCCESS_CODE = 0;

/** By the name of the operation's own code: `paymentNoTrust`, or one of any operation: `opBadAuth`. */
export function outcomeNamed(type: Body["type"], name: string, ...more: Uint8Array[]) {
  const ofAny = codeNamed("OperationResultCode", name);
  if (ofAny !== null) return { success: false, result: uint32s(ofAny >>> 0) };
  const code = codeNamed(resultCodes(type), name);
  if (code === null) throw new Error(`no result code ${name}`);
  const result = Buffer.concat([uint32s(0, type, code >>> 0), ...more]);
  return { success: code === SUCCESS_CODE, result };
}

/** The OperationType. */
export const ACCOUNT_MERGE_TYPE = 8;

/** The result that stellar-core prepares before the operation runs. */
export function successOf(type: Body["type"]): Uint8Array {
  const more = type === ACCOUNT_MERGE_TYPE ? [new Uint8Array(8)] : [];
  return Buffer.concat([uint32s(0, type, SUCCESS_CODE), ...more]);
}

/** The enum of the codes of an operation's own result. */
function resultCodes(type: Body["type"]): string {
  const results = schemaNamed("OperationResultTr");
  const arm = results.kind === "union" ? results.cases.get(type) : null;
  const result = arm ? resolved(arm[1]) : null;
  if (result?.kind !== "union" || result.switchOn.kind !== "named")
    throw new Error(`no operation ${type}`);
  return result.switchOn.name;
}

export function codeNamed(type: string, name: string): number | null {
  const names = memberNames(type as Parameters<typeof memberNames>[0]);
  return [...names].find(([, each]) => each === name)?.[0] ?? null;
}
