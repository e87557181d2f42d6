import { itemNameOf, moduleNameOf } from "../../../move/module-id.ts";
import { type DiffReport, isCarriedFailing, isFailing, type ReportedFinding, type ReportedModule } from "../../../questions/diff/report.ts";
import {
  audienceText,
  findingsSentence,
  incomparableSentence,
  itemText,
  moduleId,
  modulesSentence,
  userText,
} from "../../../questions/diff/sentences.ts";
import type { JunitCase } from "../../output/junit.ts";
import { keepTexts } from "../../output/keep-texts.ts";
import { generalNotice, type Notice } from "../../output/notices.ts";

/**
 * The report for JUnit: a suite for each module, a case for each finding, which fails when it is bad enough. Without
 * `--fail-on`, what is breaking fails. What could not be compared is an error.
 */
export function diffCases(report: DiffReport): JunitCase[] {
  const failing = { failOn: report.failOn ?? "breaking" } as const;
  const findings = report.modules.flatMap((module) =>
    module.findings.map((finding) => findingCase(module, finding, isFailing(failing, finding))),
  );
  const errors = report.incomparable.map(
    (found): JunitCase => ({
      suite: "could not be compared",
      name: found.subject ?? "everything",
      outcome: "error",
      message: incomparableSentence(found),
    }),
  );
  const fails = isCarriedFailing(failing);
  const carried = (report.carried?.changes ?? []).map(
    ({ chain: [name = "", ...calls], what }): JunitCase => ({
      suite: moduleNameOf(name),
      name: `carried: function ${itemNameOf(name)}`,
      outcome: fails ? "failure" : "passed",
      type: "behaviour",
      message: `calls ${calls.join(" → ")}: ${what}`,
    }),
  );
  return [...findings, ...carried, ...errors];
}

function findingCase(module: ReportedModule, finding: ReportedFinding, fails: boolean): JunitCase {
  const users = userText(finding);
  const message = `${audienceText(finding)}${users === undefined ? "" : `; ${users}`}`;
  return {
    suite: moduleId(module),
    name: `${finding.rule}${finding.item.name === null ? "" : `: ${itemText(finding)}`}`,
    outcome: fails ? "failure" : "passed",
    type: finding.worst,
    message: fails ? message : `${finding.worst}: ${message}`,
    body: witnesses(finding).join(" | "),
  };
}

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
  return keepTexts([audienceText(finding), ...witnesses(finding), userText(finding)]).join("; ");
}

function witnesses({ before, after }: ReportedFinding): string[] {
  return keepTexts([before !== null && `before: ${before}`, after !== null && `after: ${after}`]);
}
