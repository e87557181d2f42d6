import { describe, expect, test } from "vitest";
import { deriveContent } from "../../../src/capabilities/decode/read-modules.ts";

describe("deriveContent", () => {
  const abi = JSON.stringify({ address: "0x1", name: "m", friends: [], exposed_functions: [], structs: [] });

  test("takes a node's ABI only for bytes that it cannot decode", () => {
    expect(deriveContent(Buffer.from("opaque"), abi).nodeAbi).toMatchObject({ address: "0x1", name: "m" });
    const deep = `${"[".repeat(1000)}${"]".repeat(1000)}`;
    const wide = abi.replace('"friends":[]', `"friends":[${"0,".repeat(2_000_000)}0]`);
    for (const text of [null, "{", "{}", "null", abi.replace('"structs":[]', `"structs":${deep}`), wide])
      expect(deriveContent(Buffer.from("opaque"), text)).not.toHaveProperty("nodeAbi");
  });
});
