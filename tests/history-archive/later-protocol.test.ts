// An archive of a network that was upgraded to a protocol that svc does not know: what `svc state`
// and `--prove` read of it is refused by name, and what came before is read as ever.

import { expect, test } from "bun:test";
import { openArchiveFiles } from "../../src/history-archive/archive-files.ts";
import { openArchivedChain } from "../../src/history-archive/chain.ts";
import { sha256 } from "../../src/xdr/reader/hash.ts";
import { decodeBytes, encodeBytes } from "../../src/xdr/reader/value.ts";
import { failureOf } from "../support/failure.ts";
import { LATER_PROTOCOL, laterHeader } from "../support/later-protocol.ts";
import { madeArchive, PASSPHRASE, VALIDATOR, withRecord } from "../support/made-archive.ts";

const SINCE = 12;
const none = { live: [] };

test("headers of a later protocol are refused, those of earlier checkpoints are not", async () => {
  const { files } = madeArchive({
    states: { 7: none, 15: none, 23: none },
    protocolVersion: (ledger) => (ledger >= SINCE ? LATER_PROTOCOL : 23),
  });
  const archive = await openArchiveFiles(files);
  const chain = openArchivedChain(archive, [[VALIDATOR]], PASSPHRASE);
  expect((await chain.header(5)).protocolVersion).toBe(23);
  for (const ledger of [SINCE, 15, 20]) {
    const error = await failureOf(chain.header(ledger));
    expect(error.code).toBe("PROTOCOL_UNKNOWN");
    expect(error.message).toContain(`is of protocol ${LATER_PROTOCOL}`);
  }
  expect((await failureOf(chain.transactions(SINCE))).code).toBe("PROTOCOL_UNKNOWN");
});

test("a header whose closing value svc cannot read is refused by its place in the file", async () => {
  const honest = madeArchive({ states: { 7: none, 15: none } });
  for (let index = 0; index < 8; index += 1) {
    const files = withRecord(honest, "ledger", 15, (record, at) => {
      if (at !== index) return record;
      const { header } = decodeBytes("LedgerHeaderHistoryEntry", record);
      const later = laterHeader(encodeBytes("LedgerHeader", header), { part: "closing value" });
      return Buffer.concat([sha256(later), later, new Uint8Array(4)]);
    });
    const chain = openArchivedChain(await openArchiveFiles(files), [[VALIDATOR]], PASSPHRASE);
    const error = await failureOf(chain.header(15));
    expect(error.code).toBe("PROTOCOL_UNKNOWN");
    expect(error.details).toMatchObject({ ledger: 8 + index });
  }
});
