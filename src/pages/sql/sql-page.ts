import { printable } from "../../base/printable.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { ConfigError, MovedexError } from "../../errors.ts";
import { resolveRecipeValues } from "../../questions/recipe-subject.ts";
import { findRecipe, recipeValues } from "../../questions/recipe-values.ts";
import type { Recipe } from "../../schema/cookbook/recipe.ts";
import { Html, html } from "../html/html.ts";
import type { QueryValues } from "../html/links.ts";
import { count, nothing, prose, table, text } from "../html/texts.ts";
import type { FileAnswer, Page, PageCall, PageHandler } from "../page.ts";
import { askConsole, consoleLimits } from "./console-query.ts";
import { cookbookList, schemaList } from "./sql-side.ts";

const SQL_MAX = 10_000;
const CELL_MAX = 400;
/** Characters from which a cell keeps a width of its own on a narrow screen, where a hash would stand in a column of letters. */
const WIDE = 24;
const EXAMPLE = "SELECT address, module, bytecode_size\nFROM modules_latest\nORDER BY bytecode_size DESC\nLIMIT 20";

/** What is asked: a statement with its values, from the cookbook or a reader's own. */
type Asked = { readonly sql: string; readonly recipe: Recipe | undefined; readonly values: Readonly<Record<string, string>> };

/** `/sql`: one reading statement, answered as a table; recipes of the cookbook with fields for their values. */
export const sqlPage: PageHandler = async (call): Promise<Page> => {
  const { links, isFromElsewhere } = call;
  const asked = readAsked(call);
  const isAsked = asked.sql !== "" && (asked.recipe === undefined || hasAllValues(asked.recipe, call));
  const result = !isAsked
    ? html``
    : isFromElsewhere
      ? html`<p class="notice">Another site led here. Look at the statement, then run it.</p>`
      : await resultOf(call, asked);
  const body = html`<div class="wide"></div><h1>SQL</h1><p class="dim">Read-only, over the documented views. At most ${formatDuration(consoleLimits.timeMs)}, ${count(consoleLimits.pageRows)} rows on the page and ${count(consoleLimits.fileRows)} in a file.</p>
<div class="split"><div>${asked.recipe === undefined ? ownForm(call, asked) : recipeForm(call, asked.recipe, asked.values)}${result}</div>
<aside class="side"><h2>Cookbook</h2>${cookbookList(links, asked.recipe)}<h2>Views</h2>${schemaList(links)}</aside></div>`;
  return { title: asked.recipe?.question ?? "SQL", section: "sql", body, isCached: isAsked && !isFromElsewhere };
};

/** `/sql.csv`: the same as a file. @throws ConfigError when there is no whole answer */
export const sqlFile: PageHandler = async (call): Promise<FileAnswer> => {
  const asked = readAsked(call);
  const params = await paramsOf(call, asked);
  const answer = await askConsole(
    { path: call.archive.path, sql: asked.sql, format: "csv", maxRows: consoleLimits.fileRows, params },
    call.signal,
  );
  if ("problem" in answer) throw new ConfigError(answer.problem);
  if (answer.hasMore)
    throw new ConfigError(
      `there are more than ${count(consoleLimits.fileRows)} rows; narrow the question, or use \`movedex query --format csv --max-rows 0\`.`,
    );
  return { contentType: "text/csv; charset=utf-8", body: Buffer.from(answer.text), fileName: `${asked.recipe?.name ?? "query"}.csv` };
};

function readAsked({ query }: PageCall): Asked {
  const name = query("recipe");
  const recipe = name === undefined ? undefined : findRecipe(name);
  const sql = recipe?.sql ?? (query("sql") ?? "").slice(0, SQL_MAX);
  const names = recipe === undefined ? namesIn(sql) : Object.keys(recipe.parameters);
  const values = Object.fromEntries(names.flatMap((one) => (query(`p.${one}`) === undefined ? [] : [[one, query(`p.${one}`) as string]])));
  return { sql, recipe, values };
}

function hasAllValues(recipe: Recipe, { query }: PageCall): boolean {
  return Object.keys(recipe.parameters).every((name) => query(`p.${name}`) !== undefined);
}

async function paramsOf({ archive }: PageCall, { recipe, values }: Asked): Promise<Readonly<Record<string, string>>> {
  if (recipe === undefined || Object.keys(recipe.parameters).length === 0) return values;
  return resolveRecipeValues(archive.modules, recipe, recipeValues(recipe, values));
}

/** The names of values in a statement, `:name`, outside of texts, quoted names and comments. */
function namesIn(sql: string): string[] {
  const bare = sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, " ");
  return [...new Set([...bare.matchAll(/(?<!:):([A-Za-z_]\w*)/g)].map(([, name]) => name as string))].slice(0, 20);
}

async function resultOf(call: PageCall, asked: Asked): Promise<Html> {
  try {
    const params = await paramsOf(call, asked);
    const answer = await askConsole(
      { path: call.archive.path, sql: asked.sql, format: "lists", maxRows: consoleLimits.pageRows, params },
      call.signal,
    );
    if ("problem" in answer) return problem(answer.problem);
    const [columns = [], ...rows] = answer.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as string[]);
    const values = linkValues(asked);
    const head = html`<p>${rows.length === 0 ? "No row" : `${count(rows.length)} ${rows.length === 1 ? "row" : "rows"}`}${answer.hasMore ? ", and there are more" : ""} <span class="dim">in ${formatDuration(answer.ms)}</span> · <a href="${call.links.sqlFile(values)}">CSV</a> · <a href="${call.links.sql(values)}">link to this</a></p>`;
    const cells = rows.map((row) =>
      row.map((cell) => html`<span class="${cell.length > WIDE ? "mono wide-cell" : "mono"}">${text(cell, CELL_MAX)}</span>`),
    );
    return html`<section aria-label="Result">${head}${
      rows.length === 0
        ? nothing(prose(emptyWords(asked)))
        : table(
            "Result",
            columns.map((name) => text(name, 80)),
            cells,
            { isSortable: true },
          )
    }</section>`;
  } catch (error) {
    if (error instanceof MovedexError) return problem(error.message);
    throw error;
  }
}

function emptyWords({ recipe }: Asked): string {
  return recipe === undefined ? "The statement gave no row." : `No row. ${recipe.limits}`;
}

function problem(words: string): Html {
  return html`<p class="notice bad" role="alert">${printable(words, 2000)}</p>`;
}

function linkValues({ sql, recipe, values }: Asked): QueryValues {
  const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [`p.${name}`, value]));
  return recipe === undefined ? { sql, ...named } : { recipe: recipe.name, ...named };
}

function ownForm({ links }: PageCall, { sql, values }: Asked): Html {
  const shown = sql === "" ? EXAMPLE : sql;
  const names = namesIn(shown);
  return html`<form action="${links.sql()}"><label for="sql" class="sr">Statement</label><textarea id="sql" name="sql" rows="9" maxlength="${SQL_MAX}" spellcheck="false" autocapitalize="off">${Html.preserved(shown)}</textarea>
${names.length === 0 ? "" : html`<div class="params">${names.map((name) => html`<label>:${name}<input name="p.${name}" value="${values[name] ?? ""}"></label>`)}</div>`}<p><button class="primary">Run</button> <span class="dim small">Ctrl + Enter</span></p></form>`;
}

function recipeForm({ links }: PageCall, recipe: Recipe, values: Asked["values"]): Html {
  const fields = Object.entries(recipe.parameters).map(([name, { meaning, example }]) => {
    return html`<label><span>:${name}, ${prose(meaning)}</span><input name="p.${name}" value="${values[name] ?? example}" required spellcheck="false"></label>`;
  });
  return html`<h2>${prose(recipe.question)}</h2><form action="${links.sql()}"><input type="hidden" name="recipe" value="${recipe.name}">${fields.length === 0 ? "" : html`<div class="params">${fields}</div>`}<p><button class="primary">Run</button> <a class="button" href="${links.sql({ sql: recipe.sql })}">Edit the statement</a></p></form>
<p>${prose(recipe.answer)}</p><p class="dim small">${prose(recipe.limits)}</p><details><summary>The statement</summary><div class="source" tabindex="0" role="region" aria-label="The statement"><pre>${Html.preserved(recipe.sql)}</pre></div></details>`;
}
