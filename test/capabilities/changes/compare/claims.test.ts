import fc from "fast-check";
import { expect, test } from "vitest";
import { differenceOf, type ModuleWithBytes } from "../../../../src/capabilities/changes/compare/difference.ts";
import type { RuleFinding } from "../../../../src/capabilities/changes/compare/finding.ts";
import { isBehaviour } from "../../../../src/capabilities/changes/compare/rules/rules.ts";
import { isExposed } from "../../../../src/core/abi/model.ts";
import { sized } from "../../../run-size.ts";
import { moduleReader, neighbours, readReleases, row, testReleases, upgradedModules } from "../../../support/index.ts";
import { holdsFor } from "../../../support/property/law.ts";
import { claimsIn, only, type PlainEffects, plainEffects } from "../../../support/second-reader/plain-effects.ts";
import { load, moduleOfPieces, pieces, pop, ret } from "./support/pieces.ts";
import { moduleOf } from "./support/rule-examples.ts";

test("a function does the same however it is divided, in whatever order tables and locals stand", async () => {
  const flags = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
  const parts = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 6 });
  await holdsFor(200, [parts, flags, flags], (chosen, before, after) => {
    const [was, is] = [moduleOf(moduleOfPieces(chosen, before, false)), moduleOf(moduleOfPieces(chosen, after, true))];
    expect(differenceOf(was, is)?.findings.filter(({ rule }) => isBehaviour(rule) || rule === "event-not-emitted") ?? []).toEqual([]);
  });
});

test("and something is found where a piece is gone, however it is divided", async () => {
  const flags = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 });
  const parts = fc.uniqueArray(fc.constantFrom(...pieces), { minLength: 2, maxLength: 6 });
  await holdsFor(200, [parts, flags, flags], (chosen, before, after) => {
    const [was, is] = [moduleOf(moduleOfPieces(chosen, before, false)), moduleOf(moduleOfPieces(chosen.slice(1), after.slice(1), true))];
    expect(differenceOf(was, is)?.findings.filter(({ rule }) => isBehaviour(rule)).length).toBeGreaterThan(0);
  });
});

test("what a function that calls itself computes is told, and also where others call it", () => {
  const again = [row(0x0a, 0), row(0x0a, 1), row(0x11, 0)];
  const recursive = (number: number, isInlined: boolean) => {
    const fn = { name: "f", visibility: "private" as const, params: ["u64", "u64"], code: [...again, load(number), pop, ret] };
    const extra = isInlined ? [load(9), pop] : [row(0x11, 2)];
    const g = { name: "g", visibility: "public" as const, params: ["u64", "u64"], code: [...again, ...extra, ret] };
    const h = { name: "h", visibility: "private" as const, code: [load(9), pop, ret] };
    return moduleOf({ functions: [fn, g, h] });
  };
  const behaviour = (was: number, is: number) =>
    (differenceOf(recursive(was, false), recursive(is, true))?.findings ?? []).filter(({ rule }) => isBehaviour(rule));
  expect(behaviour(3, 3)).toEqual([]);
  expect(behaviour(3, 4)).toMatchObject([
    { rule: "constant-changed", item: { name: "f" }, before: "uses 3 (u64)", after: "uses 4 (u64)", functions: ["g"] },
  ]);
});

test("of a function that never comes back now, who has its old code in itself is not told to do something else by it", () => {
  const shared = { name: "f", visibility: "public" as const, code: [load(9), pop, ret] };
  const gone = { ...shared, code: [load(0xd0001), row(0x27)] };
  const caller = (code: readonly Uint8Array[]) => ({ name: "g", visibility: "public" as const, code: [...code, ret] });
  const was = moduleOf({ functions: [shared, caller([row(0x11, 0)])] });
  const told = (now: readonly Uint8Array[]) =>
    differenceOf(was, moduleOf({ functions: [gone, caller(now)] }))?.findings.find(({ rule }) => rule === "always-aborts");
  expect(told([load(9), pop])).not.toHaveProperty("functions");
  expect(told([load(7), pop, row(0x11, 0)])).toMatchObject({ item: { name: "f" }, functions: ["g"] });
});

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

testReleases("what is said of aborts, events and resources between recorded releases is what a second closure says", () => {
  const read = moduleReader();
  const known = new Map<string, PlainEffects>();
  const effectsOf = ({ sha256, bytes, abi }: ModuleWithBytes): PlainEffects => {
    const effects = known.get(sha256) ?? plainEffects(bytes, `${abi.address}::${abi.name}`);
    known.set(sha256, effects);
    return effects;
  };
  const sums: Sums = { claims: 0, falseClaims: [], facts: 0, missing: [] };
  for (const [release, next] of neighbours(readReleases(), sized(30, 1)))
    for (const [, old, now] of upgradedModules(release, next)) weigh(read(old), read(now), sums, effectsOf);
  if (process.env["MOVEDEX_TEST_PRINT"] === "1") console.log(sums.claims, sums.falseClaims, sums.facts, sums.missing);
  expect(sums.claims).toBeGreaterThan(sized(40, 1_000));
  expect(sums.facts).toBeGreaterThan(sized(80, 2_000));
  expect(sums.falseClaims.length / sums.claims, sums.falseClaims.join("\n")).toBeLessThan(0.01);
  expect(sums.missing.length / sums.facts, sums.missing.join("\n")).toBeLessThan(0.01);
});
