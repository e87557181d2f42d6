import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";

/** What a page asks of a service by the official SDK in its default settings, and what came of it. */
async function askAll(fullnode: string, account: string, moduleName: string): Promise<Record<string, unknown>> {
  const aptos = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode }));
  const names = (modules: readonly { readonly abi?: { readonly name: string } }[]) => modules.map(({ abi }) => abi?.name);
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    getLedgerInfo: async () => (await aptos.getLedgerInfo()).ledger_version,
    getChainId: () => aptos.getChainId(),
    getAccountInfo: async () => (await aptos.getAccountInfo({ accountAddress: account })).sequence_number,
    getAccountModule: async () => (await aptos.getAccountModule({ accountAddress: account, moduleName })).abi?.name,
    getAccountModules: async () => names(await aptos.getAccountModules({ accountAddress: account })),
    getAccountModulesPage: async () =>
      names((await aptos.getAccountModulesPage({ accountAddress: account, options: { limit: 1 } })).modules),
    // In browsers the SDK itself never finds a cursor: it takes the response's headers for a plain object. A page's own request finds it.
    cursor: async () => {
      const response = await fetch(`${fullnode}/accounts/${account}/modules?limit=1`, { credentials: "include" });
      return response.headers.get("x-aptos-cursor")?.slice(0, 2);
    },
    refusal: async () => {
      const missing = await aptos.getAccountModule({ accountAddress: account, moduleName: "nope" }).catch((error: unknown) => error);
      return (missing as { readonly data?: { readonly error_code?: string } }).data?.error_code;
    },
  };
  const results: Record<string, unknown> = {};
  for (const [name, call] of Object.entries(calls)) results[name] = await call().catch((error: unknown) => `failed: ${String(error)}`);
  return results;
}

Object.assign(globalThis, { askAll });
