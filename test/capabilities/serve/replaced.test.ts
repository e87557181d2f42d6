import { copyFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { type Ask, askDatabase, crawl } from "./support/served-archive.ts";
import { variedLedger } from "./support/varied-ledger.ts";

// Two archives of one ledger whose rows have other numbers: one begins where the other ends.
const place = temporaryDirectory();
const [early, late] = [place.file("early.db"), place.file("late.db")];
const scene = variedLedger();
await using node = await startSimNode({ ledger: scene.ledger });
scene.next();
await crawl(early, node.url, scene.accounts);
scene.next();
await crawl(late, node.url, [...scene.accounts].reverse());

/** A copy of the early archive, served with a clock that the test moves on. */
async function serveCopy(name: string) {
  const db = place.file(name);
  copyFileSync(early, db);
  let nowMs = 0;
  const lines: string[] = [];
  const clock = { now: () => 0, monotonic: () => nowMs, sleep: async () => undefined };
  const served = await askDatabase(db, { clock, log: (_, message) => void lines.push(message) });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { db, lines, pass, ask: served.ask, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

const newestOf = async (ask: Ask) => (await ask("/v1")).headers["x-aptos-ledger-version"];
const paths = ["/v1/accounts/0x1", "/v1/accounts/0x1/modules", "/v1/accounts/0x1/module/coin", "/v1/snapshots"];

describe("a database that another one takes the place of", () => {
  test("by `mv`, is answered from the new one within a second, and all of it", async () => {
    await using copy = await serveCopy("moved.db");
    await using expected = await askDatabase(late);
    for (const path of paths) expect((await copy.ask(path)).status).toBe(200);
    copyFileSync(late, place.file("next.db"));
    renameSync(place.file("next.db"), copy.db);
    expect(await newestOf(copy.ask)).toBe("500");
    copy.pass(1000);
    for (const path of paths) {
      const [ours, theirs] = [await copy.ask(path), await expected.ask(path)];
      expect([path, ours.status, ours.body.toString()]).toEqual([path, theirs.status, theirs.body.toString()]);
    }
    expect(await newestOf(copy.ask)).toBe("900");
    expect(copy.lines).toEqual([expect.stringContaining("the served database was replaced; serving the new one")]);
  });

  test("goes on answering while nothing lies there, or something that is no database", async () => {
    await using copy = await serveCopy("gone.db");
    rmSync(copy.db);
    copy.pass(1000);
    expect(await newestOf(copy.ask)).toBe("500");
    writeFileSync(copy.db, "no database at all, but longer than a header of one hundred bytes would have to be, I should think so");
    copy.pass(1000);
    expect(await newestOf(copy.ask)).toBe("500");
    copy.pass(1000);
    expect(await newestOf(copy.ask)).toBe("500");
    expect(copy.lines, "each once").toEqual([
      expect.stringMatching(/is gone.*there is no database/),
      expect.stringMatching(/cannot be opened.*not an SQLite database/),
    ]);
    rmSync(copy.db);
    copyFileSync(late, copy.db);
    copy.pass(1000);
    expect(await newestOf(copy.ask)).toBe("900");
  });

  test("in place, is answered from again once it was found unreadable", async () => {
    await using copy = await serveCopy("overwritten.db");
    writeFileSync(copy.db, Buffer.alloc(200_000, 0x55));
    const broken = await copy.ask("/v1/accounts/0x1/modules");
    expect(broken.status).toBe(500);
    expect(JSON.parse(broken.body.toString())).toMatchObject({ message: "internal error" });
    copyFileSync(late, copy.db);
    copy.pass(1000);
    expect((await copy.ask("/v1/accounts/0x1/modules")).status).toBe(200);
    expect(await newestOf(copy.ask)).toBe("900");
  });
});
