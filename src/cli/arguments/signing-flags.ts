// The flags of the commands that sign what a network takes: whose key, which network, and where the
// called contracts come from for their names.

import type { ArgsDef } from "citty";
import { CONTRACT_FLAGS } from "./called-contracts.ts";
import { CONFIG_FLAGS, MANNER_FLAGS } from "./common-flags.ts";
import { EXPECT_SIGNER_FLAG } from "./expected-signer.ts";
import { TOKEN_FLAGS } from "./token-flags.ts";

const { network, "network-passphrase": passphrase, "rpc-url": rpcUrl, config } = CONFIG_FLAGS;

export const SIGNING_FLAGS = {
  ...EXPECT_SIGNER_FLAG,
  ...TOKEN_FLAGS,
  network,
  "network-passphrase": passphrase,
  "rpc-url": rpcUrl,
  ...CONTRACT_FLAGS,
  config,
  ...MANNER_FLAGS,
} as const satisfies ArgsDef;
