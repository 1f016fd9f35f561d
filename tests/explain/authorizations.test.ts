// The authorizations of real transactions.

import { expect, test } from "bun:test";
import { nameAuthorization } from "../../src/explain/naming/authorizations.ts";
import { authorizationTree } from "../../src/report/document/authorizations.ts";
import { drawText } from "../../src/report/text/draw.ts";
import type { AuthorizationFacts } from "../../src/xdr/envelope/authorizations.ts";
import { investigate } from "../report/investigations.ts";
import { openAnywhere } from "../support/opened.ts";
import { RecordedNetwork } from "../support/recorded-network.ts";

const network = new RecordedNetwork();
const TWO_SIGNERS = 90;
const CREATION = 13;
const nothingKnown = () => null;

test("a transfer by the source account, with the asset contract's names", () => {
  const [authorization, ...others] = investigate("sac-transfer").explanation.authorizations;
  expect(others).toEqual([]);
  expect(authorization).toEqual({
    signer: null,
    signed: true,
    validUntilLedger: null,
    invocation: {
      contract: "CDQWYNOHQDEEIGUNEZI5F4NH46REH26EBNBKEYHANSHF4LDOWIBGLLO3",
      function: "transfer",
      arguments: [
        "GBH7CNIE6Y6TT3AYRDMJMXYBLRC6HGBHASDFCFLP2OHUKEZRQSRYL4D4",
        "GAKPTYIOT7MPZA4SON3FOLORIRQABUZUBP3PBDVZA62RVL3AMQAZL4AT",
        "1234 (0.0001234 LAB)",
      ],
      argumentNames: expect.anything(),
      calls: [],
    },
  });
});

test("no authorization: fee-bumps, restorations", () => {
  for (const name of ["fee-bump-failing", "restore-footprint"])
    expect(investigate(name).explanation.authorizations).toEqual([]);
});

test("an envelope that cannot be decoded is XDR_INVALID", () => {
  expect(() => openAnywhere("AAAA")).toThrow(expect.objectContaining({ code: "XDR_INVALID" }));
});

test("two signers, one allowing a call below", () => {
  const named = authorizationsOf(TWO_SIGNERS).map((facts) =>
    nameAuthorization(facts, nothingKnown),
  );
  const body = [authorizationTree(named)];
  const sections = [
    { id: "authorization", title: "Authorization", level: "details", body },
  ] as const;
  const text = drawText({ head: null, sections }, { color: false });
  expect(text.trimEnd().split("\n").slice(1)).toEqual([
    "  GAH47CWQ7HX53FZPJRIFPCYKXUCZTOWEYYU4YFLGBWUUCINGDOLZE66K, valid until ledger",
    "    822",
    "  └─ tree_fn() in CCNTXV3GIJIB23X2U5XPZC76ORF2IT35RPEA5TXHH662Z3L5BL2OF264",
    "     └─ tree_fn() in CCZNRX2YQY437BZXQ565ZWBAIYVTNHTUEOFK77XIHGRNHS5CYXJWWO6D",
    "  GA3M6P4DTZ7CJJ7FQY3M2TF3Y5M5DWTH6XDLXULOZ577TBN6BBOC46D5, valid until ledger",
    "    822",
    "  └─ tree_fn() in CCNTXV3GIJIB23X2U5XPZC76ORF2IT35RPEA5TXHH662Z3L5BL2OF264",
  ]);
});

test("the creation of a contract, and its constructor", () => {
  const [only] = authorizationsOf(CREATION).map((facts) => nameAuthorization(facts, nothingKnown));
  expect(only?.invocation).toMatchObject({
    contract: null,
    function: null,
    calls: [{ function: "__constructor" }],
  });
});

/** `number`: in the network's manifest. */
function authorizationsOf(number: number): readonly AuthorizationFacts[] {
  const transaction = network.transactions.find(({ n }) => n === number);
  if (transaction === undefined) throw new Error(`there is no transaction ${number}`);
  const { envelopeXdr } = network.file(transaction).rpcGetTransaction.result;
  return openAnywhere(String(envelopeXdr)).authorizations;
}
