import { describe, expect, test } from "vitest";
import { acceptedEncoding, acceptedFormat } from "../../sim/http/negotiation.ts";

describe("acceptedFormat", () => {
  test.each([
    [undefined, "json"],
    ["*/*", "json"],
    ["text/html", "json"],
    ["garbage", "json"],
    ["application/x-bcs", "bcs"],
    ["application/x-bcs, application/json", "bcs"],
    ["application/json, application/x-bcs", "json"],
    ["application/x-bcs;q=0.9", "json"],
    ["application/x-bcs; charset=x", "json"],
    ["application/json;q=0.1, application/x-bcs", "bcs"],
    ["application/x-bcs, */*", "bcs"],
  ])("answers %j with %s, as the contract's table has it", (accept, format) => {
    expect(acceptedFormat(accept)).toBe(format);
  });
});

describe("acceptedEncoding", () => {
  test.each([
    [undefined, undefined],
    ["identity", undefined],
    ["zstd", undefined],
    ["gzip", "gzip"],
    ["*", "br"],
    ["gzip, deflate, br", "br"],
    ["deflate, gzip", "gzip"],
    ["gzip;q=1.0, br;q=0.5", "gzip"],
    ["br; q=1, deflate;q=0.1", "deflate"],
    ["gzip;q=0", "gzip"],
  ])("picks for %j %s", (header, encoding) => {
    expect(acceptedEncoding(header)).toBe(encoding);
  });
});
