// What people paste, explained from that alone: codes in every spelling, XDR, and nodes' answers of
// the recorded network, with what a chain record of the same transaction says as the model.

import { afterAll, describe, expect, test } from "bun:test";
import {
  InvokeHostFunctionResultCode,
  OperationResultCode,
  PaymentResultCode,
  TransactionResult,
  TransactionResultCode,
} from "@stellar/stellar-sdk/xdr";
import fc from "fast-check";
import { RECORDING_BINARY } from "../../scripts/ensure-built.ts";
import { SvcError } from "../../src/base/errors/errors.ts";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { openCurrentState } from "../../src/debugger/simulate/current-state.ts";
import { simulateTransaction } from "../../src/debugger/simulate/simulate-transaction.ts";
import { findCause } from "../../src/explain/causes/cause.ts";
import type { KnownContract } from "../../src/explain/explain-answer.ts";
import { evidenceInFull, inWords } from "../../src/explain/words/cause-words.ts";
import type { CauseKind } from "../../src/model/cause-kinds.ts";
import type { AnswerExplanation, CodeExplanation } from "../../src/model/node-answer.ts";
import { ANSWERS_RENDERERS } from "../../src/report/renderers.ts";
import { rpcSimulation } from "../../src/report/rpc-simulation.ts";
import { openRecordingOneShot } from "../../src/simulator/one-shot.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { contractLookup } from "../../src/xdr/contract/contract-specs.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { ERROR_CODES, ERROR_TYPES } from "../../src/xdr/values/value-text.ts";
import { hasCorpus } from "../support/corpus.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk, recordOf } from "../support/loopback-walk.ts";
import { needs } from "../support/needs.ts";
import { recordedSessions } from "../support/recorded-network.ts";
import { said } from "../support/said.ts";
import { TestClock } from "../support/test-clock.ts";

const CONTRACT = "CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA";
const ZERO_CONTRACT = encodeStrkey("contract", new Uint8Array(32));
/** A key or an id of zeros, with the number 9. */
const NUMBERED = Uint8Array.from({ length: 40 }, (_, i) => (i === 39 ? 9 : 0));
/** The payload is one byte long. */
const SIGNED = Uint8Array.from({ length: 40 }, (_, i) => (i === 35 ? 1 : 0));

const explained = (text: string, contract: KnownContract | null = null) =>
  explainText({ text, name: "the test", contract });

/** The first thing of the name; null when it is none. */
function codeOf(text: string): CodeExplanation | null {
  const found = explained(text);
  return (found.kind === "codes" ? found.codes[0] : null) ?? null;
}

const meaningOf = (text: string) => {
  const code = codeOf(text);
  return code === null ? explained(text).kind : `${code.code}: ${code.meaning}`;
};

function answersOf(text: string): readonly AnswerExplanation[] {
  const found = explained(text);
  if (found.kind !== "answers") throw new Error(`${text} is ${found.kind}`);
  return found.answers;
}

function answerOf(json: unknown): AnswerExplanation {
  const [only, ...others] = answersOf(typeof json === "string" ? json : JSON.stringify(json));
  if (only === undefined || others.length > 0) throw new Error("not one answer");
  return only;
}

function namesOf(type: { readonly schema: unknown }): string[] {
  const { nameByValue } = type.schema as { readonly nameByValue: ReadonlyMap<number, string> };
  return [...nameByValue.values()];
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (each) => `_${each.toLowerCase()}`);

describe("a code by its name", () => {
  const codes = [
    ...namesOf(TransactionResultCode),
    ...namesOf(InvokeHostFunctionResultCode),
    ...namesOf(PaymentResultCode),
    ...namesOf(OperationResultCode).filter((name) => name !== "opInner"),
    ...["PENDING", "DUPLICATE", "TRY_AGAIN_LATER", "ERROR", "NOT_FOUND", "SUCCESS", "FAILED"],
  ];

  test.each(codes)("%s means something, in every spelling", (name) => {
    const spellings = [name, snake(name), snake(name).toUpperCase(), ` ${name.toLowerCase()}\n`];
    for (const spelling of spellings) {
      // Horizon means the destination of an account merge.
      if (spelling.toLowerCase() === "op_no_account") continue;
      const found = codeOf(spelling);
      expect(found?.code).toBe(name);
      expect(found?.meaning).toMatch(/^[A-Z].{8,}\.$/);
      expect(said(found?.remedy)).toEndWith(".");
    }
  });

  test("an error of the host, as its log shows it", () => {
    expect(meaningOf("Error(Auth, InvalidAction)")).toStartWith(
      "Error(Auth, InvalidAction): An authorization that the contract requires is missing",
    );
    expect(meaningOf("HostError: Error(Contract, #10)")).toStartWith(
      "Error(Contract, #10): A contract ",
    );
    expect(meaningOf("Error(Contract, InvalidAction)")).toBe("unknown");
    expect(meaningOf("Error(Contract, #4294967295)")).not.toBe("unknown");
    expect(meaningOf("Error(Contract, #4294967296)")).toBe("unknown");
    expect(meaningOf("Error(Auth, #3)")).toBe("unknown");
    expect(meaningOf("Error(Contract, #99999999999)")).toBe("unknown");
    expect(meaningOf("Error(Auth, Nope)")).toBe("unknown");
    expect(meaningOf("Error(Nothing, InvalidAction)")).toBe("unknown");
  });

  test("an error of the host, as it is the field of another program's JSON", () => {
    const meant = { kind: "codes", codes: [{ code: "Error(Auth, InvalidAction)" }] };
    const words = "HostError: Error(Auth, InvalidAction)";
    for (const json of [
      { error: words },
      { message: words },
      { error: [words] },
      { error: { code: -32_603, message: words } },
    ])
      expect(explained(JSON.stringify(json))).toMatchObject(meant);
    for (const json of [
      { error: "HostError: Error(Contract, #99999999999)" },
      { error: "not found" },
      { error: null },
    ])
      expect(() => explained(JSON.stringify(json))).toThrow(/without an answer/);
  });

  test("an error of the host, as SDKs and tools print it", () => {
    const errors = [...ERROR_TYPES].flatMap((type) =>
      type === "Contract"
        ? "Error(Contract, #418)"
        : ERROR_CODES.map((c) => `Error(${type}, ${c})`),
    );
    const log =
      "\n\nEvent log (newest first):\n   0: [Diagnostic Event] contract:C, " +
      'topics:[error, Error(Contract, #7)], data:"x"';
    const property = fc.property(
      fc.constantFrom(...errors),
      fc.constantFrom("", "Error: ", "error: transaction simulation failed: ", "❌ error: "),
      fc.string({ unit: "binary" }).filter((each) => !/Error|^[[{"]/.test(each)),
      (error, prefix, hostile) => {
        const code = explained(error);
        const meant = codeOf(error)?.code ?? "";
        expect(explained(`${prefix}HostError: ${error}`)).toEqual(code);
        for (const text of [
          `${prefix}HostError: ${error}${log}${hostile}`,
          JSON.stringify({ error: `${prefix}HostError: ${error}${log}${hostile}` }),
        ]) {
          const found = explained(text);
          if (found.kind === "codes") expect(found.codes[0]?.code).toBe(meant);
          else if (found.kind === "answers") {
            expect(found.answers[0]?.cause?.summary).toStartWith(`${meant}: `);
            const said = ANSWERS_RENDERERS.text(found.answers, { color: false, verbose: false });
            // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be there
            expect(said).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
          } else throw new Error(`${text} is unknown`);
        }
      },
    );
    fc.assert(property, { numRuns: 300 });
    const within = 'thread panicked at "Error(Auth, InvalidAction)"; // in a line of a test';
    expect(codeOf(within)?.code).toBe("Error(Auth, InvalidAction)");
  });

  test.each(HORIZON)("Horizon's %s means something", (name) => {
    expect(explained(name).kind).toBe("codes");
  });

  test("Horizon's names are not the protocol's", () => {
    expect(meaningOf("op_no_account")).toMatch(/^accountMergeNoAccount: The destination account/);
    expect(meaningOf("op_no_source_account")).toMatch(/^opNoAccount: .* source account does not/);
    expect(meaningOf("opNO_ACCOUNT")).toMatch(/^opNoAccount: /);
    expect(meaningOf("tx_no_source_account")).toMatch(/^txNoAccount: The source account does/);
    expect(meaningOf("bad_seq")).toMatch(/txBadSeq: .* bumpSequenceBadSeq: the sequence number to/);
    expect(meaningOf("op_bad_seq")).toMatch(/^bumpSequenceBadSeq: /);
    expect(meaningOf("op_low_reserve")).toMatch(
      /: The account cannot pay the reserve .* createAccountLowReserve: the starting balance is/,
    );
    expect(meaningOf("op_no_issuer")).toMatch(/clawbackClaimableBalanceNotIssuer: the source is/);
  });

  test("txSorobanInvalid: from protocol 25 a memo is invalid, before it only to the queue", () => {
    expect(codeOf("txSorobanInvalid")?.meaning).toMatch(
      /a memo or a multiplexed source account \(from protocol 25; before it, only the .* queue/,
    );
  });

  test("Horizon's result_codes, at any depth, with the operation that failed", () => {
    const codes = { transaction: "tx_failed", operations: ["op_success", "op_underfunded"] };
    const meant = {
      kind: "codes",
      codes: [{ code: "op_underfunded", kind: "operation result, of operation 2" }],
    };
    for (const json of [
      { result_codes: codes },
      { response: { data: { status: 400, extras: { result_codes: codes } } } },
      [[[{ errors: [{ result_codes: codes }] }]]],
    ])
      expect(explained(JSON.stringify(json))).toMatchObject(meant);
    const alone = { result_codes: { transaction: "tx_bad_seq" } };
    expect(codeOf(JSON.stringify(alone))).toMatchObject({ code: "txBadSeq" });
    // As JavaScript and Python print it.
    const printed = "{ result_codes: { transaction: 'tx_failed', operations: [ 'op_no_trust' ] } }";
    expect(codeOf(printed)?.code).toBe("op_no_trust");
    expect(codeOf(`BadRequestError: ${printed}`)?.code).toBe("op_no_trust");
  });

  test.each([
    ["TxFailed(VecM([OpInner(Payment(Underfunded))]))", "paymentUnderfunded"],
    [
      "result: TxFailed(\n  VecM(\n [\n OpInner(\n InvokeHostFunction(\n Trapped,",
      "invokeHostFunctionTrapped",
    ],
    ["error: transaction submission failed: TxBadSeq", "txBadSeq"],
    ["_switch: ChildEnum { name: 'txBadAuth', value: -6 }", "txBadAuth"],
    ["error: The node gave a wrong answer. [NODE_LIED]", "NODE_LIED"],
    ["VM call trapped: UnreachableCodeReached", "UnreachableCodeReached"],
    ["verdict: inconclusive (2 entries are unknown)", "inconclusive"],
    ["status: TRY_AGAIN_LATER", "TRY_AGAIN_LATER"],
    ["Transaction Failed", "Transaction Failed"],
    ["TypeError: Bad union switch: 4", "Bad union switch"],
    [`0x${"ab".repeat(32)}`, "ab".repeat(32)],
    [`https://stellar.expert/explorer/public/tx/${"ab".repeat(32)}`, "ab".repeat(32)],
    ["AAAAAgAAAAAAAAAK", "Error(Contract, #10)"],
    ['[12:05 INFO] {"extras":{"result_codes":{"transaction":"tx_bad_seq"}}} [done]', "txBadSeq"],
    ["<html><head><title>502 Bad Gateway</title></head></html>", "502"],
  ])("%s has a code in it", (text, code) => {
    expect(codeOf(text)?.code).toBe(code);
  });

  test.each([
    "the function was notFound, alreadyExist",
    "let internalError = 5; // badAuth, malformed",
    "hello",
    "A payment is underfunded here",
  ])("%s has none", (text) => {
    expect(explained(text).kind).toBe("unknown");
  });

  test.each([
    "{ status: 'ERROR', errorResultXdr: 'AAAAAAAAAAD////7AAAAAA==' }",
    "SendTransactionResponse(status=ERROR, error_result_xdr='AAAAAAAAAAD////7AAAAAA==')",
  ])("the result in an object as languages print it: %s", (text) => {
    const found = explained(text);
    expect(JSON.stringify(found)).toContain("txBadSeq: the sequence number");
  });

  test("a secret key is not shown again", () => {
    const key = `S${"A".repeat(55)}`;
    expect(JSON.stringify(explained(key))).not.toContain(key);
  });

  test.each([
    ["GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", "address of an account"],
    [CONTRACT, "address of a contract"],
    [encodeStrkey("muxed", NUMBERED), "muxed address of an account"],
    [encodeStrkey("muxed-contract", NUMBERED), "muxed address of a contract"],
    [encodeStrkey("claimable-balance", new Uint8Array(33)), "id of a claimable balance"],
    [encodeStrkey("liquidity-pool", new Uint8Array(32)), "id of a liquidity pool"],
    [
      encodeStrkey("pre-authorized-transaction", new Uint8Array(32)),
      "signer that is a transaction",
    ],
    [encodeStrkey("hash", new Uint8Array(32)), "signer that is a hash"],
    [encodeStrkey("signed-payload", SIGNED), "signer that is a signed payload"],
    [`${CONTRACT.slice(0, -1)}B`, "address with a mistake"],
  ])("%s is named", (text, kind) => expect(codeOf(text)?.kind).toBe(kind));

  test("a muxed address says what it is of, and where to go on", () => {
    const found = codeOf(encodeStrkey("muxed-contract", NUMBERED));
    expect(found?.meaning).toStartWith(
      `It is the contract ${ZERO_CONTRACT} with the number 9 (CAP-84`,
    );
    expect(said(found?.remedy)).toContain(`svc explain --id ${ZERO_CONTRACT} "#1"`);
  });

  test("a result of an operation, as Horizon names it", () => {
    const found = explained("op_underfunded");
    expect(found).toMatchObject({ kind: "codes", codes: [{ kind: "operation result" }] });
    expect(explained("paymentTrapped").kind).toBe("unknown");
  });
});

/** All that stellar-horizon gives (internal/codes/main.go). */
const HORIZON = `
  buy_no_issuer buy_not_authorized entry_archived function_trapped insufficient_refundable_fee
  op_already_exists op_already_sponsored op_auth_revocable_required op_bad_auth op_bad_flags
  op_bad_price op_bad_seq op_bad_signer op_buy_no_trust op_cannot_claim op_cannot_delete
  op_cant_change op_cant_revoke op_cross_self op_data_invalid_name op_data_name_not_found
  op_dest_full op_does_not_exist op_exceeded_work_limit op_has_sub_entries op_immutable_set op_inner
  op_invalid_home_domain op_invalid_inflation op_invalid_limit op_invalid_state op_is_sponsor
  op_line_full op_low_reserve op_malformed op_no_account op_no_destination op_no_issuer
  op_no_source_account op_no_trust op_not_aut_maintain_liabilities op_not_authorized
  op_not_clawback_enabled op_not_required op_not_sponsor op_not_sponsored op_not_supported
  op_not_supported_yet op_not_time op_offer_not_found op_only_transferable op_over_source_max
  op_pool_full op_recursive op_self_not_allowed op_sell_no_issuer op_sell_no_trust
  op_seq_num_too_far op_src_no_trust op_src_not_authorized op_success op_threshold_out_of_range
  op_too_few_offers op_too_many_signers op_too_many_sponsoring op_too_many_subentries
  op_trust_line_missing op_trustline_frozen op_under_dest_min op_under_minimum op_underfunded
  op_unknown_flag resource_limit_exceeded sell_not_authorized tx_bad_auth tx_bad_auth_extra
  tx_bad_minseq_age_or_gap tx_bad_seq tx_bad_sponsorship tx_failed tx_fee_bump_inner_failed
  tx_fee_bump_inner_success tx_frozen_key_accessed tx_insufficient_balance tx_insufficient_fee
  tx_internal_error tx_malformed tx_missing_operation tx_no_source_account tx_not_supported
  tx_soroban_invalid tx_success tx_too_early tx_too_late
`
  .trim()
  .split(/\s+/);

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());
const { network } = loopback;
const failed = network.transactions.filter(({ status }) => status === "FAILED");

const ASSET_FAILURES: Readonly<Record<number, string>> = {
  108: "BalanceError",
  109: "TrustlineMissingError",
};

/** What the answer of a node does not have. */
const NOTHING_ELSE = {
  snapshot: null,
  absentByNode: [],
  execution: null,
  lookup: contractLookup([]),
  tracedTree: null,
};

describe("an answer of getTransaction", () => {
  const rpcOf = (transaction: (typeof failed)[number]) =>
    network.file(transaction).rpcGetTransaction;

  test("gives the cause that a chain record gives, for every failure", async () => {
    expect(failed.length).toBeGreaterThan(50);
    for (const transaction of failed) {
      const found = await recordOf(openWalk(loopback), transaction.hash);
      const explained = inWords(findCause(found, { ...NOTHING_ELSE, envelope: found.envelope }));
      const answer = answerOf(rpcOf(transaction));
      expect(answer.cause).toEqual(explained.cause);
      expect(answer.evidence).toEqual(evidenceInFull(explained));
      expect(answer.hash).toBe(transaction.hash);
      expect(answer.headline).toBe(`The transaction failed in ledger ${transaction.ledger}.`);
      // The result alone, without the `jsonrpc` around it.
      expect(answerOf(rpcOf(transaction).result)).toEqual(answer);
    }
  });

  test("of a transaction that succeeded, or that the node does not have", () => {
    const good = network.transactions.find(({ status }) => status === "SUCCESS");
    if (good === undefined) throw new Error("none succeeded");
    const answer = answerOf(rpcOf(good));
    expect(answer).toMatchObject({ cause: null, remedy: null, evidence: [] });
    expect(answer.headline).toBe(`The transaction succeeded in ledger ${good.ledger}.`);
    const missing = answerOf({ status: "NOT_FOUND", txHash: good.hash, latestLedger: 9 });
    expect(missing.headline).toBe("The node does not have the transaction.");
    expect(missing.cause?.kind).toBe("not-found");
  });

  test("several in one file are explained one after the other", () => {
    const session = {
      recorded: failed.slice(0, 3).map((each) => ({ method: "x", result: rpcOf(each).result })),
    };
    expect(answersOf(JSON.stringify(session)).map(({ hash }) => hash)).toEqual(
      failed.slice(0, 3).map(({ hash }) => hash),
    );
  });

  test("its parts in base64 say as much, and nothing of an envelope that is not there", () => {
    for (const transaction of failed.filter(({ soroban }) => soroban)) {
      const result = rpcOf(transaction).result as Record<string, string>;
      const { resultXdr, envelopeXdr, resultMetaXdr } = result;
      const whole = answerOf(rpcOf(transaction)).cause;
      const events = readTransactionMeta(resultMetaXdr ?? "").diagnosticsXdr;
      expect(answerOf(`${resultXdr}\n${envelopeXdr}\n${events.join("\n")}`).cause).toEqual(whole);
      expect(answerOf(JSON.stringify([resultXdr, envelopeXdr, ...events])).cause).toEqual(whole);
      for (const alone of [events.join(","), `${resultXdr} ${events.join(" ")}`]) {
        const answer = answerOf(alone);
        const text = [answer.cause?.summary, ...answer.evidence, answer.remedy].join("\n");
        expect(text).not.toMatch(/contains no authorization|Supplied: /);
        const kind = answer.cause?.kind ?? "";
        // Whether the address has an entry, and what it signed, is only in the envelope; so is
        // whether code was uploaded.
        if (whole?.kind === "wasm-invalid") expect(kind).toBe("wasm-error");
        else if (!kind.startsWith("authorization-")) expect(kind).toBe(whole?.kind ?? "");
      }
      const alone = answerOf(events.join(" ")).cause;
      expect(alone?.summary ?? "").not.toMatch(/defined by the contract/);
      // The events show neither the envelope nor the contract.
      if (whole?.kind === "authorization-unsigned")
        expect(alone).toMatchObject({
          confidence: "likely",
          summary: expect.stringContaining("is not signed, or it has signatures in a form"),
        });
      const asset = ASSET_FAILURES[transaction.n];
      if (asset !== undefined)
        expect(alone).toMatchObject({
          confidence: "likely",
          summary: expect.stringContaining(
            ` failed with ${asset} of the Stellar asset contract (Error(`,
          ),
        });
      expect(answerOf(resultXdr ?? "").cause).toMatchObject({
        kind: "result-code",
        confidence: "known",
      });
      expect(said(answerOf(resultXdr ?? "").remedy)).toMatch(/Run `svc debug`|^Simulate|^Raise/);
    }
  });
});

describe("a refused submission", () => {
  const resultOf = (code: string, feeCharged = "100", more: object | string = code) =>
    TransactionResult.fromJson({ fee_charged: feeCharged, result: more, ext: "v0" } as never).toXdr(
      "base64",
    );
  const sent = (status: string, more: object = {}) => ({
    jsonrpc: "2.0",
    id: 8,
    result: { status, hash: "ab".repeat(32), latestLedger: 5, latestLedgerCloseTime: "9", ...more },
  });

  test.each([
    ["tx_bad_seq", "bad-sequence", /^txBadSeq: the sequence number/, /sequence number again/],
    ["tx_too_late", "too-late", /^txTooLate: the ledger closed after/, /later time bound/],
    ["tx_bad_auth", "bad-auth", /^txBadAuth: the signatures are too few/, /passphrase/],
    ["tx_soroban_invalid", "refused", /^txSorobanInvalid: /, /^Simulate the transaction again/],
    ["tx_insufficient_fee", "insufficient-fee", /required: 4,200 stroops\.$/, /^Bid a higher fee/],
  ])("%s is explained from its errorResultXdr", (code, kind, summary, remedy) => {
    const errorResultXdr = resultOf(code, "4200");
    const answer = answerOf(sent("ERROR", { errorResultXdr }));
    expect(answer.headline).toBe("The node did not accept the transaction.");
    expect(answer.cause).toMatchObject({ kind, confidence: "known" });
    expect(answer.cause?.summary).toMatch(summary);
    expect(said(answer.remedy)).toMatch(remedy);
    expect(answerOf(errorResultXdr).cause).toEqual(answer.cause);
  });

  test("with diagnostic events, they are the evidence", () => {
    const [first] = failed.filter(({ name }) => name === "write bytes too low");
    const meta = String(network.file(first as never).rpcGetTransaction.result.resultMetaXdr);
    const diagnosticEventsXdr = readTransactionMeta(meta).diagnosticsXdr;
    const errorResultXdr = resultOf("tx_soroban_invalid");
    const { evidence } = answerOf(sent("ERROR", { errorResultXdr, diagnosticEventsXdr }));
    expect(evidence.join("\n")).toContain(
      "operation byte-write resources exceeds amount specified",
    );
  });

  test.each(["TRY_AGAIN_LATER", "DUPLICATE", "PENDING"])("%s has its meaning", (status) => {
    const { headline, cause, remedy } = answerOf(sent(status));
    if (status === "PENDING") expect(headline).toContain("accepted the transaction into its queue");
    else expect(cause?.summary).toStartWith(`${status}: The node `);
    expect(remedy).not.toBeNull();
  });

  test("a refusal in another format than base64 is explained by the name of its result", () => {
    const errorResultJson = { fee_charged: "100", result: "tx_bad_seq", ext: "v0" };
    const errorResult = { _attributes: { result: { _switch: { name: "txBadSeq", value: -5 } } } };
    for (const more of [{ errorResultJson }, { errorResult }])
      expect(codeOf(JSON.stringify(sent("ERROR", more)))?.code).toBe("txBadSeq");
    const { cause, remedy } = answerOf(sent("ERROR"));
    expect(cause?.summary).toEndWith("Its answer has no errorResultXdr.");
    expect(said(remedy)).toContain("xdrFormat base64");
  });

  test("as Horizon answers it, and as JSON-RPC refuses the request", () => {
    const result_xdr = resultOf("tx_bad_seq");
    const problem = { title: "Transaction Failed", status: 400, extras: { result_xdr } };
    expect(answerOf(problem).cause?.kind).toBe("bad-sequence");
    const error = { code: -32602, message: "invalid parameters" };
    const refused = answerOf({ jsonrpc: "2.0", id: 1, error });
    expect(refused.cause?.summary).toBe("invalid parameters (JSON-RPC error -32602)");
  });
});

describe("a simulation that failed", () => {
  const NAMES = [
    "contract error Err(NotFound)",
    "panic -> unreachable trap",
    "function does not exist",
    "wrong argument count",
    "call of a contract that does not exist",
    "SAC transfer insufficient balance",
    "re-entry forbidden",
    "ed25519 verify bad signature",
    "cpu budget exceeded by infinite loop",
    "memory budget exceeded",
    "stack exhaustion",
    "upload invalid wasm",
  ];
  /** The recording host reports nothing more of them. */
  const WITHOUT_EVIDENCE = new Set(["cpu budget exceeded by infinite loop", "upload invalid wasm"]);
  /** A run on chain shows more. */
  const KINDS: Readonly<Record<string, CauseKind>> = {
    "memory budget exceeded": "budget-exceeded",
    "upload invalid wasm": "wasm-error",
  };

  test.each(NAMES)("%s", async (name) => {
    const transaction = network.named(name);
    const transactionXdr = String(network.file(transaction).rpcGetTransaction.result.envelopeXdr);
    const rpc = [`tip=${transaction.ledger - 1}`];
    const { sources, networkPassphrase } = openWalk(loopback, { horizon: [], rpc });
    const state = openCurrentState({ sources, clock: new TestClock({ grantedUpTo: 5000 }) });
    const simulator = openRecordingOneShot({ path: RECORDING_BINARY });
    const { simulation } = await simulateTransaction(
      { simulator, state, networkPassphrase },
      { transactionXdr },
      { signal: NEVER_ABORTED },
    );
    const result = rpcSimulation(simulation);
    if (!("error" in result)) throw new Error("it succeeds");
    const onChain = answerOf(network.file(transaction).rpcGetTransaction);
    const answer = answerOf({ jsonrpc: "2.0", id: 1, result });
    expect(answer.headline).toStartWith("The simulation failed on the state of ledger ");
    expect(answer.cause?.kind).toBe(KINDS[name] ?? onChain.cause?.kind);
    expect(answer.evidence.length > 0).toBe(!WITHOUT_EVIDENCE.has(name));
    // A node without diagnostic events has the log below the error, or only the words of the error.
    const { events: _, ...bare } = result;
    const { error } = bare as { error: string };
    const logged = answerOf(bare);
    if (error.includes("Diagnostic Event")) {
      expect(logged.cause).toEqual(answer.cause);
      expect(logged.evidence).toEqual([...answer.evidence]);
    }
    const words = answerOf({ ...bare, error: error.split("\n")[0] });
    expect(words.cause?.summary).toMatch(/^Error\(\w+, #?\w+\): [A-Z]/);
    // A simulation declares nothing.
    for (const { remedy } of [answer, words]) expect(said(remedy)).not.toMatch(/declare/i);
    if (!words.cause?.summary.startsWith("Error(WasmVm, InvalidAction)")) return;
    expect(words.cause).toMatchObject({ kind: "wasm-error", confidence: "likely" });
    expect(words.cause.summary).toMatch(/code trapped .*, or the code to upload is not wasm/);
  });

  test("that succeeded is no failure, and archived entries come first", () => {
    const good = { transactionData: "AAAA", minResourceFee: "9", latestLedger: 7, events: [] };
    expect(answerOf(good)).toMatchObject({
      headline: "The simulation succeeded on the state of ledger 7.",
      cause: null,
    });
    const restored = answerOf({ ...good, restorePreamble: { transactionData: "AAAA" } });
    expect(said(restored.remedy)).toContain("RestoreFootprint");
    for (const more of [{ error: "" }, { error: null, transactionData: undefined }])
      expect(answerOf({ ...good, restorePreamble: { transactionData: "AAAA" }, ...more })).toEqual(
        restored,
      );
    const failed = { ...good, error: "HostError: Error(Storage, MissingValue)" };
    expect(said(answerOf({ ...failed, restorePreamble: {} }).remedy)).toMatch(
      /^Send a RestoreFootprint transaction .* first\. Then simulate again\.$/,
    );
  });

  test.each([
    ["FAILED", "SUCCESS"],
    ["SUCCESS", "FAILED"],
  ])("a status of %s beside a result of another is a contradiction", (status, other) => {
    const found = network.transactions.find((each) => each.soroban && each.status === other);
    const { result } = network.file(found as never).rpcGetTransaction;
    const answer = answerOf({ ...result, status });
    expect(answer.headline).toBe("The answer contradicts itself.");
    expect(answer.cause?.summary).toMatch(new RegExp(`its status is ${status}, and its result is`));
    expect(said(answer.remedy)).toStartWith("Ask another node");
    expect(answerOf({ ...result, status: other }).cause?.kind).not.toBe(
      "answer-contradicts-itself",
    );
  });

  test("before the host ran, has the node's words", () => {
    const answer = answerOf({
      error: "Transaction contains more than one operation",
      latestLedger: 0,
    });
    expect(answer.headline).toBe("The simulation failed.");
    expect(answer.cause).toMatchObject({
      kind: "simulation-refused",
      summary: "Transaction contains more than one operation",
    });
  });
});

const corpus = needs("../shared/corpus", hasCorpus("rpc-recordings"));

describe("answers as nodes gave them", () => {
  const files = network.transactions.map((each) => ({ each, file: network.file(each) }));

  test("every submission of the recorded network: in the queue, with its hash", () => {
    const sent = files.flatMap(({ each, file }) =>
      file.sendTransaction === undefined ? [] : [{ each, answer: file.sendTransaction }],
    );
    expect(sent.length).toBeGreaterThan(150);
    for (const { each, answer } of sent) {
      const found = answerOf(answer);
      expect(found.headline).toContain("accepted the transaction into its queue");
      expect(found).toMatchObject({ hash: each.hash, cause: null });
      expect(said(found.remedy)).toContain(`svc debug ${each.hash}`);
    }
  });

  test("every simulation of the recorded network: that it succeeded, and on which ledger", () => {
    const simulated = files.flatMap(({ file }) => file.simulation ?? []);
    expect(simulated.length).toBeGreaterThan(150);
    for (const answer of simulated) {
      const { headline, cause } = answerOf(answer);
      expect(headline).toBe(
        `The simulation succeeded on the state of ledger ${answer.latestLedger}.`,
      );
      expect(cause).toBeNull();
    }
  });

  corpus.test("every recorded session of public networks", () => {
    const sessions = recordedSessions();
    expect(sessions.length).toBe(7);
    for (const session of sessions) {
      const [answer, ...others] = answersOf(JSON.stringify(session));
      expect([session.name, others.length]).toEqual([session.name, 0]);
      expect(answer?.headline).toMatch(/^The transaction failed in ledger \d+\.$/);
      expect(answer?.cause?.confidence).toBeDefined();
      expect([session.name, answer?.cause?.kind]).not.toEqual([session.name, "trapped"]);
    }
  });
});

describe("anything else", () => {
  test("is unknown, or refused with a code, and never an internal error", () => {
    const field = fc.constantFrom("status", "error", "events", "resultXdr", "hash", "latestLedger");
    const json = fc.oneof(
      fc.json(),
      fc.dictionary(field, fc.jsonValue()).map((each) => JSON.stringify(each)),
    );
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.base64String(), json), (text) => {
        try {
          const found = explained(text);
          if (found.kind !== "answers") return;
          const shown = ANSWERS_RENDERERS.text(found.answers, { color: false });
          expect(shown.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        } catch (error) {
          if (!(error instanceof SvcError)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });

  test("JSON without an answer, or that is not complete, is an invalid file", () => {
    for (const text of ["{}", '{"result":{"entries":[],"latestLedger":4}}', '{"a', "[1]"])
      expect(() => explainText({ text, name: "answer.json" })).toThrow(/^answer\.json is /);
  });

  test("hostile words of a node are shown, not obeyed", () => {
    const { cause } = answerOf({ error: "\u001b[2J\u202e\nEvent log", latestLedger: 1 });
    expect(cause?.summary).toBe("\\u{1b}[2J\\u{202e}");
  });
});
