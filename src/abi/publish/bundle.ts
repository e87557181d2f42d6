import { circlesIn } from "../../base/circles.ts";
import { formatModuleId, isSameModule, type ModuleId } from "../../move/module-id.ts";
import { parseType } from "../../move/types/parse-type.ts";
import { listNames } from "../compare/finding.ts";
import type { FindModule } from "../linking.ts";
import { attributeKinds, type ModuleAbi } from "../model.ts";
import type { PublishProblem } from "./problem.ts";
import type { PublishRuleId } from "./rules.ts";

/**
 * Checks what the modules of a build are to each other and to those of the ledger: friends, circles, resource groups. `find`
 * gives modules of the build first; what is not known is not checked.
 */
export function checkBundle(own: readonly ModuleAbi[], find: FindModule): PublishProblem[] {
  return [...own.flatMap((abi) => [...friendProblems(abi, find), ...groupProblems(abi, find)]), ...circleProblems(own, find)];
}

/** The modules whose resource groups structs of a module are members of. */
export function groupModules({ structs }: ModuleAbi): ModuleId[] {
  return structs.flatMap(({ attributes }) =>
    attributes.flatMap(({ kind, args }) => {
      const group = parseType(kind === attributeKinds.groupMember ? (args[0] ?? "") : "");
      return group.kind === "struct" ? [group.module] : [];
    }),
  );
}

function problem(module: ModuleId, rule: PublishRuleId, reason: string, struct: string | null = null): PublishProblem {
  return {
    rule,
    module: { address: module.address, name: module.name },
    item: { kind: struct === null ? "module" : "struct", name: struct },
    reason,
  };
}

function friendProblems(abi: ModuleAbi, find: FindModule): PublishProblem[] {
  return abi.friends.flatMap((friend) => {
    const name = formatModuleId(friend);
    if (isSameModule(friend, abi)) return [problem(abi, "friend-of-itself", "it is its own friend")];
    if (friend.address !== abi.address) return [problem(abi, "friend-of-another-account", `its friend ${name} is of another account`)];
    return find(friend) === undefined ? [problem(abi, "friend-missing", `its friend ${name} is not there`)] : [];
  });
}

function circleProblems(own: readonly ModuleAbi[], find: FindModule): PublishProblem[] {
  const uses = reached(own, find, ({ dependencies }) => dependencies);
  // A friend of itself is a rule of its own.
  const friends = reached(own, find, (abi) => abi.friends.filter((friend) => !isSameModule(friend, abi)));
  const inCircle = (edges: ReadonlyMap<string, readonly string[]>, rule: PublishRuleId, word: string): PublishProblem[] =>
    circlesIn(edges).flatMap((circle) =>
      own
        .filter((abi) => circle.includes(formatModuleId(abi)))
        .map((abi) => problem(abi, rule, `${word} ${listNames(circle.toSorted())} form a circle`)),
    );
  const dependency = inCircle(uses, "cyclic-dependency", "the dependencies of");
  const friendship = inCircle(friends, "friend-circle", "the friends of");
  const both = own.flatMap((abi) => {
    const used = closure(formatModuleId(abi), uses);
    const shared = [...closure(formatModuleId(abi), friends)].find((id) => used.has(id));
    return shared === undefined ? [] : [problem(abi, "friend-circle", `${shared} is among its friends and among what it depends on`)];
  });
  // Who depends on a friend that depends on it is in the one circle already.
  return [...dependency, ...(dependency.length > 0 ? [] : [...friendship, ...(friendship.length > 0 ? [] : both)])];
}

/** Modules and what they lead to, at any depth. */
function reached(own: readonly ModuleAbi[], find: FindModule, next: (abi: ModuleAbi) => readonly ModuleId[]): Map<string, string[]> {
  const edges = new Map<string, string[]>();
  const open: (ModuleAbi | undefined)[] = [...own];
  while (open.length > 0) {
    const abi = open.pop();
    if (abi === undefined || edges.has(formatModuleId(abi))) continue;
    edges.set(formatModuleId(abi), next(abi).map(formatModuleId));
    open.push(...next(abi).map((id) => find(id)?.abi));
  }
  return edges;
}

function closure(from: string, edges: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set(edges.get(from));
  for (const id of found) for (const next of edges.get(id) ?? []) found.add(next);
  return found;
}

function groupProblems(abi: ModuleAbi, find: FindModule): PublishProblem[] {
  return abi.structs.flatMap(({ name, attributes }) =>
    attributes.flatMap(({ kind, args }) => {
      if (kind !== attributeKinds.groupMember) return [];
      const group = parseType(args[0] ?? "");
      const holder = group.kind === "struct" ? find(group.module) : undefined;
      if (holder === null) return [];
      const attributesOfGroup =
        holder?.abi.structs.find((struct) => group.kind === "struct" && struct.name === group.name)?.attributes ?? [];
      const scope = attributesOfGroup.find((attribute) => attribute.kind === attributeKinds.group)?.args[0];
      if (holder === undefined || scope === undefined)
        return [problem(abi, "resource-group-unknown", `${group.text} is not a resource group`, name)];
      const reaches = scope === "global" || (scope === "address" ? holder.abi.address === abi.address : isSameModule(holder.abi, abi));
      return reaches ? [] : [problem(abi, "resource-group-scope", `the scope of ${group.text} is \`${scope}\``, name)];
    }),
  );
}
