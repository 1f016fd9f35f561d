// Somebody who reads the pages of a server: their forms send the requests, and the server has the
// settings.

import { flagOf } from "../../base/flag-name.ts";
import { formAudience, HTTP } from "../../base/phrase.ts";

export const PAGE = formAudience({
  fields: {},
  buttons: { debug: "Debug", simulate: "Simulate" },
  elsewhere: (name, value) =>
    name === "prove" ? { name: flagOf(name), place: " at a command line" } : HTTP.flag(name, value),
  again: "Send the form again",
});
