// Authorizations that do not cover what was required, really executed in the host of protocol 28:
// what was required, what was supplied, and how they differ.

import { expect, test } from "bun:test";
import { ASSET, asset, trustline } from "../support/asset-entries.ts";
import { contractEntries, executeCall, type MadeCall, SOURCE } from "../support/executed.ts";
import { hostCallContract } from "../support/host-call-contract.ts";
import { openTestSimulator } from "../support/simulator.ts";

const OTHER = "GAKPTYIOT7MPZA4SON3FOLORIRQABUZUBP3PBDVZA62RVL3AMQAZL4AT";

const simulator = openTestSimulator();

type Json = ReturnType<typeof JSON.parse>;
interface Call {
  readonly contract: string;
  readonly name: string;
  readonly given: readonly Json[];
  readonly below?: readonly Call[];
}

function invocation({ contract, name, given, below = [] }: Call): Json {
  const contract_fn = { contract_address: contract, function_name: name, args: given };
  return { function: { contract_fn }, sub_invocations: below.map(invocation) };
}

/** What the source account allows by signing the transaction. */
function allowed(...roots: readonly Call[]): Json[] {
  return roots.map((root) => ({
    credentials: "source_account",
    root_invocation: invocation(root),
  }));
}

async function causeOf(made: MadeCall) {
  const { cause, evidence, remedy } = (await executeCall(simulator, made)).explanation;
  const of = (word: string) => evidence.filter((sentence) => sentence.startsWith(word));
  return {
    kind: cause?.kind,
    summary: cause?.summary ?? "",
    confidence: cause?.confidence,
    remedy: remedy ?? "",
    required: of("Required: "),
    supplied: of("Supplied: "),
    evidence,
  };
}

const COVERED = "The signature of the transaction covers the authorization entry.";

const transfer = (amount: string): Call => ({
  contract: ASSET,
  name: "transfer",
  given: [{ address: SOURCE }, { address: OTHER }, { i128: amount }],
});
const entries = {
  readOnly: [asset()],
  readWrite: [trustline(SOURCE, "50"), trustline(OTHER, "7")],
};
const called = ({ contract, name, given }: Call) => ({
  contract,
  function: name,
  arguments: given,
  ...entries,
});

test("another amount than was signed: certain, as the asset contract requires no other", async () => {
  const made = { ...called(transfer("12")), authorizations: allowed(transfer("11")) };
  const cause = await causeOf(made);
  expect(cause.kind).toBe("authorization-mismatch");
  expect(cause.confidence).toBe("known");
  expect(cause.summary).toContain(
    " signed a different call: argument `amount` is 12 in the call and 11 in the " +
      "authorization entry.",
  );
  expect(cause.summary).toMatch(
    / Its authorization is required by transfer\(.*amount: 12 \(0\.0000012 LAB\)\) of contract CDQW\w+\.$/,
  );
  expect(cause.required).toEqual([]);
  expect(cause.evidence).toEqual([COVERED]);
});

test("an entry of the source account is covered by the transaction's own signature", async () => {
  const made = { ...called(transfer("12")), authorizations: allowed(transfer("11")) };
  const { remedy } = await causeOf(made);
  expect(remedy).toContain("Its own signature covers those of its source account.");
  expect(remedy).not.toMatch(/[Ss]ign the authorization entry/);
});

test("an entry that nobody signed needs an expiration ledger too, if it has none", async () => {
  const from: Call = {
    ...transfer("12"),
    given: [{ address: OTHER }, { address: SOURCE }, { i128: "12" }],
  };
  const unsigned = (signature_expiration_ledger: number) => ({
    credentials: {
      address: { address: OTHER, nonce: "5", signature_expiration_ledger, signature: "void" },
    },
    root_invocation: invocation(from),
  });
  const none = await causeOf({ ...called(from), authorizations: [unsigned(0)] });
  expect(none.kind).toBe("authorization-unsigned");
  expect(none.summary).toMatch(
    /^The authorization entry of GAKP\w+ is not signed\. It is for transfer\(/,
  );
  expect(none.remedy).toBe(
    `Have ${OTHER} sign the authorization entry, with an expiration ledger in the future.`,
  );
  expect(none.supplied.join()).not.toContain("ledger 0");
});

test("another function than was signed", async () => {
  const burn = { ...transfer("12"), name: "burn", given: [{ address: SOURCE }, { i128: "12" }] };
  const cause = await causeOf({ ...called(transfer("12")), authorizations: allowed(burn) });
  expect(cause.kind).toBe("authorization-mismatch");
  expect(cause.summary).toContain(
    `the entries allow burn of ${ASSET}, but not transfer of ${ASSET}.`,
  );
});

/** A contract that calls another one, and requires no authorization. */
function forwarder() {
  const call = { name: "forward", host: ["d", "_"] as const, parameters: 3 };
  const { contract, entries: made } = contractEntries(hostCallContract([call]));
  const { name, given } = transfer("12");
  const forwarded = [{ address: ASSET }, { symbol: name }, { vec: given }];
  return { root: { contract, name: "forward", given: forwarded }, made };
}

test("the call signed below another one, with another amount", async () => {
  const { root, made } = forwarder();
  const cause = await causeOf({
    ...called(root),
    readOnly: [...entries.readOnly, ...made],
    authorizations: allowed({ ...root, below: [transfer("11")] }),
  });
  expect(cause.kind).toBe("authorization-mismatch");
  expect(cause.summary).toContain(
    "argument `amount` is 12 in the call and 11 in the authorization entry",
  );
});

test("the call signed below one that requires nothing: it must be at the top", async () => {
  const { root, made } = forwarder();
  const cause = await causeOf({
    ...called(root),
    readOnly: [...entries.readOnly, ...made],
    authorizations: allowed({ ...root, below: [transfer("12")] }),
  });
  expect(cause.confidence).toBe("known");
  expect(cause.summary).toContain(
    "the entries allow that call, but not in the right place; it must be at the top of an entry.",
  );
});

test("the closest of several entries is compared", async () => {
  const cause = await causeOf({
    ...called(transfer("12")),
    authorizations: allowed({ ...transfer("12"), name: "approve" }, { ...transfer("1") }),
  });
  expect(cause.kind).toBe("authorization-mismatch");
  expect(cause.summary).toContain(
    "argument `amount` is 12 in the call and 1 in the authorization entry.",
  );
});

test("a contract that requires other arguments than its own, as its host calls show", async () => {
  const host = hostCallContract([{ name: "ask", host: ["a", "_"], parameters: 2 }]);
  const { contract, entries: made } = contractEntries(host);
  const ask: Call = { contract, name: "ask", given: [{ address: SOURCE }, { vec: [{ u32: 7 }] }] };
  const base = { ...called(ask), readOnly: made };
  const signed = { ...ask, given: [{ u32: 8 }] };
  const cause = await causeOf({ ...base, authorizations: allowed(signed) });
  expect(cause.kind).toBe("authorization-mismatch");
  expect(cause.confidence).toBe("known");
  expect(cause.summary).toContain(
    ": argument 1 is 7 in the call and 8 in the authorization entry.",
  );
  expect(cause.required[0]).toMatch(/^Required: GBH7\w+ for ask\(7\) of C\w+\.$/);
  const right = { ...ask, given: [{ u32: 7 }] };
  const made2 = await executeCall(simulator, { ...base, authorizations: allowed(right) });
  expect(made2.execution.outcome.kind).toBe("success");
});

test("the creation of a contract that its deployer does not allow", async () => {
  const host = hostCallContract([{ name: "make", host: ["l", "3"], parameters: 3 }]);
  const { contract, entries: made } = contractEntries(host);
  const hash = { bytes: "00".repeat(32) };
  const make: Call = { contract, name: "make", given: [{ address: SOURCE }, hash, hash] };
  const cause = await causeOf({ ...called(make), readOnly: made });
  expect(cause.kind).toBe("authorization-missing");
  expect(cause.summary).toContain(`entries of ${SOURCE} do not allow the contract that make(`);
});

test("a running contract that is not the direct caller has to authorize the call itself", async () => {
  const call = { name: "forward", host: ["d", "_"] as const, parameters: 3 };
  const [outer, inner] = [1, 2].map((number) => contractEntries(hostCallContract([call]), number));
  const ask = contractEntries(
    hostCallContract([{ name: "ask", host: ["a", "0"], parameters: 1 }]),
    3,
  );
  const forwarded = [
    { address: ask.contract },
    { symbol: "ask" },
    { vec: [{ address: outer?.contract }] },
  ];
  const { explanation } = await executeCall(simulator, {
    contract: outer?.contract ?? "",
    function: "forward",
    arguments: [{ address: inner?.contract }, { symbol: "forward" }, { vec: forwarded }],
    readOnly: [...(outer?.entries ?? []), ...(inner?.entries ?? []), ...ask.entries],
  });
  expect(explanation.cause?.kind).toBe("authorization-missing");
  expect(explanation.cause?.summary).toContain(
    `${outer?.contract}, a contract higher in the call stack, does not authorize ask(`,
  );
  expect(explanation.remedy).toContain("authorize_as_current_contract");
});

test("an operation with a source of its own: the entry is of that account", async () => {
  const reversed = (amount: string): Call => ({
    ...transfer(amount),
    given: [{ address: OTHER }, { address: SOURCE }, { i128: amount }],
  });
  const made = { ...called(reversed("5")), operationSource: OTHER };
  const { execution, explanation } = await executeCall(simulator, made);
  expect(execution.outcome.kind).toBe("success");
  expect(explanation.transaction).toMatchObject({ sourceAccount: SOURCE, operationSource: OTHER });
  const refused = await causeOf({ ...made, authorizations: allowed(reversed("4")) });
  expect(refused.kind).toBe("authorization-mismatch");
  expect(refused.summary).toStartWith(`${OTHER} signed a different call`);
  expect(refused.evidence).toEqual([COVERED]);
});
