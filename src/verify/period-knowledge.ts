// How a value between two checkpoints is known, and the reasons why one is not.

import type { UnknownState } from "../model/state/entry-state.ts";
import { knownBy } from "../snapshot/known-entry.ts";

/**
 * The reason why something is unknown: a phrase without values, and the end of a sentence with
 * them.
 */
export interface Gap extends UnknownState {
  readonly cause: string;
}

export const PERIOD_PROVENANCE = {
  first: knownBy("history-archive", "in the state of the checkpoint before, and unwritten since"),
  last: knownBy("history-archive", "in the state of the next checkpoint, last modified before"),
  counted: knownBy("archive-replay", "as fees and payments since the checkpoint before left it"),
  replays: knownBy("archive-replay", "as replays of the transactions since the checkpoint left it"),
} as const;

export const NO_CHECKPOINT: Gap = {
  cause: "the archive has no checkpoint before it",
  reason: "the archive has no checkpoint before the ledger",
};
export const SOROBAN_ONLY: Gap = {
  cause: "accounts and trustlines are not kept",
  reason: "the settings keep the entries of contracts alone",
};
export const UPGRADED: Gap = {
  cause: "the protocol changed since the checkpoint",
  reason: "the protocol changed since the checkpoint before, which may have corrected it",
};
export const SETTING: Gap = {
  cause: "a network setting may have changed since the checkpoint",
  reason: "it changed between the checkpoints, and no ledger shows when",
};
export const EXPIRED: Gap = {
  cause: "an entry may have been evicted",
  reason: "it had expired, and may have been evicted since the checkpoint",
};
export const CLASSIC: Gap = {
  cause: "an account or trustline may have changed",
  reason: "more than fees and replayed transactions changed it before the next checkpoint",
};
