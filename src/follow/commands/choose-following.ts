// Opens the following of a daemon as its settings choose it.

import type { ChooseFollowing } from "../../command/lending.ts";
import { resolveFollowConfig } from "../follow-settings.ts";
import { openFollowing } from "../following.ts";

export const chooseFollowing: ChooseFollowing = ({ facts, output }, { file, state }) => {
  const { environment, workingDirectory } = facts;
  const follow = resolveFollowConfig({ file, state, environment, workingDirectory });
  const write = async (text: string) => {
    await output.write(text);
    if (output.readerGone()) throw new Error("The program that reads stdout has stopped.");
  };
  return (beside) => openFollowing({ ...beside, follow, write });
};
