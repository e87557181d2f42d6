import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { expect, test } from "vitest";
import { replayHistory, startSimNode } from "../../sim/index.ts";
import { frameworkHistory } from "../support/shared-data.ts";

test.skipIf(!frameworkHistory)(
  "the official SDK reads the ledger, an account, a module and a listing (needs the recorded releases)",
  async () => {
    const { ledger } = replayHistory({ directory: frameworkHistory ?? "", count: 3 });
    await using node = await startSimNode({ ledger });
    // The SDK remembers what a network said of its ledger for ten seconds, by the network's name: not that of another file's node.
    const aptos = new Aptos(new AptosConfig({ network: Network.LOCAL, fullnode: node.url }));
    expect(await aptos.getLedgerInfo()).toMatchObject({ chain_id: 4, ledger_version: "4000", node_role: "full_node" });
    expect(await aptos.getAccountInfo({ accountAddress: "0x1" })).toEqual({
      sequence_number: ledger.sequenceNumber("0x1").toString(),
      authentication_key: `0x${"0".repeat(63)}1`,
    });
    const module = await aptos.getAccountModule({ accountAddress: "0x1", moduleName: "coin", options: { ledgerVersion: 1000 } });
    expect(module.abi?.exposed_functions.map(({ name }) => name)).toContain("transfer");
    const modules = await aptos.getAccountModules({ accountAddress: "0x1" });
    expect(modules.map(({ abi }) => abi?.name)).toEqual(ledger.modulesAt("0x1", 4000n).map(({ name }) => name));
    await expect(aptos.getAccountModule({ accountAddress: "0x1", moduleName: "nope" })).rejects.toMatchObject({
      status: 404,
      data: { error_code: "module_not_found" },
    });
    expect(node.requests.every(({ path }) => path.startsWith("/v1"))).toBe(true);
  },
);
