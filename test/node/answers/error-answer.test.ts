import { expect, test } from "vitest";
import { errorAnswer } from "../../../src/core/node/answers/answer-reader.ts";

const hint = "https://archive.example.org/v1";
const pruned = (headers: Record<string, string>, body: Record<string, unknown>, status = 410) =>
  errorAnswer(
    {
      status,
      headers,
      body: new TextEncoder().encode(JSON.stringify({ message: "pruned", error_code: "version_pruned", ...body })),
    } as never,
    undefined,
    0,
  ).known.archivalEndpoint;

test("a redirect names where it leads, if anywhere", () => {
  const to = (headers: Record<string, string>) =>
    errorAnswer({ status: 304, headers, body: new Uint8Array() } as never, undefined, 0).message;
  expect(to({ location: "/v1/" })).toBe("status 304, to another path of the same server");
  expect(to({})).toBe("status 304 without a place to ask instead: a cache before the node says that nothing changed");
});

test("a gateway names its archive in a header or in the body; the header counts first, and only where something is pruned", () => {
  expect(pruned({ "x-aptos-archival-endpoint": hint }, {})).toBe(hint);
  expect(pruned({}, { archival_endpoint: hint })).toBe(hint);
  expect(pruned({ "x-aptos-archival-endpoint": hint }, { archival_endpoint: "https://other.example.org" })).toBe(hint);
  expect(pruned({}, { archival_endpoint: 7 })).toBeUndefined();
  expect(pruned({}, { archival_endpoint: `https://${"a".repeat(5000)}` })).toBeUndefined();
  expect(pruned({ "x-aptos-archival-endpoint": hint }, { error_code: "account_not_found" }, 404)).toBeUndefined();
});
