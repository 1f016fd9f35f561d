// The daemon's own settings: those of the server, each with a variable, and under `daemon` in
// settings files.

import { withVariables } from "../base/settings/setting.ts";
import { SERVER_SETTINGS } from "../http-server/server-settings.ts";

export const DAEMON_SETTINGS = withVariables("SVC_DAEMON_", SERVER_SETTINGS, "daemon");
