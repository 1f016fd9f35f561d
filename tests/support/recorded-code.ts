// Code that the recorded network uploaded.

import { codesIn } from "./archived-code.ts";
import { RecordedNetwork } from "./recorded-network.ts";

/** The contract whose code is "kitchen", which most recorded transactions call. */
export const KITCHEN = "CAU7Z44L44WAY4H6HXAWSR3T6QBMYORRDBNYYHTJMV6CNICSJRHRZUBV";

export function recordedCode(name: "kitchen" | "err"): Uint8Array {
  const network = new RecordedNetwork();
  const upload = network.file(network.named(`upload ${name} wasm`));
  const { envelopeXdr } = upload.rpcGetTransaction.result;
  const [code = new Uint8Array()] = codesIn(Buffer.from(String(envelopeXdr), "base64")).values();
  return code;
}
