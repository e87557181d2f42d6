import { printable } from "../../base/printable.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { StoreError } from "../../engine/errors.ts";
import { ConfigError, MovedexError } from "../../errors.ts";
import { resolveRecipeValues } from "../../questions/recipe-subject.ts";
import { findRecipe, recipeValues } from "../../questions/recipe-values.ts";
import { cookbook } from "../../schema/cookbook/cookbook.ts";
import type { Recipe } from "../../schema/cookbook/recipe.ts";
import { parsePlaceholders } from "../../schema/sql/parameters.ts";
import { viewList } from "../../schema/views/views.ts";
import { type ConsoleAnswer, consoleLimits } from "../console.ts";
import { Html, html } from "../html/html.ts";
import type { Links, QueryValues } from "../html/links.ts";
import { count, nothing, prose, table, text } from "../html/texts.ts";
import type { FileAnswer, Page, PageCall, PageHandler } from "../page.ts";

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
  call.archive.console.warm();
  const { status, result } = !isAsked
    ? { status: 200, result: html`` }
    : isFromElsewhere
      ? { status: 200, result: html`<p class="notice">A link led here. Look at the statement, then run it.</p>` }
      : await resultOf(call, asked);
  const body = html`<div class="wide"></div><h1>SQL</h1><p class="dim">Read-only, over the documented views. At most ${formatDuration(consoleLimits.timeMs)}, ${count(consoleLimits.pageRows)} rows on the page and ${count(consoleLimits.fileRows)} in a file.</p>
<div class="split"><div>${asked.recipe === undefined ? ownForm(call, asked) : recipeForm(call, asked.recipe, asked.values)}${result}</div>
<aside class="side"><h2>Cookbook</h2>${cookbookList(links, asked.recipe)}<h2>Views</h2>${schemaList(links)}</aside></div>`;
  return { status, title: asked.recipe?.question ?? "SQL", section: "sql", body, isCached: isAsked && !isFromElsewhere };
};

/** `/sql.csv`: the same as a file. @throws ConfigError when there are too many rows */
export const sqlFile: PageHandler = async (call): Promise<FileAnswer | Page> => {
  const asked = readAsked(call);
  if (call.isFromElsewhere) return noFile(403, "A file is made for a link of these pages, not for one of elsewhere.", call, asked);
  const answer = await ask(call, asked, "csv", consoleLimits.fileRows);
  if ("problem" in answer) return noFile(answer.status, answer.problem, call, asked);
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

/** The names of values in a statement, `:name`. */
function namesIn(sql: string): string[] {
  return [...new Set(parsePlaceholders(sql).names)].slice(0, 20);
}

async function ask(call: PageCall, asked: Asked, format: "csv" | "lists", maxRows: number): Promise<ConsoleAnswer> {
  const params = await paramsOf(call, asked);
  return await call.archive.console.ask({ sql: asked.sql, format, maxRows, params }, call.client, call.signal);
}

function noFile(status: number, words: string, { links }: PageCall, asked: Asked): Page {
  const title = "No file";
  const body = html`<h1>${title}</h1>${problem(words)}<p><a href="${links.sql(linkValues(asked))}">To the statement</a></p>`;
  return { status, title, section: "sql", body, isCached: false };
}

type Result = { readonly status: number; readonly result: Html };

async function resultOf(call: PageCall, asked: Asked): Promise<Result> {
  try {
    const answer = await ask(call, asked, "lists", consoleLimits.pageRows);
    if ("problem" in answer) return { status: answer.status, result: problem(answer.problem) };
    const [columns = [], ...rows] = answer.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as string[]);
    const values = linkValues(asked);
    const head = html`<p>${rows.length === 0 ? "No row" : `${count(rows.length)} ${rows.length === 1 ? "row" : "rows"}`}${answer.hasMore ? ", and there are more" : ""} <span class="dim">in ${formatDuration(answer.ms)}</span> · <a href="${call.links.sqlFile(values)}">CSV</a> · <a href="${call.links.sql(values)}">link to this</a></p>`;
    const cells = rows.map((row) =>
      row.map((cell) => html`<span class="${cell.length > WIDE ? "mono wide-cell" : "mono"}">${text(cell, CELL_MAX)}</span>`),
    );
    const result = html`<section aria-label="Result">${head}${
      rows.length === 0
        ? nothing(prose(emptyText(asked)))
        : table(
            "Result",
            columns.map((name) => text(name, 80)),
            cells,
            { isSortable: true },
          )
    }</section>`;
    return { status: 200, result };
  } catch (error) {
    if (error instanceof MovedexError && !(error instanceof StoreError)) return { status: 400, result: problem(error.message) };
    throw error;
  }
}

function emptyText({ recipe }: Asked): string {
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

/** The cookbook by chapter, each recipe a link. */
function cookbookList(links: Links, current: Recipe | undefined): Html {
  return html`${cookbook.map(({ title, recipes }) => {
    const isOpen = recipes.some(({ name }) => name === current?.name);
    return html`<details${isOpen ? html` open` : ""}><summary>${title} <span class="dim">${recipes.length}</span></summary><ul>${recipes.map((recipe) => html`<li>${recipe === current ? html`<b>${recipe.question}</b>` : html`<a href="${links.sql({ recipe: recipe.name })}">${recipe.question}</a>`}</li>`)}</ul></details>`;
  })}`;
}

/** The views with their columns and what each means; the name of a view asks for its first rows. */
function schemaList(links: Links): Html {
  return html`${viewList.map(({ name, meaning, columns }) => html`<details><summary class="mono">${name}</summary><p class="small dim">${meaning}</p><p class="small"><a href="${links.sql({ sql: `SELECT *\nFROM ${name}\nLIMIT 50` })}">first rows</a></p><ul>${Object.entries(columns).map(([column, { type, meaning: words }]) => html`<li><code>${column}</code> <span class="dim small">${type}; ${words}</span></li>`)}</ul></details>`)}`;
}
