import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { beforeAll, describe, expect } from "vitest";
import { addressOf, night, temporaryStore } from "../../support/store/temporary-store.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";

/** Where the commands keep their temporary files. */
const temporary = temporaryDirectory();

/** Runs a command where a directory is mounted read-only: permissions alone do not stop root. */
function whereReadOnly(
  directory: string,
  command: readonly string[],
  tmpdir = temporary.path,
): { readonly code: number | null; readonly output: string } {
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  const { status, stdout, stderr } = spawnSync("unshare", ["-rm", "sh", "-c", script, directory, ...command], {
    encoding: "utf8",
    timeout: 60_000,
    env: { ...process.env, TMPDIR: tmpdir },
  });
  return { code: status, output: `${stdout}${stderr}` };
}

const movedex = [process.execPath, join(import.meta.dirname, "../../../bin/movedex.mjs")];
const canMount = (() => {
  using directory = temporaryDirectory();
  return whereReadOnly(directory.path, ["true"]).code === 0;
})();

describe.skipIf(!canMount)(
  `a database with a write-ahead log on a read-only file system${canMount ? "" : " (no file system can be mounted here)"}`,
  () => {
    const directory = temporaryDirectory();
    const path = directory.file("a ?#%.db");

    beforeAll(async () => {
      await using at = await temporaryStore();
      await night(at.engine, 10n, [[addressOf(0xc0), { sequence: 1n, modules: { coin: "1" } }]]);
      await at.close();
      copyFileSync(at.path, path);
    });

    test("is kept with a log", () => {
      const database = new Database(path);
      expect(database.pragma("journal_mode", { simple: true })).toBe("wal");
      database.close();
      expect(existsSync(`${path}-wal`)).toBe(false);
    });

    test.each([
      ["query", ["query", "SELECT module FROM modules_latest"], /coin/, 0],
      ["show", ["show", "0xc0"], /coin/, 0],
      ["status", ["status"], /10/, 0],
      ["verify", ["verify"], /nothing wrong in/, 0],
      ["snapshots", ["snapshots"], /10/, 0],
    ] as const)("can be read by %s", (_, args, answer, exit) => {
      const { code, output } = whereReadOnly(directory.path, [...movedex, ...args, "--db", path]);
      expect(output).toMatch(answer);
      expect(code).toBe(exit);
    });

    test("is read with what lies in its log", ({ place }) => {
      const copy = place.file("copy.db");
      const writer = new Database(path);
      writer.exec("UPDATE _addresses SET address = '0xc1'");
      copyFileSync(path, copy);
      copyFileSync(`${path}-wal`, `${copy}-wal`);
      writer.close();
      expect(statSync(`${copy}-wal`).size).toBeGreaterThan(0);
      const { output } = whereReadOnly(place.path, [...movedex, "query", "SELECT address FROM modules_latest", "--db", copy]);
      expect(output).toContain("0xc1");
    });

    test("is refused as read-only by what would write beside it", ({ place }) => {
      for (const args of [
        ["targets", "add", "0x1"],
        ["backup", place.file("copy.db")],
      ]) {
        const { code, output } = whereReadOnly(directory.path, [...movedex, ...args, "--db", path]);
        expect(output).toMatch(/could not open the lock file .*: its file system is read-only/);
        expect(code).toBe(1);
      }
    });

    test("leaves no copy behind", () => {
      expect(readdirSync(temporary.path)).toEqual([]);
    });

    test("is refused with what to do where there is no room for a copy", () => {
      const { code, output } = whereReadOnly(
        directory.path,
        [...movedex, "query", "SELECT 1", "--db", path],
        join(directory.path, "missing"),
      );
      expect(output).toMatch(/no copy could be made in .*TMPDIR/);
      expect(code).not.toBe(0);
    });
  },
);
