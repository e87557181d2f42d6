import { beforeAll, test } from "vitest";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";
import { sized } from "../../run-size.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { twoNights } from "../../support/two-nights.ts";
import { concurrencyOf, readFaultyNights, readQuietNights } from "../night/support/faulty-nights.ts";
import { expectSamePublicRows, publicRows } from "./public-rows.ts";

const scene = twoNights(24);

eachPostgres("nights with a fifth of all answers faulty", (open) => {
  let quiet: Record<string, string[]>;

  beforeAll(async () => {
    using place = temporaryDirectory();
    await readQuietNights(scene, place.file("quiet.db"));
    quiet = await publicRows(place.file("quiet.db"));
  });

  const cases = sized([1], [1, 2, 3]).map((seed) => ({ seed, concurrency: concurrencyOf(seed) }));
  test.each(cases)(
    "are sealed without a gap, in every view as quiet ones on a file: seed $seed, $concurrency at once",
    async ({ seed }) => {
      const db = (await open()).url();
      await readFaultyNights(scene, db, seed);
      await expectSamePublicRows(db, quiet);
    },
  );
});
