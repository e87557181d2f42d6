import { describe, expect, test } from "vitest";
import { openVisitBatch } from "../../../src/core/crawl/night/visit-batch.ts";
import type { Visit, VisitResult } from "../../../src/core/db/archive/snapshots/visits.ts";
import { StoreError, type StoreErrorCode } from "../../../src/core/db/engine/errors.ts";
import { type Address, parseAddress } from "../../../src/core/move/address.ts";

const visitOf = (address: string): Visit => ({ address: parseAddress(address) as Address, account: null, modules: [] });

/** Each visit's own result, to tell it from the others'. */
const resultOf = ({ address }: Visit): VisitResult => ({ newBytecodes: Number(address) });

function batch(isRefused: (visit: Visit) => boolean = () => false, code: StoreErrorCode = "MOVEDEX_STORE_VISIT") {
  const transactions: string[][] = [];
  let tries = 0;
  const commitVisits = async (_: bigint, visits: readonly Visit[]): Promise<readonly VisitResult[]> => {
    if (visits.some(isRefused)) {
      tries += 1;
      throw new StoreError(code, "refused");
    }
    transactions.push(visits.map(({ address }): string => address));
    return visits.map(resultOf);
  };
  return { transactions, failed: () => tries, visits: openVisitBatch({ commitVisits }, 7n, 20) };
}

describe("openVisitBatch", () => {
  test("stores what comes within a turn in one transaction, each with its own result", async () => {
    const { transactions, visits } = batch();
    const both = [visits.commit(visitOf("0x1")), visits.commit(visitOf("0x2"))];
    expect(await Promise.all(both)).toEqual([{ newBytecodes: 1 }, { newBytecodes: 2 }]);
    expect(await visits.commit(visitOf("0x3"))).toEqual({ newBytecodes: 3 });
    expect(transactions).toEqual([["0x1", "0x2"], ["0x3"]]);
  });

  test("a visit that is refused fails alone", async () => {
    const { transactions, visits } = batch(({ address }) => address === "0x2");
    const outcomes = await Promise.allSettled(["0x1", "0x2", "0x3"].map((address) => visits.commit(visitOf(address))));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(transactions).toEqual([["0x1"], ["0x3"]]);
  });

  test("a database that another program has locked is asked once for all of them", async () => {
    const { failed, visits } = batch(() => true, "MOVEDEX_STORE_BUSY");
    const outcomes = await Promise.allSettled(["0x1", "0x2", "0x3"].map((address) => visits.commit(visitOf(address))));
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(failed()).toBe(1);
  });

  test("what comes while a transaction is under way waits for the next, and reading waits where too much waits", async () => {
    const held: (() => void)[] = [];
    const sizes: number[] = [];
    const commitVisits = async (_: bigint, visits: readonly Visit[]): Promise<readonly VisitResult[]> => {
      sizes.push(visits.length);
      await new Promise<void>((resolve) => held.push(resolve));
      return visits.map(resultOf);
    };
    const visits = openVisitBatch({ commitVisits }, 7n, 20);
    const code = new Uint8Array(1_500_000);
    const large = (address: string): Visit => {
      const module = { name: "m", sha256: new Uint8Array(32), content: { code, bytecodeVersion: null } };
      return { ...visitOf(address), modules: [module] };
    };
    const first = visits.commit(large("0x1"));
    const rest = ["0x2", "0x3"].map((address) => visits.commit(large(address)));
    expect(sizes).toEqual([1]);
    let hasRoom = false;
    const room = visits.room().then(() => {
      hasRoom = true;
    });
    held.shift()?.();
    expect(await first).toEqual({ newBytecodes: 1 });
    await room;
    expect([hasRoom, sizes]).toEqual([true, [1, 2]]);
    held.shift()?.();
    expect(await Promise.all(rest)).toEqual([{ newBytecodes: 2 }, { newBytecodes: 3 }]);
  });
});
