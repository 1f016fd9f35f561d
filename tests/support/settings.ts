// Settings as a command resolves them.

import { checkSection } from "../../src/base/settings/config-file.ts";
import { readSettings, type SettingLayers } from "../../src/base/settings/setting.ts";
import { DAEMON_SETTINGS } from "../../src/daemon/daemon-settings.ts";
import { serverConfigOf } from "../../src/http-server/server-settings.ts";
import { configOf, NETWORK_SETTINGS } from "../../src/sources/network-settings.ts";
import { resolveNetwork } from "../../src/sources/resolve-network.ts";

export function resolveConfig(layers: SettingLayers) {
  const { environment } = layers;
  const surroundings = { environment, foundFile: null, readSecret: (path: string) => path };
  return configOf(resolveNetwork(readSettings(NETWORK_SETTINGS, layers), surroundings));
}

export function resolveDaemonConfig(layers: SettingLayers & { readonly workingDirectory: string }) {
  checkSection(layers.file, "daemon", Object.keys(DAEMON_SETTINGS));
  return serverConfigOf(readSettings(DAEMON_SETTINGS, layers), layers);
}
