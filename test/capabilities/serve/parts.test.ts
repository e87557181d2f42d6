import { expect, test } from "vitest";
import { byteCache } from "../../../src/capabilities/serve/http/bounds.ts";
import { negotiateEncoding } from "../../../src/capabilities/serve/http/negotiation.ts";

test.each([
  [undefined, undefined],
  ["identity", undefined],
  ["", undefined],
  ["gzip, deflate, br, zstd", "zstd"],
  ["gzip, deflate, br", "br"],
  ["br;q=0.5, gzip", "gzip"],
  ["br; q=0, gzip;q=0", undefined],
  ["*", "gzip"],
  ["*;q=0", undefined],
  ["deflate", undefined],
  ["identity;q=1, gzip;q=0.5", undefined],
  ["GZIP", "gzip"],
  [",".repeat(100_000), undefined],
])("negotiateEncoding %s is %s", (accepted, packing) => {
  expect(negotiateEncoding(accepted)).toBe(packing);
});

test("a cache of bytes drops what was used longest ago, and takes nothing that would empty the rest", () => {
  const cache = byteCache<string>(100);
  for (const key of ["a", "b", "c", "d"]) cache.set(key, key, 25);
  cache.get("a");
  cache.set("e", "e", 25);
  expect(["a", "b", "c", "d", "e"].map((key) => cache.get(key))).toEqual(["a", undefined, "c", "d", "e"]);
  cache.set("f", "f", 26);
  cache.set("a", "A", 10);
  cache.set("g", "g", 15);
  expect(["f", "a", "c", "d", "e", "g"].map((key) => cache.get(key))).toEqual([undefined, "A", "c", "d", "e", "g"]);
});
