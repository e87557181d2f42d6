import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { expect, test } from "vitest";
import { systemReason } from "../../../src/base/files/system-reason.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const reasonOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return systemReason(error);
  }
  return "nothing went wrong";
};

test("a failure of the system is told in its words, one of Node's own by its code, another as it is", () => {
  const place = temporaryDirectory();
  mkdirSync(place.file("folder"));
  expect(reasonOf(() => readFileSync(place.file("none")))).toBe("no such file or directory (ENOENT)");
  expect(reasonOf(() => rmSync(place.file("folder")))).toBe("ERR_FS_EISDIR");
  expect(systemReason(new Error("odd"))).toBe("Error: odd");
});
