import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fileName } from "../../src/core/base/file-name.ts";
import { holdsFor } from "../support/property/law.ts";

describe("fileName", () => {
  test("leaves plain names as they are", () => {
    for (const name of ["coin", "aptos_account", "v2", "console"]) expect(fileName(name)).toBe(name);
  });

  test("changes what some system cannot hold, or would hold as another file", () => {
    for (const name of ["Coin", "con", "nul", "com1", "lpt9", "..", ".", "a/b", "a\\b", "", "<SELF>", "a\u202eb", "x".repeat(300)]) {
      expect(fileName(name)).toMatch(/^[a-z0-9_-]{0,100}~[0-9a-f]{16}$/);
    }
  });

  test("gives any two names different files, on systems that do not tell cases apart too", async () => {
    const letters = fc.constantFrom("a", "A", "b", "~", ".", "/", "-", "_", "é", "\u202e");
    const names = fc.array(letters, { maxLength: 4 }).map((list) => list.join(""));
    await holdsFor(100, [names, names], (a, b) => (a === b) === (fileName(a).toLowerCase() === fileName(b).toLowerCase()));
  });
});
