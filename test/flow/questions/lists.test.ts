import { beforeAll, expect } from "vitest";
import { createSampleLedger, startSimNode } from "../../../sim/index.ts";
import { viewList } from "../../../src/schema/views/views.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { test } from "../../support/test.ts";

// What docs/querying.md promises to scripts of every command that prints a list.

const place = temporaryDirectory();
const db = place.file("night.db");
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

beforeAll(async () => {
  const sample = createSampleLedger();
  await using node = await startSimNode({ ledger: sample.ledger });
  const run = async (...argv: string[]): Promise<void> => {
    await ended(runCli([...argv, "--db", db], { clock: new ManualClock({ skipSleeps: true }) }));
  };
  await run("targets", "add", "0x1", sample.trader, "--label", "mine");
  await run("targets", "remove", sample.trader);
  await run("sync", "--rpc", node.url, "--rate", "0");
  await run("watch", "add", "0x1", "--since", "oldest");
  return () => place[Symbol.dispose]();
});

/** Each list, the view that it has its names from, and names of its own. */
const lists: readonly (readonly [words: string, view: string, own: readonly string[]])[] = [
  ["snapshots", "snapshots", []],
  ["runs", "run_history", ["ledger_time", "ledger_time_error_ms"]],
  ["targets list --all", "target_accounts", ["last_read", "last_read_at", "has_modules"]],
  ["watch list --all", "alerts", ["audience", "level", "since", "added_at", "alerts", "hears_nothing", "removed_at"]],
];

test.each(lists)("%s: one document or lines, with the names and types that are promised", async (words, view, own) => {
  const ask = async (flag: string): Promise<string> => {
    const { code, stdout, stderr } = await runCli([...words.split(" "), flag, "--db", db]);
    expect([code, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const rows = JSON.parse(await ask("--json")) as Record<string, unknown>[];
  const lines = (await ask("--jsonl")).trimEnd().split("\n");
  expect(rows.length).toBeGreaterThan(0);
  expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
  const columns = Object.keys(viewList.find(({ name }) => name === view)?.columns ?? {});
  for (const row of rows) {
    for (const [key, value] of Object.entries(row)) {
      expect([...columns, ...own]).toContain(key);
      if (value === null) continue;
      if (key === "ledger_version" || key === "last_read" || key === "since") expect(value, key).toMatch(/^\d+$/);
      else if (/_at$|^ledger_time$/.test(key)) expect(value, key).toMatch(TIME);
      else if (/^(?:is|has)_/.test(key)) expect(value, key).toBeTypeOf("boolean");
      else if (/^(?:accounts|modules|changed_modules|gaps|requests|retries|depth|alerts|watch)$|_(?:bytecodes|received|ms)$/.test(key))
        expect(value, key).toBeTypeOf("number");
      else expect(value, key).toBeTypeOf("string");
    }
  }
});

test("an empty list is an empty array, and no line", async ({ place }) => {
  const empty = ["--db", place.file("new.db")];
  for (const change of ["add", "remove"]) await runCli(["targets", change, "0x1", ...empty]);
  for (const words of ["snapshots", "runs", "watch list", "targets list"]) {
    expect((await runCli([...words.split(" "), "--json", ...empty])).stdout, words).toBe("[]\n");
    expect((await runCli([...words.split(" "), "--jsonl", ...empty])).stdout, words).toBe("");
  }
});

test("an error is one object, in either form; both at once are refused", async () => {
  const none = ["snapshots", "--db", place.file("none.db")];
  for (const flag of ["--json", "--jsonl"])
    expect((await runCli([...none, flag])).json()).toMatchObject({ error: { code: "MOVEDEX_STORE_MISSING" } });
  expect(await runCli([...none, "--json", "--jsonl"])).toMatchObject({ code: 64, stderr: expect.stringContaining("cannot be used with") });
});
