import { expect, test } from "vitest";
import { sampleModules } from "../../../src/core/db/archive/read/sampling.ts";
import { addressOf, night, temporaryStore } from "../../support/store/temporary-store.ts";

test("modules drawn from a snapshot are all that stand, each bytecode once, where as many are wanted", async () => {
  await using at = await temporaryStore();
  await night(at.engine, 10n, [
    [addressOf(1), { sequence: 1n, modules: { coin: "1", pool: "2" } }],
    [addressOf(2), { sequence: 1n, modules: { coin: "1" } }],
  ]);
  let draws = 0;
  const drawn = await sampleModules(at.engine, { version: 10n, count: 5, random: () => (draws++ % 10) / 10 });
  expect(drawn.map(({ name }) => name).sort()).toEqual(["coin", "pool"]);
});
