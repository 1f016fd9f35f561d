// The success hash proves return value and events. A meta that shows others, or other fee events
// than those of the fee that was charged, is never shown as what happened.

import { describe, expect, test } from "bun:test";
import { TransactionMeta } from "@stellar/stellar-sdk/xdr";
import { investigate } from "../report/investigations.ts";
import { changedXdr } from "../support/changed-xdr.ts";
import type { Walk } from "../verdict/protocol-walk.ts";

// biome-ignore lint/suspicious/noExplicitAny: the JSON form of any XDR
type MetaV4 = any;

const forged = (name: string, forge: (meta: MetaV4) => void) =>
  investigate(name, (walk: Walk) => {
    const { record } = walk;
    const resultMetaXdr = changedXdr(TransactionMeta, record.resultMetaXdr ?? "", ({ v4 }) => {
      forge(v4);
    });
    return { ...walk, record: { ...record, resultMetaXdr } };
  });

const NAME = "sac-transfer";
const honest = investigate(NAME);

const FORGERIES: readonly { what: string; of: string; forge: (meta: MetaV4) => void }[] = [
  {
    what: "another amount",
    of: "event",
    forge: ({ operations: [{ events }] }) => {
      events[0].body.v0.data = { i128: "999" };
    },
  },
  {
    what: "an event that was never emitted",
    of: "event",
    forge: ({ operations: [{ events }] }) => events.push(structuredClone(events[0])),
  },
  {
    what: "no event",
    of: "event",
    forge: ({ operations: [operation] }) => {
      operation.events = [];
    },
  },
  {
    what: "another return value",
    of: "return value",
    forge: ({ soroban_meta }) => {
      soroban_meta.return_value = { u32: 7 };
    },
  },
  {
    what: "another fee",
    of: "fee event",
    forge: ({ events }) => {
      events[0].event.body.v0.data = { i128: "1" };
    },
  },
  {
    what: "another refund",
    of: "fee event",
    forge: ({ events }) => {
      events[1].event.body.v0.data = { i128: "-1" };
    },
  },
  {
    what: "a fee that another account paid",
    of: "fee event",
    forge: ({ events }) => {
      events[0].event.body.v0.topics[1] = { address: honest.explanation.invocation?.contract };
    },
  },
  { what: "a refund that is left out", of: "fee event", forge: ({ events }) => events.pop() },
];

describe("a meta with", () => {
  for (const { what, of, forge } of FORGERIES)
    test(`${what}: the proven facts are shown, and the headline says it`, () => {
      const { verdict, explanation } = forged(NAME, forge);
      expect(verdict?.kind).toBe("equivalent");
      expect(verdict?.caveats.map(({ kind }) => kind)).toContain("events");
      expect(verdict?.caveats.map(({ detail }) => detail).join()).toContain(of);
      expect(explanation.headline).toEndWith(", but its meta does not show what it did.");
      expect(explanation.events).toEqual(honest.explanation.events);
      expect(explanation.tokens).toEqual(honest.explanation.tokens);
      expect(explanation.calls).toEqual(honest.explanation.calls);
    });

  test("what happened: exact, with every fee event compared", () => {
    expect(honest.verdict?.kind).toBe("exact");
    const fees = honest.verdict?.comparisons.filter(({ subject }) => subject === "fee-events");
    expect(fees?.map(({ result }) => result)).toEqual(["equal", "equal"]);
    expect(honest.explanation.headline).not.toContain("meta");
  });
});

test("a failed transaction whose meta shows another fee says so too", () => {
  const { verdict, explanation } = forged("contract-error", ({ events }) => {
    events[0].event.body.v0.data = { i128: "1" };
  });
  expect(verdict?.kind).toBe("equivalent");
  expect(explanation.headline).toContain("failed in ledger");
  expect(explanation.headline).toContain("its meta does not show what it did");
});
