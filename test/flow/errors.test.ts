import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sha256Hex } from "../../src/base/sha256.ts";
import { databaseContent } from "../support/database-content.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { type CliResult, runCli } from "../support/run-cli.ts";
import { faults, SimLedger, type SimNode, startSimNode } from "../support/sim-ledger/index.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { type TwoNights, twoNights } from "../support/two-nights.ts";

const launcher = fileURLToPath(new URL("../../bin/movedex.mjs", import.meta.url));

/** A `sync` on a clock on which no wait takes time. */
function sync(url: string, db: string, ...more: string[]): Promise<CliResult> {
  return runCli(["sync", "--rpc", url, "--db", db, "--rate", "0", "--json", ...more], { clock: new ManualClock({ skipSleeps: true }) });
}

/** The error object on the last line, checked against what stderr says. */
function errorOf(result: CliResult): { readonly code: string; readonly message: string; readonly facts: Record<string, unknown> } {
  const { error } = result.json() as { error: { code: string; message: string; facts: Record<string, unknown> } };
  expect(result.stderr).toContain(`movedex: ${error.message}`);
  return error;
}

/** The database's file and what stands beside it, by digest; an empty log is nothing. */
function bytesIn(directory: string): Record<string, string> {
  const isEmptyLog = (name: string) => name.endsWith("-wal") && statSync(`${directory}/${name}`).size === 0;
  const names = readdirSync(directory).filter((name) => !/\.lock(-journal)?$|-shm$/.test(name) && !isEmptyLog(name));
  return Object.fromEntries(names.map((name) => [name, sha256Hex(readFileSync(`${directory}/${name}`))]));
}

describe("what goes wrong in a night", () => {
  let scene: TwoNights;
  let node: SimNode;
  let place: ReturnType<typeof temporaryDirectory>;
  let held: string;
  let targets: string;

  beforeAll(async () => {
    scene = twoNights(8);
    node = await startSimNode({ ledger: scene.ledger });
    place = temporaryDirectory();
    held = place.file("held.db");
    targets = scene.targetsFile(place.file("targets.csv"));
    const { code } = await sync(node.url, held, "--targets", targets, "--ledger-version", `${scene.first}`);
    expect(code).toBe(0);
  });
  afterAll(async () => {
    await node?.close();
    place?.[Symbol.dispose]();
  });

  /** A directory of its own with a copy of the database of the first night. */
  function copyOfHeld(): ReturnType<typeof temporaryDirectory> & { readonly db: string } {
    const own = temporaryDirectory();
    const db = own.file("night.db");
    copyFileSync(held, db);
    return { ...own, db };
  }

  describe("of the command line", () => {
    const bad = "0xzz\u001b[31m";
    const malformed: readonly (readonly [string, readonly string[]])[] = [
      ["--account", ["sync", "--rpc", "http://127.0.0.1:1/v1", "--account", bad]],
      ["targets add", ["targets", "add", bad]],
      ["targets remove", ["targets", "remove", bad]],
    ];
    test.each(malformed)("a malformed address in %s is named, and nothing is made", async (_, argv) => {
      using own = temporaryDirectory();
      const result = await runCli([...argv, "--db", own.file("x.db")]);
      expect(result.code).toBe(1);
      expect(result.stderr).toContain("wanted an account address (0x and 1 to 64 hex digits), found `0xzz\\u{1b}[31m`");
      expect(readdirSync(own.path)).toEqual([]);
    });

    test("an account that nobody has is an answer: no modules, no gap", async () => {
      using own = temporaryDirectory();
      const result = await sync(node.url, own.file("x.db"), "--account", "0xabcdef");
      expect(result.code).toBe(0);
      expect(result.json()).toMatchObject({ status: "sealed", accounts: 1, modules: 0, gaps: 0 });
    });

    test("a targets file with a bad line is refused whole, with the line", async () => {
      using own = copyOfHeld();
      const file = own.file("list.csv");
      writeFileSync(file, "address\n0x1\n0x2,fine\nnot an address\n");
      const before = bytesIn(own.path);
      for (const argv of [
        ["sync", "--rpc", node.url, "--targets", file],
        ["targets", "import", file],
      ]) {
        const { code, stderr } = await runCli([...argv, "--db", own.db]);
        expect(code).toBe(1);
        expect(stderr).toMatch(/list\.csv, line 4: wanted an account address .*, found `not an address`\. Nothing was taken/);
      }
      expect(bytesIn(own.path)).toEqual(before);
    });

    test("a targets file that is not there, and one without an address, are named", async () => {
      using own = temporaryDirectory();
      const missing = await sync(node.url, own.file("x.db"), "--targets", own.file("none.csv"));
      expect(errorOf(missing).message).toMatch(/could not read the targets file `.*none\.csv`: ENOENT/);
      writeFileSync(own.file("empty.csv"), "# nothing\n");
      const empty = await sync(node.url, own.file("x.db"), "--targets", own.file("empty.csv"));
      expect([missing.code, empty.code]).toEqual([1, 1]);
      expect(errorOf(empty).message).toContain("names no account");
    });

    test("a node that nobody named is asked for", async () => {
      using own = temporaryDirectory();
      const result = await runCli(["sync", "--db", own.file("x.db"), "--json"]);
      expect(result.code).toBe(1);
      expect(errorOf(result)).toMatchObject({ code: "MOVEDEX_CONFIG", message: expect.stringContaining("give --rpc URL") });
    });

    test("an option's error ends with an object too when --json is given", async () => {
      const result = await runCli(["sync", "--json", "--rate", "fast"]);
      expect(result.code).toBe(1);
      expect(result.json()).toMatchObject({ error: { code: "MOVEDEX_USAGE", message: expect.stringContaining("requests per second") } });
    });
  });

  describe("of the node", () => {
    const unreachable: readonly (readonly [string, string, RegExp])[] = [
      ["a port where nobody listens", "http://127.0.0.1:9/v1", /ECONNREFUSED/],
      ["a name that cannot exist", "http://movedex-test.invalid/v1", /ENOTFOUND|EAI_AGAIN/],
    ];
    test.each(unreachable)("%s: what was tried and why it failed", async (_, url, reason) => {
      using own = copyOfHeld();
      const before = databaseContent(own.db);
      const result = await sync(url, own.db);
      expect(result.code).toBe(1);
      expect(errorOf(result)).toMatchObject({ code: expect.stringMatching(/^MOVEDEX_NODE_/), message: expect.stringMatching(reason) });
      expect(databaseContent(own.db)).toEqual(before);
    });

    test("a page of HTML with status 200: it is said that this is no ledger node's answer", async () => {
      const server = createServer((_, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>welcome</html>"));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      try {
        using own = copyOfHeld();
        const before = databaseContent(own.db);
        const result = await sync(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, own.db);
        expect(result.code).toBe(1);
        expect(errorOf(result)).toMatchObject({ code: expect.stringMatching(/^MOVEDEX_NODE_(GATEWAY|NODE_DOWN)$/) });
        expect(databaseContent(own.db)).toEqual(before);
      } finally {
        server.close();
        server.closeAllConnections();
      }
    });

    test("a server that is no ledger node says so by its path", async () => {
      const result = await sync(node.url.replace("/v1", "/nothing/here"), place.file("elsewhere.db"));
      expect(result.code).toBe(1);
      expect(errorOf(result).message).toContain("is the URL a ledger node's, with /v1?");
    });

    const chains: readonly (readonly [string, () => SimLedger, RegExp])[] = [
      ["another chain id", () => ledgerLike({ chainId: 5 }), /this database is of chain 4, and .* answers for chain 5/],
      [
        "the same id, other modules at a version that is stored",
        () => ledgerLike({ seed: 9 }),
        /was stored with (SHA-256|sequence number)/,
      ],
      ["a ledger begun anew: versions lower, time later", () => begunAnew(), /versions and time rise together/],
    ];
    test.each(chains)("wrong chain, %s: exit 4, and not a byte of the database changes", async (_, make, words) => {
      await using other = await startSimNode({ ledger: make() });
      using own = copyOfHeld();
      const before = bytesIn(own.path);
      for (const more of [[], ["--dry-run"]]) {
        const result = await sync(other.url, own.db, ...more);
        expect(result.code, result.stderr).toBe(4);
        expect(errorOf(result)).toMatchObject({ code: "MOVEDEX_WRONG_CHAIN", message: expect.stringMatching(words) });
        expect(errorOf(result).message).toContain("Nothing was written. Use another --db for this ledger, or the right node");
        expect(bytesIn(own.path)).toEqual(before);
      }
    });

    test("a node of another chain in the middle of the night ends the run with 4; what was read before stays", async () => {
      const plan = faults.planFaults([{ fault: faults.wrongChain(9), match: ({ target }) => target.includes("/modules"), at: 4 }]);
      await using turning = await startSimNode({ ledger: scene.ledger, faults: plan });
      using own = copyOfHeld();
      const args = ["--targets", targets, "--ledger-version", `${scene.second}`, "--concurrency", "1"];
      const result = await sync(turning.url, own.db, ...args);
      expect(result.code).toBe(4);
      expect(plan.unmet()).toEqual([]);
      const again = await sync(turning.url, own.db, ...args);
      expect(again.code).toBe(0);
      expect(again.json()).toMatchObject({ status: "sealed", gaps: 0 });
    });

    test("a pin that is pruned exits 3, one in the future 1, and nothing is written", async () => {
      using own = copyOfHeld();
      const before = databaseContent(own.db);
      const future = await sync(node.url, own.db, "--ledger-version", "999999999");
      expect(future.code).toBe(1);
      expect(errorOf(future)).toMatchObject({
        code: "MOVEDEX_PIN_FUTURE",
        facts: { wanted: "999999999", newest: `${scene.ledger.head}` },
        message: expect.stringContaining("it does not exist yet"),
      });
      scene.ledger.pruneTo(500n);
      const pruned = await sync(node.url, own.db, "--ledger-version", "7");
      scene.ledger.unpruneTo(0n);
      expect(pruned.code).toBe(3);
      expect(errorOf(pruned)).toMatchObject({
        code: "MOVEDEX_PIN_PRUNED",
        message: expect.stringContaining("oldest readable version is 500"),
      });
      expect(databaseContent(own.db)).toEqual(before);
    });
  });

  describe("of the database", () => {
    test("its write lock is held: exit 5, nothing is asked of the node", async () => {
      using own = copyOfHeld();
      const other = new Database(`${own.db}.lock`);
      other.exec("BEGIN IMMEDIATE");
      const asked = node.requestCount;
      const result = await sync(node.url, own.db);
      other.close();
      expect(result.code).toBe(5);
      expect(errorOf(result)).toMatchObject({ code: "MOVEDEX_STORE_LOCKED", facts: { path: own.db } });
      expect(node.requestCount).toBe(asked);
    });

    test("a file that is no database, another program's, a directory, a missing directory, an address of a server", async () => {
      using own = temporaryDirectory();
      writeFileSync(own.file("text.db"), "this is not a database, but long enough to look like a file with something in it\n".repeat(20));
      mkdirSync(own.file("dir.db"));
      const foreign = new Database(own.file("foreign.db"));
      foreign.exec("CREATE TABLE theirs (a)");
      foreign.close();
      const kinds: readonly (readonly [string, string, RegExp])[] = [
        [own.file("text.db"), "MOVEDEX_STORE_NOT_A_DATABASE", /not an SQLite database\. Name another file with --db/],
        [own.file("foreign.db"), "MOVEDEX_STORE_FOREIGN", /not one of movedex's\. Name another file/],
        [own.file("dir.db"), "MOVEDEX_STORE_CANNOT_OPEN", /the path is a file/],
        [own.file("none/night.db"), "MOVEDEX_STORE_CANNOT_OPEN", /its directory does not exist\. Make it/],
        ["postgres://somewhere/db", "MOVEDEX_CONFIG", /`postgres:\/\/`.* give --db FILE/],
      ];
      for (const [path, code, words] of kinds) {
        const before = existsSync(path) && statSync(path).isFile() ? sha256Hex(readFileSync(path)) : undefined;
        const result = await sync(node.url, path);
        expect(result.code, path).toBe(1);
        expect(errorOf(result)).toMatchObject({ code, message: expect.stringMatching(words) });
        if (before !== undefined) expect(sha256Hex(readFileSync(path))).toBe(before);
      }
    });

    test("one from a newer movedex is refused and left as it is", async () => {
      using own = copyOfHeld();
      const database = new Database(own.db);
      database.exec("INSERT INTO __drizzle_migrations (hash, created_at) VALUES ('from the future', 9999999999999)");
      database.pragma("wal_checkpoint(TRUNCATE)");
      database.close();
      const before = bytesIn(own.path);
      const result = await sync(node.url, own.db);
      expect(result.code).toBe(1);
      expect(errorOf(result)).toMatchObject({ code: "MOVEDEX_STORE_NEWER", message: expect.stringContaining("Update movedex") });
      expect(bytesIn(own.path)).toEqual(before);
    });

    test("no database: status, query and targets list say so and make none", async () => {
      using own = temporaryDirectory();
      for (const argv of [["status"], ["query", "SELECT 1"], ["targets", "list"]]) {
        const { code, stderr } = await runCli([...argv, "--db", own.file("none.db")]);
        expect(code).toBe(1);
        expect(stderr).toMatch(/there is no database `.*none\.db`\. Name one with --db/);
      }
      expect(readdirSync(own.path)).toEqual([]);
    });

    test("a directory or a file without permission to write: said so, nothing is lost", async () => {
      using own = copyOfHeld();
      chmodSync(own.path, 0o777);
      for (const name of readdirSync(own.path)) chmodSync(own.file(name), 0o666);
      const before = bytesIn(own.path);

      chmodSync(own.db, 0o444);
      const onFile = await asNobody(["sync", "--rpc", node.url, "--db", own.db, "--json"]);
      expect(onFile.code, onFile.stderr).toBe(1);
      expect(onFile.stderr).toMatch(/the file may not be written to|cannot be opened|access was denied/);
      expect(bytesIn(own.path)).toEqual(before);

      chmodSync(own.db, 0o666);
      chmodSync(own.path, 0o555);
      const inDirectory = await asNobody(["sync", "--rpc", node.url, "--db", own.db, "--json"]);
      chmodSync(own.path, 0o777);
      expect(inDirectory.code, inDirectory.stderr).toBe(1);
      expect(inDirectory.stderr).toMatch(/movedex: could not .*(may not be written to|cannot be opened)/);
      expect(JSON.parse(inDirectory.stdout.trim())).toMatchObject({ error: { code: expect.stringMatching(/^MOVEDEX_STORE_/) } });
      expect(bytesIn(own.path)).toEqual(before);
    }, 30_000);

    test("files that may not grow: the failure is named, and the night goes on where there is room", async () => {
      using own = copyOfHeld();
      const argv = secondNight(own.db);
      // The limit is on each file a process writes, in KiB; without the ignored signal the process would be killed instead.
      const limited = await run("bash", ["-c", `trap '' XFSZ; ulimit -f 60; exec "$0" "$@"`, process.execPath, launcher, ...argv]);
      expect(limited.code, limited.stderr).toBe(1);
      expect(JSON.parse(limited.stdout.trim())).toMatchObject({ error: { code: "MOVEDEX_STORE_IO" } });
      expect(limited.stderr).toContain("Nothing committed is lost");
      await finishSecondNight(own.db);
    }, 30_000);

    const canMount = tryMount();
    test.skipIf(!canMount)(
      `a full disk: the failure is named, and the night goes on once there is room${canMount ? "" : " (skipped: no right to mount a small file system)"}`,
      async () => {
        using own = temporaryDirectory();
        execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", own.path]);
        try {
          const db = own.file("night.db");
          copyFileSync(held, db);
          // What is left is less than the night needs.
          writeFileSync(own.file("ballast"), Buffer.alloc(Number(statfsSync(own.path).bavail) * 4096 - 90_000));
          const full = await sync(node.url, db, "--targets", targets, "--ledger-version", `${scene.second}`);
          expect(full.code, full.stderr).toBe(1);
          expect(errorOf(full)).toMatchObject({ code: "MOVEDEX_STORE_FULL", message: expect.stringContaining("the disk is full") });
          rmSync(own.file("ballast"));
          await finishSecondNight(db);
        } finally {
          execFileSync("umount", ["-l", own.path]);
        }
      },
    );
  });

  function secondNight(db: string): string[] {
    return ["sync", "--rpc", node.url, "--db", db, "--rate", "0", "--json", "--targets", targets, "--ledger-version", `${scene.second}`];
  }

  /** Runs the second night to its end, and holds the database against one that met no trouble. */
  async function finishSecondNight(db: string): Promise<void> {
    using own = copyOfHeld();
    for (const path of [db, own.db]) {
      const { code, stderr, json } = await runCli(secondNight(path));
      expect(code, stderr).toBe(0);
      expect(json()).toMatchObject({ status: "sealed", gaps: 0 });
    }
    expect(databaseContent(db)).toEqual(databaseContent(own.db));
  }
});

/** Runs a command line as a user without rights over others' files: root may write where nobody else may. */
function asNobody(argv: readonly string[]): Promise<Ended> {
  return run(process.execPath, [launcher, ...argv], process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {});
}

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a program and collects what it says. */
async function run(program: string, argv: readonly string[], options: { uid?: number; gid?: number } = {}): Promise<Ended> {
  const child = spawn(program, argv, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

/** Whether this process may mount a file system of its own. */
function tryMount(): boolean {
  using own = temporaryDirectory();
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", own.path], { stdio: "ignore" });
    execFileSync("umount", ["-l", own.path], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function ledgerLike({ chainId = 4, seed = 1 }: { chainId?: number; seed?: number }): SimLedger {
  return twoNights(8, seed, { chainId }).ledger;
}

/** Fewer versions than were seen, at a later time. */
function begunAnew(): SimLedger {
  const ledger = new SimLedger({ genesisUsec: 1_798_761_600_000_000n });
  ledger.advance(50n);
  return ledger;
}
