// Errors as stellar-cli, SDKs and nodes print them: the log below an error says as much as the events
// that it was printed from, and the numbers of contracts have the names of those contracts.

import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { explainText } from "../../src/tools/explain-text.ts";
import { contractOfNodes, contractOfWasm } from "../../src/tools/known-contract.ts";
import { withXdrOfJson } from "../../src/tools/xdr-of-json.ts";
import { isCoreMetric, readDiagnosticEvent } from "../../src/xdr/outcome/diagnostics.ts";
import { readErrorReports } from "../../src/xdr/outcome/error-reports.ts";
import { readTransactionMeta } from "../../src/xdr/outcome/meta.ts";
import { readPrintedEvents } from "../../src/xdr/outcome/printed-events.ts";
import { toJson } from "../../src/xdr/reader/to-json.ts";
import { decode } from "../../src/xdr/reader/value.ts";
import { showError } from "../../src/xdr/values/value-text.ts";
import { openLoopback } from "../support/loopback-server.ts";
import { NEVER_ABORTED, openWalk } from "../support/loopback-walk.ts";
import { logOf } from "../support/printed-log.ts";
import { said } from "../support/said.ts";

const loopback = openLoopback();
afterAll(() => loopback[Symbol.asyncDispose]());
const { network } = loopback;

const causeOf = (text: string) => {
  const found = explainText({ text, name: "the test" });
  const [answer] = found.kind === "answers" ? found.answers : [];
  return { cause: answer?.cause ?? null, evidence: answer?.evidence ?? [] };
};

const failures = network.transactions
  .filter(({ status, soroban }) => status === "FAILED" && soroban)
  .map((each) => {
    const meta = String(network.file(each).rpcGetTransaction.result.resultMetaXdr);
    return {
      each,
      events: readTransactionMeta(meta).diagnosticsXdr.filter((xdr) => !isCoreMetric(xdr)),
    };
  })
  .filter(({ events }) => readErrorReports(events).length > 0);

describe("the log below an error", () => {
  test("says what the events say that it was printed from, for every recorded failure", () => {
    expect(failures.length).toBeGreaterThan(40);
    for (const { each, events } of failures) {
      const error = readErrorReports(events).at(-1)?.error;
      const text = `error: HostError: ${error && showError(error)}\n\n${logOf(events)}\nBacktrace:\n   0: x\n`;
      const of = causeOf(events.join(" "));
      expect([each.name, causeOf(text)]).toEqual([each.name, of]);
      // As a terminal of 80 columns breaks it.
      const broken = text.replaceAll(/[^\n]{80}(?=.)/g, "$&\n");
      expect([each.name, causeOf(broken)]).toEqual([each.name, of]);
      expect([each.name, causeOf(logOf(events))]).toEqual([each.name, of]);
    }
  });

  test("of an error that it does not end with says nothing of that error", () => {
    const [{ events } = { events: [] }] = failures;
    const { cause } = causeOf(`HostError: Error(Crypto, ExceededLimit)\n\n${logOf(events)}`);
    expect(cause?.summary).toStartWith("Error(Crypto, ExceededLimit): ");
  });

  test("with a quote in a text has no values that the log does not show", () => {
    const said = 'balance is not sufficient to spend", 1, 2]';
    for (const tail of ["", "\nTraceback: x", '", 5]'])
      for (const event of readPrintedEvents(
        `0: [Diagnostic Event] topics:[error, Error(Contract, #10)], data:["${said}"${tail}`,
      ))
        for (const { message, valuesXdr } of readErrorReports([event]))
          expect([message.includes("spend"), valuesXdr.length]).toEqual([true, 0]);
    const next =
      '0: [Diagnostic Event] topics:[error, Error(Contract, #10)], data:["a", 5]\nat x.py:3';
    expect(readErrorReports(readPrintedEvents(next))[0]?.message).toBe("a");
  });

  test("with any text in it is read as text, and never as an event", () => {
    const hostile = fc.string({ unit: "binary-ascii" }).map((text) => text.replaceAll("\n", ""));
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const line = `[Diagnostic Event] topics:[error, Error(Contract, #1)], data:["${one}", ${other}`;
        for (const text of [
          line,
          `0: ${line}]`,
          `[Diagnostic Event] topics:[${one}], data:${other}`,
        ])
          for (const event of readPrintedEvents(text))
            expect(readDiagnosticEvent(event).kind).toBe("diagnostic");
      }),
    );
  });
});

describe("the number of an error", () => {
  const failed = network.named("contract error Err(NotFound)");
  const { result } = network.file(failed).rpcGetTransaction;
  const events = readTransactionMeta(String(result.resultMetaXdr)).diagnosticsXdr.filter(
    (xdr) => !isCoreMetric(xdr),
  );
  const contract = readErrorReports(events).find((each) => each.contract !== null)?.contract ?? "";
  const meaningOf = (text: string, of: Awaited<ReturnType<typeof contractOfNodes>> | null) => {
    const found = explainText({ text, name: "the test", contract: of });
    if (found.kind === "codes") return found.codes[0]?.meaning;
    return found.kind === "answers" ? found.answers[0]?.cause?.summary : null;
  };

  test("has the contract's own name and doc, from the contract on the network", async () => {
    const { sources } = openWalk(loopback);
    const known = await contractOfNodes(sources, contract, { signal: NEVER_ABORTED });
    expect(meaningOf("Error(Contract,#1)", known)).toStartWith(
      `In contract ${contract} as it is now, it is LabError::NotFound`,
    );
    expect(meaningOf("#12345", known)).toMatch(
      /of its own, which contract C\w+ as it is now does not name\.$/,
    );
    expect(meaningOf(logOf(events), known)).toContain("LabError::NotFound");
    const { answers } = explainText({ text: logOf(events), name: "", contract: known }) as {
      answers: readonly { readonly evidence: readonly string[] }[];
    };
    expect(answers[0]?.evidence).toContain(
      `The names are those of contract ${contract} as it is now.`,
    );
    // Another contract's names are not used.
    const other = { ...known, contract: contract.replace("C", "D") };
    expect(meaningOf(logOf(events), other)).not.toContain("NotFound");
    for (const address of ["CAAA", encodeStrkey("contract", new Uint8Array(32))])
      await expect(contractOfNodes(sources, address, { signal: NEVER_ABORTED })).rejects.toThrow(
        `No node of this network has contract ${address}.`,
      );
  });

  test("without a contract, only what the Stellar asset contract means by it, and that it is no other", () => {
    expect(meaningOf("#10", null)).toMatch(
      /Each contract has its own.* Only if it was the Stellar asset contract .* BalanceError/,
    );
    expect(meaningOf("10", null)).toStartWith("A number alone can mean many things.");
    expect(meaningOf("#999", null)).toEndWith("The Stellar asset contract has no such number.");
  });

  test("a wasm file without names says so", () => {
    const of = contractOfWasm(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]), "empty.wasm");
    expect(meaningOf("#10", of)).toContain("which the code empty.wasm does not name.");
  });
});

describe("XDR that is written as JSON", () => {
  const json = (
    type: "TransactionResult" | "TransactionEnvelope" | "DiagnosticEvent",
    xdr: string,
  ) => toJson(type, decode(type, xdr));

  test("says what the same answer says in base64, for every recorded failure", async () => {
    for (const { each, events } of failures) {
      const { result } = network.file(each).rpcGetTransaction;
      const {
        resultXdr,
        envelopeXdr,
        resultMetaXdr: _,
        ...others
      } = result as Record<string, string>;
      const inBase64 = { ...others, resultXdr, envelopeXdr, diagnosticEventsXdr: events };
      const written = {
        ...others,
        resultJson: json("TransactionResult", resultXdr ?? ""),
        envelopeJson: json("TransactionEnvelope", envelopeXdr ?? ""),
        diagnosticEventsJson: events.map((xdr) => json("DiagnosticEvent", xdr)),
      };
      const text = await withXdrOfJson(JSON.stringify(written));
      expect([each.name, causeOf(text)]).toEqual([each.name, causeOf(JSON.stringify(inBase64))]);
    }
  });

  test("as stellar-cli prints it, and an error alone", async () => {
    const [{ each }] = failures as [(typeof failures)[number]];
    const { resultXdr } = network.file(each).rpcGetTransaction.result as Record<string, string>;
    const printed = {
      status: "FAILED",
      ledger: 5,
      result: json("TransactionResult", resultXdr ?? ""),
    };
    const { cause } = causeOf(await withXdrOfJson(JSON.stringify(printed)));
    expect(cause?.kind).toBe("result-code");
    const error = await withXdrOfJson('{"error": {"contract": 10}}');
    const found = explainText({ text: error, name: "the test" });
    expect(found).toMatchObject({ codes: [{ code: "Error(Contract, #10)" }] });
    for (const text of [
      '{"error": "x"}',
      '{"resultJson": 5}',
      '{"resultJson": {"a": 1}}',
      "[1]",
      "x",
    ])
      expect(JSON.stringify(await withXdrOfJson(text)).length).toBeLessThan(40);
  });
});

describe("a result in base64", () => {
  const failed = network.transactions.filter(({ status }) => status === "FAILED");

  test("is read without a name and within any marks, for every recorded failure", () => {
    expect(failed.length).toBeGreaterThan(50);
    for (const each of failed) {
      const xdr = String(network.file(each).rpcGetTransaction.result.resultXdr);
      const named = causeOf(`resultXdr: ${xdr}`);
      expect(named.cause).not.toBeNull();
      for (const text of [`[ERROR] Failed("${xdr}")`, `failed (${xdr}).`, `<b>${xdr}</b>`])
        expect([each.name, causeOf(text)]).toEqual([each.name, named]);
    }
  });

  test("that a console left out is said to be missing", () => {
    for (const shown of [
      "[ChildUnion]",
      "ChildUnion { _switch: [ChildEnum], _arm: 'results', _armType: [VarArray], _value: [Array] }",
    ]) {
      const text = `errorResult: ChildStruct { _attributes: { feeCharged: [Hyper], result: ${shown}, ext: [ChildUnion] } }`;
      const found = explainText({ text, name: "the test" });
      expect(JSON.stringify(found)).toContain("the console has shortened".slice(4));
    }
  });
});

describe("a log", () => {
  const remedyOf = (text: string) => {
    const found = explainText({ text, name: "the test" });
    return said(found.kind === "answers" ? found.answers[0]?.remedy : null);
  };

  test("with the words of the asset contract, but other values, names no balance", () => {
    const contract = `C${"DLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC"}`;
    const log = (values: string) =>
      `HostError: Error(Contract, #10)\n\nEvent log (newest first):\n   0: [Diagnostic Event] contract:${contract}, topics:[error, Error(Contract, #10)], data:["balance is not sufficient to spend", ${values}]\n`;
    expect(causeOf(log("100, 500")).cause?.summary).toContain("balance is 100 units");
    expect(causeOf(log(`${contract}, 500`)).cause?.summary).not.toContain("balance is C");
  });

  test("of a contract with an address of soroban-sdk's tests is a unit test's", () => {
    const tested = "CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM";
    const deployed = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";
    const log = (contract: string) =>
      `HostError: Error(Contract, #6)\n\nEvent log (newest first):\n   0: [Diagnostic Event] contract:${contract}, topics:[error, Error(Contract, #6)], data:"escalating Ok(ScErrorType::Contract) frame-exit to Err"\n   1: [Diagnostic Event] topics:[fn_call, ${contract}, pay], data:[${tested}]\n`;
    expect(remedyOf(log(tested))).toContain("unit test");
    expect(remedyOf(log(deployed))).not.toContain("unit test");
  });

  test("of a unit test has the panic that its host caught, whatever the panic says", () => {
    const contract = "CAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAD2KM";
    const named = `[Diagnostic Event] contract:${contract}, topics:`;
    const log = (panic: string, message: string) =>
      `HostError: Error(WasmVm, InvalidAction)\n\nEvent log (newest first):\n   0: ${named}[error, Error(WasmVm, InvalidAction)], data:["contract call failed", withdraw, [100]]\n   1: ${named}[error, Error(WasmVm, InvalidAction)], data:"${message}"\n   2: ${named}[log], data:["caught panic '${panic}' from contract function 'Symbol(obj#31)'", 100]\n   3: [Diagnostic Event] topics:[fn_call, ${contract}, withdraw], data:100\n`;
    const word = fc.stringMatching(/^[a-z][a-z' ]{0,30}$/);
    fc.assert(
      fc.property(word, (panic) => {
        const { cause } = causeOf(log(panic, "caught error from function"));
        expect(cause).toMatchObject({ kind: "contract-panic", confidence: "known" });
        expect(cause?.summary).toContain(`panicked: "${panic}"`);
      }),
    );
    // A contract can log the same words on a network, where no such report follows.
    const own = causeOf(log("all is lost", "VM call trapped: UnreachableCodeReached"));
    expect(own.cause?.summary).not.toContain('panicked: "all is lost"');
  });

  test("of a call that called nothing has an error of the contract's own", () => {
    const [first, second] = [
      "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC",
      "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV",
    ];
    const log = (within: string) =>
      `HostError: Error(Contract, #6)\n\nEvent log (newest first):\n   0: [Diagnostic Event] contract:${first}, topics:[error, Error(Contract, #6)], data:"escalating Ok(ScErrorType::Contract) frame-exit to Err"\n${within}   3: [Diagnostic Event] topics:[fn_call, ${first}, pay], data:5\n`;
    const called = `   1: [Diagnostic Event] contract:${second}, topics:[fn_return, get], data:1\n   2: [Diagnostic Event] contract:${first}, topics:[fn_call, ${second}, get], data:Void\n`;
    expect(causeOf(log("")).cause?.summary).toContain("an error number of its own");
    expect(causeOf(log(called)).cause?.summary).toContain("nothing here shows");
  });

  test("of a function without arguments does not suspect them", () => {
    const contract = "CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC";
    const log = (data: string) =>
      `HostError: Error(WasmVm, InvalidAction)\n\nEvent log (newest first):\n   0: [Diagnostic Event] contract:${contract}, topics:[error, Error(WasmVm, InvalidAction)], data:["VM call trapped: UnreachableCodeReached", boom]\n   1: [Diagnostic Event] topics:[fn_call, ${contract}, boom], data:${data}\n`;
    expect(causeOf(log("[1, 2]")).cause?.summary).toContain("argument of the wrong type");
    expect(causeOf(log("Void")).cause?.summary).not.toContain("argument of the wrong type");
  });

  test("of a node's answer names the network that its hash belongs to", () => {
    const transaction = network.named("panic -> unreachable trap");
    const { result } = network.file(transaction).rpcGetTransaction;
    const answer = JSON.stringify({ ...result, txHash: transaction.hash });
    expect(remedyOf(answer)).toContain(`svc debug ${transaction.hash} --network local`);
  });
});
