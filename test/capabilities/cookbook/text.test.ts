import { expect, test } from "vitest";
import { cookbookList, recipes, recipeText } from "../../../src/capabilities/cookbook/recipes/cookbook.ts";

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
