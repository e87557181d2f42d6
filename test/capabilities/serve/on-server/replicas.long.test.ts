import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import { createSampleLedger, startSimNode } from "../../../../sim/index.ts";
import { eachPostgres } from "../../../engine/support/postgres-databases.ts";
import { rawRequest } from "../../../support/raw-request.ts";
import { startServeProcess } from "../support/serve-process.ts";
import { crawl, jsonOf } from "../support/served-archive.ts";

const NIGHTS = 4;

eachPostgres("three processes on one database", (open) => {
  test("answer alike while nights run, each answer whole and of one state, and all show each seal", async () => {
    const at = await open();
    const url = at.url();
    const sample = createSampleLedger();
    await using node = await startSimNode({ ledger: sample.ledger });
    const accounts = [...sample.codeAccounts, sample.trader];
    await crawl(url, node.url, accounts);
    const reader = await at.reader();
    const replicas = await Promise.all([1, 2, 3].map(() => startServeProcess(["--db", reader, "--no-pages"])));
    const sealed = new Set([sample.ledger.head]);
    const known = new Map<string, string>();
    let [isOver, answered] = [false, 0];

    // What is asked at a sealed version never changes, whichever process is asked, and whenever.
    const askSealed = async (turn: number): Promise<void> => {
      const version = [...sealed][turn % sealed.size] as bigint;
      const account = accounts[turn % accounts.length] as string;
      const path = [`/accounts/${account}`, `/accounts/${account}/modules`, `/accounts/0x1/module/coin`][turn % 3] as string;
      const accept = turn % 2 === 0 ? "application/json" : "application/x-bcs";
      const target = `${path}?ledger_version=${version}`;
      for (const { url: base } of replicas) {
        const { status, headers, body } = await rawRequest(base + target, { headers: { accept } });
        const seen = JSON.stringify([status, headers["etag"], headers["x-movedex-observed-at"], body.toString("latin1")]);
        const key = `${accept} ${target}`;
        expect([key, seen]).toEqual([key, known.get(key) ?? seen]);
        known.set(key, seen);
        expect([key, status]).toEqual([key, 200]);
        answered += 1;
      }
    };
    // What is asked without a version is of one snapshot in its headers and its body, and no process goes back.
    const newest = new Map<string, bigint>();
    const askNewest = async (): Promise<void> => {
      for (const { url: base } of replicas) {
        const index = await rawRequest(base);
        const version = BigInt(String(index.headers["x-aptos-ledger-version"]));
        expect(jsonOf(index)["ledger_version"]).toBe(String(version));
        expect(version >= (newest.get(base) ?? 0n)).toBe(true);
        newest.set(base, version);
        const record = await rawRequest(`${base}/accounts/${sample.trader}`);
        expect([record.status, record.headers["x-movedex-observed-at"]]).toEqual([200, record.headers["x-aptos-ledger-version"]]);
        answered += 2;
      }
    };
    const turns = new EventEmitter();
    const asking = (async () => {
      for (let turn = 0; !isOver; turn++) {
        await Promise.all([askSealed(turn), askNewest()]);
        turns.emit("turn");
      }
    })();

    const nextTurn = () => Promise.race([asking, once(turns, "turn")]);
    try {
      for (let night = 0; night < NIGHTS; night++) {
        sample.passDay();
        const version = sample.ledger.head;
        await crawl(url, node.url, accounts);
        // Each process looks for a new seal four times a second. The test ends by its limit of time where one of them never shows it.
        while (replicas.some(({ url: base }) => (newest.get(base) ?? 0n) < version)) await nextTurn();
        sealed.add(version);
      }
      while (answered < 3000) await nextTurn();
    } finally {
      isOver = true;
      await asking;
      for (const replica of replicas) expect(await replica.stop()).toBe(0);
    }
    expect(new Set(newest.values())).toEqual(new Set([sample.ledger.head]));
    expect(answered).toBeGreaterThan(3000);
  });
});
