// Groups equal failures: the first is reported at once, the others once a window, with their
// number. Time is the close time of ledgers, so that the same ledgers always make the same events.
// Invariant: the number of groups is bounded; svc forgets the groups that failed longest ago.

import type { FailureGroup, FirstFailure, FollowedFailure } from "../model/follow.ts";
import { sha256 } from "../xdr/reader/hash.ts";

/** A group with its open window, as plain data that is saved. */
export interface GroupState extends FailureGroup, FirstFailure {
  readonly total: number;
  /** The protocol under which the transactions would differ; null if they failed. */
  readonly rehearsedProtocol: number | null;
  /** Null if the last window passed without a failure. */
  readonly window: {
    readonly unixSeconds: number;
    readonly ledger: number;
    readonly count: number;
    readonly examples: readonly string[];
    /** True if its first failure was reported by itself. */
    readonly announced: boolean;
  } | null;
}

/** Pairs of a group and its state. The group that failed longest ago is first. */
export type SavedGroups = readonly (readonly [group: string, state: GroupState])[];

export interface Grouped {
  readonly group: string;
  /** The number of failures in the window, including this one. */
  readonly count: number;
  /** True if no window was open for the group. */
  readonly first: boolean;
}

export interface EndedWindow extends GroupState {
  readonly group: string;
  readonly window: NonNullable<GroupState["window"]>;
}

/** The parts of a failure that its group keeps. */
export type GroupedFailure = FailureGroup &
  Pick<FollowedFailure, "errorName" | "summary" | "confidence" | "decidedBy" | "hash"> & {
    readonly rehearsedProtocol?: number;
  };

const MOST_GROUPS = 1000;
const MOST_EXAMPLES = 5;

export class FailureGroups {
  private readonly groups: Map<string, GroupState>;

  constructor(
    private readonly windowSeconds: number,
    saved: SavedGroups = [],
  ) {
    this.groups = new Map(saved);
  }

  get saved(): SavedGroups {
    return [...this.groups];
  }

  add(failure: GroupedFailure, ledger: number, unixSeconds: number): Grouped {
    const { watched, contract, function: name, cause, error, condition } = failure;
    const { errorName, hash, rehearsedProtocol = null } = failure;
    const group = groupId(failure);
    const known = this.groups.get(group);
    const first = known === undefined || known.window === null;
    const window = known?.window ?? beginWindow(ledger, unixSeconds, true);
    const { summary, confidence, decidedBy } = window.count === 0 ? failure : (known ?? failure);
    const examples = window.examples.length < MOST_EXAMPLES ? [hash] : [];
    const total = (known?.total ?? 0) + 1;
    // Deleting and adding moves the group to the end.
    this.groups.delete(group);
    this.groups.set(group, {
      watched,
      contract,
      function: name,
      cause,
      error,
      condition,
      total,
      rehearsedProtocol,
      errorName: known?.errorName ?? errorName,
      summary,
      confidence,
      decidedBy,
      window: {
        ...window,
        count: window.count + 1,
        examples: [...window.examples, ...examples],
      },
    });
    const [oldest] = this.groups.keys();
    if (this.groups.size > MOST_GROUPS && oldest !== undefined) this.groups.delete(oldest);
    return { group, count: total, first };
  }

  /**
   * The windows that have ended when a ledger closes at this time; with `final`, all windows. After
   * a window with failures the next one begins. After a window without any, the next failure is a
   * first one.
   */
  endWindows(ledger: number, unixSeconds: number, final = false): EndedWindow[] {
    const ended: EndedWindow[] = [];
    for (const [group, state] of this.groups) {
      const { window } = state;
      if (window === null) continue;
      if (!final && unixSeconds < window.unixSeconds + this.windowSeconds) continue;
      const next = final || window.count === 0 ? null : beginWindow(ledger, unixSeconds, false);
      this.groups.set(group, { ...state, window: next });
      if (window.count > (window.announced ? 1 : 0)) ended.push({ ...state, group, window });
    }
    return ended;
  }
}

function beginWindow(ledger: number, unixSeconds: number, announced: boolean) {
  return { unixSeconds, ledger, count: 0, examples: [], announced };
}

/** The id of the group of failures with equal facts. */
export function groupId(group: FailureGroup): string {
  const { watched, contract, function: name, cause, error, condition } = group;
  const key = JSON.stringify([watched, contract, name, cause, error, condition]);
  return sha256(Buffer.from(key)).toHex().slice(0, 16);
}
