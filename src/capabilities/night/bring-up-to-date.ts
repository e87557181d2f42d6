import type { Io } from "../../core/cli/io.ts";
import { withStore } from "../../core/cli/store-access.ts";
import type { WhenBusy } from "../../core/db/engine/database.ts";
import { MovedexError } from "../../core/errors.ts";
import { openStore } from "../../core/work/store.ts";

/**
 * Brings older tables up to date, as every command that writes does when it begins. Where that cannot be, such as beside another run,
 * nothing happens: the commands themselves say why. @throws StoreError `MOVEDEX_STORE_BUSY` where others keep it locked
 */
export async function bringUpToDate(io: Io, path: string, whenBusy: WhenBusy): Promise<void> {
  try {
    await (await openStore(path, { mode: "read", whenBusy })).close();
  } catch (error) {
    // Whoever could not so much as look into it in all that time can do nothing else with it.
    if (!(error instanceof MovedexError) || error.code === "MOVEDEX_STORE_BUSY") throw error;
    if (error.code !== "MOVEDEX_STORE_OLDER") return;
    await withStore(io, path, "write", async () => undefined).catch((fault: unknown) => {
      if (!(fault instanceof MovedexError)) throw fault;
    });
  }
}
