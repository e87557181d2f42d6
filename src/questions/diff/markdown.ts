import type { CodeDiff } from "../../abi/compare/code-diff.ts";
import { type Block, inlineOf, markdownOf, type Point } from "../../base/document/document.ts";
import type { DiffReport, ReportedFinding, ReportedModule } from "./report.ts";
import {
  audienceText,
  carriedLines,
  codeText,
  depthNames,
  findingsSentence,
  functionSentence,
  incomparableSentence,
  missingCodeSentence,
  moduleId,
  modulesSentence,
  renameLines,
  usageSentence,
  userText,
} from "./sentences.ts";

/** The report for a pull request: a heading for each module, a point for each finding, the item before and after as a diff. */
export function diffMarkdown(report: DiffReport): string {
  const { before, after, incomparable, usage } = report;
  return markdownOf([
    { heading: ["Changes of modules"], level: 2 },
    { paragraph: [{ code: before }, " → ", { code: after }, `: ${modulesSentence(report)}; ${findingsSentence(report)}.`] },
    ...report.modules.flatMap((module): Block[] => [
      { heading: [{ code: moduleId(module) }, `: ${depthNames[module.depth]}`], level: 3 },
      { points: modulePoints(module) },
    ]),
    ...carriedBlocks(report, 3),
    ...(incomparable.length === 0
      ? []
      : [
          { heading: ["Could not be compared"], level: 3 } as const,
          { points: incomparable.map((found) => ({ parts: [{ code: incomparableSentence(found) }] })) },
        ]),
    ...(usage === undefined ? [] : [{ paragraph: [`${usageSentence(usage)}.`] }]),
  ]);
}

/** A section about functions that do something else since others changed; none where there are none. */
export function carriedBlocks({ carried }: Pick<DiffReport, "carried">, level: 2 | 3): Block[] {
  const points = carriedLines(carried).map((_, i): Point => ({ parts: inlineOf((written) => carriedLines(carried, written)[i] ?? "") }));
  return points.length === 0 ? [] : [{ heading: ["What does something else because of other modules"], level }, { points }];
}

/** What is to be said of a module: a point for each rename, finding and function whose instructions differ. */
export function modulePoints(module: ReportedModule): Point[] {
  return [
    ...module.renamed.map((rename): Point => ({ parts: inlineOf((written) => renameLines({ renamed: [rename] }, written)[0] ?? "") })),
    ...module.findings.map(findingPoint),
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
      lines: fn.hunks.flatMap((hunk, i) => [...(i > 0 ? ["  ⋮"] : []), ...hunk.map(codeText)]),
    })),
    ...(missing === undefined ? [] : [{ parts: [{ code: missing }] }]),
  ];
}

function findingPoint(finding: ReportedFinding): Point {
  const { item, worst, rule, before, after } = finding;
  const users = inlineOf((written) => userText(finding, written) ?? "");
  return {
    parts: [
      { strong: worst, tone: worst },
      " ",
      { word: rule },
      ...(item.name === null ? [] : [` ${item.kind} `, { code: item.name }]),
      `: ${audienceText(finding)}`,
      ...(users.length === 0 ? [] : ["; ", ...users]),
    ],
    lines: [...(before === null ? [] : [`- ${before}`]), ...(after === null ? [] : [`+ ${after}`])],
  };
}
