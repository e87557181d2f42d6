import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Depth, differenceOf } from "../../src/abi/compare/difference.ts";
import type { RuleId } from "../../src/abi/compare/rules/rules.ts";
import { audiences, worstSeverity } from "../../src/abi/compare/severity.ts";
import { changedModules, moduleReader, readReleases } from "../../test/support/recorded-releases.ts";
import { frameworkHistory } from "../../test/support/shared-data.ts";
import { type UpgradeCounts, upgradesMarkdown } from "./upgrades-table.ts";

// Compares every release of the framework history with the one before it, by every rule, and keeps the numbers in
// upgrades.json, from which a table of docs/diff-rules.md is made.

if (frameworkHistory === undefined) throw new Error("the recorded releases are not beside the repository");
const started = performance.now();
const releases = readReleases(frameworkHistory);
const read = moduleReader(frameworkHistory);
const depths: Record<Depth, number> = { added: 0, removed: 0, interface: 0, code: 0, encoding: 0, metadata: 0 };
const rules: Partial<Record<RuleId, UpgradeCounts["rules"][string]>> = {};
for (const [i, release] of releases.entries()) {
  const next = releases[i + 1];
  if (next === undefined) break;
  for (const [id, old, now] of changedModules(release, next)) {
    const found = differenceOf(old === undefined ? undefined : read(old), now === undefined ? undefined : read(now));
    if (found === undefined) throw new Error(`${id} could not be compared`);
    depths[found.depth] += 1;
    for (const finding of found.findings) {
      rules[finding.rule] ??= { findings: 0, breaking: 0, core: 0, callers: 0, clients: 0, readers: 0 };
      const counts = rules[finding.rule] as UpgradeCounts["rules"][string];
      const isBreaking = worstSeverity(finding.severity) === "breaking";
      counts.findings += 1;
      if (isBreaking) counts.breaking += 1;
      if (isBreaking && ["0x1", "0x3", "0x4"].includes(found.module.address)) counts.core += 1;
      for (const audience of audiences) if (finding.severity[audience] === "breaking") counts[audience] += 1;
    }
  }
}
const counts: UpgradeCounts = {
  releases: releases.length,
  first: releases[0]?.date ?? "",
  last: releases.at(-1)?.date ?? "",
  depths,
  rules,
};
writeFileSync(fileURLToPath(new URL("upgrades.json", import.meta.url)), `${JSON.stringify(counts).replaceAll('},"', '},\n"')}\n`);
console.log(upgradesMarkdown(counts));
console.log(`${Math.round(performance.now() - started)} ms`);
