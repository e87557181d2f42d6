import { printable } from "../../base/printable.ts";

/** One case of a suite. `outcome` is what it ended with; a case that passed may say something too. */
export type JunitCase = {
  readonly suite: string;
  readonly name: string;
  readonly outcome: "passed" | "failure" | "error";
  /** What kind of failure it is. */
  readonly type?: string;
  readonly message: string;
  readonly body?: string;
};

/** Characters of a text. */
const TEXT_MAX = 2000;
const BODY_MAX = 4000;

export function junitXml(name: string, cases: readonly JunitCase[]): string {
  const suites = [...Map.groupBy(cases, ({ suite }) => suite)].map(
    ([suite, of]) => `  <testsuite name="${xmlText(suite)}" ${counts(of)}>\n${of.map(caseXml).join("")}  </testsuite>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${xmlText(name)}" ${counts(cases)}>\n${suites.join("")}</testsuites>\n`;
}

function counts(cases: readonly JunitCase[]): string {
  const count = (wanted: JunitCase["outcome"]): number => cases.filter(({ outcome }) => outcome === wanted).length;
  return `tests="${cases.length}" failures="${count("failure")}" errors="${count("error")}"`;
}

function caseXml({ suite, name, outcome, type, message, body = "" }: JunitCase): string {
  const kind = type === undefined ? "" : ` type="${xmlText(type)}"`;
  const text = xmlText(message);
  const inside =
    outcome === "passed"
      ? `<system-out>${[text, xmlText(body, BODY_MAX)].filter(Boolean).join(": ")}</system-out>`
      : `<${outcome}${kind} message="${text}">${xmlText(body, BODY_MAX)}</${outcome}>`;
  return `    <testcase classname="${xmlText(suite)}" name="${xmlText(name)}">\n      ${inside}\n    </testcase>\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Text for XML, inside an element or an attribute. Controls and noncharacters, which XML 1.0 does not know, come out as escapes. */
function xmlText(text: string, limit = TEXT_MAX): string {
  return printable(text, limit).replace(/[&<>"']/g, (mark) => ENTITIES[mark] as string);
}
