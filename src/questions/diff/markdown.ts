import type { CodeDiff } from "../../abi/compare/code-diff.ts";
import { markdownBlock, markdownCode } from "../../base/markdown.ts";
import type { DiffReport, ReportedFinding, ReportedModule } from "./report.ts";
import {
  audienceText,
  carriedLines,
  codeText,
  depthNames,
  findingsSentence,
  functionSentence,
  incomparableSentence,
  missingCodeSentence,
  moduleId,
  modulesSentence,
  renameLines,
  usageSentence,
  userText,
} from "./sentences.ts";

/** The report for a pull request: a heading for each module, a point for each finding, the item before and after as a diff. */
export function diffMarkdown(report: DiffReport): string {
  const parts = [
    "## Changes of modules",
    `${markdownCode(report.before)} → ${markdownCode(report.after)}: ${modulesSentence(report)}; ${findingsSentence(report)}.`,
  ];
  for (const module of report.modules) {
    parts.push(...moduleParts(module));
  }
  parts.push(...carriedParts(report, "###"));
  if (report.incomparable.length > 0) {
    parts.push(
      "### Could not be compared",
      report.incomparable.map((found) => `- ${markdownCode(incomparableSentence(found), 1000)}`).join("\n"),
    );
  }
  if (report.usage !== undefined) parts.push(`${usageSentence(report.usage)}.`);
  return `${parts.join("\n\n")}\n`;
}

/** A section about functions that do something else since others changed; none where there are none. */
export function carriedParts({ carried }: Pick<DiffReport, "carried">, heading: string): string[] {
  const lines = carriedLines(carried, (text) => markdownCode(text, 1000));
  return lines.length === 0
    ? []
    : [`${heading} What does something else because of other modules`, lines.map((line) => `- ${line}`).join("\n")];
}

/** A module's heading and its findings, each a part of its own. */
export function moduleParts(module: ReportedModule): string[] {
  return [
    `### ${markdownCode(moduleId(module))}: ${depthNames[module.depth]}`,
    ...renameLines(module, markdownCode).map((line) => `- ${line}`),
    ...module.findings.map(findingPart),
    ...codeParts(module.code),
  ];
}

/** The instructions that differ: a block for each function. */
function codeParts(code: CodeDiff | undefined): string[] {
  if (code === undefined) return [];
  const missing = missingCodeSentence(code);
  const functions = "unreadable" in code ? [] : code.functions;
  return [
    ...functions.flatMap((fn) => [
      `- ${markdownCode(functionSentence(fn), 1000)}`,
      indented(
        markdownBlock(
          "diff",
          fn.hunks.flatMap((hunk, i) => [...(i > 0 ? ["  ⋮"] : []), ...hunk.map(codeText)]),
        ),
      ),
    ]),
    ...(missing === undefined ? [] : [`- ${markdownCode(missing, 1000)}`]),
  ];
}

function findingPart(finding: ReportedFinding): string {
  const { item, worst, rule } = finding;
  const name = item.name === null ? "" : ` ${item.kind} ${markdownCode(item.name)}`;
  const users = userText(finding, (name) => markdownCode(name));
  const head = `- **${worst}** \`${rule}\`${name}: ${audienceText(finding)}${users === undefined ? "" : `; ${users}`}`;
  const witness = [...(finding.before === null ? [] : [`- ${finding.before}`]), ...(finding.after === null ? [] : [`+ ${finding.after}`])];
  if (witness.length === 0) return head;
  return `${head}\n\n${indented(markdownBlock("diff", witness))}`;
}

/** Lines as a part of a list's point. */
function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
