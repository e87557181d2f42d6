import type { NightPart } from "../../core/cli/night-part.ts";
import type { GapsFlags } from "./command.ts";

/** Counts the gaps that the night left. */
export const nightPart: NightPart<object, GapsFlags> = {
  name: "gaps",
  turn: ({ shared: { database } }) => ({ flags: { limit: 0, ...database } }),
  load: async () => (await import("./command.ts")).step,
};
