import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeModule } from "../../../src/sim/module-writer/module-writer.ts";
import { type CliResult, runCli } from "../../support/run-cli.ts";
import { sealModules } from "../../support/sealed-modules.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const withErrors = (...errors: { code: number; name: string; description: string }[]) =>
  writeModule({ address: "0x1", name: "stake", errors });
const LOW = { code: 4, name: "ESTAKE_TOO_LOW", description: "Not enough stake.\n Ask for \u001b[31mmore." };
const ACTIVE = { code: 4, name: "EALREADY_ACTIVE", description: "Active already" };

describe("movedex explain", () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  const explain = (...words: string[]): Promise<CliResult> => runCli(["explain", ...words, "--db", db]);

  beforeAll(async () => {
    const silent = writeModule({ address: "0x1", name: "silent" });
    const strange = writeModule({ address: "0x1", name: "strange" }).with(4, 99);
    await sealModules(db, [
      { version: 10n, accounts: { "0x1": [withErrors(LOW), silent, strange] } },
      { version: 20n, accounts: { "0x1": [withErrors(), silent, strange] } },
      { version: 30n, accounts: { "0x1": [withErrors(ACTIVE, { code: 5, name: "E5", description: "" }), silent, strange] } },
    ]);
  });
  afterAll(() => place[Symbol.dispose]());

  test("says what a code means, its category, and that it meant something else", async () => {
    const { code, stdout, stderr } = await explain("0x1::stake", "0x10004");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`0x1::stake aborted with 0x10004 (65540)
  EALREADY_ACTIVE (4): Active already
  category 1, INVALID_ARGUMENT: an argument was wrong; reason 4
  as of ledger version 30
  the code changed its meaning:
    at ledger version 10: ESTAKE_TOO_LOW (4): Not enough stake. Ask for \\u{1b}[31mmore.
    at ledger version 20: no text
    from ledger version 30 on: EALREADY_ACTIVE (4): Active already
`);
  });

  test("takes a node's message, and says when the module meant what it says", async () => {
    const { stdout } = await explain("Move abort in 0x1::stake: ESTAKE_TOO_LOW(0x10004): Not enough stake.");
    expect(stdout).toContain("  the message calls it ESTAKE_TOO_LOW: it meant that at ledger version 10\n");
    const other = await explain("Move", "abort", "in", "0x1::stake:", "EOTHER(0x5)");
    expect(other.stdout).toContain("  the message calls it EOTHER: no snapshot here shows the module so\n");
    expect(other.stdout).toContain("  it had no text at other versions:\n");
  });

  test("explains at a version", async () => {
    expect((await explain("stake@10", "4")).stdout).toContain("  ESTAKE_TOO_LOW (4): Not enough stake.");
    expect((await explain("stake@20", "4")).stdout).toContain(
      "  the module explains none of its codes: it was built without error texts\n",
    );
  });

  test("says what it does not know", async () => {
    expect((await explain("stake", "77")).stdout).toContain(
      "the module has no text for reason 77; it explains 2 others\n  it names no category\n",
    );
    expect((await explain("silent", "0x30001")).stdout).toContain("it was built without error texts\n  category 3, INVALID_STATE");
    expect((await explain("strange", "1")).stdout).toContain(
      "what it means is not known: the module's bytecode cannot be read by this movedex",
    );
    expect((await explain("stake", "0xff0000000001")).stdout).toContain("its high bits are no category of the standard library");
  });

  test("names the category of a code without a module", async () => {
    const { stdout, code } = await explain("Move abort: code 0x60007");
    expect(code).toBe(0);
    expect(stdout).toBe(
      "0x60007 (393223)\n  category 6, NOT_FOUND: something that was needed is not there; reason 7\n" +
        "  name the module that aborted to learn what its reason means: movedex explain 0x1::coin 0x60007\n",
    );
  });

  test("lists all codes of a module", async () => {
    const { stdout, stderr } = await explain("0x1::stake");
    expect(stderr).toBe("movedex: 0x1::stake explains 2 abort codes at ledger version 30\n");
    expect(stdout).toContain("   4  EALREADY_ACTIVE  Active already\n   5  E5\n");
    expect(JSON.parse((await explain("stake", "--json")).stdout)).toHaveLength(2);
  });

  test("prints one JSON object", async () => {
    expect((await explain("stake", "0x10004", "--json")).json()).toMatchObject({
      address: "0x1",
      module: "stake",
      ledger_version: "30",
      code: "65540",
      code_hex: "0x10004",
      reason: "4",
      category: { number: 1, name: "INVALID_ARGUMENT" },
      name: "EALREADY_ACTIVE",
      meanings: [
        { name: "ESTAKE_TOO_LOW", from_version: "10", to_version: "10" },
        { name: null, known: true },
        { name: "EALREADY_ACTIVE", to_version: null },
      ],
    });
    expect((await explain("7", "--json")).json()).toEqual({ code: "7", code_hex: "0x7", reason: "7", category: null });
  });

  test.each([
    [["hello", "world"], "wanted a module and an abort code"],
    [["0x1", "7"], "wanted a module, such as `0x1::coin` or `coin`, before the abort code"],
    [["stak", "7"], "no module called `stak` is held. Did you mean `stake`?"],
    [["0x9::m", "7"], "no sealed snapshot has an answer about 0x9"],
  ])("says of %j what was wanted", async (words, sentence) => {
    const { code, stderr } = await explain(...words);
    expect(code).toBe(1);
    expect(stderr).toContain(sentence);
  });
});
