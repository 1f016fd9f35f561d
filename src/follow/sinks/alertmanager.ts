// Sends events to Prometheus Alertmanager (API v2). An alert is identified by its labels, and the
// same event has the same labels, so that a repetition is the same alert. An alert ends by itself,
// because what happened in a ledger does not end.

import type { Clock } from "../../base/clock.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { postOnce } from "../../base/http/post-once.ts";
import type { FollowEvent } from "../../model/follow.ts";
import { eventHeadline, followEventText } from "./event-text.ts";
import { deliveryOf, type Sink } from "./sink.ts";

export interface AlertmanagerSettings {
  readonly name: string;
  /** The URL without `/api/v2/alerts`. */
  readonly url: string;
  readonly timeoutMilliseconds: number;
  /** The time that an alert stays active. */
  readonly activeMilliseconds: number;
}

const BATCH = 50;
const NAMES: Readonly<Record<FollowEvent["kind"], string>> = {
  failure: "SvcTransactionFailed",
  "failure-summary": "SvcTransactionsFailed",
  diverged: "SvcReplayDiverged",
  inconclusive: "SvcReplayInconclusive",
  equivalent: "SvcReplayEquivalent",
  "state-mismatch": "SvcStateMismatch",
  rehearsal: "SvcRehearsalDiffers",
  success: "SvcTransactionSucceeded",
  "ledgers-skipped": "SvcLedgersSkipped",
};
const CRITICAL: readonly FollowEvent["kind"][] = ["diverged", "state-mismatch", "ledgers-skipped"];

export function openAlertmanager(settings: AlertmanagerSettings, clock: Clock): Sink {
  const { name, url, timeoutMilliseconds, activeMilliseconds } = settings;
  return {
    name,
    wantsAll: false,
    batchSize: BATCH,
    async deliver(events, signal) {
      const now = clock.unixMilliseconds();
      const endsAt = new Date(now + activeMilliseconds).toISOString();
      const body = JSON.stringify(events.map((event) => alertOf(event, now, endsAt)));
      const path = `${url.replace(/\/+$/, "")}/api/v2/alerts`;
      const answer = await postOnce({ url: path, body, headers: {}, timeoutMilliseconds }, signal);
      return deliveryOf(nodeAddress(url), answer);
    },
  };
}

function alertOf(event: FollowEvent, now: number, endsAt: string) {
  const began = event.unixSeconds === 0 ? now : Math.min(now, event.unixSeconds * 1000);
  return {
    labels: {
      alertname: NAMES[event.kind],
      severity: CRITICAL.includes(event.kind) ? "critical" : "warning",
      network: event.network,
      ...labelsOf(event),
      event_id: event.id,
    },
    annotations: { summary: eventHeadline(event), description: followEventText(event) },
    startsAt: new Date(began).toISOString(),
    endsAt,
  };
}

/** The labels by which alerts are routed and grouped. */
function labelsOf(event: FollowEvent): Record<string, string> {
  if (event.kind === "failure" || event.kind === "failure-summary") {
    return {
      watched: event.watched.join(","),
      contract: event.contract ?? "",
      function: event.function ?? "",
      cause: event.cause,
    };
  }
  if (event.kind === "rehearsal") {
    return { contract: event.contract ?? "", function: event.function ?? "" };
  }
  return {};
}
