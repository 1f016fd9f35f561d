// Opens the sinks of the settings.

import type { Clock } from "../../base/clock.ts";
import { openAlertmanager } from "./alertmanager.ts";
import { openNdjsonFile, openNdjsonOutput } from "./ndjson.ts";
import type { Sink } from "./sink.ts";
import type { SinkConfig } from "./sink-settings.ts";
import { openWebhook } from "./webhook.ts";

/** Opens a sink. `write` writes to stdout. */
export function openSink(
  config: SinkConfig,
  clock: Clock,
  write: (text: string) => Promise<void>,
): Sink {
  switch (config.kind) {
    case "webhook":
      return openWebhook(config, clock);
    case "alertmanager":
      return openAlertmanager(config, clock);
    case "ndjson": {
      const { name, file: path } = config;
      return path === null ? openNdjsonOutput(name, write) : openNdjsonFile({ ...config, path });
    }
  }
}
