import { MovedexError } from "../../errors.ts";
import type { Sealed } from "../hooks.ts";
import type { Io } from "../io.ts";

/** Has each capability do what follows from new snapshots, through the run's own open store. A failure here fails no run. */
export async function followSeal({ hooks, clock }: Io, sealed: Omit<Sealed, "clock">): Promise<void> {
  for (const { name, afterSeal } of hooks) {
    try {
      await (await afterSeal?.())?.({ ...sealed, clock });
    } catch (error) {
      if (!(error instanceof MovedexError)) throw error;
      sealed.log("warn", `${name}: what follows from new snapshots was not done; the next run tries again: ${error.message}`, {
        code: error.code,
      });
    }
  }
}
