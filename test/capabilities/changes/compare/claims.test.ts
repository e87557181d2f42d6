import { expect, test } from "vitest";
import { differenceOf, type ModuleWithBytes } from "../../../../src/capabilities/changes/compare/difference.ts";
import type { RuleFinding } from "../../../../src/capabilities/changes/compare/finding.ts";
import { isBehaviour } from "../../../../src/capabilities/changes/compare/rules/rules.ts";
import { isExposed } from "../../../../src/core/abi/model.ts";
import { sized } from "../../../run-size.ts";
import { moduleReader, neighbours, readReleases, upgradedModules } from "../../../support/recorded-releases.ts";
import { claimsIn, only, type PlainEffects, plainEffects } from "../../../support/second-reader/plain-effects.ts";
import { frameworkHistory } from "../../../support/shared-data.ts";

type Sums = { claims: number; falseClaims: string[]; facts: number; missing: string[] };

function weigh(was: ModuleWithBytes, is: ModuleWithBytes, sums: Sums, effectsOf: (module: ModuleWithBytes) => PlainEffects): void {
  const [before, after] = [effectsOf(was), effectsOf(is)];
  const none: ReadonlySet<string> = new Set();
  const found = (differenceOf(was, is)?.findings ?? []).filter(({ rule }) => isBehaviour(rule));
  const functionsOf = ({ item, functions = [] }: RuleFinding): string[] => [item.name ?? "", ...functions];
  for (const finding of found) {
    const { rule, before: gone, after: come } = finding;
    const of = `${is.abi.name}::${finding.item.name}`;
    const [old, now] = [before.get(finding.item.name ?? "") ?? none, after.get(finding.item.name ?? "") ?? none];
    for (const claim of claimsIn(gone)) {
      sums.claims += 1;
      if (!old.has(claim) || now.has(claim)) sums.falseClaims.push(`${of}: no longer ${claim}`);
    }
    for (const claim of claimsIn(come)) {
      sums.claims += 1;
      if (!now.has(claim) || (old.has(claim) && rule !== "always-aborts")) sums.falseClaims.push(`${of}: ${claim}`);
    }
  }
  for (const { name } of is.abi.functions.filter(isExposed)) {
    const [old, now] = [before.get(name), after.get(name)];
    if (old === undefined || now === undefined) continue;
    const about = found.filter((finding) => functionsOf(finding).includes(name));
    if (about.some(({ rule }) => rule === "always-aborts")) continue;
    const said = [new Set(about.flatMap((one) => claimsIn(one.before))), new Set(about.flatMap((one) => claimsIn(one.after)))] as const;
    for (const [side, facts] of [only(old, now), only(now, old)].entries())
      for (const fact of facts) {
        sums.facts += 1;
        if (!said[side]?.has(fact)) sums.missing.push(`${is.abi.name}::${name}: ${side === 0 ? "no longer " : ""}${fact}`);
      }
  }
}

test.skipIf(frameworkHistory === undefined)(
  "what is said of aborts, events and resources between recorded releases is what a second closure says (skipped where they are not there)",
  () => {
    const read = moduleReader(frameworkHistory ?? "");
    const known = new Map<string, PlainEffects>();
    const effectsOf = ({ sha256, bytes, abi }: ModuleWithBytes): PlainEffects => {
      const effects = known.get(sha256) ?? plainEffects(bytes, `${abi.address}::${abi.name}`);
      known.set(sha256, effects);
      return effects;
    };
    const sums: Sums = { claims: 0, falseClaims: [], facts: 0, missing: [] };
    for (const [release, next] of neighbours(readReleases(frameworkHistory ?? ""), sized(6, 1)))
      for (const [, old, now] of upgradedModules(release, next)) weigh(read(old), read(now), sums, effectsOf);
    if (process.env["MOVEDEX_TEST_PRINT"] === "1") console.log(sums.claims, sums.falseClaims, sums.facts, sums.missing);
    expect(sums.claims).toBeGreaterThan(sized(100, 1_000));
    expect(sums.facts).toBeGreaterThan(sized(200, 2_000));
    expect(sums.falseClaims.length / sums.claims, sums.falseClaims.join("\n")).toBeLessThan(0.01);
    expect(sums.missing.length / sums.facts, sums.missing.join("\n")).toBeLessThan(0.01);
  },
);
