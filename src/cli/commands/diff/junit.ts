import { itemNameOf, moduleNameOf } from "../../../move/module-id.ts";
import { type DiffReport, isCarriedFailing, isFailing, type ReportedFinding, type ReportedModule } from "../../../questions/diff/report.ts";
import { audienceText, incomparableSentence, itemText, moduleId, userText } from "../../../questions/diff/sentences.ts";
import type { JunitCase } from "../../output/junit.ts";

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
    body: [finding.before === null ? "" : `before: ${finding.before}`, finding.after === null ? "" : `after: ${finding.after}`]
      .filter(Boolean)
      .join(" | "),
  };
}
