import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { faults, SimLedger, startSimNode } from "../../../sim/index.ts";
import { ModuleCode } from "../../../sim/ledger/module-code.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { sized } from "../../run-size.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { listings, useNights } from "../../support/nights.ts";
import { runCli } from "../../support/run-cli.ts";

const at = useNights();
const index = ({ target }: { readonly target: string }): boolean => target === "/v1";

/** A ledger with one account of these modules, read as a whole. */
function ledgerOf(
  publish: (writer: { publish: (address: string, name: string, code: ModuleCode | Uint8Array) => void }) => void,
): SimLedger {
  const ledger = new SimLedger();
  ledger.genesis(publish);
  ledger.advanceTo(1000n);
  return ledger;
}

const code = (address: string, name: string): ModuleCode => new ModuleCode(writeModule({ address, name }));

describe("a node that is not to be trusted", () => {
  const heads = [
    ["version 2^63 - 1", () => ({ head: 2n ** 63n - 1n })],
    ["a time ten years ahead", ({ timestampUsec }: { timestampUsec: bigint }) => ({ timestampUsec: timestampUsec + 315_360_000_000_000n })],
  ] as const;
  test.each(heads)(
    "an answer with %s, once, is stored nowhere, whenever it comes: the next night of the honest node ends well",
    async (_, change) => {
      for (const turn of sized([1, 3], [1, 2, 3, 9])) {
        const db = `night-${turn}.db`;
        await using node = await at.nodeWith([{ fault: faults.falseHead(change), at: turn }]);
        expect((await at.sync(node, db, undefined)).code).toBe(0);
        expect(at.rows(db, "SELECT DISTINCT head_version FROM _head_samples UNION SELECT head_version FROM _pins")).toEqual([
          [Number(at.scene.second)],
        ]);
        await using honest = await startSimNode({ ledger: at.scene.ledger });
        const second = await at.sync(honest, db, at.scene.first);
        expect(second.code, second.stderr).toBe(0);
      }
    },
  );

  test("a node whose heads contradict each other again and again is refused, and nothing is written", async () => {
    let count = 0n;
    await using node = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 12n * ++count, oldest: 0n })), match: index }]);
    const result = await at.sync(node, "night.db", undefined);
    expect(result.code).toBe(1);
    expect(result.json()).toMatchObject({ error: { code: expect.stringMatching(/^MOVEDEX_(HEAD_CONTRADICTORY|NODE_BAD_ANSWER)$/) } });
    expect(at.rows("night.db", "SELECT count(*) FROM _head_samples UNION ALL SELECT count(*) FROM _pins")).toEqual([[0], [0]]);
  });

  test("a node that says 2^63 - 1 in every answer is refused, and a lower lie of a whole night shuts no honest node out that was heard before", async () => {
    await using honest = await startSimNode({ ledger: at.scene.ledger });
    expect((await at.sync(honest, "night.db", at.scene.first)).code).toBe(0);
    await using absurd = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 2n ** 63n - 1n })) }]);
    expect((await at.sync(absurd, "night.db", at.scene.second)).json()).toMatchObject({ error: { code: "MOVEDEX_NODE_BAD_ANSWER" } });
    await using liar = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 14n })) }]);
    await at.sync(liar, "night.db", at.scene.first);
    expect(at.rows("night.db", "SELECT count(*) > 0 FROM _head_samples WHERE head_version = 100000000000000")).toEqual([[1]]);
    at.scene.ledger.advance(100n);
    const night = await at.sync(honest, "night.db", undefined);
    expect(night.code, night.stderr).toBe(0);
  });

  test("a false version that was stored shuts the honest node out until `doctor --forget-sample` strikes it out", async () => {
    // Every answer of the first night says the same: nothing shows it to be false.
    await using liar = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 14n })) }]);
    expect((await at.sync(liar, "night.db", at.scene.first)).code).toBe(0);
    at.scene.ledger.advance(100n);
    await using honest = await startSimNode({ ledger: at.scene.ledger });
    const refused = await at.sync(honest, "night.db", undefined);
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain("`movedex doctor --forget-sample 100000000000000` strikes it out");
    const doctor = (version: string) => runCli(["doctor", "--forget-sample", version, "--db", at.place.file("night.db")]);
    expect((await doctor("5")).stderr).toContain(
      "remembers no node whose newest version was 5; the newest that it remembers is 100000000000000",
    );
    const forgotten = await doctor("100000000000000");
    expect(forgotten.code, forgotten.stderr).toBe(0);
    expect(forgotten.stdout).toMatch(/^struck out [2-9] answers with 100000000000000 as the newest version; snapshots stay as they are$/m);
    const night = await at.sync(honest, "night.db", undefined);
    expect(night.code, night.stderr).toBe(0);
    expect(at.rows("night.db", "SELECT count(*) FROM _pins WHERE status = 'sealed'")).toEqual([[2]]);
  });

  test("a snapshot sealed at a version that does not exist is named, and left out of a new database", async () => {
    await using honest = await startSimNode({ ledger: at.scene.ledger });
    const { second } = at.scene;
    for (const version of [at.scene.first, second]) expect((await at.sync(honest, "night.db", version)).code).toBe(0);
    const db = at.place.file("night.db");
    // What a movedex before made of a node whose oldest version was above its newest.
    const raw = new Database(db);
    raw.pragma("foreign_keys = OFF");
    const stretches =
      "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'from_version' WHERE m.type = 'table' AND m.name <> '_disagreements'";
    for (const table of raw.prepare(stretches).pluck().all()) {
      for (const end of ["from_version", "to_version"]) raw.exec(`UPDATE ${table} SET ${end} = 9000000000 WHERE ${end} = ${second}`);
    }
    raw.exec(`UPDATE _pins SET ledger_version = 9000000000 WHERE ledger_version = ${second}`);
    raw.close();
    const [[newest]] = at.rows("night.db", "SELECT max(head_version) FROM _pins") as [[number]];
    const said = `the snapshot of ledger version 9000000000 lies above every newest version that a node gave (${newest})`;
    const doctor = await runCli(["doctor", "--rpc", honest.url, "--rate", "0", "--db", db]);
    expect(doctor.stdout).toContain(said);
    expect(doctor.stdout).toContain(`\`movedex import ${db} --except 9000000000 --db NEW\``);
    const before = readFileSync(db);
    const made = await runCli(["import", db, "--except", "9000000000", "--db", at.place.file("new.db")]);
    expect(made.code, made.stderr).toBe(0);
    expect(readFileSync(db).equals(before)).toBe(true);
    expect(at.rows("new.db", "SELECT ledger_version FROM snapshots")).toEqual([[Number(at.scene.first)]]);
    expect((await runCli(["verify", "--db", at.place.file("new.db")])).code).toBe(0);
    const wrong = await runCli(["import", db, "--except", "5", "--db", at.place.file("new.db")]);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("has no sealed snapshot of ledger version 5 to leave out")]);
  });

  test("an oldest version above the newest is no answer: nothing is sealed there", async () => {
    await using node = await at.nodeWith([{ fault: faults.falseHead(() => ({ oldest: 9_000_000_000n, head: 1_000_000n })) }]);
    const result = await at.sync(node, "night.db", undefined);
    expect(result.code).toBe(1);
    expect(result.stderr).toContain("the headers give 9000000000 as the oldest version and 1000000 as the newest");
    expect(existsSync(at.place.file("night.db"))).toBe(false);
  });

  test.each(["abi", "database"] as const)(
    "bytes that cannot be decoded are kept when the node fails to give their ABI (%s)",
    async (kind) => {
      const ledger = ledgerOf((writer) => {
        writer.publish("0xcafe", "known", code("0xcafe", "known"));
        writer.publish("0xcafe", "newer", code("0xcafe", "newer").asVersion(11));
      });
      const match = ({ target }: { readonly target: string }) => target.includes("/module/newer");
      const plan = faults.planFaults([{ fault: faults.storageFailure(kind), match }]);
      await using node = await startSimNode({ ledger, faults: plan });
      const result = await at.sync(node, "night.db", undefined, ["--account", "0xcafe"]);
      expect(result.code, result.stderr).toBe(0);
      expect(result.json()).toMatchObject({ status: "sealed", modules: 2, new_bytecodes: 2, gaps: 0 });
      expect(at.rows("night.db", "SELECT bytecode_version, abi_id IS NULL, error_code FROM _bytecodes ORDER BY 1")).toEqual([
        [7, 0, null],
        [11, 1, "MOVEDEX_DECODE_UNSUPPORTED_VERSION"],
      ]);
      expect(plan.unmet()).toEqual([]);
    },
  );

  test("an ABI that belongs to other bytes than those listed is not taken", async () => {
    const ledger = ledgerOf((writer) => writer.publish("0xcafe", "newer", code("0xcafe", "newer").asVersion(11)));
    const other = ledgerOf((writer) => writer.publish("0xcafe", "newer", code("0xcafe", "newer")));
    const match = ({ target }: { readonly target: string }) => target.includes("/module/newer");
    await using node = await startSimNode({ ledger, faults: faults.planFaults([{ fault: faults.otherStorage(other), match }]) });
    expect((await at.sync(node, "night.db", undefined, ["--account", "0xcafe"])).code).toBe(0);
    expect(at.rows("night.db", "SELECT abi_id IS NULL FROM _bytecodes")).toEqual([[1]]);
  });

  test.each([
    ["of another module", "0xcafe", "bcs"],
    ["of another account", "0x66", "coin"],
  ])("bytes %s than listed: a finding, the account a gap, exit 2; another account is not touched", async (_, address, name) => {
    const ledger = ledgerOf((writer) => {
      writer.publish("0xcafe", "coin", code(address, name));
      writer.publish("0xbeef", "coin", code("0xbeef", "coin"));
    });
    await using node = await startSimNode({ ledger });
    const result = await at.sync(node, "night.db", undefined, ["--account", "0xcafe", "--account", "0xbeef"]);
    expect(result.code).toBe(2);
    expect(result.json()).toMatchObject({ status: "sealed_with_gaps", accounts: 1, gaps: 1 });
    expect(result.stderr).toContain(`gave the bytes of ${address}::${name} as 0xcafe::coin`);
    expect(at.rows("night.db", "SELECT address, module FROM modules_latest")).toEqual([["0xbeef", "coin"]]);
    expect(at.rows("night.db", "SELECT address, reason FROM gaps")).toEqual([["0xcafe", "misnamed"]]);
    expect(at.rows("night.db", "SELECT kind, subject, stored, found, origin FROM findings")).toEqual([
      ["module_name", "0xcafe::coin", "0xcafe::coin", `${address}::${name}`, node.url],
    ]);
  });

  test("wrong bytes from one of two nodes are a finding, and the account is sealed with the right ones", async () => {
    const ledger = ledgerOf((writer) => writer.publish("0xcafe", "coin", code("0xcafe", "coin")));
    const stale = ledgerOf((writer) => writer.publish("0xcafe", "coin", code("0xcafe", "bcs")));
    await using node = await startSimNode({
      ledger,
      faults: faults.planFaults([{ fault: faults.otherStorage(stale), match: listings, at: 1 }]),
    });
    const result = await at.sync(node, "night.db", undefined, ["--account", "0xcafe"]);
    expect(result.code, result.stderr).toBe(0);
    expect(at.rows("night.db", "SELECT subject, found FROM findings")).toEqual([["0xcafe::coin", "0xcafe::bcs"]]);
    expect(at.rows("night.db", "SELECT address, module FROM modules_latest")).toEqual([["0xcafe", "coin"]]);
  });

  test.each(["wide", "deep"] as const)("a few kB of gzip with %s JSON cost an account, not the night", async (kind) => {
    const bomb = faults.jsonBomb(kind, sized(5_000_000, 20_000_000));
    const [address] = at.scene.addresses;
    const match = ({ target }: { readonly target: string }) => target.includes(`/accounts/${address}/modules`);
    await using node = await at.nodeWith([{ fault: bomb, match }]);
    const before = process.memoryUsage().rss;
    const result = await at.sync(node, "night.db", at.scene.first);
    expect(result.code, result.stderr).toBe(2);
    expect(at.rows("night.db", "SELECT address, reason FROM gaps")).toEqual([[address, kind === "wide" ? "too_large" : "bad_answer"]]);
    expect(process.memoryUsage().rss - before).toBeLessThan(600e6);
  });

  test("a ledger of which nothing stored can be read any more: it is said that the histories could not be compared", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    expect((await at.sync(node, "night.db", at.scene.first)).stderr).not.toContain("could not compare");
    expect((await at.sync(node, "night.db", at.scene.second)).stderr).not.toContain("could not compare");
    at.scene.ledger.advance(1_000_000n);
    at.scene.ledger.pruneTo(at.scene.second + 10n);
    const { code: exit, stderr } = await at.sync(node, "night.db", undefined);
    expect(exit, stderr).toBe(0);
    expect(stderr).toContain("could not compare the history of");
    expect(stderr).toContain("Only the chain id and the time of its newest version were checked");
  });

  test("a first run against nothing leaves nothing behind, neither database nor lock", async () => {
    const clock = new ManualClock({ skipSleeps: true });
    for (const command of [["sync"], ["backfill", "--every", "100"]]) {
      const argv = [...command, "--rpc", "http://127.0.0.1:9/v1", "--db", at.place.file("new.db")];
      expect((await runCli(argv, { clock })).code).toBe(1);
    }
    expect(readdirSync(at.place.path).filter((name) => name.startsWith("new.db"))).toEqual([]);
  });

  test("a file that is no database is refused without a lock beside it", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    writeFileSync(at.place.file("accounts.txt"), "0x1\n".repeat(400));
    expect((await at.sync(node, "accounts.txt", undefined)).code).toBe(1);
    expect(readdirSync(at.place.path).filter((name) => name.startsWith("accounts.txt"))).toEqual(["accounts.txt"]);
  });
});
