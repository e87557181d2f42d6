import { once } from "node:events";
import { existsSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { afterAll, beforeEach, describe, expect } from "vitest";
import { createSampleLedger, faults, startSimNode } from "../../../sim/index.ts";
import { isLongRun, sized } from "../../run-size.ts";
import {
  ended,
  launcher,
  listening,
  ManualClock,
  nodeOfFile,
  quickArchive,
  runCli,
  runMovedex,
  runProcess,
  startMovedex,
  type temporaryDirectory,
  test,
} from "../../support/index.ts";
import { canMount, mountDisk, unmounted } from "../../support/scene/disk.ts";

const DAY_MS = 86_400_000;

describe("no night is silent", async () => {
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const sample = createSampleLedger();
  const node = kept.use(await startSimNode({ ledger: sample.ledger }));
  let told: string[] = [];
  const watcher = createServer(async (request, response) => {
    const said = (await Array.fromAsync(request)).join("");
    told.push(`${request.url}${said === "" ? "" : `: ${said}`}`);
    response.end("OK");
  });
  const { origin } = kept.use(await listening(watcher));
  beforeEach(() => {
    told = [];
  });
  const begun = async (db: string): Promise<string> => {
    await quickArchive(db);
    await ended(runCli(["targets", "add", ...sample.codeAccounts, "--db", db]));
    return db;
  };
  const night = (url: string, db: string, ...more: string[]): string[] => {
    return ["night", "--rpc", url, "--rate", "0", "--trace-requests", "0", "--db", db, "--ping-url", `${origin}/n`, ...more];
  };

  test.skipIf(isLongRun)("one that is told to end while it loads says so", async ({ place }) => {
    const signal = 'import own from "node:process"; own.once("newListener", () => setImmediate(() => own.kill(own.pid, "SIGTERM")))';
    const env = { ...process.env, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(signal)}` };
    const stopped = await ended(runMovedex(night(node.url, place.file("night.db")), { env }), 143);
    expect(stopped.stderr).toMatch(/^movedex: stopped by SIGTERM/m);
  });

  test.skipIf(isLongRun)("one that is killed has begun and not ended; the next goes on and ends", async ({ place }) => {
    const db = await begun(place.file("night.db"));
    const hangs = faults.planFaults([{ fault: faults.silence(), match: ({ target }) => target.includes("/modules"), at: [2, 3, 4] }]);
    await using slow = await startSimNode({ ledger: sample.ledger, faults: hangs });
    const child = startMovedex(night(slow.url, db));
    await expect.poll(() => slow.requestCount).toBeGreaterThanOrEqual(8);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(told).toEqual(["/n/start"]);
    await ended(runMovedex(night(node.url, db)));
    expect(told).toEqual(["/n/start", "/n/start", expect.stringMatching(/^\/n: night: sealed ledger version /)]);
  });

  test.skipIf(!canMount || isLongRun)(
    `one whose disk is full fails, says so, and goes on once there is room${unmounted}`,
    async ({ place }) => {
      using disk = mountDisk(place.file("disk"), "size=8m");
      const [db, ballast] = [await begun(`${disk.path}/night.db`), `${disk.path}/ballast`];
      const { bavail, bsize } = statfsSync(disk.path);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize - 60_000));
      const full = await ended(
        runMovedex(night(node.url, db, "--backup", `${disk.path}/backups/`, "--report", `${disk.path}/changes.md`)),
        1,
      );
      expect(full.stdout).toMatch(/^night: not sealed.*the disk is full/);
      expect(full.stdout.match(/the disk is full|no space left|disk or file system failed/g)).toHaveLength(1);
      expect(full.stderr).toContain("the disk is full");
      expect(told).toEqual(["/n/start", expect.stringMatching(/^\/n\/fail: night: not sealed.*the disk is full/)]);
      writeFileSync(ballast, Buffer.alloc(0));
      // Not a byte is left: neither the lock nor a row can be written.
      const all = statfsSync(disk.path);
      writeFileSync(ballast, Buffer.alloc(all.bavail * all.bsize));
      rmSync(`${db}.night.lock`, { force: true });
      told = [];
      const none = await ended(runMovedex(night(node.url, db)), 1);
      expect(none.stdout).toMatch(/^night: not started.*the disk is full/);
      expect(told).toEqual(["/n/start", expect.stringMatching(/^\/n\/fail: night: .*the disk is full/)]);
      writeFileSync(ballast, Buffer.alloc(0));
      expect((await ended(runMovedex(night(node.url, db)))).stdout).toMatch(/^night: sealed .*, no gaps, /);
    },
  );

  test.skipIf(!canMount)(`a first one whose disk is full says that, once${unmounted}`, async ({ place }) => {
    // From before the first table to after the last view; and inodes for the folder, then for the locks and all files.
    const sizes = sized(["size=700k"], ["size=500k", "size=600k", "size=700k", "size=900k", "size=1100k", "size=1300k"]);
    const inodes = sized([3], [1, 2, 3, 4, 5]).map((count) => `size=20m,nr_inodes=${count}`);
    for (const options of [...sizes, ...inodes]) {
      using disk = mountDisk(place.file(options), options);
      const { stdout, stderr } = await ended(runMovedex(night(node.url, `${disk.path}/night.db`)), 1);
      expect(stdout).toMatch(
        /^night: not (?:started|sealed after [^:]*): could not [^:]*: the disk is full[.,] .*\. \((?:SQLITE_FULL|ENOSPC)\)\n$/,
      );
      expect(stderr).toMatch(/^movedex: could not [^:]*: the disk is full[.,] .*\. \((?:SQLITE_FULL|ENOSPC)\)\n$/);
    }
  });

  test.skipIf(!existsSync("/dev/full") || isLongRun)("one whose line nobody takes fails, and pings that it sealed", async ({ place }) => {
    const line = [process.execPath, launcher, ...night(node.url, place.file("night.db"))].map((word) => `'${word}'`).join(" ");
    const run = await runProcess("sh", ["-c", `${line} > /dev/full`]);
    expect([run.code, run.stderr]).toEqual([1, expect.stringMatching(/night: sealed ledger version .*\. Could not print \(ENOSPC\)/)]);
    expect(told).toEqual(["/n/start", expect.stringMatching(/^\/n\/fail: night: sealed ledger version .*\. Could not print \(ENOSPC\)/)]);
  });

  test.skipIf(isLongRun).for([
    { way: "that cannot begin", words: ["--base-url", "foo"], line: /^night: not started: --base-url is not a valid address/ },
    { way: "of which a step failed", words: ["--report", "/proc/r.md"], line: /^night: sealed .* Report: could not write the report/ },
  ])("one $way says so once where both outputs are one, as in cron's mail", async (given, { place }) => {
    const line = [process.execPath, launcher, ...night(node.url, place.file("a.db"), ...given.words)].map((word) => `'${word}'`);
    const inOne = await runProcess("sh", ["-c", `${line.join(" ")} 2>&1`]);
    const words = inOne.stdout.split("\n").filter((text) => /^(?:night|movedex): (?!could not)/.test(text));
    expect(words).toEqual([expect.stringMatching(given.line)]);
  });

  const unwritable = { HOME: "/proc", XDG_CACHE_HOME: "/proc", TMPDIR: "/proc" };
  test.for([
    { way: "no environment but a home that cannot be written to", env: unwritable },
    ...sized([], [{ way: "no environment at all", env: {} }]),
  ])("$way changes nothing", async ({ env }, { place }) => {
    const run = await ended(runMovedex(night(node.url, place.file("night.db")), { env, cwd: "/" }));
    expect(run.stdout).toMatch(/^night: sealed ledger version \d+ in /);
    expect(told).toEqual(["/n/start", expect.stringMatching(/^\/n: night: sealed /)]);
  });

  test.for(sized([-3_600_000, 30 * DAY_MS], [-400 * DAY_MS, -3_600_000, 30 * DAY_MS, 3650 * DAY_MS]))(
    "a clock that jumps by %i ms in the midst, and is back the next night",
    async (jumpMs, { place }) => {
      const ledger = createSampleLedger();
      const clock = new ManualClock({ startMs: Date.parse("2026-01-06T03:00:00Z"), skipSleeps: true });
      let isOff = false;
      const jumping = { sleep: clock.sleep, monotonic: clock.monotonic, now: () => clock.now() + (isOff ? jumpMs : 0) };
      const jump = () => {
        isOff = true;
      };
      const plan = faults.planFaults([
        { fault: faults.meanwhile("jump", jump), match: ({ target }) => target.includes("/modules"), at: 2 },
      ]);
      await using own = await startSimNode({ ledger: ledger.ledger, faults: plan });
      const db = place.file("night.db");
      await runCli(["targets", "add", ...ledger.codeAccounts, "--db", db], { clock: jumping });
      const first = await ended(runCli(night(own.url, db, "--slices", "1"), { clock: jumping }));
      expect(first.stdout).toMatch(/^night: sealed ledger version \d+ in \d+ m?s: the first snapshot, /);
      isOff = false;
      ledger.passDay();
      const second = await ended(runCli(night(own.url, db, "--slices", "1"), { clock: jumping }));
      expect(second.stdout).toMatch(/^night: sealed ledger version \d+ in \d+ m?s: \d+ accounts, 3 modules changed, no gaps/);
      await ended(runCli(["status", "--db", db], { clock: jumping }));
      expect(told.map((ping) => ping.split(":")[0])).toEqual(["/n/start", "/n", "/n/start", "/n"]);
    },
  );
});

const node = await nodeOfFile({ ledger: createSampleLedger().ledger });

/** Runs a line of bash in which `$movedex` is the program, and `$db` a database. */
function inShell(place: ReturnType<typeof temporaryDirectory>, line: string) {
  const env = { ...process.env, movedex: `${process.execPath} ${launcher}`, db: place.file("a.db"), rpc: node.url };
  return runProcess("bash", ["-c", line], { cwd: place.path, env });
}

describe.skipIf(!existsSync("/dev/full") || isLongRun)("where nobody takes what is printed (skipped without /dev/full)", () => {
  const sync = "$movedex sync --rpc $rpc --rate 0 --db $db --account 0x1 --account 0x0 --lag 0";

  test("a full disk under the log does not end a run", async ({ place }) => {
    const run = await inShell(place, `${sync} 2> /dev/full`);
    expect([run.code, run.stdout]).toEqual([0, expect.stringContaining("sealed")]);
  });

  test("a run whose reader has gone is told of, and keeps its exit code", async ({ place }) => {
    const run = await inShell(place, `${sync} --summary-file summary.jsonl | true; echo \${PIPESTATUS[0]}`);
    expect(run.stdout).toBe("0\n");
    expect(JSON.parse(readFileSync(place.file("summary.jsonl"), "utf8"))).toMatchObject({ exit: "done" });
    writeFileSync(place.file("bad.mv"), "no bytecode");
    expect((await inShell(place, `$movedex decode bad.mv | true; echo \${PIPESTATUS[0]}`)).stdout).toBe("2\n");
  });

  test("a full disk under the answer is a failure with a code, and what follows the run still follows", async ({ place }) => {
    const run = await inShell(place, `${sync} --json --summary-file summary.jsonl > /dev/full`);
    expect([run.code, run.stderr]).toEqual([
      1,
      expect.stringMatching(/^movedex: could not print \(ENOSPC\)\. What was stored by then is kept\./m),
    ]);
    const summary = JSON.parse(readFileSync(place.file("summary.jsonl"), "utf8"));
    expect(summary).toMatchObject({ exit: "failed", error: { code: "MOVEDEX_OUTPUT" } });
    expect((await inShell(place, "$movedex query --db $db 'SELECT count(*) AS n FROM snapshots' --format csv")).stdout).toBe("n\r\n1\r\n");
  });
});
