import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Depth } from "../../src/abi/compare/difference.ts";
import { ruleIds } from "../../src/abi/compare/rules/rules.ts";

/** What came of comparing recorded releases, each with the one before it; made by `count-upgrades.ts`. */
export type UpgradeCounts = {
  readonly releases: number;
  readonly first: string;
  readonly last: string;
  /** Changed modules. */
  readonly depths: Readonly<Record<Depth, number>>;
  /** By rule: findings, those that break somebody, of these those in the accounts 0x1, 0x3 and 0x4, and whom they break. */
  readonly rules: Readonly<Record<string, Record<"findings" | "breaking" | "core" | "callers" | "clients" | "readers", number>>>;
};

/** The kept numbers. */
export function readUpgradeCounts(): UpgradeCounts {
  return JSON.parse(readFileSync(fileURLToPath(new URL("upgrades.json", import.meta.url)), "utf8")) as UpgradeCounts;
}

/** The numbers as Markdown, for docs/diff-rules.md: a sentence, and a table of the rules that found a break. */
export function upgradesMarkdown({ releases, first, last, depths, rules }: UpgradeCounts): string {
  const changed = Object.values(depths).reduce((sum, count) => sum + count, 0);
  const found = ruleIds.flatMap((id) => (rules[id] === undefined ? [] : [{ id, ...rules[id] }]));
  const breaking = found.filter((rule) => rule.breaking > 0).sort((a, b) => b.breaking - a.breaking);
  const sum = (key: "breaking" | "core" | "findings") => found.reduce((total, rule) => total + rule[key], 0);
  return [
    `Each of ${releases} releases of aptos-devnet's framework (${first} to ${last}) was compared with the one before it. In all, ${changed} modules changed: ` +
      `${depths.interface} in their interface, ${depths.code} in code only, ${depths.encoding} in encoding only, ${depths.metadata} in metadata only, ${depths.added} new, ${depths.removed} gone. All could be compared. ` +
      `Of ${sum("findings")} findings ${sum("breaking")} are breaking, ${sum("core")} of them in 0x1, 0x3 and 0x4:`,
    "",
    "| rule | breaking findings | in 0x1, 0x3, 0x4 | for callers | for clients | for readers |",
    "|---|---|---|---|---|---|",
    ...breaking.map((rule) => `| \`${rule.id}\` | ${rule.breaking} | ${rule.core} | ${rule.callers} | ${rule.clients} | ${rule.readers} |`),
  ].join("\n");
}
