import { listFirst, plural } from "../../../core/base/plural.ts";
import { formatModuleId } from "../../../core/move/module-id.ts";
import type { LinkProblem } from "../../changes/compare/linking.ts";
import { hasFailing } from "../../changes/diff/report.ts";
import { type BuildCheck, verdictOf } from "./build-check.ts";

export function checkSentence(check: BuildCheck): string {
  const { upgrade, links } = check;
  const because = [
    ...(upgrade.refused > 0 ? [`${plural(upgrade.refused, "change")} that no upgrade may make`] : []),
    ...(links.length > 0 ? [`${plural(links.length, "use")} of other modules that ${links.length === 1 ? "does" : "do"} not link`] : []),
  ];
  if (because.length > 0) return `the VM would refuse this build: ${because.join(", ")}`;
  const verdict = verdictOf(check);
  if (verdict === "incomparable") return "nothing was found against this build, but not all of it could be checked";
  const lacks = check.missing.length;
  return [
    `nothing was found for which the VM would refuse this build${hasFailing(upgrade) ? "; it breaks what relies on it" : ", and it breaks no module that is known"}`,
    ...(lacks > 0
      ? [`The VM refuses it if ${lacks === 1 ? "the module" : `one of the ${lacks} modules`} that it lacks is of its package`]
      : []),
  ].join(". ");
}

/** What a check looks at, and what it leaves to others: a result says no more than the first. */
export const CHECKED = ["upgrade rules", "linking"] as const;
export const NOT_CHECKED = [
  "the VM's verifier and the rules of publishing, which the chain's CLI simulates",
  "the package's upgrade policy and which modules are its own, which no snapshot holds",
] as const;

/** `0x1::coin::withdraw`, as a module uses it. */
export function targetText({ target, item }: LinkProblem): string {
  return `${item.kind} ${formatModuleId(target)}${item.name === null ? "" : `::${item.name}`}`;
}

export function linkSentence({ module, target, item, expected, found }: LinkProblem): string {
  const what = targetText({ module, target, item, expected, found });
  return found === null ? `${what} is not there` : `${what} is not as the build expects it: ${expected}; it is: ${found}`;
}

/** What the build lacks of its accounts' modules; undefined if nothing. */
export function missingSentence({ missing }: BuildCheck): string | undefined {
  if (missing.length === 0) return undefined;
  const modules = listFirst(missing.map(formatModuleId), 5);
  return `the build lacks ${modules}: a chain refuses an upgrade that lacks modules of the same package`;
}
