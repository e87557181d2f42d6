import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Database from "better-sqlite3";
import { describe, expect } from "vitest";
import type { Fault } from "../../../sim/faults/index.ts";
import { startSimNode } from "../../../sim/index.ts";
import { seededRandom } from "../../../src/core/base/numbers.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { type CliResult, changeFile, databaseContent, ended, ManualClock, runCli, test, valuesOf } from "../../support/index.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { holdTwoNights } from "./support/two-nights-held.ts";

/** How many accounts of a version's plan have their answers. */
function answeredAt(path: string, version: bigint): number {
  return valuesOf<number>(path, `SELECT count(*) FROM _visits WHERE ledger_version = ${version} AND state = 'visited'`)[0] ?? 0;
}

describe("backup and restore", async () => {
  const { scene, first, second, targets, sync } = await holdTwoNights(12, 3);
  const content = { first: databaseContent(first), second: databaseContent(second) };
  /** A database of the first night, and a backup of both nights beside it. */
  const databaseAndBackup = async (place: ReturnType<typeof temporaryDirectory>, name: string) => {
    const [db, copy] = [place.file("night.db"), place.file(name)];
    copyFileSync(first, db);
    await ended(runCli(["backup", copy, "--db", second]));
    return { db, copy };
  };

  test.each([
    ["plain", "copy.db"],
    ["packed", "copy.db.zst"],
  ])("a %s backup restores to the same content", async (_, name) => {
    using own = temporaryDirectory();
    const made = await ended(runCli(["backup", own.file(name), "--db", second, "--json"]));
    expect(made.json()).toMatchObject({ snapshots: 2, newest_version: `${scene.second}`, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const restored = await ended(runCli(["restore", own.file(name), "--db", own.file("new.db"), "--json"]));
    expect(restored.json()).toMatchObject({ sha256: made.json()["sha256"], kept_aside: null });
    expect(databaseContent(own.file("new.db"))).toEqual(content.second);
    if (name.endsWith(".zst")) expect(statSync(own.file(name)).size).toBeLessThan(statSync(second).size / 2);
  });

  test("a backup made in the middle of a run is whole, and a run on it goes on where the copied one was", async ({ place }) => {
    const db = place.file("night.db");
    copyFileSync(first, db);
    let backup: Promise<CliResult> | undefined;
    const backUp = async (): Promise<CliResult> => {
      while (answeredAt(db, scene.second) === 0) await setImmediate();
      return runCli(["backup", place.file("copy.db"), "--db", db, "--json"]);
    };
    // From its twentieth request on the node answers once there is a backup, which is not made before something is stored.
    const held: Fault = {
      name: "held",
      deliver: ({ send }) => {
        backup ??= backUp();
        void backup.finally(send);
      },
    };
    const meanwhile = await startSimNode({
      ledger: scene.ledger,
      faults: { pick: (_, count) => (count < 20 ? [] : [held]), unmet: () => [] },
    });
    const argv = ["sync", "--db", db, "--targets", targets, "--ledger-version", `${scene.second}`, "--rate", "0", "--json", "--rpc"];
    const night = await runCli([...argv, meanwhile.url]);
    await meanwhile.close();
    expect(night.code, night.stderr).toBe(0);
    const made = await backup;
    expect(made?.code, made?.stderr).toBe(0);
    expect(made?.json()).toMatchObject({ snapshots: 1, newest_version: `${scene.first}` });
    await ended(runCli(["restore", place.file("copy.db"), "--db", place.file("later.db")]));
    const answered = answeredAt(place.file("later.db"), scene.second);
    expect(answered).toBeGreaterThan(0);
    const gone = await ended(sync(place.file("later.db"), scene.second));
    expect(gone.json()["requests"]).toBeLessThanOrEqual((night.json()["requests"] as number) - answered);
    expect(databaseContent(place.file("later.db"))).toEqual(content.second);
  });

  test("a backup replaces a backup and nothing else", async ({ place }) => {
    const db = place.file("night.db");
    copyFileSync(second, db);
    copyFileSync(first, place.file("other.db"));
    writeFileSync(place.file("letter.txt"), "dear reader");
    const refused: readonly (readonly [string, RegExp])[] = [
      ["night.db", /is the database's own file, and was left as it is/],
      ["other.db", /is a database in use, and was left as it is/],
      ["letter.txt", /is no backup of movedex's, and was left as it is/],
    ];
    for (const [name, words] of refused) {
      const before = sha256Hex(readFileSync(place.file(name)));
      const { code, stderr } = await runCli(["backup", place.file(name), "--db", db]);
      expect([code, sha256Hex(readFileSync(place.file(name)))], name).toEqual([1, before]);
      expect(stderr).toMatch(words);
    }
    for (const source of [first, second, second]) await ended(runCli(["backup", place.file("copy.zst"), "--db", source]));
    expect((await runCli(["restore", place.file("copy.zst"), "--db", place.file("back.db"), "--json"])).json()).toMatchObject({
      snapshots: 2,
    });
  });

  test("a backup of what another backup holds more of neither replaces nor deletes it", async ({ place }) => {
    const backUp = (source: string, day: number, ...more: string[]) => {
      copyFileSync(source, place.file("night.db"));
      const clock = new ManualClock({ startMs: Date.UTC(2026, 6, day) });
      return runCli(["backup", `${place.file("kept")}/`, "--db", place.file("night.db"), ...more], { clock });
    };
    const lacks = `holds the snapshot of ledger version ${scene.second}, which \`${place.file("night.db")}\` lacks`;
    for (const packed of [[], ["--zstd"]]) {
      await ended(backUp(second, 1, ...packed));
      const [name = ""] = readdirSync(place.file("kept"));
      const before = sha256Hex(readFileSync(place.file(`kept/${name}`)));
      const refused = await ended(backUp(first, 1, ...packed), 1);
      expect(refused.stderr).toContain(`\`${place.file(`kept/${name}`)}\` ${lacks}, and was left as it is.`);
      const beside = await ended(backUp(first, 2, "--keep", "1", ...packed));
      expect(beside.stderr).toContain(`\`${place.file(`kept/${name}`)}\` was not deleted, since it ${lacks}`);
      expect(sha256Hex(readFileSync(place.file(`kept/${name}`)))).toBe(before);
      rmSync(place.file("kept"), { recursive: true });
    }
  });

  test.each([
    ["missing/copy.db", "its directory does not exist"],
    ["letter.txt/copy.db", "part of the path is not a directory"],
    ["letter.txt/", "a file stands where its directory should be"],
    ["letter.txt/kept/", "a file stands where its directory should be"],
  ])("a backup to %s says what is wrong with the place, and leaves nothing there", async (name, reason) => {
    using own = temporaryDirectory();
    writeFileSync(own.file("letter.txt"), "no directory");
    const { code, stderr } = await runCli(["backup", own.file(name), "--db", second]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^movedex: could not write the backup `/)]);
    expect(stderr).toContain(reason);
    expect(readdirSync(own.path)).toEqual(["letter.txt"]);
  });

  test("--keep says what it keeps, and deletes nothing that it cannot check", async ({ place }) => {
    await ended(
      runCli(["backup", `${place.file("kept")}/`, "--zstd", "--db", second], {
        clock: new ManualClock({ startMs: Date.UTC(2025, 11, 30) }),
      }),
    );
    for (const day of ["20260105", "20260112", "20260113"])
      copyFileSync(place.file("kept/night-20251230.db.zst"), place.file(`kept/night-${day}.db.zst`));
    // Named like a backup, and none.
    writeFileSync(place.file("kept/night-20260110.db.zst"), "a letter");
    const policy = ["--keep", "3", "--zstd", "--db", second];
    const clock = new ManualClock({ startMs: Date.UTC(2026, 0, 14) });
    const before = readdirSync(place.file("kept"));
    const plan = await runCli(["backup", place.file("kept"), ...policy, "--dry-run"], { clock });
    expect(plan.stdout.match(/(?<=would delete: night-)\d+/g)).toEqual(["20260110", "20260105", "20251230"]);
    expect(readdirSync(place.file("kept"))).toEqual(before);
    const { stdout, stderr } = await ended(runCli(["backup", place.file("kept"), ...policy], { clock }));
    expect(stdout).toContain("  kept: night-20260112.db.zst\n");
    expect(stdout).toMatch(/ {2}deleted: night-20260105.db.zst\n {2}deleted: night-20251230.db.zst\n$/);
    expect(stderr).toContain("night-20260110.db.zst` was not deleted, since it could not be checked");
    expect(readdirSync(place.file("kept")).sort()).toEqual(
      ["20260110", "20260112", "20260113", "20260114"].map((day) => `night-${day}.db.zst`),
    );
  });

  test("--keep counts a backup of a clock that was ahead as the oldest, and never deletes the one just made", async ({ place }) => {
    const backUp = (...day: [year: number, month: number, day: number]) =>
      ended(
        runCli(["backup", `${place.file("kept")}/`, "--keep", "2", "--db", second], {
          clock: new ManualClock({ startMs: Date.UTC(...day) }),
        }),
      );
    for (const year of [2105, 2106]) await backUp(year, 0, 2);
    const { stdout } = await backUp(2026, 6, 1);
    expect(stdout).toMatch(/ {2}kept: night-20260701\.db\n {2}kept: night-21060102\.db\n {2}deleted: night-21050102\.db\n$/);
    await backUp(2026, 6, 2);
    expect(readdirSync(place.file("kept")).sort()).toEqual(["night-20260701.db", "night-20260702.db"]);
  });

  test.each(["copy.db.zst", "copy.zst", "copy.db"])("--keep makes no directory with a file's name: %s", async (name) => {
    using folder = temporaryDirectory();
    const { stderr } = await ended(runCli(["backup", folder.file(name), "--keep", "3", "--db", second]), 64);
    expect(stderr).toContain("--keep needs a directory");
    expect(readdirSync(folder.file("."))).toEqual([]);
  });

  test("the retired options for days, weeks, months and years are named, and nothing is deleted beside them", async ({ place }) => {
    const backups = `${place.file("kept")}/`;
    for (const day of [1, 2, 3]) {
      const clock = new ManualClock({ startMs: Date.UTC(2026, 6, day) });
      const { stderr, stdout } = await ended(runCli(["backup", backups, "--keep", "1", "--keep-monthly", "12", "--db", second], { clock }));
      expect(stderr).toBe(
        "movedex: the option --keep-monthly is gone: no backup is deleted while it is given; `--keep N` alone keeps the newest N.\n",
      );
      expect(stdout).not.toContain("deleted");
    }
    expect(readdirSync(backups)).toHaveLength(3);
    writeFileSync(place.file("settings.toml"), `db = "${second}"\nkeep = 1\n[backup]\nkeep-daily = 7\n`);
    const settings = ["--config", place.file("settings.toml")];
    const clock = new ManualClock({ startMs: Date.UTC(2026, 6, 4) });
    const { stderr } = await ended(runCli(["backup", backups, ...settings], { clock }));
    expect(stderr).toContain("the option --keep-daily is gone");
    expect(readdirSync(backups)).toHaveLength(4);
    expect((await ended(runCli(["backup", "--help"]))).stdout).not.toContain("keep-daily");
  });

  test("a backup that is not there, or is none, leaves nothing behind", async ({ place }) => {
    writeFileSync(place.file("letter.txt"), "no backup");
    for (const name of ["missing.db", "letter.txt"]) {
      const { code } = await runCli(["restore", place.file(name), "--db", place.file("new.db")]);
      expect(code, name).not.toBe(0);
      expect(readdirSync(place.path)).toEqual(["letter.txt"]);
    }
  });

  test("a database that is there is kept, unless it may be replaced; then it is kept beside", async ({ place }) => {
    const { db, copy } = await databaseAndBackup(place, "copy.db");
    const refused = await runCli(["restore", copy, "--db", db]);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("Give --replace")]);
    expect(databaseContent(db)).toEqual(content.first);
    const replaced = await ended(runCli(["restore", copy, "--db", db, "--replace", "--json"]));
    expect(databaseContent(db)).toEqual(content.second);
    expect(databaseContent(replaced.json()["kept_aside"] as string)).toEqual(content.first);
  });

  test("a database that others have open is not replaced", async ({ place }) => {
    const { db, copy } = await databaseAndBackup(place, "copy.db");
    const reader = new Database(db, { readonly: true });
    reader.prepare("SELECT count(*) FROM _all_snapshots").get();
    const busy = await runCli(["restore", copy, "--db", db, "--replace"]);
    reader.close();
    expect([busy.code, busy.stderr]).toEqual([5, expect.stringContaining("is open elsewhere")]);
    expect(databaseContent(db)).toEqual(content.first);
    expect(readdirSync(place.path).filter((name) => /restoring|replaced/.test(name))).toEqual([]);
  });

  test("a damaged database is no hindrance: it is kept beside, its log with it", async ({ place }) => {
    const [db, copy] = [place.file("night.db"), place.file("copy.db")];
    writeFileSync(db, "these bytes were a database once");
    writeFileSync(`${db}-wal`, "and these its log");
    await runCli(["backup", copy, "--db", second]);
    const replaced = await ended(runCli(["restore", copy, "--db", db, "--replace", "--json"]));
    expect(databaseContent(db)).toEqual(content.second);
    const aside = replaced.json()["kept_aside"] as string;
    expect([readFileSync(aside, "utf8"), readFileSync(`${aside}-wal`, "utf8")]).toEqual([
      "these bytes were a database once",
      "and these its log",
    ]);
  });

  test("a packed backup with one bit changed is refused or holds what it held; cut short it is refused; nothing is touched", async ({
    place,
  }) => {
    const { db, copy } = await databaseAndBackup(place, "copy.zst");
    const good = readFileSync(copy);
    const random = seededRandom(11);
    const broken = [good.subarray(0, good.length - 1), good.subarray(0, good.length >> 1), Buffer.concat([good, good])];
    for (let n = 0; n < 10; n++) {
      const bytes = Buffer.from(good);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      broken.push(bytes);
    }
    // The size of the window, which is more than the content needs (RFC 8878, section 3.1.1.1.2).
    const otherWindow = Buffer.from(good);
    otherWindow[5] = (otherWindow[5] ?? 0) ^ 1;
    broken.push(otherWindow);
    for (const bytes of broken) {
      writeFileSync(copy, bytes);
      const { code, stderr } = await runCli(["restore", copy, "--db", db, "--replace"]);
      if (code === 0) {
        // A frame has a few bits that say nothing of its content: of 6,000 at random one, measured.
        expect(bytes.length).toBe(good.length);
        expect(databaseContent(db)).toEqual(content.second);
        for (const name of readdirSync(place.path)) if (name !== "copy.zst") rmSync(join(place.path, name));
        copyFileSync(first, db);
      } else expect([1, 6], stderr).toContain(code);
    }
    expect(databaseContent(db)).toEqual(content.first);
    expect(readdirSync(place.path).filter((name) => /restoring|replaced/.test(name))).toEqual([]);
  });

  test.for([
    "_addresses SET address = '0x' || substr(address, 4) WHERE id = 3",
    // No seal covers it: only all that `verify` checks finds it.
    "_functions SET name = name || 'x' WHERE id = (SELECT max(id) FROM _functions)",
  ])("one change in a plain backup is found before anything is touched: %s", async (change, { place }) => {
    const { db, copy } = await databaseAndBackup(place, "copy.db");
    changeFile(copy, `UPDATE ${change}`);
    const { code, stderr } = await runCli(["restore", copy, "--db", db, "--replace"]);
    expect([code, stderr]).toEqual([6, expect.stringContaining(`\`${copy}\` is damaged: `)]);
    expect(databaseContent(db)).toEqual(content.first);
  });

  test("a copy that a restore would refuse replaces and deletes no backup, and the damage is said of the database", async ({ place }) => {
    const db = place.file("night.db");
    copyFileSync(second, db);
    const backUp = (day: number) =>
      runCli(["backup", `${place.file("kept")}/`, "--keep", "1", "--db", db], {
        clock: new ManualClock({ startMs: Date.UTC(2026, 6, day) }),
      });
    expect((await ended(backUp(1))).stdout).toContain("checked: pages, references, seals;");
    expect((await ended(backUp(2))).stdout).toContain("verified whole;");
    const good = readFileSync(place.file("kept/night-20260702.db"));
    changeFile(db, "UPDATE _bytecode_blobs SET code = CAST(substr(code, 1, length(code) - 1) || x'5a' AS BLOB) WHERE id = 3");
    for (const day of [2, 3]) {
      const { code, stderr } = await backUp(day);
      expect([code, stderr]).toEqual([6, expect.stringContaining(`the copy of \`${db}\` failed its check`)]);
      expect(stderr).toContain(`Run \`movedex verify --db ${db}\``);
      expect(stderr).toContain(`What was found: \`${db}\` is damaged: _bytecodes`);
      expect(stderr).not.toContain(".part");
      expect(readdirSync(place.file("kept"))).toEqual(["night-20260702.db"]);
    }
    expect(readFileSync(place.file("kept/night-20260702.db")).equals(good)).toBe(true);
  });
});
