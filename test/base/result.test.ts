import { describe, expect, test } from "vitest";
import {
  all,
  from,
  list,
  maybe,
  named,
  object,
  orNull,
  perhaps,
  time,
  truth,
  version,
  whole,
  within,
  word,
} from "../../src/base/result.ts";

const run = object({
  ledger_version: version,
  state: orNull(word("open", "final")),
  seconds: from(({ beganAt, endedAt }: { readonly beganAt: number; readonly endedAt: number }) => (endedAt - beganAt) / 1000, whole),
  began_at: time,
  speed: from("pace.average", orNull(whole)),
  ...within("node", { head_version: version }),
  ...perhaps("ages", all(whole, "oldest_ms", "median_ms")),
  is_cut: maybe(truth),
  reasons: named(whole),
  nodes: list(object({ node_version: version })),
});
const value = {
  ledgerVersion: 2n ** 60n,
  state: null,
  beganAt: 0,
  endedAt: 2600,
  pace: { average: 2.5 },
  node: { headVersion: 7n },
  reasons: new Map([["pruned", 2]]),
  nodes: [{ nodeVersion: 1n }],
};

describe("a declared object", () => {
  test("prints the value's own names and those of other places, in the order of its fields", () => {
    expect(JSON.stringify(run.print({ ...value, ages: { oldestMs: 1.4, medianMs: Number.POSITIVE_INFINITY }, isCut: false }))).toBe(
      '{"ledger_version":"1152921504606846976","state":null,"seconds":3,"began_at":"1970-01-01T00:00:00.000Z","speed":3,"head_version":"7",' +
        '"oldest_ms":1,"median_ms":null,"is_cut":false,"reasons":{"pruned":2},"nodes":[{"node_version":"1"}]}',
    );
  });

  test("leaves out what may be missing, and has null for what is not known", () => {
    const printed = run.print({ ...value, pace: undefined });
    expect(Object.keys(printed)).toEqual(
      ["ledger_version", "state", "seconds", "began_at", "speed", "head_version", "reasons", "nodes"], // no ages, no is_cut
    );
    expect(printed.speed).toBeNull();
  });

  test("requires in its schema what is always there, and allows null where a value may be", () => {
    expect(run.schema).toMatchObject({
      properties: {
        state: { type: ["string", "null"], enum: ["open", "final", null] },
        speed: { type: ["integer", "null"] },
        reasons: { type: "object", additionalProperties: { type: "integer" } },
        nodes: { items: { required: ["node_version"] } },
      },
      required: ["ledger_version", "state", "seconds", "began_at", "speed", "head_version", "reasons", "nodes"],
    });
  });
});
