import type { ModuleId } from "../../move/module-id.ts";
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
  const found = await users(module, finding.item);
  return { ...finding, users: found.filter(({ address }) => address !== module.address) };
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
