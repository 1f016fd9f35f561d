// The cheats: what a fork can do and no network would, each with its parameters. Names from other
// tools keep their meaning.

import * as v from "valibot";
import { SvcError } from "../../base/errors/errors.ts";
import { flag, phrase } from "../../base/phrase.ts";
import { addressHint, isAccountAddress, isContractAddress } from "../../base/text/strkey.ts";
import { uint32 } from "../../base/wire.ts";
import type { RpcMethod } from "../../http-server/services.ts";
import { earliestNextIn, millisecondsOf, secondOf } from "../../xdr/ledger/close-time.ts";
import { contractDataEntry } from "../../xdr/ledger/patch-entry.ts";
import { NotWritten } from "../../xdr/reader/from-json.ts";
import { ENTRY_TYPE, keyOfEntry, typeOfKey } from "../../xdr/reader/keys.ts";
import { readWritten, type WrittenType } from "../../xdr/reader/written.ts";
import { keyFlawOf } from "../../xdr/values/scval-validity.ts";
import { contractDataKeys } from "../../xdr/values/value-parts.ts";
import { MOST_FILE_BYTES } from "../base/saved-fork.ts";
import { applyNetworkLedgers } from "../follow-ledgers.ts";
import type { ForkTip, Impersonated } from "../ledger/chain.ts";
import { checkKey } from "../rpc/ledger-entries.ts";
import { inJson } from "../rpc/methods.ts";
import { readParameters, refusal } from "../rpc/refusal.ts";
import { type CheatContext, etch, putCode, setBalance } from "./entries.ts";
import { Transfers } from "./transfers.ts";

export interface CheatOptions extends Pick<CheatContext, "fork" | "simulation"> {
  /** The fork as a file. */
  readonly dump: () => Iterable<string>;
  /** Replaces the base by another one. */
  readonly reset: (choice: ResetChoice, signal: AbortSignal) => Promise<void>;
  readonly load: (content: string) => Promise<void>;
  /** The state as soroban-sdk reads it: a LedgerSnapshot. */
  readonly sdkSnapshot: (keysXdr: readonly string[] | null, signal: AbortSignal) => Promise<object>;
}

export interface ResetChoice {
  /** Null for the state at the beginning. */
  readonly ledger: number | null;
  readonly before: string | null;
}

/** If more ledgers are closed, they are skipped in one step. */
const CLOSED_ONE_BY_ONE = 20;
const USUAL_SECONDS = 5n;
/** The largest ledger that fits into a cursor. */
const LAST_LEDGER = 0x7fff_ffff;
/** The end of the year 9999, because dates have four digits for the year. */
const LAST_SECOND = 253_402_300_799n;

const ledgers = v.pipe(uint32, v.minValue(1));
const amount = v.pipe(
  v.union([
    v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    v.pipe(v.string(), v.regex(/^\d{1,39}$/)),
  ]),
  v.transform((written) => BigInt(written)),
);
const seconds = v.pipe(
  v.union([
    v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
    v.pipe(v.string(), v.regex(/^\d{1,18}$/)),
  ]),
  v.transform((written) => BigInt(written)),
);
const account = v.pipe(
  v.string(),
  v.check(isAccountAddress, ({ input }) => `must be an account, G…${addressHint(input)}`),
);
const contract = v.pipe(
  v.string(),
  v.check(isContractAddress, ({ input }) => `must be a contract, C…${addressHint(input)}`),
);
/** valibot's own check of base64 takes most of a second for a piece of a saved fork. */
const bytes = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return Uint8Array.fromBase64(dataset.value);
    } catch {
      addIssue({ message: "must be base64" });
      return NEVER;
    }
  }),
);
const liveUntil = v.nullish(uint32, null);
const assetCode = v.object({
  code: v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{1,12}$/)),
  issuer: account,
});
const asset = v.nullish(
  v.union([
    v.pipe(
      assetCode,
      v.transform(({ code, issuer }) => `${code}:${issuer}`),
    ),
    v.pipe(
      v.object({ contract }),
      v.transform(({ contract: address }) => address),
    ),
    v.pipe(
      v.string(),
      v.check((written) => {
        const issuer = /^[A-Za-z0-9]{1,12}:(.*)$/.exec(written)?.[1];
        return written === "native" || isAccountAddress(issuer ?? "") || isContractAddress(written);
      }, "must be native, CODE:ISSUER or a contract"),
    ),
  ]),
  "native",
);

export function cheatMethods(options: CheatOptions): Record<string, RpcMethod> {
  return inJson({
    ...stateCheats(options),
    ...timeCheats(options),
    ...authorizationCheats(options),
    ...wholeCheats(options),
  });
}

/** The prefix of every cheat's name. */
const CHEAT = "fork_";

/** The error of a cheat on a fork that allows none; null for every other method. */
export function cheatRefused(method: string): SvcError | null {
  if (!method.startsWith(CHEAT)) return null;
  return new SvcError("REQUEST_INVALID", {
    message: phrase`Methods that begin with ${CHEAT} are cheats. This fork allows none, because other machines can reach it: they need ${flag("cheats")}.`,
    // Whoever calls a fork has usually started it.
    httpMessage: `Methods that begin with ${CHEAT} are cheats. This fork allows none, because other machines can reach it: they need \`--cheats\` of \`svc fork\`.`,
    remedy: phrase`Start the fork with ${flag("cheats")}, or with a ${flag("host")} that only this machine can reach.`,
    httpRemedy:
      "Start the fork with `--cheats`, or with a `--host` that only this machine can reach.",
  });
}

type Cheats = Parameters<typeof inJson>[0];

/** The current ledger and time of the fork. */
function done({ fork }: Pick<CheatOptions, "fork">, more: object = {}) {
  const { sequence, closeTimeUnixSeconds } = fork.chain.latest;
  return { ok: true, ...more, latestLedger: sequence, latestLedgerCloseTime: closeTimeUnixSeconds };
}

function stateCheats(options: CheatOptions): Cheats {
  const { fork } = options;
  const context = (signal: AbortSignal): CheatContext => ({ ...options, signal });
  return {
    async fork_setLedgerEntry(parameters, { signal }) {
      const request = readParameters(ENTRY, parameters);
      const entryXdr =
        request.entry == null ? null : written("LedgerEntry", "entry", request.entry);
      const keyXdr =
        request.key == null
          ? entryXdr && keyOfEntry(entryXdr)
          : written("LedgerKey", "key", request.key);
      if (keyXdr === null) throw refusal("key or entry is missing");
      refuseFlawed(keyXdr);
      if (entryXdr !== null && keyOfEntry(entryXdr) !== keyXdr)
        throw refusal("the entry has another key");
      if (entryXdr === null && NEVER_REMOVED.has(typeOfKey(keyXdr)))
        throw refusal("a setting or a TTL cannot be removed");
      const until = request.liveUntilLedgerSeq;
      const entry = { keyXdr, entryXdr, ...(until !== null && { liveUntilLedger: until }) };
      await fork.write([{ ...entry, ...(request.archived && { archived: true }) }], { signal });
      return done(options);
    },
    async fork_setStorage(parameters, { signal }) {
      const request = readParameters(STORAGE, parameters);
      const address = written("ScVal", "contract", { address: request.contract });
      const keys = contractDataKeys(address, written("ScVal", "key", request.key));
      const keyXdr = keys[request.durability === "temporary" ? 1 : 0] as string;
      refuseFlawed(keyXdr);
      const entryXdr =
        request.value == null
          ? null
          : contractDataEntry(keyXdr, written("ScVal", "value", request.value), 0);
      const until = request.liveUntilLedgerSeq;
      const entry = { keyXdr, entryXdr, ...(until !== null && { liveUntilLedger: until }) };
      await fork.write([entry], { signal });
      return done(options);
    },
    async fork_setCode(parameters, { signal }) {
      const request = readParameters(CODE, parameters);
      return done(options, {
        hash: await putCode(context(signal), request.wasm, request.liveUntilLedgerSeq),
      });
    },
    async fork_etch(parameters, { signal }) {
      const request = readParameters(ETCH, parameters);
      const { liveUntilLedgerSeq: until } = request;
      return done(options, {
        hash: await etch(context(signal), request.contract, request.wasm, until),
      });
    },
    async fork_setBalance(parameters, { signal }) {
      const request = readParameters(BALANCE, parameters);
      const { account: holder, amount: held, asset: of } = request;
      const warning = await setBalance(context(signal), holder, held, of);
      return done(options, warning === null ? {} : { warning });
    },
  };
}

function timeCheats(options: CheatOptions): Cheats {
  const { fork } = options;
  return {
    async fork_closeLedgers(parameters, { signal }) {
      const request = readParameters(CLOSE, parameters);
      const { ledgers: count, timestampAdvanceSeconds: advance } = request;
      const { sequence } = fork.chain.latest;
      const begin = fork.nextCloseTime;
      const passing = millisecondsOf(advance ?? BigInt(count - 1) * USUAL_SECONDS);
      checkReach(sequence + count, begin + passing);
      const steps =
        count > CLOSED_ONE_BY_ONE ? [count] : Array.from({ length: count }, (_, i) => i + 1);
      for (const step of steps) {
        const isLast = step === count;
        fork.nextCloseTime =
          begin + (isLast ? passing : (passing * BigInt(step - 1)) / BigInt(count));
        await fork.close({ signal }, { sequence: sequence + step });
      }
      return done(options);
    },
    async fork_warp(parameters, { signal }) {
      const request = readParameters(WARP, parameters);
      const { latest } = fork.chain;
      const time =
        request.toUnixSeconds === null
          ? fork.nextCloseTime + millisecondsOf(request.seconds ?? 0n)
          : firstIn(request.toUnixSeconds, latest);
      if (request.toLedger !== null && request.toLedger <= latest.sequence)
        throw refusal(`ledger ${latest.sequence} has closed already`);
      checkReach(request.toLedger ?? latest.sequence + 1, time);
      fork.nextCloseTime = time;
      await fork.close({ signal }, request.toLedger === null ? {} : { sequence: request.toLedger });
      return done(options);
    },
    fork_snapshot: () => fork.exclusively(() => fork.remember()),
    async fork_revert(parameters) {
      const { id } = readParameters(REVERT, parameters);
      const isThere = await fork.exclusively(() => fork.returnTo(id));
      if (!isThere) throw refusal(`there is no snapshot ${id}`);
      return done(options);
    },
  };
}

/**
 * The earliest close time of a ledger in that second. Throws REQUEST_INVALID if the second has
 * passed.
 */
function firstIn(unixSeconds: bigint, latest: ForkTip): bigint {
  const closesAt = earliestNextIn(unixSeconds, latest);
  if (closesAt === null) throw refusal(`ledger ${latest.sequence} has closed later than that`);
  return closesAt;
}

/** Throws REQUEST_INVALID if later ledgers could not be reported, or could not close at all. */
function checkReach(sequence: number, closeTimeUnixMilliseconds: bigint): void {
  if (sequence > LAST_LEDGER) throw refusal(`a fork ends at ledger ${LAST_LEDGER}`);
  if (secondOf(closeTimeUnixMilliseconds) > LAST_SECOND)
    throw refusal(`a fork ends at ${LAST_SECOND}, in the year 9999`);
}

function authorizationCheats(options: CheatOptions): Cheats {
  const { fork } = options;
  return {
    async fork_impersonate(parameters) {
      const { accounts } = readParameters(IMPERSONATE, parameters);
      const all: Impersonated =
        accounts === "all" || fork.impersonated === "all"
          ? "all"
          : new Set([...fork.impersonated, ...accounts]);
      await fork.exclusively(() => {
        fork.impersonated = all;
      });
      return done(options);
    },
    async fork_stopImpersonating(parameters) {
      const { accounts } = readParameters(STOP, parameters);
      await fork.exclusively(() => {
        const before = fork.impersonated === "all" ? [] : [...fork.impersonated];
        fork.impersonated = new Set(before.filter((each) => accounts?.includes(each) === false));
      });
      return done(options);
    },
  };
}

/** Cheats with the fork as a whole, and with its network. */
function wholeCheats(options: CheatOptions): Cheats {
  const { fork } = options;
  const transfers = new Transfers(MOST_FILE_BYTES);
  return {
    async fork_reset(parameters, { signal }) {
      await options.reset(readParameters(RESET, parameters), signal);
      return done(options);
    },
    async fork_followLedgers(parameters, { signal }) {
      const { ledgers: metas } = readParameters(FOLLOW, parameters);
      const transactions = await applyNetworkLedgers(fork, metas, { signal });
      return done(options, { followed: fork.followed, transactions });
    },
    fork_dump: (parameters) => {
      const { inPieces } = readParameters(DUMP, parameters);
      return fork.exclusively(() =>
        inPieces ? transfers.begin(options.dump()) : [...options.dump()].join(""),
      );
    },
    fork_readPiece(parameters) {
      const { id, piece } = readParameters(READ_PIECE, parameters);
      return transfers.piece(id, piece).toBase64();
    },
    fork_writePiece(parameters) {
      const { id, piece } = readParameters(WRITE_PIECE, parameters);
      return { id: transfers.add(id, piece) };
    },
    async fork_load(parameters) {
      const { state, id } = readParameters(LOAD, parameters);
      const text = typeof state === "string" ? state : JSON.stringify(state);
      await options.load(id === null ? text : transfers.take(id));
      return done(options);
    },
    fork_sdkSnapshot: (parameters, { signal }) => {
      const { keys } = readParameters(SNAPSHOT, parameters);
      keys?.forEach(checkKey);
      return options.sdkSnapshot(keys, signal);
    },
  };
}

const NEVER_REMOVED = new Set<number>([ENTRY_TYPE.configSetting, ENTRY_TYPE.ttl]);
const ENTRY = v.strictObject({
  key: v.nullish(v.unknown()),
  entry: v.nullish(v.unknown()),
  liveUntilLedgerSeq: liveUntil,
  archived: v.nullish(v.boolean(), false),
});
const STORAGE = v.strictObject({
  contract,
  key: v.unknown(),
  value: v.nullish(v.unknown()),
  durability: v.nullish(v.picklist(["persistent", "temporary"]), "persistent"),
  liveUntilLedgerSeq: liveUntil,
});
const CODE = v.strictObject({ wasm: bytes, liveUntilLedgerSeq: liveUntil });
const ETCH = v.strictObject({ contract, wasm: bytes, liveUntilLedgerSeq: liveUntil });
const BALANCE = v.strictObject({ account: v.string(), amount, asset });
const CLOSE = v.strictObject({
  ledgers: v.nullish(ledgers, 1),
  timestampAdvanceSeconds: v.nullish(seconds),
});
const WARP = v.strictObject({
  seconds: v.nullish(seconds, null),
  toUnixSeconds: v.nullish(seconds, null),
  toLedger: v.nullish(uint32, null),
});
const REVERT = v.strictObject({ id: uint32 });
const RESET = v.strictObject({
  ledger: v.nullish(uint32, null),
  before: v.nullish(v.pipe(v.string(), v.regex(/^[0-9a-fA-F]{64}$/, "must be a hash")), null),
});
const accounts = v.pipe(v.array(account), v.minLength(1));
const IMPERSONATE = v.strictObject({ accounts: v.union([v.literal("all"), accounts]) });
const STOP = v.strictObject({ accounts: v.nullish(accounts) });
const FOLLOW = v.strictObject({ ledgers: v.nullish(v.array(bytes), []) });
const DUMP = v.strictObject({ inPieces: v.nullish(v.boolean(), false) });
const READ_PIECE = v.strictObject({ id: uint32, piece: uint32 });
const WRITE_PIECE = v.strictObject({ id: v.nullish(uint32, null), piece: bytes });
const LOAD = v.strictObject({ state: v.nullish(v.unknown(), {}), id: v.nullish(uint32, null) });
const SNAPSHOT = v.strictObject({ keys: v.nullish(v.array(v.string()), null) });

/** Throws REQUEST_INVALID for a key that no ledger can have. */
function refuseFlawed(keyXdr: string): void {
  const flaw = keyFlawOf(keyXdr);
  if (flaw !== null) throw refusal(`key ${flaw}`);
}

/** A value in base64 or in the JSON of SEP-51. Throws REQUEST_INVALID. */
function written(type: WrittenType, field: string, value: unknown): string {
  try {
    return readWritten(type, value);
  } catch (problem) {
    if (!(problem instanceof NotWritten)) throw problem;
    throw refusal(`${field} ${problem.message}`);
  }
}
