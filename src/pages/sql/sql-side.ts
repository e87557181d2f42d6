import { cookbook } from "../../schema/cookbook/cookbook.ts";
import type { Recipe } from "../../schema/cookbook/recipe.ts";
import { viewList } from "../../schema/views/views.ts";
import { type Html, html } from "../html/html.ts";
import type { Links } from "../html/links.ts";

/** The cookbook by chapter, each recipe a link. */
export function cookbookList(links: Links, current: Recipe | undefined): Html {
  return html`${cookbook.map(({ title, recipes }) => {
    const isOpen = recipes.some(({ name }) => name === current?.name);
    return html`<details${isOpen ? html` open` : ""}><summary>${title} <span class="dim">${recipes.length}</span></summary><ul>${recipes.map((recipe) => html`<li>${recipe === current ? html`<b>${recipe.question}</b>` : html`<a href="${links.sql({ recipe: recipe.name })}">${recipe.question}</a>`}</li>`)}</ul></details>`;
  })}`;
}

/** The views with their columns and what each means; the name of a view asks for its first rows. */
export function schemaList(links: Links): Html {
  return html`${viewList.map(({ name, meaning, columns }) => html`<details><summary class="mono">${name}</summary><p class="small dim">${meaning}</p><p class="small"><a href="${links.sql({ sql: `SELECT *\nFROM ${name}\nLIMIT 50` })}">first rows</a></p><ul>${Object.entries(columns).map(([column, { type, meaning: words }]) => html`<li><code>${column}</code> <span class="dim small">${type}; ${words}</span></li>`)}</ul></details>`)}`;
}
