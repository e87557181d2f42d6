import { formatItemId, formatModuleId, type ModuleId } from "../../../core/move/module-id.ts";
import type { ModuleDifference } from "./difference.ts";
import type { RuleFinding } from "./finding.ts";
import { isBehaviour } from "./rules/rules.ts";
import type { Severity } from "./severity.ts";

/**
 * A module that refers to an item of another, and its functions that call it, where the item is a function and they are known. One
 * that refers to it without calling it does not link without it all the same. `isLost` if it is known not to link: then those of the
 * module's own account count too.
 */
export type User = ModuleId & { readonly functions?: readonly string[]; readonly isLost?: boolean };

/** Who refers to an item; undefined where that is not known. `isInterface`: of a change that others may not link with any more. */
export type Users = (module: ModuleId, item: RuleFinding["item"], isInterface: boolean) => Promise<readonly User[] | undefined>;

/** The functions of users that call an item: `0x3::token::mint`. */
export function callersIn(users: readonly User[]): string[] {
  return users.flatMap(({ functions = [], ...module }) => functions.map((name) => formatItemId({ module, name })));
}

/** A finding with the modules that refer to its item; undefined if usage does not apply to it. */
export type WeighedFinding = RuleFinding & { readonly users?: readonly User[] };

/** How bad a finding is for callers if none of them uses its item, where that differs; and for readers of a function's stored values. */
const WITHOUT_USERS: Readonly<Partial<Record<Severity, Severity>>> = { breaking: "dangerous", dangerous: "safe", behaviour: "silent" };

/**
 * Adjusts the severity for callers by who refers to the item: with users what is dangerous to an interface becomes breaking, without them
 * all becomes one step milder.
 */
export async function weighByUsage(module: ModuleId, finding: RuleFinding, users: Users): Promise<WeighedFinding> {
  if (!isWeighed(finding)) return finding;
  const isInterface = !isBehaviour(finding.rule);
  const found: User[] = [];
  for (const item of itemsOf(finding)) {
    const some = await users(module, item, isInterface);
    if (some === undefined) return finding;
    // A user in the module's own account counts only if it does not link.
    for (const { isLost = false, ...user } of some)
      if (user.address !== module.address) found.push(user);
      else if (isLost) found.push({ ...user, isLost });
  }
  const weighed = { ...finding, users: joined(found) };
  if (found.length === 0) return milder(weighed);
  return isInterface ? { ...weighed, severity: { ...finding.severity, callers: "breaking" } } : weighed;
}

/** The item of a finding, and the functions that do something else by it. */
export function itemsOf({ item, functions = [] }: Pick<RuleFinding, "item" | "functions">): RuleFinding["item"][] {
  return [item, ...functions.map((name) => ({ kind: "function" as const, name }))];
}

/** A finding as it concerns some of its items: about the first of them where its own is not among them, and about no others. */
export function narrowedTo<F extends RuleFinding>(
  { item: own, functions: all, ...rest }: F,
  isConcerned: (item: RuleFinding["item"]) => boolean,
): Omit<F, "item" | "functions"> & Pick<RuleFinding, "item" | "functions"> {
  const [item = own, ...others] = itemsOf({ item: own, functions: all ?? [] }).filter(isConcerned);
  const functions = others.flatMap(({ name }) => (name === null ? [] : [name]));
  return { ...rest, item, ...(functions.length === 0 ? {} : { functions }) };
}

/** Users of several items, each once. */
export function joined(users: readonly User[]): User[] {
  return [...Map.groupBy(users, formatModuleId).values()].map((group) => {
    const functions = new Set(group.flatMap((user) => user.functions ?? []));
    return { ...(group[0] as User), ...(functions.size === 0 ? {} : { functions: [...functions] }) };
  });
}

/**
 * A finding for those who do not use its item, or are not the friend that it is about: one step milder for callers. What a
 * function does concerns nobody who does not reach it.
 */
export function forNoUser<F extends RuleFinding>(finding: F): F {
  if (isBehaviour(finding.rule)) return silenced(finding);
  return isWeighed(finding) ? milder(finding) : finding;
}

export function silenced<F extends RuleFinding>(finding: F): F {
  return { ...finding, severity: Object.fromEntries(Object.keys(finding.severity).map((audience) => [audience, "silent" as const])) };
}

function milder<F extends RuleFinding>(finding: F): F {
  const { callers, readers } = finding.severity;
  if (callers === undefined) return finding;
  const mild = (severity: Severity): Severity => WITHOUT_USERS[severity] ?? severity;
  const stored = finding.item.kind === "function" && readers !== undefined ? { readers: mild(readers) } : {};
  return { ...finding, severity: { ...finding.severity, callers: mild(callers), ...stored } };
}

/** The modules of which it is asked who uses their items. */
export function weighedModules(differences: readonly ModuleDifference[]): ModuleId[] {
  return differences.filter(({ findings }) => findings.some(isWeighed)).map(({ module }) => module);
}

/** Whether it matters to callers if they use the finding's item. */
function isWeighed({ rule, severity: { callers }, item }: RuleFinding): boolean {
  const isUsed = rule === "module-removed" || ["function", "struct", "friend"].includes(item.kind);
  return (callers === "breaking" || callers === "dangerous") && isUsed;
}
