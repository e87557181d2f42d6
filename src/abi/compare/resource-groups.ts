import type { StructAbi } from "../model.ts";
import type { Witness } from "./finding.ts";
import type { RuleId } from "./rules/rules.ts";

/** Attribute kinds of the metadata. Source: aptos-core `types/src/vm/module_metadata.rs`. */
const GROUP = 2;
const MEMBER = 3;

/** Scopes of resource groups, the narrowest first: members of the same module, of the same account, of any account. */
const SCOPES = ["module_", "address", "global"];

/**
 * Compares a struct as a resource group and as a member of one. The scope may be widened; the VM refuses all other changes. Source: `validate_module_and_extract_new_entries` in aptos-core's resource_groups.rs.
 */
export function compareGroups(before: StructAbi, after: StructAbi): { readonly rule: RuleId; readonly witness: Witness }[] {
  const old = { scope: argument(before, GROUP), group: argument(before, MEMBER) };
  const now = { scope: argument(after, GROUP), group: argument(after, MEMBER) };
  const found: { rule: RuleId; witness: Witness }[] = [];
  if (old.scope !== now.scope) {
    const isWider = rank(old.scope) >= 0 && rank(now.scope) > rank(old.scope);
    const text = (scope: string | undefined): string | null => (scope === undefined ? null : `#[resource_group(scope = ${scope})]`);
    found.push({
      rule: isWider ? "resource-group-widened" : "resource-group-changed",
      witness: { before: text(old.scope), after: text(now.scope) },
    });
  }
  if (old.group !== now.group) {
    const text = (group: string | undefined): string | null => (group === undefined ? null : `#[resource_group_member(group = ${group})]`);
    found.push({ rule: "resource-group-member-changed", witness: { before: text(old.group), after: text(now.group) } });
  }
  return found;
}

function argument({ attributes }: StructAbi, kind: number): string | undefined {
  const attribute = attributes.find((candidate) => candidate.kind === kind);
  return attribute === undefined ? undefined : (attribute.args[0] ?? "");
}

function rank(scope: string | undefined): number {
  return scope === undefined ? -1 : SCOPES.indexOf(scope);
}
