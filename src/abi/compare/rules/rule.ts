import type { Severities } from "../severity.ts";

/**
 * What the VM says to an upgrade with such a change, under the policy `compatible`: it refuses it, lets it pass, or
 * refuses it only on chains that do not treat friends as private (Aptos and Movement do).
 */
export type Upgrade = "refused" | "refused where friends count" | "allowed";

/** One rule: a kind of change, for whom it matters how much, and where that is known from. */
export type Rule = {
  /** What happened, of one item: `a function was removed`. */
  readonly title: string;
  /** Why it matters, and where it does not. */
  readonly meaning: string;
  /** For those audiences that can reach the item. */
  readonly severity: Severities;
  readonly upgrade: Upgrade;
  /** The source that the rule was checked against: a file of aptos-core, or how nodes and clients work. */
  readonly source: string;
};

/** aptos-core's check of an upgrade, as of 2026: `Compatibility::check` and the functions below it. */
export const COMPATIBILITY = "third_party/move/move-binary-format/src/compatibility.rs";
/** aptos-core's checks of an upgrade's attributes. */
export const EVENTS = "aptos-move/aptos-vm/src/verifier/event_validation.rs";
export const RESOURCE_GROUPS = "aptos-move/aptos-vm/src/verifier/resource_groups.rs";
export const METADATA = "types/src/vm/module_metadata.rs";
