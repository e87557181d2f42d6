// A process that asks one question, so that one that does not end can be ended. Usage: ask-once.ts DATABASE LIMIT_MS QUESTION, which is
// `{sql, values}` in JSON. Says the times and the rows of a fresh connection, then those of the same one again:
// each a line of JSON.
import { databaseAt } from "../../../src/core/db/engine/database-at.ts";
import { loadServersFor } from "../../../src/core/db/engine/place.ts";

/** What is asked. Whole numbers come as text with an `n` behind them. */
export type Asked = { readonly sql: string; readonly values: Readonly<Record<string, string>> };

const [path = "", limitMs = "60000", asked = "{}"] = process.argv.slice(2);
const { sql, values } = JSON.parse(asked) as Asked;
const parameters = Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value]),
);
const given = Object.keys(parameters).length === 0 ? [] : parameters;
const say = (line: unknown) => process.stdout.write(`${JSON.stringify(line)}\n`);

try {
  let [begun, cpu] = [performance.now(), process.cpuUsage()];
  await loadServersFor(path);
  await using door = await databaseAt(path).openToQuery({ timeoutMs: Number(limitMs) });
  for (const time of ["cold", "warm"]) {
    let rows = 0;
    for await (const _ of (await door.query(sql, given)).rows) rows++;
    const { user, system } = process.cpuUsage(cpu);
    say({ time, ms: performance.now() - begun, cpuMs: (user + system) / 1000, rows });
    [begun, cpu] = [performance.now(), process.cpuUsage()];
  }
} catch (error) {
  say({ error: (error as Error).message });
}
