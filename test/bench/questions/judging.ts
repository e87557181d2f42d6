// How long it takes to judge what the newest recorded releases changed. Usage: judging.ts [PASSES]. Each pass decodes both versions of each
// changed module, and compares them. Prints the CPU of all threads in ms: of the first pass, and the median of those from the sixth on.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { differenceOf, type ModuleWithBytes } from "../../../src/capabilities/changes/compare/difference.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { neighbours, readReleases, upgradedModules } from "../../support/recorded-releases.ts";
import { frameworkHistory } from "../../support/shared-data.ts";

/** Releases, the newest. */
const RELEASES = 20;

if (frameworkHistory === undefined) throw new Error("wanted the recorded releases beside the repository, and they are not there");
const folder = frameworkHistory;
const passes = Number(process.argv[2] ?? 12);
const pairs = neighbours(readReleases(folder).slice(-RELEASES)).flatMap(([before, after]) => upgradedModules(before, after));
const bytesOf = new Map(
  pairs.flatMap(([, ...sides]) => sides.map((sha256) => [sha256, readFileSync(join(folder, "modules", `${sha256}.mv`))])),
);
const load = (sha256: string): ModuleWithBytes => {
  const bytes = bytesOf.get(sha256) as Uint8Array;
  return { ...decodeModule(bytes), bytes, sha256 };
};
const times = Array.from({ length: passes }, () => {
  const begun = process.cpuUsage();
  for (const [, old, now] of pairs) differenceOf(load(old), load(now));
  const { user, system } = process.cpuUsage(begun);
  return Math.round((user + system) / 1000);
});
const later = times.slice(5).sort((a, b) => a - b);
process.stdout.write(`${pairs.length} changed modules: first pass ${times[0]} ms, later ${later[later.length >> 1] ?? "–"} ms\n`);
