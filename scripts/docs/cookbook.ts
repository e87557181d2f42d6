import { BETWEEN } from "../../src/capabilities/cookbook/recipes/changes.ts";
import { cookbook, recipeCommand } from "../../src/capabilities/cookbook/recipes/cookbook.ts";
import { COVERAGE, FRONTIER, NEWEST } from "../../src/capabilities/cookbook/recipes/interfaces.ts";
import { address, from, module, type Recipe, to } from "../../src/capabilities/cookbook/recipes/recipe.ts";

/** What several recipes of a chapter say, with the words in which the page says it once for all of them. */
const notes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "What is there": { [NEWEST]: NEWEST },
  "Who uses what": {
    [FRONTIER]: FRONTIER,
    [COVERAGE]: COVERAGE.replace("The last columns count accounts", "Where the last columns count accounts, they are"),
  },
  "What changed": {
    [BETWEEN]: BETWEEN.replace(
      "What came and went between the two snapshots is missing",
      "A recipe with two snapshots misses what came and went between them",
    ),
  },
};

/** The recipes as Markdown. What the page explains above them, and the notes of a chapter, are not said again with each recipe. */
export function cookbookMarkdown(): string {
  return cookbook
    .map(({ title, recipes }) => {
      const said = notes[title] ?? {};
      const once = (text: string): string =>
        Object.keys(said)
          .reduce((rest, note) => rest.replace(note, ""), text)
          .trim();
      return [`## ${title}`, Object.values(said).join(" "), ...recipes.map((recipe) => recipeMarkdown(recipe, once))].join("\n\n");
    })
    .join("\n\n");
}

function recipeMarkdown(recipe: Recipe, once: (text: string) => string): string {
  const { name, question, parameters, sql, answer, limits } = recipe;
  const own = Object.entries(parameters).filter(([, parameter]) => ![address, module, from, to].includes(parameter));
  return [
    `### ${question}`,
    `\`${recipeCommand(recipe)}\``,
    `\`\`\`sql\n-- ${name}\n${sql}\n\`\`\``,
    ...(own.length === 0 ? [] : [`Values: ${own.map(([key, { meaning }]) => `\`:${key}\` ${meaning}`).join("; ")}.`]),
    once(answer),
    ...(once(limits) === "" ? [] : [`*Limits.* ${once(limits)}`]),
  ].join("\n\n");
}
