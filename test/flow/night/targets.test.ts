import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { expect } from "vitest";
import { createSampleLedger } from "../../../sim/index.ts";
import { targetList } from "../../../src/capabilities/targets/target-list.ts";
import { type Address, parseAddress } from "../../../src/core/move/address.ts";
import { openStore } from "../../../src/core/work/store.ts";
import { asWords, ended, ManualClock, nodeOfFile, runCli, test } from "../../support/index.ts";

const sample = createSampleLedger();
const node = await nodeOfFile({ ledger: sample.ledger });

/** Runs command lines on one database, one after the other; each has to succeed. */
function onDatabase(db: string) {
  const clock = new ManualClock({ skipSleeps: true });
  return async (...argv: string[]) => {
    const result = await ended(runCli([...argv, "--db", db], { clock }));
    return result;
  };
}

const list = (stdout: string): Record<string, unknown>[] =>
  stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("targets add and import name addresses that may be others than were meant", async ({ place }) => {
  const run = onDatabase(place.file("t.db"));
  const ethereum = "0xdAC17F958D2ee523a2206206994597C13D831ec7";
  const whole = `0x00${"ab".repeat(31)}`;
  // As they were written: zeros before them are digits, too.
  const [padded, short] = [`0x${"deadbeef".padStart(64, "0")}`, `0x${"9".padStart(40, "0")}`];
  const added = await run("targets", "add", "0x1", whole, ethereum, `0x${"ab".repeat(20)}`, padded, short);
  expect(added.stdout).toBe("6 added, 0 already on the list\n");
  expect(added.stderr).toBe(
    "movedex: from now on the list alone is read, and no longer the framework accounts. `movedex targets add 0x1 0x3 0x4 0x5 0x7 0xa` keeps them\n" +
      `movedex: \`${ethereum}\` was added, but it mixes upper and lower case, as addresses of other chains do\n` +
      [`0x${"ab".repeat(20)}`, short]
        .map(
          (cut) =>
            `movedex: \`${cut}\` was added, but it has 40 digits, and accounts have up to 6 or nearly 64: was it cut, or is it of another chain?\n`,
        )
        .join(""),
  );
  writeFileSync(place.file("none.csv"), "address\n");
  const none = await ended(runCli(["targets", "import", place.file("none.csv"), "--db", place.file("t.db")]), 64);
  expect(none.stderr).toMatch(/names no account\. No address was added/);
  writeFileSync(place.file("list.json"), JSON.stringify([whole, { address: "0x5", label: "five" }, ...Array(7).fill("0xabcdef1")]));
  const imported = await run("targets", "import", place.file("list.json"));
  expect(imported.stdout).toBe("2 added, 1 already on the list\n");
  expect(imported.stderr.match(/has 7 digits/g)).toHaveLength(5);
  expect(imported.stderr).toContain("there are more such addresses");
  expect(list((await run("targets", "list", "--jsonl")).stdout)).toContainEqual(expect.objectContaining({ address: "0x5", label: "five" }));
});

test("an imported account has the first label that the list has for it, else that of the command line; one on the list keeps who added it", async ({
  place,
}) => {
  const run = onDatabase(place.file("t.db"));
  await run("targets", "add", "0x1", "0x2", "--label", "two");
  await run("targets", "remove", "0x2");
  writeFileSync(place.file("list.csv"), "address,label\n0x3,\n0x1,\n0x3,pool\n0x3,later\n0x2,\n0x4,\n");
  const words = ["targets", "import", place.file("list.csv")];
  expect((await run(...words, "--label", "mine")).stdout).toBe("3 added, 1 already on the list\n");
  expect((await run(...words)).stdout).toBe("0 added, 4 already on the list\n");
  expect(list((await run("targets", "list", "--jsonl")).stdout).map(({ address, reason, label }) => [address, reason, label])).toEqual([
    ["0x1", "given", "mine"],
    ["0x2", "imported", "mine"],
    ["0x3", "imported", "pool"],
    ["0x4", "imported", "mine"],
  ]);
});

test("the list can be changed while a run is at work: the change counts from the next run on", async ({ place }) => {
  const db = place.file("t.db");
  const run = onDatabase(db);
  await run("targets", "add", "0x1", "0x3");
  const atWork = await openStore(db, { mode: "write", now: Date.now });
  try {
    const later = "another run is at work, so this counts from the next run on";
    expect((await run("targets", "add", "0x1", "0x4")).stdout).toBe(`1 added, 1 already on the list; ${later}\n`);
    expect((await run("targets", "remove", "0x3")).stdout).toBe(`1 removed, 0 not on the list; what was read of them stays; ${later}\n`);
    const discovered = await run("targets", "discover", "--depth", "1");
    expect([discovered.code, discovered.stderr]).toEqual([0, expect.stringContaining(`0 added; ${later}`)]);
    // The run goes on to write beside it, and has kept its lock.
    await targetList(atWork.engine).addTargets([{ address: parseAddress("0x5") as Address, reason: "given", via: null, depth: 0 }], 1);
    expect((await runCli(["sync", "--rpc", node.url, "--db", db])).stderr).toMatch(/another run of movedex/);
  } finally {
    await atWork.close();
  }
  expect(list((await run("targets", "list", "--jsonl")).stdout).map(({ address }) => address)).toEqual(["0x1", "0x4", "0x5"]);
  await run("sync", "--rpc", node.url, "--rate", "0");
  const read = await ended(runCli(["query", "SELECT address FROM accounts_latest ORDER BY address", "--json", "--db", db]));
  expect(JSON.parse(read.stdout)).toContainEqual({ address: parseAddress("0x4") });
});

test("what is no file and may not end is refused; a pipe is read on stdin", { skip: process.platform === "win32" }, async ({ place }) => {
  const words = (file: string) => ["targets", "import", file, "--db", place.file("t.db")];
  const pipe = place.file("pipe");
  execFileSync("mkfifo", [pipe]);
  for (const path of ["/dev/zero", pipe]) {
    const refused = await runCli(words(path));
    expect([refused.code, refused.stderr]).toEqual([
      64,
      expect.stringMatching(/it is not a regular file\. Give what a program writes on stdin, as `-`/),
    ]);
  }
  const imported = await runCli(words("-"), { stdin: "address,label\n0x1,coin\n0x2,pool\n" });
  expect([imported.code, imported.stdout], imported.stderr).toEqual([0, "2 added, 0 already on the list\n"]);
});

test("discover goes from module to module, one step at a time, and says by which it came", async ({ place }) => {
  const run = onDatabase(place.file("t.db"));
  const [framework, , exchange] = sample.codeAccounts as [string, string, string];
  const sync = ["sync", "--rpc", node.url, "--rate", "0"];
  await run("targets", "add", exchange);
  await run(...sync);
  const dry = await run("targets", "discover", "--dry-run");
  expect(dry.stderr).toMatch(/found, nothing was written\. This follows dependencies only/);
  expect(list((await run("targets", "list", "--jsonl")).stdout)).toHaveLength(1);
  const found = await run("targets", "discover");
  expect(found.stdout).toBe(dry.stdout);
  expect(found.stdout).toMatch(new RegExp(`^${framework}  dependency of ${exchange}::\\w+$`, "m"));
  const targets = list((await run("targets", "list", "--jsonl")).stdout);
  expect(targets).toContainEqual(expect.objectContaining({ address: framework, reason: "dependency", depth: 1 }));
  // What was found is read by the next run, though the version is held already.
  const next = await run(...sync, "--json");
  expect(next.json()).toMatchObject({ accounts: targets.length, status: "sealed" });
  // One step was asked for: whatever those lead to is two steps away.
  expect((await run("targets", "discover", "--depth", "1")).stderr).toMatch(/^0 found/);
});

test("without a list, discovering keeps the framework accounts on it", async ({ place }) => {
  const run = onDatabase(place.file("t.db"));
  await run("sync", "--rpc", node.url, "--rate", "0");
  await run("targets", "discover");
  const targets = list((await run("targets", "list", "--jsonl")).stdout);
  expect(targets.filter(({ reason }) => reason === "default").map(({ address }) => address)).toEqual(asWords`0x1 0x3 0x4 0x5 0x7 0xa`);
});

test("a target that is added while the node stands still is read, and the night's line says so", async ({ place }) => {
  const run = onDatabase(place.file("added.db"));
  const night = ["night", "--rpc", node.url, "--rate", "0", "--slices", "0"];
  await run("targets", "add", "0x1");
  await run(...night);
  await run("targets", "add", "0x3");
  const again = () => ended(runCli([...night, "--db", place.file("added.db")]), 7);
  expect((await again()).stdout).toMatch(
    /^night: nothing new after [^:]*: .* leaves nothing newer to read than what is held; accounts that were missing there were read\. /,
  );
  expect((await again()).stdout).toMatch(/^night: nothing new after [^:]*: .* leaves nothing newer to read than what is held\. /);
});
