import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faults, SimLedger, startSimNode } from "../../../sim/index.ts";
import { systemClock } from "../../../src/core/base/time.ts";
import { changeFile, ended, listsOf, ManualClock, runCli, signalSender, twoNights, valuesOf } from "../../support/index.ts";
import { heldContent, holdTwoNights } from "./support/two-nights-held.ts";

const { scene, node, place, first, second: db } = await holdTwoNights(12);

describe("verify", () => {
  test("against the node it was read from: every account drawn agrees, and another run draws others", async () => {
    const asked = async (startMs: number) => {
      const begun = node.requests.length;
      const { json } = await ended(
        runCli(["verify", "--db", db, "--against", node.url, "--rate", "0", "--sample", "8", "--json"], {
          clock: new ManualClock({ startMs, skipSleeps: true }),
        }),
      );
      expect(json()).toMatchObject({ ok: true, sample: { drawn: 8, agree: 8, unread: {} }, checked: { accounts_read_again: 8 } });
      return new Set(node.requests.slice(begun).map(({ path, query }) => `${path}?${query}`));
    };
    const first = await asked(1);
    expect(await asked(2)).not.toEqual(first);
    expect(first.size).toBe(8 * 2 + 1);
  });

  test("against a node that says otherwise: 6, with both values", async () => {
    const other = twoNights(12, 2);
    await using liar = await startSimNode({ ledger: other.ledger });
    const against = ["verify", "--db", db, "--against", liar.url, "--rate", "0", "--sample", "26"];
    const { json } = await ended(runCli([...against, "--json"]), 6);
    expect((await ended(runCli(against), 6)).stdout).toMatch(/^Ask another node too \(`--against`\) before you believe either\.$/m);
    const { findings } = json() as { findings: { table: string; row: string; problem: string }[] };
    expect(findings.map(({ table }) => table)).toContain("_listing_modules");
    for (const { row, problem } of findings) {
      expect(row).toMatch(/^0x\S+( \w+)? at ledger version \d+$/);
      expect(problem).toMatch(/^\S+( record)? is stored, and http:\S+ gives \S+( record)?$/);
    }
  });

  const restore = "Restore a backup (`movedex restore`), and import the damaged file into it";
  test.each([
    ["bytes", ["UPDATE _bytecode_blobs SET code = X'28' WHERE id = 1"], restore],
    ["what a seal counts", ["UPDATE _all_snapshots SET modules = modules + 1"], restore],
    ["a row that refers to no row", ["PRAGMA foreign_keys = OFF", "DELETE FROM _listings WHERE id = 1"], restore],
    [
      "rows that follow from bytes",
      ["UPDATE _functions SET name = 'forged' WHERE id = 2", "DELETE FROM _struct_fields WHERE struct_id = 1"],
      "`movedex verify --rebuild` makes it anew.",
    ],
    ["what an upgrade was judged", ["UPDATE _judged_upgrades SET severity = 'safe'"], "`movedex verify --rebuild` makes it anew."],
    ["a view", ["DROP VIEW gaps", "CREATE VIEW gaps AS SELECT 1"], "`movedex verify --rebuild` makes it anew."],
    ["both", ["UPDATE _functions SET name = 'forged' WHERE id = 2", "UPDATE _all_snapshots SET modules = modules + 1"], restore],
    ["an index that is gone", ["DROP INDEX listing_modules_by_bytecode_id"], "Take back what was changed"],
  ])("damage to %s comes with what to do about it, and that helps", async (what, statements, advice) => {
    const own = `${db}.damaged`;
    copyFileSync(db, own);
    changeFile(own, ...statements);
    const { stdout } = await ended(runCli(["verify", "--db", own]), 6);
    expect(stdout.trimEnd().split("\n").at(-1)).toContain(advice);
    const { code } = await runCli(["verify", "--rebuild", "--db", own]);
    expect(code, what).toBe(advice.includes("--rebuild") ? 0 : 6);
    if (code === 0) expect(rowsIn(own)).toEqual(rowsIn(db));
  });

  test.each([
    ["an empty list", faults.emptyListing()],
    ["that there is no such account", faults.unknownError(404, "account_not_found")],
  ])("against a node without an index, which lists %s for each account: 101, and no damage", async (_, fault) => {
    const match = ({ target }: { readonly target: string }): boolean => target.includes("/modules");
    await using empty = await startSimNode({ ledger: scene.ledger, faults: faults.planFaults([{ fault, match }]) });
    const against = ["verify", "--db", db, "--against", empty.url, "--rate", "0", "--sample", "26"];
    const { json } = await ended(runCli([...against, "--json"]), 101);
    expect(json()).toMatchObject({ ok: true, findings_count: 0, sample: { drawn: 26, agree: 2, unread: { unindexed: 24 } } });
    expect((await ended(runCli(against), 101)).stdout).toMatch(
      /^24 accounts could not be read again: the node lists no module, not even of 0x1; its index may be missing$/m,
    );
  });

  test.each([
    [
      "modules",
      "a part of whose index is missing",
      { emptied: 24 },
      /of it; its index may be missing$/m,
      /\/accounts\/(?!0x1\/)\w+\/modules/,
    ],
    ["accounts", "that knows none of them", { account_not_found: 2, emptied: 24 }, /not know the account$/m, /\/accounts\/(?!0x1\/)/],
  ])("against a node without %s, %s: 101, and no damage", async (_what, _why, unread, words, target) => {
    const fault = faults.unknownError(404, "account_not_found");
    await using lacking = await startSimNode({
      ledger: scene.ledger,
      faults: faults.planFaults([{ fault, match: (request) => target.test(request.target) }]),
    });
    const against = ["verify", "--db", db, "--against", lacking.url, "--rate", "0", "--sample", "26"];
    const { json } = await ended(runCli([...against, "--json"]), 101);
    expect(json()).toMatchObject({ ok: true, findings_count: 0, sample: { drawn: 26, unread } });
    expect((await ended(runCli(against), 101)).stdout).toMatch(words);
  });

  test("against another chain: 4", async () => {
    await using stranger = await startSimNode({ ledger: new SimLedger({ chainId: 9 }) });
    const { json } = await ended(runCli(["verify", "--db", db, "--against", stranger.url, "--rate", "0", "--json"]), 4);
    expect(json()).toMatchObject({ error: { code: "MOVEDEX_WRONG_CHAIN" } });
  });

  test("a signal ends it early, with its exit code, and it says that the rest is not checked", async () => {
    let ms = 0;
    const clock = { ...systemClock, monotonic: () => (ms += 1000) };
    const stopped = (signal: "SIGINT" | "SIGTERM", ...more: string[]) =>
      runCli(["verify", "--db", db, ...more], { clock, signals: (deliver) => deliver(signal) });
    const { stdout } = await ended(stopped("SIGTERM"), 143);
    expect(stdout.replaceAll(/\s+/g, " ")).toMatch(
      /: stopped by SIGTERM before the end\. The rest is not checked\. So far: nothing wrong in 2 of \d+ tables \(/,
    );
    const { json } = await ended(stopped("SIGINT", "--json"), 130);
    expect(json()).toMatchObject({ ok: false, stopped_by: "SIGINT", checked: { tables: 2 }, findings_count: 0, findings: [] });
  });

  test("a signal while the sample is read again stops it too", async () => {
    const sender = signalSender();
    const meanwhile = { fault: faults.meanwhile("SIGINT", () => sender.send("SIGINT")), at: 6 };
    await using stopping = await startSimNode({ ledger: scene.ledger, faults: faults.planFaults([meanwhile]) });
    const argv = ["verify", "--db", db, "--against", stopping.url, "--rate", "0", "--concurrency", "1", "--sample", "20", "--json"];
    const { json } = await ended(runCli(argv, { signals: sender.signals }), 130);
    expect(json()).toMatchObject({
      ok: false,
      stopped_by: "SIGINT",
      findings_count: 0,
      sample: { unread: { stopped: expect.any(Number) } },
    });
  });
});

let copies = 0;

function expectCode(code: number, ...argv: string[]) {
  return ended(runCli(argv), code);
}

/** A copy of a database, changed behind movedex's back. */
function damaged(of: string, ...statements: string[]): string {
  const copy = place.file(`${copies++}.db`);
  copyFileSync(of, copy);
  for (const statement of statements) expect(changeFile(copy, statement)).toBeGreaterThan(0);
  return copy;
}

const rowsIn = (path: string) => listsOf(path, "SELECT * FROM functions_latest ORDER BY address, module, name");

test("a rebuild that a signal stops is not said to be done, and the next one ends it", async () => {
  const copy = damaged(db, "DELETE FROM _struct_fields");
  const sender = signalSender();
  const stopped = runCli(["verify", "--db", copy, "--rebuild"], {
    signals: (deliver) => {
      setImmediate(() => sender.send("SIGTERM"));
      return sender.signals(deliver);
    },
  });
  expect((await ended(stopped, 143)).stdout).toContain("stopped by SIGTERM before the end");
  await expectCode(0, "verify", "--db", copy, "--rebuild");
  expect(rowsIn(copy)).toEqual(rowsIn(db));
});

test("no row is thrown away while bytes are damaged that it could not be made from again: 6", async () => {
  const copy = damaged(db, "UPDATE _bytecode_blobs SET code = X'28' WHERE id = 3");
  const { stderr } = await expectCode(6, "verify", "--db", copy, "--rebuild");
  expect(stderr).toMatch(/_bytecodes 3 \(SHA-256 [0-9a-f]{64}\): cannot be unpacked\. .*Restore a backup/s);
  expect(rowsIn(copy)).toEqual(rowsIn(db));
});

test("a backup takes the nights since it was made from a database whose older bytes are damaged", async () => {
  const copy = damaged(db, "UPDATE _bytecode_blobs SET code = X'28' WHERE id = 3");
  const restored = damaged(first);
  await expectCode(0, "import", copy, "--db", restored);
  await expectCode(0, "verify", "--db", restored);
  expect(heldContent(restored)).toEqual(heldContent(db));
});

test("beside a table of somebody's that works something out, nothing else is checked: 6", async () => {
  const own = place.file("strange.db");
  copyFileSync(db, own);
  changeFile(own, "CREATE TABLE prices (a CHECK (a > 0))");
  const { stdout } = await ended(runCli(["verify", "--db", own]), 6);
  expect(stdout).toMatch(/^prices: .*; nothing else was checked\n\S+: 1 finding in 1 table /);
});

test("no row is thrown away while pages of the file are damaged: 6", async () => {
  const copy = damaged(db, "UPDATE _bytecodes SET size = size");
  const [page] = valuesOf<number>(copy, "SELECT min(pageno) FROM dbstat WHERE name = '_types' AND pagetype = 'leaf'") as [number];
  const [size] = valuesOf<number>(copy, "PRAGMA page_size") as [number];
  const bytes = readFileSync(copy);
  // The first cell of the page is the second one too, so that the first is not found, and its place in the indexes is.
  bytes.copyWithin((page - 1) * size + 8, (page - 1) * size + 10, (page - 1) * size + 12);
  writeFileSync(copy, bytes);
  const { stderr } = await expectCode(6, "verify", "--db", copy, "--rebuild");
  expect(stderr).toContain("Restore a backup, then import this database");
  const saved = place.file("saved.db");
  await expectCode(0, "import", copy, "--db", saved);
  await expectCode(0, "verify", "--db", saved);
});
