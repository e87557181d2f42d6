import { audienceMeanings, audiences, severities, severityMeanings } from "../severity.ts";
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

export function rulesMarkdown(): string {
  const { [COMPATIBILITY]: _, ...sources } = Object.groupBy(ruleIds, (id) => rules[id].source);
  const lines = [
    ...audiences.map((audience) => `- **${audience}**: ${audienceMeanings[audience]}`),
    "",
    ...severities.map((severity) => `- **${severity}**: ${severityMeanings[severity]}`),
    "",
    "| rule | change and consequences | callers | clients | readers | an upgrade is |",
    "|---|---|---|---|---|---|",
    ...ruleIds.map((id) => {
      const { title, meaning, severity, upgrade } = rules[id];
      const cells = audiences.map((audience) => severity[audience] ?? "–");
      return `| \`${id}\` | ${title}. ${meaning} | ${cells.join(" | ")} | ${upgrade} |`;
    }),
    "",
    `The rules follow from aptos-core: ${COMPATIBILITY}, and for some of them another file.`,
    "",
    ...Object.entries(sources).map(([source, ids = []]) => `- ${source}: ${ids.map((id) => `\`${id}\``).join(", ")}`),
  ];
  return `${lines.join("\n")}\n`;
}
