import type { CodeDiff } from "../../../abi/compare/code-diff.ts";
import { severities } from "../../../abi/compare/severity.ts";
import type { User } from "../../../abi/compare/usage.ts";
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
} from "../../../base/result.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import type { ReportedFinding } from "../../../questions/diff/report.ts";

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

/** A module whose sides differ. */
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

/** A function that calls what another module changed. */
export const carriedChange = object({ chain: list(text), what: text });

/** What could not be compared, or not be linked. */
export const incomparable = list(object({ subject: orNull(text), reason: text }));

/** What `diff --json` prints. */
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
