// svc doctor: what a run would use, and whether each part works.

import { defineCommand } from "citty";
import { systemClock } from "../../base/clock.ts";
import { COMMON_FLAGS, CONFIG_FLAGS, loadConfig } from "../arguments/common-flags.ts";
import { renderDoctorJson, renderDoctorText } from "../present/render-doctor.ts";
import { runSignal, type Shell, surroundingsOf } from "../shell.ts";

export function doctorCommand(shell: Shell) {
  return defineCommand({
    meta: { name: "doctor" },
    args: { ...CONFIG_FLAGS, ...COMMON_FLAGS },
    async run({ args }) {
      const config = loadConfig(shell, args);
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
    },
  });
}
