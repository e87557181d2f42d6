import { describe, expect, test } from "vitest";
import { relations } from "../../src/schema/documentation.ts";
import { relationsText } from "../../src/schema/relation-list.ts";
import { tableList } from "../../src/schema/tables/tables.ts";
import { viewList } from "../../src/schema/views/views.ts";

const _named = (name: string) => relations.filter((relation) => relation.name === name);
const ofKind = (kind: "view" | "table") => relations.filter((relation) => relation.kind === kind);

describe("relations", () => {
  test("describe every view and every table, and each of their columns", () => {
    expect(relations.map(({ name }) => name)).toEqual([...viewList, ...tableList].map(({ name }) => name));
    for (const { meaning, columns } of relations) {
      expect(meaning).toMatch(/^[A-Z].*[^.]$/);
      expect(columns.length).toBeGreaterThan(0);
      for (const column of columns) expect(column.meaning.length).toBeGreaterThan(3);
    }
  });
});

describe("relationsText", () => {
  test("prints all views or all tables", () => {
    expect(relationsText(ofKind("view")).match(/^\w+:/gm)).toHaveLength(viewList.length);
    expect(relationsText(ofKind("table")).match(/^\w+:/gm)).toHaveLength(tableList.length);
  });
});
