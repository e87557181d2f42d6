import { beforeAll, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { sized } from "../../run-size.ts";
import { ended, ManualClock, runCli } from "../../support/command/index.ts";
import { temporaryDirectory, twoNights } from "../../support/scene/index.ts";
import { expectSamePublicRows, publicRows } from "./public-rows.ts";

const scene = twoNights(24);

function syncNight(db: string, url: string, targets: string, version: bigint, concurrency = 4) {
  const pace = ["--rate", "0", "--concurrency", `${concurrency}`, "--page-size", "2"];
  const what = ["--rpc", url, "--db", db, "--targets", targets, "--ledger-version", `${version}`, "--json"];
  return runCli(["sync", ...what, ...pace], { clock: new ManualClock({ skipSleeps: true }) });
}

eachPostgres("nights with a fifth of all answers faulty", (open) => {
  let quiet: Record<string, string[]>;

  beforeAll(async () => {
    await using node = await startSimNode({ ledger: scene.ledger });
    using place = temporaryDirectory();
    const [db, targets] = [place.file("quiet.db"), scene.targetsFile(place.file("targets.csv"))];
    for (const version of [scene.first, scene.second]) await ended(syncNight(db, node.url, targets, version));
    quiet = await publicRows(db);
  });

  const cases = sized([1], [1, 2, 3]).map((seed) => ({ seed, concurrency: [1, 4, 16][seed % 3] as number }));
  test.each(cases)(
    "seed $seed, $concurrency at once: sealed without a gap, and every public view is that of quiet nights on a file",
    async ({ seed, concurrency }) => {
      const plan = faults.mixedFaults({ seed, holdMs: 4, longWaits: true });
      await using node = await startSimNode({ ledger: scene.ledger, faults: plan });
      using place = temporaryDirectory();
      const targets = scene.targetsFile(place.file("targets.csv"));
      const db = (await open()).url();
      let retries = 0;
      for (const version of [scene.first, scene.second]) {
        const { json } = await ended(syncNight(db, node.url, targets, version, concurrency));
        expect(json()).toMatchObject({ status: "sealed", gaps: 0, accounts: scene.addresses.length });
        retries += json()["retries"] as number;
      }
      expect(retries).toBeGreaterThan(20);
      await expectSamePublicRows(db, quiet);
    },
  );
});
