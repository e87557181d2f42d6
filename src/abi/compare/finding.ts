import { listFirst } from "../../base/plural.ts";
import type { Upgrade } from "./rules/rule.ts";
import { type RuleId, rules } from "./rules/rules.ts";
import type { Audience, Severities } from "./severity.ts";

/** The item that a finding is about. The name is null for the module itself. */
export type Item = { readonly kind: "module" | "function" | "struct" | "friend" | "error"; readonly name: string | null };

export const WHOLE_MODULE = { kind: "module", name: null } as const;

/** The item before and after, as one line of Move; null if it does not exist. */
export type Witness = { readonly before: string | null; readonly after: string | null };

/** One change between two versions of a module: the rule that applies, the item, its severity for each audience. */
export type RuleFinding = Witness & {
  readonly rule: RuleId;
  readonly item: Item;
  readonly severity: Severities;
  /** Whether the VM accepts an upgrade with this change; see `Rule`. */
  readonly upgrade: Upgrade;
  /** Of what a function does: the others of its module that can be called and do something else by it. */
  readonly functions?: readonly string[];
  /** Of what a function does, where only that is other and not how often, in which case or by which numbers: what went or came. */
  readonly effects?: readonly string[];
};

/** Who can use the item, if not everybody. */
export type FindingScope = {
  readonly audiences?: readonly Audience[];
  readonly isFriendOnly?: boolean;
  /** Replaces the rule's `refused` if the VM does not check this item. */
  readonly insteadOfRefused?: Upgrade;
};

/**
 * A finding as its rule has it, for those who can reach the item. What breaks for friends alone is dangerous, since they usually
 * come in the same package; what no module can notice is safe for clients.
 */
export function makeFinding(rule: RuleId, item: Item, { before, after }: Witness, reach: FindingScope = {}): RuleFinding {
  const { severity, upgrade } = rules[rule];
  const reached = Object.entries(severity).filter(([audience]) => reach.audiences?.includes(audience as Audience) ?? true);
  const found: Severities = reached.length === 0 ? { clients: "safe" } : Object.fromEntries(reached);
  return {
    rule,
    item,
    before,
    after,
    severity: reach.isFriendOnly === true && found.callers === "breaking" ? { ...found, callers: "dangerous" } : found,
    upgrade: upgrade === "refused" ? (reach.insteadOfRefused ?? upgrade) : upgrade,
  };
}

/** How many names a witness lists; a module can have thousands. */
const NAMES_MAX = 20;

/** Names in their order on one line, with the number of those beyond the limit; null when there are none. */
export function listNames(names: readonly string[]): string | null {
  return names.length === 0 ? null : listFirst(names, NAMES_MAX);
}
