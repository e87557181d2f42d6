import { plural } from "../../../core/base/plural.ts";
import { formatItemId, formatModuleId } from "../../../core/move/module-id.ts";
import { matchLines } from "../compare/code-diff.ts";
import type { RuleFinding } from "../compare/finding.ts";
import { compareSeverities, type Severity } from "../compare/severity.ts";
import { joined, type User } from "../compare/usage.ts";
import type { ReportedFinding, ReportedModule } from "./report.ts";

/** From so many on, what one cause does alike is told once. */
const CROWD_MIN = 10;

/** Those of a list that have a cause in common with many, by that cause; and the others in their order. */
export function crowdsIn<T>(list: readonly T[], causeOf: (one: T) => string): { readonly crowds: [T, ...T[]][]; readonly others: T[] } {
  const caused = list.map((one) => ({ one, cause: causeOf(one) }));
  const groups = Map.groupBy(caused, ({ cause }) => cause);
  const isCrowd = (of: unknown[] = []): boolean => of.length >= CROWD_MIN;
  return {
    crowds: [...groups.values()].filter(isCrowd).map((of) => of.map(({ one }) => one) as [T, ...T[]]),
    others: caused.filter(({ cause }) => !isCrowd(groups.get(cause))).map(({ one }) => one),
  };
}

/** As much of a finding as tells its cause. */
export type CausedFinding = Pick<RuleFinding, "before" | "after"> & {
  readonly rule: string;
  readonly item: { kind: string; name: string | null };
};

/** Attributes, visibilities and what stands in backticks are one word; so are names. */
const WORDS = /#\[[^\]]*\]|public\(\w+\)|`[^`]*`|[\w$]+(?:::[\w$]+)*|[^\s]/g;

/** A number; an address before a name is none. */
const NUMBER = /\b0x[\da-f]+(?!::)\b/g;

/** Beyond so many words that differ, a text differs as a whole. */
const EDITS_MAX = 200;

/**
 * What of an item went, and what came: the same for all that one cause changes. Stretches of words that differ, each once. Whole where
 * it is new, gone or in another order, or where what differs names nothing, as a number or `<T0>`.
 */
export function wentAndCame({ item: { name }, before, after }: CausedFinding): readonly [gone: string, came: string] {
  const whole = [before ?? "", after ?? ""] as const;
  const [old, now] = whole.map((text) => text.match(WORDS)?.filter((word) => word !== name) ?? []) as [string[], string[]];
  const [gone, came] = [new Set<string>(), new Set<string>()];
  let [from, to] = [0, 0];
  for (const [i, j] of [...matchLines(old, now, EDITS_MAX), [old.length, now.length] as const]) {
    gone.add(stretch(old.slice(from, i)));
    came.add(stretch(now.slice(to, j)));
    [from, to] = [i + 1, j + 1];
  }
  const differing = [gone, came].map((of) => [...of].filter(Boolean).join(" … ")) as [string, string];
  const isTelling = differing[0] !== differing[1] && /[a-z]/.test(differing.join(" ").replaceAll(NUMBER, ""));
  return before === null || after === null || !isTelling ? whole : differing;
}

/** Words as a text, without commas at its ends. */
function stretch(words: readonly string[]): string {
  return words.join(" ").replaceAll(/ (?=[>),:<(])|(?<=[<(]) |^, ?| ?,$/g, "");
}

/** The rule, and what went and came, as a key. */
export function causeOf(finding: CausedFinding): string {
  return JSON.stringify([finding.rule, finding.item.kind, ...wentAndCame(finding)]);
}

/** What one cause does to many items of all modules, the worst first: a finding to be read. */
export type Crowd = {
  readonly worst: Severity;
  /** The first of its items. */
  readonly first: ReportedFinding;
  readonly findings: readonly ReportedFinding[];
  /** Full names, each with the module's. */
  readonly names: ReadonlyMap<ReportedFinding, string>;
  /** Functions that do something else by any of them, as full names. */
  readonly functions: readonly string[];
  readonly modules: readonly ReportedModule[];
  /** Who refers to any of them; undefined where that is not known of all. */
  readonly users: readonly User[] | undefined;
  /** The bytecode versions of its modules where these are most of those that changed, and all came from one version to another. */
  readonly recompiled: ReportedModule["bytecodeVersions"];
};

/** Crowds of all modules, and the modules with what is left of their findings; one of which nothing is left is not among them. */
export function crowdsOf(modules: readonly ReportedModule[]): { readonly crowds: readonly Crowd[]; readonly others: ReportedModule[] } {
  const all = modules.flatMap((module) => module.findings.map((finding) => ({ module, finding })));
  const { crowds, others } = crowdsIn(all, ({ finding }) => causeOf(finding));
  const left = Map.groupBy(others, ({ module }) => module);
  return {
    crowds: crowds.map((found) => {
      const of = found.toSorted((a, b) => compareSeverities(a.finding.worst, b.finding.worst));
      const findings = of.map(({ finding }) => finding);
      const [first] = findings as [ReportedFinding];
      const names = new Map(of.map(({ module, finding }) => [finding, nameIn(module, finding)]));
      const reached = new Set(
        of.flatMap(({ module, finding }) => finding.functions?.map((name) => formatItemId({ module: module.module, name })) ?? []),
      );
      for (const name of names.values()) reached.delete(name);
      const users = findings.every((one) => one.users !== undefined) ? joined(findings.flatMap((one) => one.users ?? [])) : undefined;
      const own = [...new Set(of.map(({ module }) => module))];
      const [was, is] = own[0]?.bytecodeVersions ?? [];
      const isAlike = own.every(({ bytecodeVersions: versions }) => versions?.[0] === was && versions?.[1] === is);
      const recompiled = was !== is && isAlike && own.length > modules.length / 2 ? own[0]?.bytecodeVersions : undefined;
      return { worst: first.worst, first, findings, names, functions: [...reached], modules: own, users, recompiled };
    }),
    others: modules.flatMap((module) => {
      const findings = left.get(module)?.map(({ finding }) => finding) ?? [];
      return findings.length + module.renamed.length > 0 || module.code !== undefined ? [{ ...module, findings }] : [];
    }),
  };
}

function nameIn({ module }: ReportedModule, { item: { kind, name } }: ReportedFinding): string {
  if (name === null) return formatModuleId(module);
  return kind === "friend" ? `${name} of ${formatModuleId(module)}` : formatItemId({ module, name });
}

/** `115 functions of 23 modules`. */
export function crowdSize({ first, findings, modules }: Crowd): string {
  const of = plural(modules.length, "module");
  return first.item.kind === "module" ? of : `${itemCount(findings)} of ${of}`;
}

/** `115 functions`. */
export function itemCount(findings: readonly CausedFinding[]): string {
  const kind = findings[0]?.item.kind ?? "item";
  return plural(findings.length, kind === "error" ? "error code" : kind);
}
