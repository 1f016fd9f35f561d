// Rules of what an envelope declares for the contract host: footprint, resources and resource fee
// (stellar-core: TransactionFrame::checkSorobanResources, validateSorobanResources before protocol
// 23, and doCheckValid of the three operations).

import { base64Length, compareBytes, latin1Text } from "../../base/bytes.ts";
import { grouped, stroopsInWords } from "../../base/text/grouped.ts";
import { HOST_FUNCTION } from "../../xdr/envelope/host-function.ts";
import { exceededLimits } from "../../xdr/ledger/exceeded-limits.ts";
import { ENTRY_TYPE, isSorobanKey, isTemporaryKey, typeOfKey } from "../../xdr/reader/keys.ts";
import { decode, type Value } from "../../xdr/reader/value.ts";
import { describeKey } from "../../xdr/values/value.ts";
import { type Checked, functionsOf, type Rule } from "./rule.ts";

const DECLARE =
  "Declare the footprint, the resources and the fee of a simulation, and sign it again.";
const MOST_RESOURCE_FEE_STROOPS = 2n ** 50n;

/** XDRProvidesValidFee, which comes before all else. */
export const FEE_FORM: readonly Rule[] = [
  {
    code: "txMalformed",
    remedy: DECLARE,
    finds: ({ isSoroban, data }) =>
      isSoroban && data === null && "The transaction does not declare its resources yet.",
  },
  {
    code: "txMalformed",
    subject: "declared",
    remedy: DECLARE,
    finds: ({ isSoroban, data }) =>
      isSoroban &&
      data !== null &&
      (data.resourceFee < 0n || data.resourceFee > MOST_RESOURCE_FEE_STROOPS) &&
      `The resource fee is ${data.resourceFee} stroops; the allowed range is 0 to ` +
        `${stroopsInWords(MOST_RESOURCE_FEE_STROOPS)}.`,
  },
  {
    code: "txMalformed",
    subject: "fee",
    remedy: "Bid a higher fee.",
    finds: ({ envelope }) => BigInt(envelope.feeBidStroops) < 0n && "The fee bid is below 0.",
  },
];

export const DECLARED: readonly Rule[] = [
  declared(({ envelope: { soroban, terms }, limits, ledger }) => {
    if (soroban === null) return null;
    const [over] = exceededLimits(soroban, terms.sizeBytes, limits, ledger.protocolVersion);
    return over !== undefined && `The transaction declares ${over}.`;
  }),
  keyRule(
    (key) => !FOOTPRINT_TYPES.has(typeOfKey(key)),
    (key) => `The footprint has ${key}, and the contract host has no entries of that type.`,
  ),
  keyRule(isNoTrustline, (key) => `The footprint has ${key}, and no such trustline can exist.`),
  keyRule(
    (key, { limits: { keyBytes } }) => keyBytes !== undefined && sizeOf(key) > Number(keyBytes),
    (key, { limits: { keyBytes = "" } }, keyXdr) =>
      `The footprint has a key of ${sizeOf(keyXdr)} bytes, and the network allows ` +
      `${grouped(keyBytes)}: ${key}.`,
    "Use a shorter key in the contract.",
  ),
  {
    ...declared(
      ({ isSoroban, data }) =>
        isSoroban &&
        data?.ext.v === 1 &&
        "The transaction declares archived entries, which only protocol 23 and later know.",
    ),
    until: 22,
  },
  declared(({ envelope: { soroban } }) => {
    const indexes = soroban?.archivedEntryIndexes ?? [];
    const isAscending = indexes.every((index, i) => i === 0 || index > (indexes[i - 1] ?? 0));
    return !isAscending && "The indexes of archived entries are not in ascending order.";
  }),
  declared(({ envelope: { soroban } }) => {
    const { archivedEntryIndexes: indexes, footprint } = soroban ?? {};
    const count = footprint?.readWrite.length ?? 0;
    const beyond = indexes?.find((index) => index >= count);
    return (
      beyond !== undefined &&
      `The index ${beyond} of an archived entry is out of bounds: the footprint has ${count} ` +
        "read-write entries."
    );
  }),
  declared(({ envelope: { soroban } }) => {
    const written = soroban?.footprint.readWrite ?? [];
    const marked = soroban?.archivedEntryIndexes.flatMap((index) => written[index] ?? []);
    const other = marked?.find((key) => !isPersistent(key));
    return other && `${describeKey(other)} is declared as archived, and it is not persistent.`;
  }),
  {
    // From protocol 23, a fee-bump may pay what the inner transaction does not.
    code: "txSorobanInvalid",
    subject: "fee",
    remedy: "Bid a higher fee.",
    finds: ({ envelope: { terms, isFeeBump }, ledger, isSoroban, data }) =>
      isSoroban &&
      data !== null &&
      !(isFeeBump && ledger.protocolVersion >= 23) &&
      data.resourceFee > terms.feeStroops &&
      `The resource fee is ${stroopsInWords(data.resourceFee)}, and the whole fee is ` +
        `${stroopsInWords(terms.feeStroops)}.`,
  },
  declared(
    ({ isSoroban, data, resourceCostStroops: cost }) =>
      isSoroban &&
      data !== null &&
      cost !== undefined &&
      data.resourceFee < cost &&
      `The declared resources cost ${stroopsInWords(cost)}, and the resource fee ` +
        `is ${grouped(data.resourceFee)}.`,
  ),
  declared((facts) => {
    const keys = keysOf(facts);
    const twice = keys.find((key, i) => keys.indexOf(key) !== i);
    return twice && `The footprint has a key twice: ${describeKey(twice)}.`;
  }),
];

/** doCheckValid of the three operations. */
export const OPERATION_FORM: readonly Rule[] = [
  {
    code: "txFailed",
    subject: "form",
    finds: ({ envelope, limits: { codeBytes } }) =>
      functionsOf(envelope).flatMap((called) =>
        called.type === HOST_FUNCTION.uploadWasm &&
        codeBytes !== undefined &&
        called.wasm.length > Number(codeBytes)
          ? `The code has ${grouped(called.wasm.length)} bytes; the network allows ` +
            `${grouped(codeBytes)}.`
          : [],
      ),
    remedy: "Make the code smaller.",
  },
  {
    code: "txFailed",
    subject: "form",
    finds: ({ envelope }) =>
      functionsOf(envelope).some(
        (called) =>
          called.type === HOST_FUNCTION.createContract &&
          called.createContract.contractIdPreimage.type === 1 &&
          !isValidAsset(called.createContract.contractIdPreimage.fromAsset),
      ) && "The asset of the contract to create has an invalid code.",
    remedy: "Use an asset code of 1 to 12 letters and digits.",
  },
  ofOperation("extendFootprintTtl", ({ footprint }) =>
    footprint.readWrite.length > 0
      ? "An operation that extends TTLs has read-write entries in the footprint."
      : null,
  ),
  ofOperation("extendFootprintTtl", ({ footprint }) => {
    const other = footprint.readOnly.find((key) => !isSorobanKey(key));
    return other && `${describeKey(other)} has no TTL that can be extended.`;
  }),
  ofOperation("extendFootprintTtl", (_, { operations, limits: { entryTtl } }) => {
    const [body] = operations.map((operation) => operation.body);
    if (body?.type !== EXTEND || entryTtl === undefined) return null;
    const { extendTo } = body.extendFootprintTtlOp;
    const most = Number(entryTtl) - 1;
    return (
      extendTo > most &&
      `The TTL is to be extended to ${grouped(extendTo)} ledgers; the network allows ` +
        `${grouped(most)}.`
    );
  }),
  ofOperation("restoreFootprint", ({ footprint }) =>
    footprint.readOnly.length > 0
      ? "An operation that restores entries has read-only entries in the footprint."
      : null,
  ),
  ofOperation("restoreFootprint", ({ footprint }) => {
    const other = footprint.readWrite.find((key) => !isPersistent(key));
    return other && `${describeKey(other)} cannot be restored: it is not a persistent entry.`;
  }),
];

const EXTEND = 25;
const FOOTPRINT_TYPES: ReadonlySet<number> = new Set([
  ENTRY_TYPE.account,
  ENTRY_TYPE.trustline,
  ENTRY_TYPE.contractData,
  ENTRY_TYPE.contractCode,
]);

function declared(finds: Rule["finds"]): Rule {
  return { code: "txSorobanInvalid", subject: "declared", finds, remedy: DECLARE };
}

function keyRule(
  isBroken: (keyXdr: string, facts: Checked) => boolean,
  words: (key: string, facts: Checked, keyXdr: string) => string,
  remedy = DECLARE,
): Rule {
  const rule = declared((facts) => {
    const brokenKey = keysOf(facts).find((key) => isBroken(key, facts));
    return brokenKey && words(describeKey(brokenKey), facts, brokenKey);
  });
  return { ...rule, remedy };
}

function ofOperation(
  kind: "extendFootprintTtl" | "restoreFootprint",
  finds: (
    soroban: NonNullable<Checked["envelope"]["soroban"]>,
    facts: Checked,
  ) => string | false | null | undefined,
): Rule {
  return {
    code: `${kind}Malformed`,
    subject: "declared",
    remedy: DECLARE,
    finds: (facts) => {
      const { soroban, operationKinds } = facts.envelope;
      return operationKinds[0] === kind && soroban !== null && finds(soroban, facts);
    },
  };
}

function keysOf({ envelope: { soroban } }: Checked): readonly string[] {
  return soroban === null ? [] : [...soroban.footprint.readOnly, ...soroban.footprint.readWrite];
}

function sizeOf(keyXdr: string): number {
  return base64Length(keyXdr);
}

function isPersistent(keyXdr: string): boolean {
  return isSorobanKey(keyXdr) && !isTemporaryKey(keyXdr);
}

/** The trustline is for XLM, for an asset with an invalid code, or of the asset's own issuer. */
function isNoTrustline(keyXdr: string): boolean {
  if (typeOfKey(keyXdr) !== ENTRY_TYPE.trustline) return false;
  const key = decode("LedgerKey", keyXdr);
  if (key.type !== ENTRY_TYPE.trustline) return false;
  const { accountId, asset } = key.trustLine;
  if (asset.type === 0) return true;
  if (asset.type === 3) return false;
  const { issuer } = asset.type === 1 ? asset.alphaNum4 : asset.alphaNum12;
  return !isValidAsset(asset) || compareBytes(issuer.ed25519, accountId.ed25519) === 0;
}

/** stellar-core: isAssetValid. */
export function isValidAsset(asset: Exclude<Value<"TrustLineAsset">, { type: 3 }>): boolean {
  if (asset.type === 0) return true;
  const { assetCode } = asset.type === 1 ? asset.alphaNum4 : asset.alphaNum12;
  const code = latin1Text(assetCode).replace(/\0+$/, "");
  return asset.type === 1 ? /^[a-zA-Z0-9]{1,4}$/.test(code) : /^[a-zA-Z0-9]{5,12}$/.test(code);
}
