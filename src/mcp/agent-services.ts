// What the tools can have done: svc mcp does it with its settings, the daemon with its pools.

import type { CodeExplanation } from "../model/node-answer.ts";
import type { Overrides } from "../model/overrides.ts";
import type { Verification } from "../model/verification.ts";
import type { DebugReport } from "../report/json.ts";

export interface Run {
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

/** A transaction of the network, or of a capsule file below the allowed directory. */
export type Subject = { readonly hash: string } | { readonly capsule: string };

export interface SimulationRequest {
  readonly transactionXdr: string;
  readonly authMode?: "enforce" | "record" | "record_allow_nonroot";
}

export interface LedgerRange {
  readonly first: number;
  readonly last: number;
}

export interface CapturedFile {
  readonly file: string;
  readonly hash: string;
  readonly ledger: number;
  /** Null when nothing ran in the contract host. */
  readonly entries: number | null;
  readonly unknownEntries: number;
}

/** All throw an SvcError when there is no answer. */
export interface AgentServices {
  /** Where a client has no command line: its errors have the remedies for HTTP. */
  readonly overHttp: boolean;
  readonly debug: (subject: Subject, run: Run) => Promise<DebugReport>;
  readonly whatIf: (subject: Subject, overrides: Overrides, run: Run) => Promise<DebugReport>;
  /** The document of `svc simulate --json`. */
  readonly simulate: (request: SimulationRequest, run: Run) => Promise<SimulationDocument>;
  /** A code of a result, a node or the contract host; null: unknown. */
  readonly networkCode: (code: string) => Promise<CodeExplanation | null>;
  /** Null: not offered. */
  readonly verify: ((range: LedgerRange, run: Run) => Promise<Verification>) | null;
  /** Null: no directory is allowed. `file`: the name of a new file in it, or null. */
  readonly capture: ((hash: string, file: string | null, run: Run) => Promise<CapturedFile>) | null;
}

export interface SimulationDocument {
  readonly ledger: number;
  readonly outcome: {
    readonly kind: string;
    readonly success: boolean | null;
    readonly headline: string;
    readonly cause: DebugReport["outcome"]["cause"];
    readonly evidence: readonly string[];
    readonly remedy: string | null;
    readonly result: string | null;
  };
  readonly minResourceFeeStroops: string;
  readonly sending: {
    readonly refusals: readonly { readonly code: string; readonly detail: string }[];
  } | null;
}
