import { expect, test } from "vitest";
import { admit } from "../../../src/capabilities/backfill/backfill-points.ts";

test("the oldest come first; what would be late after them is left out, so that others are saved whole", () => {
  const jobs = [1n, 2n, 3n, 4n, 5n, 6n].map((version) => ({ version, requests: 10 }));
  const { able, refused, requests } = admit(jobs, 10, (version) => Math.max(0, Number(version) - 1) * 62, 20);
  expect([able.map(({ version }) => version), requests]).toEqual([[3n, 5n], 20]);
  expect([...refused]).toEqual([
    [1n, "pruned"],
    [2n, "time"],
    [4n, "time"],
    [6n, "budget"],
  ]);
});
