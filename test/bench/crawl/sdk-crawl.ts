import { readFileSync } from "node:fs";
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import Database from "better-sqlite3";

// What one would write in an afternoon on the official SDK: the same accounts, the record and each module's JSON as one row, no
// columns, no history. Its listing ignores the version asked for, so it reads the newest. Usage: sdk-crawl.ts URL FILE DB CONCURRENCY
const [url = "", file = "", path = "", concurrency = "4"] = process.argv.slice(2);
const aptos = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode: url }));
const database = new Database(path);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = NORMAL");
database.exec(
  "CREATE TABLE accounts (address TEXT PRIMARY KEY, record TEXT); CREATE TABLE _modules (address TEXT, name TEXT, json TEXT, PRIMARY KEY (address, name))",
);
const addAccount = database.prepare("INSERT INTO accounts VALUES (?, ?)");
const addModule = database.prepare("INSERT INTO _modules VALUES (?, ?, ?)");
const store = database.transaction((address: string, record: unknown, modules: readonly { abi?: { name: string } }[]) => {
  addAccount.run(address, JSON.stringify(record));
  for (const module of modules) addModule.run(address, module.abi?.name ?? "", JSON.stringify(module));
});
const addresses = readFileSync(file, "utf8").trimEnd().split("\n");
let next = 0;

async function worker(): Promise<void> {
  for (let address = addresses[next++]; address !== undefined; address = addresses[next++]) {
    const [record, modules] = await Promise.all([
      aptos.getAccountInfo({ accountAddress: address }),
      aptos.getAccountModules({ accountAddress: address }),
    ]);
    store(address, record, modules);
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, worker));
database.close();
