import { describe, expect, test } from "vitest";
import { createSampleLedger, manyAccounts, startSimNode } from "../../../sim/index.ts";
import { findRecipe } from "../../../src/capabilities/cookbook/recipe-values.ts";
import { cookbookList, recipes, recipeText } from "../../../src/capabilities/cookbook/recipes/cookbook.ts";
import { retiredRecipes } from "../../../src/capabilities/cookbook/recipes/recipe.ts";
import { viewNames } from "../../../src/core/db/schema/view-statements.ts";
import { ended, ManualClock, runCli, sampleArchive, temporaryDirectory } from "../../support/index.ts";
import { missingShell, named, output } from "../../witnesses/programs.ts";

const place = temporaryDirectory();
const { db } = await sampleArchive(place.file("night.db"));

/** The command line of a recipe with its example values, or others. */
function commandLine(name: string, values: Readonly<Record<string, string>> = {}): string[] {
  const { parameters } = findRecipe(name);
  const given = Object.entries(parameters).flatMap(([key, { example }]) => ["-p", `${key}=${values[key] ?? example}`]);
  return ["query", "--cookbook", name, ...given, "--db", db, "--format", "jsonl"];
}

describe("the cookbook", () => {
  test("has what answers in the place of those that went", () => {
    const names = recipes.map(({ name }) => name);
    for (const [name, instead] of Object.entries(retiredRecipes)) {
      expect(names).not.toContain(name);
      const [kind, thing = ""] = /(view |`movedex )?`?([\w-]+)`/.exec(instead)?.slice(1) ?? [];
      if (kind === undefined) expect(names, name).toContain(thing);
      else if (kind === "view ") expect(viewNames("sqlite"), name).toContain(thing);
    }
  });

  test("abi-at-date shows the last snapshot by then that read the account, though a newer one did not", async () => {
    const { ledger } = createSampleLedger();
    await using node = await startSimNode({ ledger });
    const other = place.file("other.db");
    const first = ledger.head;
    for (const account of ["0x1", "0x2"]) {
      await ended(
        runCli(["sync", "--rpc", node.url, "--db", other, "--account", account], { clock: new ManualClock({ skipSleeps: true }) }),
      );
      ledger.advanceTo(ledger.head + 1n);
    }
    const { stdout } = await ended(runCli([...commandLine("abi-at-date", { date: "9999-12-31" }), "--db", other]));
    expect(
      new Set(
        stdout
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line).ledger_version),
      ),
    ).toEqual(new Set([Number(first)]));
  });
});

const leftJoin = "a LEFT JOIN onto a view takes at most twice the steps of an INNER JOIN, as its recipe has it";
test.skipIf(missingShell)(named(leftJoin, missingShell), async () => {
  const { ledger, addresses } = manyAccounts(30);
  await using node = await startSimNode({ ledger });
  const many = place.file("many.db");
  await ended(runCli(["sync", "--rpc", node.url, "--db", many, "--rate", "0", ...[...addresses()].flatMap((one) => ["--account", one])]));
  const shell = (...lines: readonly string[]) => output("sqlite3", ["-readonly", many], { input: lines.join("\n") });
  const modules = shell(".separator ' '", "SELECT address, module FROM modules_latest;").trimEnd().split("\n");
  /** What SQLite counts of its own work for all modules. */
  const stepsOf = (statement: string): number => {
    const asked = modules.flatMap((one) => {
      const [address, module] = one.split(" ");
      return [`.param set :address "'${address}'"`, `.param set :module "'${module}'"`, ".stats vmstep", `${statement};`, ".stats off"];
    });
    const said = shell(".param init", ...asked).matchAll(/^VM-steps: (\d+)$/gm);
    return [...said].reduce((sum, [, steps]) => sum + Number(steps), 0);
  };
  const { sql } = findRecipe("functions-with-parameters");
  const onto = (join: string, where: string) => `SELECT f.name, f.visibility, f.is_entry, p.position, p.type FROM functions_latest f
    ${join} function_params_latest p ON p.address = ${where}address AND p.module = ${where}module AND p.function = f.name
    WHERE f.address = :address AND f.module = :module ORDER BY f.name, p.position`;
  const twice = 2 * stepsOf(onto("JOIN", ":"));
  expect(stepsOf(sql)).toBeLessThanOrEqual(twice);
  expect(stepsOf(onto("LEFT JOIN", "f."))).toBeGreaterThan(twice);
});

test("the list, the words and the SQL of every recipe fit a terminal of 80 columns", () => {
  const words = recipes.flatMap((recipe) => recipeText(recipe, 80).split("\n"));
  const lines = [...cookbookList(80).split("\n"), ...words.filter((line) => !line.startsWith("  $ "))];
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test("SQL that is broken for a terminal is the same statement, its quoted texts whole", () => {
  const tokens = (text: string) => text.match(/'[^']*'|"[^"]*"|[^\s'"]+/g);
  for (const recipe of recipes) {
    const printed = recipeText(recipe, 80)
      .split("\n\n")
      .find((part) => /^(?:SELECT|WITH) /.test(part));
    expect(tokens(printed ?? ""), recipe.name).toEqual(tokens(recipe.sql));
  }
});
