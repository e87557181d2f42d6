import { address, all, either, from, list, maybe, object, orNull, sha256, text, whole, word } from "../../../core/base/result.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import type { CodeDiff } from "../compare/code-diff.ts";
import { severities } from "../compare/severity.ts";
import { callersIn } from "../compare/usage.ts";
import type { ReportedFinding } from "./report.ts";

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
  user_functions: from(({ users }: ReportedFinding) => users && callersIn(users), maybe(list(text))),
});

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
