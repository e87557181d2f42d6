import { formatModuleId } from "../../../move/module-id.ts";
import { type BuildCheck, verdictOf } from "../../../questions/check/build-check.ts";
import { checkSentence, linkSentence, missingSentence, NOT_CHECKED } from "../../../questions/check/sentences.ts";
import { incomparableSentence } from "../../../questions/diff/sentences.ts";
import { generalNotice, type Notice } from "../../output/notices.ts";
import { diffNotices } from "../diff/machines.ts";

/** What of a check is worth a notice, the result last. */
export function checkNotices(check: BuildCheck): Notice[] {
  const { upgrade, links, unlinked } = check;
  const missing = missingSentence(check);
  const levelOf = { breaking: "error", incomparable: "warning", done: "notice" } as const;
  return [
    ...diffNotices(upgrade, "the upgrade"),
    ...links.map((found): Notice => {
      return { level: "error", rule: "does not link", module: formatModuleId(found.module), item: "", text: linkSentence(found) };
    }),
    ...unlinked.map((found) => generalNotice("warning", "could not be checked", incomparableSentence(found))),
    ...(missing === undefined ? [] : [generalNotice("warning", "modules that the build lacks", missing)]),
    generalNotice(levelOf[verdictOf(check)], "movedex check", `${checkSentence(check)}. Not checked: ${NOT_CHECKED.join("; ")}`),
  ];
}
