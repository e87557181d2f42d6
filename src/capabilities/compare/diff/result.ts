import { keepTexts } from "../../../core/base/plural.ts";
import { all, from, list, object, orNull, text, truth, version, whole } from "../../../core/base/result.ts";
import { formatModuleId, itemNameOf, moduleNameOf } from "../../../core/move/module-id.ts";
import { severities } from "../../changes/compare/severity.ts";
import { carriedChange, moduleResult } from "../../changes/diff/module-result.ts";
import { type DiffReport, isCarriedFailing, isFailing, type ReportedFinding } from "../../changes/diff/report.ts";
import {
  audienceText,
  findingsSentence,
  incomparableSentence,
  itemText,
  modulesSentence,
  userSentences,
} from "../../changes/diff/sentences.ts";
import { rawText } from "../../changes/documents/document.ts";
import { generalNotice, type Notice } from "../notices.ts";

export const incomparable = list(object({ subject: orNull(text), reason: text }));

export const diffResult = object({
  ...all(text, "before", "after"),
  unchanged: whole,
  findings: from("counts", object(all(whole, ...severities))),
  refused: whole,
  modules: list(moduleResult),
  carried: from("carried.changes", orNull(list(carriedChange))),
  carried_is_cut: from("carried.isCut", orNull(truth)),
  incomparable,
  usage: orNull(object({ ledger_version: from("version", version), ...all(whole, "accounts", "gaps") })),
});

/** What of a report is worth a notice, and its numbers under a name. What is safe or silent is counted alone. */
export function diffNotices(report: DiffReport, name: string): Notice[] {
  const findings = report.modules.flatMap((module) =>
    module.findings.flatMap((finding): Notice[] => {
      const fails = isFailing(report, finding);
      if (!fails && finding.worst !== "breaking" && finding.worst !== "dangerous") return [];
      const level = fails || finding.worst === "breaking" ? "error" : "warning";
      const [item, text] = [itemText(finding), findingText(finding)];
      return [{ level, rule: finding.rule, module: formatModuleId(module.module), item, text, caused: finding }];
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
