// Refusals before any operation ran. A network records few of them. These are recorded transactions
// with the result that stellar-core has in each case.

import { describe, expect, test } from "bun:test";
import { TransactionEnvelope, TransactionResult } from "@stellar/stellar-sdk/xdr";
import { explain } from "../../src/explain/explain.ts";
import type { ChainRecord } from "../../src/model/chain-record.ts";
import { recordOf } from "../report/investigations.ts";
import { changedXdr, madeXdr } from "../support/changed-xdr.ts";
import { openedAlone } from "../support/opened.ts";

const PAYER = "GC3DE2INVOGCC2BLUPBPSO5QJXRMNLAI5PINWXZBE3PKM4GGWEKULSAU";
const SOURCE = "GAWHQXHVLXOQ3W4QOSI4NN27HC5HOLHUCFQZNGDRDMHK3SSQUAUSDNCK";

/** A real chain record with that result, and with its envelope changed. */
function refused(
  name: "fee-bump-payment" | "payment-underfunded",
  result: unknown,
  feeCharged = "100",
  change: Parameters<typeof changedXdr>[2] = () => {},
): ChainRecord {
  const record = recordOf(name);
  return {
    ...record,
    envelopeXdr: changedXdr(TransactionEnvelope, record.envelopeXdr, change),
    resultXdr: madeXdr(TransactionResult, { fee_charged: feeCharged, result, ext: "v0" }),
    resultMetaXdr: null,
  };
}

function causeOf(record: ChainRecord) {
  const { cause, remedy } = explain(openedAlone(record), null, null);
  return { kind: cause?.kind, summary: cause?.summary ?? "", remedy };
}

describe("a fee-bump that was refused itself", () => {
  test("its bid, the inner bid and the minimum", () => {
    const record = refused("fee-bump-payment", "tx_insufficient_fee", "2000", ({ tx_fee_bump }) => {
      tx_fee_bump.tx.fee = "1500";
    });
    expect(causeOf(record)).toMatchObject({
      kind: "fee-bump-insufficient-fee",
      summary:
        "The fee-bump transaction itself was refused (txInsufficientFee), so its inner " +
        "transaction did not run: the fee bid is below what the network required: the bid is " +
        "1,500 stroops for inclusion (2 operations); the bid of the inner transaction is 1,000 " +
        "stroops for inclusion (1 operation); the minimum was 2,000.",
    });
  });

  test("the fee source's signatures and its signers", () => {
    const unsigned = refused("fee-bump-payment", "tx_bad_auth", "200", ({ tx_fee_bump }) => {
      tx_fee_bump.signatures = tx_fee_bump.tx.inner_tx.tx.signatures;
    });
    const { kind, summary } = causeOf(unsigned);
    expect(kind).toBe("fee-bump-bad-auth");
    expect(summary).toEndWith(`the transaction has 1 signature, none by a signer of ${PAYER}.`);
    const altered = refused("fee-bump-payment", "tx_bad_auth", "200", ({ tx_fee_bump }) => {
      tx_fee_bump.tx.fee = "201";
    });
    expect(causeOf(altered).summary).toEndWith(
      `1 in the name of signers of ${PAYER} and none of them valid: made for other data or another ` +
        "network.",
    );
    expect(causeOf(refused("fee-bump-payment", "tx_bad_auth")).summary).toEndWith(
      "have weight 1, which was enough for that account before this ledger's transactions.",
    );
  });

  test("of signatures that were not needed, none is said to be made for other data", () => {
    const { kind, summary } = causeOf(refused("fee-bump-payment", "tx_bad_auth_extra"));
    expect(kind).toBe("fee-bump-bad-auth-extra");
    expect(summary).toEndWith(
      `the transaction has 1 signature, and the valid ones by signers of ${PAYER} have weight 1.`,
    );
  });

  test("the fee source's balance, its reserve and the bid", () => {
    const { kind, summary } = causeOf(refused("fee-bump-payment", "tx_insufficient_balance"));
    expect(kind).toBe("fee-bump-insufficient-balance");
    expect(summary).toMatch(
      /GC3DE2\w+ had [\d.]+ XLM before the fee, including a reserve of 1 XLM; the bid is 0\.0004 XLM\.$/,
    );
  });

  test("a fee source that does not exist", () => {
    const { kind, summary } = causeOf(refused("fee-bump-payment", "tx_no_account"));
    expect(kind).toBe("fee-bump-account-missing");
    expect(summary).toEndWith(`: account ${PAYER} does not exist.`);
  });
});

describe("a transaction that was refused", () => {
  test("inside a fee-bump: the cause is that of the inner transaction", () => {
    const inner = { fee_charged: "0", result: "tx_bad_seq", ext: "v0" };
    const record = refused("fee-bump-payment", {
      tx_fee_bump_inner_failed: { transaction_hash: "00".repeat(32), result: inner },
    });
    const { kind, summary } = causeOf(record);
    expect(kind).toBe("bad-sequence");
    expect(summary).toStartWith("txBadSeq: ");
    expect(summary).toContain("the transaction has sequence number 433791696899");
  });

  test("the sequence numbers of the transaction and the account", () => {
    const of = (sequence: string) =>
      causeOf(
        refused("payment-underfunded", "tx_bad_seq", "100", ({ tx }) => {
          tx.tx.seq_num = sequence;
        }),
      ).summary;
    expect(of("433791696950")).toEndWith(
      `the transaction has sequence number 433791696950, and the sequence number of ${SOURCE} was ` +
        "433791696897 before this ledger's transactions.",
    );
    expect(of("433791696898")).toContain(
      "so an earlier transaction of this ledger used that number",
    );
  });

  test("bounds of time and of ledgers", () => {
    const of = (result: string, cond: unknown) =>
      causeOf(
        refused("payment-underfunded", result, "100", ({ tx }) => {
          tx.tx.cond = cond;
        }),
      ).summary;
    const time = (min_time: string, max_time: string) => ({ time: { min_time, max_time } });
    const none = { min_seq_num: null, min_seq_age: "0", min_seq_ledger_gap: 0, extra_signers: [] };
    const ledgers = (min_ledger: number, max_ledger: number) => ({
      v2: { time_bounds: null, ledger_bounds: { min_ledger, max_ledger }, ...none },
    });
    const closed = "ledger 386 closed at 2026-11-21 02:42:36 UTC";
    expect(of("tx_too_late", time("0", "1795228950"))).toEndWith(
      `the transaction was valid until 2026-11-21 02:42:30 UTC, and ${closed}.`,
    );
    expect(of("tx_too_early", time("1795229000", "0"))).toEndWith(
      `the transaction is valid from 2026-11-21 02:43:20 UTC, and ${closed}.`,
    );
    expect(of("tx_too_late", ledgers(0, 386))).toEndWith(
      "the transaction was valid before ledger 386, and this is ledger 386.",
    );
    expect(of("tx_too_early", ledgers(400, 0))).toEndWith(
      "the transaction is valid from ledger 400, and this is ledger 386.",
    );
  });

  test("too little weight of signatures", () => {
    const record = refused("payment-underfunded", "tx_bad_auth", "100", ({ tx }) => {
      tx.signatures = [];
    });
    expect(causeOf(record).summary).toEndWith(
      `the transaction has 0 signatures, none by a signer of ${SOURCE}.`,
    );
  });

  test("a signature that is there twice counts once, and extra signers have to sign", () => {
    const twice = refused("payment-underfunded", "tx_bad_auth", "100", ({ tx }) => {
      tx.signatures.push(tx.signatures[0]);
    });
    expect(causeOf(twice).summary).toContain("have weight 1, which was enough");
    const extra = refused("payment-underfunded", "tx_bad_auth", "100", ({ tx }) => {
      tx.tx.cond = {
        v2: {
          time_bounds: null,
          ledger_bounds: null,
          min_seq_num: null,
          min_seq_age: "0",
          min_seq_ledger_gap: 0,
          extra_signers: [PAYER],
        },
      };
    });
    expect(causeOf(extra).summary).toContain("none of them valid");
  });
});
