// The statuses with which Stellar RPC answers sendTransaction and getTransaction.

interface StatusWords {
  /** One sentence. */
  readonly meaning: string;
  readonly remedy: string;
}

export const STATUS_WORDS: Readonly<Record<string, StatusWords>> = {
  PENDING: {
    meaning: "The node accepted the transaction into its queue; no ledger has it yet.",
    remedy:
      "Ask getTransaction with its hash until it is in a ledger, or its time bounds have passed.",
  },
  DUPLICATE: {
    meaning: "The node already has this transaction in its queue.",
    remedy: "Do not send it again. Ask getTransaction with its hash until it is in a ledger.",
  },
  TRY_AGAIN_LATER: {
    meaning:
      "The node did not accept the transaction into its queue: the queue is full, or it has another " +
      "transaction of the same source account.",
    remedy:
      "Wait for the next ledger, about five seconds, and send the same envelope again. Send one " +
      "transaction of an account at a time. If it happens again, bid a higher fee.",
  },
  ERROR: {
    meaning: "The node refused the transaction. Its errorResultXdr contains the result code.",
    remedy: "Pass the node's whole answer, or its errorResultXdr, to `svc explain`.",
  },
  NOT_FOUND: {
    meaning:
      "The node does not have the transaction: no ledger has it yet, it was never included, or it is " +
      "older than the ledgers that the node keeps.",
    remedy:
      "If it was just sent, ask again until its time bounds have passed. Otherwise run `svc debug` " +
      "with its hash, which also asks Horizon and ledger lakes.",
  },
  SUCCESS: {
    meaning: "The transaction is in a ledger, and succeeded.",
    remedy: "Nothing is wrong. Run `svc debug` with its hash to see what it did.",
  },
  FAILED: {
    meaning: "The transaction is in a ledger, and failed. Its fee was charged.",
    remedy: "Run `svc debug` with its hash, or pass the node's whole answer to `svc explain`.",
  },
};
