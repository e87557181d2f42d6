import type { CodeDiff, CodeLine } from "../../../abi/compare/code-diff.ts";
import { isBehaviour } from "../../../abi/compare/rules/rules.ts";
import type { Severity } from "../../../abi/compare/severity.ts";
import { printable } from "../../../base/printable.ts";
import { type DiffReport, isFailing, type ReportedFinding, type ReportedModule } from "../../../questions/diff/report.ts";
import {
  audienceText,
  carriedLines,
  codeText,
  depthNames,
  findingsSentence,
  functionSentence,
  incomparableSentence,
  itemText,
  missingCodeSentence,
  moduleId,
  modulesSentence,
  renameLines,
  usageSentence,
  userText,
} from "../../../questions/diff/sentences.ts";
import type { Colour, Paint } from "../../output/paint.ts";

const COLOURS: Readonly<Record<Severity, Colour>> = {
  breaking: "red",
  dangerous: "yellow",
  behaviour: "yellow",
  safe: "green",
  silent: "gray",
};

/** Characters of a witness. */
const WITNESS_MAX = 2000;

/** Rules that say no more than the words for the depth of the difference. */
const NAMED_BY_DEPTH: ReadonlySet<string> = new Set([
  "code-changed",
  "encoding-changed",
  "metadata-changed",
  "function-changed",
  "abort-codes-changed",
]);

export function diffText(report: DiffReport, paint: Paint): string {
  const lines = [`${printable(report.before)} → ${printable(report.after)}`, `${modulesSentence(report)}: ${findingsSentence(report)}`];
  if (report.modules.some(isSilent) && report.modules.every(isSilent)) lines.push("");
  for (const [i, module] of report.modules.entries()) {
    if (isSilent(module) && i > 0 && !isSilent(report.modules[i - 1] as ReportedModule)) lines.push("");
    const head = `${paint("bold", printable(moduleId(module)))}  ${depthNames[module.depth]}`;
    if (isSilent(module)) {
      lines.push(`${head}${silentText(module)}`, ...codeLines(module.code, paint));
      continue;
    }
    lines.push("", head);
    lines.push(...renameLines(module).map((line) => `  ${printable(line, WITNESS_MAX)}`));
    // What the functions' own findings say in more words is left out.
    const isDetailed = module.findings.some(({ rule }) => isBehaviour(rule));
    for (const finding of module.findings.filter(({ rule }) => !isDetailed || rule !== "code-changed"))
      lines.push(...findingLines(finding, paint, isFailing(report, finding)));
    lines.push(...codeLines(module.code, paint));
  }
  const carried = carriedLines(report.carried);
  if (carried.length > 0)
    lines.push(
      "",
      paint("yellow", "behave differently because of other modules:"),
      ...carried.map((line) => `  ${printable(line, WITNESS_MAX)}`),
    );
  if (report.incomparable.length > 0) {
    lines.push(
      "",
      paint("red", "could not be compared:"),
      ...report.incomparable.map((found) => `  ${printable(incomparableSentence(found), 1000)}`),
    );
  }
  if (report.usage !== undefined) lines.push("", usageSentence(report.usage));
  return `${lines.join("\n")}\n`;
}

/** Modules of which only the bytes changed get a line each: there can be very many of them. */
function isSilent({ findings }: ReportedModule): boolean {
  return findings.every(({ worst }) => worst === "silent");
}

function silentText({ sha256, findings }: ReportedModule): string {
  const changed = findings.find(({ rule }) => rule === "code-changed")?.after;
  const words = typeof changed === "string" ? `  in ${printable(changed, WITNESS_MAX)}` : "";
  const rules = findings.map(({ rule }) => rule).filter((rule) => !NAMED_BY_DEPTH.has(rule));
  const digests = sha256.before === null || sha256.after === null ? "" : `  ${sha256.before.slice(0, 12)} → ${sha256.after.slice(0, 12)}`;
  return `${digests}${words}${rules.length === 0 ? "" : `  ${[...new Set(rules)].join(", ")}`}`;
}

function findingLines(finding: ReportedFinding, paint: Paint, fails: boolean): string[] {
  const users = userText(finding);
  const head = `  ${paint(COLOURS[finding.worst], `${fails ? "✗ " : ""}${finding.worst}`)}  ${finding.rule}  ${paint("bold", printable(itemText(finding)))}`;
  return [
    head.trimEnd(),
    ...witnessLines(finding, paint),
    ...(finding.worst === "silent" ? [] : [`    ${audienceText(finding)}`]),
    ...(users === undefined ? [] : [`    ${printable(users, WITNESS_MAX)}`]),
  ];
}

/** The item before and after; for changed code the names of the functions. */
function witnessLines({ rule, before, after }: ReportedFinding, paint: Paint): string[] {
  if (rule === "code-changed") return after === null ? [] : [`    in ${printable(after, WITNESS_MAX)}`];
  return [
    ...(before === null ? [] : [paint("red", `    - ${printable(before, WITNESS_MAX)}`)]),
    ...(after === null ? [] : [paint("green", `    + ${printable(after, WITNESS_MAX)}`)]),
  ];
}

const CODE_COLOURS: Readonly<Record<CodeLine["change"], Colour>> = { same: "gray", removed: "red", added: "green" };

/** The instructions that differ, with `⋮` between stretches. */
function codeLines(code: CodeDiff | undefined, paint: Paint): string[] {
  if (code === undefined) return [];
  const missing = missingCodeSentence(code);
  const functions = "unreadable" in code ? [] : code.functions;
  return [
    ...functions.flatMap((fn) => [
      `  ${paint("bold", printable(functionSentence(fn), WITNESS_MAX))}`,
      ...fn.hunks.flatMap((hunk, i) => [
        ...(i > 0 ? ["    ⋮"] : []),
        ...hunk.map((line) => `    ${paint(CODE_COLOURS[line.change], printable(codeText(line), WITNESS_MAX))}`),
      ]),
    ]),
    ...(missing === undefined ? [] : [`  ${printable(missing, WITNESS_MAX)}`]),
  ];
}
