import { expect, test } from "vitest";
import { categoryOf } from "../../../src/abi/abort/abort-codes.ts";
import { present } from "../../../src/errors.ts";
import { parseCode } from "../../../src/move/code/read-code.ts";
import { moduleReader, readReleases } from "../../support/recorded-releases.ts";
import { frameworkHistory } from "../../support/shared-data.ts";

test.skipIf(frameworkHistory === undefined)(
  "knows the category of each function of the real 0x1::error (skipped without the releases)",
  () => {
    const directory = present(frameworkHistory, "skipped without it");
    const sha256 = present(readReleases(directory).at(-1)?.modules.get("0x1::error"), "every release has it");
    // The compiler writes each category as a literal in its place, 16 bits up; the reason is added to it.
    const functions = Array.from(parseCode(moduleReader(directory)(sha256).bytes).functions(), ({ definition, instructions }) => ({
      name: definition.handle.name,
      category: instructions.find(({ name }) => name === "LdU64")?.value,
    })).filter(({ name }) => name !== "canonical");
    expect(functions).toHaveLength(12);
    for (const { name, category } of functions) expect([name, categoryOf(name)]).toEqual([name, category && category >> 16n]);
    expect(categoryOf("canonical")).toBeUndefined();
  },
);
