import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { differenceOf, type ModuleWithBytes } from "../../../../src/capabilities/changes/compare/difference.ts";
import type { RuleFinding } from "../../../../src/capabilities/changes/compare/finding.ts";
import { worstSeverity } from "../../../../src/capabilities/changes/compare/severity.ts";
import { itemsOf } from "../../../../src/capabilities/changes/compare/usage.ts";
import { ModuleEffects } from "../../../../src/capabilities/effects/module-effects.ts";
import { decodeModule } from "../../../../src/core/abi/decode.ts";
import { sha256Hex } from "../../../../src/core/base/sha256.ts";
import { readFunctions } from "../../../../src/core/move/code/read-code.ts";
import { realUpgrades } from "../../../support/shared-data.ts";

const read = (folder: string, side: string): ModuleWithBytes => {
  const bytes = readFileSync(`${realUpgrades}/${folder}/${side}.mv`);
  return { ...decodeModule(bytes), bytes, sha256: sha256Hex(bytes) };
};
const difference = (folder: string) => differenceOf(read(folder, "before"), read(folder, "after"));
const findings = (folder: string): readonly RuleFinding[] => difference(folder)?.findings ?? [];
/** What is said above silent of a function, by itself or with others. */
const of = (folder: string, name: string): RuleFinding[] =>
  findings(folder).filter((one) => worstSeverity(one.severity) !== "silent" && itemsOf(one).some((item) => item.name === name));
const lines = (found: readonly RuleFinding[]) => found.map(({ rule, before, after }) => [rule, before, after]);

describe.skipIf(realUpgrades === undefined)("ten real upgrades, as a careful reader tells them (skipped where they are not there)", () => {
  test("01: what a compiler put into its caller is nothing new", () => {
    expect(of("01-inlined", "resolve")).toEqual([]);
  });

  test("02: a code that a compiler computed is the same code, on the older version's page too", () => {
    expect(findings("02-code-folded").filter(({ rule }) => rule === "abort-codes-changed")).toEqual([]);
    const permission = "aborts with ENO_ACCOUNT_PERMISSION = PERMISSION_DENIED (0x50017)";
    expect(lines(of("02-code-folded", "offer_signer_capability"))).toEqual([
      [
        "check-removed",
        `${permission}; calls 0x1::permissioned_signer::check_permission_capacity_above<0x1::account::AccountPermission>`,
        null,
      ],
    ]);
    const { abi, bytes } = read("02-code-folded", "before");
    const codes = new ModuleEffects(abi, readFunctions(bytes)).facts("offer_signer_capability").map(({ code }) => code);
    expect(codes).toContain(0x10008n);
  });

  test("03, 04: a function that only aborts now breaks its callers, with the name of the error", () => {
    for (const folder of ["03-always-aborts", "04-also-always-aborts"]) {
      const [found, ...more] = of(folder, "grant_permission");
      expect(more).toEqual([]);
      expect(found).toMatchObject({ rule: "always-aborts", severity: { callers: "breaking" }, upgrade: "allowed" });
      expect(found?.after).toBe("aborts with EPERMISSIONED_SIGNER_REMOVED = UNAVAILABLE (0xd000c)");
    }
    expect(of("03-always-aborts", "unburn").map(({ rule, after }) => [rule, after])).toEqual([["check-removed", null]]);
  });

  test("05: another comparison is told as that", () => {
    expect(lines(of("05-comparison", "assert_proposal_expiration"))).toEqual([
      ["comparison-changed", "compares by `<=` twice", "compares by `<` twice"],
    ]);
  });

  test("06, 07: a constant and an operator are told, whatever else has the same numbers", () => {
    expect(lines(of("06-constant", "new_with_type_size_hints"))).toEqual([
      ["constant-changed", "compares by `>= 4`", "compares by `>= 3`"],
    ]);
    expect(lines(of("07-minus-one", "next_validator_consensus_infos"))).toEqual([["function-changed", null, "computes `- 1` once more"]]);
  });

  test("08: readers hear that nothing emits an event any more", () => {
    const found = findings("08-events-end").find(({ rule }) => rule === "event-not-emitted");
    expect(found).toMatchObject({ item: { kind: "struct", name: "TransferEvent" }, severity: { readers: "breaking" } });
  });

  test("09: what the VM calls is not silent", () => {
    for (const name of ["prologue_common", "script_prologue", "unified_prologue", "unified_prologue_fee_payer_v2"])
      expect(lines(of("09-called-by-the-vm", name))).toContainEqual([
        "function-changed",
        null,
        "calls 0x1::transaction_limits::validate_high_txn_limits",
      ]);
  });

  test("10: another encoding alone is silent", () => {
    const { depth, findings = [] } = difference("10-encoding") ?? {};
    expect([depth, findings.map(({ rule, severity }) => [rule, worstSeverity(severity)])]).toEqual([
      "encoding",
      [["encoding-changed", "silent"]],
    ]);
  });
});
