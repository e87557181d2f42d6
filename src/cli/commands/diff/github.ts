import type { Severity } from "../../../abi/compare/severity.ts";
import { type DiffReport, isFailing, type ReportedFinding, type ReportedModule } from "../../../ask/diff/report.ts";
import {
  audienceWords,
  findingsSentence,
  incomparableSentence,
  itemWords,
  moduleId,
  modulesSentence,
  userWords,
} from "../../../ask/diff/words.ts";
import { printable } from "../../../base/printable.ts";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "notice">> = {
  breaking: "error",
  dangerous: "warning",
  safe: "notice",
  silent: "notice",
};

/** The report as workflow commands of GitHub Actions, which become annotations: one a finding, and a last line of numbers. */
export function diffGithub(report: DiffReport): string {
  const lines = report.modules.flatMap((module) => module.findings.map((finding) => annotation(report, module, finding)));
  const errors = report.incomparable.map((found) => command("error", "could not be compared", incomparableSentence(found)));
  return [...lines, ...errors, command("notice", "movedex diff", `${modulesSentence(report)}: ${findingsSentence(report)}`)].join("");
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
  return command(isFailing(report, finding) ? "error" : LEVELS[finding.worst], title, ...message);
}

/** One command. Its syntax escapes `%` and line ends, and in properties `:` and `,` too; the rest of a line is text. */
function command(level: string, title: string, ...lines: readonly string[]): string {
  const text = lines.map((line) => escapeData(printable(line, 2000))).join("%0A");
  return `::${level} title=${escapeData(printable(title, 300)).replaceAll(":", "%3A").replaceAll(",", "%2C")}::${text}\n`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
