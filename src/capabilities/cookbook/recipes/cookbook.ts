import { capabilityViews } from "../../../capability-views.ts";
import { hangingText } from "../../../core/base/printable.ts";
import { changeRecipes } from "./changes.ts";
import { interfaceRecipes, useRecipes } from "./interfaces.ts";
import type { Recipe, RecipeData } from "./recipe.ts";

type Chapter = { readonly title: string; readonly recipes: readonly Recipe[] };

const chapter = (title: string, list: readonly RecipeData[]): Chapter => ({
  title,
  recipes: list.map((recipe) => ({ parameters: {}, ...recipe })),
});

export const cookbook: readonly Chapter[] = [
  chapter("What is there", interfaceRecipes),
  chapter("Who uses what", useRecipes),
  // They ask views of that capability.
  ...("changes" in capabilityViews ? [chapter("What changed", changeRecipes)] : []),
];

export const recipes: readonly Recipe[] = cookbook.flatMap((chapter) => chapter.recipes);

/** The list that `movedex cookbook` prints: names and questions by chapter, in lines of at most `width` characters. */
export function cookbookList(width: number): string {
  const nameWidth = Math.max(...recipes.map(({ name }) => name.length));
  const line = ({ name, question }: Recipe) => hangingText(`  ${name.padEnd(nameWidth)}  `, question, width);
  return cookbook.map(({ title, recipes }) => `${title}\n${recipes.map(line).join("\n")}\n`).join("\n");
}

/** One recipe in full, as text for a terminal, in lines of at most `width` characters. */
export function recipeText(recipe: Recipe, width: number): string {
  const parameters = Object.entries(recipe.parameters).map(([name, { meaning, example }]) =>
    hangingText(`  :${name}  `, `${meaning} (${example})`, width),
  );
  return [
    hangingText(`${recipe.name}: `, recipe.question, width, 2),
    foldSql(recipe.sql, width),
    ...(parameters.length === 0 ? [] : [`Values:\n${parameters.join("\n")}`]),
    hangingText("Answer: ", recipe.answer, width, 0),
    hangingText("Limits: ", recipe.limits, width, 0),
    `Run it:\n  $ ${recipeCommand(recipe)}\n`,
  ].join("\n\n");
}

/** A statement whose long lines are broken between words, never inside of a quoted text: it can be pasted as it is printed. */
function foldSql(sql: string, width: number): string {
  const fold = (line: string): string => {
    const [, lead = "", rest = ""] = /^( *)(.*)$/.exec(line) ?? [];
    const words = rest.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
    const lines: string[] = [];
    for (const word of words) {
      const last = lines.at(-1);
      if (last === undefined) lines.push(lead + word);
      else if (last.length + 1 + word.length > width) lines.push(`${lead}    ${word}`);
      else lines[lines.length - 1] = `${last} ${word}`;
    }
    return lines.join("\n");
  };
  return sql
    .split("\n")
    .map((line) => (line.length <= width ? line : fold(line)))
    .join("\n");
}

export function recipeCommand({ name, parameters }: Recipe): string {
  const quoted = (text: string) => (/^[\w.:-]+$/.test(text) ? text : `'${text}'`);
  return ["movedex query --cookbook", name, ...Object.entries(parameters).map(([key, { example }]) => `-p ${key}=${quoted(example)}`)].join(
    " ",
  );
}
