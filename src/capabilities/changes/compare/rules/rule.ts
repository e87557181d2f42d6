import type { Severities } from "../severity.ts";

/**
 * Whether the VM accepts an upgrade with such a change under the policy `compatible`: it refuses it, allows it, or refuses
 * it only on chains that do not treat friends as private (Aptos and Movement do), or whose nodes are of generation B (2025).
 */
export type Upgrade = "refused" | "refused where friends count" | "refused by generation B" | "allowed";

export type Rule = {
  /** What happened to one item: `a function was removed`. */
  readonly title: string;
  /** The consequences, and exceptions. */
  readonly meaning: string;
  /** For the audiences that can use the item. */
  readonly severity: Severities;
  readonly upgrade: Upgrade;
  /** Where the rule was checked: a file of aptos-core. */
  readonly source: string;
};

/**
 * A rule as it is written down. Where it does not say otherwise, the VM refuses what breaks somebody and allows the rest, and the source
 * is `COMPATIBILITY`.
 */
export type RuleData = Omit<Rule, "upgrade" | "source"> & Partial<Pick<Rule, "upgrade" | "source">>;

/** aptos-core's check of an upgrade, as of 2026: `Compatibility::check` and the functions below it. */
export const COMPATIBILITY = "third_party/move/move-binary-format/src/compatibility.rs";
/** aptos-core's checks of an upgrade's attributes. */
export const EVENTS = "aptos-move/aptos-vm/src/verifier/event_validation.rs";
export const RESOURCE_GROUPS = "aptos-move/aptos-vm/src/verifier/resource_groups.rs";
export const METADATA = "types/src/vm/module_metadata.rs";
