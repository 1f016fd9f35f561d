// svc doctor: shows what a run would use, and whether each part works.

import type { Settings } from "../../base/settings/setting.ts";
import { type Arguments, defineCommand } from "../../command/command.ts";
import { COMMON, NETWORK } from "../../command/common-settings.ts";
import { runSignal, type Shell, surroundingsOf, textOptions } from "../../command/shell.ts";
import { configOf } from "../../sources/network-settings.ts";
import { renderDoctorJson, renderDoctorText } from "../present/render-doctor.ts";

const DOCTOR = { ...NETWORK, ...COMMON } as const satisfies Settings;

export const command = defineCommand(DOCTOR, doctorCommand, {
  examples: [
    ["", "Check that everything works."],
    ["-n mainnet --rpc-url https://…", "Check settings before you change to them."],
  ],
});

async function doctorCommand(shell: Shell, args: Arguments<typeof DOCTOR>): Promise<number> {
  const config = configOf(args);
  const { checkInstallation, exitCodeOfExamination } = await import(
    "../../debugger/setup/check-installation.ts"
  );
  shell.log.progress("checking the simulator and the nodes");
  const options = { signal: runSignal(shell, config) };
  const examination = await checkInstallation(config, surroundingsOf(shell), options);
  await shell.output.write(
    shell.json
      ? renderDoctorJson(config, examination)
      : renderDoctorText(config, examination, textOptions(shell)),
  );
  return exitCodeOfExamination(examination);
}
