import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { afterAll, describe, expect } from "vitest";
import { createSampleLedger, faults, startSimNode } from "../../../sim/index.ts";
import { ended, ManualClock, runCli, type temporaryDirectory, test } from "../../support/index.ts";
import { canMount, mountDisk, unmounted } from "../../support/scene/disk.ts";

type Place = ReturnType<typeof temporaryDirectory>;

describe("doctor, and the night that it is asked about", async () => {
  const kept = new AsyncDisposableStack();
  afterAll(() => kept.disposeAsync());
  const node = kept.use(await startSimNode({ ledger: createSampleLedger().ledger }));

  /** The command lines of a night with some settings, and of doctor with the same; paths are in the folder of the test. */
  function commands({ file }: Place, ...settings: readonly string[]) {
    const text = [`rpc = "${node.url}"`, "rate = 0", 'db = "night.db"', "[night]", "trace-requests = 0", ...settings];
    writeFileSync(file("movedex.toml"), text.join("\n"));
    const run = (command: string) => runCli([command, "--config", file("movedex.toml")]);
    return { night: () => run("night"), doctor: async () => failures((await run("doctor")).stdout), doctorRun: () => run("doctor") };
  }
  const failures = (text: string) => text.match(/^fail .*$/gm) ?? [];

  const own = /`\S+` is the database's own file, and was left as it is/;
  const refused: readonly (readonly [way: string, settings: readonly string[], words: RegExp, prepare?: (place: Place) => unknown])[] = [
    ...["metrics-file", "summary-file", "report"].map(
      (key) => [`a named pipe as ${key}`, [`${key} = "pipe"`], /`\S+pipe` is a named pipe\. Name a regular file/, makePipe] as const,
    ),
    [
      "one file for metrics and summary",
      ['metrics-file = "x"', 'summary-file = "./x"'],
      /the summary file and the metrics file are one file/,
    ],
    [
      "a link to the report for metrics",
      ['metrics-file = "x"', 'report = "y"'],
      /the metrics file and the report are one file/,
      ({ file }) => symlinkSync("y", file("x")),
    ],
    [
      "another name of the report for the summary",
      ['summary-file = "x"', 'report = "y"'],
      /the summary file and the report are one file/,
      ({ file }) => [writeFileSync(file("x"), ""), linkSync(file("x"), file("y"))],
    ],
    ["one file for report and backup", ['report = "x"', 'backup = "x"'], /the report and the backup are one file/],
    ["the report in place of the database", ['report = "night.db"'], /the report `\S+` is the database's own file `\S+night\.db`/],
    [
      "a link to the database's log for metrics",
      ['metrics-file = "x"'],
      /the metrics file `\S+x` is the database's own file `\S+night\.db-wal`/,
      ({ file }) => symlinkSync("night.db-wal", file("x")),
    ],
    ["a backup over the database, which is not there yet", ['backup = "night.db"'], own],
    ["a backup over its log", ['backup = "night.db-wal"'], own],
    ["a backup over a link to it", ['backup = "x"'], own, ({ file }) => symlinkSync("night.db", file("x"))],
    ["the summary in place of a lock", ['summary-file = "night.db.night.lock"'], /is the database's own file `\S+night\.db\.night\.lock`/],
  ];

  test.for(refused)("both refuse %s", async ([, settings, words, prepare], { place }) => {
    prepare?.(place);
    const { night, doctor } = commands(place, ...settings);
    expect(await doctor()).toEqual([expect.stringMatching(words)]);
    const asked = node.requestCount;
    expect((await ended(night(), 64)).stdout).toMatch(new RegExp(`^night: not started: .*${words.source}`));
    expect([node.requestCount, readdirSync(place.path).filter((name) => name.startsWith("night"))]).toEqual([asked, []]);
  });

  test("a node without an index ends doctor with 1, as it ends a night", async () => {
    const plan = faults.planFaults([{ fault: faults.emptyListing(), match: ({ target }) => target.includes("/modules") }]);
    await using unindexed = await startSimNode({ ledger: createSampleLedger().ledger, faults: plan });
    const { stdout } = await ended(runCli(["doctor", "--rpc", unindexed.url, "--db", "none.db"]), 1);
    expect(stdout).toMatch(
      /^fail {2}node {6}\S+ lists no module at ledger version \d+, not even of 0x1: its index is missing or not built/m,
    );
  });

  test.each([
    ["429", faults.tooManyRequests()],
    ["503", faults.unavailable("overloaded")],
    ["403", faults.gatewayPage(403)],
  ])("a node that goes on saying %s of modules keeps doctor for less than a minute, which says so", async (status, fault) => {
    const plan = faults.planFaults([{ fault, match: ({ target }) => target.includes("/modules") }]);
    await using busy = await startSimNode({ ledger: createSampleLedger().ledger, faults: plan });
    const clock = new ManualClock({ skipSleeps: true });
    const begun = clock.monotonic();
    const { stdout } = await ended(runCli(["doctor", "--rpc", busy.url, "--db", "none.db"], { clock }), 1);
    expect(stdout).toMatch(new RegExp(`^fail {2}node .*\\/modules\\?.*${status}.*the request was sent 3 times`, "m"));
    expect(clock.monotonic() - begun).toBeLessThan(60_000);
  });

  test("of a node that refuses access, doctor says whether it answers without the key", async () => {
    const about = async (env: Readonly<Record<string, string>>, ...open: number[]) => {
      const plan = faults.planFaults([{ fault: faults.unauthorized(), at: [1, 2, 3].filter((turn) => !open.includes(turn)) }]);
      await using closed = await startSimNode({ ledger: createSampleLedger().ledger, faults: plan });
      const { stdout } = await ended(runCli(["doctor", "--rpc", closed.url, "--db", "none.db"], { env }), 1);
      return stdout.match(/^(?:fail|warn) {2}node .*$/gm);
    };
    const refused = /the server refuses access: status 401/;
    const key = { MOVEDEX_API_KEY: "old-key" };
    expect(await about({})).toEqual([expect.stringMatching(refused), expect.stringContaining("ask the node's operator for a key")]);
    expect(await about(key)).toEqual([
      expect.stringMatching(refused),
      expect.stringContaining("the node does not answer either without it: the key is wrong"),
    ]);
    expect(await about(key, 2)).toEqual([expect.stringMatching(refused), expect.stringContaining("the node answers without it: the key")]);
  });

  test("a backup over a named pipe fails the night's last step only, and doctor says so before", async ({ place }) => {
    makePipe(place);
    const { night, doctor } = commands(place, 'backup = "pipe"');
    const words = /`\S+` is no backup of movedex's/;
    expect(await doctor()).toEqual([expect.stringMatching(words)]);
    expect((await ended(night(), 1)).stdout).toMatch(new RegExp(`^night: sealed ledger version .*Backup: ${words.source}`));
    await ended(runCli(["verify", "--db", place.file("night.db")]));
  });

  test("a second name of the database is no place for its backup", async ({ place }) => {
    const { night, doctor } = commands(place, 'backup = "x"');
    await ended(night());
    rmSync(place.file("x"));
    linkSync(place.file("night.db"), place.file("x"));
    expect(await doctor()).toEqual([expect.stringMatching(own)]);
  });

  test("doctor leaves no file, and changes none", async ({ place }) => {
    const { night, doctor, doctorRun } = commands(
      place,
      'report = "r.md"',
      'metrics-file = "m.prom"',
      'summary-file = "s"',
      'backup = "b/"',
    );
    const seen = () =>
      readdirSync(place.path, { recursive: true, encoding: "utf8" })
        .sort()
        .map((name) => stateOf(place.file(name)));
    const before = seen();
    await ended(doctorRun());
    expect(seen()).toEqual(before);
    await ended(night());
    // As they are after a copy from elsewhere.
    for (const name of [".lock", ".night.lock", ".backup.lock"]) rmSync(place.file(`night.db${name}`), { force: true });
    const after = seen();
    expect(await doctor()).toEqual([]);
    expect(seen()).toEqual(after);
  });

  test("doctor says who has the night's lock, and fails for one that cannot be taken", async ({ place }) => {
    const { night, doctor, doctorRun } = commands(place);
    await ended(night());
    const holder = new Database(place.file("night.db.night.lock"));
    holder.exec("BEGIN IMMEDIATE");
    expect((await ended(doctorRun())).stdout).toMatch(
      /^warn {2}database {2}another run of movedex is in the middle of the night of `\S+` \(process/m,
    );
    holder.close();
    rmSync(place.file("night.db.lock"));
    mkdirSync(place.file("night.db.lock"));
    expect(await doctor()).toEqual([expect.stringMatching(/could not open the lock file `\S+night\.db\.lock`: it is a directory/)]);
    expect((await ended(night(), 1)).stdout).toContain("it is a directory");
  });

  test("a link into a folder that is not there fails the night, and doctor says so before", async ({ place }) => {
    symlinkSync("nowhere/x.db", place.file("night.db"));
    const { night, doctor } = commands(place);
    expect(await doctor()).toEqual([expect.stringMatching(/the directory `\S+nowhere` cannot be written to/)]);
    expect((await ended(night(), 1)).stdout).toMatch(/nowhere\/x\.db\.night\.lock`: its directory does not exist/);
  });

  test.skipIf(!canMount)(`doctor fails where a disk has no room for the night${unmounted}`, async ({ place }) => {
    const full = /^fail {2}database {2}could not make a file of (4\.0 MB|64 kB) in `\S+`: the disk is full, or has no inode left/;
    for (const options of ["size=2m", "size=20m,nr_inodes=3"]) {
      using disk = mountDisk(place.file(options), options);
      const { night, doctorRun } = commands({ ...place, file: (name) => `${disk.path}/${name}` });
      const { stdout } = await ended(doctorRun(), 1);
      expect(failures(stdout)).toEqual([expect.stringMatching(full)]);
      expect(stdout).not.toContain("free on its disk");
      await ended(night(), 1);
    }
    using disk = mountDisk(place.file("later"), "size=8m");
    const { night, doctor } = commands({ ...place, file: (name) => `${disk.path}/${name}` });
    await ended(night());
    expect(await doctor()).toEqual([]);
    const { bavail, bsize } = statfsSync(disk.path);
    writeFileSync(`${disk.path}/ballast`, Buffer.alloc(bavail * bsize - 16_000));
    expect(await doctor()).toEqual([expect.stringMatching(full)]);
    expect((await ended(night(), 1)).stdout).toMatch(/^night: not sealed .*the disk is full/);
  });
});

function makePipe({ file }: Place): void {
  execFileSync("mkfifo", [file("pipe")]);
}

function stateOf(path: string) {
  const { ino, size, mtimeNs, mode, uid } = statSync(path, { bigint: true });
  const isFile = statSync(path).isFile();
  // SQLite maps the log's index into memory: its time is that of the last look.
  const changedNs = isFile && !path.endsWith("-shm") ? mtimeNs : 0n;
  return { path, ino, size, changedNs, mode, uid, text: isFile ? readFileSync(path, "latin1") : "" };
}
