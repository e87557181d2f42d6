import type { LinkProblem } from "../../abi/linking.ts";
import type { PublishProblem } from "../../abi/publish/problem.ts";
import { type PublishArea, publishAreas, publishRules } from "../../abi/publish/rules.ts";
import { listFirst, plural } from "../../base/plural.ts";
import { formatModuleId } from "../../move/module-id.ts";
import { hasFailing } from "../diff/report.ts";
import { type BuildCheck, isFailingProblem, verdictOf } from "./build-check.ts";

export function checkSentence(check: BuildCheck): string {
  const { upgrade, links, problems, dependencies } = check;
  const broken = problems.filter(({ rule }) => publishRules[rule].by === "chain").length;
  const because = [
    ...(upgrade.refused > 0 ? [`${plural(upgrade.refused, "change")} that no upgrade may make`] : []),
    ...(links.length > 0 ? [`${plural(links.length, "use")} of other modules that ${links.length === 1 ? "does" : "do"} not link`] : []),
    ...(broken > 0 ? [`${plural(broken, "break")} of the rules of publishing`] : []),
  ];
  if (because.length > 0) return `the VM would refuse this build: ${because.join(", ")}`;
  const verdict = verdictOf(check);
  if (verdict === "incomparable") return "nothing was found against this build, but not all of it could be checked";
  const lacks = check.missing.length;
  const isUnknown = verdict === "done" && dependencies === undefined;
  return [
    `nothing was found for which the VM would refuse this build${consequence(check, verdict)}`,
    ...(lacks > 0
      ? [`The VM refuses it if ${lacks === 1 ? "the module" : `one of the ${lacks} modules`} that it lacks is of its package`]
      : []),
    ...(isUnknown ? ["Its dependencies are not known"] : []),
  ].join(". ");
}

function consequence(check: BuildCheck, verdict: ReturnType<typeof verdictOf>): string {
  if (hasFailing(check.upgrade)) return "; it breaks what relies on it";
  if (check.problems.some((problem) => isFailingProblem(check, problem))) return "; a compiler refuses what it holds";
  return verdict === "breaking" ? "; what it uses of its dependencies changed" : ", and it breaks no module that is known";
}

/** What was looked at, and what was not: a result says no more than the first. */
export function checkedScope({ nodes, metadata }: BuildCheck): {
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
} {
  const isKnown: Partial<Record<PublishArea, boolean>> = {
    "bytecode version": nodes !== undefined,
    "package metadata": metadata !== undefined,
  };
  const areas = publishAreas.filter((area) => isKnown[area] ?? true);
  return {
    checked: ["upgrade rules", "linking", ...areas.map((area) => (area === "bytecode version" ? `${area} (${nodes?.generation})` : area))],
    notChecked: [
      "types and references inside function bodies",
      "sizes, and rows that tables repeat",
      "the upgrade policy of the package on the ledger, of its dependencies, and which modules are its own (no snapshot holds them)",
      ...(nodes === undefined
        ? ["the newest bytecode version that the chain's nodes read (name their release with --node-generation)"]
        : []),
      ...(nodes !== undefined && nodes.comparesHandles === undefined ? ["function types by the rules of generation B alone"] : []),
    ],
  };
}

/** A rule of publishing that a module breaks, in words: `recursive-struct  struct S  it contains itself`. */
export function problemText({ item, reason }: PublishProblem): string {
  return `${item.name === null ? "" : `${item.kind} ${item.name}: `}${reason}`;
}

/** `0x1::coin::withdraw`, as a module uses it. */
export function targetText({ target, item }: LinkProblem): string {
  return `${item.kind} ${formatModuleId(target)}${item.name === null ? "" : `::${item.name}`}`;
}

export function linkSentence({ module, target, item, expected, found }: LinkProblem): string {
  const what = targetText({ module, target, item, expected, found });
  return found === null ? `${what} is not there` : `${what} is not as the build expects it: ${expected}; it is: ${found}`;
}

/** The order of publishing, each step in words; empty where there is one step. */
export function planText({ plan }: BuildCheck): string[] {
  return plan.map(({ address, modules, isDependency }, i) => {
    const source = isDependency ? ", as the build has it among its dependencies" : "";
    return `${i + 1}. ${address}: ${listFirst(modules, 5)}${source}`;
  });
}

/** What the build lacks of its accounts' modules; undefined if nothing. */
export function missingSentence({ missing }: BuildCheck): string | undefined {
  if (missing.length === 0) return undefined;
  const modules = listFirst(missing.map(formatModuleId), 5);
  return `the build lacks ${modules}: a chain refuses an upgrade that lacks modules of the same package`;
}
