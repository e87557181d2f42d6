import { describe, expect, test } from "vitest";
import { parseTargetsFile } from "../../../src/crawl/targets/targets-file.ts";
import { ConfigError } from "../../../src/errors.ts";

describe("parseTargetsFile", () => {
  test("takes one address a line, in order, each once", () => {
    expect(parseTargetsFile("0x2\n0x1\n0x0000000000000002\n", "t")).toEqual(["0x2", "0x1"]);
  });

  test("passes over blank lines, comments, a byte order mark and every kind of line end", () => {
    expect(parseTargetsFile("\ufeff# mine\r\n\r\n0xa\r0xb\n  # more\n", "t")).toEqual(["0xa", "0xb"]);
  });

  test("takes the first column of a CSV with a header and quotes", () => {
    expect(parseTargetsFile('address,label\n"0xAB",pool, of gold\n0xcd;x\n', "t")).toEqual(["0xab", "0xcd"]);
  });

  test("refuses a bad line whole, by number, without printing controls raw", () => {
    const attempt = () => parseTargetsFile("0x1\n\n0xzz\u001b[31m\n", "list.csv");
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(/list\.csv, line 3: .*found `0xzz\\u\{1b\}\[31m`/);
  });

  test("takes a header once only, and before any address", () => {
    expect(() => parseTargetsFile("0x1\naddress\n", "t")).toThrow(/line 2/);
  });

  test("an empty file gives nothing", () => {
    expect(parseTargetsFile("", "t")).toEqual([]);
  });
});
