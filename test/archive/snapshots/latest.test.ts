import { expect, test } from "vitest";
import { snapshotQueries } from "../../../src/archive/snapshots/snapshot-queries.ts";
import { rowsOf } from "../../support/store/ask-file.ts";
import { addressOf, night, pinAt, type SeenAccount, temporaryStore } from "../../support/store/temporary-store.ts";

const [one, two, three] = [addressOf(1), addressOf(2), addressOf(3)];
const holding = (text: string, sequence: bigint | null = 1n): SeenAccount => ({ sequence, modules: { coin: text } });

test("…_latest shows each account at the newest sealed snapshot that covers it, and says which that is", async () => {
  await using at = await temporaryStore();
  await night(at.engine, 10n, [
    [one, holding("a")],
    [two, holding("b", null)],
    [three, { sequence: 3n, modules: {} }],
  ]);
  await night(at.engine, 20n, [
    [one, holding("c", 2n)],
    [two, "missed"],
  ]);
  await snapshotQueries(at.engine).createSnapshot(pinAt(30n), [one]);
  expect(rowsOf(at.path, "SELECT address, ledger_version, has_record FROM covered_latest ORDER BY address")).toEqual([
    { address: one, ledger_version: 20, has_record: 1 },
    { address: two, ledger_version: 10, has_record: 0 },
    { address: three, ledger_version: 10, has_record: 1 },
  ]);
  expect(rowsOf(at.path, "SELECT address, ledger_version, module FROM modules_latest ORDER BY address")).toEqual([
    { address: one, ledger_version: 20, module: "coin" },
    { address: two, ledger_version: 10, module: "coin" },
  ]);
  expect(rowsOf(at.path, "SELECT address, ledger_version, sequence_number FROM accounts_latest ORDER BY address")).toEqual([
    { address: one, ledger_version: 20, sequence_number: 2 },
    { address: three, ledger_version: 10, sequence_number: 3 },
  ]);
  // Every row is also one of the snapshot that it names.
  expect(rowsOf(at.path, "SELECT * FROM modules_latest EXCEPT SELECT * FROM modules_at")).toEqual([]);
});
