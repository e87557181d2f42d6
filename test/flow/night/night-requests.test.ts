import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ModuleCode, type SimNodeOptions, startSimNode, writeModule } from "../../../sim/index.ts";
import { COUNT, databaseContent, ended, useNights } from "../../support/index.ts";

const at = useNights();

describe("what a night asks", () => {
  test("one account record and as many pages as there are, for each account, and the index twice in a first night", async () => {
    const { json } = await ended(at.sync(at.node, "a.db", at.scene.first, ["--page-size", "2"]));
    const count = (pattern: RegExp) => at.node.requests.filter(({ path }) => pattern.test(path)).length;
    expect(count(/\/accounts\/0x[0-9a-f]+$/)).toBe(COUNT + 1);
    // Three modules on pages of two; the account without any has one page.
    expect(count(/\/modules$/)).toBe(2 * COUNT + 1);
    // Twice, since nothing stored can bear out what the first answer says of the ledger.
    expect(at.node.requests.length).toBe(3 * COUNT + 2 + 2);
    expect(json()["requests"]).toBe(at.node.requests.length);
    expect(
      at.node.requests.filter(({ query }) => query !== "").every(({ query }) => query.includes(`ledger_version=${at.scene.first}`)),
    ).toBe(true);
  });

  test("a second night recognises the chain with three questions, and decodes nothing that it knows", async () => {
    const first = await at.sync(at.node, "a.db", at.scene.first);
    const asked = at.node.requestCount;
    const second = await at.sync(at.node, "a.db", at.scene.second);
    expect(at.node.requestCount - asked).toBeLessThanOrEqual(2 * (COUNT + 1) + 4);
    expect(first.json()).toMatchObject({ new_bytecodes: 36, changed_modules: 0 });
    expect(second.json()).toMatchObject({ new_bytecodes: 3, changed_modules: 3 });
  });
});

describe("--dry-run", () => {
  test("makes no file, and its numbers hold", async () => {
    const dry = await ended(at.sync(at.node, "a.db", at.scene.first, ["--dry-run", "--rate", "2"]));
    expect(dry.json()).toMatchObject({
      dry_run: true,
      accounts: COUNT + 1,
      held: false,
      above_horizon: `${at.scene.first}`,
      unfinished: [],
    });
    expect(existsSync(at.place.file("a.db"))).toBe(false);
    expect(dry.json()["duration_ms"]).toBe((dry.json()["requests_at_least"] as number) * 500);
    expect(dry.json()).toMatchObject({ bytes_received: null, bytes_stored: null });
    const run = await at.sync(at.node, "a.db", at.scene.first);
    expect(run.json()["requests"]).toBe(dry.json()["requests_at_least"]);
  });

  test("over an unfinished snapshot says what is left, and changes nothing", async () => {
    await at.sync(at.node, "a.db", at.scene.first, ["--max-requests", "9"]);
    const before = databaseContent(at.place.file("a.db"));
    const dry = await at.sync(at.node, "a.db", at.scene.first, ["--dry-run"]);
    expect(databaseContent(at.place.file("a.db"))).toEqual(before);
    const [left] = dry.json()["unfinished"] as [{ accounts_left: number }];
    expect(dry.json()).toMatchObject({ accounts: 0 });
    const run = await at.sync(at.node, "a.db", at.scene.first);
    expect(run.json()["requests"]).toBe(dry.json()["requests_at_least"]);
    expect(run.json()["accounts"]).toBe(COUNT + 1);
    // Judged by the first accounts, which here are as large as the others.
    const bytes = (run.json()["bytes_received"] as number) / (dry.json()["bytes_received"] as number);
    expect(bytes).toBeGreaterThan(0.5);
    expect(bytes).toBeLessThan(2);
    expect(dry.json()["bytes_stored"]).toBeGreaterThan(0);
    expect(left.accounts_left).toBeLessThan(COUNT + 1);
  });
});

describe("a scope that grows while the head stands still", () => {
  test("accounts added after the seal are read into the same snapshot", async () => {
    const some = at.scene.addresses.slice(0, 5).flatMap((address) => ["--account", address]);
    const first = await at.sync(at.node, "a.db", at.scene.second, some);
    expect(first.json()).toMatchObject({ accounts: 5, status: "sealed" });
    const dry = await at.sync(at.node, "a.db", at.scene.second, ["--dry-run"]);
    expect(dry.json()).toMatchObject({ held: true, accounts: COUNT + 1 - 5 });
    const asked = at.node.requestCount;
    const second = await at.sync(at.node, "a.db", at.scene.second);
    expect(at.node.requestCount - asked).toBeLessThanOrEqual(2 * (COUNT + 1 - 5) + 4);
    expect(second.json()).toMatchObject({ accounts: COUNT + 1, status: "sealed", gaps: 0 });
    expect(databaseContent(at.place.file("a.db"))).toEqual(await at.contentOfQuietNight());
  });

  test("an interrupted run goes on with the accounts that were added meanwhile", async () => {
    const some = at.scene.addresses.slice(4).flatMap((address) => ["--account", address]);
    const first = await at.sync(at.node, "a.db", at.scene.second, [...some, "--max-requests", "9"]);
    expect(first.json()["status"]).toBe("unsealed");
    const second = await at.sync(at.node, "a.db", at.scene.second);
    expect(second.json()).toMatchObject({ accounts: COUNT + 1, status: "sealed" });
    expect(databaseContent(at.place.file("a.db"))).toEqual(await at.contentOfQuietNight());
  });

  test("an extension that is interrupted is finished by the next run, whatever that one is asked for", async () => {
    await at.sync(at.node, "a.db", at.scene.first, ["--account", at.scene.addresses[0] as string]);
    const cut = await at.sync(at.node, "a.db", at.scene.first, ["--max-requests", "9"]);
    expect(cut.json()).toMatchObject({ status: "unsealed", digest: null });
    expect(at.rows("a.db", "SELECT ledger_version, accounts FROM snapshots")).toEqual([[Number(at.scene.first), 1]]);
    await ended(at.sync(at.node, "a.db", undefined));
    expect(at.rows("a.db", "SELECT ledger_version, accounts, status FROM snapshots ORDER BY 1")).toEqual([
      [Number(at.scene.first), COUNT + 1, "sealed"],
      [Number(at.scene.second), COUNT + 1, "sealed"],
    ]);
  });
});

describe("nodes of every kind", () => {
  const kinds: readonly (readonly [string, Partial<SimNodeOptions>])[] = [
    ["two at different heights behind one address", { behind: [0n, 60n] }],
    ["one that refuses BCS", { disabledFormats: ["bcs"] }],
    ["one that refuses JSON", { disabledFormats: ["json"] }],
    ["one that spells its headers as the specification does", { headerSpelling: "node" }],
    ["one with pages of two modules", { maxPageSize: 2 }],
  ];
  test.each(kinds)("%s: the same modules", async (_, options) => {
    await using node = await startSimNode({ ledger: at.scene.ledger, ...options });
    const { json } = await ended(at.sync(node, "a.db", at.scene.second - 60n));
    const quiet = await at.sync(at.node, "b.db", at.scene.second - 60n);
    expect(json()).toMatchObject({ digest: quiet.json()["digest"], status: "sealed" });
    expect(at.rows("a.db", "SELECT * FROM functions_latest ORDER BY address, module, name")).toEqual(
      at.rows("b.db", "SELECT * FROM functions_latest ORDER BY address, module, name"),
    );
  });

  test("bytecode newer than movedex knows: the node's own ABI is asked for, once for each bytecode", async () => {
    const newer = (address: string) =>
      new ModuleCode(writeModule({ address, name: "newer", functions: [{ name: "f", visibility: "public" }] })).asVersion(11);
    at.scene.ledger.transact((writer) => {
      for (const address of at.scene.addresses.slice(0, 4)) writer.publish(address, "newer", newer(address));
    });
    await using node = await startSimNode({ ledger: at.scene.ledger, maxBytecodeVersion: 11 });
    const { code: exit, json } = await at.sync(node, "a.db", undefined, ["--concurrency", "1"]);
    expect(exit).toBe(0);
    expect(json()["status"]).toBe("sealed");
    expect(node.requests.filter(({ path }) => path.endsWith("/module/newer"))).toHaveLength(4);
    at.scene.ledger.advance(10n);
    await ended(at.sync(node, "a.db", undefined));
    // The next run recognises the chain by stored modules, which may be among these.
    expect(node.requests.filter(({ path, accept }) => path.endsWith("/module/newer") && accept === "application/json")).toHaveLength(4);
    expect(at.rows("a.db", "SELECT count(*), min(bytecode_version) FROM modules_latest WHERE module = 'newer'")).toEqual([[4, 11]]);
    const [[functions]] = at.rows("a.db", "SELECT count(*) FROM functions_latest WHERE module = 'newer'") as [[number]];
    expect(functions).toBeGreaterThan(0);
  });
});
