import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { faults, startSimNode } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { signalSender } from "../../support/command/signal-sender.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { runCli } from "../../support/run-cli.ts";
import { changeFile, valuesOf } from "../../support/store/ask-file.ts";
import { twoNights } from "../../support/two-nights.ts";
import { holdTwoNights } from "./support/two-nights-held.ts";

const { scene, node, place, second: db } = await holdTwoNights(12);
let copies = 0;

function expectCode(code: number, ...argv: string[]) {
  return ended(runCli(argv), code);
}

/** A copy of the database, changed behind movedex's back. */
function damaged(...statements: string[]): string {
  const copy = place.file(`${copies++}.db`);
  copyFileSync(db, copy);
  for (const statement of statements) expect(changeFile(copy, statement)).toBeGreaterThan(0);
  return copy;
}

const isModule = ({ target }: { readonly target: string }) => target.includes("/module/");
const repairOf = (copy: string, ...argv: string[]) => ["verify", "--db", copy, "--repair", "--rpc", node.url, "--rate", "0", ...argv];

test("bytes that are damaged are read again, also those that others are packed with", async () => {
  const copy = damaged(
    "UPDATE _bytecode_blobs SET code = substr(code, 1, length(code) - 1) WHERE id % 3 = 0",
    "DELETE FROM _bytecode_blobs WHERE id = 1",
  );
  await expectCode(6, "verify", "--db", copy);
  const { stdout } = await expectCode(0, ...repairOf(copy));
  expect(stdout).toMatch(/^_bytecodes 1 .*: cannot be unpacked\n/m);
  expect(stdout).toMatch(/\nrepair:\n {2}\d+ bytecodes read again from the node\n/);
  expect(stdout).toMatch(/nothing wrong in \d+ tables/);
  await expectCode(0, "verify", "--db", copy);
});

test("rows that follow from bytes are made again, without other bytes", async () => {
  const copy = damaged("UPDATE _functions SET name = 'forged' WHERE id = 2", "DELETE FROM _struct_fields WHERE struct_id = 1");
  const { json } = await expectCode(0, ...repairOf(copy, "--json"));
  const { repair } = json() as { repair: { modules_derived: number } };
  expect(repair).toEqual({ views: 0, bytecodes: [], unreadable: {}, modules_derived: expect.any(Number) });
  expect(repair.modules_derived).toBeGreaterThan(10);
  await expectCode(0, "verify", "--db", copy);
});

test("what still stands is read at the node's newest version, and what it cannot give stays damaged, with the reason: 6", async () => {
  const copy = damaged("UPDATE _bytecode_blobs SET code = X'28'");
  const { ledger } = twoNights(12);
  ledger.advance(1000n);
  ledger.pruneTo(ledger.head - 100n);
  await using pruned = await startSimNode({ ledger });
  const { json } = await expectCode(6, "verify", "--db", copy, "--repair", "--rpc", pruned.url, "--rate", "0", "--json");
  const { repair } = json() as { repair: { bytecodes: string[]; unreadable: Record<string, string> } };
  expect(repair.bytecodes.length).toBeGreaterThan(20);
  const lost = Object.entries(repair.unreadable);
  expect(lost.length).toBeGreaterThan(1);
  for (const [, reason] of lost) expect(reason).toMatch(/^the node cannot read ledger version \d+$/);
  const again = await expectCode(6, "verify", "--db", copy);
  for (const [sha256] of lost) expect(again.stdout).toContain(`${sha256}): cannot be unpacked`);
  for (const sha256 of repair.bytecodes) expect(again.stdout).not.toContain(sha256);
});

test("no derived row is thrown away while bytes are lost that it could not be made from again: 6", async () => {
  const copy = damaged("UPDATE _bytecode_blobs SET code = X'28'", "UPDATE _functions SET name = 'forged' WHERE id = 2");
  const countsIn = (path: string) => ["_abis", "_functions", "_structs"].map((table) => valuesOf(path, `SELECT count(*) FROM ${table}`));
  const { ledger } = twoNights(12);
  ledger.advance(1000n);
  ledger.pruneTo(ledger.head - 100n);
  await using pruned = await startSimNode({ ledger });
  const repair = ["verify", "--db", copy, "--repair", "--rpc", pruned.url, "--rate", "0"];
  // While bytes cannot be read, their rows are not looked at: the second time tells of the forged one.
  await expectCode(6, ...repair);
  const { stdout } = await expectCode(6, ...repair);
  expect(stdout).toContain("damaged derived rows were left as they are");
  expect(countsIn(copy)).toEqual(countsIn(db));
});

test("a repair that its budget stops is not said to be done: 6", async () => {
  const copy = damaged("UPDATE _bytecode_blobs SET code = X'28'");
  const { stdout } = await expectCode(6, ...repairOf(copy, "--max-requests", "8"));
  expect(stdout).toMatch(/findings/);
  expect(stdout).not.toContain("nothing wrong");
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "a repair that %s stops keeps what it mended, and says that it is not done: 6",
  async (signal) => {
    const copy = damaged("UPDATE _bytecode_blobs SET code = X'28'");
    const sender = signalSender();
    const meanwhile = { fault: faults.meanwhile(signal, () => sender.send(signal)), match: isModule, at: 12 };
    await using stopping = await startSimNode({ ledger: scene.ledger, faults: faults.planFaults([meanwhile]) });
    const argv = ["verify", "--db", copy, "--repair", "--rpc", stopping.url, "--rate", "0"];
    const { code, stdout } = await runCli(argv, { clock: new ManualClock(), signals: sender.signals });
    expect([code, stdout]).toEqual([6, expect.stringMatching(/\n {2}\d+ bytecodes read again from the node\n/)]);
    expect(stdout).toContain(`\n  stopped by ${signal} before its end: run it again\n`);
    expect(stdout).not.toContain("nothing wrong");
    await expectCode(0, ...repairOf(copy));
  },
);

test("views that show something else are made anew, without the node", async () => {
  const copy = damaged();
  changeFile(copy, "DROP VIEW findings; CREATE VIEW findings AS SELECT 'nothing was found' AS kind");
  const { stdout } = await expectCode(0, ...repairOf(copy));
  expect(stdout).toMatch(/^findings: is not as movedex made it; `movedex verify --repair` makes it anew\n/);
  expect(stdout).toContain("\nrepair:\n  1 view made anew\n");
  expect(stdout).toMatch(/nothing wrong in \d+ tables.*, 57 views/);
});

test("a node of another ledger repairs nothing: 4", async () => {
  const copy = damaged("UPDATE _bytecode_blobs SET code = X'28' WHERE id = 1");
  await using stranger = await startSimNode({ ledger: twoNights(12, 2).ledger });
  await expectCode(4, "verify", "--db", copy, "--repair", "--rpc", stranger.url, "--rate", "0");
  await expectCode(6, "verify", "--db", copy);
});

test("a row that nothing can tell again is not repaired: 6, and what to do", async () => {
  const copy = damaged("UPDATE _account_spans SET sequence_number = '9' WHERE sequence_number = '77'");
  const { stdout } = await expectCode(6, ...repairOf(copy));
  expect(stdout).toContain("nothing of it can be repaired: restore a backup");
});

test("pages that new rows cannot take the place of: 6, and an import saves what can be read", async () => {
  const copy = damaged("UPDATE _bytecodes SET size = size");
  const [page] = valuesOf<number>(copy, "SELECT min(pageno) FROM dbstat WHERE name = '_types' AND pagetype = 'leaf'") as [number];
  const [size] = valuesOf<number>(copy, "PRAGMA page_size") as [number];
  const bytes = readFileSync(copy);
  // The first cell of the page is the second one too, so that the first is not found, and its place in the indexes is.
  bytes.copyWithin((page - 1) * size + 8, (page - 1) * size + 10, (page - 1) * size + 12);
  writeFileSync(copy, bytes);
  const { stderr } = await expectCode(6, ...repairOf(copy));
  expect(stderr).toContain(`Restore a backup, or save what can be read: \`movedex import ${copy} --db NEW.db\``);
  const saved = place.file("saved.db");
  await expectCode(0, "import", copy, "--db", saved);
  await expectCode(0, "verify", "--db", saved);
});

test("a sound database is left alone, and a node is asked for", async () => {
  const { json } = await expectCode(0, ...repairOf(damaged("UPDATE _archive SET chain_id = chain_id"), "--json"));
  expect(json()).toMatchObject({ ok: true, repair: null });
  const { stderr } = await expectCode(64, "verify", "--db", db, "--repair");
  expect(stderr).toContain("no node is named");
  const code = damaged("UPDATE _bytecode_blobs SET code = substr(code, 1, length(code) - 1) WHERE id = 3");
  const env = { MOVEDEX_RPC_URL: node.url };
  expect((await ended(runCli(["verify", "--db", code, "--repair", "--rate", "0", "--json"], { env }))).json()).toMatchObject({
    ok: true,
    repair: { bytecodes: [expect.any(String)] },
    sample: null,
  });
});
