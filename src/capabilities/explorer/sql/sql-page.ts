import { grouped, plural } from "../../../core/base/plural.ts";
import { printable } from "../../../core/base/printable.ts";
import { formatDuration } from "../../../core/base/time.ts";
import { StoreError } from "../../../core/db/engine/errors.ts";
import { kinds } from "../../../core/db/schema/column.ts";
import { parsePlaceholders } from "../../../core/db/schema/sql/sql.ts";
import { viewList } from "../../../core/db/schema/views/views.ts";
import { MovedexError } from "../../../core/errors.ts";
import { flag, Html, html } from "../../changes/pages/html.ts";
import type { Links, QueryValues } from "../../changes/pages/page-links.ts";
import { findRecipe, recipeValues, resolveRecipeValues } from "../../cookbook/recipe-values.ts";
import { cookbook } from "../../cookbook/recipes/cookbook.ts";
import type { Recipe } from "../../cookbook/recipes/recipe.ts";
import { consoleLimits } from "../../pages/console.ts";
import { hidden, pager, sourceBox, tabButton, table } from "../../pages/html/elements.ts";
import { prose } from "../../pages/html/texts.ts";
import type { FileAnswer, Page, PageCall, PageHandler } from "../../pages/page.ts";
import { cellsOf, chartKinds, resultChart } from "./result-views.ts";

const SQL_MAX = 10_000;
const EXAMPLE = "SELECT address, module, bytecode_size\nFROM modules_latest\nORDER BY bytecode_size DESC\nLIMIT 20";

/** `/sql`: one reading statement, answered as a table; recipes of the cookbook with fields for their values. */
export const sqlPage: PageHandler = async (call): Promise<Page> => {
  const { links, isFromElsewhere } = call;
  const asked = readAsked(call);
  const isAsked = asked.sql !== "" && asked.isWhole;
  call.archive.console.warm();
  const warning = html`<p class="notice">A link led here. Look at the statement, then run it.</p>`;
  const unasked = { status: 200, result: isAsked ? warning : html`` };
  const { status, result } = isAsked && !isFromElsewhere ? await resultOf(call, asked) : unasked;
  const form = asked.recipe === undefined ? ownForm(call, asked) : recipeForm(call, asked.recipe, asked.values);
  const { timeMs, pageRows } = consoleLimits;
  const body = html`<h1>SQL</h1>
<p class="dim">Read-only, over the documented views. At most ${formatDuration(timeMs)}, ${grouped(pageRows)} rows on the page.
A CSV or JSON file has all rows.</p>
<div class="split"><div>${form}${result}</div>
<aside class="side"><h2>Cookbook</h2>${cookbookList(links, asked.recipe)}<h2>Views</h2>${schemaList(links)}</aside></div>`;
  const title = asked.recipe?.question ?? (asked.sql === "" ? "SQL" : `SQL: ${printable(asked.sql.replaceAll(/\s+/g, " "), 60)}`);
  return { status, title, section: "sql", body, isWide: true, isCached: isAsked && !isFromElsewhere };
};

/** `/sql.csv`: the same as a file, with all rows. */
export const sqlFile: PageHandler = (call) => fileOf(call, "csv", "text/csv; charset=utf-8");

/** `/sql.json`: the same as a list of objects. */
export const sqlJson: PageHandler = (call) => fileOf(call, "json", "application/json; charset=utf-8");

async function fileOf(call: PageCall, format: "csv" | "json", contentType: string): Promise<FileAnswer | Page> {
  const { archive, links, client, signal } = call;
  const asked = readAsked(call);
  const question = { sql: asked.sql, params: await paramsOf(call, asked), format, maxRows: 0 };
  const refused = { status: 403, problem: "A file is made for a link of these pages, not for one of elsewhere." };
  const answer = call.isFromElsewhere ? refused : await archive.console.file(question, client, signal);
  if ("body" in answer)
    return { contentType, body: new Uint8Array(), stream: answer.body, fileName: `${asked.recipe?.name ?? "query"}.${format}` };
  const title = "No file";
  const body = html`<h1>${title}</h1>${problem(answer.problem)}<p><a href="${links.sql(linkValues(asked))}">To the statement</a></p>`;
  return { status: answer.status, title, section: "sql", body, isCached: false };
}

type Asked = ReturnType<typeof readAsked>;

function readAsked({ query }: PageCall) {
  const name = query("recipe");
  const recipe = name === undefined ? undefined : findRecipe(name);
  const sql = recipe?.sql ?? (query("sql") ?? "").slice(0, SQL_MAX);
  const names = recipe === undefined ? namesIn(sql) : Object.keys(recipe.parameters);
  const values: Record<string, string> = {};
  for (const name of names) {
    const value = query(`p.${name}`);
    if (value !== undefined) values[name] = value;
  }
  /** Whether a recipe has all of its values. */
  return { sql, recipe, values, isWhole: recipe === undefined || Object.keys(values).length === names.length };
}

async function paramsOf({ archive }: PageCall, { recipe, values }: Asked): Promise<Readonly<Record<string, string>>> {
  if (recipe === undefined || Object.keys(recipe.parameters).length === 0) return values;
  return resolveRecipeValues(archive.modules, recipe, recipeValues(recipe, values));
}

/** The names of values in a statement, `:name`. */
function namesIn(sql: string): string[] {
  return [...new Set(parsePlaceholders(sql).names)].slice(0, 20);
}

/** The rows of an answer, or how the database would find them; what stands around them: files, other ways to see it, its other pages. */
async function resultOf(call: PageCall, asked: Asked): Promise<{ readonly status: number; readonly result: Html }> {
  const { links, query } = call;
  const isPlan = query("plan") !== undefined;
  const skip = Number(/^\d{1,9}$/.exec(query("skip") ?? "")?.[0] ?? 0);
  try {
    const question = { sql: asked.sql, params: await paramsOf(call, asked), format: "lists", maxRows: consoleLimits.pageRows } as const;
    const answer = await call.archive.console.ask({ ...question, skip, isPlan }, call.client, call.signal);
    if ("problem" in answer) return { status: answer.status, result: problem(answer.problem) };
    const lines = answer.text.split("\n").filter((line) => line !== "");
    const [columns = [], ...rows] = lines.map((line) => JSON.parse(line) as string[]);
    const values = linkValues(asked);
    const button = (words: string, more: QueryValues, isNow: boolean): Html => tabButton(links.sql({ ...values, ...more }), words, isNow);
    const chart = isPlan || rows.length === 0 ? undefined : chartKinds.find((one) => one === query("chart"));
    const range = skip === 0 ? plural(rows.length, "row") : `Rows ${grouped(skip + 1)} to ${grouped(skip + rows.length)}`;
    const words = isPlan ? "How the database would answer" : rows.length === 0 ? "No row" : range;
    const files = html` · <a href="${links.sqlFile(values)}">CSV</a> · <a href="${links.sqlFile(values, "json")}">JSON</a>`;
    const charts = [button("Bar chart", { chart: "bar" }, chart === "bar"), button("Line chart", { chart: "line" }, chart === "line")];
    const head = html`<p>${words}${answer.hasMore && ", and there are more"} <span class="dim">in ${formatDuration(answer.ms)}</span>
${!isPlan && files} · <a href="${links.sql(values)}">link to this</a></p>
<p class="tabs">${button("Table", {}, chart === undefined && !isPlan)}${!isPlan && rows.length > 0 && charts}
${button("Plan", { plan: 1 }, isPlan)}</p>`;
    const plan = [columns, ...rows].map((row) => row.map((cell) => printable(cell, 1000)).join(" ")).join("\n");
    const none = asked.recipe === undefined ? "The statement gave no row." : `No row. ${asked.recipe.limits}`;
    const heads = columns.map((name) => printable(name, 80));
    const found = table("Result", heads, cellsOf(columns, rows, links), { isSortable: true, none: prose(none) });
    const href = (at: number): string => links.sql({ ...values, skip: at || undefined });
    const steps = pager(
      skip > 0 && ["Previous rows", href(Math.max(0, skip - consoleLimits.pageRows))],
      answer.hasMore && !isPlan && ["Next rows", href(skip + consoleLimits.pageRows)],
    );
    const drawing = chart !== undefined && resultChart(chart, columns, rows);
    return {
      status: 200,
      result: html`<section>${head}${drawing}${isPlan ? sourceBox("Plan", Html.preserved(plan)) : found}${steps}</section>`,
    };
  } catch (error) {
    if (error instanceof MovedexError && !(error instanceof StoreError)) return { status: 400, result: problem(error.message) };
    throw error;
  }
}

function problem(words: string): Html {
  return html`<div class="notice bad" role="alert"><p>${prose(printable(words, 2000))}</p></div>`;
}

function linkValues({ sql, recipe, values }: Asked): QueryValues {
  const named = Object.fromEntries(Object.entries(values).map(([name, value]) => [`p.${name}`, value]));
  return recipe === undefined ? { sql, ...named } : { recipe: recipe.name, ...named };
}

function ownForm({ links }: PageCall, { sql, values }: Asked): Html {
  const shown = sql === "" ? EXAMPLE : sql;
  const fields = namesIn(shown).map((name) => html`<label>:${name}<input name="p.${name}" value="${values[name] ?? ""}"></label>`);
  return html`<form action="${links.sql()}"><label for="sql" class="sr">Statement</label>
<textarea id="sql" name="sql" rows="9" maxlength="${SQL_MAX}" spellcheck="false" autocapitalize="off">${Html.preserved(shown)}</textarea>
${fields.length > 0 && html`<div class="params">${fields}</div>`}<p><button class="primary">Run</button>
<span class="dim small keys">Ctrl + Enter runs it</span></p></form>`;
}

function recipeForm({ links }: PageCall, recipe: Recipe, values: Asked["values"]): Html {
  const fields = Object.entries(recipe.parameters).map(([name, { meaning, example }]) => {
    return html`<label><span>:${name}, ${prose(meaning)}</span>
<input name="p.${name}" value="${values[name] ?? example}" required spellcheck="false"></label>`;
  });
  return html`<h2>${prose(recipe.question)}</h2>
<form action="${links.sql()}">${hidden("recipe", recipe.name)}
${fields.length > 0 && html`<div class="params">${fields}</div>`}<p><button class="primary">Run</button>
<a class="button" href="${links.sql({ sql: recipe.sql })}">Edit the statement</a></p></form>
<p>${prose(recipe.answer)}</p><p class="dim small">${prose(recipe.limits)}</p>
<details><summary>The statement</summary>${sourceBox("The statement", Html.preserved(recipe.sql))}</details>`;
}

function cookbookList(links: Links, current: Recipe | undefined): Html {
  return html`${cookbook.map(({ title, recipes }) => {
    const isOpen = recipes.some(({ name }) => name === current?.name);
    const items = recipes.map((recipe) => {
      const link = html`<a href="${links.sql({ recipe: recipe.name })}">${recipe.question}</a>`;
      return html`<li>${recipe === current ? html`<b>${recipe.question}</b>` : link}</li>`;
    });
    const head = html`<summary>${title} <span class="dim">${recipes.length}</span></summary>`;
    return html`<details${flag("open", isOpen)}>${head}<ul>${items}</ul></details>`;
  })}`;
}

/** The views with their columns and what each means; the name of a view asks for its first rows. */
function schemaList(links: Links): Html {
  const views = viewList.map(({ name, meaning, columns }) => {
    const items = Object.entries(columns).map(
      ([column, { kind, meaning: words }]) =>
        html`<li><code>${column}</code> <span class="dim small">${kinds[kind].type}; ${words}</span></li>`,
    );
    const first = links.sql({ sql: `SELECT *\nFROM ${name}\nLIMIT 50` });
    return html`<details><summary class="mono">${name}</summary><p class="small dim">${meaning}</p>
<p class="small"><a href="${first}">first rows</a></p><ul>${items}</ul></details>`;
  });
  return html`<div class="list">${views}</div>`;
}
