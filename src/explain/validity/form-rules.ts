// Rules that do not depend on what an envelope declares for the contract host: its version, its
// preconditions, its operations, its memo (stellar-core: TransactionFrame::commonValidPreSeqNum).

import { SOROBAN_OPERATIONS } from "../../model/result-code.ts";
import { ENVELOPE_TYPE } from "../../xdr/envelope/envelope-facts.ts";
import { innerEnvelope } from "../../xdr/envelope/envelope-terms.ts";
import { HOST_FUNCTION } from "../../xdr/envelope/host-function.ts";
import type { AccountSigner } from "../../xdr/values/signer.ts";
import { type Checked, functionsOf, type Rule } from "./rule.ts";

export const FORM: readonly Rule[] = [
  {
    code: "txNotSupported",
    subject: "form",
    finds: ({ envelope }) =>
      envelope.decoded.type === ENVELOPE_TYPE.v0 &&
      "The envelope is a V0 envelope, which the network has not taken since protocol 13.",
    remedy: "Build the transaction again with a current SDK.",
  },
  {
    code: "txMalformed",
    subject: "form",
    finds: ({ envelope }) => {
      const [left, right] = envelope.terms.extraSigners;
      return (
        left && right && isSame(left, right) && "The preconditions name an extra signer twice."
      );
    },
    remedy: "Name each extra signer once, and sign it again.",
  },
  {
    code: "txMalformed",
    subject: "form",
    finds: ({ envelope }) =>
      envelope.terms.extraSigners.some(({ signs }) => signs?.length === 0) &&
      "The preconditions name an extra signer with an empty payload.",
    remedy: "Name the payload that the extra signer signs, and sign it again.",
  },
  {
    code: "txMissingOperation",
    subject: "form",
    finds: ({ envelope }) =>
      envelope.operationKinds.length === 0 && "The transaction has no operation.",
    remedy: "Add an operation to the transaction.",
  },
  {
    code: "txMalformed",
    subject: "form",
    finds: ({ envelope: { operationKinds } }) =>
      operationKinds.length > 1 &&
      operationKinds.some((kind) => SOROBAN_OPERATIONS.has(kind)) &&
      "The transaction has a Soroban operation beside another operation.",
    remedy: "Send the Soroban operation in a transaction of its own.",
  },
  { from: 25, ...memoRule((facts) => memoOrMultiplexed(facts)) },
  {
    from: 21,
    code: "txMalformed",
    subject: "form",
    finds: ({ isSoroban, data }) =>
      !isSoroban &&
      data !== null &&
      "The transaction declares Soroban resources, and no operation runs in the contract host.",
    remedy: "Build the transaction again without Soroban data.",
  },
];

/** Rules that only the queue of a node has; they come last. */
export const QUEUE_FORM: readonly Rule[] = [
  {
    from: 22,
    until: 24,
    ofQueue: true,
    ...memoRule((facts) => {
      const { envelope, ledger } = facts;
      const isOfOthers = envelope.authorizations.some(({ address }) => address !== null);
      return (ledger.protocolVersion > 22 || isOfOthers) && memoOrMultiplexed(facts);
    }),
  },
  {
    from: 25,
    until: 27,
    ofQueue: true,
    code: "txSorobanInvalid",
    subject: "form",
    finds: ({ envelope }) =>
      functionsOf(envelope).some((called) => {
        const made =
          called.type === HOST_FUNCTION.createContract
            ? called.createContract
            : called.type === HOST_FUNCTION.createContractV2
              ? called.createContractV2
              : null;
        return (
          made !== null && (made.contractIdPreimage.type === 1) !== (made.executable.type === 1)
        );
      }) && "The contract to create has both an asset and code, or neither of them.",
    remedy: "Create a contract of an asset without code, and any other contract with code.",
  },
];

function memoRule(finds: Rule["finds"]): Rule {
  const remedy = "Build the transaction again without a memo, and with G… accounts as sources.";
  return { code: "txSorobanInvalid", subject: "form", finds, remedy };
}

/** Checks the inner transaction; the account that pays for a fee-bump may be multiplexed. */
function memoOrMultiplexed({ envelope, operations }: Checked): string | null {
  const [operation] = operations;
  if (envelope.hostFunction === null || operations.length !== 1) return null;
  if (innerEnvelope(envelope.decoded).tx.memo.type !== 0) return "A contract call has a memo.";
  if (envelope.sourceAccount.startsWith("M"))
    return "A contract call has a multiplexed source account.";
  return operation?.sourceAccount?.type === MULTIPLEXED
    ? "A contract call has a multiplexed source account of its operation."
    : null;
}

const MULTIPLEXED = 256;

function isSame(left: AccountSigner, right: AccountSigner): boolean {
  const bytes = ({ kind, key, signs }: AccountSigner) =>
    [kind, key.toHex(), signs === null ? "" : `:${signs.toHex()}`].join();
  return bytes(left) === bytes(right);
}
