import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faults, SimLedger, startSimNode, writeModule } from "../../../sim/index.ts";
import { sized } from "../../run-size.ts";
import { asWords, changeFile, ended, ManualClock, runCli, useNights, valuesOf } from "../../support/index.ts";

const at = useNights();
const index = ({ target }: { readonly target: string }): boolean => target === "/v1";

describe("a node that is not to be trusted", () => {
  const heads = [
    ["version 2^63 - 1", () => ({ head: 2n ** 63n - 1n })],
    ["a time ten years ahead", ({ timestampUsec }: { timestampUsec: bigint }) => ({ timestampUsec: timestampUsec + 315_360_000_000_000n })],
  ] as const;
  test.each(heads)("an answer with %s, once, whenever it comes, is stored nowhere: the next honest night ends well", async (_, change) => {
    for (const turn of sized([3], [1, 2, 3, 9])) {
      const db = `night-${turn}.db`;
      await using node = await at.nodeWith([{ fault: faults.falseHead(change), at: turn }]);
      await ended(at.sync(node, db, undefined));
      expect(at.rows(db, "SELECT DISTINCT head_version FROM _head_samples UNION SELECT head_version FROM _all_snapshots")).toEqual([
        [Number(at.scene.second)],
      ]);
      await ended(at.sync(at.node, db, at.scene.first));
    }
  });

  test("a node whose heads contradict each other again and again is refused, and nothing is written", async () => {
    let count = 0n;
    await using node = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 12n * ++count, oldest: 0n })), match: index }]);
    const result = await ended(at.sync(node, "night.db", undefined), 1);
    expect(result.json()).toMatchObject({ error: { code: expect.stringMatching(/^MOVEDEX_(HEAD_CONTRADICTORY|NODE_BAD_ANSWER)$/) } });
    expect(at.rows("night.db", "SELECT count(*) FROM _head_samples UNION ALL SELECT count(*) FROM _all_snapshots")).toEqual([[0], [0]]);
  });

  test("a node that says 2^63 - 1 in every answer, or what the stored head cannot have become, is refused, and nothing is written", async () => {
    await ended(at.sync(at.node, "night.db", at.scene.first));
    const heads = at.rows("night.db", "SELECT * FROM _head_samples");
    await using absurd = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 2n ** 63n - 1n })) }]);
    expect((await at.sync(absurd, "night.db", at.scene.second)).json()).toMatchObject({ error: { code: "MOVEDEX_NODE_BAD_ANSWER" } });
    await using liar = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 14n })) }]);
    expect((await at.sync(liar, "night.db", at.scene.second)).json()).toMatchObject({ error: { code: "MOVEDEX_WRONG_CHAIN" } });
    expect(at.rows("night.db", "SELECT * FROM _head_samples")).toEqual(heads);
    at.scene.ledger.advance(100n);
    await ended(at.sync(at.node, "night.db", undefined));
  });

  test("a false version of a whole first night shuts the honest node out until `doctor --forget-sample` strikes it out", async () => {
    await using liar = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 14n })) }]);
    await ended(at.sync(liar, "night.db", at.scene.first));
    at.scene.ledger.advance(100n);
    const refused = await ended(at.sync(at.node, "night.db", undefined), 4);
    expect(refused.stderr).toContain("`movedex doctor --forget-sample 100000000000000` deletes it");
    const doctor = (version: string) => runCli(["doctor", "--forget-sample", version, "--db", at.place.file("night.db")]);
    expect((await doctor("5")).stderr).toContain(
      "has no sample of a node with the newest version 5; the newest that it remembers is 100000000000000",
    );
    const forgotten = await ended(doctor("100000000000000"));
    expect(forgotten.stdout).toMatch(/^deleted [2-9] samples with the newest version 100000000000000; snapshots stay as they are$/m);
    await ended(at.sync(at.node, "night.db", undefined));
    expect(at.rows("night.db", "SELECT count(*) FROM _all_snapshots WHERE status = 'sealed'")).toEqual([[2]]);
  });

  test("a snapshot sealed at a version that does not exist is named, and left out of a new database", async () => {
    const { second } = at.scene;
    for (const version of [at.scene.first, second]) await ended(at.sync(at.node, "night.db", version));
    const db = at.place.file("night.db");
    // What a movedex before made of a node whose oldest version was above its newest.
    const stretches =
      "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'from_version' WHERE m.type = 'table' AND m.name <> '_all_findings'";
    const moved = valuesOf<string>(db, stretches).flatMap((table) =>
      ["from_version", "to_version"].map((end) => `UPDATE ${table} SET ${end} = 9000000000 WHERE ${end} = ${second}`),
    );
    changeFile(db, ...moved, `UPDATE _all_snapshots SET ledger_version = 9000000000 WHERE ledger_version = ${second}`);
    const [[newest]] = at.rows("night.db", "SELECT max(head_version) FROM _all_snapshots") as [[number]];
    const said = `the snapshot of ledger version 9000000000 lies above every newest version that a node gave (${newest})`;
    const doctor = await runCli(["doctor", "--rpc", at.node.url, "--rate", "0", "--db", db]);
    expect(doctor.stdout).toContain(said);
    expect(doctor.stdout).toContain(`\`movedex import ${db} --except 9000000000 --db NEW\``);
    const before = readFileSync(db);
    await ended(runCli(["import", db, "--except", "9000000000", "--db", at.place.file("new.db")]));
    expect(readFileSync(db).equals(before)).toBe(true);
    expect(at.rows("new.db", "SELECT ledger_version FROM snapshots")).toEqual([[Number(at.scene.first)]]);
    await ended(runCli(["verify", "--db", at.place.file("new.db")]));
    const wrong = await runCli(["import", db, "--except", "5", "--db", at.place.file("new.db")]);
    expect([wrong.code, wrong.stderr]).toEqual([64, expect.stringContaining("has no sealed snapshot of ledger version 5 to leave out")]);
  });

  test("an oldest version above the newest is no answer: nothing is sealed there", async () => {
    await using node = await at.nodeWith([{ fault: faults.falseHead(() => ({ oldest: 9_000_000_000n, head: 1_000_000n })) }]);
    const clock = new ManualClock({ skipSleeps: true });
    const result = await ended(runCli(["sync", "--rpc", node.url, "--db", at.place.file("none.db")], { clock }), 1);
    expect(result.stderr).toContain("the headers give 9000000000 as the oldest version and 1000000 as the newest");
    expect(existsSync(at.place.file("none.db"))).toBe(false);
  });

  test.each(["wide", "deep"] as const)("a few kB of gzip with %s JSON cost an account, not the night", async (kind) => {
    const bomb = faults.jsonBomb(kind, sized(2_000_000, 20_000_000));
    const [address] = at.scene.addresses;
    const match = ({ target }: { readonly target: string }) => target.includes(`/accounts/${address}/modules`);
    await using node = await at.nodeWith([{ fault: bomb, match }]);
    const before = process.memoryUsage().rss;
    await ended(at.sync(node, "night.db", at.scene.first), 2);
    expect(at.rows("night.db", "SELECT address, reason FROM gaps")).toEqual([[address, kind === "wide" ? "too_large" : "bad_answer"]]);
    expect(process.memoryUsage().rss - before).toBeLessThan(600e6);
  });

  describe("when a node has pruned all that is stored", () => {
    /** A ledger of which only code of the framework is stored, which tells it from no other. */
    const ledgerOf = (options: ConstructorParameters<typeof SimLedger>[0] = {}): SimLedger => {
      const ledger = new SimLedger(options);
      ledger.genesis((writer) => {
        writer.account("0xcafe");
        writer.publish("0x1", "coin", writeModule({ address: "0x1", name: "coin" }));
      });
      ledger.advanceTo(20_000n);
      return ledger;
    };
    const night = (node: { readonly url: string }, ...more: string[]) =>
      runCli(asWords`sync --rpc ${node.url} --rate 0 --account 0xcafe --account 0x1 --db ${at.place.file("night.db")} ${more}`);

    test.each([
      ["what stands at the newest version shows that it is the same ledger, though records and code went on", false],
      ["what stood before a snapshot without any modules shows it, too", true],
    ])("%s", async (_, isEmptyBetween) => {
      await ended(at.sync(at.node, "night.db", at.scene.first));
      if (isEmptyBetween) await ended(at.sync(at.node, "night.db", at.scene.second, ["--account", "0xdead"]));
      at.scene.ledger.advance(1_000_000n);
      at.scene.ledger.pruneTo(at.scene.second + 10n);
      const { code, stderr } = await at.sync(at.node, "night.db", undefined);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining("could not compare")]);
    });

    test("one module among those of a framework shows it, be it stored before a night that read the framework alone", async () => {
      const ledger = ledgerOf();
      ledger.transact((writer) => {
        for (let i = 0; i < 40; i++) writer.publish("0x1", `m${i}`, writeModule({ address: "0x1", name: `m${i}` }));
        writer.publish("0xcafe", "own", writeModule({ address: "0xcafe", name: "own" }));
      });
      await using node = await startSimNode({ ledger });
      await ended(night(node));
      ledger.advance(1000n);
      await ended(runCli(asWords`sync --rpc ${node.url} --rate 0 --account 0x1 --db ${at.place.file("night.db")}`));
      ledger.advance(90_000n);
      ledger.pruneTo(60_000n);
      const { stderr } = await ended(night(node));
      expect(stderr).not.toContain("could not compare");
    });

    test("a node that fails to say what stands there is one that fails, and no other ledger", async () => {
      await ended(at.sync(at.node, "night.db", at.scene.first));
      at.scene.ledger.advance(1_000_000n);
      at.scene.ledger.pruneTo(at.scene.second + 10n);
      const match = ({ target }: { readonly target: string }) => target.includes("/module/");
      await using failing = await at.nodeWith([{ fault: faults.storageFailure("abi"), match }]);
      const { stderr } = await ended(at.sync(failing, "night.db", undefined), 1);
      expect(stderr).toMatch(/\/module\/\S+: the node reported an internal error: 500 internal_error: Failed to parse move module ABI/);
      expect(stderr).not.toContain("could not compare");
      // Where it never says so, that is the way on.
      expect(stderr).toContain("--accept-new-history");
      await ended(at.sync(failing, "night.db", undefined, ["--accept-new-history"]), 0);
    });

    test("where nothing tells one ledger from another a person has to say so, once", async () => {
      await using before = await startSimNode({ ledger: ledgerOf() });
      await ended(night(before));
      const content = at.rows("night.db", "SELECT * FROM snapshots");
      // Later than the ledger that it takes the place of, and already above its versions: its chain id is the same.
      const startedAnew = ledgerOf({ genesisUsec: 1_780_000_000_000_000n });
      startedAnew.advanceTo(90_000n);
      startedAnew.pruneTo(60_000n);
      await using other = await startSimNode({ ledger: startedAnew });
      const refused = await ended(night(other), 4);
      expect(refused.stderr).toMatch(/could not compare the history of .*let one run continue with --accept-new-history/);
      const doctor = await ended(runCli(["doctor", "--rpc", other.url, "--rate", "0", "--db", at.place.file("night.db")]), 1);
      expect(doctor.stdout).toMatch(/^fail {2}node {6}could not compare the history of .*let one run continue with --accept-new-history/m);
      expect(at.rows("night.db", "SELECT * FROM snapshots")).toEqual(content);
      const accepted = await night(other, "--accept-new-history");
      expect([accepted.code, accepted.stderr]).toEqual([
        0,
        expect.stringContaining("Only the chain id was checked, and that ledger time has risen"),
      ]);
      await ended(night(other), 7);
    });
  });

  describe("when a node's newest version is below all that is stored", () => {
    const ledgerOf = (head: bigint, options: ConstructorParameters<typeof SimLedger>[0] = {}): SimLedger => {
      const ledger = new SimLedger(options);
      ledger.genesis((writer) => writer.publish("0xcafe", "market", writeModule({ address: "0xcafe", name: "market" })));
      ledger.advanceTo(head);
      return ledger;
    };

    test.each<[string, SimLedger, RegExp | undefined]>([
      [
        "that is later is refused",
        ledgerOf(5_000n, { usecPerVersion: 100_000n }),
        /version 20000 was seen at ledger time .*, and .* has version 5000 at 2026-01-01T00:08:20.000Z:/,
      ],
      ["that lags is not", ledgerOf(5_000n), undefined],
    ])("a ledger %s", async (_, ledger, said) => {
      const night = (node: { readonly url: string }) =>
        runCli(asWords`sync --rpc ${node.url} --rate 0 --account 0xcafe --db ${at.place.file("night.db")}`);
      await using first = await startSimNode({ ledger: ledgerOf(20_000n) });
      await ended(night(first));
      await using later = await startSimNode({ ledger: ledgerOf(900_000n) });
      await ended(night(later));
      await using other = await startSimNode({ ledger });
      const { stdout, stderr } = await ended(night(other), said === undefined ? 7 : 4);
      if (said !== undefined) expect(stderr).toMatch(said);
      else
        expect([stderr, stdout]).toEqual([
          expect.not.stringContaining("could not compare"),
          expect.stringContaining("or is of another ledger"),
        ]);
      expect(at.rows("night.db", "SELECT count(*) FROM _head_samples WHERE head_version < 20000")).toEqual([[said === undefined ? 1 : 0]]);
    });
  });

  test("a first run against nothing leaves nothing behind, neither database nor lock", async () => {
    const clock = new ManualClock({ skipSleeps: true });
    for (const command of [["sync"], ["backfill", "--every", "100"]]) {
      const argv = [...command, "--rpc", "http://127.0.0.1:9/v1", "--db", at.place.file("new.db")];
      await ended(runCli(argv, { clock }), 1);
    }
    expect(readdirSync(at.place.path).filter((name) => name.startsWith("new.db"))).toEqual([]);
  });
});
