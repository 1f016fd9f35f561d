// Lies of a node: each takes its honest answer, and changes what a node could change unnoticed.

import * as xdr from "@stellar/stellar-sdk/xdr";

type Json = Record<string, unknown>;
type Codec = {
  fromXdr(text: string, format: "base64"): { toJson(): unknown };
  fromJson(json: never): { toXdr(format: "base64"): string };
};

/** `method`: of the JSON-RPC call; null: Horizon. */
export type Lie = (result: Json, method: string | null, argument: string) => void;

export const LIES: Readonly<Record<string, Lie>> = {
  /** The state before of the first entry that the transaction changed. */
  "changed-meta": ofMetas((meta) => {
    const changes = (meta.operations as Json[])[0]?.changes as Json[];
    const state = changes?.find((change) => "state" in change)?.state as Json | undefined;
    if (state !== undefined) state.last_modified_ledger_seq = 1;
  }),
  "no-diagnostics": (result, method) => {
    delete result.diagnosticEventsXdr;
    ofMetas((meta) => {
      meta.diagnostic_events = [];
    })(result, method, "");
    ofLedgers((ledger) => {
      for (const each of ledger.tx_processing as Json[])
        bodyOf(each.tx_apply_processing as Json).diagnostic_events = [];
    })(result, method, "");
  },
  /** `last-modified=N` for all entries. */
  "last-modified": (result, method, argument) => {
    if (method !== "getLedgerEntries") return;
    for (const entry of result.entries as Json[])
      if (!("config_setting" in decode(xdr.LedgerEntryData, entry.xdr)))
        entry.lastModifiedLedgerSeq = Number(argument);
  },
  /** An instance of the asset contract in place of one with code. */
  "other-instance": ofEntries((data) => {
    const value = (data.contract_data as Json | undefined)?.val as Json | undefined;
    const instance = value?.contract_instance as Json | undefined;
    if (instance !== undefined) instance.executable = "stellar_asset";
    return instance !== undefined;
  }),
  "no-instance-storage": ofEntries((data) => {
    const value = (data.contract_data as Json | undefined)?.val as Json | undefined;
    const instance = value?.contract_instance as Json | undefined;
    if (instance !== undefined) instance.storage = null;
    return instance !== undefined;
  }),
  "compute-limits": ofEntries((data) => {
    const compute = (data.config_setting as Json | undefined)?.contract_compute_v0 as Json;
    if (compute === undefined) return false;
    compute.tx_max_instructions = "400000001";
    compute.tx_memory_limit = 99_999_999;
    return true;
  }),
  "fee-rates": ofEntries((data) => {
    const cost = (data.config_setting as Json | undefined)?.contract_ledger_cost_v0 as Json;
    if (cost === undefined) return false;
    cost.fee_disk_read_ledger_entry = "1";
    return true;
  }),
  /** Every instruction that the host counts for itself costs more. */
  "cost-parameters": ofEntries((data) => {
    const setting = data.config_setting as Json | undefined;
    const costs = setting?.contract_cost_params_cpu_instructions as Json[] | undefined;
    if (costs === undefined) return false;
    for (const each of costs)
      each.const_term = String(BigInt(each.const_term as string) + 900_000n);
    return true;
  }),
  /** More fee, in the result and in the meta alike; nothing of the fee phase. */
  "forged-fees": (result, method) => {
    const [field, metaField] =
      method === null ? ["result_xdr", "result_meta_xdr"] : ["resultXdr", "resultMetaXdr"];
    if (method !== null && method !== "getTransaction") return;
    rewrite(xdr.TransactionResult, result, field, (json) => {
      json.fee_charged = more(json.fee_charged);
    });
    rewrite(xdr.TransactionMeta, result, metaField, (json) => raiseFee(bodyOf(json)));
    if (method === null) result.fee_meta_xdr = "";
  },
  /** The same in whole ledgers. */
  "forged-ledgers": ofLedgers((ledger) => {
    for (const each of ledger.tx_processing as Json[]) {
      const pair = each.result as { result: Json };
      pair.result.fee_charged = more(pair.result.fee_charged);
      raiseFee(bodyOf(each.tx_apply_processing as Json));
    }
  }),
  /** `flip=METHOD.FIELD.N`: one bit of one such field, or its number one higher; `horizon` is a method. */
  flip: (result, method, argument) => {
    const [asked, field = "", at = ""] = argument.split(".");
    if ((method ?? "horizon") !== asked) return;
    const holders = holdersOf(result, field);
    const holder = holders[Number(at) % Math.max(1, holders.length)];
    if (holder === undefined) return;
    if (typeof holder[field] === "number") holder[field] += 1;
    else holder[field] = flipped(String(holder[field]), Number(at));
  },
};

/** Objects that have a value there, depth first. */
function holdersOf(value: unknown, field: string): Json[] {
  if (typeof value !== "object" || value === null) return [];
  const within = Object.values(value).flatMap((each) => holdersOf(each, field));
  const own = (value as Json)[field];
  return own === undefined || own === null || own === "" ? within : [value as Json, ...within];
}

function flipped(base64: string, at: number): string {
  const bytes = Buffer.from(base64, "base64");
  const place = at % (bytes.length * 8);
  const byte = place >> 3;
  bytes[byte] = (bytes[byte] ?? 0) ^ (1 << (place & 7));
  return bytes.toString("base64");
}

function more(stroops: unknown): string {
  return String(BigInt(String(stroops)) + 1_000n);
}

function raiseFee(meta: Json): void {
  const parts = (meta.soroban_meta as { ext?: { v1?: Json } } | null)?.ext?.v1;
  if (parts === undefined) return;
  const name = "total_non_refundable_resource_fee_charged";
  parts[name] = more(parts[name]);
}

function ofEntries(change: (data: Json) => boolean): Lie {
  return (result, method) => {
    if (method !== "getLedgerEntries") return;
    for (const entry of result.entries as Json[]) {
      const data = decode(xdr.LedgerEntryData, entry.xdr);
      if (change(data)) entry.xdr = encode(xdr.LedgerEntryData, data);
    }
  };
}

function ofMetas(change: (meta: Json) => void): Lie {
  return (result, method) => {
    if (method !== null && method !== "getTransaction") return;
    const field = method === null ? "result_meta_xdr" : "resultMetaXdr";
    rewrite(xdr.TransactionMeta, result, field, (json) => change(bodyOf(json)));
  };
}

function ofLedgers(change: (ledger: Json) => void): Lie {
  return (result, method) => {
    if (method !== "getLedgers") return;
    for (const ledger of result.ledgers as Json[])
      rewrite(xdr.LedgerCloseMeta, ledger, "metadataXdr", (json) => change(bodyOf(json)));
  };
}

/** The one arm of a union. */
function bodyOf(union: Json): Json {
  return Object.values(union)[0] as Json;
}

function rewrite(codec: Codec, object: Json, field: string, change: (json: Json) => void): void {
  if (typeof object[field] !== "string") return;
  const json = decode(codec, object[field]);
  change(json);
  object[field] = encode(codec, json);
}

function decode(codec: Codec, text: unknown): Json {
  return codec.fromXdr(String(text), "base64").toJson() as Json;
}

function encode(codec: Codec, json: Json): string {
  return codec.fromJson(json as never).toXdr("base64");
}
