import type { Attack } from "./attack.ts";

/** Statements that would take all of the server's time, memory or disk. */
export const postgresqlHungry: readonly Attack[] = [
  ["endless count", "SELECT count(*) FROM generate_series(1, 100000000000)"],
  ["endless recursion", "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"],
  ["endless rows that grow", "WITH RECURSIVE n AS (SELECT 'x' AS x UNION ALL SELECT x || x FROM n) SELECT max(length(x)) FROM n"],
  ["product of tables", "SELECT count(*) FROM pg_class a, pg_class b, pg_class c, pg_class d"],
  ["sort that has no end", "SELECT g FROM generate_series(1, 100000000000) g ORDER BY random() LIMIT 1"],
  ["one long text", "SELECT repeat('x', 100000000)"],
  ["long texts in many rows", "SELECT repeat('x', 5000000) FROM generate_series(1, 1000)"],
  ["text beyond all bounds", "SELECT repeat('x', 2000000000)"],
  ["texts put together", "SELECT string_agg(repeat('x', 1000000), '') FROM generate_series(1, 5000)"],
  ["list beyond all bounds", "SELECT array_fill(1, ARRAY[500000000])"],
  ["list of lists", "SELECT array_agg(x) FROM (SELECT array_fill(1, ARRAY[1000000]) x FROM generate_series(1, 1000)) y"],
  ["JSON of everything", "SELECT json_agg(a) FROM pg_proc a, pg_class b, pg_class c"],
  ["number with many digits", "SELECT factorial(100000)"],
  ["number raised", "SELECT 9::numeric ^ 100000 ^ 2"],
  ["brackets in brackets", `SELECT ${"(".repeat(30_000)}1${")".repeat(30_000)}`],
  ["sum of very many", `SELECT ${Array.from({ length: 20_000 }, () => "1").join("+")} FROM generate_series(1, 10000000000)`],
  ["more columns than there may be", `SELECT ${Array.from({ length: 1_700 }, (_, i) => i).join(",")}`],
  ["rows whose text is one cell", "SELECT string_agg(p::text, ',') FROM pg_proc p, generate_series(1, 10000)"],
  ["text padded", "SELECT lpad('x', 900000000, 'y')"],
  ["text replaced by longer", "SELECT replace(repeat('x', 20000), 'x', repeat('y', 20000))"],
  ["text formatted wide", "SELECT format('%500000000s', 'x')"],
  ["words of a long text", "SELECT to_tsvector(repeat('a b c ', 50000000))"],
  ["series of moments", "SELECT count(*) FROM generate_series('-4000-01-01'::timestamp, '290000-01-01', '1 ms')"],
];
