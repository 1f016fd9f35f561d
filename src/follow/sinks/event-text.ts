// The text of an event for people who read alerts: one line, and a few sentences.

import { cutVisibly } from "../../base/text/neutralise.ts";
import type { FollowEvent } from "../../model/follow.ts";
import { followWords } from "../../report/document/follow-event.ts";

const LONGEST_TEXT = 1000;

export function eventHeadline(event: FollowEvent): string {
  return followWords(event).headline;
}

export function followEventText(event: FollowEvent): string {
  const { sentences, hash } = followWords(event);
  const where = `Ledger ${event.ledger}, ${event.network}.`;
  const transaction = hash === null ? [] : [`Transaction ${hash}.`];
  const all = [...sentences.filter((text) => text !== ""), where, ...transaction];
  return cutVisibly(all.join(" "), LONGEST_TEXT);
}
