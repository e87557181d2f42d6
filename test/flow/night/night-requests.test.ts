import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { startSimNode } from "../../../sim/index.ts";
import { ended } from "../../support/command/ended.ts";
import { databaseContent } from "../../support/database-content.ts";
import { COUNT, useNights } from "../../support/nights.ts";

const at = useNights();

describe("what a night asks", () => {
  test("one account record and as many pages as there are, for each account, and the index twice in a first night", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    const { json } = await ended(at.sync(node, "a.db", at.scene.first, ["--page-size", "2"]));
    const count = (pattern: RegExp) => node.requests.filter(({ path }) => pattern.test(path)).length;
    expect(count(/\/accounts\/0x[0-9a-f]+$/)).toBe(COUNT + 1);
    // Three modules on pages of two; the account without any has one page.
    expect(count(/\/modules$/)).toBe(2 * COUNT + 1);
    // Twice, since nothing stored can bear out what the first answer says of the ledger.
    expect(node.requests.length).toBe(3 * COUNT + 2 + 2);
    expect(json()["requests"]).toBe(node.requests.length);
    expect(node.requests.filter(({ query }) => query !== "").every(({ query }) => query.includes(`ledger_version=${at.scene.first}`))).toBe(
      true,
    );
  });

  test("a second night recognises the chain with three questions, and decodes nothing that it knows", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    const first = await at.sync(node, "a.db", at.scene.first);
    const asked = node.requestCount;
    const second = await at.sync(node, "a.db", at.scene.second);
    expect(node.requestCount - asked).toBeLessThanOrEqual(2 * (COUNT + 1) + 4);
    expect(first.json()).toMatchObject({ new_bytecodes: 36, changed_modules: 0 });
    expect(second.json()).toMatchObject({ new_bytecodes: 3, changed_modules: 3 });
  });

  test("at a version that is held it reads nothing", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    const first = await at.sync(node, "a.db", undefined);
    const before = databaseContent(at.place.file("a.db"));
    const again = await ended(at.sync(node, "a.db", undefined));
    expect(again.json()["requests"]).toBeLessThanOrEqual(4);
    expect(again.json()).toMatchObject({ digest: first.json()["digest"], accounts: COUNT + 1, status: "sealed" });
    expect(databaseContent(at.place.file("a.db"))).toEqual(before);
  });
});

describe("--dry-run", () => {
  test("makes no file, and its numbers hold", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    const dry = await ended(at.sync(node, "a.db", at.scene.first, ["--dry-run", "--rate", "2"]));
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
    const run = await at.sync(node, "a.db", at.scene.first);
    expect(run.json()["requests"]).toBe(dry.json()["requests_at_least"]);
  });

  test("over an unfinished snapshot says what is left, and changes nothing", async () => {
    await using node = await startSimNode({ ledger: at.scene.ledger });
    await at.sync(node, "a.db", at.scene.first, ["--max-requests", "9"]);
    const before = databaseContent(at.place.file("a.db"));
    const dry = await at.sync(node, "a.db", at.scene.first, ["--dry-run"]);
    expect(databaseContent(at.place.file("a.db"))).toEqual(before);
    const [left] = dry.json()["unfinished"] as [{ accounts_left: number }];
    expect(dry.json()).toMatchObject({ accounts: 0 });
    const run = await at.sync(node, "a.db", at.scene.first);
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
