import { describe, expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { sized } from "../../run-size.ts";
import { ended, ManualClock, runCli } from "../../support/command/index.ts";
import { databaseContent, temporaryDirectory, twoNights } from "../../support/scene/index.ts";

type Night = { readonly version: bigint; readonly url: string; readonly targets: string; readonly concurrency?: number };

function syncNight(db: string, { version, url, targets, concurrency = 4 }: Night) {
  const pace = ["--rate", "0", "--concurrency", `${concurrency}`, "--page-size", "2"];
  const what = ["--rpc", url, "--db", db, "--targets", targets, "--ledger-version", `${version}`, "--json"];
  return runCli(["sync", ...what, ...pace], { clock: new ManualClock({ skipSleeps: true }) });
}

describe("nights with a fifth of all answers faulty", async () => {
  const scene = twoNights(24);
  await using node = await startSimNode({ ledger: scene.ledger });
  using place = temporaryDirectory();
  const db = place.file("quiet.db");
  const targets = scene.targetsFile(place.file("targets.csv"));
  for (const version of [scene.first, scene.second]) {
    await ended(syncNight(db, { version, url: node.url, targets }));
  }
  const quiet = databaseContent(db);

  const cases = sized([1, 2, 3], [1, 2, 3, 4, 5, 6]).map((seed) => ({ seed, concurrency: [1, 4, 16][seed % 3] as number }));
  test.each(cases)(
    "seed $seed, $concurrency at once: sealed without a gap, the same database as of quiet nights",
    async ({ seed, concurrency }) => {
      const plan = faults.mixedFaults({ seed, holdMs: 4, longWaits: true });
      await using node = await startSimNode({ ledger: scene.ledger, faults: plan });
      using place = temporaryDirectory();
      const db = place.file("night.db");
      const targets = scene.targetsFile(place.file("targets.csv"));
      let retries = 0;
      for (const version of [scene.first, scene.second]) {
        const { json } = await ended(syncNight(db, { version, url: node.url, targets, concurrency }));
        expect(json()).toMatchObject({ status: "sealed", gaps: 0, accounts: scene.addresses.length });
        retries += json()["retries"] as number;
      }
      expect(retries).toBeGreaterThan(20);
      expect(databaseContent(db)).toEqual(quiet);
    },
  );
});
