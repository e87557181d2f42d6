import { functionRules } from "./functions.ts";
import { moduleRules } from "./modules.ts";
import { COMPATIBILITY, type Rule, type RuleData } from "./rule.ts";
import { structRules } from "./structs.ts";

const all = { ...moduleRules, ...functionRules, ...structRules };

/** The stable name of a rule, for use in CI. A name never changes its meaning. */
export type RuleId = keyof typeof all;

export const rules = Object.fromEntries(
  Object.entries<RuleData>(all).map(([id, rule]) => {
    const upgrade = Object.values(rule.severity).includes("breaking") ? "refused" : "allowed";
    return [id, { upgrade, source: COMPATIBILITY, ...rule }];
  }),
) as Readonly<Record<RuleId, Rule>>;

/** The names of all rules, in the order of the documentation. */
export const ruleIds = Object.keys(all) as readonly RuleId[];

const BEHAVIOUR: ReadonlySet<RuleId> = new Set([
  "function-changed",
  "abort-codes-changed",
  "always-aborts",
  "check-removed",
  "check-added",
  "comparison-changed",
  "constant-changed",
]);

/** Whether a rule is about what a function does, not about what it is from outside. */
export function isBehaviour(rule: RuleId): boolean {
  return BEHAVIOUR.has(rule);
}
