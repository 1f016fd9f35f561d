// The codes of what nodes and files show: part of the catalogue.

import { EXIT, REPORT, row } from "../base/errors/base-errors.ts";
import { atClient, flag, phrase } from "../base/phrase.ts";

export const SOURCES_ERRORS = {
  NODE_LIED: row(EXIT.remote, 502, {
    summary:
      "A remote node's answer contradicts the request. " +
      "The envelope does not hash to the hash asked for, the ledger is another one, or the node serves another network.",
    advice: "Check that the node serves your network. If it does, do not trust the node.",
    httpAdvice: REPORT,
  }),
  TRANSACTION_NOT_FOUND: row(EXIT.remote, 404, {
    summary:
      "No source has the transaction. " +
      "It is on another network, was never included, is too recent, or is older than what the nodes keep.",
    advice: phrase`Check the hash and ${flag("network")}. If just sent, try again in 10 to 30 seconds.`,
    httpAdvice: phrase`Check the hash and the network${atClient(" (GET /health)", "")}, or try again in 10 to 30 seconds.`,
  }),
  TRANSACTION_INCOMPLETE: row(EXIT.remote, 404, {
    summary:
      "No source has a required part of the transaction. " +
      "Its ledger's metadata is gone from the nodes, which keep about a week.",
    advice: phrase`Set ${flag("rpcUrl")} to a node that still has the ledger of the transaction.`,
    httpAdvice: REPORT,
  }),
  LEDGER_NOT_FOUND: row(EXIT.remote, 404, {
    summary:
      "No source has the ledger. " +
      "It has not closed yet, or is older than what the nodes, ledger lakes and files have.",
    advice: "Set a node that still has the ledger, or pass a ledger file.",
    httpAdvice: REPORT,
  }),
  LEDGER_ENTRY_INVALID: row(EXIT.remote, 502, {
    summary:
      "A ledger entry cannot be decoded. " +
      "A node, a capsule or an override has bytes for it that are not a LedgerEntry.",
    advice: "Fetch the entry in the message again, at the transaction's ledger.",
  }),
  SIGNATURE_INVALID: row(EXIT.notAsExpected, 422, {
    summary:
      "A signature does not match the data it comes with. " +
      "The data or the signature was changed, or it was made by another key or for another network.",
    advice: "Do not trust the file. Get it again from the signer.",
  }),
  SIGNER_UNEXPECTED: row(EXIT.notAsExpected, 500, {
    summary: "The signer is not the account of `--expect-signer`.",
    advice: phrase`Choose another key, or correct ${flag("expectSigner")}.`,
    httpAdvice: "Sign with the command line of svc.",
  }),
};

declare module "../base/errors/errors.ts" {
  interface KnownErrors extends Readonly<typeof SOURCES_ERRORS> {}
}
