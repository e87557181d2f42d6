import { expect, test } from "vitest";
import { takeServerLock } from "../../../src/capabilities/postgresql/server-lock.ts";
import { eachPostgres } from "../../engine/support/postgres-databases.ts";

const locked = { code: "MOVEDEX_STORE_LOCKED", exit: "locked" };

eachPostgres("a lock of a server", (open) => {
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

  test("may be shared, and then keeps out who wants it alone", async () => {
    const { url } = await open();
    const releases = [await takeServerLock(url(), "write", { isShared: true }), await takeServerLock(url(), "write", { isShared: true })];
    await expect(takeServerLock(url(), "write")).rejects.toMatchObject(locked);
    for (const release of releases) await release();
    const release = await takeServerLock(url(), "write");
    await expect(takeServerLock(url(), "write", { isShared: true })).rejects.toMatchObject(locked);
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
