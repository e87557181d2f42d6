import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type ModuleSpec, writeModule } from "../../../sim/index.ts";
import type { ModuleAbi } from "../../../src/core/abi/model.ts";
import { parseNodeAbi } from "../../../src/core/abi/node-json/parse.ts";
import { formatHex } from "../../../src/core/base/bytes.ts";
import { type CliResult, runCli, sealModules, temporaryDirectory } from "../../support/index.ts";

const coin: ModuleSpec = {
  address: "0x1",
  name: "coin",
  structs: [{ name: "Coin", abilities: ["store"], typeParams: ["phantom"], fields: [["value", "u64"]] }],
  functions: [
    { name: "transfer", visibility: "public", entry: true, typeParams: [""], params: ["&signer", "address", "u64"] },
    { name: "check", params: ["u64"] },
  ],
  errors: [{ code: 6, name: "EINSUFFICIENT_BALANCE", description: "Not enough coins" }],
  compilation: { unstable: false, compiler_version: "2.0", language_version: "2.1" },
};
const before = writeModule({ ...coin, functions: [] });
const now = writeModule(coin);
const table = writeModule({ address: "0x1", name: "table" });
const elsewhere = writeModule({ address: "0xcafe", name: "table" });
const future = writeModule({ address: "0xcafe", name: "future", functions: [{ name: "f", visibility: "public" }] }).with(4, 99);
const unknown = writeModule({ address: "0xcafe", name: "unknown" }).with(4, 98);
const futureAbi: ModuleAbi = parseNodeAbi({
  address: "0xcafe",
  name: "future",
  friends: [],
  exposed_functions: [
    { name: "f", visibility: "public", is_entry: false, is_view: true, generic_type_params: [], params: ["u8"], return: ["|u64|bool"] },
  ],
  structs: [],
});

describe("movedex show", async () => {
  const place = temporaryDirectory();
  const db = place.file("night.db");
  const show = (...args: string[]): Promise<CliResult> => runCli(["show", ...args, "--db", db]);

  await sealModules(
    db,
    [
      { version: 100n, accounts: { "0x1": [before, table], "0xcafe": [elsewhere] } },
      { version: 200n, accounts: { "0x1": [before, table], "0xcafe": "timeout" } },
      { version: 300n, accounts: { "0x1": [now, table], "0xcafe": [elsewhere, future, unknown] } },
    ],
    (bytes) => (bytes[4] === 99 ? futureAbi : undefined),
  );

  test("shows a module at a version, and one between two snapshots that agree", async () => {
    expect((await show("0x1::coin@200")).stdout).toContain("// 0x1::coin at ledger version 200 of chain 4, unchanged since 100\n");
    expect((await show("0x1::coin@150")).stdout).toContain(
      "// 0x1::coin at ledger version 150, which was not read: the same at 100 and 200 of chain 4\n",
    );
    expect((await show("0x1::coin@oldest")).stdout).toContain("at ledger version 100");
    expect((await show("coin@250")).stderr).toBe(
      "movedex: nothing was read at ledger version 250; the nearest snapshots with an answer about 0x1: 200 and 300, which differ.\n",
    );
  });

  test("shows what a node said of bytecode that movedex cannot read, and says so", async () => {
    const { stdout } = await show("0xcafe::future");
    expect(stdout).toContain("by the node's ABI: the bytecode is newer than this movedex");
    expect(stdout).toContain("    #[view]\n    public fun f(arg0: u8): (|u64|bool);\n");
    expect((await show("0xcafe::unknown")).stderr).toContain("the bytes cannot be decoded: module: bytecode version 98");
    expect((await show("0xcafe::unknown", "--json")).json()).toEqual({ bytecode: `0x${formatHex(unknown)}`, abi: null });
  });

  test.each([
    ["0x1::coim", "0x1::coim is not there at ledger version 300. Did you mean `coin`?"],
    ["0x1::coin::tranfser", "0x1::coin has no function or struct `tranfser`. Did you mean `transfer`?"],
    ["0x5", "0x5 is not held: no sealed snapshot has an answer about it."],
    ["0xcafe@200", "0xcafe is not held at ledger version 200: 0xcafe gave no answer (timeout)."],
    ["0xcafe::future@100", "0xcafe::future is not there at ledger version 100. It was seen from 300 to 300."],
    ["0x1::coin@yesterday", "`yesterday` is not a ledger version. Give a number, `latest`, `previous` or `oldest`."],
    ["0x1::coin::a::b", "`0x1::coin::a::b` is not an account (0x1), a module (0x1::coin or coin)"],
    ["0x1@", "`0x1@` is not an account (0x1), a module (0x1::coin or coin)"],
    ["\u001b[31m", "`\\u{1b}[31m` is not an account"],
  ])("says of %j what is there instead", async (subject, sentence) => {
    const { code, stderr, stdout } = await show(subject);
    expect({ code, stdout }).toEqual({ code: /^`/.test(sentence) ? 64 : 1, stdout: "" });
    expect(stderr).toContain(sentence);
  });

  test("shows a file, and says what else a file is", async () => {
    const file = place.file("coin.mv");
    writeFileSync(file, now);
    expect((await runCli(["show", file])).stdout).toContain("public entry fun transfer<T0>");
    expect((await runCli(["show", place.file("none.mv")])).stderr).toContain("could not read the module file");
    writeFileSync(place.file("letter.mv"), "dear");
    expect((await runCli(["show", place.file("letter.mv")])).stderr).toMatch(
      /^movedex: the bytes cannot be decoded: module: it does not begin/,
    );
  });
});
