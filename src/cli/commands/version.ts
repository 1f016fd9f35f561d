// svc version: shows the versions of this build and of the contract hosts in its svc-sim. A missing
// or broken simulator is reported, but is not an error: users need the versions when something is
// wrong.

import { BUILD_INFO } from "../../base/build-info.ts";
import type { SettingOrigin } from "../../base/settings/origin.ts";
import type { Settings } from "../../base/settings/setting.ts";
import { jsonDocument } from "../../base/text/json-document.ts";
import { neutralise } from "../../base/text/neutralise.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NETWORK } from "../../command/common-settings.ts";
import { asSvcError } from "../../command/present-error.ts";
import { type Shell, surroundingsOf } from "../../command/shell.ts";
import { NEWEST_PROTOCOL, newestUsable } from "../../model/protocols.ts";

const { simPath, config } = NETWORK;

const VERSION = { simPath, config, ...COMMON } as const satisfies Settings;

export const command = defineCommand(VERSION, versionCommand);

async function versionCommand(shell: Shell, args: Arguments<typeof VERSION>): Promise<number> {
  const simulator = await inspect(shell, args);
  const document = {
    format: 1,
    svc: { ...BUILD_INFO, bun: Bun.version },
    newestProtocol: newestOf(simulator),
    simulator,
  };
  await shell.output.write(shell.json ? jsonDocument(document) : renderVersions(simulator));
  return 0;
}

type Inspected = Awaited<ReturnType<typeof inspect>>;

async function inspect(
  shell: Shell,
  choice: {
    readonly simPath: string | null;
    readonly origins: { readonly simPath: SettingOrigin };
  },
) {
  const { inspectFoundSimulator } = await import("../../debugger/setup/find-simulator.ts");
  try {
    return await inspectFoundSimulator(choice, surroundingsOf(shell), { signal: shell.signal });
  } catch (thrown) {
    shell.signal.throwIfAborted();
    const { code, message, remedy } = asSvcError(thrown);
    return { error: { code, message, remedy } };
  }
}

/**
 * The latest protocol that svc can use. If no simulator works, that is the latest one that svc can
 * read.
 */
function newestOf(simulator: Inspected): number {
  return "hosts" in simulator ? newestUsable(simulator.hosts) : NEWEST_PROTOCOL;
}

function renderVersions(simulator: Inspected): string {
  const lines = [
    `svc ${BUILD_INFO.version} (commit ${BUILD_INFO.commit}, Bun ${Bun.version})`,
    `  latest protocol: ${newestOf(simulator)}`,
  ];
  if ("error" in simulator) {
    const missing = simulator.error.code === "SIMULATOR_NOT_FOUND";
    lines.push(missing ? "svc-sim not found" : `svc-sim does not work (${simulator.error.code})`);
    lines.push(`  ${simulator.error.remedy}`);
  } else {
    lines.push(`svc-sim ${neutralise(simulator.version)} (${neutralise(simulator.path)})`);
    for (const host of simulator.hosts)
      lines.push(`  protocol ${host.protocol}: soroban-env-host ${neutralise(host.crateVersion)}`);
  }
  return `${lines.join("\n")}\n`;
}
