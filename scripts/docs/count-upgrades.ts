import { type Depth, differenceOf } from "../../src/capabilities/changes/compare/difference.ts";
import { type RuleId, ruleIds } from "../../src/capabilities/changes/compare/rules/rules.ts";
import { audiences, worstSeverity } from "../../src/capabilities/changes/compare/severity.ts";
import { changedModules, moduleReader, readReleases } from "../../test/support/recorded-releases.ts";
import { frameworkHistory } from "../../test/support/shared-data.ts";
import { markdownRows } from "./blocks.ts";

// Compares every release of the framework history with the one before it, by every rule, and prints the table of docs/diff-rules.md.

if (frameworkHistory === undefined) throw new Error("the recorded releases are not beside the repository");
const releases = readReleases(frameworkHistory);
const read = moduleReader(frameworkHistory);
const depths: Record<Depth, number> = { added: 0, removed: 0, interface: 0, code: 0, encoding: 0, metadata: 0 };
const rules = new Map(ruleIds.map((id: RuleId) => [id, { breaking: 0, core: 0, callers: 0, clients: 0, readers: 0 }]));
let findings = 0;
for (const [i, release] of releases.entries()) {
  const next = releases[i + 1];
  if (next === undefined) break;
  for (const [id, old, now] of changedModules(release, next)) {
    const found = differenceOf(old === undefined ? undefined : read(old), now === undefined ? undefined : read(now));
    if (found === undefined) throw new Error(`${id} could not be compared`);
    depths[found.depth] += 1;
    for (const { rule, severity } of found.findings) {
      findings += 1;
      const counts = rules.get(rule);
      if (counts === undefined || worstSeverity(severity) !== "breaking") continue;
      counts.breaking += 1;
      if (["0x1", "0x3", "0x4"].includes(found.module.address)) counts.core += 1;
      for (const audience of audiences) if (severity[audience] === "breaking") counts[audience] += 1;
    }
  }
}
const broken = [...rules].filter(([, { breaking }]) => breaking > 0).sort(([, a], [, b]) => b.breaking - a.breaking);
const rows = broken.map(([id, counts]) => [`\`${id}\``, ...Object.values(counts).map(String)]);
console.log(releases.length, "releases,", findings, "findings, changed modules:", depths);
console.log(markdownRows(["rule", "breaking findings", "in 0x1, 0x3, 0x4", "for callers", "for clients", "for readers"], rows));
