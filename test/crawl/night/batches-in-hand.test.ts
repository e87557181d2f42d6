import { describe, expect, test } from "vitest";
import { type BatchInHand, openBatches } from "../../../src/crawl/night/batches-in-hand.ts";
import { StoreError } from "../../../src/engine/errors.ts";
import { fenced, type Lease } from "../../../src/engine/leases/leases.ts";
import type { Batch } from "../../../src/work/workers/batches.ts";
import { addressOf } from "../../support/store/temporary-store.ts";

const leaseOf = (first: number): Lease => ({ name: `batch:7:${first}`, owner: "a", fence: 1 });

/** Batches of two accounts each. What is done to their rows is written down; `fails` says with what. */
function plan(batches: number, fails: (batch: Batch) => unknown = () => undefined) {
  const done: string[] = [];
  const said: string[] = [];
  const left = Array.from({ length: batches }, (_, i) => ({
    ledgerVersion: 7n,
    first: 2 * i,
    last: 2 * i + 1,
    round: 1,
    lease: leaseOf(2 * i),
  }));
  const act = (what: string) => async (batch: Batch) => {
    const error = fails(batch);
    if (error !== undefined) throw error;
    done.push(`${what} ${batch.first}`);
  };
  const queries = {
    takeBatch: async () => left.shift(),
    accountsOf: async ({ first, last }: Batch) => [first, last].map((n) => ({ address: addressOf(n), readsRecord: true })),
    completeBatch: act("complete"),
    postponeBatch: act("postpone"),
    releaseBatch: act("release"),
  };
  return { done, said, hand: openBatches(queries, (_, message) => said.push(message)) };
}

async function take(hand: ReturnType<typeof openBatches>): Promise<BatchInHand> {
  const next = await hand.take(7n);
  expect(next?.accounts).toHaveLength(2);
  return next?.taken as BatchInHand;
}

describe("a batch in hand", () => {
  test("ends with its last account, and is put off where one is to be tried again", async () => {
    const { done, hand } = plan(2);
    const [one, other] = [await take(hand), await take(hand)];
    expect([hand.count(), await hand.take(7n)]).toEqual([2, undefined]);
    await hand.settle(one, "answered");
    await hand.settle(other, "postponed");
    expect([done, hand.count()]).toEqual([[], 2]);
    await hand.settle(one, "answered");
    await hand.settle(other, "answered");
    expect([done, hand.count()]).toEqual([["complete 0", "postpone 2"], 0]);
  });

  test("that another worker took over is gone, which is said once, and the others stay", async () => {
    const { done, said, hand } = plan(2, ({ first }) => (first === 0 ? fenced(leaseOf(0)) : undefined));
    const [one, other] = [await take(hand), await take(hand)];
    await hand.settle(one, "answered");
    await hand.settle(one, "answered");
    expect([one.isGone, other.isGone, hand.count()]).toEqual([true, false, 1]);
    expect(hand.isLost(fenced(leaseOf(0)), one)).toBe(true);
    expect(said).toHaveLength(1);
    expect(hand.isLost(fenced(leaseOf(0)), other)).toBe(false);
    await hand.giveBack();
    expect([done, other.isGone, hand.count()]).toEqual([["release 2"], true, 0]);
    await hand.settle(other, "answered");
    await hand.settle(other, "answered");
    expect(done).toEqual(["release 2"]);
  });

  test("that the database cannot end fails, and is given back", async () => {
    let isAway = true;
    const away = new StoreError("MOVEDEX_STORE_BUSY", "away");
    const { done, hand } = plan(2, () => (isAway ? away : undefined));
    const one = await take(hand);
    await take(hand);
    await hand.settle(one, "answered");
    await expect(hand.settle(one, "answered")).rejects.toBe(away);
    expect(hand.count()).toBe(2);
    isAway = false;
    await hand.giveBack();
    expect(done).toEqual(["release 0", "release 2"]);
  });

  test("is let go where it cannot even be given back", async () => {
    const { hand } = plan(1, () => new Error("away"));
    await take(hand);
    await hand.giveBack();
    expect(hand.count()).toBe(0);
  });
});
