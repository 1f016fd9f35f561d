// Events to deliver, for tests.

import type { FailureEvent } from "../../src/model/follow.ts";

export function failureEvent(number: number, changes: Partial<FailureEvent> = {}): FailureEvent {
  return {
    kind: "failure",
    id: `failure:${number}`,
    network: "testnet",
    ledger: 100 + number,
    unixSeconds: 1_700_000_000 + number,
    alert: true,
    group: "0123456789abcdef",
    count: number,
    hash: number.toString(16).padStart(64, "0"),
    watched: ["vault"],
    contract: "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV",
    function: "trap",
    cause: "contract-error",
    error: "Error(Contract, #6)",
    condition: null,
    errorName: "Paused",
    summary: "Error(Contract, #6) is Error::Paused.",
    confidence: "known",
    decidedBy: null,
    remedy: null,
    sourceAccount: "GDA4GMF5JPBDKAK6J64TCSOPAH7CNLPFXNYBEIG6MO6WJ2WROLZW7VO6",
    feeSource: "GDA4GMF5JPBDKAK6J64TCSOPAH7CNLPFXNYBEIG6MO6WJ2WROLZW7VO6",
    verdict: "exact",
    fix: null,
    labels: {},
    ...changes,
  };
}
