import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { describe, expect, test } from "vitest";
import { createSampleLedger, type SimNode, startSimNode } from "../../sim/index.ts";
import { nodeOfFile } from "../support/scene/node-of-file.ts";

// What docs/serve.md tells users of the official SDK to look out for. When one of these fails, the SDK has changed: change the page.
describe("traps of the official SDK 6.3.1", async () => {
  const sample = createSampleLedger();
  const [framework = "", , exchange = ""] = sample.codeAccounts;
  const clientOf = (node: SimNode) => new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: node.url }));

  const early = sample.ledger.head;
  sample.passDay();
  const node = await nodeOfFile({ ledger: sample.ledger, maxPageSize: 3 });

  test("getAccountModules and getAccountModulesPage drop `ledgerVersion`", async () => {
    const options = { ledgerVersion: early };
    const all = await clientOf(node).getAccountModules({ accountAddress: exchange, options });
    await clientOf(node).getAccountModulesPage({ accountAddress: exchange, options });
    expect(node.requests.filter(({ query }) => query.includes("ledger_version"))).toEqual([]);
    // `orders` came later than that version.
    expect(all.map(({ abi }) => abi?.name)).toContain("orders");
  });

  test("getAccountModules repeats the first page where there are more", async () => {
    const all = await clientOf(node).getAccountModules({ accountAddress: framework, options: { limit: 9 } });
    expect([all.length, new Set(all.map(({ abi }) => abi?.name)).size]).toEqual([9, 3]);
  });

  test("getAccountModule without a version answers from memory for five minutes, whichever server is asked", async () => {
    const before = createSampleLedger();
    await using other = await startSimNode({ ledger: before.ledger });
    const ask = { accountAddress: exchange, moduleName: "pool" };
    const first = await clientOf(node).getAccountModule(ask);
    expect(await clientOf(other).getAccountModule(ask)).toEqual(first);
    expect(other.requestCount).toBe(0);
    const options = { ledgerVersion: before.ledger.head };
    expect(await clientOf(other).getAccountModule({ ...ask, options })).not.toEqual(first);
  });
});
