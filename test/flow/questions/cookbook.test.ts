import { describe, expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { databaseAt } from "../../../src/engine/database-at.ts";
import { findRecipe, recipeValues } from "../../../src/questions/recipe-values.ts";
import { recipes } from "../../../src/schema/cookbook/cookbook.ts";
import { retiredRecipes } from "../../../src/schema/cookbook/recipe.ts";
import { viewNames } from "../../../src/schema/view-statements.ts";
import { ended } from "../../support/command/ended.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

/** What a recipe has to answer about two nights of the sample ledger: the named columns of every row, accounts by what they are. */
type Expected = { readonly columns: string; readonly values?: Readonly<Record<string, string>>; readonly rows: readonly string[] };

/** Rows that are written one after another. */
const parted = (text: string): string[] => text.split("|").map((row) => row.trim());

const sample = createSampleLedger();
const [, badges = "", exchange = "", vesting = ""] = sample.codeAccounts;

const expected: Readonly<Record<string, Expected>> = {
  "entry-functions": { columns: "module name", rows: ["account create", "account rotate_key", "coin transfer", "object transfer"] },
  "who-can-mint": { columns: "right role module item accounts_read", rows: ["0x1::coin::MintCapability asks for it coin mint 5"] },
  events: {
    columns: "address module event fields",
    rows: parted(`0x1 coin Deposited account: address, amount: u64 | 0x1 object Moved object: address, from: address, to: address
      | exchange pool Swapped trader: address, amount_in: u64, amount_out: u64
      | badges badge Awarded badge: address, holder: address`),
  },
  "resource-groups": {
    columns: "resource_group address resource",
    rows: ["0x1::object::ObjectGroup 0x1 ObjectCore", "0x1::object::ObjectGroup badges Badge"],
  },
  "who-uses-struct": {
    columns: "address module item place accounts_read gaps",
    rows: parted(`exchange pool add params[0] 5 0 | exchange pool add params[1] 5 0 | exchange pool swap params[0] 5 0
      | exchange pool swap returns[0] 5 0 | exchange pool Pool fields.left 5 0 | exchange pool Pool fields.right 5 0
      | vesting vesting revoke returns[0] 5 0 | vesting vesting Schedule fields.locked 5 0`),
  },
  // No function of the sample ledger calls another; test/questions asks it of real modules.
  "who-calls-function": { columns: "address module function accounts_read", rows: ["null null null 5"] },
  "transitive-dependents": {
    columns: "address module steps",
    rows: ["exchange pool 1", "exchange router 1", "vesting vesting 1", "exchange orders 2"],
  },
  "dependency-closure": {
    columns: "address module is_held",
    rows: ["0x1 account 1", "0x1 coin 1", "0x1 event 1", "0x1 option 1", "0x1 signer 1", "0x1 string 1"],
  },
  "most-depended-on": {
    columns: "address module modules accounts",
    rows: parted(`0x1 signer 6 4 | 0x1 event 3 3 | 0x1 option 3 3 | 0x1 coin 3 2 | 0x1 string 2 2 | exchange pool 2 1 | 0x1 account 1 1
      | 0x1 object 1 1`),
  },
  "accounts-to-read": { columns: "address", rows: [] },
  "worst-last-night": {
    columns: "module severity for_callers for_clients for_readers worst_rule worst_item refused_findings",
    rows: [
      "pool breaking breaking breaking null function-removed spot_price 1",
      "badge dangerous null dangerous dangerous variant-added Rank 0",
      "orders safe safe safe safe module-added null 0",
    ],
  },
  "module-history": {
    columns: "after_version at_or_before_version abi_changed",
    values: { address: exchange, module: "pool" },
    rows: ["2592000 3456004 1"],
  },
  "silent-changes": { columns: "module", rows: [] },
  "never-upgraded": {
    columns: "address module",
    rows: parted(`0x1 account | 0x1 coin | 0x1 event | 0x1 object | 0x1 option | 0x1 signer | 0x1 string | exchange curve | exchange router
      | vesting vesting`),
  },
  "functions-gone": { columns: "address module name", rows: ["exchange pool spot_price"] },
  "signatures-changed": { columns: "name", rows: [] },
  "fields-changed": {
    columns: "address struct variant name",
    rows: parted(`exchange Book null orders | exchange Order Limit price | exchange Order Limit amount | exchange Order Stop trigger
      | exchange Order Stop limit | exchange Order Stop amount | badges Rank Seasonal season`),
  },
  "error-codes-changed": { columns: "old_name", rows: [] },
  "abi-at-date": {
    columns: "ledger_version signature",
    values: { address: exchange, module: "pool", date: "2999-01-01" },
    rows: parted(`3456004 public fun add<T0, T1>(0x1::coin::Coin<T0>, 0x1::coin::Coin<T1>): exchange::pool::Share<T0, T1>
      | 3456004 fun borrow<T0, T1>(address): &exchange::pool::Pool<T0, T1>
      | 3456004 public entry fun create<T0, T1>(&signer, u16) | 3456004 public fun quote<T0, T1>(u64): (u64, u64)
      | 3456004 public(friend) fun swap<T0, T1>(0x1::coin::Coin<T0>): 0x1::coin::Coin<T1>`),
  },
  "functions-as-of": {
    columns: "module name valid_from_version valid_to_version",
    values: { address: exchange, version: "3456003" },
    rows: parted(`curve drift 2592000 null | curve multiply_divide 2592000 null | curve out_for_in 2592000 null | pool add 2592000 null
      | pool borrow 2592000 null | pool create 2592000 null | pool spot_price 2592000 3456004 | pool swap 2592000 null
      | router assert_minimum 2592000 null | router swap_exact_in 2592000 null | router swap_through 2592000 null`),
  },
};

const place = temporaryDirectory();
const db = place.file("night.db");

await using node = await startSimNode({ ledger: sample.ledger });
const sync = ["sync", "--rpc", node.url, "--db", db, "--rate", "0"];
await runCli(["targets", "add", ...sample.codeAccounts, sample.trader, "--db", db]);
await runCli(sync);
sample.passDay();
await ended(runCli(sync));

/** A recipe's answer, in this process: starting one for each recipe would cost more than all else. */
async function ask(name: string, values: Readonly<Record<string, string>> = {}): Promise<Record<string, unknown>[]> {
  const recipe = findRecipe(name);
  const given = Object.fromEntries(Object.entries(recipe.parameters).map(([key, { example }]) => [key, values[key] ?? example]));
  const bound = Object.entries(recipeValues(recipe, given)).map(([key, text]) => [key, /^\d+$/.test(text) ? BigInt(text) : text]);
  const door = await databaseAt(db).openToQuery();
  try {
    const { columns, rows } = await door.query(recipe.sql, bound.length === 0 ? [] : Object.fromEntries(bound));
    return (await Array.fromAsync(rows)).map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i]])));
  } finally {
    await door.close();
  }
}

/** The command line of a recipe with its example values, or others. */
function commandLine(name: string, values: Readonly<Record<string, string>> = {}): string[] {
  const { parameters } = findRecipe(name);
  const given = Object.entries(parameters).flatMap(([key, { example }]) => ["-p", `${key}=${values[key] ?? example}`]);
  return ["query", "--cookbook", name, ...given, "--db", db, "--format", "jsonl"];
}

function named(text: string): string {
  const names = { badges, exchange, vesting, trader: sample.trader };
  return Object.entries(names).reduce((result, [name, address]) => result.replaceAll(address, name), text);
}

describe("the cookbook", () => {
  test("has at least twenty recipes, each named once and with an expectation here", () => {
    expect(recipes.length).toBeGreaterThanOrEqual(20);
    expect(recipes.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
  });

  test("has what answers in the place of those that went", () => {
    const names = recipes.map(({ name }) => name);
    for (const [name, instead] of Object.entries(retiredRecipes)) {
      expect(names).not.toContain(name);
      const [kind, thing = ""] = /(view |`movedex )?`?([\w-]+)`/.exec(instead)?.slice(1) ?? [];
      if (kind === undefined) expect(names, name).toContain(thing);
      else if (kind === "view ") expect(viewNames("sqlite"), name).toContain(thing);
    }
  });

  test.each(recipes.map(({ name }) => name))("%s answers as the sample ledger was written", async (name) => {
    const { columns, values, rows } = expected[name] ?? expect.fail(name);
    const found = await ask(name, values);
    const shown = found.map((row) =>
      named(
        columns
          .split(" ")
          .map((column) => String(row[column]))
          .join(" "),
      ),
    );
    expect(shown).toEqual(rows);
  });

  test("says how much an answer about users covers even when nobody uses it", async () => {
    const { stdout } = await runCli(commandLine("who-uses-struct", { struct: "Deposited" }));
    expect(JSON.parse(stdout)).toMatchObject({ address: null, accounts_read: 5, gaps: 0, accounts_never_read: 0 });
  });

  test.each([
    ["functions-gone", { from: "5" }, "holds no snapshot at ledger version 5; the nearest: 2592000."],
    ["functions-gone", { to: "3000000" }, "holds no snapshot at ledger version 3000000; the nearest: 2592000 and 3456004."],
    ["who-uses-struct", { struct: "Coinn" }, "no version of 0x1::coin has a struct `Coinn`. Did you mean `Coin`"],
    ["transitive-dependents", { module: "coinn" }, "no sealed snapshot shows a module 0x1::coinn. Did you mean `coin`"],
    ["who-calls-function", { function: "transferr" }, "has a function `transferr`. Did you mean `transfer`?"],
    ["entry-functions", { address: "0x77" }, "no sealed snapshot has an answer about 0x77."],
  ])("%s of what is not there says so: %j", async (name, values, sentence) => {
    const { code, stdout, stderr } = await runCli(commandLine(name, values as Readonly<Record<string, string>>));
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain(sentence);
  });

  test("who depends on a module that was never read can be asked", async () => {
    const { stdout } = await ended(runCli(commandLine("transitive-dependents", { address: "0x77", module: "unread" })));
    expect(JSON.parse(stdout)).toMatchObject({ address: null, accounts_read: 5 });
  });

  test("takes the words for snapshots in the place of versions", async () => {
    const inWords = await runCli(commandLine("functions-gone", { from: "previous", to: "latest" }));
    expect(inWords.stdout).toContain('"spot_price"');
    expect(inWords.stdout).toBe((await runCli(commandLine("functions-gone"))).stdout);
  });

  test("takes addresses in every form and numbers in hex", async () => {
    const short = await runCli(commandLine("entry-functions"));
    expect((await runCli(commandLine("entry-functions", { address: `0x${"1".padStart(64, "0")}` }))).stdout).toBe(short.stdout);
    const { stdout } = await runCli(commandLine("functions-gone", { from: "0x278d00", to: "0x34bc04" }));
    expect(JSON.parse(stdout)).toMatchObject({ name: "spot_price" });
  });

  test.each([
    [
      ["--cookbook", "who-uses"],
      "there is no recipe `who-uses` in the cookbook. Did you mean `who-uses-struct`? `movedex cookbook` lists all.",
    ],
    [
      ["--cookbook", "events", "-p", "a=1"],
      "the recipe `events` takes no values; :a is not one of them. For example: movedex query --cookbook events",
    ],
    [["--cookbook", "enums"], "the recipe `enums` is gone: the view `variants_latest` has a row for each variant."],
    [["--cookbook", "constructor"], "there is no recipe `constructor` in the cookbook."],
    [
      ["--cookbook", "entry-functions"],
      "takes :address; :address is missing. For example: movedex query --cookbook entry-functions -p address=0x1",
    ],
    [
      ["--cookbook", "entry-functions", "-p", "address=coin"],
      ":address cannot be `coin`. Give an account address (0x and 1 to 64 hex digits).",
    ],
    [["--cookbook", "functions-gone", "-p", "from=-1", "-p", "to=2"], ":from cannot be `-1`. Give a whole number."],
    [["--cookbook", "events", "SELECT 1"], "give an SQL statement (- reads it from stdin) or --cookbook NAME."],
    [[], "give an SQL statement (- reads it from stdin) or --cookbook NAME."],
  ])("query %j is refused in words", async (argv, sentence) => {
    const { stderr } = await ended(runCli(["query", ...argv, "--db", db]), 64);
    expect(stderr).toContain(sentence);
  });
});
