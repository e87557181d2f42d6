import { all, named, object, text, word } from "../../core/base/result.ts";
import type { Capability } from "../../core/cli/capability.ts";
import type { ReadyQueries } from "../../core/cli/commands/query/command.ts";
import { dataWidth } from "../../core/cli/io.ts";
import { MovedexCommand } from "../../core/cli/movedex-command.ts";
import type { Candidate } from "../../core/cli/options/declared-command.ts";
import { jsonLine } from "../../core/cli/output/json-line.ts";
import { isForPrograms, type ListOutput } from "../../core/cli/output/list.ts";

export const cookbook: Capability = {
  name: "cookbook",
  commands: { "Ask the archive:": { cookbook: async () => cookbookCommand } },
  addsTo: { query: async () => readyQueries },
};

const parameter = object({ kind: word("address", "number", "text"), ...all(text, "meaning", "example") });
const entry = object({
  parameters: named(parameter),
  ...all(text, "name", "question", "sql", "answer", "limits"),
});

async function recipeWords(): Promise<readonly Candidate[]> {
  const { recipes } = await import("./recipes/cookbook.ts");
  return recipes.map(({ name, question }) => ({ name, description: question }));
}

function cookbookCommand(): MovedexCommand {
  return new MovedexCommand("cookbook")
    .summary("list ready-made queries")
    .description("List ready-made queries, or print one with the meaning of its result. `movedex query --cookbook NAME` runs it.")
    .argument("[name]", "a name from the list")
    .suggests("", recipeWords)
    .printsList(async () => entry)
    .examples("cookbook who-uses-struct")
    .runs(async ({ io }, name: string | undefined, flags: ListOutput) => {
      const { cookbookList, recipes, recipeText } = await import("./recipes/cookbook.ts");
      const { findRecipe } = await import("./recipe-values.ts");
      if (isForPrograms(flags)) {
        const chosen = name === undefined ? recipes : [findRecipe(name)];
        await io.stdout(flags.jsonl ? chosen.map((one) => jsonLine(entry.print(one))).join("") : jsonLine(chosen.map(entry.print)));
      } else {
        const width = dataWidth(io);
        await io.stdout(name === undefined ? cookbookList(width) : recipeText(findRecipe(name), width));
      }
    });
}

const readyQueries: ReadyQueries = {
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
