// The accounts whose transactions a fork accepts without signatures, as it tells them to svc. No
// network has this field: it tells svc which signatures the fork does not ask for.

import type { LedgerTip } from "../sources/source.ts";
import type { Fork } from "./fork.ts";

/** The field of getNetwork and of the latest ledger; without it, no account is impersonated. */
export function impersonatedBy({
  impersonated,
}: Pick<Fork, "impersonated">): Pick<LedgerTip, "impersonated"> {
  if (impersonated === "all") return { impersonated };
  return impersonated.size === 0 ? {} : { impersonated: [...impersonated] };
}
