import type { ReadyQueries } from "../../core/cli/commands/query/command.ts";
import { recipeWords } from "./command.ts";

export const readyQueries: ReadyQueries = {
  option: "cookbook",
  declare: (command) =>
    command.option("--cookbook <name>", "run a query of the cookbook; `movedex cookbook` lists them").suggests("--cookbook", recipeWords),
  statementOf: async (name, given, db) => {
    const { findRecipe, recipeValues, resolveRecipeValues } = await import("./recipe-values.ts");
    const recipe = findRecipe(name);
    const values = recipeValues(recipe, given);
    if (Object.keys(values).length === 0) return { sql: recipe.sql, params: values };
    const { openModuleArchive } = await import("../../core/db/archive/read/module-archive.ts");
    await using archive = await openModuleArchive(db);
    return { sql: recipe.sql, params: await resolveRecipeValues(archive, recipe, values) };
  },
};
