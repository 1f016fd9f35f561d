// The words for an authorization that a contract required and did not get.

import { flag, phrase, type Wording } from "../../base/phrase.ts";
import { REFUSALS } from "../../xdr/outcome/host-messages.ts";
import { type ErrorFacts, showError } from "../../xdr/values/value-text.ts";
import { namedRefusal } from "../host-messages/refusal-words.ts";
import type { Spoken } from "./call-name.ts";
import type {
  AuthorizationCauseFacts,
  AuthorizationDifference,
  CauseWords,
  SaidBy,
} from "./found-cause.ts";
import { sentences } from "./sentences.ts";

const SIGN_AGAIN =
  "Simulate again, sign the authorization entry that the simulation returns, and send the " +
  "transaction with that entry.";
const SIMULATE_AGAIN =
  "Simulate again, and send the transaction with the authorization entries that the simulation " +
  "returns. Its own signature covers those of its source account.";
const CALL_THROUGH =
  "Have that contract make the call. It has no `__check_auth`, so no key can sign for it. It can " +
  "authorize only its own calls, directly or with `authorize_as_current_contract`.";
const ALLOW_DEEPER =
  "Make that contract call `authorize_as_current_contract` for this call first. Without it, a " +
  "contract authorizes only the calls it makes directly, not what a constructor requires.";
const SIGNATURES = "a vector of maps with `public_key` and `signature`, as an SDK does.";

export function authorizationWords({ facts }: SaidBy<"authorization">): CauseWords {
  const { address } = facts;
  const call = facts.call ?? "the call";
  const subject = `The authorization of ${address}`;
  // An answer without an envelope does not show which call.
  const about = facts.call && `It is for ${facts.call}.`;
  const sign = `Have ${address} sign an authorization entry for that call.`;
  switch (facts.case) {
    case "unread-envelope":
      return {
        summary: [`The authorization of ${address} is missing.`, `It is required by ${call}.`],
        remedy: SIGN_AGAIN,
      };
    case "no-entry":
      return {
        summary: [
          `The transaction contains no authorization entry of ${address}.`,
          `It is required by ${call}.`,
        ],
        remedy: facts.unable ? CALL_THROUGH : sign,
      };
    case "not-covered": {
      const creates =
        `The authorization entries of ${address} do not allow the contract that ${call} creates ` +
        "for it.";
      const covers =
        `The authorization entries of ${address} do not cover ${call}, or another call already ` +
        "used them.";
      return {
        summary: facts.isCreation ? creates : covers,
        remedy: facts.isOfSource ? SIMULATE_AGAIN : SIGN_AGAIN,
      };
    }
    case "mismatch":
      return {
        summary: [
          `${address} signed a different call: ${differenceInWords(facts.difference)}.`,
          `Its authorization is required by ${call}.`,
        ],
        remedy: facts.isOfSource ? SIMULATE_AGAIN : SIGN_AGAIN,
      };
    case "contract-above":
      return {
        summary:
          `${address}, a contract higher in the call stack, does not authorize ` +
          `${facts.call ?? "a call"}.`,
        remedy: facts.canSign ? `${ALLOW_DEEPER} Alternative: ${sign}` : ALLOW_DEEPER,
      };
    case "not-of-root":
      return notOfRootWords(facts);
    case "expired":
      return {
        summary: sentences(
          `${subject} expired: it was valid until ledger ${facts.last ?? "?"}, but was used in ` +
            `ledger ${facts.now}.`,
          about,
        ),
        remedy: "Sign a new authorization entry with a later expiration ledger.",
      };
    case "reused":
      return reusedWords(facts);
    case "unsigned": {
      const later = facts.isOver ? ", with an expiration ledger in the future" : "";
      return {
        summary: sentences(`The authorization entry of ${address} is not signed.`, about),
        remedy: `Have ${address} sign the authorization entry${later}.`,
      };
    }
    case "unread-signature":
      return {
        summary: sentences(
          `${subject} is not signed, or it has signatures in a form that an account does not accept.`,
          about,
        ),
        remedy: `Have ${address} sign the authorization entry. If it is signed, pass ${SIGNATURES}`,
      };
    default:
      return checkWords(facts, subject, about);
  }
}

function notOfRootWords({ address, call }: FactsOfCase<"not-of-root">): CauseWords {
  return {
    summary: [
      `The authorization of ${address} is required by ${call ?? "a call"}, and not by the ` +
        "transaction's own call.",
      "Such authorizations are recorded only on request.",
    ],
    remedy: phrase`Simulate with ${flag("authMode", "record_allow_nonroot")} (authMode of simulateTransaction), or make the first call require that authorization too.`,
  };
}

/** The words for an entry that was refused when its signature was checked. */
function checkWords(
  facts: FactsOfCase<"account-check" | "signature-form" | "own-check">,
  subject: string,
  about: string | null,
): CauseWords {
  switch (facts.case) {
    case "account-check": {
      const { words, remedy } = CHECKS[facts.check];
      return { summary: sentences(`${subject} ${words(facts.values)}.`, about), remedy };
    }
    case "signature-form": {
      const why = facts.data === null ? "" : `: ${facts.data}`;
      return facts.form === "invalid"
        ? {
            summary: sentences(
              `${subject} has an invalid signature${why}; its key did not sign exactly this entry for ` +
                "this network.",
              about,
            ),
            remedy:
              "Sign the authorization entry exactly as it is sent. The signature covers the network, " +
              "and the entry's nonce, expiration and calls.",
          }
        : {
            summary: sentences(
              `${subject} has signatures in a form that an account does not accept${why}.`,
              about,
            ),
            remedy: `Pass ${SIGNATURES}`,
          };
    }
    case "own-check": {
      const shown = facts.error === null ? "" : ` with ${showError(facts.error)}`;
      const why = facts.data === null ? "" : `: ${facts.data}`;
      return {
        summary: sentences(
          `${subject} was refused by the account's own authorization check${shown}${why}.`,
          about,
        ),
        remedy: ownCheckRemedy(facts),
      };
    }
  }
}

type FactsOfCase<Case extends AuthorizationCauseFacts["case"]> = Extract<
  Spoken<AuthorizationCauseFacts>,
  { readonly case: Case }
>;

function reusedWords({ address, call, isTwice }: FactsOfCase<"reused">): CauseWords {
  const by = isTwice
    ? "another entry of this transaction has the same nonce."
    : "an earlier one used this nonce: it may already have done what this one was meant to do.";
  const again = "simulate again, and sign the authorization entry that the simulation returns";
  return {
    summary: sentences(
      `The authorization of ${address} was already used.`,
      call && `It is for ${call}.`,
      `Each nonce is valid for one use only, and ${by}`,
    ),
    remedy: isTwice
      ? `Give each entry a nonce of its own: ${again}.`
      : `Only if the call is to be made once more: ${again}. It has a new nonce.`,
  };
}

interface CheckWords {
  readonly words: (values: readonly string[]) => string;
  readonly remedy: Wording;
}

const fixed = (words: string) => () => words;

const CHECKS: Readonly<Record<FactsOfCase<"account-check">["check"], CheckWords>> = {
  "not-a-signer": {
    words: ([key]) =>
      `is signed by a key that is not a signer of the account${key ? `: ${key}` : ""}`,
    remedy: "Sign the authorization entry again with a key of the account.",
  },
  weight: {
    words: ([weight, threshold]) =>
      `is signed with weight ${weight}, but the account's medium threshold is ${threshold}`,
    remedy: "Have more signers of the account sign the authorization entry.",
  },
  "no-signature": {
    words: fixed("has no signature"),
    remedy: "Have the account sign the authorization entry.",
  },
  "too-many-signatures": {
    words: fixed("has more signatures than an account can have"),
    remedy: "Sign with fewer keys.",
  },
  "not-sorted": {
    words: fixed("has signatures that are not sorted by their keys, or one of them twice"),
    remedy: "Sort the signatures by public key, and include each only once.",
  },
};

/** An entry or a signature that cannot be seen is not described. */
function ownCheckRemedy({
  error,
  message,
  isContract,
  isUnsigned,
}: FactsOfCase<"own-check">): Wording {
  if (!isContract) return "Sign the authorization entry again with a key that the account accepts.";
  if (isOfContract(error)) {
    const look = "Look the error up in the account's contract";
    return isUnsigned
      ? `${look}. The entry has no signature, which the contract may require.`
      : `${look}: it decides which calls and signatures it accepts.`;
  }
  const within = message === null ? null : namedRefusal(message);
  if (within && REFUSALS[within.id].kind === "contract-re-entry")
    return phrase`No signature helps: the account would be called again while a call of it runs. ${within.remedy ?? ""}`;
  return (
    within?.remedy ??
    "Check the call and the signature against what the account's `__check_auth` accepts."
  );
}

function isOfContract(error: ErrorFacts | null): boolean {
  return error?.type === "Contract";
}

function differenceInWords(difference: AuthorizationDifference): string {
  switch (difference.in) {
    case "count":
      return `${difference.signed} arguments were signed, but ${difference.required} are required`;
    case "argument": {
      const { argument, called, signed } = difference;
      return `${argument} is ${called} in the call and ${signed} in the authorization entry`;
    }
    case "place": {
      const place =
        difference.below === null ? "at the top of an entry" : `below ${difference.below}`;
      return `the entries allow that call, but not in the right place; it must be ${place}`;
    }
    case "calls":
      return `the entries allow ${difference.allowed.join(", ")}, but not ${difference.required}`;
  }
}
