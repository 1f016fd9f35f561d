// svc runs protocol 20 in the host of protocol 21, as stellar-core does: every report names the
// ledger's protocol. The host has its own name beside it, and is never taken for the protocol.

import { describe, expect, test } from "bun:test";
import { FINDINGS_RENDERERS } from "../../src/report/renderers.ts";
import type { ReportFormat } from "../../src/report/report-format.ts";
import { findingsOf, found } from "./findings-of.ts";
import { investigate } from "./investigations.ts";

const LEDGER = 20;
const HOST = { protocol: 21, crateVersion: "21.2.2" };
const investigation = investigate("contract-error", (walk) => ({
  ...walk,
  execution: { ...walk.execution, host: HOST },
}));
const record = {
  ...investigation.record,
  ledger: { ...investigation.record.ledger, protocolVersion: LEDGER },
};
const findings = findingsOf([found({ ...investigation, record })]);
const NAMED = /protocol(?:Version)?[^a-z0-9]{1,16}(\d{2})\b/gi;

describe("a report of a protocol-20 ledger", () => {
  for (const format of Object.keys(FINDINGS_RENDERERS) as (keyof typeof FINDINGS_RENDERERS)[])
    test(`${format} names no other protocol`, async () => {
      const options = { color: false, verbose: true, messages: true };
      const text = await FINDINGS_RENDERERS[format as ReportFormat](findings, options);
      // What the replay ran in, as a value of its own.
      const own = text.replaceAll(/"host": ?\{[^}]*\}/g, "");
      const named = [...own.matchAll(NAMED)].map(([, version]) => version);
      expect([format, named.filter((version) => version !== String(LEDGER))]).toEqual([format, []]);
      if (format === "text" || format === "json" || format === "html")
        expect(named).toContain(String(LEDGER));
    });
});
