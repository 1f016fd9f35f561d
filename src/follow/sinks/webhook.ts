// A webhook receives one POST for each event. With a secret, the header `svc-signature: t=T,v1=H`
// has the Unix time T of the attempt, and H, the HMAC-SHA256 of `T.body` in hex. A receiver can
// then refuse a forged, changed or old request.

import { createHmac } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { nodeAddress } from "../../base/http/node-address.ts";
import { postOnce } from "../../base/http/post-once.ts";
import type { FollowEvent } from "../../model/follow.ts";
import { eventHeadline, followEventText } from "./event-text.ts";
import { deliveryOf, type Sink } from "./sink.ts";

export interface WebhookSettings {
  readonly name: string;
  readonly url: string;
  /** Null to send no signature. */
  readonly secret: string | null;
  readonly template: keyof typeof TEMPLATES;
  readonly wantsAll: boolean;
  readonly timeoutMilliseconds: number;
}

/**
 * The version of the document. It rises when the meaning of a field changes or a field is removed.
 */
const FORMAT = 1;

export const TEMPLATES = {
  json: (event: FollowEvent) => ({ format: FORMAT, ...event }),
  slack: (event: FollowEvent) => ({
    text: `*${slackText(eventHeadline(event))}*\n${slackText(followEventText(event))}`,
  }),
} as const;

export function openWebhook(settings: WebhookSettings, clock: Clock): Sink {
  const { name, url, secret, template, wantsAll, timeoutMilliseconds } = settings;
  return {
    name,
    wantsAll,
    batchSize: 1,
    async deliver([event], signal) {
      if (event === undefined) return { kind: "delivered" };
      const body = JSON.stringify(TEMPLATES[template](event));
      const time = Math.floor(clock.unixMilliseconds() / 1000);
      const headers = {
        "svc-event-id": event.id,
        ...(secret !== null && { "svc-signature": `t=${time},v1=${sign(secret, time, body)}` }),
      };
      const answer = await postOnce({ url, body, headers, timeoutMilliseconds }, signal);
      return deliveryOf(nodeAddress(url), answer);
    },
  };
}

export function sign(secret: string, unixSeconds: number, body: string): string {
  return createHmac("sha256", secret).update(`${unixSeconds}.${body}`).digest("hex");
}

/** Slack reads these three characters as markup: links and mentions begin with `<`. */
function slackText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
