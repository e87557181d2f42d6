import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { type CliResult, ended, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";
import { textOfHtml } from "../explorer/support/page-text.ts";
import { servePages } from "../explorer/support/served-pages.ts";

const withErrors = (...errors: { code: number; name: string; description: string }[]) =>
  writeModule({ address: "0x1", name: "stake", errors });
const LOW = { code: 4, name: "ESTAKE_TOO_LOW", description: "Not enough stake.\n Ask for \u001b[31mmore." };
const NASTY = "csi \u009b2J, right to left \u202e, tag \u{e0041}";
const ACTIVE = { code: 4, name: "EALREADY_ACTIVE", description: "Active already" };

describe("movedex explain", async () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  const explain = (...words: string[]): Promise<CliResult> => runCli(["explain", ...words, "--db", db]);

  const silent = writeModule({ address: "0x1", name: "silent" });
  const nasty = writeModule({ address: "0x1", name: "nasty", errors: [{ code: 1, name: "ENASTY", description: NASTY }] });
  const strange = writeModule({ address: "0x1", name: "strange" }).with(4, 99);
  /** `LdU64 0x10004; Abort`, and a number that is returned. */
  const abort = [Uint8Array.of(0x06, 4, 0, 1, 0, 0, 0, 0, 0), Uint8Array.of(0x27)];
  const raising = writeModule({
    address: "0x2",
    name: "raising",
    errors: [LOW],
    functions: [
      { name: "pay", visibility: "public", entry: true, code: abort },
      { name: "hidden", code: abort },
      { name: "quiet", visibility: "public", code: [Uint8Array.of(0x02)] },
    ],
  });
  const raisedOnce = (isRaised: boolean) => {
    const functions = ["pay", "lend"].map((name) => ({
      name,
      visibility: "public" as const,
      code: isRaised ? abort : [Uint8Array.of(0x02)],
    }));
    return [writeModule({ address: "0x3", name: "once", errors: isRaised ? [LOW] : [], functions })];
  };
  await sealModules(db, [
    {
      version: 10n,
      accounts: {
        "0x1": [withErrors(LOW), silent, strange],
        "0x2": [writeModule({ address: "0x2", name: "gone" })],
        "0x3": raisedOnce(true),
      },
    },
    { version: 20n, accounts: { "0x1": [withErrors(), silent, strange], "0x3": raisedOnce(true) } },
    {
      version: 30n,
      accounts: {
        "0x1": [withErrors(ACTIVE, { code: 5, name: "E5", description: "" }), silent, strange, nasty],
        "0x2": [raising],
        "0x3": raisedOnce(false),
      },
    },
  ]);

  test("says what a code means, its category, and that it meant something else", async () => {
    const { code, stdout, stderr } = await explain("0x1::stake", "0x10004");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`0x1::stake aborted with 0x10004 (65540)
  EALREADY_ACTIVE (4): Active already
  category 1, INVALID_ARGUMENT: an argument was wrong; reason 4
  as of ledger version 30
  its meaning by version:
    at ledger version 10: ESTAKE_TOO_LOW (4): Not enough stake. Ask for \\u{1b}[31mmore.
    at ledger version 20: no text
    from ledger version 30 on: EALREADY_ACTIVE (4): Active already
`);
  });

  test("takes module and code in either order, with a version too", async () => {
    for (const module of ["0x1::stake", "stake", "stake@10", "0x1::stake@10"])
      expect((await explain("0x10004", module)).stdout).toBe((await explain(module, "0x10004")).stdout);
    expect((await explain("0x10004", "0x1::stake@10")).stdout).toContain("as of ledger version 10");
  });

  test("takes a node's message, and says when the module meant what it says", async () => {
    const { stdout } = await explain("Move abort in 0x1::stake: ESTAKE_TOO_LOW(0x10004): Not enough stake.");
    expect(stdout).toContain("  the message calls it ESTAKE_TOO_LOW: it meant that at ledger version 10\n");
    const other = await explain("Move", "abort", "in", "0x1::stake:", "EOTHER(0x5)");
    expect(other.stdout).toContain("  the message calls it EOTHER: no snapshot here has that name\n");
    expect(other.stdout).toContain("  its meaning by version:\n");
  });

  test("names who raises a code and which functions that can be called reach it, and explains each abort of a text", async () => {
    const { stdout } = await explain("Move abort in 0x2::raising: ESTAKE_TOO_LOW(0x10004): x; then Move abort in 0x1::stake: E5(0x5)");
    const [first, second] = stdout.split("\n\n");
    expect(first).toContain("0x2::raising aborted with 0x10004 (65540)\n  ESTAKE_TOO_LOW (4)");
    expect(first).toContain("\n  raised by pay, hidden\n  its functions that can be called and reach it: pay\n");
    expect(second).toContain("0x1::stake aborted with 0x5 (5)\n");
    const [json] = (await explain("0x2::raising", "4", "--json")).stdout.split("\n");
    expect(JSON.parse(json ?? "")).toMatchObject({ raised_by: ["pay", "hidden"], reached_from: ["pay"] });
  });

  test("says until when a code was raised that nothing raises any more, by its reason as well, and its page says it too", async () => {
    for (const code of ["4", "0x10004"]) {
      const { stdout } = await explain("0x3::once", code);
      expect(stdout).toContain("\n  raised until ledger version 20, by pay, lend, and no more\n");
    }
    expect(JSON.parse((await explain("0x3::once", "4", "--json")).stdout)).toMatchObject({ raised_by: [], raised_until: "20" });
    expect((await explain("0x3::once@10", "4")).stdout).not.toContain("until");
    await using served = await servePages(db);
    const { text } = await served.get("/error/0x3/once/4");
    expect(textOfHtml(text)).toContain("None any more. Until 20 it was raised by pay, lend.");
  });

  test.each([
    [
      "Module not found by Address(0x2), Module name(gone) and Ledger version(30)",
      "0x2::gone\n  it is held from ledger version 10 to 10; it was removed after that\n",
    ],
    [
      "Module not found by Address(0x1), Module name(stakes) and Ledger version(30)",
      "0x1::stakes is not there at ledger version 30. Did you mean `stake`?\n",
    ],
    [
      "Module not found by Address(0x2), Module name(raising) and Ledger version(15)",
      "  it is held since ledger version 30, and stands\n  the message is of ledger version 15, before the first snapshot that shows it\n",
    ],
    ["could not find entry function by 0x2::raising::quit", "has a function or struct of this name. Did you mean `quiet`?\n"],
    ["could not find entry function by 0x2::raising::quiet", "  it is no entry function\n"],
    ["Account not found by Address(0x2) and Ledger version(30)", "0x2\n  at ledger version 30 the account holds 1 module\n"],
    ["Account not found by Address(0x77) and Ledger version(30)", "0x77\n  no snapshot has an answer about this account\n"],
  ])("answers from the archive what was not found: %s", async (message, answer) => {
    expect((await explain(message)).stdout).toContain(answer);
  });

  test("a sub status of another status than ABORTED is no code of a module", async () => {
    const at = `location: Module(ModuleId { address: ${"0".repeat(63)}1, name: Identifier("stake") }), indices: [], offsets: [(FunctionDefinitionIndex(3), 14)]`;
    const enums = (await explain(`VMError { major_status: STRUCT_VARIANT_MISMATCH, sub_status: Some(4), message: None, ${at} }`)).stdout;
    expect(enums).toContain("the VM stopped 0x1::stake, function definition 3, at code offset 14\n  STRUCT_VARIANT_MISMATCH: ");
    expect(enums).not.toMatch(/abort|EALREADY/);
    const vector = (await explain("VMError with status VECTOR_OPERATION_ERROR of type Execution with sub status 2 at location 0x1::stake"))
      .stdout;
    expect(vector).toContain("  sub status 2: a pop from an empty vector; no module has a code for it\n");
  });

  test("explains a multisig account's error, a call with wrong arguments, a file and stdin", async () => {
    const multisig = { abort_location: "", error_code: "4002", error_type: "VMError" };
    expect((await explain(JSON.stringify({ execution_error: multisig }))).stdout).toMatch(/^OUT_OF_GAS \(4002\)/);
    expect((await explain("NUMBER_OF_ARGUMENTS_MISMATCH")).stdout).toContain("of a call: what it passes does not fit the function");
    const message = "Move abort in 0x1::stake: EALREADY_ACTIVE(0x10004): Active already";
    writeFileSync(place.file("message.txt"), message);
    const direct = (await explain(message)).stdout;
    expect((await explain("--file", place.file("message.txt"))).stdout).toBe(direct);
    expect((await runCli(["explain", "-", "--db", db], { stdin: message })).stdout).toBe(direct);
    expect(await explain()).toMatchObject({ code: 64, stderr: expect.stringContaining("give an error to explain, or `-`") });
  });

  test("says what it does not know", async () => {
    expect((await explain("stake", "77")).stdout).toContain(
      "the module has no text for reason 77; it explains 2 others\n  it names no category\n",
    );
    expect((await explain("silent", "0x30001")).stdout).toContain("it was built without error texts\n  category 3, INVALID_STATE");
    expect((await explain("strange", "1")).stdout).toContain("its meaning is not known: this movedex cannot read the module's bytecode");
    expect((await explain("stake", "0xff0000000001")).stdout).toContain("its high bits are not a category of the standard library");
  });

  test("takes an error's name, anywhere or in a module", async () => {
    const anywhere = await explain("EALREADY_ACTIVE");
    expect(anywhere).toMatchObject({
      code: 0,
      stdout:
        "EALREADY_ACTIVE is an error of 1 module:\n  0x1::stake 4: Active already\n  with its history: movedex explain 0x1::stake 4\n",
    });
    expect((await explain("ESTAKE_TOO_LOW")).stdout).toContain("(last seen at ledger version 10)");
    expect((await explain("stake@10", "ESTAKE_TOO_LOW")).stdout).toContain("  0x1::stake 4: Not enough stake. Ask for \\u{1b}[31mmore.\n");
    expect((await explain("0x1::stake::E5", "--json")).json()).toEqual({
      name: "E5",
      errors: [{ address: "0x1", module: "stake", code: "5", description: "", last_version: null }],
    });
    expect(await explain("EALREADY_ACTIV")).toMatchObject({
      code: 1,
      stderr:
        "movedex: the archive has no error called `EALREADY_ACTIV`. Did you mean `EALREADY_ACTIVE`? `movedex search` finds errors by words.\n",
    });
    expect((await explain("EALREDY_ACTIVE")).stderr).toContain("Did you mean `EALREADY_ACTIVE`?");
    expect((await explain("stake", "EALREADY_ACTIV")).stderr).toContain("Did you mean `EALREADY_ACTIVE`?");
  });

  test("says what it can about a failure without a status, and about a number that is a status too", async () => {
    const { stdout } = await explain("Execution failed in 0x1::coin::transfer at code offset 13");
    expect(stdout).toBe(
      "the VM stopped 0x1::coin::transfer at code offset 13\n  nodes of 2025 may name a wrong function\n" +
        "  the message does not say why; a simulation of the transaction names the status\n",
    );
    expect((await explain("Execution failed in 0x1::coin::transfer at code offset 13", "--json")).json()).toEqual({
      address: "0x1",
      module: "coin",
      function_told: "transfer",
      code_offset: 13,
      status: null,
    });
    expect((await explain("4002")).stdout).toContain("  as a status of the VM it is OUT_OF_GAS: ");
    const unnamed = "Move bytecode deserialization / verification failed, including entry function not found or invalid arguments";
    expect((await explain(unnamed)).stdout).toMatch(
      /^MISCELLANEOUS_ERROR, a failure without a status\n.*a simulation of the transaction names/,
    );
    expect((await explain(unnamed, "--json")).json()).toMatchObject({ status: "MISCELLANEOUS_ERROR", code: null });
  });

  test("names the compiler's own aborts, and no error of the module that has their low bits", async () => {
    const match = await explain("stake", "0xca26cbd9be0b0001");
    expect(match.stdout).toContain("  INCOMPLETE_MATCH_ABORT_CODE: no arm of a match fits the value");
    expect((await explain("stake@10", "0xca26cbd9be0b0000")).stdout).toContain("  UNSPECIFIED_ABORT_CODE: an assertion or abort");
    expect((await explain("stake", "0xca26cbd9be0b0001", "--json")).json()).toMatchObject({
      name: null,
      compiler_abort: "INCOMPLETE_MATCH_ABORT_CODE",
    });
    // The high bits are no category, so the low ones are no reason, whatever the node prints.
    const wrong = await explain("Move abort in 0x1::stake: EALREADY_ACTIVE(0x77770004): Active already");
    expect(wrong.stdout).toContain("  the module has no text for this code; it explains 2 others\n");
    expect(wrong.stdout).toContain("  nodes call it EALREADY_ACTIVE, which is wrong: they look only at its low 12 bits\n");
  });

  // The other forms of an abort are in test/abi/abort.
  test.each([
    ["ABORTED(65540)", /^0x10004 \(65540\)\n {2}category 1/],
    ["65540 stake", /^0x1::stake aborted with 0x10004/],
    ["Move abort: code 0x5", /^0x5 \(5\)\n {2}it names no category\n {2}name the module/],
    [
      '{"ExecutionFailure":{"status_code":4017,"location":"Script","function":0,"code_offset":4}}',
      /^the VM stopped a script at code offset 4\n {2}ARITHMETIC_ERROR: /,
    ],
    [
      '{"ExecutionFailure":{"status_code":"4017","location":{"Module":{"address":"0x1","name":"none"}},"function":"2","code_offset":"4"}}',
      /^the VM stopped 0x1::none, function definition 2, at code offset 4\n {2}ARITHMETIC_ERROR: /,
    ],
    ["Move abort in script: 0x5", /^a script aborted with 0x5 \(5\)\n {2}it names no category\n {2}scripts have no error texts; /],
    ["Execution failed in script at code offset 3", /^the VM stopped a script at code offset 3\n {2}the message does not say why/],
    [
      "EXECUTION_FAILURE { status_code: ARITHMETIC_ERROR, location: 0x1::none, function: 2, code_offset: 4",
      /^the VM stopped 0x1::none, function definition 2, at code offset 4\n {2}ARITHMETIC_ERROR: /,
    ],
  ])("takes %s as pasted", async (text, said) => {
    const { stdout } = await ended(explain(text));
    expect(stdout).toMatch(said);
  });

  test("escapes in JSON what a terminal acts on", async () => {
    const { stdout } = await explain("E\u009b2J", "--json");
    expect(stdout).not.toMatch(/[\u007f-\u009f\p{Cf}]/u);
    const hostile = await ended(explain("nasty", "1", "--json"));
    expect(hostile.stdout).toContain("\\u009b");
    expect(hostile.stdout).not.toMatch(/[\u007f-\u009f\p{Cf}\u2028\u2029]/u);
    expect(hostile.json()).toMatchObject({ description: NASTY });
  });

  test.each([
    [["hello", "world"], "names no error. Give a module and an abort code"],
    [['{"vm_status":'], "names no error"],
    [["Executed successfully"], "names no error"],
    [["{".repeat(100_000)], "names no error"],
    [["0x1", "7"], "Give one such as `0x1::coin` or `coin` before the abort code"],
    [["stak", "7"], "no module called `stak` is held. Did you mean `stake`?"],
    [["0x9::m", "7"], "no sealed snapshot has an answer about 0x9"],
  ])("says of %j what was wanted", async (words, sentence) => {
    const { code, stderr } = await explain(...words);
    expect(code).toBe(/held|snapshot/.test(sentence) ? 1 : 64);
    expect(stderr).toContain(sentence);
  });
});
