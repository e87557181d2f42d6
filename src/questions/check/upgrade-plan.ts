import type { ModuleWithBytes } from "../../abi/compare/difference.ts";
import type { Side } from "../../abi/compare/sides.ts";
import { type FindModule, findLinkProblems, type LinkedModule, type LinkProblem } from "../../abi/linking.ts";
import type { ModuleAbi } from "../../abi/model.ts";
import { formatModuleId } from "../../move/module-id.ts";

/** What is published together: modules of one account. */
export type PlanStep = { readonly address: string; readonly modules: readonly string[]; readonly isDependency: boolean };

/**
 * The order in which a build can be published: first what it was built against and the ledger does not have yet, then its own
 * accounts, each behind those that it depends on. A step alone is no plan, so there are none or several.
 */
export async function planUpgrade(
  own: readonly Pick<ModuleWithBytes, "abi" | "bytes">[],
  links: readonly LinkProblem[],
  dependencies: Side | undefined,
  find: FindModule,
): Promise<PlanStep[]> {
  const copies = await copiesOf(links, dependencies);
  const findCopy: FindModule = (id) => copies.get(formatModuleId(id)) ?? find(id);
  const left = new Set(own.flatMap(({ bytes }) => findLinkProblems(bytes, findCopy).map(keyOf)));
  const first = new Set(links.filter((problem) => !left.has(keyOf(problem))).map(({ target }) => formatModuleId(target)));
  const missing = [...copies].filter(([id]) => first.has(id)).map(([, { abi }]) => abi);
  const abis = own.map(({ abi }) => abi);
  const steps = [...stepsOf(missing, true), ...stepsOf(abis, false)];
  return steps.length > 1 ? steps : [];
}

function keyOf({ module, target, item }: LinkProblem): string {
  return `${formatModuleId(module)} ${formatModuleId(target)} ${item.kind} ${item.name}`;
}

async function copiesOf(links: readonly LinkProblem[], dependencies: Side | undefined): Promise<Map<string, LinkedModule>> {
  const copies = new Map<string, LinkedModule>();
  for (const id of new Set(links.map(({ target }) => formatModuleId(target)))) {
    const held = dependencies?.modules.get(id);
    const content = held && (await dependencies?.load([held]))?.(held);
    if (content !== undefined && "module" in content) copies.set(id, content.module);
  }
  return copies;
}

/** Accounts in the order of what they depend on among each other; those in a circle as they come. */
function stepsOf(modules: readonly ModuleAbi[], isDependency: boolean): PlanStep[] {
  const accounts = Map.groupBy(modules, ({ address }) => address);
  const steps: PlanStep[] = [];
  const begun = new Set<string>();
  const visit = (address: ModuleAbi["address"]): void => {
    const of = accounts.get(address);
    if (of === undefined || begun.has(address)) return;
    begun.add(address);
    for (const { dependencies } of of) for (const id of dependencies) visit(id.address);
    steps.push({ address, modules: of.map(({ name }) => name), isDependency });
  };
  for (const address of accounts.keys()) visit(address);
  return steps;
}
