import type { LinkProblem } from "../../abi/linking.ts";
import { plural } from "../../base/plural.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { isFailing } from "../diff/report.ts";
import { type BuildCheck, verdictOf } from "./build-check.ts";

/** The result in one sentence. */
export function checkSentence(check: BuildCheck): string {
  const { upgrade, links, dependencies } = check;
  const refused = upgrade.refused > 0 || links.length > 0;
  const fails = upgrade.modules.some(({ findings }) => findings.some((finding) => isFailing(upgrade, finding)));
  const because = [
    ...(upgrade.refused > 0 ? [`${plural(upgrade.refused, "change")} that no upgrade may make`] : []),
    ...(links.length > 0 ? [`${plural(links.length, "use")} of other modules that ${links.length === 1 ? "does" : "do"} not link`] : []),
  ];
  if (refused) return `the VM would refuse this build: ${because.join(", ")}`;
  if (fails) return "the VM would accept this build; it breaks what relies on it";
  const verdict = verdictOf(check);
  if (verdict === "breaking") return "the VM would accept this build; dependencies changed in what it uses of them";
  if (verdict === "incomparable") return "nothing was found against this build, and not all of it could be checked";
  return `the VM would accept this build, and it breaks no module that is known${dependencies === undefined ? "; its dependencies are not known" : ""}`;
}

/** `0x1::coin::withdraw`, as a module uses it. */
export function targetWords({ target, item }: LinkProblem): string {
  return `${item.kind} ${formatModuleId(target)}${item.name === null ? "" : `::${item.name}`}`;
}

/** What does not link, in a sentence. */
export function linkSentence({ module, target, item, expected, found }: LinkProblem): string {
  const what = targetWords({ module, target, item, expected, found });
  return found === null ? `${what} is not there` : `${what} is not as the build expects it: ${expected}; it is: ${found}`;
}

/** What the build lacks of its accounts' modules; undefined if nothing. */
export function missingSentence({ missing }: BuildCheck): string | undefined {
  if (missing.length === 0) return undefined;
  const named = missing.slice(0, 5).map(formatModuleId);
  const more = missing.length > named.length ? ` and ${missing.length - named.length} more` : "";
  return `the build lacks ${named.join(", ")}${more}: a chain refuses an upgrade that lacks modules of the same package`;
}
