import { archiveRecipes } from "./archive.ts";
import { changeRecipes } from "./changes.ts";
import { interfaceRecipes } from "./interfaces.ts";
import type { Recipe } from "./recipe.ts";
import { useRecipes } from "./uses.ts";

/** Recipes on one subject. */
type Chapter = { readonly title: string; readonly recipes: readonly Recipe[] };

/** Every recipe, by chapter. */
export const cookbook: readonly Chapter[] = [
  { title: "What is there", recipes: interfaceRecipes },
  { title: "Who uses what", recipes: useRecipes },
  { title: "What changed", recipes: changeRecipes },
  { title: "What is held", recipes: archiveRecipes },
];

/** Every recipe. */
export const recipes: readonly Recipe[] = cookbook.flatMap((chapter) => chapter.recipes);

/** The list that `movedex cookbook` prints: names and questions by chapter. */
export function cookbookList(): string {
  const width = Math.max(...recipes.map(({ name }) => name.length));
  const line = ({ name, question }: Recipe) => `  ${name.padEnd(width)}  ${question}`;
  return cookbook.map(({ title, recipes }) => `${title}\n${recipes.map(line).join("\n")}\n`).join("\n");
}

/** One recipe in full, as text for a terminal. */
export function recipeText(recipe: Recipe): string {
  const parameters = Object.entries(recipe.parameters).map(([name, { meaning, example }]) => `  :${name}  ${meaning} (${example})`);
  return [
    `${recipe.name}: ${recipe.question}`,
    recipe.sql,
    ...(parameters.length === 0 ? [] : [`Values:\n${parameters.join("\n")}`]),
    `Answer: ${recipe.answer}`,
    `Limits: ${recipe.limits}`,
    `Run it:\n  $ ${recipeCommand(recipe)}\n`,
  ].join("\n\n");
}

/** The whole cookbook in Markdown, without a title. */
export function cookbookMarkdown(): string {
  return cookbook.map(({ title, recipes }) => `## ${title}\n\n${recipes.map(recipeMarkdown).join("\n\n")}`).join("\n\n");
}

/** The command line that runs a recipe with its example values. */
export function recipeCommand({ name, parameters }: Recipe): string {
  const quoted = (text: string) => (/^[\w.:-]+$/.test(text) ? text : `'${text}'`);
  return ["movedex query --cookbook", name, ...Object.entries(parameters).map(([key, { example }]) => `-p ${key}=${quoted(example)}`)].join(
    " ",
  );
}

function recipeMarkdown(recipe: Recipe): string {
  const { name, question, parameters, sql, answer, limits } = recipe;
  const values = Object.entries(parameters).map(([key, { meaning }]) => `\`:${key}\` ${meaning}`);
  return [
    `### ${question}`,
    `\`${recipeCommand(recipe)}\``,
    `\`\`\`sql\n-- ${name}\n${sql}\n\`\`\``,
    ...(values.length === 0 ? [] : [`Values: ${values.join("; ")}.`]),
    answer,
    `*Limits.* ${limits}`,
  ].join("\n\n");
}
