import { from, list, object, orNull, text } from "../../../base/result.ts";
import { formatModuleId } from "../../../move/module-id.ts";
import { type BuildCheck, verdictOf } from "../../../questions/check/build-check.ts";
import { CHECKED, checkSentence, NOT_CHECKED } from "../../../questions/check/sentences.ts";
import { diffResult, incomparable } from "../diff/result.ts";

type Link = BuildCheck["links"][number];

/** What `check --json` prints. */
export const checkResult = object({
  verdict: from(verdictOf, text),
  summary: from(checkSentence, text),
  checked: from((_: BuildCheck) => CHECKED, list(text)),
  not_checked: from((_: BuildCheck) => NOT_CHECKED, list(text)),
  upgrade: diffResult,
  links: list(
    object({
      module: from(({ module }: Link) => formatModuleId(module), text),
      target: from(({ target }: Link) => formatModuleId(target), text),
      item_kind: from("item.kind", text),
      item: from("item.name", orNull(text)),
      expected: text,
      found: orNull(text),
    }),
  ),
  unlinked: incomparable,
  missing: from(({ missing }: BuildCheck) => missing.map(formatModuleId), list(text)),
});
