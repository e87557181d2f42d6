import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { rawRequest } from "../../../support/raw-request.ts";
import { textOf } from "../../serve/support/served-archive.ts";
import { textOfHtml } from "../support/page-text.ts";
import { serveSample } from "../support/sample-pages.ts";
import { servePages, typed } from "../support/served-pages.ts";

const { sample, served } = await serveSample(() => ({ trustProxy: () => true }));
const { db } = sample;

const ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n";

async function ask(sql: string, client = "192.0.2.1", signal?: AbortSignal) {
  const path = `/sql?sql=${encodeURIComponent(sql)}`;
  const headers = { ...typed, "x-forwarded-for": client };
  const response = await rawRequest(served.origin, { path, headers, ...(signal === undefined ? {} : { signal }) });
  return { status: response.status, text: textOfHtml(textOf(response)) };
}

test("heavy questions of one client keep no other waiting, and are refused beyond a few", async () => {
  const gone = new AbortController();
  let n = 0;
  const heavy = Array.from({ length: 8 }, () => ask(`${ENDLESS} -- ${++n}`, "192.0.2.1", gone.signal).catch(() => undefined));
  // Another one, and the same by another address of its network.
  const heavy6 = ask(`${ENDLESS} -- 6`, "2001:db8::1", gone.signal).catch(() => undefined);
  const own = Promise.race(heavy).then((answer) => answer?.status);
  expect(await own).toBe(429);
  const neighbours = [1, 2, 3, 4].map((i) => ask(`SELECT ${i}`, "2001:db8::2"));
  expect((await Promise.race(neighbours)).status).toBe(429);
  gone.abort();
  expect((await ask("SELECT 41 + 1 AS n", "192.0.2.2")).status).toBe(200);
  await Promise.all([...heavy, heavy6, ...neighbours]);
});

test("a place that a client left is another's, and a process that was ended has a successor", async () => {
  const gone = new AbortController();
  const left = ["192.0.2.11", "192.0.2.12"].map((client) => ask(`${ENDLESS} -- ${client}`, client, gone.signal).catch(() => "gone"));
  gone.abort();
  expect(await Promise.all(left)).toEqual(["gone", "gone"]);
  expect((await ask("SELECT 1 AS n", "192.0.2.13")).status).toBe(200);
});

test("what is refused has a status that says so", async () => {
  for (const [sql, status] of [
    ["SELEC", 400],
    ["PRAGMA database_list", 400],
    ["SELECT hex(zeroblob(450000000))", 422],
  ] as const) {
    const answer = await ask(sql);
    expect([sql, answer.status]).toEqual([sql, status]);
    expect(answer.text).not.toContain("sample.db");
  }
});

const numbers = (most: string) => `WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n${most}) SELECT`;
const BROKEN = `${numbers("")} CASE WHEN x < 90000 THEN x ELSE json('{') END AS x FROM n`;
const filePath = (sql: string) => `/sql.csv?sql=${encodeURIComponent(sql)}`;

test("a file has any number of rows, one that cannot be finished ends as no whole one does, and one that nobody reads is ended", async () => {
  await using apart = await servePages(db);
  const ask = (sql: string, method = "GET") => rawRequest(apart.origin, { path: filePath(sql), method, headers: { ...typed } });
  const whole = `${numbers(" WHERE x < 150000")} x FROM n`;
  const { headers, body } = await ask(whole);
  expect([headers["transfer-encoding"], headers["cache-control"]]).toEqual(["chunked", "no-store"]);
  const lines = body.toString().split("\r\n");
  expect([lines[0], lines.length, lines.at(-2)]).toEqual(["x", 150_002, "150000"]);
  await expect(ask(BROKEN)).rejects.toThrow();
  expect((await ask("SELECT nothing FROM nowhere")).status).toBe(400);

  const reader = get(`${apart.origin}${filePath(`${numbers("")} x FROM n`)}`, { headers: { ...typed } });
  const [response] = (await once(reader, "response")) as [IncomingMessage];
  await once(response, "data");
  reader.destroy();
  await once(reader, "close");
  // One file of a client is made at a time, and that one would never end; nor would it for somebody who wants no more than its headers.
  expect((await ask(`${numbers("")} x FROM n`, "HEAD")).status).toBe(200);
  expect((await ask("SELECT 1 AS n")).status).toBe(200);
});
