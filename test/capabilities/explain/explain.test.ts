import { expect } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { ended, runCli, sealModules, test } from "../../support/index.ts";

const NASTY = "csi \u009b2J, right to left \u202e, tag \u{e0041}";

// What it says of errors is held in test/golden/outputs/explain-pasted.
test("explain escapes in JSON what a terminal acts on, and takes a text of any length", async ({ place }) => {
  const db = place.file("night.db");
  const nasty = writeModule({ address: "0x1", name: "nasty", errors: [{ code: 1, name: "ENASTY", description: NASTY }] });
  await sealModules(db, [{ version: 10n, accounts: { "0x1": [nasty] } }]);
  const explain = (...words: string[]) => runCli(["explain", ...words, "--db", db]);
  expect((await explain("E\u009b2J", "--json")).stdout).not.toMatch(/[\u007f-\u009f\p{Cf}]/u);
  const hostile = await ended(explain("nasty", "1", "--json"));
  expect(hostile.stdout).toContain("\\u009b");
  expect(hostile.stdout).not.toMatch(/[\u007f-\u009f\p{Cf}\u2028\u2029]/u);
  expect(hostile.json()).toMatchObject({ description: NASTY });
  expect((await ended(explain("{".repeat(100_000)), 64)).stderr).toContain("names no error");
});
