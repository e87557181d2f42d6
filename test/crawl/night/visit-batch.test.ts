import { describe, expect, test } from "vitest";
import { VisitBatch } from "../../../src/crawl/night/visit-batch.ts";
import { type Address, parseAddress } from "../../../src/move/address.ts";
import type { Visit } from "../../../src/store/snapshots/visit-model.ts";

const visitOf = (address: string): Visit => ({ address: parseAddress(address) as Address, account: null, modules: [] });

function batch(isRefused: (visit: Visit) => boolean = () => false) {
  const transactions: string[][] = [];
  const commit = async (visits: readonly Visit[]): Promise<string[]> => {
    if (visits.some(isRefused)) throw new Error("refused");
    const addresses = visits.map(({ address }): string => address);
    transactions.push(addresses);
    return addresses;
  };
  return { transactions, visits: new VisitBatch<string>(commit, async (visit) => (await commit([visit]))[0] as string) };
}

describe("VisitBatch", () => {
  test("stores what comes within a turn in one transaction, each with its own result", async () => {
    const { transactions, visits } = batch();
    expect(await Promise.all([visits.commit(visitOf("0x1")), visits.commit(visitOf("0x2"))])).toEqual(["0x1", "0x2"]);
    expect(await visits.commit(visitOf("0x3"))).toBe("0x3");
    expect(transactions).toEqual([["0x1", "0x2"], ["0x3"]]);
  });

  test("a visit that is refused fails alone", async () => {
    const { transactions, visits } = batch(({ address }) => address === "0x2");
    const outcomes = await Promise.allSettled(["0x1", "0x2", "0x3"].map((address) => visits.commit(visitOf(address))));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(transactions).toEqual([["0x1"], ["0x3"]]);
  });
});
