// Settings as a command resolves them.

import { checkSection } from "../../src/base/settings/config-file.ts";
import { readSettings, type SettingLayers } from "../../src/base/settings/setting.ts";
import { DAEMON_SETTINGS, daemonConfigOf } from "../../src/daemon/daemon-settings.ts";
import { configOf, NETWORK_SETTINGS } from "../../src/sources/network-settings.ts";

export function resolveConfig(layers: SettingLayers) {
  return configOf(readSettings(NETWORK_SETTINGS, layers));
}

export function resolveDaemonConfig(layers: SettingLayers & { readonly workingDirectory: string }) {
  checkSection(layers.file, "daemon", Object.keys(DAEMON_SETTINGS));
  return daemonConfigOf(readSettings(DAEMON_SETTINGS, layers), layers);
}
