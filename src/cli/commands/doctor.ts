// svc doctor: what a run would use, and whether each part works.

import { systemClock } from "../../base/clock.ts";
import { configOf } from "../../sources/network-settings.ts";
import { COMMON, NETWORK } from "../arguments/common-settings.ts";
import { defineCommand } from "../command.ts";
import { renderDoctorJson, renderDoctorText } from "../present/render-doctor.ts";
import { runSignal, surroundingsOf } from "../shell.ts";

export const command = defineCommand({ ...NETWORK, ...COMMON }, async (shell, args) => {
  const config = configOf(args);
  const { openNodes } = await import("../../debugger/setup/open-dependencies.ts");
  const { checkInstallation, exitCodeOfExamination } = await import(
    "../../debugger/setup/check-installation.ts"
  );
  shell.log.progress("checking the simulator and the nodes");
  const examination = await checkInstallation(
    { nodes: openNodes(config), surroundings: surroundingsOf(shell), clock: systemClock },
    config,
    { signal: runSignal(shell, config) },
  );
  const render = shell.json ? renderDoctorJson : renderDoctorText;
  await shell.output.write(render(config, examination));
  return exitCodeOfExamination(examination);
});
