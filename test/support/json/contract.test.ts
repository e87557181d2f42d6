import { expect, test } from "vitest";
import { contractBreaches } from "./contract.ts";

test("finds what breaks the rules, at any depth, and leaves others' JSON alone", () => {
  const bad = {
    last_run: { ledger_version: 5, started_at: 1700000000000, bytecode_version: 7 },
    gaps: [{ is_final: 1, ledger_version: null }],
  };
  const breaches = contractBreaches(["status", "--json"], `${JSON.stringify(bad)}\n`);
  expect(breaches.map((breach) => breach.split(" ")[0])).toEqual([".last_run.ledger_version", ".last_run.started_at", ".gaps[].is_final"]);
  expect(contractBreaches(["query", "SELECT 1", "--json"], JSON.stringify(bad))).toEqual([]);
  expect(contractBreaches(["status"], JSON.stringify(bad))).toEqual([]);
});
