// The words with which `svc debug` finds a call of a rehearsal, as the user gave them.

import { expect, test } from "bun:test";
import { DEFAULT_ORIGIN } from "../../src/base/settings/origin.ts";
import { type NetworkChoice, wordsOfSource } from "../../src/rehearsal/source-words.ts";

const OWN = "A network ; of our own";
const GIVEN = { kind: "flag", setting: "" } as const;
const NOTHING: NetworkChoice = {
  origins: {
    ...{ network: DEFAULT_ORIGIN, networkPassphrase: DEFAULT_ORIGIN, horizonUrl: DEFAULT_ORIGIN },
    ...{ rpcUrl: DEFAULT_ORIGIN, ledgerLakeUrl: DEFAULT_ORIGIN },
  },
  ...{ network: "testnet", networkPassphrase: null, horizonUrl: null, rpcUrl: null },
  ...{ ledgerLakeUrl: null, archive: false, historyArchive: null },
};

function chosen(choice: Partial<NetworkChoice>): NetworkChoice {
  const names = Object.keys(choice).map((name) => [name, GIVEN]);
  const origins = { ...NOTHING.origins, ...Object.fromEntries(names) };
  return { ...NOTHING, ...choice, origins };
}

test.each<[string, NetworkChoice, string]>([
  ["defaults", NOTHING, ""],
  ["a network", chosen({ network: "mainnet" }), " --network mainnet"],
  [
    "a network of one's own",
    chosen({ networkPassphrase: OWN, rpcUrl: ["http://127.0.0.1:8000"] }),
    ` --network-passphrase '${OWN}' --rpc-url http://127.0.0.1:8000`,
  ],
  ["a key", chosen({ rpcUrl: ["https://a.org/key"] }), ' --rpc-url "$SVC_RPC_URL"'],
  [
    "a named network's own node",
    {
      ...chosen({ network: "local", rpcUrl: ["http://127.0.0.1:1"] }),
      horizonUrl: ["http://localhost:8000"],
      origins: {
        ...chosen({ network: "local", rpcUrl: [] }).origins,
        horizonUrl: { kind: "flag", setting: "network" },
      },
    },
    " --network local --rpc-url http://127.0.0.1:1",
  ],
  ["no lake", chosen({ ledgerLakeUrl: [] }), " --ledger-lake-url none"],
  [
    "an archive",
    { ...chosen({ historyArchive: ["a dir", "https://a.org/key"] }), archive: true },
    " --history-archive 'a dir'",
  ],
])("%s", (_, choice, words) => {
  expect(wordsOfSource(choice)).toBe(words);
});
