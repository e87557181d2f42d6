import type { ModuleId } from "../../move/types/types.ts";
import type { RuleFinding } from "./finding.ts";
import type { Severity } from "./severity.ts";

/** Which modules refer to an item of another module, and how many accounts were looked at. */
export type Users = (module: ModuleId, item: RuleFinding["item"]) => readonly ModuleId[];

/** A finding with the modules that refer to its item; undefined where use says nothing about it. */
export type WeighedFinding = RuleFinding & { readonly users?: readonly ModuleId[] };

const LOWERED: Readonly<Record<Severity, Severity>> = { breaking: "dangerous", dangerous: "safe", safe: "safe", silent: "silent" };
const RAISED: Readonly<Record<Severity, Severity>> = { breaking: "breaking", dangerous: "breaking", safe: "safe", silent: "silent" };

/**
 * Weighs what a finding means for callers by who refers to the item: with users in other accounts a danger counts as a
 * break, without them each counts as one step less. Modules of the same account come in the same package and do not
 * count. Clients and readers leave no trace in an archive, so their severities stay.
 */
export function weighByUsage(module: ModuleId, finding: RuleFinding, users: Users): WeighedFinding {
  const { callers } = finding.severity;
  if ((callers !== "breaking" && callers !== "dangerous") || (finding.item.kind !== "function" && finding.item.kind !== "struct")) {
    return finding;
  }
  const found = users(module, finding.item).filter(({ address }) => address !== module.address);
  return { ...finding, severity: { ...finding.severity, callers: (found.length > 0 ? RAISED : LOWERED)[callers] }, users: found };
}
