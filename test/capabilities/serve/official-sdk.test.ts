import { AccountAddress, Aptos, AptosApiError, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { afterAll, describe, expect, test } from "vitest";
import { sampleArchive, temporaryDirectory } from "../../support/index.ts";
import { serveDatabase } from "./support/served-archive.ts";

describe("the unmodified official SDK", async () => {
  const { db, accounts, exchange, ...at } = await sampleArchive(temporaryDirectory().file("archive.db"));
  const trader = accounts.at(-1) as string;
  const [first, second] = [Number(at.first), Number(at.last)];
  const served = await serveDatabase(db);
  const aptos = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: served.url }));
  afterAll(() => served[Symbol.asyncDispose]());

  test("reads the ledger, whose ends are the sealed versions", async () => {
    expect(await aptos.getLedgerInfo()).toMatchObject({
      chain_id: 4,
      ledger_version: String(second),
      oldest_ledger_version: String(first),
      node_role: "full_node",
    });
    expect(await aptos.getChainId()).toBe(4);
  });

  test("reads an account's record", async () => {
    const record = await aptos.getAccountInfo({ accountAddress: trader });
    expect(record).toEqual({ sequence_number: "13", authentication_key: `0x${"5a".repeat(32)}` });
  });

  test("reads a module as it was and as it is", async () => {
    const names = async (ledgerVersion: number): Promise<string[]> => {
      const { abi } = await aptos.getAccountModule({ accountAddress: exchange, moduleName: "pool", options: { ledgerVersion } });
      return abi?.exposed_functions.map(({ name }) => name) ?? [];
    };
    expect(await names(first)).not.toEqual(await names(second));
    expect(await aptos.getAccountModule({ accountAddress: exchange, moduleName: "orders" })).toMatchObject({ abi: { name: "orders" } });
  });

  test("reads a whole listing, and page by page", async () => {
    const all = await aptos.getAccountModules({ accountAddress: AccountAddress.from(exchange) });
    const paged: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await aptos.getAccountModulesPage({
        accountAddress: exchange,
        options: { limit: 1, ...(cursor === undefined ? {} : { cursor }) },
      });
      paged.push(...page.modules);
      ({ cursor } = page);
    } while (cursor !== undefined);
    expect(all.length).toBeGreaterThan(2);
    expect(paged).toEqual(all);
  });

  test.each([
    ["a version older than all", "pool", () => first - 1, 410, "version_pruned"],
    ["a version newer than all", "pool", () => second + 1, 404, "version_not_found"],
    ["a version between two", "pool", () => first + 1, 404, "version_not_found"],
    ["a module that is not there", "nope", () => second, 404, "module_not_found"],
  ])("reports %s as its own error", async (_, moduleName, version, status, errorCode) => {
    const asked = aptos.getAccountModule({ accountAddress: exchange, moduleName, options: { ledgerVersion: version() } });
    const error = await asked.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(AptosApiError);
    expect(error).toMatchObject({ status, data: { error_code: errorCode, vm_error_code: null } });
  });
});
