import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { sha256Hex } from "../../../src/core/base/sha256.ts";
import { asWords, changeFile, databaseContent, ended, launcher, runCli, runProcess, test } from "../../support/index.ts";
import { bytesIn, errorOf, holdNight, sync } from "./support/held-night.ts";

const at = await holdNight();

describe("what goes wrong with the database", async () => {
  test("a file that is no database, another program's, a directory, a missing directory, an address of a server", async ({ place }) => {
    writeFileSync(place.file("text.db"), "this is not a database, but long enough to look like a file with something in it\n".repeat(20));
    mkdirSync(place.file("dir.db"));
    changeFile(place.file("foreign.db"), "CREATE TABLE theirs (a)");
    const kinds: readonly (readonly [string, string, RegExp])[] = [
      [place.file("text.db"), "MOVEDEX_STORE_NOT_A_DATABASE", /not an SQLite database\. Name another file/],
      [place.file("foreign.db"), "MOVEDEX_STORE_FOREIGN", /not one of movedex's\. Name another file/],
      [place.file("dir.db"), "MOVEDEX_STORE_CANNOT_OPEN", /it is a directory/],
      [place.file("none/night.db"), "MOVEDEX_STORE_CANNOT_OPEN", /its directory does not exist\. Make it/],
      ["postgres://127.0.0.1:1/db", "MOVEDEX_STORE_CANNOT_OPEN", /no server answers there\. Check host and port/],
      ["mysql://127.0.0.1/db", "MOVEDEX_CONFIG", /knows no database of the kind `mysql:\/\/`/],
    ];
    for (const [path, code, words] of kinds) {
      const before = existsSync(path) && statSync(path).isFile() ? sha256Hex(readFileSync(path)) : undefined;
      const result = await sync(at.node.url, path);
      expect(result.code, path).toBe(code === "MOVEDEX_CONFIG" ? 64 : 1);
      expect(errorOf(result)).toMatchObject({ code, message: expect.stringMatching(words) });
      if (before !== undefined) expect(sha256Hex(readFileSync(path))).toBe(before);
    }
  });

  test("a misspelt one is not made by what only changes one, or tells of it", async ({ place }) => {
    const path = place.file("nigth.db");
    const commands = ["watch remove 1", "targets remove 0x1", "targets discover", "tell", `doctor --forget-sample 5`];
    for (const command of commands) {
      const { stderr } = await ended(runCli([...command.split(" "), "--db", path]), 1);
      expect(stderr, command).toContain(`there is no database \`${path}\``);
      expect(readdirSync(place.path), command).toEqual([]);
    }
    // Their option for a database is another one than that of other commands.
    writeFileSync(place.file("a.mv"), writeModule({ address: "0x1", name: "a" }));
    for (const command of ["check", "lock"]) {
      const { stderr } = await ended(runCli([command, place.path, "--against", path]), 1);
      expect(stderr, command).toContain(`there is no database \`${path}\`. Name another, or make it`);
    }
  });

  test("one from a newer movedex is refused and left as it is", async () => {
    using own = at.copyOfHeld();
    changeFile(own.db, "INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('from the future', 9999999999999)");
    const before = bytesIn(own.path);
    const result = await ended(sync(at.node.url, own.db), 1);
    expect(errorOf(result)).toMatchObject({ code: "MOVEDEX_STORE_NEWER", message: expect.stringContaining("Update movedex") });
    expect(bytesIn(own.path)).toEqual(before);
  });

  const canRun = (await runWithoutRights(["--version"]).catch(() => undefined))?.code === 0;
  test.skipIf(!canRun)(
    `a directory or a file without permission to write: said so, nothing is lost${canRun ? "" : " (skipped: root, without setpriv to give up its rights, or in a checkout of another user)"}`,
    async () => {
      using own = at.copyOfHeld();
      chmodSync(own.path, 0o700);
      for (const name of readdirSync(own.path)) chmodSync(own.file(name), 0o600);
      const before = bytesIn(own.path);

      chmodSync(own.db, 0o400);
      const onFile = await ended(runWithoutRights(["sync", "--rpc", at.node.url, "--db", own.db, "--json"]), 1);
      expect(onFile.stderr).toMatch(/the file may not be written to|cannot be opened|access was denied/);
      expect(bytesIn(own.path)).toEqual(before);

      const lock = `${own.db}.lock`;
      chmodSync(lock, 0o400);
      const locked = await ended(runWithoutRights(["doctor", "--rpc", at.node.url, "--rate", "0", "--db", own.db]), 1);
      expect(locked.stdout).toMatch(/^fail {2}database {2}could not write to `\S+\.lock`: access was denied/m);
      chmodSync(lock, 0o600);

      chmodSync(own.db, 0);
      const unread = await ended(runWithoutRights(["status", "--db", own.db]), 1);
      expect(unread.stderr).toMatch(/could not open the database .*: access was denied\. Change the permissions/);

      chmodSync(own.db, 0o600);
      chmodSync(own.path, 0o500);
      const inDirectory = await runWithoutRights(["sync", "--rpc", at.node.url, "--db", own.db, "--json"]);
      chmodSync(own.path, 0o700);
      expect(inDirectory.code, inDirectory.stderr).toBe(1);
      expect(inDirectory.stderr).toMatch(/movedex: could not .*(may not be written to|cannot be opened)/);
      expect(JSON.parse(inDirectory.stdout.trim())).toMatchObject({ error: { code: expect.stringMatching(/^MOVEDEX_STORE_/) } });
      expect(bytesIn(own.path)).toEqual(before);
    },
  );

  test("files that may not grow: the failure is named, and the night goes on where there is room", async () => {
    using own = at.copyOfHeld();
    const limited = await ended(runLimited(...secondNight(own.db)), 1);
    expect(JSON.parse(limited.stdout.trim())).toMatchObject({ error: { code: "MOVEDEX_STORE_IO" } });
    expect(limited.stderr).toContain("Nothing committed is lost");
    await finishSecondNight(own.db);
  });

  test("a backup that may not grow: its folder is named beside the database", async () => {
    using own = at.copyOfHeld();
    const limited = await runLimited("backup", `${own.path}/b/`, "--db", own.db);
    const found = `could not make in \`${own.path}/b\` a copy of \`${own.db}\`: `;
    expect([limited.code, limited.stderr]).toEqual([1, expect.stringContaining(found)]);
  });

  test("a restored file that may not grow: the database is named, not the backup", async () => {
    using own = at.copyOfHeld();
    const [copy, fresh] = [`${own.db}.copy`, `${own.db}.fresh`];
    await ended(runCli(["backup", copy, "--db", own.db]));
    const limited = await runLimited("restore", copy, "--db", fresh);
    expect([limited.code, limited.stderr]).toEqual([1, expect.stringContaining(`could not restore the database \`${fresh}\``)]);
    expect(existsSync(fresh)).toBe(false);
  });
});

describe("what goes wrong on the command line", () => {
  test("a targets file that is not there, and one without an address, are named", async ({ place }) => {
    const missing = await sync(at.node.url, place.file("x.db"), "--targets", place.file("none.csv"));
    expect(errorOf(missing).message).toMatch(/could not read the targets file `.*none\.csv`: no such file or directory \(ENOENT\)/);
    writeFileSync(place.file("empty.csv"), "# nothing\n");
    const empty = await sync(at.node.url, place.file("x.db"), "--targets", place.file("empty.csv"));
    expect([missing.code, empty.code]).toEqual([64, 64]);
    expect(errorOf(empty).message).toContain("names no account");
  });

  test("an option's error ends with an object too when --json is given", async () => {
    const result = await ended(runCli(["sync", "--json", "--rate", "fast"]), 64);
    expect(result.json()).toMatchObject({ error: { code: "MOVEDEX_USAGE", message: expect.stringContaining("requests per second") } });
  });
});

/** The limit is on each file a process writes, in KiB; without the ignored signal the process would be killed instead. */
const runLimited = (...argv: readonly string[]) =>
  runProcess("bash", ["-c", `trap '' XFSZ; ulimit -f 60; exec "$0" "$@"`, process.execPath, launcher, ...argv]);

function secondNight(db: string): string[] {
  return asWords`sync --rpc ${at.node.url} --db ${db} --rate 0 --json --targets ${at.targets} --ledger-version ${at.scene.second}`;
}

/** Runs the second night to its end, and holds the database against one that met no trouble. */
async function finishSecondNight(db: string): Promise<void> {
  using own = at.copyOfHeld();
  for (const path of [db, own.db]) {
    const { json } = await ended(runCli(secondNight(path)));
    expect(json()).toMatchObject({ status: "sealed", gaps: 0 });
  }
  expect(databaseContent(db)).toEqual(databaseContent(own.db));
}

/**
 * Root may write whatever a file's mode says, by two capabilities: without them it is a user like any other, who owns this checkout
 * and the files of this test. Another user might not be let into either.
 */
const AS_OWNER = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"];

/** Runs a command line for whom the modes of files hold. */
function runWithoutRights(argv: readonly string[]) {
  const [program, ...line] = [...(process.getuid?.() === 0 ? AS_OWNER : []), process.execPath, launcher, ...argv];
  return runProcess(program as string, line);
}
