// Horizon's part of the loopback server: /transactions/{hash}, /ledgers/{sequence}, the root.

import type { Switches } from "./loopback-server.ts";
import type { RecordedNetwork } from "./recorded-network.ts";

const NOT_FOUND = {
  type: "https://stellar.org/horizon-errors/not_found",
  title: "Resource Missing",
  status: 404,
};

export function answerHorizon(
  network: RecordedNetwork,
  switches: Switches,
  path: string,
  requests: string[],
): Response {
  requests.push(`GET ${path}`);
  const [, kind, name = ""] = path.split("/");
  if (switches.has("session")) return notFound();
  if (kind === "transactions") return transaction(network, switches, name);
  if (kind === "ledgers" && !switches.has("no-headers")) {
    const ledger = network.ledger(Number(name) - (switches.has("wrong-header") ? 1 : 0));
    return ledger === null ? notFound() : Response.json(ledger.horizon.body);
  }
  if (path === "/") {
    return Response.json({
      horizon_version: `${network.protocolVersion}.0.0`,
      network_passphrase: network.passphrase,
      current_protocol_version: network.protocolVersion,
      history_latest_ledger: network.latestLedger,
      history_elder_ledger: 2,
    });
  }
  return notFound();
}

function transaction(network: RecordedNetwork, switches: Switches, hash: string): Response {
  const found = network.find(hash);
  if (found === null) return notFound();
  const body = { ...network.file(found).horizonTransaction.body };
  const index = network.transactions.indexOf(found);
  const like = (each: (typeof network.transactions)[number]) => each.result === found.result;
  const other = [...network.transactions.slice(index + 1), ...network.transactions].find(
    (each) => each !== found && like(each),
  );
  const otherBody = other === undefined ? {} : network.file(other).horizonTransaction.body;
  if (switches.has("no-meta")) delete body.result_meta_xdr;
  if (switches.has("wrong-envelope")) body.envelope_xdr = otherBody.envelope_xdr;
  if (switches.has("wrong-result")) body.result_xdr = otherBody.result_xdr;
  if (switches.has("wrong-fee")) body.fee_meta_xdr = poorer(String(body.fee_meta_xdr));
  return Response.json(body);
}

/** The fee source has less afterwards. The two entries are equally long: an account each. */
function poorer(feeMetaXdr: string): string {
  const bytes = Buffer.from(feeMetaXdr, "base64");
  const before = 4 + 4 + 4 + 4 + 36;
  const balance = bytes.readBigInt64BE(before);
  const after = bytes.lastIndexOf(bytes.subarray(before - 36, before)) + 36;
  bytes.writeBigInt64BE(balance - 2n ** 40n, after);
  return bytes.toString("base64");
}

function notFound(): Response {
  return Response.json(NOT_FOUND, {
    status: 404,
    headers: { "content-type": "application/problem+json" },
  });
}
