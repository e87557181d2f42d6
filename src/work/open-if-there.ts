import { StoreError } from "../engine/errors.ts";
import { openStore, type Store } from "./store.ts";

/** Opens a database to read it; undefined when there is none yet. @throws StoreError */
export async function openIfThere(path: string): Promise<(Store & AsyncDisposable) | undefined> {
  try {
    return await openStore(path, { mode: "read" });
  } catch (error) {
    if (error instanceof StoreError && error.code === "MOVEDEX_STORE_MISSING") return undefined;
    throw error;
  }
}
