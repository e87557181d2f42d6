import { audienceMeanings, audiences, severities, severityMeanings } from "../severity.ts";
import { ruleIds, rules } from "./rules.ts";

export function rulesText(): string {
  const width = Math.max(...ruleIds.map((id) => id.length));
  return ruleIds
    .map((id) => {
      const { title, meaning, severity, upgrade, source } = rules[id];
      const pad = " ".repeat(width);
      const concerned = audiences
        .filter((audience) => severity[audience] !== undefined)
        .map((audience) => `${audience} ${severity[audience]}`);
      return `${id.padEnd(width)}  ${title}\n${pad}  ${meaning}\n${pad}  ${concerned.join(", ")}; the VM: ${upgrade}; ${source}\n`;
    })
    .join("\n");
}

export function rulesMarkdown(): string {
  const lines = [
    ...audiences.map((audience) => `- **${audience}**: ${audienceMeanings[audience]}`),
    "",
    ...severities.map((severity) => `- **${severity}**: ${severityMeanings[severity]}`),
    "",
    "| rule | change and consequences | callers | clients | readers | an upgrade is | source |",
    "|---|---|---|---|---|---|---|",
    ...ruleIds.map((id) => {
      const { title, meaning, severity, upgrade, source } = rules[id];
      const cells = audiences.map((audience) => severity[audience] ?? "–");
      return `| \`${id}\` | ${title}. ${meaning} | ${cells.join(" | ")} | ${upgrade} | ${source} |`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}
