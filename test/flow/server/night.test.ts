import { afterAll, describe, expect, test } from "vitest";
import { createSampleLedger, faults, manyAccounts, startSimNode } from "../../../sim/index.ts";
import { eachPostgres, openDatabase } from "../../engine/support/postgres-databases.ts";
import { sized } from "../../run-size.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { findBinaries } from "../../support/postgres/binaries.ts";
import { startServer } from "../../support/postgres/server.ts";
import { sharedServers } from "../../support/postgres/servers.ts";
import { runCli } from "../../support/run-cli.ts";
import { rowsIn } from "./public-rows.ts";

eachPostgres("a night on a server", (open) => {
  test("does every step with its default slices, and the next night finds what changed", async () => {
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const db = (await open()).url();
    await runCli(["targets", "add", ...sample.codeAccounts, sample.trader, "--db", db]);
    const words = ["night", "--rpc", node.url, "--rate", "0", "--db", db, "--json"];
    await ended(runCli(words));
    sample.passDay();
    const { json } = await ended(runCli(words));
    const { steps, totals } = json() as { steps: { name: string; exit: string }[]; totals: Record<string, unknown> };
    const exits = Object.fromEntries(steps.map(({ name, exit }) => [name, exit]));
    expect(exits).toMatchObject({ sync: "done", trace: "done", gaps: "done", verify: "done", report: "done" });
    expect(totals).toMatchObject({ gaps: 0, lost: 0, inexact_changes: 0 });
    expect(steps.at(-1)).toMatchObject({ modules_added: 1, modules_abi_changed: 2, keys_rotated: 1 });
  });

  test("backfill answers in three ways, each rightly: observed, inferred, or not at all", async () => {
    const many = manyAccounts(12, { packages: 4 });
    many.ledger.advanceTo(11_400n);
    many.upgradeEvery(6);
    many.ledger.advanceTo(15_000n);
    const addresses = [...many.addresses()];
    await using node = await startSimNode({ ledger: many.ledger });
    const db = (await open()).url();
    const asked = addresses.slice(0, 11).flatMap((address) => ["--account", address]);
    const clock = new ManualClock({ skipSleeps: true, startMs: 1_767_225_600_000 + 400_000 });
    const grid = ["--every", "1000", "--from", "10000", "--to", "14000"];
    await ended(
      runCli(["backfill", "--rpc", node.url, "--db", db, "--rate", "0", "--json", ...asked, ...grid], {
        clock,
      }),
    );
    const states = await rowsIn(db, "SELECT ledger_version, state FROM backfill ORDER BY ledger_version");
    expect(states.map(([version, state]) => `${version} ${state}`)).toEqual([
      "10000 observed",
      "11000 observed",
      "12000 observed",
      "13000 inferred",
      "14000 observed",
    ]);
    for (const version of [10_000n, 11_000n, 12_000n, 13_000n, 14_000n]) {
      const of = async (view: string) =>
        (await rowsIn(db, `SELECT address, module, bytecode_sha256 FROM ${view} WHERE ledger_version = ${version}`)).map((row) =>
          row.join(" "),
        );
      const [observed, inferred] = [await of("modules_at"), await of("modules_inferred")];
      const truth = addresses
        .slice(0, 11)
        .flatMap((address) => many.ledger.modulesAt(address, version).map(({ name, code: { sha256 } }) => `${address} ${name} ${sha256}`));
      expect(observed.filter((module) => inferred.includes(module))).toEqual([]);
      expect([...observed, ...inferred].sort(), `${version}`).toEqual(truth.sort());
    }
    expect(await rowsIn(db, `SELECT 1 FROM modules_at WHERE address = '${addresses[11]}'`)).toEqual([]);
  });
});

for (const { version } of sharedServers) {
  const found = findBinaries(version);
  describe.skipIf(typeof found === "string")(`a night and a server of PostgreSQL ${version} that restarts`, async () => {
    const server = typeof found === "string" ? undefined : await startServer(found);
    afterAll(() => server?.remove());

    test.each(sized(["kill"] as const, ["fast", "kill"] as const))(
      "waits (%s), says so once, and goes on with nothing lost",
      async (how) => {
        if (server === undefined) return;
        const many = manyAccounts(80, { packages: 6 });
        let restarted: Promise<void> | undefined;
        const restart = faults.meanwhile("the database's server restarts", () => {
          restarted = server.stop(how).then(() => server.start());
        });
        const plan = { pick: (_: unknown, ordinal: number) => (ordinal === 50 ? [restart] : []), unmet: () => [] };
        await using node = await startSimNode({ ledger: many.ledger, faults: plan });
        const db = (await openDatabase(server.port)).url();
        await runCli(["targets", "add", ...many.addresses(), "--db", db]);
        const { code, stdout, stderr } = await runCli(["night", "--rpc", node.url, "--rate", "0", "--db", db, "--json"]);
        await restarted;
        expect(code, stderr + stdout).toBe(0);
        expect(restarted).toBeDefined();
        expect(stderr.match(/does not answer \(.*\); waiting for it for up to 5 minutes/g)).toHaveLength(1);
        const expected = [...many.addresses()].reduce((sum, address) => sum + many.ledger.modulesAt(address, many.ledger.head).length, 0);
        expect(await rowsIn(db, "SELECT status, accounts, modules FROM snapshots")).toEqual([["sealed", 80n, BigInt(expected)]]);
        await ended(runCli(["verify", "--db", db]));
      },
    );
  });
}
