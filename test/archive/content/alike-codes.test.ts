import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { sha256 } from "../../../src/core/base/sha256.ts";
import { AlikeCodes } from "../../../src/core/db/archive/content/code-blobs.ts";

const codes = Array.from({ length: 9 }, () => randomBytes(500_000));

describe("AlikeCodes", () => {
  test("packs a copy with one of its name, and not once 4 MB of other names have come since", () => {
    const alike = new AlikeCodes();
    /** Packs a module, and tells which one it is packed with. */
    const pack = (place: number, code: Uint8Array) => {
      const { base } = alike.pack(`module_${place}`, sha256(code), code);
      return base && codes.findIndex((known) => known.equals(base.code));
    };
    const packCopyOf = (place: number) => pack(place, Buffer.concat([codes[place] as Buffer, Buffer.from("copy")]));
    const alone = codes.map((code, place) => pack(place, code));
    expect(alone.filter((base) => base !== undefined)).toEqual([]);
    expect([1, 8, 0].map(packCopyOf)).toEqual([1, 8, undefined]);
  });
});
