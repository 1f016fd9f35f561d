// The operations that a fork knows, and what an envelope shows of them before anything runs:
// whether the fork knows all, the entries that they need, those that the network can have frozen,
// and their form.

import { SOROBAN_OPERATIONS } from "../../model/result-code.ts";
import type { Envelope } from "../../xdr/envelope/envelope.ts";
import { accountOf, innerEnvelope } from "../../xdr/envelope/envelope-terms.ts";
import { accountKeyOf } from "../../xdr/reader/keys.ts";
import type { Value } from "../../xdr/reader/value.ts";
import { forkUnsupported } from "../errors.ts";
import { type Body, type OperationRules, outcomeNamed, successOf } from "./operation.ts";
import {
  BEGIN_SPONSORING,
  BUMP_SEQUENCE,
  END_SPONSORING,
  MANAGE_DATA,
  SET_OPTIONS,
} from "./options.ts";
import { ACCOUNT_MERGE, CREATE_ACCOUNT, PAYMENT } from "./payments.ts";
import { ALLOW_TRUST, assetOfLine, CHANGE_TRUST, CLAWBACK, SET_TRUST_LINE_FLAGS } from "./trust.ts";

const CHANGE_TRUST_TYPE = 6;

/** The rules of each operation, by OperationType. */
const CLASSIC: ReadonlyMap<number, OperationRules<never>> = new Map<number, OperationRules<never>>([
  [0, CREATE_ACCOUNT],
  [1, PAYMENT],
  [5, SET_OPTIONS],
  [CHANGE_TRUST_TYPE, CHANGE_TRUST],
  [7, ALLOW_TRUST],
  [8, ACCOUNT_MERGE],
  [10, MANAGE_DATA],
  [11, BUMP_SEQUENCE],
  [16, BEGIN_SPONSORING],
  [17, END_SPONSORING],
  [19, CLAWBACK],
  [21, SET_TRUST_LINE_FLAGS],
]);

export function isSoroban({ operationKinds }: Envelope): boolean {
  return SOROBAN_OPERATIONS.has(operationKinds[0] ?? "");
}

export function operationsOf({ decoded }: Envelope): readonly Value<"Operation">[] {
  return innerEnvelope(decoded).tx.operations;
}

/** Throws FORK_UNSUPPORTED for the first operation that a fork does not know. */
export function requireSupported(envelope: Envelope): void {
  const unknown = unsupportedOperation(envelope);
  if (unknown !== null) throw forkUnsupported(`the operation ${unknown} works`);
}

/** Null if the fork knows all of them. */
export function unsupportedOperation(envelope: Envelope): string | null {
  const at = operationsOf(envelope).findIndex(({ body }, i) => {
    if (body.type === CHANGE_TRUST_TYPE && assetOfLine(body) === null) return true;
    return !CLASSIC.has(body.type) && !SOROBAN_OPERATIONS.has(envelope.operationKinds[i] ?? "");
  });
  return at === -1 ? null : (envelope.operationKinds[at] ?? null);
}

/** LedgerKeys that the envelope may need. Most others become known when they are needed. */
export function keysOf(envelope: Envelope): string[] {
  const { terms, soroban } = envelope;
  const { readOnly = [], readWrite = [] } = soroban?.footprint ?? {};
  const ofOperations = operationsOf(envelope).flatMap(
    ({ sourceAccount, body }) =>
      rulesOf(body)?.keys(body as never, sourceOf(envelope, sourceAccount)) ?? [],
  );
  return [...terms.signers.map(accountKeyOf), ...readOnly, ...readWrite, ...ofOperations];
}

/** LedgerKeys that the operations change or spend, besides what the envelope names. */
export function freezableKeys(envelope: Envelope): string[] {
  return operationsOf(envelope).flatMap(({ sourceAccount, body }) => {
    const rules = rulesOf(body);
    const keys = rules?.freezable ?? rules?.keys;
    return keys?.(body as never, sourceOf(envelope, sourceAccount)) ?? [];
  });
}

export function rulesOf(body: Body): OperationRules<never> | null {
  return CLASSIC.get(body.type) ?? null;
}

export function sourceOf({ terms }: Envelope, account: Value<"MuxedAccount"> | null): string {
  return account === null ? terms.source : accountOf(account);
}

/** The name of the code of the first malformed operation, with its result. */
export function formFlawOf(envelope: Envelope): { code: string; results: Uint8Array[] } | null {
  const results = operationsOf(envelope).map(({ body }) => successOf(body.type));
  for (const [i, { body, sourceAccount }] of operationsOf(envelope).entries()) {
    const code = rulesOf(body)?.flaw(body as never, sourceOf(envelope, sourceAccount)) ?? null;
    if (code === null) continue;
    return { code, results: results.with(i, outcomeNamed(body.type, code).result) };
  }
  return null;
}
