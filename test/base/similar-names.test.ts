import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nearestNames } from "../../src/base/similar-names.ts";

describe("nearestNames", () => {
  test.each([
    ["tranfser", ["transfer", "deposit"], ["transfer"]],
    ["Transfer", ["transfer"], ["transfer"]],
    ["coim", ["coin", "code", "table"], ["coin"]],
    ["fungible", ["fungible_asset", "object"], ["fungible_asset"]],
    ["zzz", ["coin"], []],
    ["", ["coin"], []],
  ])("takes %j for %j to mean %j", (wanted, names, expected) => expect(nearestNames(wanted, names)).toEqual(expected));

  test("names three at most, the nearest first", () => {
    expect(nearestNames("transfer", ["transfer_all", "transfers", "transfer_x", "transferx", "ransfer"])).toEqual([
      "ransfer",
      "transfers",
      "transferx",
    ]);
  });

  test("finds a name itself, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 40 }), (name) => {
        expect(nearestNames(name, [name])).toEqual([name]);
      }),
    );
  });

  test("passes over what is too long to compare", () => {
    expect(nearestNames("a".repeat(1_000_000), ["a".repeat(1_000_000)])).toEqual([]);
  });
});
