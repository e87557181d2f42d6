import { expect } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { ended, runCli, sealModules, test } from "../../support/index.ts";
import { textOfHtml } from "../explorer/support/page-text.ts";
import { servePages } from "../explorer/support/served-pages.ts";

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

test("the page of a code that nothing raises any more says until when it was raised", async ({ place }) => {
  const db = place.file("night.db");
  const code = [Uint8Array.of(0x06, 4, 0, 1, 0, 0, 0, 0, 0), Uint8Array.of(0x27)];
  const once = (code: readonly Uint8Array[]) =>
    writeModule({ address: "0x3", name: "once", functions: ["pay", "lend"].map((name) => ({ name, visibility: "public", code })) });
  await sealModules(db, [
    { version: 20n, accounts: { "0x3": [once(code)] } },
    { version: 30n, accounts: { "0x3": [once([Uint8Array.of(0x02)])] } },
  ]);
  await using served = await servePages(db);
  const { text } = await served.get("/error/0x3/once/0x10004");
  expect(textOfHtml(text)).toContain("None any more. Until 20 it was raised by pay, lend.");
});
