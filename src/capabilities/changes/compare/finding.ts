import { listFirst } from "../../../core/base/plural.ts";
import type { Upgrade } from "./rules/rule.ts";
import { type RuleId, rules } from "./rules/rules.ts";
import { type Audience, audiences, type Severities, type Severity, severityCounts, worstOf, worstSeverity } from "./severity.ts";

/** The item that a finding is about. The name is null for the module itself. */
export type Item = { readonly kind: "module" | "function" | "struct" | "friend" | "error"; readonly name: string | null };

export const WHOLE_MODULE = { kind: "module", name: null } as const;

/** The item before and after, or what of it changed: a line of Move, words, or names; null if nothing is told. */
export type Witness = { readonly before: string | null; readonly after: string | null };

/** One change between two versions of a module: the rule that applies, the item, its severity for each audience. */
export type RuleFinding = Witness & {
  readonly rule: RuleId;
  readonly item: Item;
  readonly severity: Severities;
  /** Whether the VM accepts an upgrade with this change; see `Rule`. */
  readonly upgrade: Upgrade;
  /** Of what a function does: the others of its module that can be called and do something else by it. */
  readonly functions?: readonly string[];
  /** Of what a function does, where only that is other and not how often, in which case or by which numbers: what went or came. */
  readonly effects?: readonly string[];
};

/** Who can use the item, if not everybody. */
export type FindingScope = {
  readonly audiences?: readonly Audience[];
  readonly isFriendOnly?: boolean;
  /** Replaces the rule's `refused` if the VM does not check this item. */
  readonly insteadOfRefused?: Upgrade;
};

/**
 * A finding as its rule has it, for those who can reach the item. What breaks for friends alone is dangerous, since they usually
 * come in the same package; what no module can notice is safe for clients.
 */
export function makeFinding(rule: RuleId, item: Item, { before, after }: Witness, reach: FindingScope = {}): RuleFinding {
  const { severity, upgrade } = rules[rule];
  const reached = Object.entries(severity).filter(([audience]) => reach.audiences?.includes(audience as Audience) ?? true);
  const found: Severities = reached.length === 0 ? { clients: "safe" } : Object.fromEntries(reached);
  return {
    rule,
    item,
    before,
    after,
    severity: reach.isFriendOnly === true && found.callers === "breaking" ? { ...found, callers: "dangerous" } : found,
    upgrade: upgrade === "refused" ? (reach.insteadOfRefused ?? upgrade) : upgrade,
  };
}

/** How many names a witness lists; a module can have thousands. */
const NAMES_MAX = 20;

/** Names in their order on one line, with the number of those beyond the limit; null when there are none. */
export function listNames(names: readonly string[]): string | null {
  return names.length === 0 ? null : listFirst(names, NAMES_MAX);
}

/** A function or struct that is gone, and the new one that is the same but for its name. */
export type Rename = { readonly kind: "function" | "struct"; readonly from: string; readonly to: string };

/** A change of a module in short: how bad it is, for whom, and by what. Follows from the bytes before and after, and from the rules. */
export type ChangeSummary = {
  /** Undefined when the two could not be compared; then `reason` says why. */
  readonly worst: Severity | undefined;
  readonly forAudience: Readonly<Partial<Record<Audience, Severity>>>;
  readonly counts: Readonly<Record<Severity, number>>;
  /** Findings for which the VM would refuse an upgrade. */
  readonly refused: number;
  /** The worst finding of all. */
  readonly first: Pick<RuleFinding, "rule" | "item"> | undefined;
  readonly reason: string | undefined;
  readonly renamed: readonly Rename[];
};

/** The findings of one module in short, the worst first. */
export function summarise(findings: readonly RuleFinding[], reason: string | undefined, renamed: readonly Rename[]): ChangeSummary {
  const found = findings.map(({ severity }) => worstSeverity(severity) ?? "silent");
  const forAudience = Object.fromEntries(
    audiences.flatMap((audience) => {
      const worst = worstOf(findings.flatMap(({ severity }) => severity[audience] ?? []));
      return worst === undefined ? [] : [[audience, worst]];
    }),
  );
  return {
    worst: worstOf(found),
    forAudience,
    counts: severityCounts(found),
    refused: findings.filter(({ upgrade }) => upgrade === "refused").length,
    first: findings[0],
    reason,
    renamed,
  };
}
