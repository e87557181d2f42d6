import { existsSync } from "node:fs";
import { isPostgresAddress } from "../base/postgresql-address.ts";
import { StoreError } from "./errors.ts";
import { openStore, type Store } from "./store.ts";

/** Opens a database to read it; undefined when there is none yet. @throws StoreError */
export async function openIfThere(path: string): Promise<Store | undefined> {
  try {
    return await openStore(path, { mode: "read" });
  } catch (error) {
    if (error instanceof StoreError && error.code === "MOVEDEX_STORE_MISSING") return undefined;
    throw error;
  }
}

/** Whether there is a database, or at least a file where one would be. @throws StoreError when a server cannot be asked */
export async function isThere(path: string): Promise<boolean> {
  if (!isPostgresAddress(path)) return existsSync(path);
  const store = await openIfThere(path);
  await store?.close();
  return store !== undefined;
}
