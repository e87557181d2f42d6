import { once } from "node:events";
import { copyFileSync, renameSync } from "node:fs";
import type { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { thread as pagesThread } from "../../../src/capabilities/explorer/open.ts";
import type { MadePage } from "../../../src/capabilities/pages/make-page.ts";
import { pageMaker } from "../../../src/capabilities/pages/page-thread.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { changeFile, sampleArchive, startMovedex, temporaryDirectory, valuesOf } from "../../support/index.ts";

const place = temporaryDirectory();
const sample = await sampleArchive(place.file("archive.db"));

const request = (path: string) => ({
  page: "page.home" as const,
  path,
  search: "",
  parts: [],
  now: Date.UTC(2026, 0, 2),
  client: "127.0.0.1",
  isFromElsewhere: false,
  hasSql: true,
});

describe("the thread of the pages", () => {
  test("fails what it has in hand when it cannot open the archive, and makes others afterwards", async () => {
    const thread = pageMaker(place.file("missing.db"), pagesThread);
    const never = new AbortController().signal;
    await expect(thread.make(1, request("/"), never)).rejects.toThrow("there is no database");
    await expect(thread.make(1, request("/"), never)).rejects.toThrow("there is no database");
    await thread.close();
    const other = pageMaker(sample.db, pagesThread);
    expect((await other.make(1, request("/"), never)).answer.status).toBe(200);
    await other.close();
    // It is begun again when it is wanted again.
    expect((await other.make(1, request("/"), AbortSignal.abort())).answer.status).toBe(200);
    await other.close();
  });

  test("shows the archive that lies in the place of another, after what it had in hand", async () => {
    const [moved, empty] = [place.file("moved.db"), place.file("empty.db")];
    copyFileSync(sample.db, moved);
    await (await openStore(empty, { mode: "write", now: () => 0 })).close();
    const thread = pageMaker(moved, pagesThread);
    const never = new AbortController().signal;
    const titleOf = ({ answer }: MadePage) => /<h1>([^<]*)/.exec(Buffer.from(answer.body).toString())?.[1];
    expect(titleOf(await thread.make(1, request("/"), never))).toBe("Chain 4");
    renameSync(empty, moved);
    const [before, after] = await Promise.all([1, 2].map((archive) => thread.make(archive, request("/"), never)));
    expect([before, after].map((made) => titleOf(made as MadePage))).toEqual(["Chain 4", "An empty archive"]);
    await thread.close();
  });

  test("does not keep the service from its end, whatever its statement is", async () => {
    const path = place.file("endless.db");
    copyFileSync(sample.db, path);
    const endless = "AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT";
    const views = `SELECT 'DROP VIEW ' || v.name || '; CREATE VIEW ' || v.name || ' ${endless} ' || group_concat('i AS ' || c.name) || ' FROM n'
      FROM sqlite_schema v JOIN pragma_table_info(v.name) c WHERE v.type = 'view' GROUP BY v.name`;
    changeFile(path, valuesOf<string>(path, views).join(";\n"));
    const served = startMovedex(["serve", "--db", path, "--port", "0", "--json"], { stdio: ["ignore", "pipe", "ignore"] });
    const { url } = JSON.parse(String((await once(served.stdout as Readable, "data"))[0])) as { url: string };
    const ask = (page: string, signal?: AbortSignal) =>
      fetch(new URL(page, url), { headers: { accept: "text/html" }, signal: signal ?? null });
    // Then the thread is there, however busy the machine is: what is asked next has it stand in a statement.
    expect((await ask("/account/nobody")).status).toBe(400);
    const waiting = ask("/coverage").then(({ status }) => status);
    await expect(ask("/coverage", AbortSignal.timeout(2000))).rejects.toThrow("timeout");
    served.kill("SIGTERM");
    // A client that waits on is told so at once: answers may take ten seconds more, and then are cut, but not this one.
    expect([...(await once(served, "exit")), await waiting]).toEqual([null, "SIGTERM", 500]);
  });
});
