import type { Severity } from "../../../abi/compare/severity.ts";
import { type DiffReport, isFailing, type ReportedFinding, type ReportedModule } from "../../../questions/diff/report.ts";
import {
  audienceWords,
  findingsSentence,
  incomparableSentence,
  itemWords,
  moduleId,
  modulesSentence,
  userWords,
} from "../../../questions/diff/words.ts";
import { githubAnnotation } from "../../output/github.ts";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "notice">> = {
  breaking: "error",
  dangerous: "warning",
  safe: "notice",
  silent: "notice",
};

/** The report as workflow commands of GitHub Actions, which become annotations: one a finding, and a last line of numbers. */
export function diffGithub(report: DiffReport, name = "movedex diff"): string {
  const lines = report.modules.flatMap((module) => module.findings.map((finding) => annotation(report, module, finding)));
  const errors = report.incomparable.map((found) => githubAnnotation("error", "could not be compared", incomparableSentence(found)));
  return [...lines, ...errors, githubAnnotation("notice", name, `${modulesSentence(report)}: ${findingsSentence(report)}`)].join("");
}

function annotation(report: DiffReport, module: ReportedModule, finding: ReportedFinding): string {
  const item = itemWords(finding);
  const title = `${finding.rule}: ${moduleId(module)}${item === "" ? "" : ` ${item}`}`;
  const users = userWords(finding);
  const message = [
    audienceWords(finding),
    ...(finding.before === null ? [] : [`before: ${finding.before}`]),
    ...(finding.after === null ? [] : [`after: ${finding.after}`]),
    ...(users === undefined ? [] : [users]),
  ];
  return githubAnnotation(isFailing(report, finding) ? "error" : LEVELS[finding.worst], title, ...message);
}
