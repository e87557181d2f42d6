import { rawText } from "../../../core/base/document.ts";
import { keepTexts } from "../../../core/base/plural.ts";
import {
  address,
  all,
  either,
  from,
  list,
  maybe,
  object,
  orNull,
  sha256,
  text,
  truth,
  version,
  whole,
  word,
} from "../../../core/base/result.ts";
import { formatModuleId, itemNameOf, moduleNameOf } from "../../../core/move/module-id.ts";
import type { CodeDiff } from "../../changes/compare/code-diff.ts";
import { severities } from "../../changes/compare/severity.ts";
import type { User } from "../../changes/compare/usage.ts";
import { type DiffReport, isCarriedFailing, isFailing, type ReportedFinding } from "../../changes/diff/report.ts";
import {
  audienceText,
  findingsSentence,
  incomparableSentence,
  itemText,
  moduleId,
  modulesSentence,
  userSentences,
} from "../../changes/diff/sentences.ts";
import { generalNotice, type Notice } from "../notices.ts";

const severity = word(...severities);

const finding = object({
  rule: text,
  severity: from("worst", severity),
  audiences: from("severity", object(all(maybe(severity), "callers", "clients", "readers"))),
  item_kind: from("item.kind", text),
  item: from("item.name", orNull(text)),
  before: orNull(text),
  after: orNull(text),
  upgrade: text,
  functions: maybe(list(text)),
  users: from(({ users }: ReportedFinding) => users?.map(formatModuleId), maybe(list(text))),
  user_functions: from(({ users }: ReportedFinding) => users?.flatMap(functionNames), maybe(list(text))),
});

/** The functions of a user that call the item: `0x3::token::mint`. */
function functionNames({ functions = [], ...module }: User): string[] {
  return functions.map((name) => `${formatModuleId(module)}::${name}`);
}

const line = object({ change: word("same", "removed", "added"), index: orNull(whole), text });
const comparedCode = object({
  functions: list(object({ function: text, change: text, hunks: list(list(line)) })),
  left_out: whole,
});
const unreadableCode = object({ unreadable: text });
const code = either([comparedCode, unreadableCode], (of: CodeDiff): unknown =>
  "unreadable" in of ? unreadableCode.print(of) : comparedCode.print(of),
);

export const moduleResult = object({
  address: from("module.address", address),
  module: from("module.name", text),
  depth: text,
  from_sha256: from("sha256.before", orNull(sha256)),
  to_sha256: from("sha256.after", orNull(sha256)),
  renamed: list(object({ kind: word("function", "struct"), from: text, to: text })),
  findings: list(finding),
  code: maybe(code),
});

export const carriedChange = object({ chain: list(text), what: text });

export const incomparable = list(object({ subject: orNull(text), reason: text }));

export const diffResult = object({
  ...all(text, "before", "after"),
  unchanged: whole,
  findings: from("counts", object(all(whole, ...severities))),
  refused: whole,
  modules: list(moduleResult),
  carried: from("carried.changes", orNull(list(carriedChange))),
  carried_is_cut: from("carried.isCut", orNull(truth)),
  incomparable,
  usage: orNull(object({ ledger_version: from("version", version), ...all(whole, "accounts", "gaps") })),
});

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
  const { before, after } = finding;
  const sides = [before !== null && `before: ${before}`, after !== null && `after: ${after}`];
  return keepTexts([audienceText(finding), ...sides, ...userSentences(finding).map(rawText)]).join("; ");
}
