import { formatModuleId, type ModuleId } from "../../move/module-id.ts";
import type { RuleFinding } from "./finding.ts";
import { isBehaviour } from "./rules/rules.ts";
import type { Severity } from "./severity.ts";

/**
 * A module that refers to an item of another, and its functions that call it, where the item is a function and they are known. One
 * that refers to it without calling it does not link without it all the same.
 */
export type User = ModuleId & { readonly functions?: readonly string[] };

export type Users = (module: ModuleId, item: RuleFinding["item"]) => Promise<readonly User[]>;

/** A finding with the modules that refer to its item; undefined if usage does not apply to it. */
export type WeighedFinding = RuleFinding & { readonly users?: readonly User[] };

/** How bad a finding is for callers if none of them uses its item, where that differs. */
const WITHOUT_USERS: Readonly<Partial<Record<Severity, Severity>>> = { breaking: "dangerous", dangerous: "safe", behaviour: "silent" };

/**
 * Adjusts the severity for callers by who refers to the item: with users in other accounts `dangerous` becomes `breaking`,
 * without them both become one step milder. Users in the same account do not count.
 */
export async function weighByUsage(module: ModuleId, finding: RuleFinding, users: Users): Promise<WeighedFinding> {
  const found = await withUsers(module, finding, users);
  if (found.users === undefined) return found;
  return found.users.length === 0 ? forNoUser(found) : { ...found, severity: { ...found.severity, callers: "breaking" } };
}

/** The same finding with the modules of other accounts that refer to its item, where that matters; its severity stays. */
export async function withUsers(module: ModuleId, finding: RuleFinding, users: Users): Promise<WeighedFinding> {
  if (!isWeighed(finding)) return finding;
  const found: User[] = [];
  for (const item of itemsOf(finding)) found.push(...(await users(module, item)));
  return { ...finding, users: joined(found).filter(({ address }) => address !== module.address) };
}

/** The item of a finding, and the functions that do something else by it. */
export function itemsOf({ item, functions = [] }: Pick<RuleFinding, "item" | "functions">): RuleFinding["item"][] {
  return [item, ...functions.map((name) => ({ kind: "function" as const, name }))];
}

/** Users of several items, each module once. */
export function joined(users: readonly User[]): User[] {
  return [...Map.groupBy(users, formatModuleId).values()].map(([first, ...more]) => {
    const { address, name } = first as User;
    const functions = [first as User, ...more].flatMap((user) => user.functions ?? []);
    return { address, name, ...(functions.length === 0 ? {} : { functions: [...new Set(functions)] }) };
  });
}

/**
 * A finding for those who do not use its item, or are not the friend that it is about: one step milder for callers. What a
 * function does concerns nobody who does not reach it.
 */
export function forNoUser<F extends RuleFinding>(finding: F): F {
  if (isBehaviour(finding.rule)) {
    return { ...finding, severity: Object.fromEntries(Object.keys(finding.severity).map((audience) => [audience, "silent" as const])) };
  }
  const { callers } = finding.severity;
  if (callers === undefined || (!isWeighed(finding) && finding.item.kind !== "friend")) return finding;
  return { ...finding, severity: { ...finding.severity, callers: WITHOUT_USERS[callers] ?? callers } };
}

/** Whether it matters to callers if they use the finding's item. */
function isWeighed({ severity: { callers }, item }: RuleFinding): boolean {
  return (callers === "breaking" || callers === "dangerous") && (item.kind === "function" || item.kind === "struct");
}
