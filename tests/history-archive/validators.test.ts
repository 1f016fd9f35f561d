// Which signatures are enough. The expected numbers follow stellar-core's own thresholds
// (Config::generateQuorumSet): more than half of an organisation's validators, and of n
// organisations n - (n - 1) / 3.

import { expect, test } from "bun:test";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import fc from "fast-check";
import { encodeStrkey } from "../../src/base/text/strkey.ts";
import { DROPPED_SET, signaturesOf, speaksFor } from "../../src/history-archive/validators.ts";
import { hasEnoughSignatures } from "../../src/model/state/proven-state.ts";
import { networkId } from "../../src/xdr/reader/hash.ts";
import { encodeBytes, type Value } from "../../src/xdr/reader/value.ts";

const PASSPHRASE = "a network of a test";
const LEDGER = 12;
const SET = "ab".repeat(32);
const PREVIOUS = "cd".repeat(32);
const ZERO = new Uint8Array(32);

const keys = Array.from({ length: 16 }, () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = new Uint8Array(publicKey.export({ format: "der", type: "spki" }).subarray(-32));
  return { raw, privateKey, address: encodeStrkey("account", raw) };
});
const keyAt = (index: number) => keys[index] as (typeof keys)[number];

type Envelope = Value<"ScpHistoryEntry">["v0"]["ledgerMessages"]["messages"][number];

interface Message {
  readonly pledges: "confirm" | "externalize" | "prepare" | "nominate";
  /** The slot of the statement. */
  readonly ledger: number;
  readonly set: string;
  /** What the value of a dropped set names; null: a value with its set. */
  readonly droppedAfter: string | null;
  readonly passphrase: string;
  /** The key that signs is the next one. */
  readonly isForged: boolean;
}

const SOUND: Message = {
  pledges: "externalize",
  ledger: LEDGER,
  set: SET,
  droppedAfter: null,
  passphrase: PASSPHRASE,
  isForged: false,
};

function stellarValue({ set, droppedAfter }: Message): Uint8Array {
  const lcValueSignature = {
    nodeId: { type: 0, ed25519: ZERO },
    signature: new Uint8Array(64),
  } as const;
  const proposed = {
    txSetHash: ZERO,
    previousLedgerHash: Uint8Array.fromHex(droppedAfter ?? PREVIOUS),
    previousLedgerVersion: 28,
    lcValueSignature,
  };
  return encodeBytes("StellarValue", {
    txSetHash: Uint8Array.fromHex(set),
    closeTime: 5n,
    upgrades: [],
    ext: droppedAfter === null ? { v: 1, lcValueSignature } : { v: 2, proposedValue: proposed },
  });
}

function pledgesOf(message: Message): Value<"ScpStatement">["pledges"] {
  const value = stellarValue(message);
  const ballot = { counter: 1, value };
  const quorum = { quorumSetHash: ZERO };
  switch (message.pledges) {
    case "prepare":
      return {
        type: 0,
        prepare: { ...quorum, ballot, prepared: ballot, preparedPrime: null, nC: 1, nH: 1 },
      };
    case "confirm":
      return { type: 1, confirm: { ...quorum, ballot, nPrepared: 1, nCommit: 1, nH: 1 } };
    case "externalize":
      return { type: 2, externalize: { commit: ballot, nH: 1, commitQuorumSetHash: ZERO } };
    case "nominate":
      return { type: 3, nominate: { ...quorum, votes: [value], accepted: [value] } };
  }
}

function signedBy(index: number, message: Message): Envelope {
  const statement: Value<"ScpStatement"> = {
    nodeId: { type: 0, ed25519: keyAt(index).raw },
    slotIndex: BigInt(message.ledger),
    pledges: pledgesOf(message),
  };
  const head = Buffer.concat([networkId(message.passphrase), Buffer.from([0, 0, 0, 1])]);
  const bytes = Buffer.concat([head, encodeBytes("ScpStatement", statement)]);
  const signer: KeyObject = keyAt(message.isForged ? (index + 1) % keys.length : index).privateKey;
  return { statement, signature: new Uint8Array(sign(null, bytes, signer)) };
}

const entryOf = (messages: readonly Envelope[]): Value<"ScpHistoryEntry"> => ({
  v: 0,
  v0: { quorumSets: [], ledgerMessages: { ledgerSeq: LEDGER, messages } },
});

/** Sizes of organisations, and for each key whether it signed. */
const networks = fc.record({
  sizes: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
  signed: fc.array(fc.boolean(), { minLength: keys.length, maxLength: keys.length }),
});

/** Splits the keys, in order. */
function organisationsOf(sizes: readonly number[]): number[][] {
  let next = 0;
  return sizes.map((size) => Array.from({ length: size }, () => next++));
}

test("of random organisations, as many have to sign as stellar-core needs", () => {
  fc.assert(
    fc.property(networks, ({ sizes, signed }) => {
      const organisations = organisationsOf(sizes);
      const messages = organisations
        .flat()
        .flatMap((index) => (signed[index] ? [signedBy(index, SOUND)] : []));
      const found = signaturesOf(
        // A validator that speaks twice counts once.
        entryOf([...messages, ...messages.slice(0, 1)]),
        { ledger: LEDGER, hash: SET, previousHash: PREVIOUS },
        organisations.map((each) => each.map((index) => keyAt(index).address)),
        PASSPHRASE,
      );
      const agreeing = organisations.filter((each) => {
        const count = each.filter((index) => signed[index]).length;
        return each.length > 0 && count >= each.length - Math.floor((each.length - 1) / 2);
      }).length;
      const all = organisations.length;
      const needed = all === 0 ? 0 : all - Math.floor((all - 1) / 3);
      expect([found.organisations, found.needed]).toEqual([agreeing, needed]);
      expect(found.signers).toHaveLength(messages.length);
      expect(hasEnoughSignatures(found)).toBe(all > 0 && agreeing >= needed);
    }),
    { numRuns: 60 },
  );
});

const OTHER = "ef".repeat(32);

test.each<[string, Partial<Message>, boolean]>([
  ["that the value was committed", {}, true],
  ["that it accepted the value as committed", { pledges: "confirm" }, true],
  ["that it is ready to commit the value", { pledges: "prepare" }, false],
  ["that it nominates the value", { pledges: "nominate" }, false],
  ["the value of another set", { set: OTHER }, false],
  ["the value of another ledger", { ledger: LEDGER + 1 }, false],
  ["the value on another network", { passphrase: "another network" }, false],
  ["nothing: the signature is of another key", { isForged: true }, false],
])("a validator that says %s", (_, changed, counts) => {
  const found = signaturesOf(
    entryOf([signedBy(0, { ...SOUND, ...changed })]),
    { ledger: LEDGER, hash: SET, previousHash: PREVIOUS },
    [[keyAt(0).address]],
    PASSPHRASE,
  );
  expect(hasEnoughSignatures(found)).toBe(counts);
});

test.each([
  ["the ledger before", PREVIOUS, true],
  ["another ledger", OTHER, false],
  ["none", null, false],
] as const)("a dropped set whose value names %s (CAP-83)", (_, droppedAfter, counts) => {
  const found = signaturesOf(
    entryOf([signedBy(0, { ...SOUND, set: DROPPED_SET, droppedAfter })]),
    { ledger: LEDGER, hash: DROPPED_SET, previousHash: PREVIOUS },
    [[keyAt(0).address]],
    PASSPHRASE,
  );
  expect(hasEnoughSignatures(found)).toBe(counts);
});

test.each([
  ["externalize", true],
  ["confirm", true],
  ["prepare", false],
  ["nominate", false],
] as const)("a proof keeps a message that says %s: %p", (pledges, isKept) => {
  expect(speaksFor(signedBy(0, { ...SOUND, pledges }).statement)).toBe(isKept);
});

test("a message whose value cannot be decoded counts for nothing, and what is no account signed nothing", () => {
  const sound = signedBy(0, SOUND);
  const commit = { counter: 1, value: new Uint8Array(3) };
  const pledges = { type: 2, externalize: { commit, nH: 1, commitQuorumSetHash: ZERO } } as const;
  const broken = { ...sound, statement: { ...sound.statement, pledges } };
  const found = signaturesOf(
    entryOf([broken, sound]),
    { ledger: LEDGER, hash: SET, previousHash: PREVIOUS },
    [[keyAt(0).address], ["not an account"]],
    PASSPHRASE,
  );
  expect(found.signers).toEqual([keyAt(0).address]);
  expect(found.organisations).toBe(1);
});
