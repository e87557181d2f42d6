import { expect, test } from "vitest";
import { relations } from "../../src/core/db/schema/documentation.ts";
import { tableList } from "../../src/core/db/schema/tables/tables.ts";
import { viewList } from "../../src/core/db/schema/views/views.ts";

test("relations describe every view and every table, and each of their columns", () => {
  expect(relations.map(({ name }) => name)).toEqual([...viewList, ...tableList].map(({ name }) => name));
  for (const { meaning, columns } of relations) {
    expect(meaning).toMatch(/^[A-Z].*[^.]$/);
    expect(columns.length).toBeGreaterThan(0);
    for (const column of columns) expect(column.meaning.length).toBeGreaterThan(3);
  }
});
