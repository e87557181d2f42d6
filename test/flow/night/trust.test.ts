import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { faults, SimLedger, startSimNode } from "../../../sim/index.ts";
import { ModuleCode } from "../../../sim/ledger/module-code.ts";
import { writeModule } from "../../../sim/module-writer/module-writer.ts";
import { sized } from "../../run-size.ts";
import { asWords } from "../../support/command/as-words.ts";
import { ended } from "../../support/command/ended.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { useNights } from "../../support/nights.ts";
import { runCli } from "../../support/run-cli.ts";
import { changeFile, valuesOf } from "../../support/store/ask-file.ts";

const at = useNights();
const index = ({ target }: { readonly target: string }): boolean => target === "/v1";

describe("a node that is not to be trusted", () => {
  const heads = [
    ["version 2^63 - 1", () => ({ head: 2n ** 63n - 1n })],
    ["a time ten years ahead", ({ timestampUsec }: { timestampUsec: bigint }) => ({ timestampUsec: timestampUsec + 315_360_000_000_000n })],
  ] as const;
  test.each(heads)("an answer with %s, once, whenever it comes, is stored nowhere: the next honest night ends well", async (_, change) => {
    for (const turn of sized([1, 3], [1, 2, 3, 9])) {
      const db = `night-${turn}.db`;
      await using node = await at.nodeWith([{ fault: faults.falseHead(change), at: turn }]);
      await ended(at.sync(node, db, undefined));
      expect(at.rows(db, "SELECT DISTINCT head_version FROM _head_samples UNION SELECT head_version FROM _pins")).toEqual([
        [Number(at.scene.second)],
      ]);
      await using honest = await startSimNode({ ledger: at.scene.ledger });
      await ended(at.sync(honest, db, at.scene.first));
    }
  });

  test("a node whose heads contradict each other again and again is refused, and nothing is written", async () => {
    let count = 0n;
    await using node = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 12n * ++count, oldest: 0n })), match: index }]);
    const result = await ended(at.sync(node, "night.db", undefined), 1);
    expect(result.json()).toMatchObject({ error: { code: expect.stringMatching(/^MOVEDEX_(HEAD_CONTRADICTORY|NODE_BAD_ANSWER)$/) } });
    expect(at.rows("night.db", "SELECT count(*) FROM _head_samples UNION ALL SELECT count(*) FROM _pins")).toEqual([[0], [0]]);
  });

  test("a node that says 2^63 - 1 in every answer is refused, and a lower lie of a whole night shuts no honest node out that was heard before", async () => {
    await using honest = await startSimNode({ ledger: at.scene.ledger });
    await ended(at.sync(honest, "night.db", at.scene.first));
    await using absurd = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 2n ** 63n - 1n })) }]);
    expect((await at.sync(absurd, "night.db", at.scene.second)).json()).toMatchObject({ error: { code: "MOVEDEX_NODE_BAD_ANSWER" } });
    await using liar = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 14n })) }]);
    await at.sync(liar, "night.db", at.scene.first);
    expect(at.rows("night.db", "SELECT count(*) > 0 FROM _head_samples WHERE head_version = 100000000000000")).toEqual([[1]]);
    at.scene.ledger.advance(100n);
    await ended(at.sync(honest, "night.db", undefined));
  });

  test("a false version of a whole first night is struck out by the honest node, whose history is the one that is stored", async () => {
    // Every answer of the first night says the same: nothing shows it to be false.
    await using liar = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 14n })) }]);
    await ended(at.sync(liar, "night.db", at.scene.first));
    at.scene.ledger.advance(100n);
    await using honest = await startSimNode({ ledger: at.scene.ledger });
    const before = readFileSync(at.place.file("night.db"));
    await ended(at.sync(honest, "night.db", undefined, ["--dry-run"]));
    expect(readFileSync(at.place.file("night.db")).equals(before)).toBe(true);
    const night = await ended(at.sync(honest, "night.db", undefined));
    expect(night.stderr).toContain("ledger version 100000000000000 was stored as a node's newest");
    expect(at.rows("night.db", "SELECT count(*) FROM _head_samples WHERE head_version = 100000000000000")).toEqual([[0]]);
    const next = await at.sync(honest, "night.db", at.scene.second);
    expect([next.code, next.stderr]).toEqual([0, expect.not.stringContaining("was false")]);
  });

  test("the same is not done for a ledger that was started anew, whose framework alone is the one that is stored", async () => {
    const ledgerWith = (head: bigint): SimLedger => {
      const ledger = new SimLedger();
      ledger.genesis((writer) => writer.publish("0x1", "coin", new ModuleCode(writeModule({ address: "0x1", name: "coin" }))));
      ledger.advanceTo(head);
      return ledger;
    };
    await using old = await startSimNode({ ledger: ledgerWith(900_000n) });
    await ended(at.sync(old, "night.db", 1000n, ["--account", "0x1"]));
    const anew = ledgerWith(2000n);
    const later = faults.falseHead(({ timestampUsec }) => ({ timestampUsec: timestampUsec + 10n ** 15n }));
    await using node = await startSimNode({ ledger: anew, faults: faults.planFaults([{ fault: later }]) });
    const refused = await ended(at.sync(node, "night.db", undefined, ["--account", "0x1"]), 4);
    expect(refused.stderr).toContain("`movedex doctor --forget-sample 900000` deletes it");
  });

  test("a false version shuts the honest node out until `doctor --forget-sample` strikes it out, where nothing stored can be compared", async () => {
    await using liar = await at.nodeWith([{ fault: faults.falseHead(() => ({ head: 10n ** 14n })) }]);
    await ended(at.sync(liar, "night.db", at.scene.first));
    at.scene.ledger.advance(100n);
    at.scene.ledger.pruneTo(at.scene.second);
    await using honest = await startSimNode({ ledger: at.scene.ledger });
    const refused = await ended(at.sync(honest, "night.db", undefined), 4);
    expect(refused.stderr).toContain("`movedex doctor --forget-sample 100000000000000` deletes it");
    const doctor = (version: string) => runCli(["doctor", "--forget-sample", version, "--db", at.place.file("night.db")]);
    expect((await doctor("5")).stderr).toContain(
      "has no sample of a node with the newest version 5; the newest that it remembers is 100000000000000",
    );
    const forgotten = await ended(doctor("100000000000000"));
    expect(forgotten.stdout).toMatch(/^deleted [2-9] samples with the newest version 100000000000000; snapshots stay as they are$/m);
    await ended(at.sync(honest, "night.db", undefined));
    expect(at.rows("night.db", "SELECT count(*) FROM _pins WHERE status = 'sealed'")).toEqual([[2]]);
  });

  test("a snapshot sealed at a version that does not exist is named, and left out of a new database", async () => {
    await using honest = await startSimNode({ ledger: at.scene.ledger });
    const { second } = at.scene;
    for (const version of [at.scene.first, second]) await ended(at.sync(honest, "night.db", version));
    const db = at.place.file("night.db");
    // What a movedex before made of a node whose oldest version was above its newest.
    const stretches =
      "SELECT m.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c ON c.name = 'from_version' WHERE m.type = 'table' AND m.name <> '_disagreements'";
    const moved = valuesOf<string>(db, stretches).flatMap((table) =>
      ["from_version", "to_version"].map((end) => `UPDATE ${table} SET ${end} = 9000000000 WHERE ${end} = ${second}`),
    );
    changeFile(db, ...moved, `UPDATE _pins SET ledger_version = 9000000000 WHERE ledger_version = ${second}`);
    const [[newest]] = at.rows("night.db", "SELECT max(head_version) FROM _pins") as [[number]];
    const said = `the snapshot of ledger version 9000000000 lies above every newest version that a node gave (${newest})`;
    const doctor = await runCli(["doctor", "--rpc", honest.url, "--rate", "0", "--db", db]);
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
    const result = await ended(at.sync(node, "night.db", undefined), 1);
    expect(result.stderr).toContain("the headers give 9000000000 as the oldest version and 1000000 as the newest");
    expect(existsSync(at.place.file("night.db"))).toBe(false);
  });

  test.each(["wide", "deep"] as const)("a few kB of gzip with %s JSON cost an account, not the night", async (kind) => {
    const bomb = faults.jsonBomb(kind, sized(5_000_000, 20_000_000));
    const [address] = at.scene.addresses;
    const match = ({ target }: { readonly target: string }) => target.includes(`/accounts/${address}/modules`);
    await using node = await at.nodeWith([{ fault: bomb, match }]);
    const before = process.memoryUsage().rss;
    await ended(at.sync(node, "night.db", at.scene.first), 2);
    expect(at.rows("night.db", "SELECT address, reason FROM gaps")).toEqual([[address, kind === "wide" ? "too_large" : "bad_answer"]]);
    expect(process.memoryUsage().rss - before).toBeLessThan(600e6);
  });

  describe("when a node has pruned all that is stored", () => {
    /** Two accounts whose code and record tell one ledger from another, or do not. */
    const ledgerOf = (
      genesis: Parameters<SimLedger["genesis"]>[0],
      options: ConstructorParameters<typeof SimLedger>[0] = {},
    ): SimLedger => {
      const ledger = new SimLedger(options);
      ledger.genesis(genesis);
      ledger.advanceTo(20_000n);
      return ledger;
    };
    const night = (node: { readonly url: string }, ...more: string[]) =>
      runCli(asWords`sync --rpc ${node.url} --rate 0 --account 0xcafe --account 0x1 --db ${at.place.file("night.db")} ${more}`);
    const telling: Parameters<SimLedger["genesis"]>[0] = (writer) => {
      writer.account("0x1");
      writer.account("0xcafe", { sequenceNumber: 40n });
      writer.publish("0xcafe", "market", writeModule({ address: "0xcafe", name: "market" }));
    };
    const silent: Parameters<SimLedger["genesis"]>[0] = (writer) => {
      writer.account("0xcafe");
      writer.publish("0x1", "coin", writeModule({ address: "0x1", name: "coin" }));
    };
    const startedAnew = (
      genesis: Parameters<SimLedger["genesis"]>[0],
      options: ConstructorParameters<typeof SimLedger>[0] = {},
    ): SimLedger => {
      // Later than the ledger that it takes the place of, and already above its versions: its chain id is the same.
      const ledger = ledgerOf(genesis, { genesisUsec: 1_780_000_000_000_000n, ...options });
      ledger.advanceTo(90_000n);
      ledger.pruneTo(60_000n);
      return ledger;
    };

    test("what stands at the newest version shows that it is the same ledger, though records and code went on", async () => {
      await using node = await startSimNode({ ledger: at.scene.ledger });
      await ended(at.sync(node, "night.db", at.scene.first));
      at.scene.ledger.advance(1_000_000n);
      at.scene.ledger.pruneTo(at.scene.second + 10n);
      const { code, stderr } = await at.sync(node, "night.db", undefined);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining("could not compare")]);
    });

    test.each<[string, Parameters<SimLedger["genesis"]>[0], string]>([
      [
        "an account that has sent less",
        (writer) => {
          telling(writer);
          writer.account("0xcafe", { sequenceNumber: 3n });
        },
        "with sequence number 40 at ledger version 20000, and at its newest version 90000",
      ],
      [
        "an account that is gone",
        (writer) => writer.account("0x1"),
        "with sequence number 40 at ledger version 20000, and at its newest version 90000",
      ],
    ])("a ledger that was started anew is refused by %s", async (_, genesis, said) => {
      await using before = await startSimNode({ ledger: ledgerOf(telling) });
      await ended(night(before));
      await using reset = await startSimNode({ ledger: startedAnew(genesis) });
      const { stderr } = await ended(night(reset, "--accept-new-history"), 4);
      expect(stderr).toContain("wrong chain: ");
      expect(stderr).toContain(said);
    });

    test("a ledger that was started anew is refused by its epochs and blocks", async () => {
      await using before = await startSimNode({ ledger: ledgerOf(silent) });
      await ended(night(before));
      await using reset = await startSimNode({ ledger: startedAnew(silent, { versionsPerBlock: 1_000n }) });
      const { code, stderr } = await night(reset, "--accept-new-history");
      expect([code, stderr]).toEqual([
        4,
        expect.stringMatching(/ledger version 20000 was seen in block height 2000, and .* has version 90000 in block height 90:/),
      ]);
    });

    test("where nothing tells one ledger from another a person has to say so, once", async () => {
      await using before = await startSimNode({ ledger: ledgerOf(silent) });
      await ended(night(before));
      const content = at.rows("night.db", "SELECT * FROM snapshots");
      const upgraded: Parameters<SimLedger["genesis"]>[0] = (writer) => {
        silent(writer);
        writer.account("0x1");
      };
      await using other = await startSimNode({ ledger: startedAnew(upgraded) });
      const refused = await ended(night(other), 4);
      expect(refused.stderr).toMatch(/could not compare the history of .*run the same command once with --accept-new-history/);
      expect(at.rows("night.db", "SELECT * FROM snapshots")).toEqual(content);
      const accepted = await night(other, "--accept-new-history");
      expect([accepted.code, accepted.stderr]).toEqual([
        0,
        expect.stringContaining("Only the chain id was checked, and that time, epochs and blocks have risen"),
      ]);
      await ended(night(other), 7);
    });
  });

  describe("when a node's newest version is below all that is stored", () => {
    const ledgerOf = (head: bigint, sequenceNumber: bigint, options: ConstructorParameters<typeof SimLedger>[0] = {}): SimLedger => {
      const ledger = new SimLedger(options);
      ledger.genesis((writer) => writer.account("0xcafe", { sequenceNumber }));
      ledger.advanceTo(head);
      return ledger;
    };
    const night = (node: { readonly url: string }) =>
      runCli(asWords`sync --rpc ${node.url} --rate 0 --account 0xcafe --db ${at.place.file("night.db")}`);

    test.each<[string, SimLedger, RegExp | undefined]>([
      [
        "whose account has sent more",
        ledgerOf(5_000n, 41n),
        /with sequence number 40 at ledger version 900000, and at its newest version 5000 .* gives 41/,
      ],
      [
        "that has more blocks",
        ledgerOf(5_000n, 0n, { versionsPerBlock: 1n }),
        /version 20000 was seen in block height 2000, and .* has version 5000 in block height 5000:/,
      ],
      [
        "that is later",
        ledgerOf(5_000n, 0n, { usecPerVersion: 100_000n }),
        /version 20000 was seen at ledger time .*, and .* has version 5000 at ledger time 2026-01-01T00:08:20.000Z:/,
      ],
      ["that nothing contradicts", ledgerOf(5_000n, 40n), undefined],
    ])("a ledger %s is refused where that is certain", async (_, ledger, said) => {
      await using first = await startSimNode({ ledger: ledgerOf(20_000n, 40n) });
      await ended(night(first));
      await using later = await startSimNode({ ledger: ledgerOf(900_000n, 40n) });
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

  test("a file that is no database is refused without a lock beside it", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    writeFileSync(at.place.file("accounts.txt"), "0x1\n".repeat(400));
    await ended(at.sync(node, "accounts.txt", undefined), 1);
    expect(readdirSync(at.place.path).filter((name) => name.startsWith("accounts.txt"))).toEqual(["accounts.txt"]);
  });
});
