import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type RuleId, ruleIds, rules } from "../../../src/capabilities/changes/compare/rules/rules.ts";
import { decodeModule } from "../../../src/core/abi/decode.ts";
import { asWords, ended, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";
import { refusals } from "../../support/vm/vm-compatibility.ts";
import { examples, moduleOf, type Parts } from "../changes/compare/support/rule-examples.ts";

/** What the VM's check of attributes refuses, beside its check of compatibility. */
const ofAttributes: readonly RuleId[] = ["event-removed", "resource-group-changed", "resource-group-member-changed"];

/** Rules about modules that are on one side alone: no module is upgraded. */
const ofWholeModules: readonly RuleId[] = ["module-removed", "module-added", "module-renamed"];

/** The pairs of the rules, each with the sealed snapshot at which its first module stands. */
const pairs = ruleIds
  .filter((id) => !ofWholeModules.includes(id))
  .map((id, i) => ({ id, version: BigInt(i + 1) * 10n, before: examples[id][0] as Parts, after: examples[id][1] as Parts }));

describe("movedex check of a crafted pair for every rule", async () => {
  const place = temporaryDirectory();
  const db = place.file("ledger.db");

  await sealModules(
    db,
    pairs.map(({ version, before }) => ({ version, accounts: { [moduleOf(before).abi.address]: [moduleOf(before).bytes] } })),
  );

  test.each(pairs)(
    "$id: refused exactly when the VM's own check refuses, and the rule is named",
    async ({ id, version, before, after }) => {
      const [old, now] = [moduleOf(before), moduleOf(after)];
      const folder = place.file(id);
      mkdirSync(folder);
      writeFileSync(`${folder}/m.mv`, now.bytes);
      const { code, json, stderr } = await runCli(asWords`check ${folder} --against ${db} --at ${version} --fail-on refused --format json`);
      const versioned = [old, now].map((module) => ({ ...module, bytecodeVersion: decodeModule(module.bytes).bytecodeVersion }));
      const isRefused = refusals(versioned[0] as never, versioned[1] as never).length > 0 || ofAttributes.includes(id);
      const { upgrade } = json() as { upgrade: { refused: number; modules: { findings: { rule: string }[] }[] } };
      // Accounts that a pair refers to are not held: what it uses of them cannot be checked, and is not refused.
      expect(isRefused ? [100] : [0, 101], stderr).toContain(code);
      expect([upgrade.refused > 0, rules[id].upgrade === "refused"]).toEqual([isRefused, isRefused]);
      expect(upgrade.modules.flatMap(({ findings }) => findings.map(({ rule }) => rule))).toContain(id);
    },
  );

  test("modules that are on one side alone: a new one is accepted, one that is lacking is told", async () => {
    const folder = place.file("whole");
    mkdirSync(folder);
    writeFileSync(`${folder}/n.mv`, moduleOf({ name: "n" }).bytes);
    const { json } = await ended(runCli(["check", folder, "--against", db, "--at", "10", "--fail-on", "refused", "--format", "json"]));
    expect(json()).toMatchObject({ missing: ["0xcafe::m"], upgrade: { modules: [{ module: "n", findings: [{ rule: "module-added" }] }] } });
  });
});
