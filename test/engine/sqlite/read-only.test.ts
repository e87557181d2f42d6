import { spawnSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect } from "vitest";
import { addressOf, night, temporaryDirectory, temporaryStore, test } from "../../support/index.ts";

/** Runs a command where a directory is mounted read-only: permissions alone do not stop root. */
function whereReadOnly(directory: string, command: readonly string[]): { readonly code: number | null; readonly output: string } {
  const script = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  const { status, stdout, stderr } = spawnSync("unshare", ["-rm", "sh", "-c", script, directory, ...command], {
    encoding: "utf8",
    timeout: 60_000,
  });
  return { code: status, output: `${stdout}${stderr}` };
}

const movedex = [process.execPath, join(import.meta.dirname, "../../../bin/movedex.mjs")];
const canMount = (() => {
  using directory = temporaryDirectory();
  return whereReadOnly(directory.path, ["true"]).code === 0;
})();

describe.skipIf(!canMount)(`a database on a read-only file system${canMount ? "" : " (no file system can be mounted here)"}`, () => {
  const directory = temporaryDirectory();
  const path = directory.file("a ?#%.db");

  beforeAll(async () => {
    await using at = await temporaryStore();
    await night(at.engine, 10n, [[addressOf(0xc0), { sequence: 1n, modules: { coin: "1" } }]]);
    await at.close();
    for (const suffix of ["", "-wal", "-shm"]) cpSync(at.path + suffix, path + suffix);
  });

  test.each([
    ["query", ["query", "SELECT module FROM modules_latest"], /coin/, 0],
    ["show", ["show", "0xc0"], /coin/, 0],
    ["verify", ["verify"], /nothing wrong in/, 0],
  ] as const)("can be read by %s with the files that a run leaves beside it", (_, args, answer, exit) => {
    const { code, output } = whereReadOnly(directory.path, [...movedex, ...args, "--db", path]);
    expect(output).toMatch(answer);
    expect(code).toBe(exit);
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

  test("is refused without the files beside it, with what to do", () => {
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix);
    const { code, output } = whereReadOnly(directory.path, [...movedex, "query", "SELECT 1", "--db", path]);
    expect(output).toMatch(/files `-wal` and `-shm`/);
    expect(code).toBe(1);
  });
});
