import { type Contract, contractOf } from "../../src/capabilities/schema/contract.ts";
import { viewList } from "../../src/core/db/schema/views/views.ts";

/** Questions that have no answer where the contract of a view holds: nulls, keys that are there twice, rows of other views that miss. */
export const contractFaults: readonly (readonly [view: string, sql: string])[] = viewList.flatMap(({ name }) => {
  const { key, notNull, references } = contractOf(name) as Contract;
  const isNull = notNull.map((column) => `${column} IS NULL`).join(" OR ");
  return [
    [name, `SELECT 1 FROM ${name} WHERE ${isNull} LIMIT 1`],
    [name, `SELECT ${key} FROM ${name} GROUP BY ${key} HAVING count(1) > 1 LIMIT 1`] as const,
    ...references.map(({ columns, parent }) => {
      const isThere = columns.map((column) => `${column} IS NOT NULL`).join(" AND ");
      return [
        name,
        `SELECT ${columns} FROM ${name} WHERE ${isThere} EXCEPT SELECT ${contractOf(parent)?.key} FROM ${parent} LIMIT 1`,
      ] as const;
    }),
  ];
});
