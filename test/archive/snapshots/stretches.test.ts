import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { spansOver, valueAt, versionsInside } from "../../../src/archive/snapshots/set-records.ts";

const sequences = fc.uniqueArray(fc.nat(30), { maxLength: 20 }).map((all) => all.sort((a, b) => a - b).map(BigInt));
const values = fc.array(fc.constantFrom("a", "b", undefined), { minLength: 31, maxLength: 31 });

describe("spansOver", () => {
  test("says of each version what was seen there, in as few spans as can be", () => {
    fc.assert(
      fc.property(sequences, values, (sequence, seen) => {
        const members = sequence.flatMap((version) => {
          const value = seen[Number(version)];
          return value === undefined ? [] : [{ version, value }];
        });
        const spans = spansOver(sequence, members, Object.is);
        expect(versionsInside(sequence, spans)).toEqual(members.map(({ version }) => version));
        for (const version of sequence) expect(valueAt(spans, version)).toBe(seen[Number(version)]);
        const changes = sequence.filter((version, i) => {
          const value = seen[Number(version)];
          return value !== undefined && (i === 0 || value !== seen[Number(sequence[i - 1])]);
        });
        expect(spans.map(({ from }) => from)).toEqual(changes);
        const newest = sequence.at(-1);
        for (const { to } of spans) expect(to).not.toBe(newest);
      }),
    );
  });
});
