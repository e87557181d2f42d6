import { describe, expect, test } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { type CliResult, ended, handmade, nameRow, row, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";

/** Module 0x1::`name`, whose functions `f` and `g` are: f calls `callee`::f of 0x1, g calls f. */
const calling = (name: string, callee: string): Uint8Array =>
  handmade(7, {
    identifiers: [nameRow(name), nameRow(callee), nameRow("f"), nameRow("g")],
    moduleHandles: [row(0, 0), row(0, 1)],
    signatures: [row(0)],
    functionHandles: [row(0, 2, 0, 0, 0, 1), row(0, 3, 0, 0, 0, 1), row(1, 2, 0, 0, 0, 1)],
    functionDefinitions: [row(0, 1, 0, 0, 0, 2, 0x11, 2, 0x02), row(1, 0, 0, 0, 0, 2, 0x11, 0, 0x02)],
  });
const base = writeModule({
  address: "0x1",
  name: "base",
  functions: [
    { name: "f", visibility: "public" },
    { name: "alone", visibility: "public" },
  ],
});
const future = calling("far", "near").with(4, 99);

describe("movedex uses", async () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  const uses = (...args: string[]): Promise<CliResult> => runCli(["uses", ...args, "--db", db]);

  await sealModules(db, [
    { version: 100n, accounts: { "0x1": [base, calling("near", "base")] } },
    { version: 200n, accounts: { "0x1": [base, calling("near", "base"), calling("far", "near")], "0x2": "timeout" } },
    { version: 300n, accounts: { "0x1": [base, calling("near", "base"), future] } },
  ]);

  test("lists who calls a function, directly and through others", async () => {
    const { stdout, stderr } = await ended(uses("0x1::base::f@200"));
    expect(stderr).toBe(
      "movedex: 4 functions of 2 modules call it, directly or through others; looked for in 1 account held at ledger version 200 and not in 1 that gave no answer\n",
    );
    expect(stdout.split("\n").map((line) => line.split(/ {2,}/).filter(Boolean))).toEqual([
      ["depth", "caller", "calls"],
      [expect.any(String), expect.any(String), expect.any(String)],
      ["1", "0x1::near::f", "0x1::base::f"],
      ["2", "0x1::near::g", "0x1::near::f"],
      ["2", "0x1::far::f", "0x1::near::f"],
      ["3", "0x1::far::g", "0x1::far::f"],
      [],
    ]);
    expect((await uses("base::alone", "--at", "200")).stdout).toBe("");
  });

  test.each([
    ["base::g", "0x1::base has no function or struct `g`."],
    ["0x1", "an account has no callers. Give a function (0x1::coin::withdraw), a struct or a module (0x1::coin)."],
    ["bass", "no module called `bass` is held. Did you mean `base`?"],
    ["far", "the bytes cannot be decoded"],
  ])("says of %j what is there instead", async (subject, sentence) => {
    const { code, stderr, stdout } = await uses(subject);
    expect({ code, stdout }).toEqual({ code: subject === "0x1" ? 64 : 1, stdout: "" });
    expect(stderr).toContain(sentence);
  });

  test("takes one version", async () => {
    expect((await uses("base@100", "--at", "200")).stderr).toContain("give @VERSION or --at, not both.");
  });

  test("tells function values apart from calls", async () => {
    const db = place.file("values.db");
    const [pack, call, pop, ret] = [row(0x58, 2, 0), row(0x11, 2), row(0x01), row(0x02)];
    // 0x1::user: `f` makes a function value of base::f, `g` does and calls it too.
    const user = handmade(8, {
      identifiers: ["user", "base", "f", "g"].map(nameRow),
      moduleHandles: [row(0, 0), row(0, 1)],
      signatures: [row(0)],
      functionHandles: [row(0, 2, 0, 0, 0, 1, 0), row(0, 3, 0, 0, 0, 1, 0), row(1, 2, 0, 0, 0, 1, 0)],
      functionDefinitions: [row(0, 1, 0, 0, 0, 3, pack, pop, ret), row(1, 1, 0, 0, 0, 4, pack, pop, call, ret)],
    });
    await sealModules(db, [{ version: 100n, accounts: { "0x1": [base, user, calling("near", "base")] } }]);
    const { stdout, stderr } = await runCli(["uses", "0x1::base::f", "--db", db]);
    expect(stderr).toContain("2 functions of these make function values of it: who is given one calls it unseen\n");
    expect(stdout).toMatch(/0x1::near::f +0x1::base::f\n/);
    expect(stdout).toMatch(/0x1::user::f +0x1::base::f \(made a function value\)\n/);
    expect(stdout).toMatch(/0x1::user::g +0x1::base::f \(called, and made a function value\)\n/);
    expect((await runCli(["uses", "0x1::base::f", "--json", "--db", db])).json()).toMatchObject({
      calls: expect.arrayContaining([
        { caller: "0x1::user::f", callee: "0x1::base::f", is_call: false, is_function_value: true, instantiations: [] },
      ]),
    });
  });

  test("says who packs, reads and writes a struct, and which modules name it", async () => {
    const db = place.file("structs.db");
    const bank = writeModule({
      address: "0x2",
      name: "bank",
      structs: [{ name: "Vault", abilities: ["key"], fields: [["sum", "u64"]] }],
      functions: [
        { name: "open", code: [row(0x12, 0), row(0x2d, 0), row(0x02)] },
        { name: "look", code: [row(0x29, 0), row(0x2b, 0), row(0x02)] },
        { name: "idle", code: [row(0x02)] },
      ],
    });
    const user = writeModule({
      address: "0x3",
      name: "user",
      functions: [{ name: "f", visibility: "public", params: ["&0x2::bank::Vault"] }],
    });
    await sealModules(db, [{ version: 100n, accounts: { "0x2": [bank], "0x3": [user] } }]);
    const { stdout, stderr } = await runCli(["uses", "0x2::bank::Vault", "--db", db]);
    expect(stderr).toContain("2 functions of its module use it and 1 other module names it at ledger version 100");
    expect(stdout).toMatch(
      /0x2::bank::open +packs, publishes the resource\n0x2::bank::look +asks for it, reads the resource\n0x3::user +names it\n/,
    );
    expect((await runCli(["uses", "0x2::bank::Vault", "--json", "--db", db])).json()).toMatchObject({
      struct: "Vault",
      modules: ["0x3::user"],
    });
    expect(await runCli(["uses", "0x2::bank::Vault", "--format", "dot", "--db", db])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("no graph of calls"),
    });
    expect((await runCli(["uses", "0x2::bank::Vaul", "--db", db])).stderr).toContain(
      "has no function or struct `Vaul`. Did you mean `Vault`?",
    );
  });
});
