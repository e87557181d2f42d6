import { type DiffReport, isCarriedFailing, isFailing, type ReportedFinding, type ReportedModule } from "../../../questions/diff/report.ts";
import { audienceText, incomparableSentence, itemText, moduleId, userText } from "../../../questions/diff/sentences.ts";
import { type JunitCase, junitXml } from "../../output/junit.ts";

/**
 * The report as JUnit XML: a suite for each module, a case for each finding, which fails when it is bad enough. Without
 * `--fail-on`, what is breaking fails. What could not be compared is an error.
 */
export function diffJunit(report: DiffReport): string {
  return junitXml("movedex diff", diffCases(report));
}

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
      suite: name.slice(0, name.lastIndexOf("::")),
      name: `carried: function ${name.slice(name.lastIndexOf("::") + 2)}`,
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
    body: [finding.before === null ? "" : `before: ${finding.before}`, finding.after === null ? "" : `after: ${finding.after}`]
      .filter(Boolean)
      .join(" | "),
  };
}
