import { readFileSync } from "node:fs";
import { Pool } from "undici";

// The fewest requests that a night can be, and nothing else: one account read and one page of modules for each address of a
// file, at one version, so many at a time, every body thrown away. Usage: bare-loop.ts URL VERSION FILE CONCURRENCY
const [url = "", version = "", file = "", concurrency = "4"] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: Number(concurrency), allowH2: false });
const headers = { accept: "application/x-bcs", "accept-encoding": "gzip, deflate, br" };
const paths = readFileSync(file, "utf8")
  .trimEnd()
  .split("\n")
  .flatMap((address) => [
    `${pathname}/accounts/${address}?ledger_version=${version}`,
    `${pathname}/accounts/${address}/modules?ledger_version=${version}`,
  ]);
let next = 0;

async function worker(): Promise<void> {
  for (let path = paths[next++]; path !== undefined; path = paths[next++]) {
    const { statusCode, body } = await pool.request({ method: "GET", path, headers });
    await body.dump({ limit: Number.MAX_SAFE_INTEGER });
    if (statusCode !== 200) throw new Error(`${path}: ${statusCode}`);
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, worker));
await pool.close();
