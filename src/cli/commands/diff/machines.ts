import { rawText } from "../../../base/document.ts";
import { keepTexts } from "../../../base/plural.ts";
import { itemNameOf, moduleNameOf } from "../../../move/module-id.ts";
import { type DiffReport, isCarriedFailing, isFailing, type ReportedFinding } from "../../../questions/diff/report.ts";
import {
  audienceText,
  findingsSentence,
  incomparableSentence,
  itemText,
  moduleId,
  modulesSentence,
  userSentences,
} from "../../../questions/diff/sentences.ts";
import { generalNotice, type Notice } from "../../output/notices.ts";

/** What of a report is worth a notice, and its numbers under a name. What is safe or silent is counted alone. */
export function diffNotices(report: DiffReport, name: string): Notice[] {
  const findings = report.modules.flatMap((module) =>
    module.findings.flatMap((finding): Notice[] => {
      const fails = isFailing(report, finding);
      if (!fails && finding.worst !== "breaking" && finding.worst !== "dangerous") return [];
      const level = fails || finding.worst === "breaking" ? "error" : "warning";
      return [{ level, rule: finding.rule, module: moduleId(module), item: itemText(finding), text: findingText(finding) }];
    }),
  );
  return [
    ...findings,
    ...(isCarriedFailing(report) ? (report.carried?.changes ?? []) : []).map(
      ({ chain: [name = "", ...calls], what }): Notice => ({
        level: "error",
        rule: "carried",
        module: moduleNameOf(name),
        item: `function ${itemNameOf(name)}`,
        text: `calls ${calls.join(" → ")}: ${what}`,
      }),
    ),
    ...report.incomparable.map((found) => generalNotice("error", "could not be compared", incomparableSentence(found))),
    generalNotice("notice", name, `${modulesSentence(report)}: ${findingsSentence(report)}`),
  ];
}

function findingText(finding: ReportedFinding): string {
  const { before, after } = finding;
  const sides = [before !== null && `before: ${before}`, after !== null && `after: ${after}`];
  return keepTexts([audienceText(finding), ...sides, ...userSentences(finding).map(rawText)]).join("; ");
}
