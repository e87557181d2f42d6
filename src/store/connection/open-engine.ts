import { isPostgresAddress } from "../../base/postgresql-address.ts";
import type { Engine } from "../engine/engine.ts";
import type { OpenServer } from "./open-server.ts";
import type { OpenOptions } from "./open-sqlite.ts";
import { openWithoutLock } from "./open-without-lock.ts";

/** An open database, whichever engine it is on; `worker` where it was opened to share the work. */
export type OpenEngine = { readonly engine: Engine; readonly close: () => Promise<void>; readonly worker?: OpenServer["worker"] };

/** Opens a file, or the PostgreSQL database at an address. @throws StoreError */
export async function openEngine(path: string, options: OpenOptions): Promise<OpenEngine> {
  if (isPostgresAddress(path)) return (await import("./open-server.ts")).openServer(path, options);
  const { engine, close } =
    options.mode === "write" ? (await import("./open-sqlite.ts")).openSqlite(path, options) : openWithoutLock(path, options);
  return { engine, close: async () => close() };
}
