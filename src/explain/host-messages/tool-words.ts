// What each message of a tool around the network means, and what to do about it.

import { type KnownMessage, messageIn, TOOLS } from "../../xdr/outcome/host-messages.ts";

interface ToolWords {
  /** `{given}` is the fact with that name. */
  readonly meaning: string;
  readonly remedy: string;
}

const WORDS: Readonly<Record<keyof typeof TOOLS, ToolWords>> = {
  "key-of-another-kind": {
    meaning: "{given} was given in the place of {expected}.",
    remedy:
      "Pass a value of the kind that is needed, or call the function that takes the kind that you have.",
  },
  "not-an-xdr-object": {
    meaning:
      "A value in the program is not the XDR object that is needed there: it is a native value that was not converted, or an object of a second copy of the SDK.",
    remedy:
      "Convert native values, such as with `nativeToScVal`, and load the SDK only once (`npm ls @stellar/stellar-sdk`).",
  },
  "xdr-unreadable": {
    meaning:
      "The program could not read or write XDR: usually it is older than the network's protocol, or the text was not complete.",
    remedy:
      "Update the SDK or tool to a release of the network's protocol, and check that the XDR is complete.",
  },
  "account-not-found": {
    meaning: "The account does not exist on the network that was asked.",
    remedy:
      "Check the network. Create the account with createAccount, or on a test network with Friendbot.",
  },
  "contract-not-found": {
    meaning: "The network that was asked has no contract with this address, or it is archived.",
    remedy: "Check the address and the network; deploy the contract, or restore it.",
  },
  "entry-archived": {
    meaning: "An entry that the transaction needs is archived: its TTL has passed.",
    remedy:
      "Send a RestoreFootprint transaction first; a simulation returns it as restorePreamble.",
  },
  "timed-out": {
    meaning:
      "Nobody answered in time, which shows nothing of the transaction: it can still be in a ledger.",
    remedy:
      "Ask for its hash until its time bounds have passed. The same envelope can be sent again without risk.",
  },
  "rate-limited": {
    meaning: "The node refuses more requests for now.",
    remedy: "Wait and try again, or use a node with a higher limit.",
  },
  "refused-without-reason": {
    meaning:
      "The node refused the transaction. The reason is in the body of its answer, not in this message.",
    remedy:
      "Print the body, and pass it: with a JavaScript SDK, `error.response.data.extras.result_codes`.",
  },
  "signer-missing": {
    meaning:
      "An address other than the source account must sign an authorization, and its key is not there.",
    remedy: "Have that address sign its authorization entry, then send the transaction.",
  },
  "ledger-out-of-range": {
    meaning: "The node does not keep the ledgers that were asked for.",
    remedy: "Begin within the node's range (getHealth shows it), or ask a node that keeps more.",
  },
  "horizon-missing": {
    meaning:
      "Horizon has nothing under this address: the account, transaction or asset does not exist on its network, or is older than what it keeps.",
    remedy: "Check the hash or address, and that the Horizon serves the right network.",
  },
  "envelope-malformed": {
    meaning:
      "Horizon could not decode the envelope: it is cut off, is not base64, or was not URL-encoded.",
    remedy: "Send it as the form field `tx`, with `+` encoded as `%2B`.",
  },
  "node-behind": {
    meaning: "The node is behind the network, or has too much to do.",
    remedy: "Try again later, or ask another node.",
  },
  "before-history": {
    meaning: "The node does not keep what is that old.",
    remedy: "Ask a node with the whole history. `svc debug` also asks ledger lakes.",
  },
  "invoke-aborted": {
    meaning:
      "A called contract did not fail with an error of its own: it trapped, or the host ended the call.",
    remedy: "Call that contract alone, or pass the log of the failure: it has the host's error.",
  },
  "user-declined": {
    meaning: "The user did not sign: the wallet sent nothing.",
    remedy: "Ask again, and show what is to be signed.",
  },
  "node-internal": {
    meaning: "The node failed while it worked on the request.",
    remedy: "Try again, or ask another node.",
  },
  "method-unknown": {
    meaning: "The node does not know this method: it is another kind of node, or an older release.",
    remedy: "Check the URL: Stellar RPC and Horizon are different nodes.",
  },
  "parameters-invalid": {
    meaning: "The node could not read the parameters of the request.",
    remedy: "Check the names and types of the parameters, and that XDR is complete base64.",
  },
  "node-unreachable": {
    meaning: "The node could not be reached: nothing was sent.",
    remedy: "Check the node's URL and the connection; `svc doctor` tries each node.",
  },
};

/** Null when the message is unknown. */
export function namedByTool(text: string): (ToolWords & KnownMessage) | null {
  const known = messageIn(TOOLS, text);
  return known && { ...known, ...WORDS[known.id] };
}
