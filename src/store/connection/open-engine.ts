import { isPostgresAddress } from "../../base/postgresql-address.ts";
import type { Engine } from "../engine/engine.ts";
import { type OpenOptions, openSqlite } from "./open-sqlite.ts";

/** An open database, whichever engine it is on. */
export type OpenEngine = { readonly engine: Engine; readonly close: () => Promise<void> };

/** Opens a file, or the PostgreSQL database at an address. @throws StoreError */
export async function openEngine(path: string, options: OpenOptions): Promise<OpenEngine> {
  if (isPostgresAddress(path)) return (await import("./open-server.ts")).openServer(path, options);
  const { engine, close } = openSqlite(path, options);
  return { engine, close: async () => close() };
}
