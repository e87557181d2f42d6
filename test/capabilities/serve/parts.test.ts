import { describe, expect, test } from "vitest";
import { negotiateEncoding } from "../../../src/capabilities/serve/http/negotiation.ts";

describe("negotiateEncoding", () => {
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
  ])("%s is %s", (accepted, packing) => {
    expect(negotiateEncoding(accepted)).toBe(packing);
  });
});
