import type { Capability } from "../../core/cli/capability.ts";
import type { NightPart } from "../../core/cli/night-part.ts";
import type { GapsFlags } from "./command.ts";

export const gaps: Capability = {
  name: "gaps",
  needs: ["changes", "horizon"],
  commands: {
    "Look after the archive:": {
      gaps: async () => (await import("./command.ts")).gapsCommand,
    },
  },
  nightParts: async () => [nightPart],
};

/** Counts the gaps that the night left. */
const nightPart: NightPart<object, GapsFlags> = {
  name: "gaps",
  turn: ({ shared: { database } }) => ({ flags: { limit: 0, ...database } }),
  load: async () => (await import("./command.ts")).step,
};
