import { expect, test } from "bun:test";
import { openHttp } from "../../src/base/http/http.ts";
import { openSources } from "../../src/sources/open-source.ts";
import { resolveConfig } from "../support/settings.ts";
import { TestClock } from "../support/test-clock.ts";

const clock = new TestClock({ grantedUpTo: 0 });
const http = openHttp({ clock, timeoutMilliseconds: 1, userAgent: "svc/test" });

function open(flags: Readonly<Record<string, string>>) {
  const config = resolveConfig({ flags, environment: {}, file: null });
  return openSources({ http, clock }, { ...config, ledgerUrls: ["https://lake.example/x"] });
}

test("Horizon nodes come first, then RPC nodes, then ledgers, each in the order given, the public lake last", () => {
  const { sources, elsewhere } = open({
    network: "testnet",
    horizonUrl: "https://a.example,https://b.example/secret",
    rpcUrl: "https://c.example",
  });
  expect(sources.map(({ name }) => name)).toEqual([
    "horizon https://a.example",
    "horizon https://b.example/…",
    "rpc https://c.example",
    "lake https://lake.example/…",
    "lake https://aws-public-blockchain.s3.us-east-2.amazonaws.com/v1.1/stellar/ledgers/testnet",
  ]);
  expect(elsewhere).toEqual([]);
});

test("other public networks are only looked at when no Horizon was named", () => {
  expect(open({}).elsewhere.map(({ network }) => network)).toEqual(["mainnet", "futurenet"]);
  expect(open({ networkPassphrase: "mine", horizonUrl: "https://a.example" }).elsewhere).toEqual(
    [],
  );
});
