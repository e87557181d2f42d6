import { hangingText } from "../../../core/base/printable.ts";
import { BETWEEN, changeRecipes } from "./changes.ts";
import { COVERAGE, FRONTIER, interfaceRecipes, NEWEST, useRecipes } from "./interfaces.ts";
import { address, from, module, type Recipe, type RecipeData, to } from "./recipe.ts";

/** `notes` are what several of its recipes say: each with the words in which the page says it once for the chapter. */
type Chapter = { readonly title: string; readonly recipes: readonly Recipe[]; readonly notes: Readonly<Record<string, string>> };

export const cookbook: readonly Chapter[] = [
  chapter("What is there", interfaceRecipes, { [NEWEST]: NEWEST }),
  chapter("Who uses what", useRecipes, {
    [FRONTIER]: FRONTIER,
    [COVERAGE]: COVERAGE.replace("The last columns count accounts", "Where the last columns count accounts, they are"),
  }),
  chapter("What changed", changeRecipes, {
    [BETWEEN]: BETWEEN.replace(
      "What came and went between the two snapshots is missing",
      "A recipe with two snapshots misses what came and went between them",
    ),
  }),
];

export const recipes: readonly Recipe[] = cookbook.flatMap((chapter) => chapter.recipes);

function chapter(title: string, list: readonly RecipeData[], notes: Chapter["notes"]): Chapter {
  return { title, recipes: list.map((recipe) => ({ parameters: {}, ...recipe })), notes };
}

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

/** The recipes as Markdown. What the page explains above them, and the notes of a chapter, are not said again with each recipe. */
export function cookbookMarkdown(): string {
  return cookbook
    .map(({ title, recipes, notes }) => {
      const once = (text: string): string =>
        Object.keys(notes)
          .reduce((rest, note) => rest.replace(note, ""), text)
          .trim();
      return [`## ${title}`, Object.values(notes).join(" "), ...recipes.map((recipe) => recipeMarkdown(recipe, once))].join("\n\n");
    })
    .join("\n\n");
}

export function recipeCommand({ name, parameters }: Recipe): string {
  const quoted = (text: string) => (/^[\w.:-]+$/.test(text) ? text : `'${text}'`);
  return ["movedex query --cookbook", name, ...Object.entries(parameters).map(([key, { example }]) => `-p ${key}=${quoted(example)}`)].join(
    " ",
  );
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
