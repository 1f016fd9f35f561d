// Finds the entry outside the footprint that an error report is about. The host reports the parts
// of its key, not the key (rs-soroban-env, storage.rs, get_args_for_error). It does not report
// whether contract data is persistent, which asset a trustline has, or the tag of an entry that
// another contract takes its executable from (CAP-85).

import { encodeStrkey } from "../../base/text/strkey.ts";
import { decodeBase64 } from "../reader/cursor.ts";
import { ENTRY_TYPE, typeOfEntryBytes } from "../reader/keys.ts";
import { SCV } from "../reader/scval-type.ts";
import { decode, decodeBytes, encode, utf8, type Value } from "../reader/value.ts";
import { codeKeys, contractDataKeys, contractInstanceKey } from "../values/value-parts.ts";
import type { ErrorReport } from "./error-reports.ts";
import { ENTRIES, messageIn } from "./host-messages.ts";

type Key = Value<"LedgerKey">;
type AccountId = Extract<Key, { type: 0 }>["account"]["accountId"];
type TrustlineAsset = Extract<Key, { type: 1 }>["trustLine"]["asset"];

/**
 * Returns the possible LedgerKeys, the most likely first. The list is empty if the report is not
 * about an entry or does not show it. `entriesXdr` are known LedgerEntries: the instance of an
 * asset contract shows its asset, and that of another contract the tag of its executable.
 * `declared` are the keys of the footprint.
 */
export function missedKeys(
  report: ErrorReport,
  entriesXdr: Iterable<string> = [],
  declared: readonly string[] = [],
): string[] {
  return keysNamed(entryOutside(report), report, entriesXdr, declared);
}

/** Returns the keys of an entry of the footprint that does not exist. */
export function absentKeys(report: ErrorReport, entriesXdr: Iterable<string> = []): string[] {
  return keysNamed(absentEntry(report), report, entriesXdr);
}

/** True if a contract's code is missing among the entries. The host does not report its hash. */
export function isOfAbsentCode(report: ErrorReport): boolean {
  return absentEntry(report) === "contract code";
}

/** In the host's words. */
function entryOutside({ message }: ErrorReport): string | undefined {
  const known = messageIn(ENTRIES, message);
  return known?.id === "outside-footprint" ? known.facts.entry : undefined;
}

function absentEntry({ message }: ErrorReport): string | undefined {
  const known = messageIn(ENTRIES, message);
  const isAbsent = known?.id === "absent" || known?.id === "instance-absent";
  return isAbsent ? known.facts.entry : undefined;
}

/** `entryType`: the entry, in the host's words. */
function keysNamed(
  entryType: string | undefined,
  report: ErrorReport,
  entriesXdr: Iterable<string>,
  declared: readonly string[] = [],
): string[] {
  const [first, second] = report.valuesXdr;
  if (entryType === undefined || first === undefined) return [];
  // A node can put anything beside the host's words.
  if (entryType !== "contract code" && !isAddress(first)) return [];
  switch (entryType) {
    case "contract instance":
      return [contractInstanceKey(first)];
    case "contract data key":
      if (second !== undefined) return contractDataKeys(first, second);
      // Without the key, the host reports only entries that it reads for itself.
      return referenceKeys(first, entriesXdr).filter((key) => !declared.includes(key));
    case "nonce":
      return second === undefined ? [] : nonceKeys(first, second);
    case "contract code":
      return codeKeys(first);
    case "account":
      return accountKeys(first);
    case "account trustline":
      return trustlineKeys(first, report.contract, entriesXdr);
    default:
      return [];
  }
}

function isAddress(scValXdr: string): boolean {
  return decodeBase64(scValXdr, "ScVal")[3] === SCV.address;
}

/** Returns the archived entry that stellar-core names (InvokeHostFunctionOpFrame.cpp), or null. */
export function archivedKey({ message, valuesXdr }: ErrorReport): string | null {
  const entryType = messageIn(ENTRIES, message)?.facts.type;
  const [first, second] = valuesXdr;
  if (entryType === undefined || first === undefined) return null;
  if (entryType === "code") return codeKeys(first)[0] ?? null;
  if (second === undefined || !isAddress(first)) return null;
  return contractDataKeys(first, second)[0] ?? null;
}

/**
 * Returns the keys of entries of that contract from which known contracts take their executable.
 */
function referenceKeys(addressXdr: string, entriesXdr: Iterable<string>): string[] {
  const keys = [...entriesXdr].flatMap((entryXdr) => {
    const { executable } = instanceOf(entryXdr)?.instance ?? {};
    if (executable?.type !== EXTERNAL_REFERENCE) return [];
    const { executableOwner: address, tag } = executable.externalRef;
    if (encode("ScVal", { type: SCV.address, address }) !== addressXdr) return [];
    const key = encode("ScVal", { type: SCV.executableTag, executableTag: tag });
    return contractDataKeys(addressXdr, key).slice(0, 1);
  });
  return [...new Set(keys)];
}

/** The ContractExecutableType of a reference. */
const EXTERNAL_REFERENCE = 2;

function nonceKeys(addressXdr: string, nonceXdr: string): string[] {
  const nonce = decode("ScVal", nonceXdr);
  if (nonce.type !== SCV.i64) return [];
  const key = encode("ScVal", { type: SCV.nonceKey, nonceKey: { nonce: nonce.i64 } });
  const [, temporary = ""] = contractDataKeys(addressXdr, key);
  return [temporary];
}

function accountKeys(addressXdr: string): string[] {
  const accountId = accountOf(addressXdr);
  return accountId === null
    ? []
    : [encode("LedgerKey", { type: ENTRY_TYPE.account, account: { accountId } })];
}

function trustlineKeys(
  addressXdr: string,
  contract: string | null,
  entriesXdr: Iterable<string>,
): string[] {
  const accountId = accountOf(addressXdr);
  if (accountId === null || contract === null) return [];
  for (const entryXdr of entriesXdr) {
    const asset = assetOf(entryXdr, contract);
    if (asset === null) continue;
    return [encode("LedgerKey", { type: ENTRY_TYPE.trustline, trustLine: { accountId, asset } })];
  }
  return [];
}

function accountOf(addressXdr: string): AccountId | null {
  const value = decode("ScVal", addressXdr);
  return value.type === SCV.address && value.address.type === 0 ? value.address.accountId : null;
}

/**
 * Returns the asset in a contract's storage (asset_info.rs): `AlphaNum4` or `AlphaNum12`, code,
 * issuer.
 */
function assetOf(entryXdr: string, contract: string): TrustlineAsset | null {
  const contractInstance = instanceOf(entryXdr);
  if (
    contractInstance === null ||
    encodeStrkey("contract", contractInstance.contractId) !== contract
  )
    return null;
  const info = contractInstance.instance.storage?.find((each) =>
    isVecOf(each.key, "AssetInfo"),
  )?.val;
  if (info?.type !== SCV.vec || info.vec === null) return null;
  const [kind, fields] = info.vec;
  if (fields?.type !== SCV.map) return null;
  const field = (name: string) => fields.map?.find((each) => symbolIs(each.key, name))?.val;
  const [code, issuer] = [field("asset_code"), field("issuer")];
  if (code?.type !== SCV.string || issuer?.type !== SCV.bytes) return null;
  const padded = (size: number) => Uint8Array.from({ length: size }, (_, i) => code.str[i] ?? 0);
  const issuerId = { type: 0 as const, ed25519: issuer.bytes };
  if (symbolIs(kind, "AlphaNum4"))
    return { type: 1, alphaNum4: { assetCode: padded(4), issuer: issuerId } };
  return { type: 2, alphaNum12: { assetCode: padded(12), issuer: issuerId } };
}

function instanceOf(entryXdr: string) {
  const bytes = decodeBase64(entryXdr, "LedgerEntry");
  if (typeOfEntryBytes(bytes) !== ENTRY_TYPE.contractData) return null;
  const { data } = decodeBytes("LedgerEntry", bytes);
  if (data.type !== ENTRY_TYPE.contractData) return null;
  const { contract: address, key, val } = data.contractData;
  if (key.type !== SCV.instanceKey || val.type !== SCV.instance || address.type !== 1) return null;
  return { contractId: address.contractId, instance: val.instance };
}

function isVecOf(value: Value<"ScVal">, name: string): boolean {
  return value.type === SCV.vec && symbolIs(value.vec?.[0], name);
}

function symbolIs(value: Value<"ScVal"> | undefined, name: string): boolean {
  return value?.type === SCV.symbol && utf8(value.sym) === name;
}
