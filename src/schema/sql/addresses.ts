import { type Sql, sql } from "./sql.ts";

/**
 * The statement that gives addresses their rows where they have none; `from` is a table, or a query in parentheses, with a column
 * `address`. In the order of addresses, as nights read them: neighbours of a plan are then neighbours in every table and index.
 */
export function internAddresses(from: Sql): Sql {
  return sql`INSERT INTO _addresses (address) SELECT n.address FROM ${from} AS n
  WHERE NOT EXISTS (SELECT 1 FROM _addresses a WHERE a.address = n.address) ORDER BY length(n.address), n.address ON CONFLICT DO NOTHING`;
}
