import { describe, expect, test } from "vitest";
import { parseBaseUrl } from "../../../src/node/http/base-url.ts";

describe("parseBaseUrl", () => {
  test.each([
    ["https://host/v1", "https://host", "/v1", "https://host/v1"],
    ["https://host/v1/", "https://host", "/v1", "https://host/v1"],
    ["https://host", "https://host", "/v1", "https://host/v1"],
    ["http://HOST:8080/", "http://host:8080", "/v1", "http://host:8080/v1"],
    ["https://host/movement/v1", "https://host", "/movement/v1", "https://host/movement/v1"],
    ["https://host/s3CreTs3CreTs3CreTs3CreT/v1", "https://host", "/s3CreTs3CreTs3CreTs3CreT/v1", "https://host/…6d19b91d/v1"],
    ["https://host/abc/v1", "https://host", "/abc/v1", "https://host/…ba7816bf/v1"],
  ])("%s", (text, origin, path, shown) => {
    expect(parseBaseUrl(text)).toMatchObject({ origin, path, shown });
  });

  test("shows the operator's name for it, if there is one", () => {
    expect(parseBaseUrl("https://host/abc/v1", "our node").shown).toBe("our node");
    for (const name of ["", " x", "a\nb", "x".repeat(101)])
      expect(() => parseBaseUrl("https://host/v1", name)).toThrow("A node's name has");
  });

  test("tells plain HTTP to another machine from a node on this one", () => {
    const open = (text: string): boolean => parseBaseUrl(text).isOpen;
    expect([open("http://host/v1"), open("http://127.0.0.1:8080/v1"), open("http://[::1]/v1"), open("https://host/v1")]).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  test.each([
    "",
    "host/v1",
    "file:///etc/passwd",
    "https://",
    "https://u@host/v1",
    "https://u:p@host/v1",
    "https://host/v1?key=1",
    "https://host/v1#x",
  ])("refuses %j", (text) => {
    expect(() => parseBaseUrl(text)).toThrow(expect.objectContaining({ code: "MOVEDEX_CONFIG" }));
  });

  test("does not repeat a password in its message", () => {
    expect(() => parseBaseUrl("https://u:hunter2@host/v1")).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining("hunter2") }),
    );
  });
});
