import { formatModuleId } from "../../../core/move/module-id.ts";
import type { CodeDiff } from "../compare/code-diff.ts";
import { isBehaviour, rules } from "../compare/rules/rules.ts";
import { compareSeverities, type Severity } from "../compare/severity.ts";
import type { Incomparable } from "../compare/sides.ts";
import { type Block, type Inline, markdownOf, type Point, section } from "../documents/document.ts";
import { type Crowd, crowdSize, crowdsOf, wentAndCame } from "./crowds.ts";
import { type DiffReport, isFailing, type ReportedFinding, type ReportedModule, worstIn } from "./report.ts";
import {
  audienceText,
  carriedSentences,
  codeText,
  crowdSentences,
  depthNames,
  findingsSentence,
  functionSentence,
  incomparableSentence,
  missingCodeSentence,
  modulesSentence,
  renameSentence,
  usageSentence,
  userSentences,
} from "./sentences.ts";

/** Rules that say no more than the words for the depth of the difference. */
const NAMED_BY_DEPTH: ReadonlySet<string> = new Set([
  "code-changed",
  "encoding-changed",
  "metadata-changed",
  "function-changed",
  "abort-codes-changed",
]);

/** The report for a pull request. */
export function diffMarkdown(report: DiffReport): string {
  return markdownOf(diffDocument(report, [], 2));
}

/** The report below a title of a level. There can be very many modules of which only the bytes changed: they get a line each. */
export function diffDocument(report: DiffReport, title: readonly Inline[] = [], level: 1 | 2 = 1): Block[] {
  const { before, after, incomparable, usage } = report;
  const carried = carriedSentences(report.carried).map((parts): Point => ({ parts }));
  const { crowds, others } = crowdsOf(report.modules);
  const groups = [
    ...crowds.map((crowd) => ({ worst: crowd.worst, blocks: crowdBlocks(crowd, report) })),
    ...others.map((module) => ({ worst: worstIn(module), blocks: moduleBlocks(module, report) })),
  ];
  return [
    { heading: [...title, { code: before }, " → ", { code: after }], level },
    { paragraph: [`${modulesSentence(report)}: ${findingsSentence(report)}`] },
    ...groups.toSorted((a, b) => compareSeverities(a.worst, b.worst)).flatMap(({ blocks }) => blocks),
    ...section(["What does something else because of other modules"], 2, carried),
    ...section(["Could not be compared"], 2, incomparablePoints(incomparable)),
    ...(usage === undefined ? [] : [{ paragraph: [`${usageSentence(usage)}.`] }]),
  ];
}

/** What one cause does to many items: once, with whom it concerns how much, and the first items by name. */
export function crowdBlocks(crowd: Crowd, report: Pick<DiffReport, "failOn"> = { failOn: undefined }): Block[] {
  const { worst, first, findings } = crowd;
  const [gone, came] = wentAndCame(first);
  return [
    { heading: [crowdSize(crowd), " ", "changed alike"], level: 3 },
    {
      points: [
        {
          parts: [
            ...verdictParts(
              worst,
              findings.some((finding) => isFailing(report, finding)),
            ),
            { word: first.rule },
            " ",
            rules[first.rule].title,
          ],
          lines: witnesses({ ...first, before: gone || null, after: came || null }),
          says: crowdSentences(crowd),
        },
      ],
    },
  ];
}

function moduleBlocks(module: ReportedModule, report: DiffReport): Block[] {
  const isSilent = worstIn(module) === "silent" && module.findings.length > 0;
  const isDetailed = module.findings.some(({ rule }) => isBehaviour(rule));
  // What the functions' own findings say in more words is left out.
  const findings = module.findings.filter(({ rule }) => !isDetailed || rule !== "code-changed");
  const head = [depthNames[module.depth], ...(isSilent ? silentParts(module) : [])];
  return [
    { heading: [{ code: formatModuleId(module.module) }, ...head.flatMap((part) => [" ", part])], level: 3 },
    { points: isSilent ? codePoints(module.code) : modulePoints({ ...module, findings }, report) },
  ];
}

/** What could not be compared, and why. */
export function incomparablePoints(found: readonly Incomparable[]): Point[] {
  return found.map((one) => ({ parts: [{ code: incomparableSentence(one) }] }));
}

function silentParts({ sha256, findings }: ReportedModule): string[] {
  const changed = findings.find(({ rule }) => rule === "code-changed");
  const rules = new Set(findings.map(({ rule }) => rule).filter((rule) => !NAMED_BY_DEPTH.has(rule)));
  return [
    ...(sha256.before === null || sha256.after === null ? [] : [`${sha256.before.slice(0, 12)} → ${sha256.after.slice(0, 12)}`]),
    ...(changed === undefined ? [] : witnesses(changed)),
    ...(rules.size === 0 ? [] : [[...rules].join(", ")]),
  ];
}

/** What is to be said of a module: a point for each rename, finding and function whose instructions differ. */
export function modulePoints(module: ReportedModule, report: Pick<DiffReport, "failOn"> = { failOn: undefined }): Point[] {
  return [
    ...module.renamed.map((rename): Point => ({ parts: renameSentence(rename) })),
    ...module.findings.map((finding) => findingPoint(finding, isFailing(report, finding))),
    ...codePoints(module.code),
  ];
}

/** The instructions that differ: a block for each function. */
function codePoints(code: CodeDiff | undefined): Point[] {
  if (code === undefined) return [];
  const missing = missingCodeSentence(code);
  const functions = "unreadable" in code ? [] : code.functions;
  return [
    ...functions.map((fn) => ({
      parts: [{ code: functionSentence(fn) }],
      lines: fn.hunks.flatMap((hunk, i) => [...(i > 0 ? ["⋮"] : []), ...hunk.map(codeText)]),
      says: [],
    })),
    ...(missing === undefined ? [] : [{ parts: [{ code: missing }] }]),
  ];
}

function findingPoint(finding: ReportedFinding, fails: boolean): Point {
  const { worst } = finding;
  return {
    parts: [...verdictParts(worst, fails), ...ruleParts(finding)],
    says: [[audienceText(finding)], ...userSentences(finding)],
    lines: witnesses(finding),
  };
}

function verdictParts(worst: Severity, fails: boolean): Inline[] {
  return [{ strong: `${fails ? "✗ " : ""}${worst}`, tone: worst }, " "];
}

/** A finding's rule and what it is about. */
function ruleParts({ rule, item }: ReportedFinding): Inline[] {
  return [{ word: rule }, ...(item.name === null ? [] : [" ", `${item.kind} `, { code: item.name }])];
}

/** The item before and after; for changed code the names of the functions. */
function witnesses({ rule, before, after }: ReportedFinding): string[] {
  if (rule === "code-changed") return after === null ? [] : [`in ${after}`];
  return [...(before === null ? [] : [`- ${before}`]), ...(after === null ? [] : [`+ ${after}`])];
}
