// The work behind the daemon's pages: a hash → the page of its transaction, which stays for a
// while; an envelope → the part of a page that says what it would do.

import type { Investigation } from "../../model/investigation.ts";
import type { SimulationReport } from "../../model/simulation.ts";
import { renderPage } from "../../report/html/page.ts";
import { simulationMarkup } from "../../report/html/simulation.ts";
import type { SharedRun, Waiter } from "../coalesce.ts";
import { openDebugService } from "../debug-service.ts";
import { DAEMON_SCRIPT, wayBack } from "./frame.ts";
import { openRecentPages, type RecentPages } from "./recent-pages.ts";

export interface PageService {
  readonly recent: Pick<RecentPages, "find" | "list">;
  /** Makes the page; returns JSON text with the hash. Throws as the walk, and OVERLOADED. */
  readonly debug: (hash: string, waiter: Waiter) => Promise<string>;
  /** Throws as the simulation. */
  readonly simulate: (transactionXdr: string, waiter: Waiter) => Promise<string>;
}

export interface PageServiceOptions {
  readonly mostWalks: number;
  /** With everything that a run can record. */
  readonly walk: (hash: string) => SharedRun<Investigation>;
  readonly capsuleOf: (investigation: Investigation) => string;
  readonly simulate: (transactionXdr: string, waiter: Waiter) => Promise<SimulationReport>;
}

/** A page is some 200 KB; one with thousands of calls is a few MB. */
const LIMITS = { pages: 50, characters: 64 * 1024 * 1024 };

export function openPageService(options: PageServiceOptions): PageService {
  const { mostWalks, walk, capsuleOf, simulate } = options;
  const recent = openRecentPages(LIMITS);
  const { debug } = openDebugService({
    mostWalks,
    walk: (hash) => async (waiter) => {
      const investigation = await walk(hash)(waiter);
      recent.add(pageOf(investigation, capsuleOf));
      return JSON.stringify({ hash: investigation.record.hash });
    },
  });
  return {
    recent,
    debug,
    simulate: async (transactionXdr, waiter) =>
      `${simulationMarkup(await simulate(transactionXdr, waiter))}`,
  };
}

function pageOf(investigation: Investigation, capsuleOf: PageServiceOptions["capsuleOf"]) {
  const { record, explanation, verdict } = investigation;
  const { hash, innerHash } = record;
  const { headline, success } = explanation;
  const finding = {
    kind: "investigated",
    subject: hash,
    exitCode: 0,
    elapsedMilliseconds: 0,
    failedExpectations: null,
    investigation,
  } as const;
  const findings = { single: true, list: [finding], exitCode: 0, beganUnixMilliseconds: 0 };
  const html = renderPage(findings, {
    capsuleOf,
    navigation: wayBack(),
    script: DAEMON_SCRIPT,
  });
  return { hash, innerHash, headline, success, verdict: verdict?.kind ?? null, html };
}
