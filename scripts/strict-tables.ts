// Run after `drizzle-kit generate`: adds to each CREATE TABLE of the generated SQL what drizzle cannot say (STRICT,
// WITHOUT ROWID), also where a table is rebuilt under the name `__new_…`. Running it again changes nothing.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { sqliteTableOptions } from "../src/schema/dialects/sqlite.ts";
import { tableList } from "../src/schema/tables/tables.ts";

const folder = new URL("../migrations/sqlite/", import.meta.url);
const options = new Map(tableList.map((table) => [table.name, sqliteTableOptions(table)]));
const create = /CREATE TABLE `(?:__new_)?(\w+)` \(([\s\S]*?)\n\);/g;

for (const file of readdirSync(folder).filter((name) => name.endsWith(".sql"))) {
  const before = readFileSync(new URL(file, folder), "utf8");
  const after = before.replace(create, (statement, name: string) => {
    const words = options.get(name);
    return words === undefined ? statement : statement.replace(/\);$/, `) ${words};`);
  });
  if (after !== before) writeFileSync(new URL(file, folder), after);
}
