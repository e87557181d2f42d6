import { type DiffReport, isFailing, type ReportedFinding, type ReportedModule } from "../../../ask/diff/report.ts";
import { audienceWords, incomparableSentence, itemWords, moduleId, userWords } from "../../../ask/diff/words.ts";
import { printable } from "../../../base/printable.ts";

/**
 * The report as JUnit XML: a suite for each module, a case for each finding, which fails when it is bad enough. Without
 * `--fail-on`, what is breaking fails. What could not be compared is an error.
 */
export function diffJunit(report: DiffReport): string {
  const failing = { failOn: report.failOn ?? "breaking" } as const;
  const suites = report.modules.map((module) => moduleSuite(module, (finding) => isFailing(failing, finding)));
  const errors = report.incomparable.map(
    (found) =>
      `    <testcase classname="could not be compared" name="${xmlText(found.subject ?? "everything")}">\n` +
      `      <error message="${xmlText(incomparableSentence(found))}"/>\n    </testcase>\n`,
  );
  const findings = report.modules.flatMap((module) => module.findings);
  const failures = findings.filter((finding) => isFailing(failing, finding)).length;
  const head = `name="movedex diff" tests="${findings.length + errors.length}" failures="${failures}" errors="${errors.length}"`;
  const last =
    errors.length === 0
      ? ""
      : `  <testsuite name="could not be compared" tests="${errors.length}" failures="0" errors="${errors.length}">\n${errors.join("")}  </testsuite>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${head}>\n${suites.join("")}${last}</testsuites>\n`;
}

function moduleSuite(module: ReportedModule, fails: (finding: ReportedFinding) => boolean): string {
  const id = xmlText(moduleId(module));
  const failures = module.findings.filter(fails).length;
  const cases = module.findings.map((finding) => {
    const name = xmlText(`${finding.rule}${finding.item.name === null ? "" : `: ${itemWords(finding)}`}`);
    const body = xmlText(
      [finding.before === null ? "" : `before: ${finding.before}`, finding.after === null ? "" : `after: ${finding.after}`]
        .filter(Boolean)
        .join(" | "),
      4000,
    );
    const users = userWords(finding);
    const message = xmlText(`${audienceWords(finding)}${users === undefined ? "" : `; ${users}`}`);
    const inside = fails(finding)
      ? `      <failure type="${finding.worst}" message="${message}">${body}</failure>\n`
      : `      <system-out>${xmlText(finding.worst)}: ${message}: ${body}</system-out>\n`;
    return `    <testcase classname="${id}" name="${name}">\n${inside}    </testcase>\n`;
  });
  return `  <testsuite name="${id}" tests="${cases.length}" failures="${failures}" errors="0">\n${cases.join("")}  </testsuite>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Text for XML, inside an element or an attribute. Controls and noncharacters, which XML 1.0 does not know, come out as escapes. */
function xmlText(text: string, limit = 2000): string {
  return printable(text, limit).replace(/[&<>"']/g, (mark) => ENTITIES[mark] as string);
}
