import { expect } from "vitest";
import { sized } from "../../run-size.ts";
import { databaseContent } from "../../support/database-content.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";
import { twoNights } from "../../support/two-nights.ts";
import { concurrencyOf, readFaultyNights, readQuietNights } from "./support/faulty-nights.ts";

const scene = twoNights(24);
const quiet = temporaryDirectory().file("quiet.db");
await readQuietNights(scene, quiet);

const cases = sized([1, 2, 3], [1, 2, 3, 4, 5, 6]).map((seed) => ({ seed, concurrency: concurrencyOf(seed) }));
test.each(cases)("nights with a fifth of all answers faulty are as quiet ones: seed $seed, $concurrency at once", async ({ seed }) => {
  using place = temporaryDirectory();
  await readFaultyNights(scene, place.file("night.db"), seed);
  expect(databaseContent(place.file("night.db"))).toEqual(databaseContent(quiet));
});
