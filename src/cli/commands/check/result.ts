import { publishRules } from "../../../abi/publish/rules.ts";
import { address, from, list, object, orNull, text, truth, word } from "../../../base/document/result.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import { type BuildCheck, verdictOf } from "../../../questions/check/build-check.ts";
import { checkedScope, checkSentence } from "../../../questions/check/sentences.ts";
import { diffResult, incomparable } from "../diff/result.ts";

type Link = BuildCheck["links"][number];
type Problem = BuildCheck["problems"][number];
const item = { item_kind: from("item.kind", text), item: from("item.name", orNull(text)) };

/** What `check --json` prints. */
export const checkResult = object({
  verdict: from(verdictOf, text),
  summary: from(checkSentence, text),
  checked: from((check: BuildCheck) => checkedScope(check).checked, list(text)),
  not_checked: from((check: BuildCheck) => checkedScope(check).notChecked, list(text)),
  upgrade: diffResult,
  links: list(
    object({
      module: from(({ module }: Link) => formatModuleId(module), text),
      target: from(({ target }: Link) => formatModuleId(target), text),
      ...item,
      expected: text,
      found: orNull(text),
    }),
  ),
  plan: list(object({ address, modules: list(text), is_dependency: truth })),
  problems: list(
    object({
      rule: text,
      by: from(({ rule }: Problem) => publishRules[rule].by, word("chain", "compiler")),
      module: from(({ module }: Problem) => formatModuleId(module), text),
      ...item,
      reason: text,
      source: from(({ rule }: Problem) => publishRules[rule].source, text),
    }),
  ),
  unlinked: incomparable,
  dependencies: orNull(diffResult),
  missing: from(({ missing }: BuildCheck) => missing.map(formatModuleId), list(text)),
});
