import type { Capability } from "../../core/cli/capability.ts";
import type { Tally } from "./cross-check.ts";

export const crosscheck: Capability = {
  name: "crosscheck",
  watchAbis: (node) => {
    const tally: Tally = { compared: 0, explained: 0, findings: 0, build: undefined };
    return {
      tally,
      compare: async (...asked) => (await import("./cross-check.ts")).compareAbi(node, tally, ...asked),
      crossCheck: async (...asked) => (await import("./cross-check.ts")).crossCheck(node, tally, ...asked),
    };
  },
};
