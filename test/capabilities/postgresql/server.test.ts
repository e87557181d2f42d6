import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import pg from "pg";
import { expect, test } from "vitest";
import { takeServerLock } from "../../../src/capabilities/postgresql/open-server.ts";
import { sql } from "../../../src/core/db/schema/sql/sql.ts";
import { eachPostgres, publicEngine } from "../../engine/support/postgres-databases.ts";
import { serverUser, temporaryDirectory } from "../../support/index.ts";

const locked = { code: "MOVEDEX_STORE_LOCKED", exit: "locked" };

eachPostgres("a lock of a server", (open, version) => {
  test("is one process's until it is freed; the refusal names the holder", async () => {
    const { url } = await open();
    const release = await takeServerLock(url(), "night");
    await expect(takeServerLock(url(), "night")).rejects.toMatchObject({
      ...locked,
      message: expect.stringContaining(`holds \`night\` of \`${url()}\` (`),
    });
    await (await takeServerLock(url(), "tell"))();
    await (await takeServerLock(`${url()}?schema=other`, "night"))();
    await release();
    await (await takeServerLock(url(), "night"))();
  });

  test("is another in each database, and so is its holder", async () => {
    const [{ url }, other] = [await open(), await open()];
    const elsewhere = new pg.Client({ connectionString: other.url(), application_name: "movedex elsewhere:1" });
    await elsewhere.connect();
    await elsewhere.query("SELECT pg_advisory_lock(hashtextextended('movedex night', 0))");
    await expect(takeServerLock(other.url(), "night")).rejects.toThrow("(elsewhere:1)");
    const release = await takeServerLock(url(), "night");
    await expect(takeServerLock(url(), "night")).rejects.toThrow(`(${hostname()}:${process.pid})`);
    await release();
    await elsewhere.end();
  });

  test("may be shared, and then keeps out who wants it alone", async () => {
    const { url } = await open();
    const releases = [await takeServerLock(url(), "write", { isShared: true }), await takeServerLock(url(), "write", { isShared: true })];
    await expect(takeServerLock(url(), "write")).rejects.toMatchObject(locked);
    for (const release of releases) await release();
    const release = await takeServerLock(url(), "write");
    await expect(takeServerLock(url(), "write", { isShared: true })).rejects.toMatchObject(locked);
    await release();
  });

  test.runIf(version >= 17)("outlasts the time that the database allows a transaction", async () => {
    const { url, prepare, name } = await open();
    await prepare(`ALTER DATABASE ${name} SET transaction_timeout = '200ms'`);
    const release = await takeServerLock(url(), "night");
    // One that began later, and is over time by now.
    await using engine = await publicEngine(url());
    await expect(engine.transaction((tx) => tx.first(sql`SELECT pg_sleep(60)`))).rejects.toMatchObject({
      code: "MOVEDEX_STORE_TIMEOUT",
      message: expect.stringContaining("longer than the transaction_timeout of the role or the database"),
    });
    await expect(takeServerLock(url(), "night")).rejects.toMatchObject(locked);
    await release();
  });

  test("ends with the connection that holds it", async () => {
    const { url, prepare } = await open();
    const release = await takeServerLock(url(), "night");
    await prepare("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'movedex %:%'");
    await expect
      .poll(() =>
        takeServerLock(url(), "night")
          .then((free) => free())
          .then(
            () => "free",
            () => "held",
          ),
      )
      .toBe("free");
    await release();
  });
});

const numbers = { name: "numbers", columns: { n: { kind: "int" }, text: { kind: "text" } } } as const;
const rows = (from: number, count: number) => Array.from({ length: count }, (_, i) => [from + i, "x".repeat(1_000)]);
const MEGABYTE = 2 ** 20;

/** A file system of 8 MB that the servers may write to; undefined where none may be made (only root may, and not everywhere). */
function smallDisk(): (Disposable & { readonly path: string }) | undefined {
  const directory = temporaryDirectory();
  const path = directory.file("disk");
  mkdirSync(path);
  chmodSync(directory.path, 0o755);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "movedex-test", path]);
  if (mounted.status === 0 && serverUser.uid !== undefined) chownSync(path, serverUser.uid, serverUser.uid);
  if (mounted.status !== 0) directory[Symbol.dispose]();
  const unmount = () => {
    spawnSync("umount", [path]);
    directory[Symbol.dispose]();
  };
  return mounted.status === 0 ? { path, [Symbol.dispose]: unmount } : undefined;
}

eachPostgres("a full disk", (open, version) => {
  test("fails what does not fit, keeps what was committed, and goes on when there is room", async ({ skip }) => {
    using disk = smallDisk();
    if (disk === undefined) return skip("no file system can be mounted here");
    const filler = `${disk.path}/filler`;
    writeFileSync(filler, Buffer.alloc(5 * MEGABYTE));
    const at = await open();
    const space = `small_${version}`;
    await at.prepare(`CREATE TABLESPACE ${space} LOCATION '${disk.path}'`);
    try {
      await at.prepare(`CREATE TABLE numbers (n bigint, text text) TABLESPACE ${space}`);
      await using engine = await publicEngine(at.url());
      await engine.transaction((tx) => tx.bulk(numbers, rows(0, 100)));
      const full = { code: "MOVEDEX_STORE_FULL", message: expect.stringContaining("the server's disk is full. Nothing committed is lost") };
      await expect(engine.transaction((tx) => tx.bulk(numbers, rows(100, 20_000)))).rejects.toMatchObject(full);
      expect(await engine.first(sql`SELECT count(*) FROM numbers`)).toEqual([100]);
      rmSync(filler);
      await engine.transaction((tx) => tx.bulk(numbers, rows(100, 1_000)));
      expect(await engine.first(sql`SELECT count(*) FROM numbers`)).toEqual([1_100]);
    } finally {
      await at.prepare("DROP TABLE IF EXISTS numbers");
      await at.prepare(`DROP TABLESPACE ${space}`);
    }
  });
});
