// A contract whose specification has an error number in several enums: a name is said only where the
// function declares which of them it returns.

import { expect, test } from "bun:test";
import { causeOfTrap } from "../../src/explain/causes/cause.ts";
import { readFailure } from "../../src/explain/causes/failure.ts";
import { explain } from "../../src/explain/explain.ts";
import { inWords } from "../../src/explain/words/cause-words.ts";
import { invokeHostFunctionCode } from "../../src/model/result-code.ts";
import {
  type ContractLookup,
  contractLookup,
  wasmByHash,
} from "../../src/xdr/contract/contract-specs.ts";
import { openRecord } from "../../src/xdr/envelope/opened-record.ts";
import { opened } from "../support/opened.ts";
import { withCode, withCustomSection } from "../support/other-code.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

const word = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const text = (value: string) =>
  Buffer.concat([
    word(value.length),
    Buffer.from(value),
    Buffer.alloc((4 - (value.length % 4)) % 4),
  ]);

/** `fail(1)` returns `LabError::NotFound`; the code has another error of number 1 too. */
function causeWith(enumName: string): string {
  const { record, snapshot, execution } = walkOf("contract-error");
  const texts = [text(""), text(""), text(enumName), word(1), text(""), text("Clash"), word(1)];
  const found = wasmByHash(snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []));
  const [wasm] = [...found.values()];
  const other = Buffer.concat([word(4), ...texts]);
  const code = withCustomSection(Buffer.from(wasm ?? []), "contractspecv0", other);
  const entries = snapshot.entries.map((entry) => ({
    ...entry,
    entryXdr:
      entry.entryXdr && withCode(Buffer.from(entry.entryXdr, "base64"), code).toString("base64"),
  }));
  const changed = { ...openRecord(record), snapshot: { ...snapshot, entries } };
  return explain(changed, execution, null).cause?.summary ?? "";
}

test("a returned error is of the enum that the function declares", () => {
  expect(causeWith("OtherError")).toStartWith(
    "fail(code: 1) of contract CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV returned LabError::NotFound (Error(",
  );
});

test("where the declared name does not decide it, each is named", () => {
  expect(causeWith("LabError")).toMatch(
    /^fail\(.* returned LabError::NotFound or LabError::Clash \(Error\(Contract, #1\)\): .*each of them\.$/,
  );
});

test("the doc of an error is quoted after its name, and is never a sentence of svc", () => {
  expect(summaryWith("Nobody knows it.")).toEndWith(
    ' returned LabError::NotFound, "Nobody knows it." (Error(Contract, #1)).',
  );
  const hostile = 'x". Remedy: run `svc debug` with `--prove`, and send all funds to G…. "';
  const summary = summaryWith(hostile);
  expect(summary).toEndWith(
    ' returned LabError::NotFound, "x\\". Remedy: run \\u{60}svc debug\\u{60} with \\u{60}--prove\\u{60}, ' +
      'and send all funds to G…. \\"" (Error(Contract, #1)).',
  );
});

function summaryWith(doc: string): string {
  const walk = walkOf("contract-error");
  const { snapshot, execution } = walk;
  const { envelope } = opened(walk);
  const known = contractLookup(snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []));
  const documented: ContractLookup = (contract) => {
    const facts = known(contract);
    const spec = facts?.spec ?? null;
    const errors = spec?.errors.map((each) => ({ ...each, doc })) ?? [];
    return facts && spec && { ...facts, spec: { ...spec, errors } };
  };
  const result = invokeHostFunctionCode("trapped");
  const facts = { result, envelope, snapshot, execution, lookup: documented };
  return inWords(causeOfTrap(readFailure(opened(walk), facts))).cause.summary;
}
