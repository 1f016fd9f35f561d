// The flags of the commands that sign envelopes and authorizations: the key, the network, and the
// source of the called contracts.

import type { ArgsDef } from "citty";
import { CONTRACT_FLAGS } from "./called-contracts.ts";
import { COMMON_FLAGS, CONFIG_FLAGS } from "./common-flags.ts";
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
  ...COMMON_FLAGS,
} as const satisfies ArgsDef;
