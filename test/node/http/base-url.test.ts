import { describe, expect, test } from "vitest";
import { parseBaseUrl } from "../../../src/core/node/http/base-url.ts";

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

  test.each([
    ["https://0123456789abcdef0123456789abcdef.node.example/v1", "https://…3eb1bd43.node.example/v1"],
    ["https://key-9f8e7d6c5b4a3f2e1d0c.eu.node.example:8443", "https://…5477eba8.eu.node.example:8443/v1"],
    ["https://123e4567-e89b-12d3-a456-426614174000.node.example/v1", "https://…986c0dc9.node.example/v1"],
    ["https://aptos-mainnet-fullnode-1.eu-west-1.node.example/v1", "https://aptos-mainnet-fullnode-1.eu-west-1.node.example/v1"],
    ["https://ip-10-120-130-140.compute.internal/v1", "https://ip-10-120-130-140.compute.internal/v1"],
    ["http://[2001:db8:1234:5678:90ab:cdef:1234:5678]/v1", "http://[2001:db8:1234:5678:90ab:cdef:1234:5678]/v1"],
  ])("%s has what may be a key in its host name replaced", (text, shown) => {
    const url = parseBaseUrl(text);
    expect([url.shown, url.secrets.length > 0, url.origin]).toEqual([shown, shown.includes("…"), new URL(text).origin]);
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
