// Kinds of causes that no recorded transaction has: each call really runs in the host of protocol
// 28.

import { describe, expect, test } from "bun:test";
import { HashIdPreimage } from "@stellar/stellar-sdk/xdr";
import { decodeAccountKey, encodeStrkey } from "../../src/base/text/strkey.ts";
import type { CauseKind } from "../../src/model/cause-kinds.ts";
import { wasmByHash } from "../../src/xdr/contract/contract-specs.ts";
import { decodeBase64 } from "../../src/xdr/reader/cursor.ts";
import { networkId, sha256 } from "../../src/xdr/reader/hash.ts";
import { ASSET, account, asset, ISSUER, trustline } from "../support/asset-entries.ts";
import { madeXdr } from "../support/changed-xdr.ts";
import { contractEntries, executeCall, type MadeCall, SOURCE } from "../support/executed.ts";
import { type HostCall, hostCallContract } from "../support/host-call-contract.ts";
import { ownContract } from "../support/other-code.ts";
import { openTestSimulator } from "../support/simulator.ts";
import { walkOf } from "../verdict/protocol-walk.ts";

const OTHER = "GAKPTYIOT7MPZA4SON3FOLORIRQABUZUBP3PBDVZA62RVL3AMQAZL4AT";
/** Of the source account. */
const MUXED = encodeStrkey(
  "muxed",
  Buffer.concat([decodeAccountKey(SOURCE) ?? new Uint8Array(), new Uint8Array(8)]),
);
const LARGEST_U256 = (2n ** 256n - 1n).toString();
const zeros = (count: number) => "00".repeat(count);

const simulator = openTestSimulator();

async function causeOf(made: MadeCall) {
  const { execution, explanation } = await executeCall(simulator, made);
  expect(execution.outcome.kind).toBe("failed");
  const { cause, remedy, evidence } = explanation;
  return { kind: cause?.kind, summary: cause?.summary ?? "", remedy, evidence };
}

type Json = ReturnType<typeof JSON.parse>;
interface HostCase {
  readonly of: string;
  readonly host: HostCall["host"];
  readonly given: readonly Json[];
  readonly kind: CauseKind;
  readonly summary: RegExp;
  readonly raw?: readonly number[];
  readonly protocol?: number;
}

const HOST_CASES: readonly HostCase[] = [
  {
    of: "a vector's end",
    host: ["v", "1"],
    given: [{ vec: [{ u32: 1 }] }, { u32: 5 }],
    kind: "index-out-of-bounds",
    summary: /^Position 5 is outside .*\(host function vec_get\), in f\(\[1\], 5\) of contract/,
  },
  {
    of: "an empty vector",
    host: ["v", "8"],
    given: [{ vec: [] }],
    kind: "index-out-of-bounds",
    summary: /beyond the end .*\(host function vec_front\)/,
  },
  {
    of: "a map's missing key",
    host: ["m", "1"],
    given: [{ map: [{ key: { u32: 1 }, val: { u32: 2 } }] }, { u32: 5 }],
    kind: "map-key-missing",
    summary: /^The map \{1: 2\} has no key 5 /,
  },
  {
    of: "an overflow of 256 bits",
    host: ["i", "n"],
    given: [{ u256: LARGEST_U256 }, { u256: "1" }],
    kind: "arithmetic-overflow",
    summary: /^An integer operation on \d{78} and 1 overflowed/,
  },
  {
    of: "a value of the wrong type",
    host: ["b", "6"],
    given: [{ u32: 1 }, { u32: 5 }],
    kind: "value-type",
    summary: /a type that the host function does not accept, in f\(1, 5\)/,
  },
  {
    of: "bytes of the wrong length",
    host: ["p", "_"],
    given: [{ bytes: "00" }],
    kind: "bytes-length",
    summary: /^Bytes have the wrong length \("Unexpected size of BytesObject in prng_reseed": 1\)/,
  },
  {
    of: "a text that is not an address",
    host: ["a", "1"],
    given: [{ string: "hello" }],
    kind: "address-invalid",
    summary: /^A text is not an address \("unexpected strkey length": "hello"\)/,
  },
  {
    of: "bytes that are not a value",
    host: ["b", "0"],
    given: [{ bytes: "00" }],
    kind: "value-too-deep",
    summary: /deserialize_from_bytes/,
  },
  {
    of: "a public key of the wrong length",
    host: ["c", "0"],
    given: [{ bytes: zeros(31) }, { bytes: "00" }, { bytes: zeros(64) }],
    kind: "signature-input",
    summary: /malformed \("invalid length of ed25519 public key": 31\)/,
  },
  {
    of: "a public key that is not a point",
    host: ["c", "3"],
    given: [{ bytes: `04${zeros(64)}` }, { bytes: zeros(32) }, { bytes: zeros(64) }],
    kind: "signature-input",
    summary: /malformed \("invalid ECDSA public key"\).*verify_sig_ecdsa_secp256r1/,
  },
  {
    of: "a point off the curve",
    host: ["c", "5"],
    given: [{ bytes: zeros(96) }, { bytes: "11".repeat(96) }],
    kind: "crypto-input",
    summary: /an invalid input \("bls12-381 G1: point not on curve"\)/,
  },
  {
    of: "a threshold above the target",
    host: ["l", "8"],
    given: [{ u32: 100 }, { u32: 50 }],
    kind: "ttl-extension",
    summary: /threshold of 100 ledgers, above the target of 50 /,
  },
  {
    of: "a call of an account",
    host: ["d", "_"],
    given: [{ address: SOURCE }, { symbol: "f" }, { vec: [] }],
    kind: "not-a-contract",
    summary: /^The called address belongs to an account, not to a contract/,
  },
  {
    of: "a call of a reserved function",
    host: ["d", "_"],
    given: [{ address: "self" }, { symbol: "__check_auth" }, { vec: [] }],
    kind: "reserved-function",
    summary: /^The contract called __check_auth, which only the host/,
  },
  {
    of: "an error that only the host may return",
    host: ["x", "5"],
    given: [{ error: { budget: "exceeded_limit" } }],
    kind: "contract-action",
    summary: /^The contract failed with Error\(Budget, ExceededLimit\)/,
  },
  {
    of: "a host function of a later protocol",
    host: ["c", "m"],
    given: [{ bytes: zeros(64) }, { bytes: zeros(64) }],
    protocol: 22,
    kind: "protocol-too-old",
    summary: /^The code needs a host function of a later protocol/,
  },
  {
    of: "an import with the wrong type",
    host: ["l", "7"],
    given: [{ symbol: "k" }, { u32: 1 }, { u32: 2 }],
    kind: "wasm-invalid",
    summary: /not wasm that the host accepts \("Linker\(FuncTypeMismatch/,
  },
  {
    of: "code outside the footprint",
    host: ["l", "6"],
    given: [{ bytes: zeros(32) }],
    kind: "footprint-miss",
    summary: new RegExp(`contract code ${zeros(32)}, which is not in its footprint`),
  },
  {
    of: "instance storage without the key",
    host: ["l", "1"],
    given: [{ symbol: "k" }],
    raw: [2],
    kind: "missing-entry",
    summary: /does not exist \(host function get_contract_data\), in f\(k\)/,
  },
  {
    of: "instructions for a host function",
    host: ["p", "0"],
    given: [{ u32: 4_000_000_000 }],
    kind: "cpu-exceeded",
    summary: /used, 90,000,000 declared\. The instructions ran out in f\(4000000000\)/,
  },
];

describe("a failed host call", () => {
  for (const { of, host, given, kind, summary, raw = [], protocol = 28 } of HOST_CASES) {
    test(of, async () => {
      const call = { name: "f", host, parameters: given.length, raw };
      const { contract, entries } = contractEntries(hostCallContract([call], protocol));
      const text = JSON.stringify(given).replaceAll('"self"', JSON.stringify(contract));
      const made = { contract, function: "f", arguments: JSON.parse(text), readOnly: entries };
      const cause = await causeOf(made);
      expect(cause.kind).toBe(kind);
      expect(cause.summary).toMatch(summary);
    });
  }

  test("a storage entry that does not exist", async () => {
    const call = { name: "f", host: ["l", "1"] as const, parameters: 1, raw: [1] };
    const { contract, entries } = contractEntries(hostCallContract([call]));
    const key = { symbol: "k" };
    const absent = [{ contract_data: { contract, key, durability: "persistent" } }];
    const made = { contract, function: "f", arguments: [key], readOnly: entries, absent };
    const { kind, summary } = await causeOf(made);
    expect(kind).toBe("missing-entry");
    expect(summary).toStartWith(
      "The transaction read a contract data key that does not exist (k) in f(k)",
    );
  });

  test("a value that no call has set in an instance", async () => {
    const { snapshot } = walkOf("contract-error");
    const codes = wasmByHash(snapshot.entries.flatMap(({ entryXdr }) => entryXdr ?? []));
    const [kitchen = new Uint8Array()] = codes.values();
    const { contract, entries } = contractEntries(kitchen);
    const given = [{ symbol: "main" }, { u32: 1 }];
    const made = { contract, function: "admin_set", arguments: given, readOnly: entries };
    const { cause, remedy } = (await executeCall(simulator, made)).explanation;
    expect(cause).toMatchObject({ kind: "contract-panic", confidence: "likely" });
    expect(cause?.summary).toEndWith(
      ` looked up Admin in the instance storage of contract ${contract}, which does not have it.`,
    );
    expect(remedy).toStartWith("If the contract has to be initialized, do that first");
  });

  test("an argument that the host refuses", async () => {
    const call = { name: "f", host: ["v", "3"] as const, parameters: 1 };
    const { contract, entries } = contractEntries(hostCallContract([call]));
    const map = [
      { key: { symbol: "b" }, val: { u32: 1 } },
      { key: { symbol: "a" }, val: { u32: 2 } },
    ];
    const made = { contract, function: "f", arguments: [{ map }], readOnly: entries };
    const { kind, summary } = await causeOf(made);
    expect(kind).toBe("input-invalid");
    expect(summary).toBe(
      "The host refused argument 1 before any contract ran: the keys of a map are not in " +
        'ascending order ("a" follows "b").',
    );
  });

  test("an address that only events have", async () => {
    const call = { name: "f", host: ["v", "3"] as const, parameters: 1 };
    const { contract, entries } = contractEntries(hostCallContract([call]));
    const pool = { address: "LAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABLIR" };
    const made = { contract, function: "f", arguments: [pool], readOnly: entries };
    const { kind, summary, remedy } = await causeOf(made);
    expect(kind).toBe("input-invalid");
    expect(summary).toEndWith(" any contract ran: it has the address of a liquidity pool.");
    expect(remedy).toBe("Pass the address of an account or of a contract.");
  });

  test("a constructor that fails: what went wrong in it", async () => {
    const made = contractEntries(
      hostCallContract([{ name: "__constructor", host: ["x", "5"], parameters: 1 }]),
      2,
    );
    const deployer = contractEntries(
      hostCallContract([{ name: "make", host: ["l", "e"], parameters: 4 }]),
    );
    const code = made.entries[1];
    const hash = code?.contract_code?.hash ?? "";
    const salt = "00".repeat(32);
    const preimage = {
      contract_id: {
        network_id: networkId("Standalone Network ; February 2017").toHex(),
        contract_id_preimage: { address: { address: deployer.contract, salt } },
      },
    };
    const id = sha256(decodeBase64(madeXdr(HashIdPreimage, preimage), "preimage"));
    const instance = {
      contract: encodeStrkey("contract", id),
      key: "ledger_key_contract_instance",
      durability: "persistent",
    };
    const { kind, summary } = await causeOf({
      contract: deployer.contract,
      function: "make",
      arguments: [
        { address: deployer.contract },
        { bytes: hash },
        { bytes: salt },
        { vec: [{ error: { contract: 3 } }] },
      ],
      readOnly: [...deployer.entries, code],
      absent: [{ contract_data: instance }],
    });
    expect(kind).toBe("contract-error");
    expect(summary).toStartWith(
      `__constructor(Error(Contract, #3)) of contract ${instance.contract} failed with Error(Contract, #3), an error number of its own.`,
    );
  });

  test("a footprint miss inside a try_call is found", async () => {
    const outer = contractEntries(
      hostCallContract([{ name: "try", host: ["d", "0"], parameters: 3 }]),
    );
    const inner = contractEntries(
      hostCallContract([{ name: "has", host: ["l", "0"], parameters: 1, raw: [1] }]),
      2,
    );
    const { kind, summary } = await causeOf({
      contract: outer.contract,
      function: "try",
      arguments: [{ address: inner.contract }, { symbol: "has" }, { vec: [{ symbol: "k" }] }],
      readOnly: [...outer.entries, ...inner.entries],
    });
    expect(kind).toBe("footprint-miss");
    expect(summary).toStartWith(`The transaction accessed data k of contract ${inner.contract}`);
  });
});

describe("what the asset contract refused", () => {
  const transfer = (amount: string, more: Partial<MadeCall> = {}): MadeCall => ({
    contract: ASSET,
    function: "transfer",
    arguments: [{ address: SOURCE }, { address: OTHER }, { i128: amount }],
    readOnly: [asset()],
    readWrite: [trustline(SOURCE, "50"), trustline(OTHER, "7")],
    ...more,
  });

  test("more than the balance", async () => {
    const { kind, summary, remedy } = await causeOf(transfer("60"));
    expect(kind).toBe("token-balance");
    expect(remedy).toBe(
      `Transfer at most 0.000005 LAB, or add at least 0.000001 LAB to ${SOURCE} first.`,
    );
    expect(summary).toContain(" has 0.000005 LAB and sends 0.000006 LAB. transfer(from: ");
  });

  test("a frozen balance", async () => {
    const readWrite = [trustline(SOURCE, "50", { flags: 0 }), trustline(OTHER, "7")];
    const { kind, summary } = await causeOf(transfer("10", { readWrite }));
    expect(kind).toBe("token-frozen");
    expect(summary).toContain("The balance is frozen");
  });

  test("a limit of the trustline", async () => {
    const readWrite = [trustline(SOURCE, "50"), trustline(OTHER, "7", { limit: "10" })];
    const { kind, summary, remedy } = await causeOf(transfer("10", { readWrite }));
    expect(kind).toBe("token-balance");
    expect(remedy).toStartWith("Have the receiver raise the limit of its trustline");
    expect(summary).toContain(
      " has 0.0000007 LAB, can hold 0.000001 LAB, and would receive 0.000001 LAB. ",
    );
  });

  test("a negative amount", async () => {
    const { kind, summary } = await causeOf(transfer("-5"));
    expect(kind).toBe("token-amount");
    expect(summary).toContain("The amount -0.0000005 LAB is negative");
  });

  test("an allowance that is too small", async () => {
    const allowance = {
      vec: [
        { symbol: "Allowance" },
        {
          map: [
            { key: { symbol: "from" }, val: { address: OTHER } },
            { key: { symbol: "spender" }, val: { address: SOURCE } },
          ],
        },
      ],
    };
    const { kind, summary } = await causeOf({
      contract: ASSET,
      function: "transfer_from",
      arguments: [{ address: SOURCE }, { address: OTHER }, { address: SOURCE }, { i128: "3" }],
      readOnly: [asset()],
      readWrite: [trustline(SOURCE, "50"), trustline(OTHER, "7")],
      absent: [{ contract_data: { contract: ASSET, key: allowance, durability: "temporary" } }],
    });
    expect(kind).toBe("token-allowance");
    expect(summary).toContain("The allowance is 0 LAB, but the call spends 0.0000003 LAB");
  });

  test("an approval that has already expired", async () => {
    const { kind, summary } = await causeOf({
      contract: ASSET,
      function: "approve",
      arguments: [{ address: SOURCE }, { address: OTHER }, { i128: "3" }, { u32: 5 }],
      readOnly: [asset()],
    });
    expect(kind).toBe("token-allowance-expiration");
    expect(summary).toContain("The allowance would expire in ledger 5, but this is ledger 205");
  });

  test("a trustline that the reserve does not cover", async () => {
    const { kind } = await causeOf({
      contract: ASSET,
      function: "trust",
      arguments: [{ address: SOURCE }],
      readOnly: [asset(), account(ISSUER, "10000000")],
      readWrite: [account(SOURCE, "10000000")],
      absent: [trustlineKey(SOURCE)],
    });
    expect(kind).toBe("account-reserve");
  });

  test("an account with the maximum number of subentries", async () => {
    const { kind, summary } = await causeOf({
      contract: ASSET,
      function: "trust",
      arguments: [{ address: SOURCE }],
      readOnly: [asset(), account(ISSUER, "10000000")],
      readWrite: [account(SOURCE, "100000000000", { num_sub_entries: 1000 })],
      absent: [trustlineKey(SOURCE)],
    });
    expect(kind).toBe("account-subentries");
    expect(summary).toContain("The account has reached the maximum number of subentries");
  });

  test("a missing trustline", async () => {
    const absent = [trustlineKey(OTHER)];
    const readWrite = [trustline(SOURCE, "50")];
    const { kind, summary } = await causeOf(transfer("10", { readWrite, absent }));
    expect(kind).toBe("trustline-missing");
    expect(summary).toContain(`Account ${OTHER} has no trustline for LAB:G`);
  });

  test("a function it does not have", async () => {
    const { kind } = await causeOf(transfer("10", { function: "withdraw" }));
    expect(kind).toBe("function-missing");
  });

  test("arguments of the wrong type, or the wrong number of them", async () => {
    const of = (...given: Json[]) => causeOf(transfer("10", { arguments: given }));
    const typed = await of({ address: SOURCE }, { address: OTHER }, { u32: 3 });
    expect(typed.kind).toBe("argument-type");
    expect(typed.summary).toEndWith(": argument `amount` is not an i128.");
    const muxed = await of({ address: MUXED }, { address: OTHER }, { i128: "10" });
    expect(muxed.summary).toEndWith(": argument `from` is a muxed address, not an address.");
    expect(muxed.remedy).toBe(`Pass ${SOURCE} as \`from\`.`);
    const counted = await of({ address: SOURCE });
    expect(counted.kind).toBe("argument-count");
    expect(counted.summary).toEndWith("takes 3 arguments, but 1 was given.");
  });

  test("a muxed address for an address of a contract's own code", async () => {
    const { contract, entries } = contractEntries(ownContract("keys-s.wasm"));
    const { kind, summary, remedy } = await causeOf({
      ...{ contract, function: "signed", arguments: [{ address: MUXED }], readOnly: entries },
    });
    expect(kind).toBe("argument-type");
    expect(summary).toEndWith(": argument `from` is a muxed address, not an address.");
    expect(remedy).toBe(`Pass ${SOURCE} as \`from\`.`);
  });

  test("the issuer's account outside the footprint", async () => {
    const { kind, summary } = await causeOf({
      contract: ASSET,
      function: "trust",
      arguments: [{ address: SOURCE }],
      readOnly: [asset()],
      readWrite: [account(SOURCE, "10000000")],
      absent: [trustlineKey(SOURCE)],
    });
    expect(kind).toBe("footprint-miss");
    expect(summary).toBe(
      `The transaction accessed account ${ISSUER}, which is not in its footprint.`,
    );
  });

  test("too few declared read bytes", async () => {
    const { kind, summary } = await causeOf(
      transfer("10", { resources: { disk_read_bytes: 100 } }),
    );
    expect(kind).toBe("read-bytes-exceeded");
    expect(summary).toMatch(/^Disk read limit exceeded: \d+ bytes used, 100 declared\.$/);
  });
});

function trustlineKey(accountId: string): Json {
  const { asset: of } = trustline(accountId, "0").trustline;
  return { trustline: { account_id: accountId, asset: of } };
}
