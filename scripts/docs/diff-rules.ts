import { COMPATIBILITY } from "../../src/capabilities/changes/compare/rules/rule.ts";
import { ruleIds, rules } from "../../src/capabilities/changes/compare/rules/rules.ts";
import { audienceMeanings, audiences, severities, severityMeanings } from "../../src/capabilities/changes/compare/severity.ts";

/** The rules of `diff` as a table, below whom a change can affect and how badly, with the sources that they follow from. */
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
  return lines.join("\n");
}
